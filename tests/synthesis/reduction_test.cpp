#include "synthesis/proposals.h"
#include "synthesis/proposed_kernel.h"
#include "synthesis/reduction.h"
#include "synthesis/required_order.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

using namespace ptosync::synthesis;

TEST_CASE("work limit: what is spent is gone, and no more than there is") {
  WorkLimit limit(100);
  CHECK_FALSE(limit.exhausted());
  CHECK_FALSE(limit.exceededBy(99));
  CHECK(limit.exceededBy(100));
  limit.spend(60);
  CHECK(limit.share(4).exceededBy(10));
  CHECK_FALSE(limit.share(4).exceededBy(9));
  limit.spend(60);
  CHECK(limit.exhausted());
  CHECK(limit.spent() == 120);
  CHECK(limit.share(2).spent() == 0);
}

TEST_CASE("work limit: a time that is over ends every search") {
  WorkLimit limit(100, Allowance({0.0}));
  CHECK(limit.exhausted());
  CHECK(limit.exceededBy(0));
  CHECK(limit.share(2).exhausted());
}

using namespace ptosync::synthesis;

namespace {

struct Reduced {
  Module module;
  std::optional<ProposedKernel> proposed;
  Reduction reduction;
};

Reduced reduced(const std::string &source, Preference preference, std::uint64_t work = UINT64_MAX) {
  Reduced result{lift(source), {}, {}};
  Machine machine = machineOf("a3").withEndlessIds();
  StatementTree tree = llvm::cantFail(StatementTree::read(result.module.kernels.front()));
  RequiredOrder order = llvm::cantFail(requiredOrder(result.module, 0, tree, machine, {}));
  result.proposed =
      llvm::cantFail(withProposals(result.module, 0, tree, proposalsFor(order, tree), machine, {}, lifter()));
  std::vector<timing::KernelTiming> timings = timing::timeCores({&result.proposed->kernel()}, machine, {}, costsOf());
  OptimizeOptions options;
  std::set<std::int64_t> reserved;
  WorkLimit limit(work);
  Reducer reducer(*result.proposed, machine, defaultPatterns(), options, timings.front(), reserved);
  reducer.timeEach(limit);
  result.reduction = reducer.reduce({preference}, limit);
  return result;
}

/// Two loads with a flag each, waited for behind work on another buffer, and what comes of merging within a share of
/// the time that the kernel takes.
struct MergedLoads {
  Module module;
  std::optional<ProposedKernel> proposed;
  double cycles = 0; // as it is
  std::optional<Reduction> merged;
};

MergedLoads mergedLoads(const std::string &work, double share) {
  MergedLoads result{
      lift(vectorKernel(tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) +
                        tile("v3", "float", 64, 64, 8192) + tensor("g", "in", "0") + tensor("h", "in", "1") +
                        "  TLOAD(v1, g);\n" + setFlag("MTE2", "V", 0) + "  TLOAD(v2, h);\n" + setFlag("MTE2", "V", 1) +
                        work + waitFlag("MTE2", "V", 0) + "  TADDS(v1, v1, 1.0f);\n" + waitFlag("MTE2", "V", 1) +
                        "  TADDS(v2, v2, 1.0f);\n")),
      {},
      0,
      {}};
  Machine machine = machineOf("a3").withEndlessIds();
  StatementTree tree = llvm::cantFail(StatementTree::read(result.module.kernels.front()));
  RequiredOrder order = llvm::cantFail(requiredOrder(result.module, 0, tree, machine, {}));
  std::vector<Proposal> proposals = proposalsFor(order, tree);
  for (Proposal &merged : mergedFlags(proposals, tree))
    proposals.push_back(std::move(merged));
  result.proposed = llvm::cantFail(withProposals(result.module, 0, tree, proposals, machine, {}, lifter()));
  std::vector<timing::KernelTiming> timings = timing::timeCores({&result.proposed->kernel()}, machine, {}, costsOf());
  std::set<SiteId> proposed;
  for (const std::set<SiteId> &sites : result.proposed->sites)
    proposed.insert(sites.begin(), sites.end());
  timing::EngineOptions engine;
  for (SiteId site = 0; site < result.proposed->module().sites.size(); ++site)
    engine.ignored.push_back(proposed.count(site) != 0);
  result.cycles = timing::runEngine(timings.front().plan(), engine).cycles;
  OptimizeOptions options;
  std::set<std::int64_t> reserved;
  WorkLimit limit(UINT64_MAX);
  Reducer reducer(*result.proposed, machine, defaultPatterns(), options, timings.front(), reserved);
  reducer.timeEach(limit);
  for (Reduction &merged : reducer.merges(proposed, result.cycles * share, limit))
    if (!result.merged || merged.statements < result.merged->statements)
      result.merged = std::move(merged);
  return result;
}

