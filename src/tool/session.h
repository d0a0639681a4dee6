// The part that every command has: reading what its options name, showing how far it is, and failing.
//
//   ToolOptions --readInput--> RunInput --a page of src/run--> a result to print, or an error --fail--> exit code
//
// Tested by tests/tool/session_test.cpp.
#pragma once

#include "audit/config.h"
#include "base/terminal.h"
#include "run/progress.h"
#include "run/run.h"
#include "tool/options.h"

#include <llvm/Support/Error.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// Reads the files of --machine, --pattern-file and --timing. Fails with a SettingError.
llvm::Expected<RunChoices> readChoices(const ToolOptions &options);

/// Returns the selection of patterns, as Catalogue::select reads it.
std::string patternsOf(const Settings &settings);

/// Reads that, the kernels and the configuration of the first. Fails with a SettingError.
llvm::Expected<RunInput> readInput(const ToolOptions &options, const std::vector<std::string> &files);

/// Finds and reads `.ptosync.json`, once per folder.
class ConfigFinder {
public:
  explicit ConfigFinder(ReadFiles &reads) : reads(reads) {}
  /// Returns the nearest configuration from the folder of `file` upwards; an empty one if there is none.
  llvm::Expected<AuditConfig> find(const std::string &file);
  /// Returns the patterns of "exclude" of every configuration from the folder of `file` upwards, each with its folder:
  /// what leaves a folder out is said above it, and another configuration inside takes nothing back.
  llvm::Expected<std::vector<std::pair<std::string, std::vector<std::string>>>> excludes(const std::string &file);

private:
  /// Returns the configuration of this very folder; null if it has none.
  llvm::Expected<const AuditConfig *> of(const std::string &folder);

  ReadFiles &reads;
  std::map<std::string, std::optional<AuditConfig>> byFolder;
};

/// Returns a line of the time that each stage took: "reading 12.0 ms, deciding 81.5 ms".
std::string timingsText(const Allowance::Taken &taken);

/// A progress that is shown on standard error, in the form that fits it.
Progress progressOf(const std::string &command, bool quiet, std::size_t total = 0, const std::string &unit = "");

/// Returns how a text on standard output looks: in colours and with lines of the source on a terminal or where --color
/// wants it, and plain everywhere else. NO_COLOR and a terminal that is none ("dumb") take the colours.
Look lookOf(const ToolOptions &options);

/// Returns the path of a file as a diff names it, from the folder of --root, or else from the top of the git work tree
/// that the file lies in, so that `git apply` finds it; as it is if there is neither.
std::string nameInDiff(const ToolOptions &options, const std::string &file);

/// Returns the exit code of the error's class: 2 for a setting or an argument, 3 for any other.
int exitCodeOf(const llvm::Error &error);

/// Returns the text of the error. If the two engines disagree, it also keeps the reproducer in a folder of its own and
/// names it.
std::string messageOf(llvm::Error error);

/// Prints "ptosync: PROBLEM" on standard error, one end of line behind it.
void tellProblem(llvm::StringRef problem);

/// Prints "ptosync: MESSAGE" on standard error and returns `exitCode`.
int fail(llvm::Error error, int exitCode);

/// The same with the exit code of the error's class.
int fail(llvm::Error error);

/// Fails where an output is an input, or two are one file: those that a command names here, and the statistics, which
/// come last of whatever command.
llvm::Error checkOutputs(const ToolOptions &options, std::vector<std::string> targets);

} // namespace ptosync
