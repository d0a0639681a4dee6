#include "frontend/selected_text.h"

#include "frontend/raw_tokens.h"
#include "frontend/served_headers.h"
#include "frontend/syntax_unit.h"
#include "kernel/walk.h"

#include <clang/Basic/IdentifierTable.h>
#include <llvm/ADT/STLExtras.h>

namespace ptosync {
namespace {

/// Whether these words stand in front of a function, or not, changes nothing that a kernel does.
constexpr llvm::StringLiteral kQualifyingWords[] = {"aicore",     "inline",     "static",        "extern",
                                                    "C",          "__inline__", "__attribute__", "always_inline",
                                                    "unused",     "__declspec", "__forceinline", "maybe_unused",
                                                    "visibility", "AICORE",     "__aicore__",    "__global__",
                                                    "__gm__"};

bool isQualifying(llvm::StringRef word) { return word == kAicoreMacro || llvm::is_contained(kQualifyingWords, word); }

struct SpelledWord {
  std::string text;
  bool isName = false;
  bool joined = false; // spelled over the end of a line
};

/// Finds the names that declarations have, word by word: outside of function bodies and lists of parameters.
class DeclaredNames {
public:
  /// Adds to `names`.
  void take(const SpelledWord &word, std::set<std::string> &names) {
    if (!insideFunction() && depth == 0 && before.isName && !isQualifying(before.text) &&
        llvm::is_contained({"(", "=", ";", "{", "[", ":", "<", ",", "}"}, word.text))
      names.insert(before.text);
    if (word.text == "(" || word.text == "[")
      ++depth;
    else if ((word.text == ")" || word.text == "]") && depth > 0)
      --depth;
    else if (word.text == "{")
      braces.push_back(sawParenthesis && !sawScope);
    else if (word.text == "}" && !braces.empty())
      braces.pop_back();
    sawScope |= llvm::is_contained({"namespace", "struct", "class", "union", "enum"}, word.text);
    sawParenthesis |= word.text == "(";
    if (depth == 0 && llvm::is_contained({";", "{", "}"}, word.text))
      sawScope = sawParenthesis = false;
    before = word;
  }
  bool insideFunction() const { return llvm::is_contained(braces, true); }

private:
  std::vector<bool> braces; // true: of a function
  int depth = 0;
  bool sawScope = false, sawParenthesis = false;
  SpelledWord before;
};

} // namespace

/// Reads one file into what the class keeps.
class SelectionReader {
public:
  SelectionReader(SelectedText &result, const SourceText &source, std::size_t file,
                  const std::vector<ForeignRegion> &foreign)
      : result(result), plain(source.name(), withoutComments(source.text())), file(file), first(result.regions.size()) {
    for (const ForeignRegion &lines : foreign) {
      ForeignText &text = result.regions.emplace_back();
      text.file = file;
      text.lines = lines;
      text.place = result.placeOf(file, lines.first);
    }
  }

  void read() {
    forEachRawToken(plain.text(), 0, Comments::Skipped,
                    [&](const clang::Token &token, std::uint32_t begin, std::uint32_t end) {
                      SpelledWord word{plain.text().substr(begin, end - begin), token.is(clang::tok::raw_identifier),
                                       token.needsCleaning()};
                      word.isName &= keywords.get(word.text).getTokenID() == clang::tok::identifier;
                      std::uint32_t at = plain.position(begin).line;
                      if (token.isAtStartOfLine() && !directive.empty())
                        endDirective();
                      if (directive.empty())
                        line = at;
                      if (!directive.empty() || (token.isAtStartOfLine() && word.text == "#"))
                        directive.push_back(word);
                      else
                        takeText(word);
                      note(word, at);
                      return true;
                    });
    if (!directive.empty())
      endDirective();
  }

private:
  /// What any region around the line names.
  void note(const SpelledWord &word, std::uint32_t at) {
    for (std::size_t region : around(at)) {
      ForeignText &text = result.regions[region];
      if (word.isName || word.joined)
        text.words.insert(word.text);
      text.anyWord |= word.joined;
      if (word.text == "(" && last.isName)
        text.calls.insert(last.text);
    }
    last = word;
  }

  void takeText(const SpelledWord &word) {
    std::set<std::string> names;
    declared.take(word, names);
    for (const std::string &name : names)
      select(name);
    if (word.isName)
      result.uses.push_back({file, line, word.text});
    if (word.isName && !declared.insideFunction() && !around(line).empty())
      result.atScope.push_back({file, line, word.text});
  }

  void endDirective() {
    std::vector<SpelledWord> words;
    words.swap(directive);
    llvm::StringRef kind = words.size() > 1 ? llvm::StringRef(words[1].text) : "";
    if (kind == "define" && words.size() > 2)
      define(words);
    else if (kind == "undef" && words.size() > 2)
      select(words[2].text);
    else if (kind.starts_with("include"))
      include(words);
    else if (kind.starts_with("if"))
      before.push_back(declared);
    else if (kind.starts_with("el") && !before.empty())
      declared = before.back();
    else if (kind == "endif" && !before.empty())
      before.pop_back();
  }

