#include "rewrite/sync_edits.h"
#include "synthesis/placed_kernel.h"
#include "synthesis/proposals.h"
#include "synthesis/required_order.h"
#include "synthesis/synthesised.h"
#include "synthesis/trial_kernel.h"

#include <catch2/catch.hpp>
#include <regex>
#include <sstream>

using namespace ptosync;
using namespace ptosync::test;

using namespace ptosync::synthesis;

namespace {

std::string flagText(SyncKind kind, Pipe from, Pipe to, int id) {
  return "  " + statementText(kind, from, to, id) + "\n";
}
std::string set(Pipe from, Pipe to, int id) { return flagText(SyncKind::SetFlag, from, to, id); }
std::string wait(Pipe from, Pipe to, int id) { return flagText(SyncKind::WaitFlag, from, to, id); }

/// Ids for the flags of a kernel whose id is 64 or more, in the order of their ids.
std::optional<std::vector<std::int64_t>> idsOf(const std::string &text, unsigned ids,
                                               const std::set<std::int64_t> &reserved = {}) {
  Module module = lift(text);
  Machine machine = machineOf("a3").withEndlessIds();
  Program program = llvm::cantFail(buildProgram(module.kernels.front(), machine, {}));
  Pending pending(program);
  std::map<std::int64_t, std::set<SiteId>> proposed;
  for (const auto &events : program.steps)
    for (const Event &event : events)
      for (std::uint32_t lane : event.lanes)
        if (event.site != kNone && program.flags[lane].id >= kFirstProposedId)
          proposed[program.flags[lane].id].insert(event.site);
  std::vector<std::set<SiteId>> flags;
  for (const auto &[id, sites] : proposed)
    flags.push_back(sites);
  IdAssignment assigned = assignIds(program, pending, flags, ids, reserved);
  if (assigned.shortage.empty())
    return assigned.ids;
  CHECK(assigned.shortage == std::set<std::pair<Pipe, Pipe>>{{Pipe::MTE2, Pipe::V}});
  return std::nullopt;
}

const std::string kTiles = tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) + tensor("g", "in", "0");

/// Two loads and two additions; `between` stands between the two pairs.
std::string twoPairs(int first, int second, const std::string &between) {
  return vectorKernel(kTiles + "  TLOAD(v1, g);\n" + set(Pipe::MTE2, Pipe::V, first) +
                      wait(Pipe::MTE2, Pipe::V, first) + "  TADDS(v1, v1, 1.0f);\n" + between + "  TLOAD(v2, g);\n" +
                      set(Pipe::MTE2, Pipe::V, second) + wait(Pipe::MTE2, Pipe::V, second) +
                      "  TADDS(v2, v2, 1.0f);\n");
}

} // namespace

TEST_CASE("flags get ids that nobody has, as long as there are some") {
  CHECK(idsOf(twoPairs(64, 65, ""), 8) == std::vector<std::int64_t>{0, 1});
  CHECK(idsOf(twoPairs(0, 64, ""), 8) == std::vector<std::int64_t>{1});
  CHECK(idsOf(twoPairs(64, 65, ""), 8, {0, 1, 2}) == std::vector<std::int64_t>{3, 4});
}

TEST_CASE("two flags share an id only if the second set is known to come behind the first wait") {
  CHECK(idsOf(twoPairs(64, 65, ""), 1) == std::nullopt); // the wait may still be on its way
  std::string answer = set(Pipe::V, Pipe::MTE2, 0) + wait(Pipe::V, Pipe::MTE2, 0);
  CHECK(idsOf(twoPairs(64, 65, answer), 1) == std::vector<std::int64_t>{0, 0});
  CHECK(idsOf(twoPairs(0, 64, answer), 1) == std::vector<std::int64_t>{0});
  CHECK(idsOf(twoPairs(64, 65, answer), 1, {0}) == std::nullopt);
}

TEST_CASE("flags that are set at once never share an id") {
  std::string body = kTiles + "  TLOAD(v1, g);\n" + set(Pipe::MTE2, Pipe::V, 64) + "  TLOAD(v2, g);\n" +
                     set(Pipe::MTE2, Pipe::V, 65) + wait(Pipe::MTE2, Pipe::V, 64) + "  TADDS(v1, v1, 1.0f);\n" +
                     wait(Pipe::MTE2, Pipe::V, 65) + "  TADDS(v2, v2, 1.0f);\n";
  CHECK(idsOf(vectorKernel(body), 1) == std::nullopt);
  CHECK(idsOf(vectorKernel(body), 2) == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("a flag with several ids gets as many in a row") {
  auto loop = [&](int other) {
    std::string id = ", PIPE_V, (event_t) (64 + i % 2));\n";
    return vectorKernel(kTiles + "  TLOAD(v2, g);\n" + set(Pipe::MTE2, Pipe::V, other) +
                        "  for (int32_t i = 0; i < n; ++i) {\n    TLOAD(v1, g);\n    set_flag(PIPE_MTE2" + id +
                        "    wait_flag(PIPE_MTE2" + id +
                        "    TADDS(v1, v1, 1.0f);\n    pipe_barrier(PIPE_ALL);\n  }\n" +
                        wait(Pipe::MTE2, Pipe::V, other) + "  TADDS(v2, v2, 1.0f);\n");
  };
  auto together = [&](int other, unsigned ids, const std::set<std::int64_t> &reserved = {}) {
    Module module = lift(loop(other));
    Machine machine = machineOf("a3").withEndlessIds();
    Program program = llvm::cantFail(buildProgram(module.kernels.front(), machine, {}));
    Pending pending(program);
    std::set<SiteId> sites;
    for (const auto &events : program.steps)
      for (const Event &event : events)
        for (std::uint32_t of : event.lanes)
          if (event.site != kNone && program.flags[of].id >= kFirstProposedId)
            sites.insert(event.site);
    CHECK(sites.size() == 2);
    return assignIds(program, pending, {sites}, ids, reserved);
  };
  CHECK(together(0, 8).ids == std::vector<std::int64_t>{1});
  CHECK(together(1, 8).ids == std::vector<std::int64_t>{2});
  CHECK(together(1, 8, {3}).ids == std::vector<std::int64_t>{4});
  CHECK(together(1, 3).shortage.size() == 1); // ids 0 and 2 are no pair
}

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
  CHECK(plain.added[0].line == AddedSync::Line::InFront);
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
    bool first = added.offset == offsets[0];
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
  nonsense.offset = nonsense.beside = module.sites[0].range.begin;
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