const std::string kLongWork = "  TEXP(v3, v3);\n  TEXP(v3, v3);\n  TEXP(v3, v3);\n  TEXP(v3, v3);\n";

} // namespace

TEST_CASE("one flag takes the place of two where nobody waits longer for it") {
  MergedLoads kernel = mergedLoads(kLongWork, 1);
  REQUIRE(kernel.merged);
  CHECK(kernel.merged->proposals.size() == 1);
  CHECK(kernel.merged->added == 2);
  CHECK(kernel.merged->statements == kernel.merged->added + 1); // and the end fence
  CHECK(kernel.merged->cycles <= kernel.cycles);
  CHECK(kernel.merged->shortage.empty());
}

TEST_CASE("two flags stay where the second load would be waited for too early, unless there is time for that") {
  CHECK_FALSE(mergedLoads("", 1).merged);
  MergedLoads slower = mergedLoads("", 1.5);
  REQUIRE(slower.merged);
  CHECK(slower.merged->cycles > slower.cycles);
  CHECK(slower.merged->proposals.size() == 1);
}

TEST_CASE("the dearest goes: the store is not waited for by the next load") {
  Reduced loop = reduced(serialLoop(), Preference::Fewest);
  for (SiteId site = 0; site < loop.proposed->module().sites.size(); ++site) {
    const SyncSite &sync = loop.proposed->module().sites[site];
    if (sync.source == Pipe::MTE3 && sync.destination == Pipe::MTE2)
      CHECK(loop.reduction.removed.count(site) == 1);
  }
  CHECK(loop.reduction.added > 0);
  CHECK(loop.reduction.shortage.empty());
  CHECK(loop.reduction.ids.size() == loop.reduction.proposals.size());
}

TEST_CASE("where the work is used up, what was not tried stays") {
  Reduced loop = reduced(serialLoop(), Preference::Fewest, 1);
  CHECK(loop.reduction.removed.empty());
  CHECK(loop.reduction.added > reduced(serialLoop(), Preference::Fewest).reduction.added);
}

TEST_CASE("what stays leaves nothing open and cannot be less") {
  for (Preference preference : {Preference::Fewest, Preference::Input, Preference::Proposed}) {
    Reduced loop = reduced(serialLoop(), preference);
    Machine machine = machineOf("a3").withEndlessIds();
    Program program = llvm::cantFail(buildProgram(loop.proposed->kernel(), machine, {}));
    Pending pending(program);
    Pending::Trial all = pending.tryRemoval(loop.reduction.removed);
    REQUIRE(all.allowed);
    pending.commit();
    for (std::size_t proposal : loop.reduction.proposals) {
      CHECK_FALSE(pending.tryRemoval(loop.proposed->sites[proposal]).allowed);
      pending.abandon();
    }
  }
}

TEST_CASE("of what is as fast, what the input has stays") {
  Reduced loop = reduced(shortLoop(), Preference::Input);
  CHECK(loop.reduction.added == 0);
}
