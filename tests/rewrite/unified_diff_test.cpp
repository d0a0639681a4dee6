#include "rewrite/unified_diff.h"
#include "support/applied_diff.h"

#include <catch2/catch.hpp>

#include <random>
#include <string>

using namespace ptosync;

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
