// The table of options, row by row: whatever it has is in every page, and no command takes what it has not.
#include "tool/option_table.h"

#include "tool/process.h"

#include <catch2/catch.hpp>
#include <llvm/ADT/SmallVector.h>

#include <algorithm>
#include <set>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string dashed(const OptionRow &row) {
  return (std::string(row.name).size() == 1 ? "-" : "--") + std::string(row.name);
}

/// The words of a command line with everything that the command needs.
std::vector<std::string> commandLine(const CommandRow &row) {
  std::vector<std::string> words = {row.name};
  if (*row.verb)
    words.emplace_back(row.verb);
  words.insert(words.end(), row.least, "k.cpp");
  return words;
}

/// The option with a value that it takes.
std::vector<std::string> given(const OptionRow &row) {
  if (row.form == OptionForm::Switch)
    return {dashed(row)};
  return {dashed(row), row.form == OptionForm::Word ? wordsOf(row).front() : "1"};
}

std::string refusal(const std::vector<std::string> &words) {
  llvm::Expected<GivenOptions> read = readArguments(words);
  return read ? "" : llvm::toString(read.takeError());
}

std::vector<const OptionRow *> optionsOf(Command command) {
  std::vector<const OptionRow *> options;
  for (const OptionRow &row : optionRows())
    if (row.commands & bitOf(command))
      options.push_back(&row);
  return options;
}

/// The part of a page from `begin` to the next line that `end` begins.
std::string partOf(const std::string &page, const std::string &begin, const std::string &end) {
  std::size_t at = page.find(begin);
  REQUIRE(at != std::string::npos);
  return page.substr(at, page.find(end, at + begin.size()) - at);
}

std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2)
    text.replace(at, 1, "\\-");
  return text;
}

} // namespace

TEST_CASE("option table: a command has an option once, and every option has a command and a help text", "[tool]") {
  for (const CommandRow &command : commandRows()) {
    std::set<std::string> names;
    for (const OptionRow *row : optionsOf(command.command)) {
      CAPTURE(commandName(command), row->name);
      CHECK(names.insert(row->name).second);
    }
  }
  CHECK(optionRows().size() > 50);
  for (const OptionRow &row : optionRows()) {
    CAPTURE(row.name);
    CHECK(row.commands != 0);
    CHECK(*row.help);
    CHECK((*row.value == 0) == (row.form == OptionForm::Switch));
  }
}

TEST_CASE("option table: every option is in help, manual page and the three completions", "[tool]") {
  const std::string man = manPage(), bash = completion("bash"), zsh = completion("zsh"), fish = completion("fish");
  std::string general = helpText();
  CHECK(completion("tcsh").empty());
  for (const CommandRow &command : commandRows()) {
    const std::string name = command.name, help = helpText(name, HelpLength::All);
    CHECK(contains(general, "  " + commandName(command) + " "));
    CHECK(contains(help, commandName(command) + ": " + command.summary));
    const std::string section = partOf(man, ".SS " + escaped(name) + "\n", ".S");
    const std::string bashOptions = partOf(bash, "  " + name + ") options=\"", "\n");
    const std::string zshOptions = partOf(zsh, "  " + name + ")\n", ";;");
    for (const OptionRow *row : optionsOf(command.command)) {
      const bool isShort = std::string(row->name).size() == 1;
      CAPTURE(name, row->name);
      const std::string letter = letterOf(row->name).str(), both = letter.empty() ? "  " : "  -" + letter + ", ";
      CHECK(contains(help, both + dashed(*row) + (row->form == OptionForm::Switch || isShort ? " " : "=")));
      CHECK(contains(section, ".B " + escaped((letter.empty() ? "" : "-" + letter + ", ") + dashed(*row))));
      CHECK(contains(bashOptions, dashed(*row) + (row->form == OptionForm::Switch || isShort ? " " : "= ")));
      CHECK(contains(zshOptions, dashed(*row) + (row->form == OptionForm::Switch ? "[" : isShort ? "+[" : "=[")));
      CHECK(contains(fish,
                     "__fish_seen_subcommand_from " + name + "'" + (isShort ? " -s " : " -l ") + row->name + " -d "));
      if (row->form != OptionForm::Word)
        continue;
      for (const std::string &word : wordsOf(*row)) {
        CHECK(contains(partOf(bash, "\"" + name + " " + dashed(*row) + "\")", "\n"), word));
        CHECK(contains(zshOptions, word));
      }
    }
  }
}

