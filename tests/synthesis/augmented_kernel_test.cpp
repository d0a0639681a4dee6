#include "synthesis/augmented_kernel.h"
#include "synthesis/proposals.h"
#include "synthesis/statement_tree.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

struct Augmentation {
  Module module;
  AugmentedKernel augmented;
};

Augmentation augmentedLoop(const std::string &source, std::vector<Proposal> more = {}) {
  Augmentation result{lift(source), {}};
  StatementTree tree = llvm::cantFail(StatementTree::read(result.module.kernels.front()));
  RequiredOrder order = llvm::cantFail(requiredOrder(result.module, 0, tree, machineOf("a3"), {}));
  std::vector<Proposal> proposals = proposalsFor(order, tree);
  proposals.insert(proposals.end(), more.begin(), more.end());
  result.augmented = llvm::cantFail(
      augment(result.module, 0, tree, std::move(proposals), machineOf("a3").withEndlessIds(), {}, lifter()));
  return result;
}

} // namespace

TEST_CASE("everything that is proposed stands in the text beside what was there") {
  Augmentation loop = augmentedLoop(serialLoop());
  const AugmentedKernel &augmented = loop.augmented;
  std::size_t statements = 0;
  for (std::size_t i = 0; i < augmented.proposals.size(); ++i) {
    CHECK(augmented.sites[i].size() == augmented.proposals[i].syncs.size());
    statements += augmented.sites[i].size();
  }
  CHECK(statements > 0);
  CHECK(sitesOf(augmented.module->kernels[augmented.kernel]).size() ==
        sitesOf(loop.module.kernels.front()).size() + statements);
  std::vector<SiteId> origins;
  for (SiteId origin : augmented.originOf)
    if (origin != kNone)
      origins.push_back(origin);
  REQUIRE(origins.size() == loop.module.sites.size());
  for (SiteId site = 0; site < augmented.originOf.size(); ++site)
    if (SiteId origin = augmented.originOf[site]; origin != kNone)
      CHECK(augmented.module->sites[site].text == loop.module.sites[origin].text);
}

TEST_CASE("all that needs an order has one once everything that is proposed is there") {
  Augmentation loop = augmentedLoop(loopKernel({}));
  Machine machine = machineOf("a3").withEndlessIds();
  Program program = llvm::cantFail(buildProgram(loop.augmented.module->kernels[loop.augmented.kernel], machine, {}));
  Pending pending(program);
  CHECK(pending.open().empty());
  CHECK(pending.tokenFaults().empty());
}

TEST_CASE("a flag that is not binary is left out") {
  // Set in the loop, waited for behind it.
  Augmentation loop = augmentedLoop(serialLoop());
  Proposal bad = *std::find_if(loop.augmented.proposals.begin(), loop.augmented.proposals.end(),
                               [](const Proposal &proposal) { return proposal.syncs.size() == 4; });
  std::swap(bad.syncs[1], bad.syncs[3]);
  bad.syncs.resize(3);
  std::size_t good = loop.augmented.proposals.size();
  CHECK(augmentedLoop(serialLoop(), {bad}).augmented.proposals.size() == good);
}

TEST_CASE("a flag that only some trips use is put in too") {
  auto loop = [](const std::string &condition) {
    return vectorKernel(tile("v1", "float", 16, 64, 0) + "  for (int32_t i = 0; i < n; ++i) {\n" +
                        tensor("g", "in", "i") + tensor("h", "out", "i") + "    if (" + condition +
                        ") {\n    TLOAD(v1, g);\n    TSTORE(h, v1);\n    }\n  }\n");
  };
  auto rings = [](const Augmentation &kernel) {
    return std::count_if(kernel.augmented.proposals.begin(), kernel.augmented.proposals.end(),
                         [](const Proposal &proposal) { return proposal.shape == FlagShape::Backward; });
  };
  CHECK(rings(augmentedLoop(loop("i > n / 2"))) > 0);
  CHECK(rings(augmentedLoop(loop("i >= 0"))) > 0);
}
