#include "synthesis/proposed_kernel.h"

#include "ordering/kernel_analysis.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace ptosync::synthesis {
namespace {

using Pipes = std::pair<Pipe, Pipe>;

Pipes pipesOf(const Proposal &proposal) { return {proposal.source, proposal.destination}; }

/// Of a flag of one list: where it is set and where it is waited for, by its numbers among the flag's syncs.
struct Halves {
  std::size_t set, wait;
};
constexpr Halves kForward = {0, 1};
constexpr std::size_t kRingPrime = 0,
                      kRingDrain = 3; // of a flag that goes round a loop, primed and drained in another list
constexpr Halves kBackward = {2, 1};

using Flags = std::vector<const Proposal *>;

/// From wait to wait those that none of the others covers: the sets come later and later too.
Flags staircase(Flags flags, const Halves &halves) {
  auto setOf = [&](const Proposal *flag) { return flag->syncs[halves.set].place; };
  auto waitOf = [&](const Proposal *flag) { return flag->syncs[halves.wait].place; };
  std::stable_sort(flags.begin(), flags.end(), [&](const Proposal *a, const Proposal *b) {
    return std::make_tuple(waitOf(a), setOf(b)) < std::make_tuple(waitOf(b), setOf(a));
  });
  Flags kept;
  for (const Proposal *flag : flags)
    if (kept.empty() || setOf(flag) > setOf(kept.back()))
      kept.push_back(flag);
  return kept;
}

/// Set where the last one is, waited for where the first one is.
Proposal mergedSteps(const Flags &steps, std::size_t first, std::size_t last, const Halves &halves) {
  Proposal merged = *steps[last];
  merged.syncs[halves.wait] = steps[first]->syncs[halves.wait];
  merged.syncs[halves.wait].reason = 1;
  merged.others = {steps[first]->reason};
  merged.merges = static_cast<std::uint32_t>(last - first + 1);
  return merged;
}

/// Of each flag with the next one, and with as many as have their sets in front of its wait, or all that go round.
void mergeSteps(const Flags &steps, const Halves &halves, std::vector<Proposal> &merged) {
  const bool round = halves.set > halves.wait;
  for (std::size_t first = 0; first < steps.size(); ++first) {
    const std::uint32_t wait = steps[first]->syncs[halves.wait].place.child;
    std::size_t last = first;
    while (last + 1 < steps.size() && (round || steps[last + 1]->syncs[halves.set].place.child < wait))
      ++last;
    if (last == first)
      continue;
    merged.push_back(mergedSteps(steps, first, first + 1, halves));
    if (last > first + 1 && (!round || first == 0))
      merged.push_back(mergedSteps(steps, first, last, halves));
  }
}

bool isInside(const StatementTree &tree, ListId list, ListId outer) {
  while (list != kNone && list != outer)
    list = tree.lists()[list].parent;
  return list == outer;
}

ListId bodyOf(const Proposal &ring) { return ring.syncs[kBackward.wait].place.list; }

using RingsByBody = std::map<ListId, Flags>;

/// Without those of loops that have such a loop inside them.
RingsByBody innermost(const RingsByBody &all, const StatementTree &tree) {
  RingsByBody kept;
  for (const auto &[body, rings] : all)
    if (std::none_of(all.begin(), all.end(), [&, body = body](const auto &other) {
          return other.first != body && isInside(tree, other.first, body);
        }))
      kept.emplace(body, rings);
  return kept;
}

/// The child of `list` that holds another list; kNone if that is not inside it.
std::uint32_t childHolding(const StatementTree &tree, ListId list, ListId inner) {
  while (inner != kNone && tree.lists()[inner].parent != list)
    inner = tree.lists()[inner].parent;
  return inner == kNone ? kNone : tree.lists()[inner].parentChild;
}

/// Rings inside `list` as one that is primed in front of the first of its children that hold them, and drained behind
/// the last.
Proposal joinedRing(const Flags &rings, ListId list, const StatementTree &tree) {
  auto before = [&](const Proposal *a, const Proposal *b) {
    return childHolding(tree, list, bodyOf(*a)) < childHolding(tree, list, bodyOf(*b));
  };
  const auto [first, last] = std::minmax_element(rings.begin(), rings.end(), before);
  auto at = [&](const Proposal *ring, std::size_t part) {
    NewSync sync = ring->syncs[part];
    sync.place.list = list;
    sync.place.child = childHolding(tree, list, bodyOf(*ring));
    return sync;
  };
  Proposal joined = **first;
  joined.syncs = {at(*first, kRingPrime)};
  for (const Proposal *ring : rings) {
    joined.others.push_back(ring->reason);
    for (std::size_t part : {kBackward.wait, kBackward.set}) {
      joined.syncs.push_back(ring->syncs[part]);
      joined.syncs.back().reason = static_cast<std::uint32_t>(joined.others.size());
    }
  }
  joined.others.push_back((*last)->reason);
  joined.syncs.push_back(at(*last, kRingDrain));
  joined.syncs.back().reason = static_cast<std::uint32_t>(joined.others.size());
  joined.merges = static_cast<std::uint32_t>(rings.size());
  return joined;
}

/// By list that holds several of the loops: those, unless one list further in holds the same; and all of them where
/// their rings are primed now.
std::map<ListId, std::vector<ListId>> heldTogether(const RingsByBody &byBody, const StatementTree &tree) {
  std::map<ListId, std::vector<ListId>> held;
  for (const auto &[body, rings] : byBody)
    for (ListId list = tree.lists()[body].parent; list != kNone; list = tree.lists()[list].parent)
      held[list].push_back(body);
  std::set<ListId> around;
  for (const auto &[body, rings] : byBody)
    around.insert(rings.front()->syncs[kRingPrime].place.list);
  std::map<ListId, std::vector<ListId>> kept;
  for (const auto &[list, bodies] : held) {
    bool further = std::any_of(held.begin(), held.end(), [&, &outer = list, &all = bodies](const auto &other) {
      return other.first != outer && other.second == all && isInside(tree, other.first, outer);
    });
    if (bodies.size() > 1 && (!further || around.count(list)))
      kept.emplace(list, bodies);
  }
  return kept;
}

void joinRings(const RingsByBody &byBody, const StatementTree &tree, std::vector<Proposal> &merged) {
  for (const auto &[list, bodies] : heldTogether(byBody, tree)) {
    std::size_t most = 0;
    for (ListId body : bodies)
      most = std::max(most, byBody.at(body).size());
    for (std::size_t i = 0; i < most; ++i) {
      Flags rings;
      for (ListId body : bodies)
        if (i < byBody.at(body).size())
          rings.push_back(byBody.at(body)[i]);
      if (rings.size() > 1)
        merged.push_back(joinedRing(rings, list, tree));
    }
  }
}

} // namespace

