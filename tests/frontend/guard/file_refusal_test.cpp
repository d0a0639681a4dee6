#include "frontend/guard/file_refusal.h"
#include "frontend/lifted.h"
#include "frontend/tokens_of.h"
#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kWork = "AICORE inline int64_t work(int64_t n) { TADD(); return n; }\n";

std::string reasonOf(const std::string &body, const std::string &helpers = kWork) {
  const Module module = liftBody(body, helpers);
  const Kernel &kernel = kernelNamed(module, "k");
  return kernel.analysable ? "" : kernel.reason;
}

} // namespace

TEST_CASE("a bound that is computed when the kernel runs refuses the file, wherever the type stands") {
  const std::string expected = "line 5: the size of an array is computed when the kernel runs: what that runs is not "
                               "followed; make it a constant";
  CHECK(reasonOf("int64_t m = (int64_t) (float (*)[work(3)]) in;") == expected);
  CHECK(reasonOf("float (*p)[work(3)] = nullptr;") == expected);
  CHECK(reasonOf("SHOW((int64_t) (float (*)[work(3)]) in);") == expected);
  CHECK(reasonOf("int64_t m = sizeof(float[work(3)]);") == expected);
  CHECK(reasonOf("int64_t m = (int64_t) (__typeof__(float[work(3)]) *) in;") == expected);
  CHECK(reasonOf("typedef float row[n];") == expected);
}

TEST_CASE("a bound outside of the kernel's body refuses it too") {
  CHECK(reasonOf("helper();", kWork + "AICORE inline void helper(int64_t n = (int64_t) (float (*)[work(3)]) 0) {}\n")
            .find("line 4: the size of an array is computed") == 0);
}

TEST_CASE("bounds that the parser computes refuse nothing") {
  CHECK(reasonOf("constexpr int m = 3; float row[m * 2]; SHOW((int64_t) (float (*)[m]) in);") == "");
  CHECK(reasonOf("decltype(work(3)) m = 3; SHOW(m);") == "");
  CHECK(reasonOf("rows<3>(in);", "template <int m> AICORE inline void rows(__gm__ float *p) { float row[m]; }\n") ==
        "");
}

TEST_CASE("a second name for the linker refuses the file") {
  const std::string other =
      "line 3: other has another name for the linker, and the tool does not follow calls by that name";
  CHECK(reasonOf("TADD();", "extern \"C\" AICORE void other(int n) __asm__(\"k\");\n") == other);
  CHECK(reasonOf("TADD();", "#pragma redefine_extname other k\nextern \"C\" AICORE void other(int n);\n")
            .find("line 4: other has another name") == 0);
  CHECK(reasonOf("TADD();", "extern \"C\" AICORE void first() {}\n"
                            "extern \"C\" AICORE void other() __attribute__((alias(\"first\")));\n")
            .find("line 4: other has another name") == 0);
  CHECK(reasonOf("TADD();", "asm(\".set other, k\");\n") ==
        "line 3: the file has assembler text outside of functions, and the tool does not follow what that does");
}

TEST_CASE("a function that runs by itself refuses the file") {
  CHECK(reasonOf("TADD();", "__attribute__((constructor)) AICORE void first() {}\n") ==
        "line 3: first runs by itself before or after the kernels, and the tool does not follow when; take the "
        "attribute out");
  CHECK(reasonOf("TADD();", "AICORE void first() {}\n") == "");
}

TEST_CASE("a directive that no search by line finds refuses the file") {
  CHECK(reasonOf("%:ifdef FAST\nTSUB();\n%:endif\nTADD();")
            .find("line 5: a directive of the preprocessor is spelled in a way that is not followed") == 0);
  CHECK(reasonOf("#ifdef __DAV_VEC__\nTSUB();\n#endif\nTADD();") == "");
}

