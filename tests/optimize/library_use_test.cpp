#include "optimize/library_use.h"

#include "optimize/optimizer.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kText = R"(#include "pto/pto-inst.hpp"
using namespace pto;
__global__ AICORE void k(float v) {
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null> a, s;
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null> r;
  TASSIGN(a, 4096);
  TASSIGN(s, 16384);
  TASSIGN(r, 0);
  TROWSUM(r, a, s);
  TADDS(a, a, v);
  TROWSUM(r, a, s);
}
)";

/// A result in which a removal names the barrier inside the call at `line`.
OptimizeResult relyingOn(std::uint32_t line, bool relied) {
  OptimizeResult result;
  SiteDecision decision;
  decision.verdict = Verdict::Removed;
  Evidence evidence;
  evidence.by = Evidence::By::Library;
  evidence.lines = {line};
  evidence.relied = relied;
  decision.evidence.push_back(evidence);
  result.decisions.push_back(decision);
  return result;
}

} // namespace

TEST_CASE("library use: calls whose inside counts, and those that a removal names") {
  Module module = lift(kText);
  CHECK(linesReliedOn(relyingOn(9, true)) == std::set<std::uint32_t>{9});
  CHECK(linesReliedOn(relyingOn(9, false)).empty());
  std::vector<LibraryUse::Calls> calls = countedCalls(module, machineOf("a3"), Trust::Library, {9});
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].name == "TROWSUM");
  CHECK(calls[0].lines == std::vector<std::uint32_t>{9, 11});
  CHECK(calls[0].reliedOn == std::vector<std::uint32_t>{9});
  CHECK(countedCalls(module, machineOf("a3"), Trust::Library, {})[0].reliedOn.empty());
  CHECK(countedCalls(module, machineOf("a3"), Trust::Tile, {9}).empty());
}

TEST_CASE("library use: calls of some instructions") {
  std::vector<LibraryUse::Calls> calls = callsOf(lift(kText), {"TADDS", "TMULS"});
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].lines == std::vector<std::uint32_t>{10});
}