std::vector<Proposal> mergedFlags(const std::vector<Proposal> &proposals, const StatementTree &tree) {
  std::map<std::pair<ListId, Pipes>, Flags> forward;
  std::map<Pipes, RingsByBody> rings;
  for (const Proposal &proposal : proposals) {
    if (proposal.shape == FlagShape::Forward && proposal.syncs.size() == 2)
      forward[{proposal.syncs[kForward.set].place.list, pipesOf(proposal)}].push_back(&proposal);
    else if (proposal.shape == FlagShape::Backward)
      rings[pipesOf(proposal)][bodyOf(proposal)].push_back(&proposal);
  }
  std::vector<Proposal> merged;
  for (const auto &[place, flags] : forward)
    mergeSteps(staircase(flags, kForward), kForward, merged);
  for (const auto &[pipes, byBody] : rings) {
    for (const auto &[body, flags] : byBody)
      mergeSteps(staircase(flags, kBackward), kBackward, merged);
    joinRings(innermost(byBody, tree), tree, merged);
  }
  return merged;
}

namespace {

constexpr unsigned kMostMendingRounds = 6;

/// What is wrong with each proposal's flag, if anything: such a one orders nothing that counts.
std::vector<bool> unfit(const ProposedKernel &proposed, const Analysis &analysis,
                        const std::vector<std::set<std::size_t>> &kernelsOf) {
  std::vector<bool> result(proposed.proposals.size(), false);
  std::map<SiteId, std::size_t> proposalOf;
  for (std::size_t i = 0; i < proposed.proposals.size(); ++i) {
    result[i] = proposed.sites[i].size() != proposed.proposals[i].syncs.size();
    for (SiteId site : proposed.sites[i]) {
      proposalOf[site] = i;
      result[i] = result[i] || kernelsOf[site] != std::set<std::size_t>{proposed.number};
    }
  }
  for (const Web &web : analysis.webs())
    for (SiteId site : web.sites())
      if (auto found = proposalOf.find(site); found != proposalOf.end() && !result[found->second])
        result[found->second] = !web.balanced || web.sites() != proposed.sites[found->second];
  for (const OpenObligation &reuse : analysis.pending().open(ObligationKind::FlagReuse))
    if (const auto *sync = std::get_if<Sync>(&analysis.program().nodes[reuse.pair.later].statement->action))
      if (auto found = proposalOf.find(sync->site); found != proposalOf.end())
        result[found->second] = true;
  return result;
}

std::vector<std::set<std::size_t>> kernelsOfSites(const Module &module) {
  std::vector<std::set<std::size_t>> kernelsOf(module.sites.size());
  for (std::size_t k = 0; k < module.kernels.size(); ++k)
    for (SiteId site : sitesOf(module.kernels[k]))
      kernelsOf[site].insert(k);
  return kernelsOf;
}

/// As if the text had never had these proposals.
void leaveOut(ProposedKernel &proposed, const std::vector<bool> &out) {
  std::set<SiteId> gone;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i]) {
      gone.insert(proposed.sites[i].begin(), proposed.sites[i].end());
      continue;
    }
    if (kept != i) {
      proposed.proposals[kept] = std::move(proposed.proposals[i]);
      proposed.sites[kept] = std::move(proposed.sites[i]);
      proposed.numbers[kept] = proposed.numbers[i];
    }
    ++kept;
  }
  proposed.proposals.resize(kept);
  proposed.sites.resize(kept);
  proposed.numbers.resize(kept);
  proposed.file.leaveOut(gone);
}

} // namespace

