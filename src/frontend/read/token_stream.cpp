#include "frontend/read/token_stream.h"

#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace ptosync {

clang::LangOptions languageOfKernels() {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
  language.LineComment = language.Bool = true;
  return language;
}

void forEachRawToken(llvm::StringRef text, std::size_t from, Comments comments,
                     llvm::function_ref<bool(const clang::Token &, std::uint32_t, std::uint32_t)> visit) {
  clang::Lexer lexer(clang::SourceLocation::getFromRawEncoding(1), languageOfKernels(), text.begin(),
                     text.begin() + from, text.end());
  lexer.SetCommentRetentionState(comments == Comments::Visited);
  for (bool atEnd = false; !atEnd;) {
    clang::Token token;
    atEnd = lexer.LexFromRawLexer(token); // the last token of a text without a line end comes with it
    std::uint32_t end = std::min<std::uint32_t>(lexer.getCurrentBufferOffset(), text.size());
    std::uint32_t begin = end - std::min<std::uint32_t>(end, token.getLength());
    if (token.isNot(clang::tok::eof) && begin < end && !visit(token, begin, end))
      return;
  }
}

void forEachRawWord(llvm::StringRef text, llvm::function_ref<bool(llvm::StringRef)> visit) {
  forEachRawToken(text, 0, Comments::Skipped, [&](const clang::Token &, std::uint32_t begin, std::uint32_t end) {
    return visit(text.slice(begin, end));
  });
}

std::string withoutComments(llvm::StringRef text) {
  std::string plain = text.str();
  forEachRawToken(text, 0, Comments::Visited, [&](const clang::Token &token, std::uint32_t begin, std::uint32_t end) {
    if (token.is(clang::tok::comment))
      std::replace_if(plain.begin() + begin, plain.begin() + end, [](char c) { return c != '\n'; }, ' ');
    return true;
  });
  return plain;
}

} // namespace ptosync
