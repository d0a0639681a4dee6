// The options of `ptosync timeline`, which the other commands do not have.
// Tested by tests/tool/timeline_test.cpp.
#pragma once

#include <llvm/Support/CommandLine.h>

#include <string>
#include <vector>

namespace ptosync {

struct TimelineCommandOptions {
  std::string input;
  std::string trace; // write a trace for viewers here; empty: none
  bool limit = false;
  std::string profile;                   // the folder of a simulator run; empty: none
  std::vector<std::string> profileCores; // of it
  std::string calibrate;                 // write fitted durations here; empty: no
};

/// llvm::cl definitions for the subcommand `timeline`.
class TimelineDefinitions {
public:
  TimelineDefinitions(llvm::cl::SubCommand &command, llvm::cl::OptionCategory &category);

  /// Empty, or what is wrong with the values.
  std::string read(TimelineCommandOptions &options) const;

private:
  llvm::cl::opt<std::string> input, trace;
  llvm::cl::opt<bool> limit;
  llvm::cl::opt<std::string> profile;
  llvm::cl::list<std::string> profileCores;
  llvm::cl::opt<std::string> calibrate;
};

} // namespace ptosync
