// A macro that a kernel's own build defines, or does not, as its compiler is told: -D NAME[=VALUE], -U NAME.
// Tested by tests/kernel/definition_test.cpp.
#pragma once

#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

struct Definition {
  std::string name;
  std::optional<std::string> value; // nothing: it is not defined
  bool operator==(const Definition &) const = default;
};

/// "NAME" (which is 1), "NAME=" (which is nothing) or "NAME=VALUE". The error says what is wrong, without the text: no
/// name, a macro with parameters, or one that tells the cores apart, which are both read.
llvm::Expected<Definition> parseDefinition(std::string_view text);

/// Those of -D and -U: of several of one name the last counts. The error names the text that is wrong, and a name that is
/// in both.
llvm::Expected<std::vector<Definition>> parseDefinitions(const std::vector<std::string> &defined,
                                                         const std::vector<std::string> &undefined);

} // namespace ptosync
