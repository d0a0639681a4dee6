#include "synthesis/proposed_kernel.h"

#include "synthesis/merged_flags.h"

#include <algorithm>
#include <iterator>

namespace ptosync::synthesis {
namespace {

// More are cut down to plain ones; flags that are set where they are waited for do not count.
constexpr std::size_t kManyProposals = 160;
constexpr std::size_t kMostProposals = 640; // more are not tried

void append(std::vector<Proposal> &proposals, std::vector<Proposal> more) {
  proposals.insert(proposals.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

llvm::Expected<std::vector<Proposal>> proposalsWithin(const RequiredOrder &order, const StatementTree &tree,
                                                      Range range) {
  std::vector<Proposal> proposals = proposalsFor(order, tree, range);
  const auto counted = static_cast<std::size_t>(std::count_if(
      proposals.begin(), proposals.end(), [](const Proposal &one) { return one.shape != FlagShape::InPlace; }));
  const bool many = counted > kManyProposals;
  const auto has = [&](auto what) { return !many && std::any_of(proposals.begin(), proposals.end(), what); };
  if (range == Range::Slots && !has([](const Proposal &one) { return one.slots > 1; }))
    return llvm::createStringError("no flag has an id for each of several iterations");
  if (range == Range::Trips && !has([](const Proposal &one) { return one.shape == FlagShape::Peeled; }))
    return llvm::createStringError("no flag is set or waited for in one trip of a loop alone");
  if (many && range == Range::All)
    return proposalsFor(order, tree, Range::Plain);
  return proposals;
}

/// What is not seen to be ordered with everything at once will not be with less.
std::optional<std::string> unordered(const Program &program) {
  const Pending pending(program);
  if (!pending.tokenFaults().empty())
    return "it has a flag that is not seen to be binary on every path";
  for (const OpenObligation &open : pending.open(ObligationKind::Conflict))
    if (open.silenced != Excuse::Silenced) {
      const Conflict conflict = pending.hazards().describe(open.pair);
      return "nothing that can be put in is seen to order " + conflict.earlier.text + " before " + conflict.later.text;
    }
  return std::nullopt;
}

/// Those of the kernel as it came that wait for all pipes.
std::set<SiteId> widestBarriers(const ProposedKernel &proposed) {
  std::set<SiteId> sites;
  for (SiteId site : sitesOf(proposed.kernel())) {
    const SyncSite &is = proposed.augmented.module->sites[site];
    if (is.kind == SyncKind::Barrier && is.source == Pipe::All && isEditable(is))
      sites.insert(site);
  }
  return sites;
}

class Proposing {
public:
  Proposing(const Module &module, std::size_t kernel, const StatementTree &tree, const Machine &machine,
            const OrderingOptions &options, const Lift &lift, bool unplaced)
      : module(module), kernel(kernel), tree(tree), machine(machine), options(options), lift(lift), unplaced(unplaced) {
  }

  llvm::Expected<ProposedKernel> with(std::vector<Proposal> proposals) const {
    std::erase_if(proposals,
                  [&](const Proposal &one) { return !isLegal(one, machine, module.kernels[kernel].section); });
    if (proposals.empty() && unplaced)
      return llvm::createStringError("what needs an order stands where no statement can be put in between: in a macro, "
                                     "in an expression, or in a helper that is called several times");
    if (proposals.empty())
      return llvm::createStringError("nothing in it needs an order that a flag or a barrier could give");
    if (proposals.size() > kMostProposals)
      return llvm::createStringError("there are too many places for its syncs to try them");
    const std::size_t unmerged = proposals.size();
    std::vector<Proposal> merged = mergedFlags(proposals, tree);
    if (unmerged + merged.size() <= kMostProposals)
      append(proposals, std::move(merged));
    llvm::Expected<AugmentedKernel> augmented =
        augment(module, kernel, tree, std::move(proposals), machine, options, lift);
    if (!augmented)
      return augmented.takeError();
    ProposedKernel proposed{std::move(*augmented), {}};
    proposed.size.proposals = std::min(unmerged, proposed.augmented.proposals.size());
    return proposed;
  }

  /// What stays unordered in a kernel of this file; `size`, if it is given, is told of its program.
  llvm::Expected<std::optional<std::string>> leavesOpen(const Kernel &kernel, ReductionSize *size = nullptr) const {
    llvm::Expected<Program> program = buildProgram(kernel, machine, options);
    if (!program)
      return program.takeError();
    if (size) {
      for (const std::vector<Event> &step : program->steps)
        size->events += step.size();
      size->words = program->order.size() * program->flags.size() * ((program->bits + 63) / 64);
    }
    return unordered(*program);
  }

private:
  const Module &module;
  std::size_t kernel;
  const StatementTree &tree;
  const Machine &machine;
  const OrderingOptions &options;
  const Lift &lift;
  bool unplaced; // some pair has no place between its statements
};

} // namespace

llvm::Expected<ProposedKernel> proposedKernel(const Module &module, std::size_t kernel, const RequiredOrder &order,
                                              const StatementTree &tree, Range range, const Machine &machine,
                                              const OrderingOptions &options, const Lift &lift) {
  llvm::Expected<std::vector<Proposal>> proposals = proposalsWithin(order, tree, range);
  if (!proposals)
    return proposals.takeError();
  const Proposing proposing(module, kernel, tree, machine, options, lift, order.unplaced != 0);
  llvm::Expected<ProposedKernel> proposed = proposing.with(*proposals);
  if (!proposed)
    return proposed;
  const auto leftBy = [&](ProposedKernel &one) { return proposing.leavesOpen(one.kernel(), &one.size); };
  llvm::Expected<std::optional<std::string>> open = leftBy(*proposed);
  if (!open)
    return open.takeError();
  bool enough = !*open;
  if (const std::set<SiteId> widest = widestBarriers(*proposed); enough && !widest.empty()) {
    llvm::Expected<std::optional<std::string>> alone = proposing.leavesOpen(withoutSites(proposed->kernel(), widest));
    if (!alone)
      return alone.takeError();
    enough = !*alone;
  }
  if (!enough) {
    append(*proposals, meetingsFor(order));
    llvm::Expected<ProposedKernel> wider = proposing.with(std::move(*proposals));
    llvm::Expected<std::optional<std::string>> left = wider ? leftBy(*wider) : wider.takeError();
    if (left && !*left)
      return wider;
    llvm::consumeError(left.takeError());
  }
  if (*open)
    return llvm::createStringError(**open);
  return proposed;
}

} // namespace ptosync::synthesis
