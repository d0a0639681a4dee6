// What assumptions change in decisions, and that the replay runs what they leave.
#include "run/opt.h"
#include "run/progress.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Two stores to places that the argument tells apart, if it is not negative: `MAX` of it is 0 for every negative one.
std::string stores(const std::string &comment = "") {
  std::string row = "pto::Shape<1, 1, 1, 1, 64>, pto::Stride<64, 64, 64, 64, 1>, pto::Layout::ND";
  return vectorKernel(comment + tile("v1", "float", 1, 64, 0) +
                      "  int32_t first = n < 0 ? 0 : n;\n  int32_t next = n + 1 < 0 ? 0 : n + 1;\n"
                      "  GlobalTensor<float, " +
                      row + "> g(out + first * 64);\n" + "  GlobalTensor<float, " + row + "> h(out + next * 64);\n" +
                      "  TSTORE(g, v1);\n  pipe_barrier(PIPE_MTE3);\n  TSTORE(h, v1);\n");
}

llvm::Expected<OptimizedFile> optimized(const std::string &text, const std::string &assume = "") {
  RunInput input{{SourceText("k.cpp", text)}, {}, {}};
  input.settings.commandLine.arch = "a3";
  if (!assume.empty())
    for (Assumption &one : llvm::cantFail(readAssumptions(assume))) {
      one.origin = Assumption::Origin::Option;
      input.choices.assumptions.push_back(std::move(one));
    }
  Progress unseen;
  return optimizeFile(input, {}, unseen);
}

bool keepsBarrier(const llvm::Expected<OptimizedFile> &file) {
  return llvm::StringRef(file->patched).contains("  pipe_barrier(PIPE_MTE3);\n");
}

std::size_t occurrences(llvm::StringRef text, llvm::StringRef what) { return text.count(what); }

std::string problem(llvm::Expected<OptimizedFile> file) { return file ? "" : llvm::toString(file.takeError()); }

} // namespace

TEST_CASE("assume: what the numbers of every launch tell apart needs no barrier", "[run]") {
  llvm::Expected<OptimizedFile> without = optimized(stores()),
                                commented = optimized(stores("  // ptosync: assume(n >= 0 && n < 48)\n")),
                                given = optimized(stores(), "n >= 0 && n < 48");
  REQUIRE(static_cast<bool>(without));
  REQUIRE(static_cast<bool>(commented));
  REQUIRE(static_cast<bool>(given));
  CHECK(keepsBarrier(without));
  CHECK_FALSE(keepsBarrier(commented));
  CHECK_FALSE(keepsBarrier(given));
  CHECK(describeLibraryUse(commented->module(), commented->subject).assumed ==
        std::vector<std::string>{"n >= 0 && n < 48 (line 4)"});
  // Too little is assumed.
  llvm::Expected<OptimizedFile> less = optimized(stores(), "n >= -2");
  REQUIRE(static_cast<bool>(less));
  CHECK(keepsBarrier(less));
}

TEST_CASE("assume: a relation of two arguments decides a branch", "[run]") {
  auto text = [&](const std::string &test) {
    return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *in, int32_t n, int32_t m) {\n" +
           tile("v1", "float", 1, 64, 0) + tile("v2", "float", 1, 64, 4096) +
           "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  if (" + test +
           ")\n    TADDS(v1, v1, 1.0f);\n  TADDS(v2, v2, 1.0f);\n  pipe_barrier(PIPE_ALL);\n}\n";
  };
  auto keeps = [&](const std::string &test, const std::string &assume) {
    llvm::Expected<OptimizedFile> file = optimized(text(test), assume);
    REQUIRE(static_cast<bool>(file));
    return llvm::StringRef(file->patched).contains("  pipe_barrier(PIPE_V);\n");
  };
  const std::string small = "n >= 0 && m >= 0 && n < 100 && m < 100 && ";
  CHECK(keeps("n > m + 4", ""));
  CHECK_FALSE(keeps("n > m + 4", small + "n <= m + 4"));
  CHECK_FALSE(keeps("m + 4 < n", small + "n <= m"));
  CHECK(keeps("n > m + 4", small + "n <= m + 5"));
  CHECK(keeps("n < m", small + "n <= m"));
}

