#include "rewrite/sync_edits.h"
#include "synthesis/edited_kernel.h"
#include "synthesis/kernel_state.h"
#include "synthesis/proposals.h"
#include "synthesis/required_order.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>
#include <regex>

using namespace ptosync;
using namespace ptosync::test;

using namespace ptosync::synthesis;

namespace {

/// A barrier in front of the child of the outermost list that begins with a text.
SyncPlan barrierInFrontOf(const Module &module, const std::string &what) {
  StatementTree tree = llvm::cantFail(StatementTree::read(module.kernels[0]));
  const auto &body = tree.lists()[0];
  for (std::uint32_t child = 0; child < body.children.size(); ++child)
    if (module.source.text().compare(body.children[child].begin, what.size(), what) == 0) {
      Proposal proposal{Pipe::V, Pipe::V, {{SyncKind::Barrier, {0, child, false, 0}}}, {}};
      SyncPlan plan;
      plan.added = additionsOf(proposal, -1, module.source, tree);
      return plan;
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
  SyncPlan base;
  base.removed[0];
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
  SyncPlan removal, addition = barrierInFrontOf(module, "TMULS");
  removal.removed[0];
  Module without = lift(llvm::cantFail(patchedText(module, removal)));
  CHECK(openPairs(without.kernels[0]) > 0);
  Module both = lift(llvm::cantFail(patchedText(module, joined({removal, addition}))));
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

namespace {

/// The kernel as it is printed, without its lines.
std::string printed(const Kernel &kernel) {
  return std::regex_replace(printKernel(kernel), std::regex("\n +[0-9]+: "), "\n  ");
}

/// A barrier in front of every child of every list, and one behind it.
std::vector<SyncPlan> barriersEverywhere(const Module &module, const StatementTree &tree) {
  std::vector<SyncPlan> plans;
  for (ListId list = 0; list < tree.lists().size(); ++list)
    for (std::uint32_t child = 0; child < tree.lists()[list].children.size(); ++child)
      for (bool behind : {false, true}) {
        Proposal proposal{Pipe::MTE2, Pipe::MTE2, {{SyncKind::Barrier, {list, child, behind, 0}}}, {}};
        plans.emplace_back().added = additionsOf(proposal, -1, module.source, tree);
      }
  return plans;
}

/// A kernel on few lines, with a call's arguments apart and a branch without braces.
std::string oddLayout() {
  return vectorKernel(tile("v1", "float", 1, 64, 0) + "  TADDS(v1,\n    v1, 1.0f); pipe_barrier(PIPE_V); /* x */ "
                                                      "TMULS(v1, v1, 2.0f); if (n > 3)\n    TADDS(v1, v1, 3.0f);\n"
                                                      "  for (int32_t i = 0; i < n; ++i) { TADDS(v1, v1, 4.0f); }\n");
}

} // namespace

TEST_CASE("trial kernel: a choice is the kernel that its text alone is, at every place") {
  for (const std::string &text :
       {serialLoop(), slotLoop("2"), oddLayout(), readText(corpusPath("branch_arms/kernel.cpp"))}) {
    const Module module = lift(text);
    const StatementTree tree = llvm::cantFail(StatementTree::read(module.kernels[0]));
    const std::vector<SyncPlan> plans = barriersEverywhere(module, tree);
    const TrialKernel trial = llvm::cantFail(TrialKernel::read(module, 0, {}, plans, lifter()));
    std::size_t seen = 0;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (!trial.fits(i))
        continue;
      CAPTURE(i, plans[i].added[0].place.offset);
      const Module alone = lift(llvm::cantFail(patchedText(module, plans[i])));
      CHECK(printed(trial.with({i})) == printed(alone.kernels[0]));
      ++seen;
    }
    CHECK(seen > plans.size() / 2);
    CHECK(printed(trial.with({})) == printed(module.kernels[0]));
  }
}

TEST_CASE("edited file: each site is known by where it stands, and each byte by where it came from") {
  for (const std::string &text : {serialLoop(), oddLayout()}) {
    const Module module = lift(text);
    const StatementTree tree = llvm::cantFail(StatementTree::read(module.kernels[0]));
    SyncPlan plan = joined(barriersEverywhere(module, tree));
    plan.removed[0] = {"p", {}};
    const EditedFile file = llvm::cantFail(EditedFile::read(module, plan, lifter()));
    const Module &edited = file.module();
    REQUIRE(file.addedSites().size() == plan.added.size());
    for (std::size_t i = 0; i < plan.added.size(); ++i)
      if (SiteId site = file.addedSites()[i]; site != kNone) {
        CHECK(edited.sites[site].text + ";" == plan.added[i].statement);
        CHECK(file.origins()[site] == kNone);
        CHECK(edited.sites[site].line >= module.source.position(plan.added[i].place.offset).line);
      }
    std::set<SiteId> found;
    for (SiteId site = 0; site < edited.sites.size(); ++site)
      if (SiteId origin = file.origins()[site]; origin != kNone) {
        found.insert(origin);
        CHECK(file.inputOffset(edited.sites[site].range.begin) == module.sites[origin].range.begin);
        CHECK(file.inputLine(edited.sites[site].line) == module.sites[origin].line);
      }
    CHECK(found.size() == module.sites.size() - 1);
    CHECK_FALSE(found.count(0));
    const std::string &before = module.source.text(), &after = edited.source.text();
    std::size_t copied = 0;
    for (std::uint32_t at = 0; at + 1 < after.size(); ++at)
      if (std::optional<std::uint32_t> from = file.inputOffset(at); from && file.inputOffset(at + 1) == *from + 1) {
        CHECK(after[at] == before[*from]);
        ++copied;
      }
    CHECK(copied > before.size() / 2);
  }
}

TEST_CASE("edited file: a text that loses a sync of the input, or has another one, cannot be used") {
  const Module module = lift(serialLoop());
  SyncPlan plan = barrierInFrontOf(module, "for (");
  plan.added[0].statement = "if (false) { pipe_barrier(PIPE_V); } /*";
  CHECK_FALSE(llvm::toString(EditedFile::read(module, plan, lifter()).takeError()).empty());
  plan.added[0].statement = "pipe_barrier(PIPE_V); pipe_barrier(PIPE_V);";
  CHECK(llvm::toString(EditedFile::read(module, plan, lifter()).takeError()) ==
        "with syncs put in it does not have the syncs that it had");
}
