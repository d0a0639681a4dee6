#include "frontend/guard/file_shape.h"
#include "frontend/lifted.h"
#include <catch2/catch.hpp>
#include <string>

using namespace ptosync;
using namespace ptosync::test;

namespace {

bool same(const std::string &before, const std::string &after, const std::string &helpers = "") {
  FrontendOptions options = frontendOptions(machineOf("a3"));
  auto shape = [&](const std::string &body) {
    return llvm::cantFail(fileShape(SourceText("kernel.cpp", kernelText(body, helpers)), Section::Vec, options));
  };
  return differingFunctions(shape(before), shape(after)).empty();
}

} // namespace

TEST_CASE("syncs and empty statements are no part of the shape") {
  CHECK(same("TADD(); pipe_barrier(PIPE_V); TSUB();", "TADD(); /* removed */ TSUB();"));
  CHECK(same("if (n) pipe_barrier(PIPE_V); TSUB();", "if (n) /* removed */; TSUB();"));
  CHECK(same("set_flag(PIPE_V, PIPE_S, EVENT_ID0); TADD();", "TADD(); set_flag(PIPE_V, PIPE_S, EVENT_ID0);"));
}

TEST_CASE("a branch on variables and numbers that holds syncs alone is no part of it") {
  const std::string loop = "for (int k = 0; k < 4; ++k) { TADD(); ", end = " }";
  for (const char *added :
       {"if (k == 3) { pipe_barrier(PIPE_V); }", "if (n < 8 && k != 0) { set_flag(PIPE_V, PIPE_S, EVENT_ID0); ; }",
        "if (k == 3) { if (n) { pipe_barrier(PIPE_V); } } else { }", "if (k == 3) { /* removed */ }"})
    CHECK(same(loop + end, loop + added + end));
  for (const char *added :
       {"if (k == 3) { TSUB(); }", "if (k == 3) { pipe_barrier(PIPE_V); TSUB(); }",
        "if (k == 3) { pipe_barrier(PIPE_V); } else { TSUB(); }", "if (k = 3) { pipe_barrier(PIPE_V); }",
        "if (k++ == 3) { pipe_barrier(PIPE_V); }", "if (f(k) == 3) { pipe_barrier(PIPE_V); }",
        "if (k / n == 3) { pipe_barrier(PIPE_V); }", "if (in[k] == 3) { pipe_barrier(PIPE_V); }",
        "if (v == 3) { pipe_barrier(PIPE_V); }", "if (int a = k; a == 3) { pipe_barrier(PIPE_V); }",
        "if (int a = k) { pipe_barrier(PIPE_V); }", "if (k == 3) pipe_barrier(PIPE_V);",
        "while (k == 3) { pipe_barrier(PIPE_V); }"}) {
    CAPTURE(added);
    const std::string front = "volatile int v = n; ", helper = "AICORE int f(int &a) { return ++a; }\n";
    CHECK_FALSE(same(front + loop + end, front + loop + added + end, helper));
  }
}

TEST_CASE("what an edit makes govern something else is another shape") {
  CHECK_FALSE(same("if (n) pipe_barrier(PIPE_V); TSUB();", "if (n) TSUB();"));
  CHECK_FALSE(
      same("if constexpr (sizeof(int) == 4) pipe_barrier(PIPE_V); TSUB();", "if constexpr (sizeof(int) == 4) TSUB();"));
  CHECK_FALSE(same("[[likely]] pipe_barrier(PIPE_V); TSUB();", "[[likely]] TSUB();"));
  CHECK_FALSE(same("int a = ({ TADD(); 3; pipe_barrier(PIPE_V); 4; });", "int a = ({ TADD(); 3; 5; });"));
  CHECK_FALSE(same("SHOW(n + 1);", "SHOW(n - 1);"));
}

TEST_CASE("numbers and characters of every kind count") {
  CHECK_FALSE(same("float f = n * 3.0f;", "float f = n * 4.0f;"));
  CHECK_FALSE(same("int c = 'a';", "int c = 'b';"));
  CHECK_FALSE(same("bool b = true;", "bool b = false;"));
  CHECK_FALSE(same("int s = sizeof(int);", "int s = sizeof(float);"));
  CHECK(same("float f = n * 3.0f;", "float f = n * 3.0f; pipe_barrier(PIPE_V);"));
}