TEST_CASE("option table: help in short has at most 40 lines of 100 characters and names every option", "[tool]") {
  for (const CommandRow &command : commandRows()) {
    const std::string help = helpText(command.name, HelpLength::Short);
    CAPTURE(help);
    CHECK(linesOf(help).size() <= 40);
    for (const std::string &line : linesOf(help))
      CHECK(line.size() <= 100);
    for (const OptionRow *row : optionsOf(command.command))
      CHECK((contains(help, " " + dashed(*row) + " ") || contains(help, " " + dashed(*row) + "=") ||
             contains(help, " " + dashed(*row) + "\n")));
    CHECK(contains(help, "\nusage: ptosync "));
    CHECK(contains(help, "\nexamples:\n  ptosync " + std::string(command.name)));
    CHECK(contains(help, "\nexit codes: 0 "));
  }
  CHECK(linesOf(helpText()).size() <= 40);
}

TEST_CASE("option table: what --help shows every day are options, and the examples are taken as they stand", "[tool]") {
  for (const CommandRow &command : commandRows()) {
    CAPTURE(commandName(command));
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(command.everyday).split(names, ' ', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : names) {
      const std::vector<const OptionRow *> own = optionsOf(command.command);
      CHECK(std::any_of(own.begin(), own.end(), [&](const OptionRow *row) { return name == row->name; }));
    }
    for (const std::string &line : linesOf(command.examples)) {
      llvm::SmallVector<llvm::StringRef> words;
      llvm::StringRef(line).split('#').first.split(words, ' ', -1, /*KeepEmpty=*/false);
      CAPTURE(line);
      REQUIRE(words.front() == "ptosync");
      CHECK(refusal({words.begin() + 1, words.end()}).empty());
    }
  }
}

TEST_CASE("option table: a command takes its own options, and says whose the others are", "[tool]") {
  std::size_t refused = 0;
  for (const CommandRow &command : commandRows())
    for (const OptionRow &row : optionRows()) {
      std::vector<std::string> words = commandLine(command), option = given(row);
      words.insert(words.end(), option.begin(), option.end());
      CAPTURE(commandName(command), row.name);
      const std::vector<const OptionRow *> own = optionsOf(command.command);
      const bool has =
          std::any_of(own.begin(), own.end(), [&](const OptionRow *one) { return std::string(one->name) == row.name; });
      if (row.commands & bitOf(command.command)) {
        llvm::Expected<GivenOptions> read = readArguments(words);
        REQUIRE(bool(read));
        CHECK(read->command == command.command);
        CHECK(read->has(row.name));
        CHECK(read->operands.size() == command.least);
      } else if (!has) {
        ++refused;
        const std::string message = refusal(words);
        CHECK(contains(message, dashed(row)));
        CHECK(contains(message, " is an option of "));
        bool named = false;
        for (const CommandRow &owner : commandRows())
          named = named || ((row.commands & bitOf(owner.command)) && contains(message, commandName(owner)));
        CHECK(named);
      }
    }
  CHECK(refused > 300);
}

TEST_CASE("option table: messages name the command that has the option", "[tool]") {
  CHECK(refusal({"audit", "k.cpp", "--resync"}) == "audit: '--resync' is an option of opt (see ptosync audit --help)");
  CHECK(refusal({"opt", "k.cpp", "--rule=x=off"}) == "opt: '--rule' is an option of audit (see ptosync opt --help)");
  CHECK(refusal({"fix", "k.cpp", "--timing=t.json"}) ==
        "fix: '--timing' is an option of opt, sync, compare or timeline (see ptosync fix --help)");
  CHECK(refusal({"patterns", "show", "gu", "--arch=a3"}) == "patterns show: --arch is an option of patterns list");
  CHECK(refusal({"audit", "k.cpp", "--sevrity=note"}) ==
        "audit: unknown option '--sevrity'; did you mean '--severity'? (see ptosync audit --help)");
}

