#include "rewrite/edit.h"

#include <catch2/catch.hpp>

#include <string>

using namespace ptosync;

namespace {

/// A site of the first occurrence of `statement` in the text.
SyncSite siteOf(const SourceText &source, const std::string &statement, const std::string &text) {
  SyncSite site;
  site.text = text;
  site.range.begin = static_cast<std::uint32_t>(source.text().find(statement));
  site.range.end = site.range.begin + static_cast<std::uint32_t>(statement.size());
  return site;
}

std::string apply(const SourceText &source, std::vector<Edit> edits) {
  llvm::Expected<std::string> result = applyEdits(source, std::move(edits));
  return result ? *result : "error: " + llvm::toString(result.takeError());
}

std::string removal(const std::string &code, const std::string &statement, const std::string &text,
                    const std::string &pattern = "final-div", bool needsStatement = false) {
  SourceText source("k.cpp", code);
  return apply(source, {removalEdit(source, siteOf(source, statement, text), pattern, needsStatement)});
}

} // namespace

TEST_CASE("edits apply in any order and keep every other byte") {
  SourceText source("k.cpp", "one\r\ntwo\xff\nthree");
  CHECK(apply(source, {}) == source.text());
  CHECK(apply(source, {{{10, 15}, "THREE"}, {{0, 3}, "1"}}) == "1\r\ntwo\xff\nTHREE");
  CHECK(apply(source, {{{3, 3}, "!"}}) == "one!\r\ntwo\xff\nthree");
  CHECK(apply(source, {{{15, 15}, "\n"}, {{0, 0}, "// head\n"}}) == "// head\none\r\ntwo\xff\nthree\n");
  CHECK(apply(source, {{{0, 3}, "a"}, {{3, 5}, "\n"}}) == "a\ntwo\xff\nthree");
}

TEST_CASE("edits that cannot both be right are errors that name the lines") {
  SourceText source("k.cpp", "one\ntwo\nthree\n");
  CHECK(apply(source, {{{4, 7}, "x"}, {{0, 5}, "y"}}) == "error: k.cpp: two edits overlap: lines 1-2 and line 2");
  CHECK(apply(source, {{{4, 7}, "x"}, {{4, 7}, "x"}}) == "error: k.cpp: two edits overlap: line 2 and line 2");
  CHECK(apply(source, {{{4, 4}, "x"}, {{4, 7}, "x"}}) == "error: k.cpp: two edits overlap: line 2 and line 2");
  CHECK(apply(source, {{{8, 99}, "x"}}) ==
        "error: k.cpp: edit of bytes [8, 99) reaches past the end of the text, line 4");
  CHECK(apply(source, {{{5, 4}, "x"}}) == "error: k.cpp: edit of bytes [5, 4) ends before it begins");
}

TEST_CASE("a removed statement leaves a comment with its text and pattern") {
  CHECK(removal("  pipe_barrier(PIPE_V);\n  TADD(a, b, c);\n", "pipe_barrier(PIPE_V);", "pipe_barrier(PIPE_V)") ==
        "  /* ptosync: removed pipe_barrier(PIPE_V) [final-div] */\n  TADD(a, b, c);\n");
  CHECK(removal("a; s(X); b;", "s(X);", "s(X)", "") == "a; /* ptosync: removed s(X) */ b;");
}

TEST_CASE("a removal where the grammar wants a statement leaves an empty one") {
  CHECK(removal("if (c) s(X);\nelse t();\n", "s(X);", "s(X)", "p", true) ==
        "if (c) /* ptosync: removed s(X) [p] */;\nelse t();\n");
}

TEST_CASE("a sole body leaves an empty statement without being told") {
  SourceText source("k.cpp", "while (c)\n  s(X);\n");
  SyncSite site = siteOf(source, "s(X);", "s(X)");
  site.soleBody = true;
  CHECK(apply(source, {removalEdit(source, site, "p")}) == "while (c)\n  /* ptosync: removed s(X) [p] */;\n");
}

TEST_CASE("a removal keeps the line count and the spelling of line ends") {
  CHECK(removal("x;\r\nset_flag(A,\r\n   B,\n C);\r\ny;\r\n", "set_flag(A,\r\n   B,\n C);", "set_flag(A,\r\n   B,\n C)",
                "p") == "x;\r\n/* ptosync: removed set_flag(A, B, C) [p] */\r\n\n\r\ny;\r\n");
  CHECK(removal("s(\n);", "s(\n);", "s(\n)", "p", true) == "/* ptosync: removed s( ) [p] */;\n");
}

TEST_CASE("nothing in the statement or the id ends the comment early or opens another") {
  CHECK(removal("s(X);", "s(X);", "s(/* why */ X)", "a*/b") == "/* ptosync: removed s(/ * why * / X) [a* /b] */");
  CHECK(removal("s(X);", "s(X);", "s(*/*\t\x01/)", "p") == "/* ptosync: removed s(* / * /) [p] */");
}
