#include "base/terminal.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("terminal: a text is painted only where that is wanted, and an empty one never") {
  CHECK(painted("error", Paint::Error, false) == "error");
  CHECK(painted("error", Paint::Error, true) == "\033[1;31merror\033[0m");
  CHECK(painted("", Paint::Error, true) == "");
}

TEST_CASE("terminal: a snippet points at the bytes that are meant") {
  CHECK(sourceSnippet(12, "  TADDS(b, a);", 2, 14, false) == "   12 |   TADDS(b, a);\n"
                                                             "      |   ^~~~~~~~~~~~\n");
  CHECK(sourceSnippet(7, "x", 0, 0, false) == "    7 | x\n      | ^\n"); // nothing: its place
  CHECK(sourceSnippet(7, "ab", 1, 99, false) == "    7 | ab\n      |  ^\n");
  CHECK(sourceSnippet(7, "ab", 99, 99, false) == "    7 | ab\n      |   ^\n"); // behind the line
  CHECK(sourceSnippet(1234567, "a", 0, 1, false) == "1234567 | a\n        | ^\n");
}

TEST_CASE("terminal: columns of a snippet are characters, and no control byte gets through") {
  CHECK(sourceSnippet(1, "/* \xC3\xA4\xC3\xB6 */ f();", 11, 14, false) == "    1 | /* \xC3\xA4\xC3\xB6 */ f();\n"
                                                                          "      |          ^~~\n");
  CHECK(sourceSnippet(1, "\tf(\033[2J);", 1, 3, false) == "    1 |  f( [2J);\n"
                                                          "      |  ^~\n");
}

TEST_CASE("terminal: a diff has the colours of git, and without them it is the diff") {
  const std::string diff = "--- a/k.cpp\n+++ b/k.cpp\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n";
  CHECK(paintedDiff(diff) == "\033[1m--- a/k.cpp\033[0m\n\033[1m+++ b/k.cpp\033[0m\n\033[36m@@ -1,2 +1,2 @@\033[0m\n"
                             " same\n\033[31m-old\033[0m\n\033[32m+new\033[0m\n");
  // A removed line that looks like a head is none.
  CHECK(paintedDiff("--- a/k\n+++ b/k\n@@ -1 +1 @@\n--- x\n+new\n").find("\033[31m--- x\033[0m") != std::string::npos);
  // The next file's head follows a change.
  CHECK(paintedDiff(diff + diff).rfind("\033[1m+++ b/k.cpp") > diff.size());
  CHECK(paintedDiff("") == "");
  CHECK(paintedDiff("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b") ==
        "\033[1m--- a\033[0m\n\033[1m+++ b\033[0m\n\033[36m@@ -1 +1 @@\033[0m\n\033[31m-a\033[0m\n\033[32m+b\033[0m");
}
