// What is said about the command line, made of its table: help, the manual page, completions, the version.
//
// Nothing here knows an option by name, so no page can lack one or have one that the tool has not.
// Tested by tests/tool/option_table_test.cpp, tests/scripts/completion_test.sh and tests/scripts/install_test.sh.
#include "tool/option_table.h"

#include "machine/machine.h"
#include "patterns/catalogue.h"
#include "patterns/version.h"
#include "report/json_report.h"
#include "run/rules.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>

namespace ptosync {

namespace {

constexpr const char *kTitle = "removes synchronisation that orders nothing from generated Ascend NPU kernels";

constexpr const char *kExamples =
    "  ptosync opt kernels/ --in-place       take out or weaken syncs that order nothing\n"
    "  ptosync opt k.cpp --diff              show what would change, write nothing\n"
    "  ptosync audit kernels/                report missing waits, faulty flags, illegal pipes, slow syncs\n"
    "  ptosync explain k.cpp:418             why is this sync here, what does this instruction wait for\n";

constexpr const char *kExitCodes =
    "0 done, 1 findings or --diff has changes, 2 usage, configuration or pattern error,\n"
    "3 input could not be analysed, or the engines disagree, 4 verify: not proved and not refuted\n";

/// What stands in the place of a command.
struct AnswerRow {
  const char *name, *value, *help;
};
constexpr AnswerRow kAnswers[] = {
    {"help", "", "the commands; behind a command what is used of it every day; --help=all: everything"},
    {"version", "", "the tool, its machine models, the forms that it reads and writes"},
    {"man-page", "", "the manual page, for man"},
    {"completion", "bash|zsh|fish", "the completion of the command line for a shell"},
};

/// "--report=R.json", "-o OUT.cpp", "--diff".
std::string spelling(llvm::StringRef name, llvm::StringRef value) {
  std::string text = (name.size() == 1 ? "-" : "--") + name.str();
  return value.empty() ? text : text + (name.size() == 1 ? " " : "=") + value.str();
}

constexpr std::size_t kHelpWidth = 100, kHelpColumn = 26;

/// `begin`, and behind it the words of `text`; the lines below begin at `column`.
std::string wrapped(std::string begin, llvm::StringRef text, std::size_t column) {
  std::size_t used = begin.size() - (begin.rfind('\n') + 1);
  for (bool first = true; !text.empty(); first = false) {
    auto [word, rest] = text.split(' ');
    if (!first && used + 1 + word.size() > kHelpWidth) {
      begin += "\n" + std::string(column, ' ');
      used = column;
    } else if (!first) {
      begin += " ";
      ++used;
    }
    begin += word.str();
    used += word.size();
    text = rest;
  }
  return begin + "\n";
}

/// A term and its explanation in two columns.
std::string entry(const std::string &term, llvm::StringRef text) {
  std::string begin = "  " + term;
  begin.append(begin.size() + 1 < kHelpColumn ? kHelpColumn - begin.size() : 2, ' ');
  return wrapped(std::move(begin), text, kHelpColumn);
}

std::vector<const CommandRow *> rowsNamed(llvm::StringRef name) {
  std::vector<const CommandRow *> rows;
  for (const CommandRow &row : commandRows())
    if (name == row.name)
      rows.push_back(&row);
  return rows;
}

std::vector<std::string> commandNames() {
  std::vector<std::string> names;
  for (const CommandRow &row : commandRows())
    if (!llvm::is_contained(names, row.name))
      names.emplace_back(row.name);
  return names;
}

/// What stands in the first place: the commands, and the words that answer.
std::vector<std::string> completedCommands() {
  std::vector<std::string> names = commandNames();
  names.insert(names.end(), {"help", "version"});
  return names;
}

/// The options of a command; of one with verbs those of any.
std::vector<const OptionRow *> optionsOf(llvm::StringRef name) {
  std::vector<const OptionRow *> options;
  for (const OptionRow &option : optionRows())
    if (llvm::any_of(rowsNamed(name), [&](const CommandRow *row) { return option.commands & bitOf(row->command); }))
      options.push_back(&option);
  return options;
}

/// "ptosync opt [options] KERNEL.cpp".
std::string usageOf(const CommandRow &row) {
  return "ptosync " + commandName(row) + " [options]" + (*row.operands ? " " : "") + row.operands;
}

/// A verb's own options stand with the verb's name.
std::string helpOf(const OptionRow &option, llvm::StringRef command) {
  std::vector<std::string> verbs;
  std::vector<const CommandRow *> rows = rowsNamed(command);
  for (const CommandRow *row : rows)
    if (option.commands & bitOf(row->command))
      verbs.emplace_back(row->verb);
  return (verbs.size() < rows.size() ? anyOf(verbs) + ": " : "") + option.help;
}

/// "-q, --quiet", or the option's spelling.
std::string spellings(const OptionRow &option) {
  const llvm::StringRef letter = letterOf(option.name);
  return (letter.empty() ? "" : "-" + letter.str() + ", ") + spelling(option.name, option.value);
}

/// Returns true if --help in short explains the option.
bool isEveryday(const OptionRow &option, const CommandRow &row) {
  if (!*row.everyday)
    return !isRare(option);
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(row.everyday).split(names, ' ');
  return llvm::is_contained(names, option.name);
}

/// Lines, each moved in by two blanks.
std::string indented(llvm::StringRef lines) {
  std::string text;
  for (auto [line, rest] = lines.split('\n'); !line.empty(); std::tie(line, rest) = rest.split('\n'))
    text += "  " + line.str() + "\n";
  return text;
}

/// The ids of the built-in patterns, or of all that `rule` explains, each with a blank behind it.
std::string patternIds(bool all = false) {
  llvm::Expected<Catalogue> catalogue = Catalogue::builtIn(PatternCases::Left);
  if (!catalogue) {
    llvm::consumeError(catalogue.takeError());
    return {};
  }
  std::string ids;
  for (const Pattern &pattern : catalogue->patterns())
    ids += pattern.id + " ";
  return all ? llvm::join(ruleIds(*catalogue), " ") + " " : ids;
}

/// The words that may stand behind a command: its verbs, and the ids that they are about; empty if none may.
std::string verbWords(llvm::StringRef command) {
  std::string words = command == "rule" ? patternIds(true) : command == "help" ? llvm::join(commandNames(), " ") : "";
  for (const CommandRow *row : rowsNamed(command))
    if (*row->verb)
      words += std::string(words.empty() || words.back() == ' ' ? "" : " ") + row->verb;
  return words;
}

/// The words that a value may be, with blanks between; empty if it may be any.
std::string valueWords(const OptionRow &option, const std::string &patterns) {
  if (option.form == OptionForm::Word)
    return llvm::join(wordsOf(option), " ");
  return llvm::StringRef(option.name) == "patterns" ? patterns + "default all none" : "";
}

std::string replaced(llvm::StringRef text, llvm::ArrayRef<std::pair<char, llvm::StringRef>> replacements) {
  std::string result;
  for (char character : text) {
    auto found = llvm::find_if(replacements, [&](const auto &one) { return one.first == character; });
    result += found == replacements.end() ? std::string(1, character) : found->second.str();
  }
  return result;
}

/// Plain text to roff: backslashes and hyphens as they are, no line that begins like a request.
std::string roff(llvm::StringRef text) {
  std::string result = replaced(text, {{'\\', "\\e"}, {'-', "\\-"}, {'\n', "\n\1"}});
  std::string safe = !result.empty() && (result[0] == '.' || result[0] == '\'') ? "\\&" : "";
  for (std::size_t i = 0; i < result.size(); ++i)
    if (result[i] == '\1')
      safe += i + 1 < result.size() && (result[i + 1] == '.' || result[i + 1] == '\'') ? "\\&" : "";
    else
      safe += result[i];
  return safe;
}

/// The lines of bash completion's table: which options have values of their own, and which names of files.
std::string bashValues(const std::string &patterns) {
  std::string values;
  auto wordsLine = [&](const std::string &command, const std::string &option, const std::string &words) {
    values += "  \"" + command + " " + option + "\") words=\"" + words + "\" ;;\n";
  };
  for (const std::string &command : commandNames())
    for (const OptionRow *option : optionsOf(command)) {
      const std::string name = spelling(option->name, "");
      if (option->form == OptionForm::Switch)
        continue;
      if (std::string words = valueWords(*option, patterns); !words.empty())
        wordsLine(command, name, words);
      else
        values += ("  \"" + llvm::Twine(command) + " " + name + "\") names=yes ;;\n").str();
    }
  wordsLine("--completion", "--completion", "bash zsh fish");
  return values;
}

constexpr const char *kBashHead = R"(# bash completion for ptosync; made by `ptosync --completion=bash`.
_ptosync() {
  local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD - 1]}" command="${COMP_WORDS[1]}"
  local options='' option='' value="$current" front='' words='' names=''
  COMPREPLY=()
  # '=' is a word of its own where COMP_WORDBREAKS holds it.
  if [ "$current" = '=' ]; then
    option="$before" value=''
  elif [ "$before" = '=' ]; then
    option="${COMP_WORDS[COMP_CWORD - 2]}"
  elif [[ $current == --*=* ]]; then
    option="${current%%=*}" value="${current#*=}" front="${current%%=*}="
  elif [[ $before == -* && $current != -* ]]; then
    option="$before"
  fi
  case "$command $option" in
)";