TEST_CASE("texts, template arguments, types of a function's own, labels and what stands around functions count") {
  const std::string helper = "AICORE void say(const char *) {}\ntemplate <int N> AICORE float get() { return N; }\n";
  CHECK_FALSE(same("say(\"one\");", "say(\"two\");", helper));
  CHECK_FALSE(same("float f = get<1>();", "float f = get<2>();", helper));
  CHECK_FALSE(same("using T = float; float f = (T) 1.5;", "using T = int; float f = (T) 1.5;"));
  CHECK_FALSE(same("enum { A = 1 }; float f = A;", "enum { A = 2 }; float f = A;"));
  CHECK_FALSE(same("struct S { float x = 1; } s;", "struct S { float x = 2; } s;"));
  CHECK_FALSE(same("static int s = 1; TADD(s);", "int s = 1; TADD(s);"));
  CHECK_FALSE(same("if (n) goto a; TADD(); a: TSUB(); b: TSUB();", "if (n) goto b; TADD(); a: TSUB(); b: TSUB();"));
  auto around = [](const std::string &front, const std::string &sync = "") {
    const std::string text = kernelText("TADD(); " + sync + " TSUB();", front);
    return llvm::cantFail(fileShape(SourceText("kernel.cpp", text), Section::Vec, frontendOptions(machineOf("a3"))));
  };
  const std::string sync = "pipe_barrier(PIPE_V);";
  for (const char *front :
       {"constexpr float kS = @;\n", "#define S @\n", "struct P { float x = @; };\n",
        "AICORE float f(float x = @) { return x; }\n", "struct P { float x; AICORE P() : x(@) {} };\n"}) {
    auto with = [&](const char *value) {
      std::string text = front;
      return text.replace(text.find('@'), 1, value);
    };
    CAPTURE(front);
    CHECK(around(with("1")) == around("// a remark\n\n" + with("1"), sync));
    CHECK(around(with("1")) != around(with("2")));
  }
  // The other core's text, and a lambda of the file, hold syncs as well.
  const std::string other = "#if defined(__DAV_CUBE__)\nAICORE void c() { @ }\n#endif\n",
                    lambda = "auto l = [] { @ };\n";
  for (const std::string &front : {other, lambda}) {
    auto with = [&](const std::string &text) {
      std::string whole = front;
      return whole.replace(whole.find('@'), 1, text);
    };
    CAPTURE(front);
    CHECK(around(with(sync)) == around(with("")));
  }
}

TEST_CASE("functions that no kernel runs and instances count") {
  FrontendOptions options = frontendOptions(machineOf("a3"));
  std::string text = std::string(kHead) + "template <int N> AICORE void f() { TADD(N); }\nvoid unused() { TSUB(); }\n"
                                          "extern \"C\" __global__ AICORE void k() { f<1>(); f<2>(); }\n";
  FileShape shape = llvm::cantFail(fileShape(SourceText("kernel.cpp", text), Section::Vec, options));
  CHECK(shape.size() >= 4);
}

TEST_CASE("lines that come or go change nothing below them") {
  const std::string line = "pipe_barrier(PIPE_V);\n";
  for (const std::string &below :
       {"auto f = [&]() { TADD(); }; f();", "struct { int a; } s; s.a = n; SHOW(s.a);",
        "enum { kOne = 1 }; SHOW(kOne);", "trace(__LINE__);", "TRACE();", "TRACED(__LINE__);"}) {
    CAPTURE(below);
    const std::string macros = "\n#define TRACE() trace(__LINE__)\n#define TRACED(line) trace(line)\n";
    const std::string helper = "AICORE void trace(int line) {}\n";
    CHECK(same(line + "TADD();\n" + macros + below, "TADD();\n" + macros + below, helper));
  }
  // What is computed with the number of a line is another kernel where that is another one.
  for (const std::string &below : {"SHOW(__LINE__);", "if (__LINE__ % 5 == 4) TADD();", "trace(__LINE__ + 1);"}) {
    CAPTURE(below);
    CHECK_FALSE(same(line + "TADD();\n" + below, "TADD();\n" + below, "AICORE void trace(int line) {}\n"));
  }
  CHECK_FALSE(same("auto f = [&]() { TADD(); };\nf();", "auto f = [&]() { TSUB(); };\nf();"));
}

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