TEST_CASE("assume: what speaks of nothing, or leaves no number, is said", "[run]") {
  CHECK(problem(optimized(stores(), "k >= 0")) ==
        "--assume 'k >= 0': no kernel of k.cpp has arguments of all these names");
  CHECK(problem(optimized(stores("  // ptosync: assume(k >= 0)\n")))
            .find("k.cpp:4:6: error: 'ptosync: assume': 'k >= 0' names what is no number of kernel k that stays as it "
                  "is in a "
                  "run; those are n") == 0);
  CHECK(problem(optimized("// ptosync: assume(n >= 0)\n\n" + stores())).find("it stands in no kernel") !=
        std::string::npos);
  CHECK(problem(optimized(stores("  // ptosync: assume(n % 4 == 0)\n"))).find("a comparison by") != std::string::npos);
  llvm::Expected<OptimizedFile> none = optimized(stores("  // ptosync: assume(n > 3 && n < 3)\n"));
  REQUIRE(static_cast<bool>(none));
  CHECK(none->module().kernels[0].reason == "what is assumed of n leaves no number that it could be");
}

TEST_CASE("assume: a comment that may not be meant of the whole kernel is an error", "[run]") {
  const std::string assume = "  // ptosync: assume(n >= 0 && n < 48)\n";
  CHECK(problem(optimized(stores("#if 0\n" + assume + "#endif\n"))).find("outside of the condition on line 4") !=
        std::string::npos);
  CHECK(problem(optimized(stores("  {\n  int32_t n = 3;\n" + assume + "  }\n")))
            .find("outside of the braces that begin on line 4") != std::string::npos);
  std::string behind = stores();
  behind.insert(behind.rfind("}\n") + 1, "  // ptosync: assume(n >= 0 && n < 48)");
  CHECK(problem(optimized(behind)).find("it stands in no kernel") != std::string::npos);
  for (const char *condition : {"#if defined(__DAV_VEC__) && 0\n", "#if defined(__DAV_VEC__) || defined(FOO)\n",
                                "#if defined(__DAV_CUBE__)\n#elif 0\n", "#if defined(__DAV_CUBE__)\n#else\n",
                                "#if defined(__DAV_CUBE__)\n#if defined(__DAV_VEC__)\n#endif\n#ifdef __DAV_VEC__\n"}) {
    INFO(condition);
    const std::string ends =
        occurrences(condition, "#if") > occurrences(condition, "#endif") + 1 ? "#endif\n#endif\n" : "#endif\n";
    CHECK(problem(optimized(stores(condition + assume + ends))) != "");
  }
  for (const char *condition : {"#if defined(__DAV_VEC__)\n", "#ifdef __DAV_VEC__\n", "#if defined __DAV_VEC__\n"})
    CHECK(problem(optimized(stores(condition + assume + "#endif\n"))) == "");
  CHECK(problem(optimized("#ifndef K_H\n#define K_H\n" + stores(assume) + "#endif\n")) == "");
  CHECK(problem(optimized(stores("  // " + assume.substr(2)))).find("first thing in its comment") != std::string::npos);
  // One core alone asks for the number.
  std::string query = stores(assume);
  query.replace(query.find("(n >= 0 && n < 48)"), std::string("(n >= 0 && n < 48)").size(), "(get_block_idx() < 9)");
  query.insert(query.find("  int32_t first"), "  #if defined(__DAV_VEC__)\n  n = get_block_idx();\n  #endif\n");
  CHECK(problem(optimized(query)) == "");
}

TEST_CASE("assume: an argument that is given for the replay keeps to it", "[run]") {
  const Module module = lift(stores("  // ptosync: assume(n >= 0)\n"));
  replay::Options options;
  options.arguments = {{"n", -1}};
  llvm::Expected<replay::Verdict> verdict = replay::verify(module, module, machineOf("a3"), options);
  REQUIRE_FALSE(static_cast<bool>(verdict));
  CHECK(llvm::toString(verdict.takeError()) == "--arg n=-1: kernel k is taken to be run with n >= 0 (line 4) alone");
  options.arguments = {{"n", 1}};
  CHECK(llvm::cantFail(replay::verify(module, module, machineOf("a3"), options)).agreed());
}