  void define(const std::vector<SpelledWord> &words) {
    SelectedText::Macro &macro = result.macros[words[2].text];
    DeclaredNames finder;
    bool qualifies = true;
    for (std::size_t i = 3; i < words.size(); ++i) {
      finder.take(words[i], macro.declared);
      macro.pastes |= words[i].text == "##" || words[i].joined;
      if (words[i].isName)
        macro.words.insert(words[i].text);
      if (words[i].text == "(" && words[i - 1].isName && i > 3)
        macro.calls.insert(words[i - 1].text);
      qualifies &= isQualifying(words[i].text) || llvm::StringRef("[](),\"C\"").contains(words[i].text);
    }
    finder.take({";"}, macro.declared);
    if (!qualifies)
      select(words[2].text);
  }

  void include(const std::vector<SpelledWord> &words) {
    for (std::size_t i = 2; i < words.size(); ++i)
      if (words[i].isName)
        result.uses.push_back({file, line, words[i].text});
    llvm::StringRef name = words.size() > 2 ? llvm::StringRef(words[2].text) : "";
    if (around(line).empty() || !name.consume_front("\"") || name.starts_with("pto/") || result.found)
      return;
    name = name.take_until([](char c) { return c == '"'; });
    if (!isHostHeader(name))
      result.found = SelectedUse{result.placeOf(file, line),
                                 "the preprocessor condition on " + result.regions[around(line).back()].place +
                                     " selects whether " + name.str() + " is included, which is not analysed"};
  }

  void select(const std::string &name) {
    for (std::size_t region : around(line))
      result.selections.insert({name, region});
  }

  std::vector<std::size_t> around(std::uint32_t at) const {
    std::vector<std::size_t> found;
    for (std::size_t i = first; i < result.regions.size() && result.regions[i].file == file; ++i)
      if (result.regions[i].lines.contains(at))
        found.push_back(i);
    return found;
  }

  SelectedText &result;
  const SourceText plain;
  std::size_t file, first;
  std::uint32_t line = 0; // of a directive: its first
  clang::IdentifierTable keywords{languageOfKernels()};
  SpelledWord last; // the one in front
  std::vector<SpelledWord> directive;
  DeclaredNames declared;
  std::vector<DeclaredNames> before; // of each open condition: its arms begin alike
};

SelectedText::SelectedText(const std::vector<SourceText> &files, KnownMacros known) {
  known.simulator = llvm::none_of(files, [](const SourceText &file) { return decidesSimulator(file.text()); });
  std::vector<std::vector<ForeignRegion>> foreign;
  for (const SourceText &file : files)
    foreign.push_back(foreignRegions(file, known));
  if (llvm::all_of(foreign, [](const auto &ofFile) { return ofFile.empty(); }))
    return;
  for (const SourceText &file : files)
    fileNames.push_back(file.name());
  for (std::size_t file = 0; file < files.size(); ++file)
    SelectionReader(*this, files[file], file, foreign[file]).read();
  for (ForeignText &text : regions)
    nameThroughMacros(text);
  selectThroughMacros();
  for (const Use &use : atScope)
    if (auto macro = macros.find(use.word); !found && macro != macros.end() && !macro->second.declared.empty())
      found =
          SelectedUse{placeOf(use.file, use.line), "the macro " + use.word + " declares something in one build only"};
  for (const Use &use : uses)
    for (auto [choice, end] = selections.equal_range(use.word); !found && choice != end; ++choice)
      if (!isInside(use, choice->second))
        found = SelectedUse{placeOf(use.file, use.line), whyAnother(use, regions[choice->second])};
}

void SelectedText::nameThroughMacros(ForeignText &text) const {
  Walk<std::string> walk;
  for (const std::string &word : text.words)
    walk.reach(word);
  while (std::optional<std::string> word = walk.next())
    if (auto macro = macros.find(*word); macro != macros.end()) {
      text.anyWord |= macro->second.pastes;
      for (const std::string &inner : macro->second.words)
        walk.reach(inner);
      text.words.insert(macro->second.words.begin(), macro->second.words.end());
      text.calls.insert(macro->second.calls.begin(), macro->second.calls.end());
    }
}

/// A macro that names a selected word is another one in another build as well.
void SelectedText::selectThroughMacros() {
  for (bool more = !selections.empty(); more;) {
    more = false;
    for (const auto &[name, macro] : macros) {
      if (selections.count(name))
        continue;
      for (const std::string &word : macro.words)
        if (auto choice = selections.find(word); choice != selections.end()) {
          selections.insert({name, choice->second});
          more = true;
          break;
        }
      if (macro.pastes && !selections.count(name)) {
        selections.insert({name, selections.begin()->second});
        more = true;
      }
    }
  }
}

bool SelectedText::isInside(const Use &use, std::size_t region) const {
  const ForeignText &text = regions[region];
  return use.file == text.file && text.lines.contains(use.line);
}

std::string SelectedText::placeOf(std::size_t file, std::uint32_t line) const {
  return (file == 0 ? "line " : fileNames[file] + ":") + std::to_string(line);
}

std::string SelectedText::whyAnother(const Use &use, const ForeignText &choice) {
  return "what " + use.word + " stands for is decided by the preprocessor condition on " + choice.place +
         ", which is not analysed";
}

} // namespace ptosync
