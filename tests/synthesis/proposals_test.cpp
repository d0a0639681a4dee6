#include "synthesis/proposals.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

struct Proposed {
  Module module;
  StatementTree tree;
  std::vector<Proposal> proposals;
};

Proposed propose(const std::string &source, Range range = Range::All) {
  Proposed result{lift(source), {}, {}};
  result.tree = llvm::cantFail(StatementTree::read(result.module.kernels.front()));
  RequiredOrder order = llvm::cantFail(requiredOrder(result.module, 0, result.tree, machineOf("a3"), {}));
  result.proposals = proposalsFor(order, result.tree, range);
  return result;
}

std::size_t count(const Proposed &proposed, Pipe source, Pipe destination, std::size_t statements) {
  return static_cast<std::size_t>(
      std::count_if(proposed.proposals.begin(), proposed.proposals.end(), [&](const Proposal &proposal) {
        return proposal.source == source && proposal.destination == destination && proposal.syncs.size() == statements;
      }));
}

} // namespace

TEST_CASE("a pair of one iteration gets a set behind its producer and a wait in front of its consumer") {
  Proposed proposed = propose(loopKernel({}));
  REQUIRE(count(proposed, Pipe::MTE2, Pipe::V, 2) >= 1);
  auto flag = std::find_if(proposed.proposals.begin(), proposed.proposals.end(), [](const Proposal &proposal) {
    return proposal.source == Pipe::V && proposal.destination == Pipe::MTE3 && proposal.syncs.size() == 2;
  });
  REQUIRE(flag != proposed.proposals.end());
  CHECK(flag->syncs[0].kind == SyncKind::SetFlag);
  CHECK(flag->syncs[0].place.behind);
  CHECK_FALSE(flag->syncs[1].place.behind);
  CHECK(flag->syncs[0].place.child < flag->syncs[1].place.child);
}

TEST_CASE("a pair carried round a loop gets flags that are primed in front of it and drained behind it") {
  Proposed proposed = propose(loopKernel({}));
  CHECK(count(proposed, Pipe::V, Pipe::MTE2, 4) >= 2); // behind the producer, and a trip later
  for (const Proposal &proposal : proposed.proposals)
    if (proposal.syncs.size() == 4) {
      CHECK(proposal.syncs[0].place.list == 0);
      CHECK(proposal.syncs[3].place.list == 0);
      CHECK(proposal.syncs[3].place.behind);
      CHECK(proposal.syncs[1].place.list == proposal.syncs[2].place.list);
    }
}

TEST_CASE("a pair carried round a loop also gets a flag that is set where it is waited for, and needs no priming") {
  Proposed proposed = propose(loopKernel({}));
  auto inPlace = std::find_if(proposed.proposals.begin(), proposed.proposals.end(), [](const Proposal &proposal) {
    return proposal.source == Pipe::V && proposal.destination == Pipe::MTE2 && proposal.shape == FlagShape::InPlace;
  });
  REQUIRE(inPlace != proposed.proposals.end());
  REQUIRE(inPlace->syncs.size() == 2);
  CHECK(inPlace->syncs[0].kind == SyncKind::SetFlag);
  CHECK(inPlace->syncs[1].kind == SyncKind::WaitFlag);
  CHECK(inPlace->syncs[0].place < inPlace->syncs[1].place);
  CHECK(inPlace->syncs[0].place.child == inPlace->syncs[1].place.child);
}

TEST_CASE("of flags that differ in width only the wider one is proposed") {
  std::string body = tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) + tensor("g", "in", "0") +
                     tensor("h", "in", "1") +
                     "  TLOAD(v1, g);\n  TLOAD(v2, h);\n  TADDS(v2, v2, 1.0f);\n  TADDS(v1, v1, 1.0f);\n";
  // The load of v2, which is later, is waited for earlier: that covers v1 too.
  CHECK(count(propose(vectorKernel(body)), Pipe::MTE2, Pipe::V, 2) == 1);
}

TEST_CASE("pairs of one pipe get barriers") {
  std::string body = tile("v1", "float", 1, 8, 0) + "  TADDS(v1, v1, 1.0f);\n  TMULS(v1, v1, 2.0f);\n";
  Proposed proposed = propose(vectorKernel(body));
  CHECK(count(proposed, Pipe::V, Pipe::V, 1) == 1);
}

TEST_CASE("an arm gets flags of its own") {
  std::string body = tile("v1", "float", 16, 64, 0) + tensor("g", "in", "0") +
                     "  if (n > 3) {\n    TLOAD(v1, g);\n  }\n  TADDS(v1, v1, 1.0f);\n";
  Proposed proposed = propose(vectorKernel(body));
  CHECK(count(proposed, Pipe::MTE2, Pipe::V, 2) == 2); // around the whole branch, and inside it
}

TEST_CASE("storage that lasts for several iterations gets flags with an id for each") {
  Proposed proposed = propose(slotLoop("2"), Range::Slots);
  auto with = [&](Pipe source, Pipe destination, std::size_t statements) {
    return std::find_if(proposed.proposals.begin(), proposed.proposals.end(), [&](const Proposal &proposal) {
      return proposal.slots == 2 && proposal.source == source && proposal.destination == destination &&
             proposal.syncs.size() == statements;
    });
  };
  auto forward = with(Pipe::MTE2, Pipe::V, 2), back = with(Pipe::V, Pipe::MTE2, 6);
  REQUIRE(forward != proposed.proposals.end());
  CHECK(forward->counter == "i");
  CHECK((forward->syncs[0].counted && forward->syncs[1].counted));
  REQUIRE(back != proposed.proposals.end());
  // Both ids primed and drained, the wait in front of the set, on the same id.
  std::vector<std::uint32_t> slots;
  for (const NewSync &sync : back->syncs)
    slots.push_back(sync.slot);
  CHECK(slots == std::vector<std::uint32_t>{0, 1, 0, 0, 0, 1});
  CHECK(back->syncs[2].kind == SyncKind::WaitFlag);
  CHECK((back->syncs[2].counted && back->syncs[3].counted && !back->syncs[0].counted && !back->syncs[5].counted));
  CHECK(with(Pipe::V, Pipe::MTE2, 4) == proposed.proposals.end()); // how often the loop runs is not known
  for (const Proposal &proposal : propose(slotLoop("2")).proposals)
    CHECK(proposal.slots == 1);
  for (const Proposal &proposal : propose(slotLoop("7"), Range::Slots).proposals)
    CHECK(proposal.slots == 1); // more than any flag has
}