llvm::Expected<ProposedKernel> withProposals(const Module &module, std::size_t kernel, const StatementTree &tree,
                                             std::vector<Proposal> proposals, const Machine &machine,
                                             const OrderingOptions &options, const Lift &lift) {
  SyncPlan plan;
  for (std::size_t i = 0; i < proposals.size(); ++i)
    for (AddedSync &sync : additionsOf(proposals[i], proposedId(i), module.source, tree)) {
      sync.edit = static_cast<std::uint32_t>(i); // by which it is known below
      plan.added.push_back(std::move(sync));
    }
  sortByPlace(plan.added);
  llvm::Expected<EditedFile> file = EditedFile::read(module, std::move(plan), lift);
  if (!file)
    return file.takeError();
  llvm::Expected<std::size_t> number = file->numberOf(module.kernels[kernel]);
  if (!number)
    return number.takeError();
  ProposedKernel proposed{std::move(*file), *number, std::move(proposals), {}, {}, {}};
  proposed.sites = proposed.file.sitesByEdit(proposed.proposals.size());
  proposed.numbers.resize(proposed.proposals.size());
  std::iota(proposed.numbers.begin(), proposed.numbers.end(), std::size_t{0});
  for (unsigned round = 0; round < kMostMendingRounds; ++round) {
    llvm::Expected<Analysis> analysis = Analysis::of(proposed.kernel(), machine, options);
    if (!analysis)
      return analysis.takeError();
    std::vector<bool> out = unfit(proposed, *analysis, kernelsOfSites(proposed.module()));
    if (std::find(out.begin(), out.end(), true) == out.end())
      return proposed;
    leaveOut(proposed, out);
  }
  return llvm::createStringError("no choice of the proposed flags is binary on every path together");
}

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

/// What has to be ordered, and is not.
std::vector<OpenObligation> openPairs(const Program &program, const Pending &pending) {
  std::vector<OpenObligation> pairs = pending.open(ObligationKind::Conflict);
  std::erase_if(pairs, [](const OpenObligation &open) { return open.silenced == Excuse::Silenced; });
  if (program.options.fromNothing)
    for (const OpenObligation &open : pending.open(ObligationKind::Fence))
      if (Program::isNeeded(program.nodes[program.nodeOfBit[open.pair.bit]], program.nodes[open.pair.later]))
        pairs.push_back(open);
  return pairs;
}

