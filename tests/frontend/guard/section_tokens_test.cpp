#include "frontend/guard/section_tokens.h"

#include <catch2/catch.hpp>

#include <string>

using namespace ptosync;

namespace {

bool sameFor(const std::string &before, const std::string &after, Section section) {
  return sameInSection(SourceText("k.cpp", before), SourceText("k.cpp", after), section);
}

/// A file in which `text` stands between the lines `open` and `#endif`, in front of code of both cores.
std::string within(const std::string &open, const std::string &text) {
  return "int a;\n" + open + "\n" + text + "\n#endif\nint b;\n";
}

} // namespace

TEST_CASE("section tokens: an edit in the other core's section is none", "[section_tokens]") {
  for (const char *open : {"#if defined(__DAV_VEC__)", "#ifdef __DAV_VEC__", "#  if defined __DAV_VEC__",
                           "#if defined( __DAV_VEC__ ) // vector"}) {
    CAPTURE(open);
    CHECK(sameFor(within(open, "f();\ng();"), within(open, "// f();\ng();"), Section::Cube));
    CHECK_FALSE(sameFor(within(open, "f();\ng();"), within(open, "// f();\ng();"), Section::Vec));
  }
  CHECK(sameFor(within("#ifdef __DAV_CUBE__", "f();"), within("#ifdef __DAV_CUBE__", ""), Section::Vec));
  CHECK(sameFor(within("#ifdef __DAV_VEC__", "#if N > 2\nf();\n#else\ng();\n#endif\nh();"),
                within("#ifdef __DAV_VEC__", "#if N > 2\n#else\ng();\n#endif\n"), Section::Cube));
}

TEST_CASE("section tokens: comments and lines alone are no difference", "[section_tokens]") {
  CHECK(sameFor("int a;\nint b;\n", "int a; // one\n\n\n/* two */ int b;\n", Section::Cube));
  CHECK_FALSE(sameFor("int a;\nint b;\n", "int a;\n", Section::Cube));
  CHECK_FALSE(sameFor("int ab;\n", "int a b;\n", Section::Cube));
  CHECK_FALSE(sameFor("#define F(x) 1\n", "#define F (x) 1\n", Section::Cube));
}

TEST_CASE("section tokens: what may be read for the section counts", "[section_tokens]") {
  // Any other condition, and every other arm of the one.
  for (const char *open : {"#if defined(__DAV_VEC__) || N", "#if !defined(__DAV_VEC__)", "#ifndef __DAV_VEC__", "#if N",
                           "#if defined(__DAV_CUBE__)", "#ifdef __DAV_VEC__\n#else", "#ifdef __DAV_VEC__\n#elif N",
                           "#ifdef __DAV_VEC__\nx();\n#elifdef N"}) {
    CAPTURE(open);
    CHECK_FALSE(sameFor(within(open, "f();"), within(open, ""), Section::Cube));
  }
  // The condition itself: with another one the text is read.
  CHECK_FALSE(sameFor(within("#ifdef __DAV_VEC__", "f();"), within("#ifdef __DAV_CUBE__", "f();"), Section::Cube));
  // Behind the group that is skipped.
  CHECK_FALSE(sameFor(within("#ifdef __DAV_VEC__", "f();\n#endif\ng();\n#if N"),
                      within("#ifdef __DAV_VEC__", "f();\n#endif\n#if N"), Section::Cube));
  // A directive in a string or a comment opens nothing.
  CHECK_FALSE(sameFor("/*\n#ifdef __DAV_VEC__\n*/\nf();\n/*\n#endif\n*/", "/*\n#ifdef __DAV_VEC__\n*/\n/*\n#endif\n*/",
                      Section::Cube));
  CHECK_FALSE(sameFor("auto s = R\"(\n#ifdef __DAV_VEC__\n)\";\nf();\nauto t = R\"(\n#endif\n)\";\n",
                      "auto s = R\"(\n#ifdef __DAV_VEC__\n)\";\nauto t = R\"(\n#endif\n)\";\n", Section::Cube));
}

TEST_CASE("section tokens: what cannot be told is not the same", "[section_tokens]") {
  std::string inside = within("#ifdef __DAV_VEC__", "f();");
  CHECK(sameFor(inside, inside, Section::Cube));
  for (const char *front : {"#define __DAV_VEC__ 1\n", "#undef __DAV_CUBE__\n", "int n = __LINE__;\n", "#endif\n",
                            "#if N\n", "int \\\nn;\n"}) {
    CAPTURE(front);
    CHECK_FALSE(sameFor(front + inside, front + inside, Section::Cube));
  }
  CHECK_FALSE(sameFor("in\\\nt a;\n", "in\\\nt a;\n", Section::Cube)); // a token that is spelled over two lines
}
