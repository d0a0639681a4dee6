#include "frontend/guard/file_shape.h"
#include "frontend/lifted.h"

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