namespace {

const KnownMacros kAnyChip = knownMacros({{{"__CPU_SIM", std::nullopt}}}, {}, Section::Vec, true);

/// "PLACE under CONDITION", "PLACE names MACRO"; empty if every build has the same program.
std::string selectedIn(const std::string &text, const std::string &header = "", const KnownMacros &known = kAnyChip) {
  std::optional<SelectedText> found = selectedText({tokensOf(text), tokensOf(header, "own.h")}, known);
  if (!found)
    return "";
  return found->place + (found->condition.empty() ? " names " + found->macro : " under " + found->condition);
}

std::string underFast(const std::string &text, const std::string &other = "") {
  return "#ifdef FAST\n" + text + "\n#else\n" + other + "\n#endif\n";
}

} // namespace

TEST_CASE("what a condition selects is another program in another build, whatever it is") {
  for (const char *text : {"int a;",
                           "}",
                           "4096",
                           "inline",
                           "#define Q p",
                           "#undef Q",
                           "#define __gm__ float",
                           "#define __gm__(x)",
                           "#define AICORE static",
                           "#define double float",
                           "#include \"fast.h\"",
                           "#include <fast.h>",
                           "#include FAST_H",
                           "#import \"fast.h\"",
                           "#include_next <cstdint>",
                           "#include \"cstdint\"",
                           "#include \"pto/fast.h\"",
                           "#pragma once",
                           "#pragma pack(1)",
                           "#pragma GCC system_header",
                           "_Pragma(\"pack(1)\")",
                           "#line 3",
                           "#define __gm__ in\\\nline",
                           "operator+",
                           "\"a\"",
                           "void top(float *p) { kern<<<1, nullptr, nullptr>>>(p); }"}) {
    INFO(text);
    CHECK(selectedIn("int b;\n" + underFast(text)) == "line 3 under line 2");
    CHECK(selectedIn(underFast("", text)) == "line 4 under line 1");
    CHECK(selectedIn("", underFast(text)) == "own.h:2 under own.h:1");
  }
}

TEST_CASE("what says nothing of the program, or the same, is no other") {
  for (const char *text : {"", "// #define Q p", "/* int a;\n } */", "#ifdef __DAV_VEC__\n#endif", "#error \"slow\"",
                           "#warning", "#pragma GCC diagnostic push", "#pragma clang diagnostic ignored \"-Wall\"",
                           "#define __gm__", "#define __aicore__ [aicore]", "#define AICORE __aicor_ inline",
                           "#undef __global__", "#include <cstdint>", "#include \"pto/pto-inst.hpp\"", "#"}) {
    INFO(text);
    CHECK(selectedIn(underFast(text) + "void k() {}\n") == "");
  }
  CHECK(selectedIn("void k() {}\n", "#ifndef OWN_H\n#define OWN_H\nint a;\n#endif\n") == "");
  CHECK(selectedIn("#ifdef __DAV_VEC__\nint a;\n#endif\n") == "");
}

TEST_CASE("a default is another program where anything may use it") {
  const std::string text = "#ifndef Q\n#define Q p\n#endif\n";
  CHECK(selectedIn(text + "void k() { f(\"Q\", q); } // Q\n") == "");
  CHECK(selectedIn(text, "void k();\n") == "");
  for (const char *use : {"void k() { f(Q); }\n", "#define R (Q)\n", "#if Q\n#endif\n", "#define CAT(a, b) a##b\n",
                          "#define CAT(a, b) a %:%: b\n", "void k() { f(\\u00e9); }\n", "void k() { f(Q\\\n); }\n"}) {
    INFO(use);
    CHECK(selectedIn(text + use) == "line 2 under line 1");
    CHECK(selectedIn(text, use) == "line 2 under line 1");
  }
  CHECK(selectedIn("#ifndef Q\n#define R p\n#endif\n") == "line 2 under line 1");
  CHECK(selectedIn("#ifdef Q\n#define Q p\n#endif\n") == "line 2 under line 1");
  CHECK(selectedIn("#ifndef Q\n#define Q p\n#define R\n#endif\n") == "line 2 under line 1");
}

