// The command line of `ptosync` as one table: every command, and every option with the commands that have it.
//
//   table --readArguments--> GivenOptions (src/tool/options.cpp makes the values of them)
//         --helpText, manPage, completion--> what is said about it
//
// One row holds an option's name, form, value, help and commands, so that none is offered where it is refused, and none
// is accepted that no page names. An option that another command has is answered with that command's name. Values are
// taken as they stand: nothing in one is read as an option, a prefix or a response file. What a value means is for
// src/tool/options.cpp; only words out of a fixed set are checked here.
// Tested by tests/tool/option_table_test.cpp, tests/tool/options_test.cpp and tests/scripts/completion_test.sh.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

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
  Model,
  RuleShow,
  RuleList,
  Merge,
  Synchronise
};

/// A set of commands, one bit each.
using Commands = std::uint32_t;
constexpr Commands bitOf(Command command) { return Commands{1} << static_cast<unsigned>(command); }

struct CommandRow {
  Command command;
  const char *name; // "opt"
  const char *verb; // "list" of `patterns list`; empty: the command has none
  const char *operands;
  std::size_t least, most; // how many operands; most 0: any number
  const char *summary;
  const char *group;    // what it is for
  const char *examples; // lines "COMMAND # MEANING"; of a command with verbs those of its first row
  const char *everyday; // the options that --help shows; empty: all that are not rare
  const char *exits;    // what its exit codes mean; of a command with verbs those of its first row
};

enum class OptionForm : std::uint8_t {
  Switch, // --diff
  Word,   // --arch=a3, out of the words in `value`
  Value,  // --report=R.json
  Values, // the same, repeated
  Parts,  // the same, repeated or with commas between
};

struct OptionRow {
  const char *name;
  OptionForm form;
  Commands commands;
  const char *value; // how it is called in help: "R.json"; the words: "a3|a5"
  const char *group; // the heading that it stands under
  const char *help;
};

llvm::ArrayRef<CommandRow> commandRows();
llvm::ArrayRef<OptionRow> optionRows();
/// Returns true if the option says what a kernel's build and machine are like, what a run may take, or where results
/// are kept, which is said once if at all: --help names such options and does not explain them.
bool isRare(const OptionRow &row);
/// Returns "opt", or "patterns list".
std::string commandName(const CommandRow &row);
/// Returns "--diff", "-o".
std::string withDashes(llvm::StringRef name);
/// Returns the one letter that stands for an option as well, "q" for "quiet"; empty if none does.
llvm::StringRef letterOf(llvm::StringRef name);
/// Returns the words of a value such as "a3|a5".
std::vector<std::string> wordsOf(const OptionRow &row);

/// A command line without mistakes in form.
struct GivenOptions {
  std::string answer; // of --help and the like: print it, nothing else counts
  Command command = Command::Optimize;
  std::vector<std::string> operands;
  std::map<std::string, std::vector<std::string>, std::less<>> values; // of an option that is given; a switch has none

  bool has(std::string_view name) const { return values.count(name) != 0; }
  std::string value(std::string_view name, std::string_view otherwise = "") const;
  std::vector<std::string> list(std::string_view name) const;
};

/// Reads the arguments behind the program's name. The error says what is wrong and, where something is near, what was
/// probably meant.
llvm::Expected<GivenOptions> readArguments(llvm::ArrayRef<std::string> arguments);

/// Returns "a, b or c".
std::string anyOf(llvm::ArrayRef<std::string> words);

// --- the pages, all made of the table (option_pages.cpp) ---

/// Help in short has what is used every day, in at most 40 lines, and the names of the other options.
enum class HelpLength : bool { Short, All };
/// Returns what `ptosync --help` says.
std::string helpText();
/// Returns what `ptosync COMMAND --help` and `--help=all` say; `patterns` has the help of its three verbs.
std::string helpText(llvm::StringRef command, HelpLength length);
/// Returns the manual page in roff.
std::string manPage();
/// Returns the completion for "bash", "zsh" or "fish".
std::string completion(llvm::StringRef shell);
/// Returns what `ptosync --version` says: the tool, the machine models that it holds, the forms that it reads and
/// writes. A decision depends on all of them, so a bug report should carry all of them.
std::string versionText();

} // namespace ptosync
