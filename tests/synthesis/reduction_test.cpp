#include "synthesis/kernel_text.h"
#include "synthesis/proposals.h"
#include "synthesis/reduction.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

struct Reduced {
  Module module;
  AugmentedKernel augmented;
  Reduction reduction;
};

Reduced reduced(const std::string &source, Preference preference) {
  Reduced result{lift(source), {}, {}};
  Machine machine = machineOf("a3").withEndlessIds();
  KernelText text = llvm::cantFail(KernelText::read(result.module.kernels.front(), result.module.source));
  RequiredOrder order = llvm::cantFail(requiredOrder(result.module, 0, text, machine, {}));
  result.augmented =
      llvm::cantFail(augment(result.module, 0, text.tree(), proposalsFor(order, text.tree()), machine, {}, lifter()));
  std::vector<timing::KernelTiming> timings =
      timing::timeCores({&result.augmented.module->kernels[result.augmented.kernel]}, machine, {}, costsOf());
  OptimizeOptions options;
  std::set<std::int64_t> reserved;
  Reducer reducer(result.augmented, machine, defaultPatterns(), options, timings.front(), reserved);
  result.reduction = reducer.reduce({preference});
  return result;
}

} // namespace

TEST_CASE("the dearest goes: the store is not waited for by the next load") {
  Reduced loop = reduced(serialLoop(), Preference::Fewest);
  for (SiteId site = 0; site < loop.augmented.module->sites.size(); ++site) {
    const SyncSite &sync = loop.augmented.module->sites[site];
    if (sync.source == Pipe::MTE3 && sync.destination == Pipe::MTE2)
      CHECK(loop.reduction.removed.count(site) == 1);
  }
  CHECK(loop.reduction.added > 0);
  CHECK(loop.reduction.shortage.empty());
  CHECK(loop.reduction.ids.size() == loop.reduction.proposals.size());
}

TEST_CASE("what stays leaves nothing open and cannot be less") {
  for (Preference preference : {Preference::Fewest, Preference::Input, Preference::Proposed}) {
    Reduced loop = reduced(serialLoop(), preference);
    Machine machine = machineOf("a3").withEndlessIds();
    Program program = llvm::cantFail(buildProgram(loop.augmented.module->kernels[loop.augmented.kernel], machine, {}));
    Pending pending(program);
    Pending::Trial all = pending.tryRemoval(loop.reduction.removed);
    REQUIRE(all.allowed);
    pending.commit();
    for (std::size_t proposal : loop.reduction.proposals) {
      CHECK_FALSE(pending.tryRemoval(loop.augmented.sites[proposal]).allowed);
      pending.abandon();
    }
  }
}

TEST_CASE("of what is as fast, what the input has stays") {
  Reduced loop = reduced(overlappedLoop(), Preference::Input);
  CHECK(loop.reduction.added == 0);
}
