// The command line of `ptosync`, as plain values.
//
// Parsed with LLVM's CommandLine. Exit codes: 0 clean or done, 1 findings, 2 usage, configuration
// or pattern error, 3 the input could not be analysed.
#pragma once

#include "run/run.h"
#include "tool/audit_options.h"
#include "tool/compare_options.h"
#include "tool/explain_options.h"
#include "tool/model_options.h"
#include "tool/patch_options.h"
#include "tool/timeline_options.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFindings = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNotAnalysed = 3;
inline constexpr int kExitUndecided = 4;

/// Prints "ptosync: MESSAGE" on standard error; the exit code of a command line that cannot be obeyed.
int usage(const std::string &message);

enum class Command {
  Optimize,
  Audit,
  Fix,
  Explain,
  Verify,
  PatternsList,
  PatternsShow,
  PatternsTest,
  PatchVecBarriers,
  Timeline,
  Compare,
  Model
};

/// What `opt` alone is asked.
struct OptCommandOptions {
  std::string print;                 // "", "kernel", "chains", "flags", "prelude"
  std::string report;                // the JSON report goes here; empty: none
  std::vector<std::string> rewrites; // --rewrite, as given
  std::optional<Verdict> only;       // restricts the text report to this verdict
  bool diff = false, bisect = false, cost = false;
  bool resync = false; // place syncs anew
};

/// What `verify` alone is asked.
struct VerifyCommandOptions {
  std::string after; // the second file; ToolOptions::input is the first
};

/// What `patterns` alone is asked.
struct PatternsCommandOptions {
  std::string id; // of `show`
};

/// What several commands are asked, and by command what one alone is.
struct ToolOptions : RunChoices {
  Command command = Command::Optimize;
  std::string input, output;
  std::string format = "text";    // verify, explain, model
  AuditConfig given, environment; // what the command line and the environment say of what a configuration can say
  std::string machineFile;
  std::vector<std::string> patternFiles;
  bool quiet = false; // no summary beside what is written, no progress
  bool dryRun = false, verbose = false, timings = false;
  std::string html;       // opt, timeline, compare: write a page for reviewers here; empty: none
  std::string timingFile; // opt, timeline, compare: over the built-in numbers; empty: none
  OptCommandOptions opt;
  AuditCommandOptions audit;
  ExplainCommandOptions explain;
  ModelCommandOptions model;
  VerifyCommandOptions verify;
  PatternsCommandOptions patternsCommand;
  PatchOptions patch; // patch-vec-barriers
  TimelineCommandOptions timeline;
  CompareCommandOptions compare;
};

/// Returns an exit code instead of options where there is nothing left to do (--help, errors;
/// a message has been printed then).
struct ParsedCommandLine {
  ToolOptions options;
  int exitCode = -1; // >= 0: stop with it
};
ParsedCommandLine parseCommandLine(int argc, const char *const *argv);

} // namespace ptosync
