#include "frontend/read/token_stream.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace ptosync {
namespace {

clang::LangOptions languageOfKernels() {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
  language.LineComment = language.Bool = true;
  return language;
}

} // namespace

TokenStream::TokenStream(SourceText source) : file(std::make_shared<const SourceText>(std::move(source))) {
  scan();
  matchBrackets();
}

void TokenStream::scan() {
  const llvm::StringRef text = file->text(); // the lexer wants a zero behind the text, and a std::string has one
  const clang::LangOptions language = languageOfKernels(); // the lexer keeps a reference
  clang::Lexer lexer(clang::SourceLocation::getFromRawEncoding(1), language, text.begin(), text.begin(), text.end());
  lexer.SetCommentRetentionState(true);
  std::uint32_t line = 1, counted = 0; // the line of byte `counted`
  bool behindComment = false;          // the comment in front of the token, and whether it starts its line
  bool commentStarts = false;
  for (bool atEnd = false; !atEnd;) {
    clang::Token lexed;
    atEnd = lexer.LexFromRawLexer(lexed); // the last token of a text without a line end comes with it
    const std::uint32_t end = std::min<std::uint32_t>(lexer.getCurrentBufferOffset(), text.size());
    const std::uint32_t begin = end - std::min<std::uint32_t>(end, lexed.getLength());
    if (lexed.is(clang::tok::eof) || begin == end)
      continue;
    line += static_cast<std::uint32_t>(std::count(text.begin() + counted, text.begin() + begin, '\n'));
    counted = begin;
    SourceToken token;
    token.text = text.slice(begin, end);
    token.begin = begin;
    token.line = line;
    token.kind = lexed.getKind();
    // Behind a comment a token stands as the comment does, unless a line ends between them.
    const bool onNewLine = lexed.isAtStartOfLine();
    token.startsLine = onNewLine || commentStarts;
    token.apart = lexed.hasLeadingSpace() || (behindComment && !onNewLine);
    token.parted = lexed.needsCleaning();
    behindComment = token.kind == clang::tok::comment;
    commentStarts = behindComment && token.startsLine;
    (behindComment ? notes : code).push_back(token);
  }
}

void TokenStream::matchBrackets() {
  std::vector<std::uint32_t> braces, parentheses, squares; // open ones
  auto match = [&](std::vector<std::uint32_t> &open, std::uint32_t at) {
    if (open.empty())
      return;
    code[at].partner = open.back();
    code[open.back()].partner = at;
    open.pop_back();
  };
  for (std::uint32_t at = 0; at < code.size(); ++at)
    switch (code[at].kind) {
    case clang::tok::l_brace: braces.push_back(at); break;
    case clang::tok::l_paren: parentheses.push_back(at); break;
    case clang::tok::l_square: squares.push_back(at); break;
    case clang::tok::r_brace: match(braces, at); break;
    case clang::tok::r_paren: match(parentheses, at); break;
    case clang::tok::r_square: match(squares, at); break;
    default: break;
    }
}

std::string TokenStream::withoutComments() const {
  std::string plain = file->text();
  for (const SourceToken &comment : notes)
    std::replace_if(
        plain.begin() + comment.begin, plain.begin() + comment.end(), [](char c) { return c != '\n'; }, ' ');
  return plain;
}

} // namespace ptosync
