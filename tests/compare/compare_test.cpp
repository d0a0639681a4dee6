#include "compare/compare.h"
#include "compare/compared.h"
#include "replay/choose/run_choice.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>
#include <regex>

using namespace ptosync;
using namespace ptosync::test;

namespace {

Kernel kernelOf(const std::string &name, const std::vector<std::string> &instructions, Section section = Section::Vec) {
  Kernel kernel;
  kernel.name = name;
  kernel.section = section;
  kernel.blocks.emplace_back();
  for (const std::string &instruction : instructions) {
    Statement statement;
    Instruction action;
    action.name = instruction;
    statement.action = std::move(action);
    kernel.blocks[0].statements.push_back(std::move(statement));
  }
  return kernel;
}

std::string matchedKernels(std::vector<Kernel> a, std::vector<Kernel> b) {
  Module left, right;
  left.kernels = std::move(a);
  right.kernels = std::move(b);
  std::string text;
  for (const compare::KernelPair &pair : compare::matchKernels(left, right))
    text += (text.empty() ? "" : " ") + (pair.a ? pair.a->name : "-") + "/" + (pair.b ? pair.b->name : "-");
  return text;
}

} // namespace

TEST_CASE("kernel match: by name and core") {
  CHECK(matchedKernels({kernelOf("p", {"TADD"}), kernelOf("q", {"TEXP"})},
                       {kernelOf("q", {"TADD"}), kernelOf("p", {})}) == "p/p q/q");
  CHECK(matchedKernels({kernelOf("p", {"TADD"}, Section::Cube)}, {kernelOf("p", {"TADD"}, Section::Vec)}) == "p/- -/p");
}

TEST_CASE("kernel match: another name where the instructions are alike") {
  CHECK(matchedKernels({kernelOf("p", {"TADD", "TEXP"})}, {kernelOf("p_1", {"TADD", "TEXP", "TEXP"})}) == "p/p_1");
  CHECK(matchedKernels({kernelOf("p", {"TADD"})}, {kernelOf("r", {"TMATMUL"})}) == "p/- -/r");
  CHECK(matchedKernels({kernelOf("p", {})}, {kernelOf("r", {})}) == "p/- -/r");
  CHECK(matchedKernels({kernelOf("p", {}, Section::Cube), kernelOf("p", {"TADD"})},
                       {kernelOf("r", {}, Section::Cube), kernelOf("r", {"TADD"})}) == "p/r p/r"); // its other core
}

using compare::KernelComparison;
using compare::MatchKind;

namespace {

const std::string kChain = "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TEXP(v1, v1);\n  pipe_barrier(PIPE_V);\n"
                           "  TMULS(v2, v2, 2.0f);\n";
const std::string kShort = "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TEXP(v1, v1);\n  TMULS(v2, v2, 2.0f);\n";

std::string inLoop(const std::string &body) { return "  for (int32_t i = 0; i < n; ++i) {\n" + body + "  }\n"; }

std::string kernel(const std::string &body) { return vectorKernel(threeTiles() + body); }

const compare::KindCount *countOfKind(const std::vector<compare::KindCount> &counts, const std::string &kind) {
  for (const compare::KindCount &count : counts)
    if (count.kind == kind)
      return &count;
  return nullptr;
}

} // namespace

TEST_CASE("compare: a file with itself, and with its variables and lines renamed") {
  for (const std::string &folder : corpusFolders()) {
    CAPTURE(folder);
    std::string text = readText(corpusPath(folder + "/kernel.cpp"));
    std::string renamed = "// another line\n" + std::regex_replace(text, std::regex("\\bv([0-9]+)\\b"), "w$1_");
    Module a = lift(text), b = lift(renamed);
    if (a.kernels.empty() || !a.kernels.front().analysable)
      continue;
    for (const Module *other : {&a, &b}) {
      llvm::Expected<compare::Comparison> result =
          compare::compareModules(a, *other, machineOf("a3"), costsOf("a3"), {});
      REQUIRE(bool(result));
      for (const KernelComparison &kernel : result->kernels)
        CHECK((kernel.same() || !kernel.notAnalysed.empty()));
      CHECK(result->cycles.a == result->cycles.b);
    }
  }
}

