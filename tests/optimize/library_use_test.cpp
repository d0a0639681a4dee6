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

namespace {

LibraryUse changedLibrary() {
  LibraryUse use;
  use.library = "pto-isa 1";
  use.directory = "inc";
  use.standing = LibraryStanding::Differs;
  use.counted = {{"TROWMAX", {4, 9}, {9}}, {"TROWSUM", {12}, {}}};
  use.unproved = {{"TADD", {7}, false, false}, {"TROWMIN", {20, 21}, false, true}, {"TSORT", {30}, true, false}};
  return use;
}

} // namespace

TEST_CASE("library report: a call whose library text changed is named, with what it costs") {
  CHECK(libraryPart(changedLibrary()) ==
        "\nlibrary\n"
        "  inc differs from the one the facts were made from, pto-isa 1\n"
        "  the inside of these calls counts: TROWMAX 2x, relied on at line 9; TROWSUM 1x\n"
        "  TADD at line 7: another text than the one read\n"
        "  TROWMIN at lines 20 and 21: another text than the one read, so nothing inside it counts\n"
        "  TSORT at line 30: not in this library\n");
  nlohmann::ordered_json json = libraryUseJson(changedLibrary());
  CHECK(json["checked"] == "differs");
  CHECK(json["directory"] == "inc");
  CHECK(json["counted"][0].dump() == R"({"name":"TROWMAX","lines":[4,9],"reliedOn":[9]})");
  CHECK(json["unproved"][1].dump() == R"({"name":"TROWMIN","lines":[20,21],"text":"changed","insideLost":true})");
  CHECK(json["unproved"][2]["text"] == "absent");
}

TEST_CASE("library report: a library that was not compared, one that is the same, and nothing to say") {
  LibraryUse use;
  use.library = "pto-isa 1";
  CHECK(libraryPart(use).empty());
  CHECK(libraryUseJson(use).dump() ==
        R"({"checked":"not checked","directory":null,"sameAs":null,"counted":[],"unproved":[]})");
  use.counted = {{"TROWSUM", {12}, {}}};
  CHECK(libraryPart(use) == "\nlibrary\n"
                            "  library not checked: that the kernel is built with pto-isa 1 is taken for granted "
                            "(--pto-include=DIR compares)\n"
                            "  the inside of these calls counts: TROWSUM 1x\n");
  use.directory = "inc";
  use.standing = LibraryStanding::Same;
  use.sameAs = "pto-isa 1";
  CHECK(libraryLines(use).standing == "inc is the same as the one the facts were made from, pto-isa 1");
  use.sameAs = "pto-isa 2";
  CHECK(libraryLines(use).standing == "inc is the same as pto-isa 2, for which the facts made from pto-isa 1 hold");
  CHECK(libraryUseJson(use)["sameAs"] == "pto-isa 2");
}
