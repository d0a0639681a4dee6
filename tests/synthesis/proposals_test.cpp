#include "synthesis/proposals.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

struct Proposed {
  Module module;
  KernelText text;
  std::vector<Proposal> proposals;
};

Proposed propose(const std::string &source) {
  Proposed result{lift(source), {}, {}};
  result.text = llvm::cantFail(KernelText::read(result.module.kernels.front(), result.module.source));
  RequiredOrder order = llvm::cantFail(requiredOrder(result.module, 0, result.text, machineOf("a3"), {}));
  result.proposals = proposalsFor(order, result.text.tree());
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