TEST_CASE("option table: values are taken as they stand", "[tool]") {
  GivenOptions read = llvm::cantFail(
      readArguments({"opt", "-Iinclude", "-DN=4", "-D", "M", "k.cpp", "--lines=1,2", "--lines", "3", "-o=-"}));
  CHECK(read.list("I") == std::vector<std::string>{"include"});
  CHECK(read.list("D") == std::vector<std::string>{"N=4", "M"});
  CHECK(read.list("lines") == std::vector<std::string>{"1", "2", "3"});
  CHECK(read.value("o") == "-");
  CHECK_FALSE(read.has("diff"));
  CHECK(read.operands == std::vector<std::string>{"k.cpp"});
  CHECK(llvm::cantFail(readArguments({"opt", "--dry-run", "--", "--diff"})).operands ==
        std::vector<std::string>{"--diff"});
  CHECK(refusal({"opt", "k.cpp", "--diff", "--diff"}) == "opt: --diff is given twice");
  CHECK(refusal({"opt", "k.cpp", "-o", "--diff"}) ==
        "opt: -o: expected a value, OUT.cpp, but '--diff' is an option (-o=VALUE takes any value)");
  CHECK(llvm::cantFail(readArguments({"opt", "k.cpp", "-q", "-v"})).has("quiet"));
  CHECK(llvm::cantFail(readArguments({"opt", "k.cpp", "-q", "-v"})).has("verbose"));
  CHECK(refusal({"opt", "k.cpp", "-q", "--quiet"}) == "opt: --quiet is given twice");
  CHECK(llvm::cantFail(readArguments({"opt", "--help"})).answer == helpText("opt", HelpLength::Short));
  CHECK(llvm::cantFail(readArguments({"opt", "k.cpp", "--help=all"})).answer == helpText("opt", HelpLength::All));
  CHECK(refusal({"opt", "--help=most"}) == "opt: --help=most: expected --help or --help=all");
  CHECK(llvm::cantFail(readArguments({"patch-vec-barriers", "a", "b", "--remove-vec-barriers="}))
            .has("remove-vec-barriers"));
}

TEST_CASE("option table: what stands in the place of a command is taken alone", "[tool]") {
  CHECK(llvm::cantFail(readArguments({"--help", "opt"})).answer == helpText("opt", HelpLength::Short));
  CHECK(llvm::cantFail(readArguments({"--help=all", "opt"})).answer == helpText("opt", HelpLength::All));
  CHECK(llvm::cantFail(readArguments({"help", "opt"})).answer == helpText("opt", HelpLength::Short));
  CHECK(llvm::cantFail(readArguments({"help"})).answer == helpText());
  CHECK(llvm::cantFail(readArguments({"version"})).answer == versionText());
  CHECK(refusal({"help", "op"}) == "help: no command 'op' (see ptosync help)");
  CHECK(refusal({"version", "x"}) == "'x': one argument too many behind version");
  CHECK(refusal({"--help", "opt", "k.cpp"}) == "'k.cpp': one argument too many behind --help");
  CHECK(refusal({"--version", "x"}) == "'x': one argument too many behind --version");
  CHECK(refusal({"--completion=bash", "x"}) == "'x': one argument too many behind --completion");
  CHECK(refusal({"--man-page=x"}) == "--man-page takes no value");
  CHECK(refusal({"--completionX=bash"}) == "unknown option '--completionX'; did you mean '--completion'?");
  CHECK(contains(refusal({"--completion"}), "--completion: expected --completion=bash"));
  CHECK(refusal({"patterns", "show", "gu", "extra"}) == "patterns show: 'extra': one argument too many, expected ID");
}

TEST_CASE("option table: the version says what a decision depends on", "[tool]") {
  CHECK(versionText().rfind("ptosync ", 0) == 0);
  CHECK(contains(versionText(), "machine model a5: pto-isa "));
  CHECK(contains(versionText(), "report schema "));
}
