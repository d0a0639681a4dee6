#include "synthesis/proposals.h"
#include "synthesis/proposed_kernel.h"
#include "synthesis/required_order.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

using namespace ptosync::synthesis;

namespace {

struct Merged {
  Module module;
  StatementTree tree;
  std::vector<Proposal> flags;

  std::vector<const Proposal *> between(Pipe source, Pipe destination) const {
    std::vector<const Proposal *> found;
    for (const Proposal &flag : flags)
      if (flag.source == source && flag.destination == destination)
        found.push_back(&flag);
    return found;
  }
  std::size_t line(const NewSync &sync) const {
    const BraceList::Child &child = tree.lists()[sync.place.list].children[sync.place.child];
    return module.source.position(child.begin).line;
  }
};

Merged merged(const std::string &source) {
  Merged result{lift(source), {}, {}};
  result.tree = llvm::cantFail(StatementTree::read(result.module.kernels.front()));
  RequiredOrder order = llvm::cantFail(requiredOrder(result.module, 0, result.tree, machineOf("a3"), {}));
  result.flags = mergedFlags(proposalsFor(order, result.tree), result.tree);
  return result;
}

const std::string kBuffers = tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) +
                             tile("v3", "float", 16, 64, 8192) + tensor("g", "in", "0") + tensor("h", "in", "1") +
                             tensor("k", "in", "2");

std::string loads(const std::string &between) {
  return vectorKernel(kBuffers + "  TLOAD(v1, g);\n  TLOAD(v2, h);\n" + between +
                      "  TADDS(v1, v1, 1.0f);\n  TADDS(v2, v2, 1.0f);\n");
}

/// A load and an addition in a loop of its own.
std::string sweep(const std::string &counter, const std::string &buffer) {
  return "  for (int32_t " + counter + " = 0; " + counter + " < n; ++" + counter + ") {\n    TLOAD(" + buffer +
         ", g);\n    TADDS(" + buffer + ", " + buffer + ", 1.0f);\n  }\n";
}

} // namespace

TEST_CASE("merged flags: set behind the last producer, waited for in front of the first consumer") {
  Merged two = merged(loads(""));
  std::vector<const Proposal *> flags = two.between(Pipe::MTE2, Pipe::V);
  REQUIRE(flags.size() == 1);
  CHECK(flags[0]->merges == 2);
  REQUIRE(flags[0]->syncs.size() == 2);
  CHECK(two.line(flags[0]->syncs[0]) + 1 == two.line(flags[0]->syncs[1])); // the second load, the first addition
  // Each half says what it was made for.
  CHECK(flags[0]->reasonOf(flags[0]->syncs[0]).earlierLine == two.line(flags[0]->syncs[0]));
  CHECK(flags[0]->reasonOf(flags[0]->syncs[1]).laterLine == two.line(flags[0]->syncs[1]));
}

TEST_CASE("merged flags: not where one is over before the other begins") {
  std::string apart = kBuffers + "  TLOAD(v1, g);\n  TADDS(v1, v1, 1.0f);\n  TLOAD(v2, h);\n  TADDS(v2, v2, 1.0f);\n";
  CHECK(merged(vectorKernel(apart)).between(Pipe::MTE2, Pipe::V).empty());
}

TEST_CASE("merged flags: neighbours, and as many as fit") {
  std::string three = kBuffers + "  TLOAD(v1, g);\n  TLOAD(v2, h);\n  TLOAD(v3, k);\n  TADDS(v1, v1, 1.0f);\n" +
                      "  TADDS(v2, v2, 1.0f);\n  TADDS(v3, v3, 1.0f);\n";
  std::vector<std::uint32_t> merges;
  Merged kernel = merged(vectorKernel(three));
  for (const Proposal *flag : kernel.between(Pipe::MTE2, Pipe::V))
    merges.push_back(flag->merges);
  CHECK(merges == std::vector<std::uint32_t>{2, 3, 2});
}

TEST_CASE("merged flags: rings of one loop") {
  Merged loop =
      merged(vectorKernel(kBuffers + "  for (int32_t i = 0; i < n; ++i) {\n    TLOAD(v1, g);\n    TLOAD(v2, h);\n" +
                          "    TADDS(v1, v1, 1.0f);\n    TADDS(v2, v2, 1.0f);\n  }\n"));
  std::vector<const Proposal *> rings = loop.between(Pipe::V, Pipe::MTE2);
  REQUIRE(rings.size() == 1);
  CHECK(rings[0]->merges == 2);
  const std::vector<NewSync> &syncs = rings[0]->syncs;
  REQUIRE(syncs.size() == 4);
  // Waited for in front of the first load, set behind the last addition.
  CHECK((syncs[1].kind == SyncKind::WaitFlag && !syncs[1].place.behind));
  CHECK((syncs[2].kind == SyncKind::SetFlag && syncs[2].place.behind));
  CHECK(syncs[1].place.child + 3 == syncs[2].place.child);
  CHECK(rings[0]->reasonOf(syncs[1]).laterLine == loop.line(syncs[1]));
  CHECK(rings[0]->reasonOf(syncs[2]).earlierLine == loop.line(syncs[2]));
}

