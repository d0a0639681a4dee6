#include "synthesis/trial_kernel.h"

#include "synthesis/kernel_state.h"
#include "synthesis/statement_tree.h"
#include "synthesis/sync_text.h"
#include "synthesis/synthesised.h"

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
