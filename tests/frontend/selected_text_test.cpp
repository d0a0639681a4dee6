#include "frontend/selected_text.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

/// Place and reason of the first use of what a condition decides; empty if there is none.
std::string useIn(const std::string &text, const std::string &header = "", KnownMacros known = {}) {
  SelectedText selected({SourceText("k.cpp", text), SourceText("own.h", header)}, known);
  const std::optional<SelectedUse> &use = selected.use();
  return use ? use->place + ": " + use->why : "";
}

std::string decidedBy(const std::string &word, const std::string &place) {
  return "what " + word + " stands for is decided by the preprocessor condition on " + place +
         ", which is not analysed";
}

std::string underFast(const std::string &text, const std::string &other = "") {
  return "#ifdef FAST\n" + text + "\n#else\n" + other + "\n#endif\n";
}

bool foreignTextNames(const std::string &text, const std::string &word, const std::string &header = "") {
  SelectedText selected({SourceText("k.cpp", text), SourceText("own.h", header)}, {});
  for (const ForeignText &one : selected.foreign())
    if (one.names(word))
      return true;
  return false;
}

} // namespace

TEST_CASE("a macro that a condition selects is another wherever it is used") {
  CHECK(useIn(underFast("#define Q p", "#define Q q") + "void k() { f(Q); }\n") ==
        "line 6: " + decidedBy("Q", "line 1"));
  CHECK(useIn(underFast("#define Q p", "#define Q q") + "#define R (Q)\nvoid k() { f(R); }\n") ==
        "line 7: " + decidedBy("R", "line 1"));
  CHECK(useIn("#define Q p\n" + underFast("#undef Q") + "void k() { f(Q); }\n") ==
        "line 7: " + decidedBy("Q", "line 2"));
  CHECK(useIn("void k() { f(Q); }\n", underFast("#define Q p")) == "line 1: " + decidedBy("Q", "own.h:1"));
  CHECK(useIn(underFast("#define Q p") + "#define CAT(a, b) a##b\nvoid k() { f(CAT(Q, )); }\n") != "");
}

TEST_CASE("so is a function, a class, a constant or a type") {
  for (const char *text : {"constexpr int Q = 64;", "void Q(int a) {}", "struct Q {\n  int a;\n};", "using Q = float;",
                           "typedef int Q;", "template <int N> void Q() {}", "enum { A, Q };", "int Q[3];",
                           "namespace own {\nint Q;\n}", "extern \"C\" {\nint Q;\n}", "enum class Q : int { A };",
                           "extern \"C\" void Q(int a);", "template <> struct Q<3> {};"}) {
    INFO(text);
    CHECK(useIn(underFast(text) + "void k() { f(Q); }\n").find("what Q stands for") != std::string::npos);
    CHECK(useIn("void k() { f(Q); }\n", underFast(text)).find("what Q stands for") != std::string::npos);
  }
}

TEST_CASE("so is what a macro declares there, or an include brings") {
  CHECK(useIn("#define DECLARE int a\n" + underFast("DECLARE;")) ==
        "line 3: the macro DECLARE declares something in one build only");
  CHECK(useIn(underFast("#include \"fast.h\"", "#include \"slow.h\"")) ==
        "line 2: the preprocessor condition on line 1 selects whether fast.h is included, which is not analysed");
  CHECK(useIn(underFast("#include <cstdint>", "#include \"acl/acl.h\"") + underFast("#include \"pto/pto-inst.hpp\"")) ==
        "");
}

TEST_CASE("what stays in its region, or is the same in every build, is not") {
  CHECK(useIn(underFast("#define Q p\nvoid k() { f(Q); }")) == "");
  CHECK(useIn("void k() { f(Q); }\n") == "");
  CHECK(useIn(underFast("void probe(int a) { int Q = step(a); f(Q, Q); }") + "void k() { f(Q); step(3); }\n") == "");
  CHECK(useIn("void k() {\n" + underFast("  step(3); int Q = 3;") + "}\nvoid l() { step(3); f(Q); }\n") == "");
  CHECK(useIn("#ifndef __gm__\n#define __gm__\n#endif\n" + underFast("#define MARK [aicore]", "#define MARK inline") +
              "MARK void k(__gm__ float *a) {}\n") == "");
  CHECK(useIn("#ifdef __DAV_VEC__\n#define Q p\n#endif\nvoid k() { f(Q); }\n") == "");
  for (const char *text : {"__attribute__((unused)) int A;", "_Static_assert(3 > 2, \"\");", "alignas(32) int A;",
                           "__declspec(align(32)) int A;", "decltype(3) A() noexcept(true);"})
    CHECK(useIn(underFast(text) + "__attribute__((unused)) __declspec(align(32)) alignas(32) decltype(3) b;\n"
                                  "_Static_assert(sizeof(b) > 2, \"\");\nvoid k() noexcept(true) {}\n") == "");
}

TEST_CASE("a use in another region, or around an inner one, counts") {
  CHECK(useIn(underFast("#define Q p") + underFast("void k() { f(Q); }")) == "line 7: " + decidedBy("Q", "line 1"));
  CHECK(useIn("#ifdef A\n" + underFast("#define Q p") + "void k() { f(Q); }\n#endif\n") ==
        "line 7: " + decidedBy("Q", "line 2"));
}

TEST_CASE("arms that open a function each do not hide what is declared behind them") {
  CHECK(useIn(underFast("void k(int a) {", "void k(int b) {") + "}\n" + underFast("int Q;") + "void l() { f(Q); }\n")
            .find("what Q stands for") != std::string::npos);
}

TEST_CASE("a simulator's build is none, unless the text decides what is one") {
  const std::string text = "#if !defined(__CPU_SIM)\n#define Q p\n#endif\nvoid k() { f(Q); }\n";
  CHECK(useIn(text) == "");
  CHECK(useIn("#ifdef A\n#define __CPU_SIM\n#endif\n" + text) == "line 7: " + decidedBy("Q", "line 4"));
}

TEST_CASE("a region names its words and those of its macros, in any of the files") {
  CHECK(foreignTextNames(underFast("void top() { kern(3); }"), "kern"));
  CHECK_FALSE(foreignTextNames(underFast("void top() { kern(3); }"), "kernel"));
  CHECK_FALSE(foreignTextNames(underFast("// kern\nauto text = \"kern\";"), "kern"));
  CHECK(foreignTextNames("#define OUTER INNER\n#define INNER void top() { kern(3); }\n" + underFast("OUTER"), "kern"));
  CHECK(foreignTextNames(underFast("OUTER"), "kern", "#define OUTER void top() { kern(3); }\n"));
  CHECK(foreignTextNames("", "kern", underFast("void top() { kern(3); }")));
  CHECK_FALSE(foreignTextNames("#define OUTER kern\n" + underFast("void top() {}"), "kern"));
  CHECK(foreignTextNames("#define CAT(a, b) a##b\n" + underFast("CAT(ke, rn)();"), "kern"));
  CHECK(foreignTextNames(underFast("void top() { ke\\\nrn(3); }"), "kern"));
}

TEST_CASE("a name in front of a parenthesis is called, a launch calls nothing") {
  auto calls = [](const std::string &text) {
    SelectedText selected({SourceText("k.cpp", text)}, {});
    return selected.foreign().at(0).mayCall("kern");
  };
  CHECK(calls(underFast("void top(float *p) { kern(p, p); }")));
  CHECK(calls("#define CALL(a) kern(a)\n" + underFast("void top(float *p) { CALL(p); }")));
  CHECK_FALSE(calls(underFast("void top(float *p) { kern            ; }"))); // as the parser gets a launch
}
