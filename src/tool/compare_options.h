// The options of `ptosync compare`, which the other commands do not have.
// Tested by tests/tool/compare_command_test.cpp.
#pragma once

#include <llvm/Support/CommandLine.h>

#include <optional>
#include <string>

namespace ptosync {

enum class CompareFormat { Text, Csv, Json };

struct CompareCommandOptions {
  std::string a, b;
  CompareFormat format = CompareFormat::Text;
  std::string output;             // empty: standard output
  std::optional<double> failOver; // percent
};

/// llvm::cl definitions for the subcommand `compare`.
class CompareDefinitions {
public:
  CompareDefinitions(llvm::cl::SubCommand &command, llvm::cl::OptionCategory &category);

  /// Empty, or what is wrong with the values.
  std::string read(CompareCommandOptions &options) const;

private:
  llvm::cl::opt<std::string> a, b, format, output, failOver;
};

} // namespace ptosync
