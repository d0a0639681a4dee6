// The tokens of a text that a test writes down.
#pragma once

#include "frontend/read/token_stream.h"

#include <string>

namespace ptosync::test {

inline TokenStream tokensOf(const std::string &text, const std::string &name = "k.cpp") {
  return TokenStream(SourceText(name, text));
}

} // namespace ptosync::test
