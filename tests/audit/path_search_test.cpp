#include "audit/audited.h"
#include "audit/path_search.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Facts of the branches of a kernel, in block order.
std::vector<BranchFacts> branches(const std::string &statements) {
  Analysed kernel(shortTiles(statements));
  PathDecisions decisions(*kernel.program);
  std::vector<BranchFacts> list;
  for (BlockId block : kernel.program->graph->order())
    if (decisions.at(block).branches)
      list.push_back(decisions.at(block));
  return list;
}

} // namespace

TEST_CASE("path decisions: arguments are free, and equal conditions have one key") {
  std::vector<BranchFacts> facts = branches("  if (n > 3) {\n  TLOAD(a, g);\n  }\n  if (n > 3) {\n  TLOAD(b, g);\n  "
                                            "}\n  if (n > 4) {\n  TLOAD(c, g);\n  }\n");
  REQUIRE(facts.size() == 3);
  CHECK_FALSE(facts[0].counted);
  CHECK_FALSE(facts[0].key.empty());
  CHECK(facts[0].key == facts[1].key);
  CHECK(facts[0].key != facts[2].key);
  CHECK_FALSE(facts[0].atoms.empty());
  CHECK(facts[0].atoms == facts[2].atoms); // both depend on n
}

TEST_CASE("path decisions: branches that the phases of their loop decide are left to the program's steps") {
  Analysed kernel(shortTiles("  for (int32_t i = 0; i < 4; ++i) {\n  if (i == 2) {\n  TLOAD(a, g);\n  }\n  }\n"));
  PathDecisions decisions(*kernel.program);
  REQUIRE(kernel.program->graph->loops().size() == 1);
  CHECK_FALSE(decisions.counts(0));
  std::size_t branches = 0;
  for (BlockId block : kernel.program->graph->order()) {
    if (!decisions.at(block).branches)
      continue;
    ++branches;
    for (std::uint32_t count = 0; count < 6; ++count)
      CHECK_FALSE(decisions.outcome(block, {count}));
  }
  CHECK(branches == 2);
}

TEST_CASE("path decisions: counts go round in the last iterations") {
  std::uint32_t count = 0;
  for (int i = 0; i < 100; ++i) {
    count = PathDecisions::next(count);
    CHECK(count < PathDecisions::kExact + PathDecisions::kPeriod);
  }
  CHECK(count % PathDecisions::kPeriod == 100 % PathDecisions::kPeriod);
}

namespace {

struct Searched {
  explicit Searched(const std::string &statements)
      : kernel(shortTiles(statements)), search(*kernel.program, kernel.hazards()), defects(search.tokenDefects()) {}
  Analysed kernel;
  PathSearch search;
  std::vector<TokenDefect> defects;
};

/// The pair of the marks, at any distance that the engine calls open.
std::optional<FoundPath> openPath(Analysed &kernel, const std::string &first, const std::string &second) {
  PathSearch search(*kernel.program, kernel.hazards());
  for (const OpenObligation &open : kernel.pending->open(ObligationKind::Conflict))
    if (kernel.program->nodes[kernel.program->nodeOfBit[open.pair.bit]].statement->line == kernel.line(first) &&
        kernel.program->nodes[open.pair.later].statement->line == kernel.line(second))
      if (std::optional<FoundPath> path = search.unordered(open.pair))
        return path;
  return std::nullopt;
}

} // namespace

TEST_CASE("path search: the shortest path to a fault, its choices and its certainty") {
  Searched search("  if (n > 3) {\n" + setFlag(kLoadToVector) + "  }\n" + waitFlag(kLoadToVector));
  REQUIRE(search.defects.size() == 1);
  const TokenDefect &defect = search.defects.front();
  CHECK(defect.kind == TokenFaultKind::UnfedWait);
  CHECK(defect.path.certain);
  CHECK(defect.path.choices.size() == 1);
  REQUIRE_FALSE(defect.path.stops.empty());
  CHECK(defect.path.stops.back().statement == defect.statement);
  CHECK(search.search.complete());
}

TEST_CASE("path search: behind its first fault a flag says nothing") {
  Searched search(waitFlag(kLoadToVector) + waitFlag(kLoadToVector) + setFlag(kLoadToVector) + setFlag(kLoadToVector));
  CHECK(search.defects.size() == 1);
}

