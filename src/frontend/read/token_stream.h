// The tokens of one file as they are written, before macros, conditions and keywords mean anything.
//
//   f("}"); // {      tokens    f ( "}" ) ;      comments   // {
//
// A file is scanned once, and whoever reads its text reads these tokens: directives of the tool, conditions of the
// preprocessor, launches, nesting. So a string or a comment is never mistaken for code, which is what a search for a
// character gets wrong. Each token knows its line, whether it starts one, and the bracket that it matches. Brackets are
// matched kind by kind, as if the others were not there, since a text need not be C++. `<` and `>` are not matched: a
// scan can't tell whether they are brackets.
//
// Only src/frontend may include this header. Tested by tests/frontend/read/token_stream_test.cpp.
#pragma once

#include "kernel/source.h"

#include <clang/Basic/TokenKinds.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ptosync {

/// A token or a comment.
struct SourceToken {
  static constexpr std::uint32_t kNoPartner = ~0u;

  llvm::StringRef text;                             // as written, with the line ends that part it
  std::uint32_t begin = 0;                          // byte
  std::uint32_t line = 0;                           // of that byte, from 1
  std::uint32_t partner = kNoPartner;               // of a bracket: the number of the token that it matches
  clang::tok::TokenKind kind = clang::tok::unknown; // a keyword is a raw_identifier
  bool startsLine = false;                          // only blanks and comments stand in front of it on its line
  bool apart = false;                               // a blank or a comment stands in front of it
  bool parted = false;                              // ends of lines stand inside of it

  std::uint32_t end() const { return begin + static_cast<std::uint32_t>(text.size()); }
  bool isIdentifier() const { return kind == clang::tok::raw_identifier; }
};

class TokenStream {
public:
  explicit TokenStream(SourceText source);

  const SourceText &source() const { return *file; }
  const std::vector<SourceToken> &tokens() const { return code; }
  const std::vector<SourceToken> &comments() const { return notes; }
  /// Returns the text with its comments blanked: as long, with the same lines.
  std::string withoutComments() const;

private:
  void scan();
  void matchBrackets();

  std::shared_ptr<const SourceText> file; // the tokens' texts are parts of it
  std::vector<SourceToken> code, notes;
};

} // namespace ptosync
