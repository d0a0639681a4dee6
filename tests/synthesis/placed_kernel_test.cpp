#include "rewrite/sync_edits.h"
#include "synthesis/placed_kernel.h"
#include "synthesis/proposals.h"
#include "synthesis/required_order.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>
#include <regex>
#include <sstream>

using namespace ptosync;
using namespace ptosync::test;

using namespace ptosync::synthesis;

namespace {

/// The statements of a text, a line each, without branches that hold nothing.
std::string bare(const std::string &text) {
  std::istringstream lines(std::regex_replace(text, std::regex(R"(/\*[^*]*\*/|//[^\n]*)"), ""));
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, plain;
    while (words >> word)
      plain += word;
    if (!plain.empty())
      result += plain + "\n";
  }
  return std::regex_replace(result, std::regex(R"(if\([^\n]*\)\{\n\}\n)"), "");
}

std::vector<SiteDecision> allKept(const Module &module) {
  std::vector<SiteDecision> decisions(module.sites.size());
  for (SiteId site = 0; site < module.sites.size(); ++site)
    decisions[site].site = site;
  return decisions;
}

/// None of an arm: what is added there stands beside the branch in the input.
std::size_t childrenOf(const StatementTree &tree, ListId list) {
  return tree.lists()[list].role == ListRole::Arm ? 0 : tree.lists()[list].children.size();
}

PlacedKernel placedOf(const Module &module, const OptimizeResult &decisions) {
  return llvm::cantFail(PlacedKernel::read(module, 0, decisions, lifter()));
}

} // namespace

TEST_CASE("placed kernel: what is decided about the text that was made is the same of the input, at every place") {
  const std::string lastTrip = readText(corpusPath("resync_last_trip/kernel.cpp"));
  for (const std::string &text : {serialLoop(), slotLoop("2"), lastTrip}) {
    Module module = lift(text);
    OptimizeResult first = resynced(module).decisions;
    REQUIRE_FALSE(first.added.empty());
    const bool guarded = llvm::any_of(first.added, [](const AddedSync &added) { return !added.guard.empty(); });
    CHECK(guarded == (text == lastTrip));
    PlacedKernel placed = placedOf(module, first);
    StatementTree statements = llvm::cantFail(StatementTree::read(placed.module().kernels[placed.kernel()]));
    std::size_t places = 0;
    for (ListId list = 0; list < statements.lists().size(); ++list)
      for (std::uint32_t child = 0; child < childrenOf(statements, list); ++child)
        for (bool behind : {false, true}) {
          OptimizeResult again;
          again.decisions = allKept(placed.module());
          decideGone(again.decisions[places++ % again.decisions.size()]);
          Proposal proposal{Pipe::V, Pipe::V, {{SyncKind::Barrier, {list, child, behind, 0}}}, {}};
          again.added = additionsOf(proposal, -1, placed.module().source, statements);
          std::optional<OptimizeResult> joined = placed.joined(again);
          CAPTURE(list, child, behind);
          REQUIRE(joined);
          CHECK(bare(llvm::cantFail(patchedText(module, *joined))) ==
                bare(llvm::cantFail(patchedText(placed.module(), again))));
        }
    CHECK(places > 20);
  }
}

TEST_CASE("placed kernel: a sync that moves is one that goes and one that comes") {
  Module module = lift(vectorKernel(tile("v1", "float", 1, 64, 0) + tile("v2", "float", 1, 64, 1024) +
                                    "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(v2, v2, 1.0f);\n"
                                    "  TMULS(v1, v1, 2.0f);\n"));
  OptimizeResult moved;
  moved.decisions = allKept(module);
  moved.decisions[0].verdict = Verdict::Moved;
  moved.decisions[0].movedTo = {{static_cast<std::uint32_t>(module.source.text().find("TMULS(v1")), 0}};
  OptimizeResult plain = withMovesAdded(module, module.kernels[0], moved);
  CHECK(plain.decisions[0].verdict == Verdict::Removed);
  REQUIRE(plain.added.size() == 1);
  CHECK(plain.added[0].place.line == TextPlace::Line::InFront);
  CHECK(plain.added[0].earlierLine == module.sites[0].line);
  CHECK(bare(llvm::cantFail(patchedText(module, plain))) == bare(llvm::cantFail(patchedText(module, moved))));
  PlacedKernel placed = placedOf(module, plain);
  OptimizeResult nothing;
  nothing.decisions = allKept(placed.module());
  std::optional<OptimizeResult> joined = placed.joined(nothing);
  REQUIRE(joined);
  CHECK(llvm::cantFail(patchedText(module, *joined)) == llvm::cantFail(patchedText(module, plain)));
}

