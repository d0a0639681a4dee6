#include "synthesis/proposed_kernel.h"
#include "synthesis/statement_tree.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
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
  for (const Proposal &proposal : proposed.augmented.proposals)
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
  CHECK(std::any_of(proposed.augmented.proposals.begin(), proposed.augmented.proposals.end(),
                    [](const Proposal &proposal) { return proposal.slots == 2; }));
  CHECK(errorOf(proposedFor(one, Range::Slots)).find("no flag has an id") == 0);
}