TEST_CASE("the condition is the inner one, and what stands behind it is none of its text") {
  CHECK(selectedIn("#ifdef A\n#ifdef B\nint a;\n#endif\nint b;\n#endif\n") == "line 3 under line 2");
  CHECK(selectedIn("#ifdef A\n#ifdef B\n#endif\nint b;\n#endif\n") == "line 4 under line 1");
  CHECK(selectedIn("#ifdef A\n#endif\nint b;\n") == "");
  CHECK(selectedIn("#ifdef A\n#define Q \\\n  p\n#endif\n") == "line 2 under line 1");
}

TEST_CASE("conditions that do not nest select everything") {
  CHECK(selectedIn("int a;\n#endif\n") == "line 1 under line 1");
}

TEST_CASE("a simulator's build is none, unless the text decides what is one") {
  const std::string text = "#if !defined(__CPU_SIM)\n#define Q p\n#endif\n";
  CHECK(selectedIn(text) == "");
  CHECK(selectedIn("#define __CPU_SIM\n" + text) == "line 3 under line 2");
  CHECK(selectedIn(text, "#undef __CPU_SIM\n") == "line 2 under line 1");
}

TEST_CASE("a macro of several values makes several programs of a text wherever it is named") {
  const KnownMacros two =
      knownMacros({{{"CHIP", "1"}, {"EACH", "7"}}, {{"CHIP", "2"}, {"EACH", "7"}}}, {}, Section::Vec, true);
  CHECK(selectedIn("int a = CHIP;\n", "", two) == "line 1 names CHIP");
  CHECK(selectedIn("", "#define WIDTH (CHIP * 8)\n", two) == "own.h:1 names CHIP");
  CHECK(selectedIn("int a = EACH; // CHIP\n", "", two) == "");
  CHECK(selectedIn("#if CHIP > 0\nint a;\n#endif\n", "", two) == "");
  CHECK(selectedIn("#if CHIP > 1\nint a;\n#endif\n", "", two) == "line 2 under line 1");
  CHECK(selectedIn("#if CHIP > 1\n#endif\n", "", two) == "");
}

TEST_CASE("the macro that is to be said is the first that a condition asks for") {
  auto asked = [](const std::string &text) { return selectedText({tokensOf(text)}, kAnyChip)->macro; };
  CHECK(asked("#if defined(__DAV_VEC__) && defined(FAST) // SLOW\nint a;\n#endif\n") == "FAST");
  CHECK(asked("#ifndef SLOW\nint a;\n#endif\n") == "SLOW");
}

TEST_CASE("a weak function refuses the file if it has a body") {
  CHECK(reasonOf("TADD();", "__attribute__((weak)) AICORE void other() {}\n") ==
        "line 3: other is weak, so the linker may put another body in its place; take the attribute out");
  CHECK(reasonOf("TADD();", "extern \"C\" __attribute__((weak)) void other();\n") == "");
}

TEST_CASE("a template that a name of the library chooses refuses the file") {
  const std::string expected = "line 4: which template is meant depends on a name of the library, and the built-in "
                               "declarations do not have all of them; give the library's headers (--pto-include)";
  auto with = [](const std::string &second, const std::string &first = "") {
    return reasonOf("TADD();", first + "\n" + second + "\n");
  };
  const std::string any = "template <class X, class = void> struct Has { static constexpr int v = 0; };";
  CHECK(with("template <class X> struct Has<X, decltype((void)X::Rows)> { static constexpr int v = 1; };", any) ==
        expected);
  CHECK(with("template <class X> struct Has<X, typename X::Element> {};", any) == expected);
  CHECK(with("template <class X> AICORE auto of(int) -> decltype(TADD(X())) {}",
             "template <class X> AICORE int of(long) { return 0; }") == expected);
  // One alone is meant, or nothing decides about the two but the file's own types.
  CHECK(with("template <class X> AICORE auto of(int) -> decltype(X::Rows) { return 0; }") == "");
  CHECK(with("template <class X> AICORE int of(X) { return X::Rows; }", "AICORE inline int of(int) { return 1; }") ==
        "");
  CHECK(with("template <class X> struct Has<X, int> {};", any) == "");
}