TEST_CASE("path search: loops of known length run as often as they do, long ones too") {
  auto drained = [](const std::string &trips, const std::string &condition) {
    return Searched(setFlag(kLoadToVector) + "  for (int32_t i = 0; i < " + trips + "; ++i) {\n  if (" + condition +
                    ") {\n" + waitFlag(kLoadToVector) + "  }\n  }\n")
        .defects.empty();
  };
  CHECK(drained("8", "i == 7"));
  CHECK_FALSE(drained("8", "i == 8"));
  CHECK(drained("100", "i == 0"));
  auto ring = [](const std::string &trips, const std::string &drain) {
    return Searched(setFlag(kLoadToVector) + "  for (int32_t i = 0; i < " + trips + "; ++i) {\n" +
                    waitFlag(kLoadToVector, "(event_t) (i % 2)") + setFlag(kLoadToVector, "(event_t) ((i + 1) % 2)") +
                    "  }\n" + waitFlag(kLoadToVector, drain))
        .defects.empty();
  };
  CHECK(ring("40", "EVENT_ID0"));
  CHECK(ring("41", "EVENT_ID1"));
  CHECK_FALSE(ring("41", "EVENT_ID0"));
}

TEST_CASE("path search: a loop bound that stays must be kept to") {
  // The inner loop runs n times in every round of the outer one.
  Searched search("  for (int32_t i = 0; i < 2; ++i) {\n  for (int32_t j = 0; j < n; ++j) {\n" +
                  setFlag(kLoadToVector) + waitFlag(kLoadToVector) + "  }\n  }\n");
  CHECK(search.defects.empty());
}

TEST_CASE("path search: pairs of instructions") {
  Analysed covered(shortTiles("  TLOAD(a, g); // first\n" + setFlag(kLoadToVector) + "  if (n > 3) {\n" +
                              waitFlag(kLoadToVector) + "  } else {\n" + waitFlag(kLoadToVector) +
                              "  }\n  TADDS(b, a, 1.0f); // second\n"));
  CHECK_FALSE(openPath(covered, "// first", "// second"));
  Analysed open(shortTiles("  TLOAD(a, g); // first\n  if (n > 3) {\n  pipe_barrier(PIPE_ALL);\n  }\n"
                           "  TADDS(b, a, 1.0f); // second\n"));
  std::optional<FoundPath> path = openPath(open, "// first", "// second");
  REQUIRE(path);
  CHECK(path->certain);
  CHECK(path->stops.front().statement->line == open.line("// first"));
  CHECK(path->stops.back().statement->line == open.line("// second"));
  // Carried round the loop.
  Analysed carried(shortTiles("  for (int32_t i = 0; i < n; ++i) {\n  TADDS(c, a, 1.0f); // second\n"
                              "  TADDS(a, b, 1.0f); // first\n  }\n"));
  REQUIRE(openPath(carried, "// first", "// second"));
}

TEST_CASE("path search: whether a path ends in the first iteration of the loops around the later one") {
  auto ends = [](const std::string &statements) {
    Analysed kernel(shortTiles(statements));
    std::optional<FoundPath> path = openPath(kernel, "// first", "// second");
    REQUIRE(path);
    return path->atEntry;
  };
  std::string load = "  TLOAD(a, g); // first\n", add = "  TADDS(b, a, 1.0f); // second\n";
  auto loop = [](const std::string &name, const std::string &body) {
    return "  for (int32_t " + name + " = 0; " + name + " < n; ++" + name + ") {\n" + body + "  }\n";
  };
  CHECK(ends(load + add));
  CHECK(ends(load + loop("i", add)));
  CHECK(ends(load + loop("i", loop("j", add))));
  CHECK(ends(loop("i", load + loop("j", add)))); // i is around both
  // Read in the second iteration only: the first one passes by.
  CHECK_FALSE(ends(load + loop("i", "  if (i == 1) {\n" + add + "  }\n")));
  CHECK_FALSE(ends(load + loop("i", "  if (i == 1) {\n" + loop("j", add) + "  }\n")));
  CHECK(ends(loop("i", "  if (i == 1) {\n" + load + loop("j", add) + "  }\n")));
}

TEST_CASE("path text: statements and branches in the order of the run, with their lines") {
  Audited audited(shortTiles("  if (n > 3) {\n" + setFlag(kLoadToVector) + "  }\n" + waitFlag(kLoadToVector)));
  const Finding &finding = audited.only("branch-imbalance");
  REQUIRE(finding.path.size() == 2);
  CHECK(finding.path[0].text == "(n > 3) does not hold");
  CHECK(finding.path[0].place.line == lineOf(audited.text, "if (n > 3)"));
  CHECK(finding.path[1].text == "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0)");
  CHECK(finding.path[1].place.line == lineOf(audited.text, "wait_flag("));
}
