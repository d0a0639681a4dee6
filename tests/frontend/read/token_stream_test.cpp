#include "frontend/read/token_stream.h"
#include "frontend/tokens_of.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <random>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string spelled(const std::vector<SourceToken> &tokens) {
  std::string list;
  for (const SourceToken &token : tokens)
    list += (list.empty() ? "" : "|") + token.text.str();
  return list;
}

std::string tokensIn(const std::string &text) { return spelled(tokensOf(text).tokens()); }

/// What a scan that skips comments says of each token, in a line each.
std::string scannedWithoutComments(const std::string &text) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
  language.LineComment = language.Bool = true;
  clang::Lexer lexer(clang::SourceLocation::getFromRawEncoding(1), language, text.data(), text.data(),
                     text.data() + text.size());
  std::string list;
  for (bool atEnd = false; !atEnd;) {
    clang::Token token;
    atEnd = lexer.LexFromRawLexer(token);
    auto end = std::min<std::uint32_t>(lexer.getCurrentBufferOffset(), text.size());
    auto begin = end - std::min<std::uint32_t>(end, token.getLength());
    if (token.isNot(clang::tok::eof) && begin < end)
      list += std::to_string(begin) + "-" + std::to_string(end) + " " + std::to_string(token.getKind()) + " " +
              std::to_string(token.isAtStartOfLine()) + std::to_string(token.hasLeadingSpace()) +
              std::to_string(token.needsCleaning()) + "\n";
  }
  return list;
}

std::string described(const TokenStream &file) {
  std::string list;
  for (const SourceToken &token : file.tokens())
    list += std::to_string(token.begin) + "-" + std::to_string(token.end()) + " " + std::to_string(token.kind) + " " +
            std::to_string(token.startsLine) + std::to_string(token.apart) + std::to_string(token.parted) + "\n";
  return list;
}

} // namespace

TEST_CASE("tokens are as they are written, comments apart") {
  CHECK(tokensIn("#if A\nf(1, \"{ // \");\n#endif\n") == "#|if|A|f|(|1|,|\"{ // \"|)|;|#|endif");
  CHECK(tokensIn("a b c") == "a|b|c"); // the last one ends the text
  CHECK(tokensIn("") == "");
  CHECK(tokensIn("f('\"'); R\"x(; // )x\";") == "f|(|'\"'|)|;|R\"x(; // )x\"|;");
  CHECK(tokensIn("#define A /* b */ \"c d\" e(1.5f) // f\ng") == "#|define|A|\"c d\"|e|(|1.5f|)|g");
  const TokenStream file = tokensOf("a; // don't }\n/* b */ c;");
  CHECK(spelled(file.tokens()) == "a|;|c|;");
  CHECK(spelled(file.comments()) == "// don't }|/* b */");
}

TEST_CASE("a token knows its line, and whether it starts one") {
  std::string starts;
  const TokenStream file = tokensOf("a b\n/* c\n*/ d e\n\n  f \\\n g // h\ni");
  for (const SourceToken &token : file.tokens())
    starts += token.text.str() + std::to_string(token.line) + (token.startsLine ? "! " : " ");
  CHECK(starts == "a1! b1 d3! e3 f5! g6 i7! ");
}

TEST_CASE("a token knows what parts it, and whether it stands apart") {
  std::string words;
  const TokenStream file = tokensOf("a(b (c/**/d) lo\\\nng");
  for (const SourceToken &token : file.tokens())
    words += std::string(token.apart ? " " : "") + (token.parted ? "parted" : token.text.str());
  CHECK(words == "a(b (c d) parted");
}

TEST_CASE("brackets are matched kind by kind") {
  std::string pairs;
  const TokenStream file = tokensOf("f({a[1]}, \"(\" /* ) */); } g[ { ) } (");
  for (std::size_t at = 0; at < file.tokens().size(); ++at)
    if (const std::uint32_t partner = file.tokens()[at].partner; partner != SourceToken::kNoPartner && partner > at)
      pairs += file.tokens()[at].text.str() + std::to_string(at) + file.tokens()[partner].text.str() +
               std::to_string(partner) + " ";
  CHECK(pairs == "(1)10 {2}7 [4]6 {15}17 ");
}

TEST_CASE("blanked comments leave length, lines and strings") {
  CHECK(tokensOf("a /* b\nc */ d // e\nf(\"// g\");").withoutComments() == "a     \n     d     \nf(\"// g\");");
}

TEST_CASE("one scan with comments says of every token what a scan without them does") {
  std::vector<std::string> texts;
  for (const std::string &folder : corpusFolders())
    texts.push_back(readText(corpusPath(folder + "/kernel.cpp")));
  // Random texts of what may stand around a comment.
  static const char *const kPieces[] = {"/*", "*/", "//", "\n", " ", "\t", "\\\n", "\\ \n", "\r\n", "\r", "#",  "a",
                                        "(",  "\"", "'",  "/",  "*", "\f", "R\"(", ")\"",   "<%",   "%:", "1.", "%"};
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t length = random() % 14; length > 0; --length)
      text += kPieces[random() % std::size(kPieces)];
    texts.push_back(text);
  }
  for (const std::string &text : texts) {
    INFO(text);
    REQUIRE(described(tokensOf(text)) == scannedWithoutComments(text));
  }
}