constexpr const char *kBashTail = R"(  esac
  if [ -n "$words" ]; then
    [[ $value != *,* ]] || front+="${value%,*},"
    mapfile -t COMPREPLY < <(compgen -P "$front" -W "$words" -- "${value##*,}")
  elif [ -n "$names" ]; then
    [ -n "$front" ] || compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -P "$front" -f -- "$value")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _ptosync ptosync
)";

std::string bashCompletion() {
  const std::string patterns = patternIds();
  std::string options, verbs;
  for (const std::string &command : commandNames()) {
    options += "  " + command + ") options=\"";
    for (const OptionRow *option : optionsOf(command)) {
      const std::string name = spelling(option->name, "");
      options += name + (option->form == OptionForm::Switch || name.size() == 2 ? " " : "= ");
      if (llvm::StringRef letter = letterOf(option->name); !letter.empty())
        options += "-" + letter.str() + " ";
    }
    options += "--help --help=all --version\" ;;\n";
  }
  for (const std::string &command : completedCommands())
    if (const std::string words = verbWords(command); !words.empty())
      verbs += "  2' '" + command + ") [[ $current == -* ]] || words=\"" + words + "\" ;;\n";
  return kBashHead + bashValues(patterns) + "  esac\n  case \"$COMP_CWORD $command\" in\n  1' '*) words=\"" +
         llvm::join(completedCommands(), " ") +
         " --help --version --man-page --completion=bash --completion=zsh --completion=fish\" ;;\n" + verbs +
         "  3' 'patterns) [[ $before != show || $current == -* ]] || words=\"" + patterns +
         "\" ;;\n  esac\n  case \"$command\" in\n" + options + kBashTail;
}

