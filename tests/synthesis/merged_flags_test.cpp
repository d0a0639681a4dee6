#include "synthesis/merged_flags.h"
#include "synthesis/proposals.h"
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
