// Every place of a file where a TPipe type spells its local slot count.
//
//   text --parse (per core section)--> AST --> TPipe<...> as written: its arguments, the bytes of the fifth
//
// A FIFO's type is spelled at its declaration and in every call on it; all must change together. A type that comes
// from a macro, or whose count is left out or is no literal number, has no bytes to change and says so. `decltype` and
// aliases spell nothing and need nothing.
// Tested by tests/frontend/lower/fifo_types_test.cpp.
#pragma once

#include "frontend/frontend.h"

#include <optional>
#include <vector>

namespace ptosync {

struct FifoTypeUse {
  Fifo type;                             // as read; no name, no variables
  std::optional<SourceRange> localSlots; // the literal; empty: there is none of its own
  std::uint32_t line = 0;
};

/// By position, each once.
llvm::Expected<std::vector<FifoTypeUse>> findFifoTypes(const SourceText &source, const FrontendOptions &options);

} // namespace ptosync