/// A text inside of single quotes, inside of which zsh reads brackets and colons itself.
std::string zshText(llvm::StringRef text) {
  return replaced(text, {{'\'', "'\\''"}, {'[', "\\["}, {']', "\\]"}, {':', "\\:"}, {'`', ""}});
}

std::string zshOption(const OptionRow &option, llvm::StringRef command, const std::string &patterns) {
  const bool repeats = option.form == OptionForm::Values || option.form == OptionForm::Parts;
  const std::string name = spelling(option.name, ""), help = "[" + zshText(helpOf(option, command)) + "]";
  const llvm::StringRef letter = letterOf(option.name);
  if (option.form == OptionForm::Switch)
    return "'" + name + help + "'" + (letter.empty() ? "" : " '-" + letter.str() + help + "'");
  const std::string words = valueWords(option, patterns);
  const std::string action = words.empty() ? "_files" : "(" + words + ")";
  return std::string("'") + (repeats ? "*" : "") + name + (name.size() == 2 ? "+" : "=") + help + ":" +
         zshText(option.value) + ":" + action + "'";
}

std::string zshCompletion() {
  const std::string patterns = patternIds();
  std::string text = "#compdef ptosync\n# zsh completion for ptosync; made by `ptosync --completion=zsh`.\n"
                     "_ptosync() {\n  local -a commands\n  commands=(\n";
  for (const std::string &name : commandNames()) {
    std::string summary;
    for (const CommandRow *row : rowsNamed(name))
      summary += (summary.empty() ? "" : "; ") + std::string(row->summary);
    text += "    '" + name + ":" + zshText(summary) + "'\n";
  }
  text += "    'help:the commands, or the options of one'\n    'version:" + zshText(kAnswers[1].help) + "'\n";
  text += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n"
          "    compadd -- --help --version --man-page --completion={bash,zsh,fish}\n"
          "    return\n  fi\n  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const std::string &name : commandNames()) {
    text += "  " + name + ")\n    _arguments '--help[the options of the command]'";
    for (const OptionRow *option : optionsOf(name))
      text += " \\\n      " + zshOption(*option, name, patterns);
    if (const std::string words = verbWords(name); !words.empty())
      text += " \\\n      '1:what:(" + words + ")'";
    text += " \\\n      '*:file:_files'\n    ;;\n";
  }
  text += "  help)\n    _arguments '1:command:(" + verbWords("help") + ")'\n    ;;\n";
  return text + "  esac\n}\n_ptosync \"$@\"\n";
}

