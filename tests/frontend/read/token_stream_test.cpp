#include "frontend/read/token_stream.h"
#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

std::string tokensOf(const std::string &text, std::size_t from = 0, Comments comments = Comments::Skipped) {
  std::string list;
  forEachRawToken(text, from, comments, [&](const clang::Token &, std::uint32_t begin, std::uint32_t end) {
    list += (list.empty() ? "" : "|") + text.substr(begin, end - begin);
    return true;
  });
  return list;
}

} // namespace

TEST_CASE("raw tokens: as they are written, from a byte on") {
  CHECK(tokensOf("#if A\nf(1, \"{ // \");\n#endif\n") == "#|if|A|f|(|1|,|\"{ // \"|)|;|#|endif");
  CHECK(tokensOf("a b c", 2) == "b|c"); // the last one ends the text
  CHECK(tokensOf("") == "");
  CHECK(tokensOf("f('\"'); R\"x(; // )x\";") == "f|(|'\"'|)|;|R\"x(; // )x\"|;");
}

TEST_CASE("raw tokens: comments where they are asked for") {
  const std::string text = "a; // don't }\n/* b */ c;";
  CHECK(tokensOf(text) == "a|;|c|;");
  CHECK(tokensOf(text, 0, Comments::Visited) == "a|;|// don't }|/* b */|c|;");
}

TEST_CASE("raw tokens: a walk that is told to stop stops") {
  std::size_t count = 0;
  forEachRawToken("a b c", 0, Comments::Skipped,
                  [&](const clang::Token &, std::uint32_t, std::uint32_t) { return ++count < 2; });
  CHECK(count == 2);
}

TEST_CASE("raw tokens: blanked comments leave length, lines and strings") {
  CHECK(withoutComments("a /* b\nc */ d // e\nf(\"// g\");") == "a     \n     d     \nf(\"// g\");");
}

TEST_CASE("the words of a text are its tokens as they are spelled, up to where the search ends") {
  std::string words;
  const std::string text = "#define A /* b */ \"c d\" e(1.5f) // f\ng";
  forEachRawWord(text, [&](llvm::StringRef word) {
    words += word.str() + "|";
    return word != "g";
  });
  CHECK(words == "#|define|A|\"c d\"|e|(|1.5f|)|g|");
  words.clear();
  forEachRawWord(text, [&](llvm::StringRef word) {
    words += word.str() + "|";
    return word != "A";
  });
  CHECK(words == "#|define|A|");
}