TEST_CASE("merged flags: rings of loops that follow one another") {
  Merged loops = merged(vectorKernel(kBuffers + sweep("i", "v1") + sweep("j", "v1") + sweep("k", "v2")));
  std::vector<const Proposal *> rings = loops.between(Pipe::V, Pipe::MTE2);
  REQUIRE(rings.size() == 1);
  CHECK(rings[0]->merges == 3);
  REQUIRE(rings[0]->syncs.size() == 8);
  const std::vector<NewSync> &syncs = rings[0]->syncs;
  CHECK((syncs.front().kind == SyncKind::SetFlag && !syncs.front().place.behind));
  CHECK((syncs.back().kind == SyncKind::WaitFlag && syncs.back().place.behind));
  CHECK(syncs.front().place.list == syncs.back().place.list);
  CHECK(syncs.front().place.child + 2 == syncs.back().place.child); // the first and the last of the three loops
  for (std::size_t i = 1; i < 7; ++i) {
    CHECK(syncs[i].kind == (i % 2 == 1 ? SyncKind::WaitFlag : SyncKind::SetFlag));
    CHECK(rings[0]->reasonOf(syncs[i]).laterLine >= loops.line(syncs[i]) - 1);
  }
}

TEST_CASE("merged flags: rings in a loop, primed in front of it or in it") {
  Merged nested = merged(
      vectorKernel(kBuffers + "  for (int32_t r = 0; r < n; ++r) {\n" + sweep("i", "v1") + sweep("j", "v1") + "  }\n"));
  std::vector<const Proposal *> rings = nested.between(Pipe::V, Pipe::MTE2);
  REQUIRE(rings.size() == 2);
  for (const Proposal *ring : rings)
    CHECK(ring->merges == 2);
  CHECK(rings[0]->syncs.front().place.list != rings[1]->syncs.front().place.list);
  // One loop alone has nobody to share with.
  CHECK(merged(vectorKernel(kBuffers + sweep("i", "v1"))).between(Pipe::V, Pipe::MTE2).empty());
}

using namespace ptosync::synthesis;

namespace {

llvm::Expected<ProposedKernel> proposedFor(const Module &module, Range range = Range::All) {
  StatementTree tree = llvm::cantFail(StatementTree::read(module.kernels.front()));
  RequiredOrder order = llvm::cantFail(requiredOrder(module, 0, tree, machineOf("a3"), {}));
  return proposedKernel(module, 0, order, tree, range, machineOf("a3").withEndlessIds(), {}, lifter());
}

/// Pairs of flags at one place, each the other's way back.
std::size_t meetings(const ProposedKernel &proposed) {
  std::size_t count = 0;
  for (const Proposal &proposal : proposed.proposals)
    count += proposal.handshake != kNone && proposal.syncs.size() == 2 &&
             proposal.syncs[0].place.child == proposal.syncs[1].place.child && !proposal.syncs[0].place.behind &&
             !proposal.syncs[1].place.behind && proposal.shape == FlagShape::Other;
  return count;
}

std::string errorOf(llvm::Expected<ProposedKernel> proposed) {
  REQUIRE_FALSE(bool(proposed));
  return llvm::toString(proposed.takeError());
}

/// One arm adds to what the other arm stores, some iterations later; `sync` in front of each iteration.
std::string apart(const std::string &sync) {
  return vectorKernel(
      tile("v1", "float", 16, 64, 0) + "  for (int32_t i = 0; i < n; ++i) {\n" + tensor("h", "out", "i") + sync +
      "    if (i < n / 2) {\n      TADDS(v1, v1, 1.0f);\n    } else {\n      TSTORE(h, v1);\n    }\n  }\n");
}

} // namespace

TEST_CASE("what is proposed for a plain loop is enough") {
  for (const std::string &text : {serialLoop(), loopKernel({}), slotLoop("2")}) {
    Module module = lift(text);
    ProposedKernel proposed = llvm::cantFail(proposedFor(module));
    CHECK(proposed.size.proposals > 0);
    CHECK(proposed.size.events > 0);
    CHECK(proposed.size.words > 0);
    CHECK(meetings(proposed) == 0);
  }
}

TEST_CASE("where a flag could be set again too early either way, the pipes meet") {
  for (const char *sync : {"", "    pipe_barrier(PIPE_ALL);\n"}) { // which would hide that nothing else is enough
    CAPTURE(sync);
    Module module = lift(apart(sync));
    CHECK(meetings(llvm::cantFail(proposedFor(module))) > 0);
  }
}