std::string fishCompletion() {
  const std::string patterns = patternIds();
  auto quoted = [](llvm::StringRef text) { return "'" + replaced(text, {{'\\', "\\\\"}, {'\'', "\\'"}}) + "'"; };
  std::string text = "# fish completion for ptosync; made by `ptosync --completion=fish`.\n";
  for (const std::string &name : completedCommands()) {
    const std::vector<const CommandRow *> rows = rowsNamed(name);
    text += "complete -c ptosync -f -n __fish_use_subcommand -a " + name + " -d " +
            quoted(rows.empty() ? kAnswers[name == "version"].help : rows.front()->summary) + "\n";
  }
  for (const char *answer : {"help", "version", "man-page", "completion -x -a 'bash zsh fish'"})
    text += "complete -c ptosync -n __fish_use_subcommand -l " + std::string(answer) + "\n";
  for (const std::string &name : completedCommands()) {
    const std::string line = "complete -c ptosync -n '__fish_seen_subcommand_from " + name + "'";
    if (const std::string words = verbWords(name); !words.empty())
      text += line + " -f -a " + quoted(words) + "\n";
    for (const OptionRow *option : optionsOf(name)) {
      const bool shortName = llvm::StringRef(option->name).size() == 1;
      const std::string help = " -d " + quoted(helpOf(*option, name));
      if (llvm::StringRef letter = letterOf(option->name); !letter.empty())
        text += line + " -s " + letter.str() + help + "\n";
      text += line + (shortName ? " -s " : " -l ") + option->name + help;
      if (std::string words = valueWords(*option, patterns); !words.empty())
        text += " -x -a " + quoted(words);
      else if (option->form != OptionForm::Switch)
        text += " -r";
      text += "\n";
    }
    text += line + " -l help -d 'the options of the command'\n";
  }
  return text;
}

} // namespace

