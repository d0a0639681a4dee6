// What a condition selects that nobody answers here (conditionals.h), seen from the text around it.
//
//   a macro, function, class or constant that such text defines    is another thing in another build, wherever else it
//                                                                  is used
//   an include in such text                                        brings another text
//   a function that such text names, itself or by a macro          may be run by it
//
// Goes by words, since the parser sees one build: a word that stands where a declaration has its name counts as
// declared, the words of macros count where the macro is named, and what `##` or the end of a line puts together may be
// any word. So it finds too much and not too little, but for text that is in no file here. A macro whose definitions
// hold qualifiers alone (`inline`, `[aicore]`) is the same in every build. A build for a simulator on the host is none.
// Only src/frontend may include this header. Tested by tests/frontend/selected_text_test.cpp.
#pragma once

#include "frontend/conditionals.h"

#include <llvm/ADT/StringRef.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

/// Text from a foreign condition to its `#endif`.
struct ForeignText {
  std::size_t file = 0;
  ForeignRegion lines;
  std::string place;           // of its condition: "line 7", "helper.h:7"
  std::set<std::string> words; // identifiers in it and in the macros it names
  std::set<std::string> calls; // of them: in front of `(`, which no launch is
  bool anyWord = false;        // and any other: some are put together

  bool names(llvm::StringRef word) const { return anyWord || words.count(word.str()) != 0; }
  bool mayCall(llvm::StringRef word) const { return anyWord || calls.count(word.str()) != 0; }
};

/// Why a file is another in another build, and where that is decided.
struct SelectedUse {
  std::string place; // "line 7", "helper.h:7"
  std::string why;
};

class SelectedText {
public:
  /// `files`: of one kernel, each with its name; the first is the main file.
  SelectedText(const std::vector<SourceText> &files, KnownMacros known);

  const std::vector<ForeignText> &foreign() const { return regions; }
  /// The first place outside of such text that another build changes; empty if there is none.
  const std::optional<SelectedUse> &use() const { return found; }

private:
  friend class SelectionReader;
  struct Macro {
    std::set<std::string> words;
    std::set<std::string> calls;
    std::set<std::string> declared; // of the words: where a declaration has its name
    bool pastes = false;
  };
  struct Use {
    std::size_t file = 0;
    std::uint32_t line = 0;
    std::string word;
  };
  void nameThroughMacros(ForeignText &text) const;
  void selectThroughMacros();
  bool isInside(const Use &use, std::size_t region) const;
  std::string placeOf(std::size_t file, std::uint32_t line) const;
  static std::string whyAnother(const Use &use, const ForeignText &choice);

  std::vector<std::string> fileNames;
  std::vector<ForeignText> regions;
  std::map<std::string, Macro> macros;
  std::multimap<std::string, std::size_t> selections; // of each word that is selected: the region
  std::vector<Use> uses;
  std::vector<Use> atScope; // in such text, outside of functions: a macro among them may declare something
  std::optional<SelectedUse> found;
};

} // namespace ptosync