TEST_CASE("in a loop of known length what comes before its wait in the text is primed and drained by where it ends") {
  // Each load is used in the next iteration but one.
  std::string place =
      "    TASSIGN(v1, (uint64_t) ((i + 2) % 3 * 4096));\n    TASSIGN(v2, (uint64_t) (i % 3 * 4096));\n";
  Proposed proposed = propose(vectorKernel("  for (int32_t i = 0; i < 64; ++i) {\n" + tensor("g", "in", "i") +
                                           tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 0) + place +
                                           "    TLOAD(v1, g);\n    TADDS(v2, v2, 1.0f);\n  }\n"),
                              Range::Slots);
  auto found = std::find_if(proposed.proposals.begin(), proposed.proposals.end(), [&](const Proposal &proposal) {
    return proposal.slots == 3 && proposal.source == Pipe::MTE2 && proposal.syncs.size() == 6;
  });
  REQUIRE(found != proposed.proposals.end());
  std::vector<std::uint32_t> slots;
  for (const NewSync &sync : found->syncs)
    slots.push_back(sync.slot);
  CHECK(slots == std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2}); // 64 and 65 by 3
  CHECK((found->syncs[2].kind == SyncKind::SetFlag && found->syncs[2].counted));
}

TEST_CASE("a loop that one of the two is in alone gets a wait in its first trip, or a set in its last") {
  // Loaded in front of the inner loop and read in the middle of its body.
  auto body = [](const std::string &bound, const std::string &front, const std::string &back) {
    return vectorKernel(tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) +
                        "  for (int32_t i = 0; i < n; ++i) {\n" + tensor("g", "in", "i") +
                        "    TLOAD(v1, g);\n    for (int32_t k = 0; k < " + bound + "; ++k) {\n" + front +
                        "      TADD(v2, v2, v1);\n" + back + "    }\n  }\n");
  };
  const std::string other = "      TMULS(v2, v2, 2.0f);\n";
  auto guards = [](const Proposed &proposed) {
    std::set<std::string> found;
    for (const Proposal &proposal : proposed.proposals)
      for (const NewSync &sync : proposal.syncs)
        if (!sync.guard.empty()) {
          CHECK(proposal.shape == FlagShape::Peeled);
          CHECK(sync.place.list != proposal.syncs[sync.kind == SyncKind::SetFlag ? 1 : 0].place.list);
          found.insert((sync.kind == SyncKind::SetFlag ? "set " : "wait ") + sync.guard);
        }
    return found;
  };
  using Guards = std::set<std::string>;
  CHECK(guards(propose(body("4", other, other), Range::Trips)) == Guards{"wait k == 0", "set k == 3"});
  CHECK(guards(propose(body("4", other, ""), Range::Trips)) == Guards{"wait k == 0"});
  CHECK(guards(propose(body("4", "", other), Range::Trips)) == Guards{"set k == 3"});
  CHECK(guards(propose(body("4", other, other))).empty());
  CHECK(guards(propose(body("n", other, other), Range::Trips)).empty()); // it may not run at all
}

TEST_CASE("two pipes meet in front of the later statement, once for each place") {
  Module module = lift(serialLoop());
  StatementTree tree = llvm::cantFail(StatementTree::read(module.kernels.front()));
  RequiredOrder order = llvm::cantFail(requiredOrder(module, 0, tree, machineOf("a3"), {}));
  std::vector<Proposal> meetings = meetingsFor(order);
  // Load and addition, addition and store: in front of either of the two.
  REQUIRE(meetings.size() == 8);
  for (std::size_t i = 0; i < meetings.size(); i += 2) {
    const Proposal &flag = meetings[i], &answer = meetings[i + 1];
    CHECK(flag.source == answer.destination);
    CHECK(flag.destination == answer.source);
    CHECK(flag.handshake == answer.handshake);
    CHECK((i == 0 || flag.handshake != meetings[i - 1].handshake));
    std::vector<NewSync> syncs = flag.syncs;
    syncs.insert(syncs.end(), answer.syncs.begin(), answer.syncs.end());
    REQUIRE(syncs.size() == 4);
    for (std::size_t k = 0; k < 4; ++k) {
      CHECK(syncs[k].kind == (k % 2 == 0 ? SyncKind::SetFlag : SyncKind::WaitFlag));
      CHECK_FALSE(syncs[k].place.behind);
      CHECK((k == 0 || syncs[k - 1].place < syncs[k].place));
    }
  }
}

TEST_CASE("what a core does not have is not proposed to it") {
  Proposal barrier{Pipe::V, Pipe::V, {}, {}}, flag{Pipe::MTE2, Pipe::V, {}, {}};
  CHECK(isLegal(barrier, machineOf("a3"), Section::Vec));
  CHECK_FALSE(isLegal(barrier, machineOf("a5"), Section::Vec));
  CHECK(isLegal(flag, machineOf("a3"), Section::Vec));
  CHECK_FALSE(isLegal(flag, machineOf("a3"), Section::Cube));
}