TEST_CASE("what cannot be ordered, and what needs nothing, is an error") {
  // A helper that is called twice: nothing is put into it.
  std::string text = vectorKernel(tile("v1", "float", 1, 8, 0) + "  twice(v1);\n  twice(v1);\n");
  std::string helper = "static AICORE void twice(Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8,"
                       " SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v9) {\n  TADDS(v9, v9, 1.0f);\n"
                       "  TMULS(v9, v9, 2.0f);\n}\n";
  text.insert(text.find("extern \"C\""), helper);
  Module module = lift(text);
  CHECK(errorOf(proposedFor(module)).find("is seen to order TADDS(v9, v9, 1.0f) before TMULS") != std::string::npos);
  Module empty = lift(vectorKernel(tile("v1", "float", 1, 8, 0) + "  TADDS(v1, v1, 1.0f);\n"));
  CHECK(errorOf(proposedFor(empty)).find("nothing in it needs an order") == 0);
}

TEST_CASE("several ids for a flag, or nothing") {
  Module two = lift(slotLoop("2")), one = lift(serialLoop());
  ProposedKernel proposed = llvm::cantFail(proposedFor(two, Range::Slots));
  CHECK(std::any_of(proposed.proposals.begin(), proposed.proposals.end(),
                    [](const Proposal &proposal) { return proposal.slots == 2; }));
  CHECK(errorOf(proposedFor(one, Range::Slots)).find("no flag has an id") == 0);
}

using namespace ptosync::synthesis;

namespace {

struct WithProposals {
  Module module;
  ProposedKernel kernel;
};

WithProposals loopWithProposals(const std::string &source, std::vector<Proposal> more = {}) {
  Module module = lift(source);
  StatementTree tree = llvm::cantFail(StatementTree::read(module.kernels.front()));
  RequiredOrder order = llvm::cantFail(requiredOrder(module, 0, tree, machineOf("a3"), {}));
  std::vector<Proposal> proposals = proposalsFor(order, tree);
  proposals.insert(proposals.end(), more.begin(), more.end());
  ProposedKernel kernel = llvm::cantFail(
      withProposals(module, 0, tree, std::move(proposals), machineOf("a3").withEndlessIds(), {}, lifter()));
  return {std::move(module), std::move(kernel)};
}

} // namespace

TEST_CASE("everything that is proposed stands in the text beside what was there") {
  WithProposals loop = loopWithProposals(serialLoop());
  const ProposedKernel &proposed = loop.kernel;
  std::size_t statements = 0;
  for (std::size_t i = 0; i < proposed.proposals.size(); ++i) {
    CHECK(proposed.sites[i].size() == proposed.proposals[i].syncs.size());
    statements += proposed.sites[i].size();
  }
  CHECK(statements > 0);
  CHECK(sitesOf(proposed.kernel()).size() == sitesOf(loop.module.kernels.front()).size() + statements);
  std::vector<SiteId> origins;
  for (SiteId origin : proposed.origins())
    if (origin != kNone)
      origins.push_back(origin);
  REQUIRE(origins.size() == loop.module.sites.size());
  for (SiteId site = 0; site < proposed.origins().size(); ++site)
    if (SiteId origin = proposed.origins()[site]; origin != kNone)
      CHECK(proposed.module().sites[site].text == loop.module.sites[origin].text);
}

TEST_CASE("all that needs an order has one once everything that is proposed is there") {
  WithProposals loop = loopWithProposals(loopKernel({}));
  Machine machine = machineOf("a3").withEndlessIds();
  Program program = llvm::cantFail(buildProgram(loop.kernel.kernel(), machine, {}));
  Pending pending(program);
  CHECK(pending.open().empty());
  CHECK(pending.tokenFaults().empty());
}

TEST_CASE("a flag that is not binary is left out") {
  // Set in the loop, waited for behind it.
  WithProposals loop = loopWithProposals(serialLoop());
  Proposal bad = *std::find_if(loop.kernel.proposals.begin(), loop.kernel.proposals.end(),
                               [](const Proposal &proposal) { return proposal.syncs.size() == 4; });
  std::swap(bad.syncs[1], bad.syncs[3]);
  bad.syncs.resize(3);
  std::size_t good = loop.kernel.proposals.size();
  CHECK(loopWithProposals(serialLoop(), {bad}).kernel.proposals.size() == good);
}

TEST_CASE("a flag that only some trips use is put in too") {
  auto loop = [](const std::string &condition) {
    return vectorKernel(tile("v1", "float", 16, 64, 0) + "  for (int32_t i = 0; i < n; ++i) {\n" +
                        tensor("g", "in", "i") + tensor("h", "out", "i") + "    if (" + condition +
                        ") {\n    TLOAD(v1, g);\n    TSTORE(h, v1);\n    }\n  }\n");
  };
  auto rings = [](const WithProposals &kernel) {
    return std::count_if(kernel.kernel.proposals.begin(), kernel.kernel.proposals.end(),
                         [](const Proposal &proposal) { return proposal.shape == FlagShape::Backward; });
  };
  CHECK(rings(loopWithProposals(loop("i > n / 2"))) > 0);
  CHECK(rings(loopWithProposals(loop("i >= 0"))) > 0);
}
