// The options of `ptosync explain`, which the other commands do not have, and the place it is asked about.
// Tested by tests/tool/explain_options_test.cpp.
#pragma once

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <string>

namespace ptosync {

struct ExplainCommandOptions {
  std::string file;
  std::uint32_t line = 0; // 0: `tile` or `memory`
  std::string tile;
  bool memory = false;
};

/// llvm::cl definitions for the subcommand `explain`.
class ExplainDefinitions {
public:
  ExplainDefinitions(llvm::cl::SubCommand &command, llvm::cl::OptionCategory &category);

  /// Empty, or what is wrong with the values.
  std::string read(ExplainCommandOptions &options) const;

private:
  llvm::cl::opt<std::string> place;
  llvm::cl::opt<bool> memory;
};

/// FILE:LINE, FILE:LINE:COLUMN as compilers write it, or FILE:TILE.
llvm::Expected<ExplainCommandOptions> parsePlace(const std::string &text);

} // namespace ptosync