TEST_CASE("compare: times, counts and loops of both, mirrored when they change places") {
  ComparedTexts texts(kernel(inLoop(kChain)), kernel(inLoop(kShort))),
      swapped(kernel(inLoop(kShort)), kernel(inLoop(kChain)));
  const KernelComparison &result = texts.kernel(), &other = swapped.kernel();
  CHECK(result.cycles.a > result.cycles.b);
  CHECK(result.cycles.a == other.cycles.b);
  CHECK(result.cycles.b == other.cycles.a);
  CHECK(result.limit.a == Approx(result.limit.b));
  CHECK(result.run == other.run);
  const compare::KindCount *barriers = countOfKind(result.counts, "pipe_barrier(PIPE_V)");
  REQUIRE(barriers);
  CHECK(barriers->statements.a == 2);
  CHECK(barriers->statements.b == 1);
  CHECK(barriers->executed.a == 2 * barriers->executed.b);
  REQUIRE(result.loops.size() == 1);
  CHECK(result.loops[0].iterations.a == result.loops[0].iterations.b);
  CHECK(result.loops[0].syncs.a == 2);
  CHECK(countOfKind(result.loops[0].counts, "TEXP")->same());
  for (const compare::KindCount &count : result.outside)
    CHECK(count.same());
  CHECK(result.count(MatchKind::Gone) == 1);
  CHECK(other.count(MatchKind::New) == 1);
  CHECK_FALSE(result.same());
}

TEST_CASE("compare: what a sync costs is said of those that differ") {
  ComparedTexts texts(kernel(kChain), kernel(kShort));
  for (const compare::SyncComparison &sync : texts.kernel().syncs)
    if (sync.change == MatchKind::Gone)
      CHECK(sync.a->cost > 1);
}

TEST_CASE("compare: kernels without a partner, and files that have none in common") {
  std::string two = kernel(kChain) + "extern \"C\" __global__ AICORE void other(__gm__ float *in) {\n" + threeTiles() +
                    "  TMATMUL(v1, v2, v3);\n}\n";
  ComparedTexts texts(kernel(kChain), two);
  REQUIRE(texts.result.kernels.size() >= 2);
  CHECK(texts.result.kernels[0].same());
  CHECK(texts.result.kernels.back().nameA.empty());
  CHECK(texts.result.kernels.back().nameB == "other");
  Module a = lift(kernel(kChain)), none = lift("int f();\n");
  llvm::Expected<compare::Comparison> result = compare::compareModules(a, none, machineOf("a3"), costsOf("a3"), {});
  REQUIRE_FALSE(bool(result));
  CHECK(llvm::toString(result.takeError()).find("has a partner") != std::string::npos);
}

TEST_CASE("compare: a kernel that could not be analysed is named and not compared") {
  Module a = lift(kernel(kChain)), b = lift(kernel(kChain));
  b.kernels[0].analysable = false;
  b.kernels[0].reason = "recursion";
  compare::Comparison result = llvm::cantFail(compare::compareModules(a, b, machineOf("a3"), costsOf("a3"), {}));
  CHECK(result.kernels[0].notAnalysed == "B: recursion");
  CHECK_FALSE(result.kernels[0].compared());
  CHECK_FALSE(result.kernels[0].same());
}

TEST_CASE("compare: an argument that is fixed is fixed in both, by the name that A gives it") {
  replay::Options options;
  options.arguments["n"] = 7;
  std::string renamed = kernel(inLoop(kShort));
  for (std::size_t at = 0; (at = renamed.find("i < n", at)) != std::string::npos;)
    renamed.replace(at, 5, "i < m");
  renamed.replace(renamed.find("int32_t n)"), 10, "int32_t m)");
  ComparedTexts texts(kernel(inLoop(kChain)), renamed, options);
  CHECK(texts.kernel().loops.at(0).iterations.a == 7);
  CHECK(texts.kernel().loops.at(0).iterations.b == 7);
  options.arguments = {{"nobody", 7}};
  Module a = lift(kernel(kChain));
  llvm::Expected<compare::Comparison> result =
      compare::compareModules(a, a, machineOf("a3"), costsOf("a3"), compare::CompareOptions{options});
  REQUIRE_FALSE(bool(result));
  CHECK(result.errorIsA<replay::ArgumentError>());
  llvm::consumeError(result.takeError());
}

TEST_CASE("compare: other parameters, another run") {
  std::string other = kernel(inLoop(kShort));
  other.replace(other.find("int32_t n)"), 10, "__gm__ float *p, int32_t n)");
  ComparedTexts texts(kernel(inLoop(kChain)), other);
  CHECK(texts.kernel().compared());
}

TEST_CASE("compare: an empty kernel has nothing to tell") {
  std::string empty = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
                      "extern \"C\" __global__ AICORE void k(__gm__ float *in) {\n}\n";
  ComparedTexts texts(empty, empty);
  CHECK(texts.kernel().idle());
  CHECK(texts.kernel().same());
  CHECK(texts.result.cycles.a == 0);
  CHECK_FALSE(texts.result.cycles.ratio());
}