/// What is not seen to be ordered with everything at once will not be with less.
std::optional<std::string> unordered(const Program &program, const Pending &pending) {
  if (!pending.tokenFaults().empty())
    return "one of its flags is not seen to be binary on every path";
  const std::vector<OpenObligation> pairs = openPairs(program, pending);
  if (pairs.empty())
    return std::nullopt;
  const ConflictPair &first = pairs.front().pair;
  if (pairs.front().kind() == ObligationKind::Conflict) {
    const Conflict conflict = pending.hazards().describe(first);
    return "nothing that can be put in is seen to order " + conflict.earlier.text + " before " + conflict.later.text;
  }
  return "nothing that can be put in is seen to order the call on line " +
         std::to_string(program.nodes[program.nodeOfBit[first.bit]].statement->line) + " before that on line " +
         std::to_string(program.nodes[first.later].statement->line);
}

/// Those of the kernel as it came that wait for all pipes.
std::set<SiteId> widestBarriers(const ProposedKernel &proposed) {
  std::set<SiteId> sites;
  for (SiteId site : sitesOf(proposed.kernel())) {
    const SyncSite &is = proposed.module().sites[site];
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
      return llvm::make_error<TooLong>("it has more places for syncs than are tried");
    const std::size_t unmerged = proposals.size();
    std::vector<Proposal> merged = mergedFlags(proposals, tree);
    if (unmerged + merged.size() <= kMostProposals)
      append(proposals, std::move(merged));
    llvm::Expected<ProposedKernel> proposed =
        withProposals(module, kernel, tree, std::move(proposals), machine, options, lift);
    if (proposed)
      proposed->size.proposals = std::min(unmerged, proposed->proposals.size());
    return proposed;
  }

  /// What stays unordered in a kernel of this file; `size`, if it is given, is told of its program.
  llvm::Expected<std::optional<std::string>> leavesOpen(const Kernel &kernel, ReductionSize *size = nullptr) const {
    llvm::Expected<Analysis> analysis = Analysis::of(kernel, machine, options);
    if (!analysis)
      return analysis.takeError();
    if (size) {
      const Program &program = analysis->program();
      for (const std::vector<Event> &step : program.steps)
        size->events += step.size();
      size->words = program.order.size() * program.flags.size() * ((program.bits + 63) / 64);
    }
    return unordered(analysis->program(), analysis->pending());
  }

  /// PIPE_ALL in front of the later statement of each required pair that stays unordered.
  llvm::Expected<std::vector<Proposal>> drainsFor(const ProposedKernel &proposed, const RequiredOrder &order) const {
    llvm::Expected<Analysis> analysis = Analysis::of(proposed.kernel(), machine, options);
    if (!analysis)
      return analysis.takeError();
    std::set<std::uint32_t> later; // bytes of the input
    for (const OpenObligation &open : openPairs(analysis->program(), analysis->pending()))
      if (std::optional<std::uint32_t> at =
              proposed.file.inputOffset(analysis->program().nodes[open.pair.later].statement->range.begin))
        later.insert(*at);
    std::set<ChildPlace> places;
    std::vector<Proposal> drains;
    for (const RequiredPair &pair : order.pairs) {
      const ChildPlace at = pair.later.back();
      const BraceList::Child &child = tree.child(at);
      const auto first = later.lower_bound(child.begin);
      if (first != later.end() && *first < child.end && places.insert(at).second)
        drains.push_back({Pipe::All, Pipe::All, {{SyncKind::Barrier, ListPlace{at.list, at.child}}}, pair.reason});
    }
    return drains;
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
  if (!order.complete)
    return llvm::make_error<TooLong>("more pairs of its instructions need an order than are placed anew");
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
    append(*proposals, meetingsFor(order, machine, module.kernels[kernel].section));
    llvm::Expected<ProposedKernel> wider = proposing.with(*proposals);
    llvm::Expected<std::optional<std::string>> left = wider ? leftBy(*wider) : wider.takeError();
    if (left && *left && options.fromNothing) { // nothing of the input may be leant on
      llvm::Expected<std::vector<Proposal>> drains = proposing.drainsFor(*wider, order);
      if (!drains)
        return drains.takeError();
      append(*proposals, std::move(*drains));
      wider = proposing.with(std::move(*proposals));
      left = wider ? leftBy(*wider) : wider.takeError();
    }
    if (left && !*left)
      return wider;
    llvm::consumeError(left.takeError());
  }
  if (*open)
    return llvm::createStringError(**open);
  return proposed;
}

} // namespace ptosync::synthesis
