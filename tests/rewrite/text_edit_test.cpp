#include "rewrite/text_edit.h"
#include "support/applied_diff.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
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

namespace {

using Lines = std::vector<std::uint32_t>;

/// Length of a longest common subsequence, by the textbook table.
std::size_t commonLength(const Lines &before, const Lines &after) {
  std::vector<std::vector<std::size_t>> table(before.size() + 1, std::vector<std::size_t>(after.size() + 1));
  for (std::size_t i = 1; i <= before.size(); ++i)
    for (std::size_t j = 1; j <= after.size(); ++j)
      table[i][j] =
          before[i - 1] == after[j - 1] ? table[i - 1][j - 1] + 1 : std::max(table[i - 1][j], table[i][j - 1]);
  return table[before.size()][after.size()];
}

Lines unmarked(const Lines &lines, const std::vector<bool> &marks) {
  Lines result;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!marks[i])
      result.push_back(lines[i]);
  return result;
}

void checkShortest(const Lines &before, const Lines &after) {
  ChangedLines changed = matchLines(before, after);
  INFO(Catch::Detail::stringify(before) << " against " << Catch::Detail::stringify(after));
  Lines kept = unmarked(before, changed.removed);
  REQUIRE(kept == unmarked(after, changed.added));
  REQUIRE(kept.size() == commonLength(before, after));
}

} // namespace

TEST_CASE("equal texts and empty texts") {
  checkShortest({}, {});
  checkShortest({1, 2, 3}, {1, 2, 3});
  checkShortest({}, {1, 2});
  checkShortest({1, 2}, {});
  checkShortest({1, 2, 3}, {4, 5, 6});
}

TEST_CASE("every pair of texts of up to four lines over two letters has a shortest script") {
  std::vector<Lines> texts = {{}};
  for (std::size_t i = 0; i < texts.size() && texts[i].size() < 4; ++i)
    for (std::uint32_t letter : {1u, 2u}) {
      Lines longer = texts[i];
      longer.push_back(letter);
      texts.push_back(std::move(longer));
    }
  for (const Lines &before : texts)
    for (const Lines &after : texts)
      checkShortest(before, after);
}

TEST_CASE("random texts have a shortest script") {
  std::mt19937 random(20);
  for (int round = 0; round < 4000; ++round) {
    auto letters = static_cast<std::uint32_t>(1 + random() % 8);
    Lines before(random() % 30), after(random() % 30);
    for (Lines *lines : {&before, &after})
      for (std::uint32_t &line : *lines)
        line = static_cast<std::uint32_t>(random() % letters);
    checkShortest(before, after);
  }
}

TEST_CASE("two large texts without a common line are matched in a moment") {
  Lines before(6000), after(6000);
  for (std::uint32_t i = 0; i < 6000; ++i)
    before[i] = i, after[i] = 10000 + i;
  ChangedLines changed = matchLines(before, after);
  CHECK(std::count(changed.removed.begin(), changed.removed.end(), true) == 6000);
  CHECK(std::count(changed.added.begin(), changed.added.end(), true) == 6000);
}

namespace {

std::string diff(const std::string &before, const std::string &after) {
  return unifiedDiff(SourceText("x", before), after, "x", "x");
}

} // namespace

TEST_CASE("equal texts have no diff") {
  CHECK(diff("a\nb\n", "a\nb\n") == "");
  CHECK(diff("", "") == "");
}

TEST_CASE("a changed line stands between three lines of context") {
  CHECK(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n") ==
        "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("changes six lines apart share a hunk, seven lines apart do not") {
  CHECK(diff("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n") ==
        "--- a/x\n+++ b/x\n@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
  CHECK(diff("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n") ==
        "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

TEST_CASE("a missing newline at the end is told on the side that lacks it") {
  CHECK(diff("a", "b") == "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
                          "\\ No newline at end of file\n");
  CHECK(diff("a", "a\n") == "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  CHECK(diff("a\nb", "A\nb") == "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n");
}

TEST_CASE("line ends are part of the line") {
  CHECK(diff("a\r\nb\r\n", "a\r\nc\r\n") == "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n");
  CHECK(diff("a\r\n", "a\n") == "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+a\n");
}

TEST_CASE("insertions, deletions and empty files") {
  CHECK(diff("", "a\n") == "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
  CHECK(diff("a\nb\n", "") == "--- a/x\n+++ b/x\n@@ -1,2 +0,0 @@\n-a\n-b\n");
  CHECK(diff("a\nb\n", "a\nn\nb\n") == "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n+n\n b\n");
}

TEST_CASE("names are relative and quoted as git quotes them") {
  auto names = [](std::string_view oldName, std::string_view newName) {
    std::string text = unifiedDiff(SourceText("x", "a\n"), "b\n", oldName, newName);
    return text.substr(0, text.find("\n@@"));
  };
  CHECK(names("/tmp/k.cpp", "./out/k.cpp") == "--- a/tmp/k.cpp\n+++ b/out/k.cpp");
  CHECK(names("my kernel.cpp", "a\"b\t.cpp") == "--- a/my kernel.cpp\t\n+++ \"b/a\\\"b\\011.cpp\"");
}

TEST_CASE("a diff of another text does not apply") {
  std::string text = diff("a\nb\nc\n", "a\nB\nc\n");
  CHECK(test::applyDiff("a\nb\nc\n", text) == "a\nB\nc\n");
  CHECK(test::applyDiff("a\nb\nc", "") == "a\nb\nc");
  for (const char *other : {"", "a\n", "a\nb\n", "a\nb\nc", "a\nb\r\nc\n", "b\nb\nc\n"})
    CHECK_THROWS(test::applyDiff(other, text));
}

TEST_CASE("every random diff turns the old text into the new one") {
  std::mt19937 random(7);
  const char *ends[] = {"\n", "\r\n"};
  for (int round = 0; round < 2000; ++round) {
    std::string texts[2];
    for (std::string &text : texts) {
      for (auto lines = random() % 40; lines > 0; --lines)
        text += std::string(1, static_cast<char>('a' + random() % 4)) + ends[random() % 8 == 0];
      if (random() % 3 == 0 && !text.empty())
        text.pop_back();
    }
    INFO(texts[0] << "\n=== against\n" << texts[1]);
    std::string text = diff(texts[0], texts[1]);
    REQUIRE(test::applyDiff(texts[0], text) == texts[1]);
  }
}
