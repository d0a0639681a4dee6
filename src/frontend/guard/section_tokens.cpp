#include "frontend/guard/section_tokens.h"

#include "frontend/read/raw_tokens.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ptosync {
namespace {

struct TokenText {
  llvm::StringRef text;
  bool apart; // from what is in front of it: `#define F(x)` is not `#define F (x)`
  bool operator==(llvm::StringRef other) const { return text == other; }
  bool operator==(const TokenText &) const = default;
};

/// The tokens that count for a section, one after the other; nothing if that cannot be told.
class SectionTokens {
public:
  SectionTokens(const SourceText &source, Section section)
      : source(source), foreign(section == Section::Cube ? "__DAV_VEC__" : "__DAV_CUBE__") {}

  std::optional<std::vector<TokenText>> read() {
    forEachRawToken(source.text(), 0, Comments::Skipped,
                    [&](const clang::Token &token, std::uint32_t begin, std::uint32_t end) {
                      return take(token, llvm::StringRef(source.text()).slice(begin, end));
                    });
    finishDirective();
    if (!certain || !skips.empty())
      return std::nullopt;
    return std::move(tokens);
  }

private:
  /// False: it cannot be told.
  bool take(const clang::Token &token, llvm::StringRef text) {
    if (token.isAtStartOfLine())
      finishDirective();
    if (token.isAtStartOfLine() && token.is(clang::tok::hash)) {
      inDirective = true;
      return certain;
    }
    if (text == "__LINE__" || text == "__COUNTER__" || token.needsCleaning())
      return certain = false;
    if (inDirective)
      directive.push_back({text, token.hasLeadingSpace()});
    else
      keep({text, token.hasLeadingSpace() || token.isAtStartOfLine()});
    return certain;
  }

  void keep(const TokenText &word) {
    if (!skipped())
      tokens.push_back(word);
  }

  bool skipped() const { return std::find(skips.begin(), skips.end(), true) != skips.end(); }

  void finishDirective() {
    if (!inDirective)
      return;
    inDirective = false;
    std::vector<TokenText> words = std::exchange(directive, {});
    llvm::StringRef name = words.empty() ? llvm::StringRef() : words.front().text;
    bool opens = name == "if" || name == "ifdef" || name == "ifndef";
    if ((name == "define" || name == "undef") && words.size() > 1 &&
        (words[1] == "__DAV_CUBE__" || words[1] == "__DAV_VEC__"))
      certain = false;
    if (opens)
      skips.push_back(false);
    else if (skips.empty() && (name == "else" || name == "elif" || name == "endif"))
      certain = false;
    else if (name == "else" || name == "elif" || name == "elifdef" || name == "elifndef")
      skips.back() = false; // may be the arm that is read
    else if (name == "endif")
      skips.pop_back();
    keep({"#", true});
    for (const TokenText &word : words)
      keep(word);
    if (opens) // the directive itself counts
      skips.back() = asksForForeign(words);
  }

  bool asksForForeign(const std::vector<TokenText> &words) const {
    if (words.front() == "ifdef")
      return words.size() == 2 && words[1] == foreign;
    if (!(words.front() == "if") || words.size() < 3 || !(words[1] == "defined"))
      return false;
    return (words.size() == 3 && words[2] == foreign) ||
           (words.size() == 5 && words[2] == "(" && words[3] == foreign && words[4] == ")");
  }

  const SourceText &source;
  llvm::StringRef foreign;
  std::vector<TokenText> tokens;
  std::vector<bool> skips; // by open condition: the arm that the reader is in is not read for the section
  std::vector<TokenText> directive;
  bool inDirective = false, certain = true;
};

} // namespace

bool sameInSection(const SourceText &before, const SourceText &after, Section section) {
  std::optional<std::vector<TokenText>> was = SectionTokens(before, section).read();
  return was && was == SectionTokens(after, section).read();
}

} // namespace ptosync
