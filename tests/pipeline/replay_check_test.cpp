#include "pipeline/replay_check.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kAdditions = tile("v1", "float", 1, 64, 0) + "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n"
                                                               "  TADDS(v1, v1, 1.0f);\n";

std::string without(std::string text, const std::string &part) { return text.erase(text.find(part), part.size()); }

llvm::Expected<replay::Verdict> replayed(const std::string &patched) {
  return replayPatched(lift(vectorKernel(kAdditions)), patched, {Section::Both}, {}, machineOf("a3"), {});
}

std::string problem(const std::string &patched) {
  llvm::Expected<replay::Verdict> verdict = replayed(patched);
  return verdict ? "" : llvm::toString(verdict.takeError());
}

} // namespace

TEST_CASE("replay of a patched text: an order that is lost is found", "[pipeline]") {
  std::string text = vectorKernel(kAdditions);
  CHECK(llvm::cantFail(replayed(text)).agreed());
  CHECK(llvm::cantFail(replayed(text + "\n")).agreed());
  replay::Verdict lost = llvm::cantFail(replayed(without(text, "pipe_barrier(PIPE_V);")));
  REQUIRE_FALSE(lost.agreed());
  CHECK(lost.findings.front().later.beforeLine == kBodyLine + 3);
}

TEST_CASE("replay of a patched text: what is no edit of syncs is an internal error", "[pipeline]") {
  std::string text = vectorKernel(kAdditions);
  CHECK(problem(text + "}\n").rfind("internal error: the patched kernel no longer parses; nothing was written", 0) ==
        0);
  CHECK(problem(without(text, "  TADDS(v1, v1, 1.0f);\n")).rfind("internal error: the edits change more of k", 0) == 0);
}

TEST_CASE("replay of a patched text: which edits no run reached", "[pipeline]") {
  const std::string tiles = tile("v1", "float", 1, 64, 0) + tile("v2", "float", 1, 64, 4096);
  auto notReached = [&](const std::string &body) {
    const Outcome outcome = run(vectorKernel(tiles + body));
    const std::set<std::uint32_t> lines = editedLines(outcome.module, outcome.result);
    REQUIRE(lines.size() == 1);
    const replay::Verdict verdict =
        llvm::cantFail(replayPatched(outcome.module, patched(outcome), {Section::Both}, lines, machineOf("a3"), {}));
    CHECK(verdict.agreed());
    return editsNotReached(outcome.module, outcome.result, verdict).size();
  };
  const std::string needless = "TADDS(v1, v1, 1.0f);\n    pipe_barrier(PIPE_V);\n    TADDS(v2, v2, 1.0f);\n";
  CHECK(notReached("    " + needless) == 0);
  CHECK(notReached("  if (n == 70000) {\n    " + needless + "  }\n") == 0); // a run is aimed at it
  CHECK(notReached("  if (n * n + 1 == n) {\n    " + needless + "  }\n") == 1);
}