TEST_CASE("placed kernel: each copy of a wait names what needs it behind its own place") {
  Module module = lift(vectorKernel(tile("v1", "float", 1, 64, 0) + "  pipe_barrier(PIPE_V);\n  if (n > 3) {\n" +
                                    "    TADDS(v1, v1, 1.0f);\n  } else {\n    TMULS(v1, v1, 2.0f);\n  }\n"));
  const std::string &text = module.source.text();
  std::vector<std::uint32_t> offsets, lines;
  OptimizeResult moved;
  moved.decisions = allKept(module);
  moved.decisions[0].verdict = Verdict::Moved;
  for (const char *consumer : {"TADDS", "TMULS"}) {
    offsets.push_back(static_cast<std::uint32_t>(text.find(consumer)));
    lines.push_back(module.source.position(offsets.back()).line);
    moved.decisions[0].movedTo.push_back({offsets.back(), 0});
    Conflict conflict;
    conflict.earlier.line = 2;
    conflict.later.line = lines.back();
    conflict.later.text = consumer;
    Evidence evidence;
    evidence.by = Evidence::By::Place;
    evidence.conflict = conflict;
    moved.decisions[0].evidence.push_back(evidence);
  }
  OptimizeResult plain = withMovesAdded(module, module.kernels[0], moved);
  REQUIRE(plain.added.size() == 2);
  for (const AddedSync &added : plain.added) {
    bool first = added.place.offset == offsets[0];
    CHECK(added.later == (first ? "TADDS" : "TMULS"));
    CHECK(added.laterLine == lines[first ? 0 : 1]);
  }
}

TEST_CASE("placed kernel: a text that lost the kernel cannot be used") {
  Module module = lift(serialLoop());
  OptimizeResult broken;
  broken.decisions = allKept(module);
  AddedSync nonsense;
  nonsense.statement = "int n = n n;";
  nonsense.place = placeInFront(module.source, module.sites[0].range.begin);
  broken.added = {nonsense};
  llvm::Expected<PlacedKernel> placed = PlacedKernel::read(module, 0, broken, lifter());
  REQUIRE_FALSE(bool(placed));
  CHECK_FALSE(llvm::toString(placed.takeError()).empty());
}

TEST_CASE("placed kernel: an added sync that moves again says what it said before") {
  Module module = lift(slotLoop("2"));
  OptimizeResult first = resynced(module).decisions;
  PlacedKernel placed = placedOf(module, first);
  std::size_t moves = 0;
  for (SiteId site = 0; site < placed.module().sites.size(); ++site) {
    const SyncSite &is = placed.module().sites[site];
    auto known = std::find_if(first.added.begin(), first.added.end(), [&](const AddedSync &added) {
      return added.kind == is.kind && added.statement == is.text + ";" && added.earlierLine != 0;
    });
    if (known == first.added.end())
      continue;
    OptimizeResult again;
    again.decisions = allKept(placed.module());
    again.decisions[site].verdict = Verdict::Moved;
    again.decisions[site].movedTo = {{static_cast<std::uint32_t>(placed.module().source.text().find("TADDS(v2")), 0}};
    std::optional<OptimizeResult> joined = placed.joined(again);
    REQUIRE(joined);
    for (const AddedSync &added : joined->added) {
      CHECK(added.earlierLine != 0);
      CHECK(added.laterLine != 0);
    }
    ++moves;
  }
  CHECK(moves > 0);
}

TEST_CASE("placed kernel: a set that moves for no conflict of its own names what its wait stays for") {
  Module module = lift(serialLoop());
  OptimizeResult moved;
  moved.decisions = allKept(module);
  moved.decisions[0].verdict = Verdict::Moved;
  moved.decisions[0].movedTo = {{static_cast<std::uint32_t>(module.source.text().find("for (")), 0}};
  for (SiteId site = 1; site < module.sites.size(); ++site) {
    Conflict conflict;
    conflict.earlier.text = "producer of " + module.sites[site].text;
    moved.decisions[site].witness = conflict;
  }
  REQUIRE(module.sites[1].text == "wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0)");
  OptimizeResult plain = withMovesAdded(module, module.kernels[0], moved);
  REQUIRE(plain.added.size() == 1);
  CHECK(plain.added[0].earlier == "producer of wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0)");
}
