#include "synthesis/proposals.h"
#include "synthesis/required_order.h"
#include "synthesis/synthesised.h"
#include "synthesis/trial_kernel.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

using namespace ptosync::synthesis;

namespace {

/// A barrier in front of the child of the outermost list that begins with a text.
SyncChange barrierInFrontOf(const Module &module, const std::string &what) {
  StatementTree tree = llvm::cantFail(StatementTree::read(module.kernels[0]));
  const auto &body = tree.lists()[0];
  for (std::uint32_t child = 0; child < body.children.size(); ++child)
    if (module.source.text().compare(body.children[child].begin, what.size(), what) == 0) {
      Proposal proposal{Pipe::V, Pipe::V, {{SyncKind::Barrier, {0, child, false, 0}}}, {}};
      return {additionsOf(proposal, -1, module.source, tree), {}};
    }
  throw std::runtime_error("no such statement: " + what);
}

std::string twoAdditions(const std::string &between) {
  return vectorKernel(tile("v1", "float", 1, 64, 0) + "  TADDS(v1, v1, 1.0f);\n" + between +
                      "  TMULS(v1, v1, 2.0f);\n");
}

std::size_t openPairs(const Kernel &kernel) {
  return llvm::cantFail(analyseKernel(kernel, machineOf("a3"), {})).open.size();
}

} // namespace

TEST_CASE("trial kernel: a choice is the kernel with what was chosen and without the rest") {
  Module module = lift(twoAdditions(""));
  TrialKernel trial = llvm::cantFail(TrialKernel::read(module, 0, {}, {barrierInFrontOf(module, "TMULS")}, lifter()));
  REQUIRE(trial.fits(0));
  CHECK(trial.sitesOf(0).size() == 1);
  CHECK(openPairs(trial.with({})) == openPairs(module.kernels[0]));
  CHECK(openPairs(trial.with({})) > 0);
  CHECK(openPairs(trial.with({0})) == 0);
}

TEST_CASE("trial kernel: removals of a change and of the base are in every choice") {
  Module module = lift(twoAdditions("  pipe_barrier(PIPE_V);\n"));
  SyncChange base;
  base.removed = {0};
  TrialKernel trial = llvm::cantFail(TrialKernel::read(module, 0, base, {barrierInFrontOf(module, "TMULS")}, lifter()));
  CHECK(openPairs(module.kernels[0]) == 0);
  CHECK(openPairs(trial.with({})) > 0);
  CHECK(openPairs(trial.with({0})) == 0);
  CHECK(trial.origins()[*trial.sitesOf(0).begin()] == kNone);
}

TEST_CASE("trial kernel: a place that takes a keep comment from its sync is refused") {
  Module module = lift(twoAdditions("  // ptosync: keep(timing)\n  pipe_barrier(PIPE_V);\n"));
  llvm::Expected<TrialKernel> trial =
      TrialKernel::read(module, 0, {}, {barrierInFrontOf(module, "pipe_barrier(PIPE_V)")}, lifter());
  REQUIRE_FALSE(static_cast<bool>(trial));
  CHECK(llvm::toString(trial.takeError()).find("keep comment") != std::string::npos);
}

TEST_CASE("trial kernel: the text of changes is what the choice stands for") {
  Module module = lift(twoAdditions("  pipe_barrier(PIPE_V);\n"));
  SyncChange removal, addition = barrierInFrontOf(module, "TMULS");
  removal.removed = {0};
  Module without = lift(llvm::cantFail(changedText(module, {&removal})));
  CHECK(openPairs(without.kernels[0]) > 0);
  Module both = lift(llvm::cantFail(changedText(module, {&removal, &addition})));
  CHECK(openPairs(both.kernels[0]) == 0);
}

TEST_CASE("trial kernel: a text that was read is not read again") {
  std::size_t reads = 0;
  const Lift counted = [&](const std::string &text) -> llvm::Expected<Module> {
    ++reads;
    return lifter()(text);
  };
  const Lift remembered = remembering(counted);
  const std::string one = twoAdditions(""), other = twoAdditions("  pipe_barrier(PIPE_V);\n");
  for (const std::string &text : {one, other, one, other})
    CHECK(llvm::cantFail(remembered(text)).source.text() == text);
  CHECK(reads == 2);
  CHECK(llvm::cantFail(remembered(other)).sites.size() == llvm::cantFail(remembered(one)).sites.size() + 1);
  llvm::consumeError(remembered("not C++").takeError()); // what cannot be read is not remembered
  llvm::consumeError(remembered("not C++").takeError());
  CHECK(reads == 4);
}

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