std::string helpText() {
  std::string text = "ptosync: " + std::string(kTitle) + "\n\n" + kExamples;
  llvm::StringRef group;
  for (const CommandRow &row : commandRows()) {
    if (group != row.group)
      text += "\n" + std::string(row.group) + ":\n";
    group = row.group;
    text += entry(commandName(row), row.summary);
  }
  text += entry("help COMMAND", "the same as COMMAND --help") + entry("version", kAnswers[1].help);
  text += "\nin the place of a command:\n";
  for (const AnswerRow &answer : kAnswers)
    text += entry(spelling(answer.name, answer.value), answer.help);
  return text + "\nexit codes: " + kExitCodes;
}

std::string helpText(llvm::StringRef command, HelpLength length) {
  const std::vector<const CommandRow *> rows = rowsNamed(command);
  std::string text;
  for (const CommandRow *row : rows)
    text += "ptosync " + commandName(*row) + ": " + row->summary + "\n";
  for (const CommandRow *row : rows)
    text += (row == rows.front() ? "\nusage: " : "       ") + usageOf(*row) + "\n";
  text += "\nexamples:\n" + indented(rows.front()->examples);
  llvm::StringRef group;
  std::string left;
  for (const OptionRow *option : optionsOf(command)) {
    if (length == HelpLength::Short && !isEveryday(*option, *rows.front())) {
      left += (left.empty() ? "" : " ") + withDashes(option->name);
      continue;
    }
    if (group != option->group)
      text += (group.empty() || length == HelpLength::All ? "\n" : "") + std::string(option->group) + ":\n";
    group = option->group;
    const std::string help = helpOf(*option, command); // in short: its first clause
    text += entry(spellings(*option), length == HelpLength::Short ? llvm::StringRef(help).split("; ").first : help);
  }
  text += "\n";
  if (!left.empty())
    text += wrapped("--help=all explains ", left, 2);
  return text + wrapped("exit codes: ", rows.front()->exits, 2);
}

std::string manPage() {
  std::string text = ".TH PTOSYNC 1 \"\" \"ptosync " + std::string(toolVersion()) + "\" \"User Commands\"\n.SH NAME\n" +
                     "ptosync \\- " + roff(kTitle) + "\n.SH SYNOPSIS\n.nf\n" + roff(kExamples) +
                     ".fi\n.SH EXIT STATUS\n" + roff(kExitCodes) + ".SH COMMANDS\n";
  for (const std::string &name : commandNames()) {
    text += ".SS " + roff(name) + "\n";
    for (const CommandRow *row : rowsNamed(name))
      text += roff(row->summary) + "\n.PP\n.B " + roff(usageOf(*row)) + "\n.PP\n";
    text += ".nf\n" + roff(rowsNamed(name).front()->examples) +
            ".fi\n.PP\nExit codes: " + roff(rowsNamed(name).front()->exits) + "\n";
    for (const OptionRow *option : optionsOf(name))
      text += ".TP\n.B " + roff(spellings(*option)) + "\n" + roff(helpOf(*option, name)) + "\n";
  }
  text += ".SH IN THE PLACE OF A COMMAND\n";
  for (const AnswerRow &answer : kAnswers)
    text += ".TP\n.B " + roff(spelling(answer.name, answer.value)) + "\n" + roff(answer.help) + "\n";
  return text + ".SH FINDINGS\n.nf\n" + roff(listFindings()) + ".fi\n";
}

std::string completion(llvm::StringRef shell) {
  return shell == "bash"   ? bashCompletion()
         : shell == "zsh"  ? zshCompletion()
         : shell == "fish" ? fishCompletion()
                           : "";
}

std::string versionText() {
  std::string text = "ptosync " + std::string(toolVersion()) + "\n";
  for (const char *arch : {"a3", "a5"}) {
    llvm::Expected<Machine> machine = Machine::builtIn(arch);
    text += "  machine model " + std::string(arch) + ": ";
    text += machine ? machine->library() : "not readable: " + llvm::toString(machine.takeError());
    text += "\n";
  }
  return text + "  report schema " + std::to_string(kJsonReportSchema) + ", LLVM " LLVM_VERSION_STRING "\n";
}

} // namespace ptosync
