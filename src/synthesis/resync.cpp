#include "synthesis/resync.h"

#include "base/parallel.h"
#include "optimize/optimizer.h"
#include "rewrite/sync_edits.h"
#include "synthesis/kernel_state.h"
#include "synthesis/placed_kernel.h"
#include "synthesis/proposals.h"
#include "synthesis/proposed_kernel.h"
#include "synthesis/reduction.h"
#include "synthesis/regions.h"
#include "synthesis/required_order.h"

#include <llvm/ADT/ArrayRef.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <tuple>

namespace ptosync::synthesis {

constexpr double kWorthOne = 0.0005; // share of the time that each statement more has to gain
constexpr std::size_t kMostAddedForOneLess = 4;

bool isFaster(const Candidate &a, const Candidate &b) {
  return std::make_tuple(a.cycles, a.statements, a.edits) < std::make_tuple(b.cycles, b.statements, b.edits);
}

bool isShorter(const Candidate &a, const Candidate &b, double cycles) {
  const auto order = [&](const Candidate &one) {
    const double worth = isMuchFaster(one.cycles, cycles) ? one.cycles : cycles;
    return std::make_tuple(worth, one.statements, one.cycles, one.edits);
  };
  return order(a) < order(b);
}

bool isWorthwhile(const Candidate &candidate, const Candidate &base, std::size_t parts) {
  const std::size_t more = std::max(candidate.statements, base.statements) - base.statements;
  const double worth = static_cast<double>(more) * kWorthOne / static_cast<double>(std::max<std::size_t>(parts, 1));
  if (candidate.cycles < base.cycles * (1 - std::max(kWorthwhile, worth)))
    return true;
  // A kernel that is as fast is not turned upside down for a statement less.
  return candidate.cycles <= base.cycles && candidate.statements < base.statements &&
         candidate.result.added.size() <= kMostAddedForOneLess * (base.statements - candidate.statements);
}

namespace {

std::set<std::uint32_t> editsOn(const std::set<SiteId> &sites, const OptimizeResult &result) {
  std::set<std::uint32_t> numbers;
  for (SiteId site : sites)
    if (result.decisions[site].edit > 0)
      numbers.insert(result.decisions[site].edit);
  return numbers;
}

} // namespace

void JoinedGroups::add(GroupOutcome &group) {
  bool leftOut = options.maxRemovals && edits >= *options.maxRemovals;
  if (group.anew && !leftOut)
    return addAnew(*group.anew);
  if (group.anew)
    for (std::size_t number : group.kernels) {
      KernelResync &about = result.kernels[number];
      about.changed = false;
      about.reason = "--max-removals leaves it out";
      about.after = about.before;
    }
  addRemovals(group);
}

void JoinedGroups::addAnew(OptimizeResult &anew) {
  ++edits;
  for (SiteDecision &decision : anew.decisions) {
    decision.edit = decision.verdict == Verdict::Kept ? 0 : edits;
    result.decisions.decisions[decision.site] = std::move(decision);
  }
  for (AddedSync &added : anew.added) {
    added.edit = edits;
    result.decisions.added.push_back(std::move(added));
  }
}

void JoinedGroups::addRemovals(const GroupOutcome &group) {
  const OptimizeResult *from = group.otherwise;
  std::optional<OptimizeResult> limited;
  std::set<std::uint32_t> numbers = editsOn(group.sites, *from);
  if (options.maxRemovals && numbers.size() > *options.maxRemovals - edits) {
    // Edits are made group by group: those of the groups before have the first numbers.
    std::size_t left = *options.maxRemovals - edits;
    OptimizeOptions rest = options;
    rest.maxRemovals = left == 0 ? 0 : *numbers.begin() - 1 + left;
    limited = optimize(module, machine, *group.byCatalogue, rest);
    from = &*limited;
    numbers = editsOn(group.sites, *from);
  }
  for (SiteId site : group.sites) {
    SiteDecision &decision = result.decisions.decisions[site];
    decision = from->decisions[site];
    if (decision.edit > 0)
      decision.edit =
          edits + 1 + static_cast<std::uint32_t>(std::distance(numbers.begin(), numbers.find(decision.edit)));
  }
  edits += static_cast<std::uint32_t>(numbers.size());
}

namespace {} // namespace

Catalogue withoutMoves(const Catalogue &catalogue) {
  Catalogue result;
  for (const Pattern &pattern : catalogue.patterns())
    if (factsOf(pattern.action).effect != ActionEffect::Moves)
      llvm::cantFail(result.add(pattern));
  return result;
}

Removals::Removals(const Module &module, const Machine &machine, const Catalogue &catalogue,
                   const OptimizeOptions &options)
    : pruned(optimize(module, machine, catalogue, options)), unmoving(withoutMoves(catalogue)) {
  if (std::any_of(pruned.decisions.begin(), pruned.decisions.end(),
                  [](const SiteDecision &decision) { return decision.verdict == Verdict::Moved; }))
    unmoved = optimize(module, machine, unmoving, options);
}

namespace {

const std::array<Variation, 6> kVariations = {{{Preference::Fewest, 0.0005, false},
                                               {Preference::Input, 0.005, false, false},
                                               {Preference::Proposed, 0.0005, false},
                                               {Preference::Input, 0.0005, false},
                                               {Preference::Fewest, 0.01, false},
                                               {Preference::Input, 0.03, false}}};
const std::array<Variation, 6> kSlotVariations = {{{Preference::Fewest, 0.01, true},
                                                   {Preference::Input, 0.03, true, false},
                                                   {Preference::Fewest, 0.0005, true},
                                                   {Preference::Proposed, 0.01, true},
                                                   {Preference::Input, 0.005, true},
                                                   {Preference::Fewest, 0.1, true}}};

// Proposals times events, and times words, of one way for each unit of effort.
constexpr std::size_t kManyTrials = 500'000, kManyWords = 130'000'000;

} // namespace

llvm::ArrayRef<Variation> variationsFor(bool slots) {
  return slots ? llvm::ArrayRef<Variation>(kSlotVariations) : llvm::ArrayRef<Variation>(kVariations);
}

std::size_t waysWithin(unsigned effort, const ReductionSize &size) {
  const std::size_t share = std::max<std::size_t>(size.proposals * size.events / kManyTrials, 1);
  const std::size_t words = std::max<std::size_t>(size.proposals * size.words, 1);
  return std::min(std::max<std::size_t>(effort / share, 1), effort * kManyWords / words);
}

namespace {

using timing::KernelTiming;

constexpr unsigned kMostRounds = 4; // of placing what was placed
// On one file: about 20 seconds of processor time.
constexpr std::uint64_t kMostWork = 500'000'000;
constexpr double kSearchShare = 0.6;   // of the time that is left; what follows replays the result
constexpr std::uint64_t kJudging = 20; // times as much as one timed run of the kernel

// Of a kernel that is placed region by region. Work is instructions and syncs, twice as much in each loop.
constexpr std::size_t kMostRegionWork = 250, kRegionMargin = 80;
// The part of the work that is left which one region may take, and the joining of what they drafted.
constexpr std::size_t kRegionShare = 50, kJoiningShare = 4;
constexpr std::uint64_t kReading = 8'000;   // work of reading and verifying one statement of a text
constexpr unsigned kMostRegionRounds = 2;   // each with other regions than the one before
constexpr unsigned kMostRegionHalvings = 3; // where what they drafted together is refused
constexpr unsigned kMostIdTries = 5;        // where ids fall short for that

/// Why a kernel keeps what it has, if nothing that these ways lead to is worth anything; it lacks the order of so many
/// pairs.
std::string nothingFaster(const KernelResync &about, llvm::ArrayRef<Variation> ways, std::size_t unordered) {
  std::string reason = isMuchFaster(about.limit, about.pruned)
                           ? "nothing that was tried is faster"
                           : "its syncs are within half a percent of what its data allows";
  std::set<std::pair<Pipe, Pipe>> shortage;
  for (const Variation &way : ways)
    shortage.insert(way.withheld.begin(), way.withheld.end());
  const char *separator = "; there are too few event ids from ";
  for (const auto &[source, destination] : shortage) {
    reason += separator + std::string(pipeName(source)) + " to " + std::string(pipeName(destination));
    separator = ", from ";
  }
  if (unordered > 0)
    reason += "; but " + std::to_string(unordered) + (unordered == 1 ? " pair" : " pairs") +
              " of its instructions nothing orders, which makes it look fast: see `ptosync fix`";
  return reason;
}

class KernelResynchroniser {
public:
  KernelResynchroniser(const Module &module, std::size_t number, const Removals &removals, const Machine &machine,
                       const Catalogue &catalogue, const timing::CostTable &costs, const ResyncOptions &options,
                       WorkLimit &limit, const Lift &lift, unsigned round = 0)
      : module(module), kernel(module.kernels[number]), number(number), pruned(&removals.pruned),
        unmoved(removals.unmoved ? &*removals.unmoved : nullptr), machine(machine), endless(machine.withEndlessIds()),
        catalogue(catalogue), costs(costs), options(options), limit(limit), lift(lift), round(round),
        sites(sitesOf(kernel)) {}

  /// The kernel's best candidate, of which another run makes nothing better; empty: what `pruned` has. `about` says how
  /// it went.
  std::optional<Candidate> run(KernelResync &about) {
    std::optional<Candidate> best = runOnce(about), next = best ? best : removalsAlone();
    for (unsigned again = 1; next && again < kMostRounds && !limit.exhausted(); ++again) {
      next = placedAgain(*next, again);
      if (!next)
        break;
      best = next;
      about.after = best->cycles;
      about.changed = true;
      about.reason.clear();
    }
    return best;
  }

  /// What the kernel has if it is not placed anew.
  const OptimizeResult &standing() const { return *pruned; }

private:
  /// The pairs that the input leaves open, but for what a contested rule orders.
  std::size_t unordered() const {
    return static_cast<std::size_t>(
        std::count_if(pruned->unresolved.begin(), pruned->unresolved.end(), [&](const UnresolvedPair &pair) {
          return pair.kernel == kernel.name && pair.section == kernel.section && pair.silencedBy.empty();
        }));
  }

  /// What stands without new places, where that is not the input.
  std::optional<Candidate> removalsAlone() const {
    Candidate candidate = base;
    candidate.result = withMovesAdded(module, kernel, ownPart(*pruned));
    return options.inputStands && inputs && changes(candidate.result) ? std::optional(candidate) : std::nullopt;
  }

  static bool changes(const OptimizeResult &decided) {
    return !decided.added.empty() ||
           std::any_of(decided.decisions.begin(), decided.decisions.end(),
                       [](const SiteDecision &decision) { return decision.verdict != Verdict::Kept; });
  }

  std::optional<Candidate> runOnce(KernelResync &about) {
    if (!kernel.analysable) {
      about.reason = kernel.reason;
      return std::nullopt;
    }
    if (!module.notEdited.empty()) {
      about.reason = "nothing of the file is edited: " + module.notEdited;
      return std::nullopt;
    }
    if (std::optional<std::string> named = idsOfTheRun(module)) {
      about.reason = *named;
      return std::nullopt;
    }
    if (llvm::Error error = timeInput(about)) {
      about.reason = llvm::toString(std::move(error));
      return std::nullopt;
    }
    std::optional<Candidate> best;
    if (llvm::Error error = search(about, best))
      about.reason = llvm::toString(std::move(error));
    about.changed = best.has_value();
    if (best)
      about.after = best->cycles;
    return best;
  }

  /// What another run makes of the result, as decisions about this input; empty if nothing better.
  std::optional<Candidate> placedAgain(const Candidate &found, unsigned nth) const {
    const Lift own = liftOnly(lift, kernel.name);
    llvm::Expected<PlacedKernel> placed = PlacedKernel::read(module, number, found.result, own);
    if (!placed) {
      llvm::consumeError(placed.takeError());
      return std::nullopt;
    }
    const Removals removals(placed->module(), machine, catalogue, options.optimize);
    ResyncOptions fromRight = options;
    fromRight.inputStands = true;
    KernelResynchroniser second(placed->module(), placed->kernel(), removals, machine, catalogue, costs, fromRight,
                                limit, own, nth);
    KernelResync about;
    std::optional<Candidate> more = second.runOnce(about);
    OptimizeResult again = more ? std::move(more->result) : second.ownPart(second.standing());
    std::optional<OptimizeResult> joined = changes(again) ? placed->joined(again) : std::nullopt;
    if (!joined)
      return std::nullopt;
    Candidate next;
    next.result = std::move(*joined);
    next.edits = found.edits;
    return !judge(next) && isFaster(next, found) ? std::optional(std::move(next)) : std::nullopt;
  }

  bool runsHere(SiteId site) const { return sites.count(site) != 0; }

  /// Times the kernel as it came and as `opt` leaves it.
  llvm::Error timeInput(KernelResync &about) {
    std::vector<const Kernel *> cores;
    std::size_t own = 0;
    for (const Kernel &core : module.kernels)
      if (core.name == kernel.name && core.analysable) {
        if (&core == &kernel)
          own = cores.size();
        cores.push_back(&core);
      }
    KernelTiming timing = std::move(timing::timeCores(cores, machine, options.timed, costs)[own]);
    inputs = timing.inputs();
    timing::KernelEstimate estimate = timing.estimate();
    about.before = estimate.cycles;
    about.limit = estimate.limit;
    llvm::Expected<Candidate> edited = timed(*pruned);
    if (!edited)
      return edited.takeError();
    base = std::move(*edited);
    if (unmoved && std::any_of(sites.begin(), sites.end(),
                               [&](SiteId site) { return pruned->decisions[site].verdict == Verdict::Moved; })) {
      llvm::Expected<Candidate> plain = timed(*unmoved);
      if (!plain)
        return plain.takeError();
      if (plain->cycles <= base.cycles * (1 + kWorthwhile)) {
        pruned = unmoved;
        base = std::move(*plain);
      }
    }
    about.pruned = about.after = base.cycles;
    return llvm::Error::success();
  }

  llvm::Expected<Module> liftWith(const OptimizeResult &decided) const {
    llvm::Expected<std::string> text = patchedText(module, decided);
    if (!text)
      return text.takeError();
    return lift(*text);
  }

  /// The kernel with these decisions.
  llvm::Expected<Candidate> timed(const OptimizeResult &decided) const {
    const OptimizeResult own = ownPart(decided);
    Candidate candidate;
    if (std::optional<std::set<SiteId>> gone = removedAlone(own)) {
      measure(candidate, withoutSites(kernel, *gone));
      return candidate;
    }
    llvm::Expected<Module> after = liftWith(own);
    if (!after)
      return after.takeError();
    const Kernel *is = kernelLike(*after, kernel);
    if (!is || !is->analysable)
      return llvm::createStringError("as pruned it is not read as the same kernel");
    measure(candidate, *is);
    return candidate;
  }

  /// What goes, if nothing moves.
  static std::optional<std::set<SiteId>> removedAlone(const OptimizeResult &decided) {
    std::set<SiteId> gone;
    for (const SiteDecision &decision : decided.decisions) {
      if (decision.verdict == Verdict::Moved)
        return std::nullopt;
      if (decision.verdict == Verdict::Removed)
        gone.insert(decision.site);
    }
    return gone;
  }

  void measure(Candidate &candidate, const Kernel &version) const {
    candidate.cycles = cyclesOf(version);
    candidate.statements = sitesOf(version).size();
  }

  double cyclesOf(const Kernel &version) const {
    return timing::timeCores({&version}, machine, options.timed, costs, inputs).front().estimate().cycles;
  }

  /// The decisions on this kernel's sites alone.
  OptimizeResult ownPart(const OptimizeResult &whole) const {
    OptimizeResult own;
    for (const SiteDecision &decision : whole.decisions)
      if (runsHere(decision.site))
        own.decisions.push_back(decision);
    return own;
  }

  llvm::Error search(KernelResync &about, std::optional<Candidate> &best) {
    llvm::Expected<StatementTree> tree = StatementTree::read(kernel);
    if (!tree)
      return tree.takeError();
    llvm::Expected<RequiredOrder> order = requiredOrder(module, number, *tree, machine, options.optimize.ordering);
    if (!order)
      return order.takeError();
    if (options.regionWork != 0 && options.verified)
      return searchRegions(*tree, about, best);
    llvm::Error error = searchAmong(*order, Range::All, *tree, about, best);
    if (error.isA<TooLong>() && options.verified &&
        options.inputStands) { // a draft is of a region, which is not cut again
      llvm::consumeError(std::move(error));
      return searchRegions(*tree, about, best);
    }
    for (Range range : {Range::Slots, Range::Trips}) {
      std::optional<Candidate> faster = searchFaster(*order, range, *tree, about, best ? best->cycles : baseCycles());
      if (!faster)
        continue;
      llvm::consumeError(std::move(error));
      error = llvm::Error::success();
      best = std::move(faster);
      about.reason.clear();
    }
    return error;
  }

  /// Region by region: what each drafts is put together, as far as it is right and worth it.
  llvm::Error searchRegions(const StatementTree &tree, KernelResync &about, std::optional<Candidate> &best) const {
    about.reason = nothingFaster(about, {}, unordered());
    if (round >= kMostRegionRounds)
      return llvm::Error::success();
    llvm::Expected<RegionCutter> cutter = RegionCutter::of(module, number, tree, machine, options.optimize.ordering);
    if (!cutter)
      return cutter.takeError();
    const std::vector<Region> regions =
        cutter->regions(options.regionWork != 0 ? options.regionWork : kMostRegionWork, round % 2 != 0);
    WorkLimit drafting = limit.share(2); // the other half is for what comes of it
    std::vector<RegionDraft> drafts, accepted;
    for (const Region &region : regions)
      if (std::optional<RegionDraft> draft = draftOf(*cutter, region, tree, drafting))
        drafts.push_back(std::move(*draft));
    limit.spend(drafting.spent());
    takeDrafts(drafts, kMostRegionHalvings, tree, accepted, about, best);
    return llvm::Error::success();
  }

  /// Empty: nothing in the region is to be placed anew.
  std::optional<RegionDraft> draftOf(const RegionCutter &cutter, const Region &region, const StatementTree &tree,
                                     WorkLimit &drafting) const {
    if (drafting.exhausted())
      return std::nullopt;
    const Lift own = liftOnly(lift, kernel.name);
    llvm::Expected<Module> cut = cutter.cutOut(region, kRegionMargin, own);
    const Kernel *is = cut ? kernelLike(*cut, kernel) : nullptr;
    llvm::Expected<StatementTree> cutTree = is ? StatementTree::read(*is) : llvm::createStringError("it is not read");
    if (!cutTree) {
      llvm::consumeError(cutTree.takeError());
      llvm::consumeError(cut.takeError());
      return std::nullopt;
    }
    const Removals removals(*cut, machine, catalogue, options.optimize);
    ResyncOptions asked = options;
    asked.verified = false;
    WorkLimit share = drafting.share(kRegionShare);
    KernelResynchroniser inside(*cut, static_cast<std::size_t>(is - cut->kernels.data()), removals, machine, catalogue,
                                costs, asked, share, own);
    KernelResync about;
    std::optional<Candidate> best = inside.runOnce(about);
    drafting.spend(share.spent() + kReading * numberedStatements(*is).size());
    if (!best)
      return std::nullopt;
    RegionDraft draft;
    for (const SiteDecision &decision : best->result.decisions)
      if (decision.verdict == Verdict::Removed)
        draft.gone.insert(cutter.siteAt(cut->sites[decision.site].range.begin));
    draft.gone.erase(kNone);
    for (const Proposal &proposal : best->proposals) {
      std::optional<Proposal> moved = movedTo(tree, proposal, *cutTree);
      if (!moved)
        return std::nullopt;
      draft.proposals.push_back(std::move(*moved));
    }
    return draft;
  }

  /// Adds to `accepted` as many of them as are right together, all at once or halves of them.
  void takeDrafts(llvm::ArrayRef<RegionDraft> drafts, unsigned halvings, const StatementTree &tree,
                  std::vector<RegionDraft> &accepted, KernelResync &about, std::optional<Candidate> &best) const {
    if (drafts.empty() || limit.exhausted())
      return;
    std::vector<RegionDraft> together = accepted;
    together.insert(together.end(), drafts.begin(), drafts.end());
    std::optional<Candidate> candidate = candidateWith(together, tree);
    if (candidate && improves(*candidate, together.size()) && (!best || isFaster(*candidate, *best))) {
      std::optional<std::string> reason = judge(*candidate);
      limit.spend(kReading * numberedStatements(kernel).size());
      if (!reason && improves(*candidate, together.size())) {
        accepted = std::move(together);
        best = std::move(candidate);
        about.reason.clear();
        return;
      }
      if (reason)
        about.reason = "what was found did not pass the verification: " + *reason;
    }
    if (halvings == 0 || drafts.size() < 2 || unordered() > 0) // what all of them do not order, no half does
      return;
    const std::size_t half = drafts.size() / 2;
    takeDrafts(drafts.take_front(half), halvings - 1, tree, accepted, about, best);
    takeDrafts(drafts.drop_front(half), halvings - 1, tree, accepted, about, best);
  }

  /// The whole kernel with what regions drafted, and without what they have no need of. Where ids fall short, rings of
  /// loops that follow one another become one, and then regions stay as they are that would have what no id is left
  /// for.
  std::optional<Candidate> candidateWith(std::vector<RegionDraft> drafts, const StatementTree &tree) const {
    std::set<std::pair<Pipe, Pipe>> shortage; // so far
    for (unsigned tries = 0; tries < kMostIdTries; ++tries) {
      RegionDraft all = joined(drafts);
      for (const SiteDecision &decision : pruned->decisions)
        if (decision.verdict == Verdict::Removed)
          all.gone.insert(decision.site);
      joinRings(all, shortage, tree);
      std::set<std::size_t> lacking;
      const std::size_t known = shortage.size();
      std::optional<Candidate> candidate = candidateWith(all, tree, lacking, shortage);
      if (lacking.empty())
        return candidate;
      if (shortage.size() > known)
        continue;
      std::set<std::size_t> parts;
      for (std::size_t i : lacking)
        parts.insert(all.parts[i]);
      std::vector<RegionDraft> left;
      for (std::size_t i = 0; i < drafts.size(); ++i)
        if (!parts.count(i))
          left.push_back(std::move(drafts[i]));
      if (left.size() == drafts.size() || left.empty())
        break;
      drafts = std::move(left);
    }
    return std::nullopt;
  }

  /// `lacking` receives the numbers of the flags that no id is left for, and `shortage` their pipes; then there is no
  /// candidate.
  std::optional<Candidate> candidateWith(const RegionDraft &all, const StatementTree &tree,
                                         std::set<std::size_t> &lacking,
                                         std::set<std::pair<Pipe, Pipe>> &shortage) const {
    llvm::Expected<ProposedKernel> proposed =
        withProposals(module, number, tree, all.proposals, endless, options.optimize.ordering, lift);
    if (!proposed) {
      llvm::consumeError(proposed.takeError());
      return std::nullopt;
    }
    const Kernel &whole = proposed->kernel();
    const KernelTiming timing = std::move(timing::timeCores({&whole}, endless, options.timed, costs, inputs).front());
    const Reducer reducer(*proposed, endless, catalogue, options.optimize, timing, options.reservedIds);
    std::set<SiteId> out;
    for (SiteId site = 0; site < proposed->origins().size(); ++site)
      if (SiteId origin = proposed->origins()[site]; origin != kNone && all.gone.count(origin))
        out.insert(site);
    WorkLimit share = limit.share(kJoiningShare);
    std::optional<Reduction> reduction = reducer.without(out, share);
    limit.spend(share.spent() + kReading * numberedStatements(whole).size());
    if (!reduction)
      return std::nullopt;
    if (reduction->shortage.empty())
      return candidateOf(*proposed, tree, *reduction);
    shortage.insert(reduction->shortage.begin(), reduction->shortage.end());
    for (std::size_t i : reduction->lacking)
      lacking.insert(proposed->numbers[i]);
    return std::nullopt;
  }

  /// What is faster than `fastest` cycles with an id for each of several iterations, or in one trip of a loop alone.
  /// Both make a loop's analysis longer: only where something is left to gain.
  std::optional<Candidate> searchFaster(const RequiredOrder &order, Range range, const StatementTree &tree,
                                        KernelResync about, double fastest) {
    if (fastest <= about.limit * (1 + kWorthwhile) || limit.exhausted())
      return std::nullopt;
    std::optional<Candidate> found;
    if (llvm::Error error = searchAmong(order, range, tree, about, found))
      llvm::consumeError(std::move(error));
    return found && isMuchFaster(found->cycles, fastest) ? std::move(found) : std::nullopt;
  }

  /// The fastest that is right of what can be made of what is proposed.
  llvm::Error searchAmong(const RequiredOrder &order, Range range, const StatementTree &tree, KernelResync &about,
                          std::optional<Candidate> &best) {
    llvm::Expected<ProposedKernel> proposed =
        proposedKernel(module, number, order, tree, range, endless, options.optimize.ordering, lift);
    if (!proposed)
      return proposed.takeError();
    std::size_t ways = waysWithin(options.effort, proposed->size);
    if (ways == 0) {
      if (range != Range::All)
        return llvm::createStringError("reducing its syncs would take too long");
      ways = 1;
      if (llvm::Expected<ProposedKernel> plain =
              proposedKernel(module, number, order, tree, Range::Plain, endless, options.optimize.ordering, lift))
        proposed = std::move(plain);
      else
        llvm::consumeError(plain.takeError());
    }
    return reduceAndJudge(*proposed, variationsFor(range == Range::Slots).take_front(ways).vec(), tree, about, best);
  }

  /// What a candidate may take.
  double baseCycles() const { return options.inputStands ? base.cycles : std::numeric_limits<double>::infinity(); }

  llvm::Error reduceAndJudge(const ProposedKernel &proposed, std::vector<Variation> ways, const StatementTree &tree,
                             KernelResync &about, std::optional<Candidate> &best) {
    const Kernel &whole = proposed.kernel();
    KernelTiming timing = std::move(timing::timeCores({&whole}, endless, options.timed, costs, inputs).front());
    Reducer reducer(proposed, endless, catalogue, options.optimize, timing, options.reservedIds);
    reducer.timeEach(limit);
    std::vector<Candidate> candidates = reducedBy(reducer, proposed, tree, ways);
    if (!candidates.empty() && isMuchFaster(about.limit, candidates.front().cycles))
      if (std::optional<Reduction> faster =
              reducer.faster(candidates.front().leftOut, candidates.front().cycles, kWorthwhile, limit))
        candidates.insert(candidates.begin(), candidateOf(proposed, tree, *faster));
    about.reason = nothingFaster(about, ways, unordered());
    for (Candidate &candidate : candidates) {
      if (!improves(candidate))
        break;
      limit.spend(kJudging * timing.plan().operations.size());
      std::optional<std::string> reason = judge(candidate);
      if (!reason && improves(candidate)) {
        best = candidate;
        about.reason.clear();
        break;
      }
      if (reason)
        about.reason = "what was found did not pass the verification: " + *reason;
    }
    if (limit.exhausted())
      return llvm::Error::success();
    if (std::optional<Candidate> shorter = withFewer(proposed, tree, reducer, std::move(candidates), best)) {
      best = std::move(shorter);
      about.reason.clear();
    }
    return llvm::Error::success();
  }

  /// As fast as the best so far, or as the kernel is if there is none, in fewer statements; or faster in as many.
  std::optional<Candidate> withFewer(const ProposedKernel &proposed, const StatementTree &tree, const Reducer &reducer,
                                     std::vector<Candidate> others, const std::optional<Candidate> &best) const {
    if (!best && !options.inputStands)
      return std::nullopt;
    const Candidate &fastest = best ? *best : base;
    const double most = std::min(baseCycles(), fastest.cycles);
    std::vector<std::set<SiteId>> starts;
    if (best)
      starts.push_back(best->leftOut);
    if (std::optional<std::set<SiteId>> own = ownLeftOut(proposed); own && baseCycles() <= most)
      starts.push_back(std::move(*own));
    for (const std::set<SiteId> &start : starts)
      for (const Reduction &merged : reducer.merges(start, most, limit))
        others.push_back(candidateOf(proposed, tree, merged));
    const auto isBetter = [&](const Candidate &one) {
      const std::size_t limit = isMuchFaster(one.cycles, most) ? fastest.statements + 1 : fastest.statements;
      return one.cycles <= most && one.statements < limit && improves(one);
    };
    std::erase_if(others, [&](const Candidate &one) { return !isBetter(one); });
    std::stable_sort(others.begin(), others.end(),
                     [&](const Candidate &a, const Candidate &b) { return isShorter(a, b, most); });
    for (Candidate &candidate : others)
      if (!limit.exhausted() && !judge(candidate) && isBetter(candidate))
        return std::move(candidate);
    return std::nullopt;
  }

  /// What the proposed kernel leaves out where it is as pruned; empty if something moves there.
  std::optional<std::set<SiteId>> ownLeftOut(const ProposedKernel &proposed) const {
    std::optional<std::set<SiteId>> gone = removedAlone(ownPart(*pruned));
    if (!gone)
      return std::nullopt;
    std::set<SiteId> out;
    for (SiteId site = 0; site < proposed.origins().size(); ++site)
      if (proposed.origins()[site] == kNone || gone->count(proposed.origins()[site]))
        out.insert(site);
    return out;
  }

  /// What can be published of these, the fastest first. Where ids fall short the ways withhold what was proposed.
  std::vector<Candidate> reducedBy(const Reducer &reducer, const ProposedKernel &proposed, const StatementTree &tree,
                                   std::vector<Variation> &ways) const {
    std::vector<std::optional<Candidate>> found(ways.size());
    std::vector<WorkLimit> shares(ways.size(), limit.share(ways.size()));
    runInParallel(found.size(), [&](std::size_t i) {
      Reduction reduction = reduceWithin(reducer, ways[i], shares[i]);
      if (reduction.shortage.empty())
        found[i] = candidateOf(proposed, tree, reduction);
    });
    for (const WorkLimit &share : shares)
      limit.spend(share.spent());
    std::vector<Candidate> candidates;
    for (std::optional<Candidate> &candidate : found)
      if (candidate)
        candidates.push_back(std::move(*candidate));
    std::stable_sort(candidates.begin(), candidates.end(), isFaster);
    return candidates;
  }

  /// With what was proposed where ids fall short left out, and what the kernel has there kept.
  static Reduction reduceWithin(const Reducer &reducer, Variation &way, WorkLimit &limit) {
    constexpr unsigned kMostShortages = 2;
    for (unsigned i = 0;; ++i) {
      Reduction reduction = reducer.reduce(way, limit);
      way.withheld.insert(reduction.shortage.begin(), reduction.shortage.end());
      if (reduction.shortage.empty() || i == kMostShortages || limit.exhausted())
        return reduction;
    }
  }

  bool improves(const Candidate &candidate, std::size_t parts = 1) const {
    return !options.inputStands || isWorthwhile(candidate, base, parts);
  }

  Candidate candidateOf(const ProposedKernel &proposed, const StatementTree &tree, const Reduction &reduction) const {
    Candidate candidate;
    candidate.cycles = reduction.cycles;
    candidate.statements = reduction.statements;
    candidate.leftOut = reduction.removed;
    for (SiteId site = 0; site < proposed.origins().size(); ++site) {
      SiteId origin = proposed.origins()[site];
      if (origin == kNone || !runsHere(origin))
        continue;
      SiteDecision decision = pruned->decisions[origin];
      decision.movedTo.clear();
      decision.verdict = Verdict::Kept;
      decision.edit = 0;
      decision.pattern.clear();
      decision.evidence.clear();
      if (reduction.removed.count(site)) {
        ++candidate.edits;
        decideGone(decision);
      } else if (decision.reason == KeptReason::None) {
        decision.reason = KeptReason::Hazard;
        decision.detail = "in the kernel that is synchronised anew it orders something that nothing else does";
      }
      candidate.result.decisions.push_back(std::move(decision));
    }
    for (std::size_t i = 0; i < reduction.proposals.size(); ++i) {
      ++candidate.edits;
      const Proposal &proposal = candidate.proposals.emplace_back(proposed.proposals[reduction.proposals[i]]);
      for (AddedSync &added : additionsOf(proposal, reduction.ids[i], module.source, tree)) {
        added.kernel = kernel.name;
        added.section = kernel.section;
        candidate.result.added.push_back(std::move(added));
      }
    }
    sortByPlace(candidate.result.added);
    return candidate;
  }

  /// Looks at the candidate's text alone; settles its time too. Empty: it is right.
  std::optional<std::string> judge(Candidate &candidate) const {
    if (!options.verified)
      return std::nullopt;
    llvm::Expected<Module> after = liftWith(candidate.result);
    if (!after)
      return llvm::toString(after.takeError());
    VerificationOptions verification{options.optimize.ordering, options.replay};
    if (std::optional<std::string> reason = refusal(module, *after, kernel.name, kernel.section, machine, verification))
      return reason;
    if (options.optimize.ordering.allowance.exceeded())
      return options.optimize.ordering.allowance.reason();
    measure(candidate, *kernelLike(*after, kernel));
    return std::nullopt;
  }

  const Module &module;
  const Kernel &kernel;
  std::size_t number;
  const OptimizeResult *pruned;
  const OptimizeResult *unmoved;
  const Machine &machine;
  Machine endless; // for kernels in the making
  const Catalogue &catalogue;
  const timing::CostTable &costs;
  const ResyncOptions &options;
  WorkLimit &limit;
  const Lift &lift;
  const unsigned round;   // of placing what was placed: 0 is the first
  std::set<SiteId> sites; // of this kernel
  std::optional<replay::Inputs> inputs;
  Candidate base; // as pruned
};

/// The syncs that more than one kernel of the group runs through.
std::set<SiteId> sharedIn(const Module &module, const KernelGroup &group) {
  std::set<SiteId> seen, shared;
  for (std::size_t number : group)
    for (SiteId site : sitesOf(module.kernels[number]))
      if (!seen.insert(site).second)
        shared.insert(site);
  return shared;
}

/// The module with these syncs held in place.
Module holding(Module module, const std::set<SiteId> &sites) {
  for (SiteId site : sites)
    if (module.sites[site].protection == Protection::None) {
      module.sites[site].protection = Protection::NotOneStatement;
      module.sites[site].keepReason = "several kernels run through it";
    }
  return module;
}

/// The file with what was found for each of some kernels: its decisions, as a result that edits nothing else.
OptimizeResult together(const Module &module, const std::vector<GroupOutcome> &outcomes) {
  OptimizeResult all = keepingAll(module);
  for (const GroupOutcome &one : outcomes) {
    for (const SiteDecision &decision : one.anew ? one.anew->decisions : one.otherwise->decisions)
      if (one.sites.count(decision.site))
        all.decisions[decision.site] = decision;
    if (one.anew)
      all.added.insert(all.added.end(), one.anew->added.begin(), one.anew->added.end());
  }
  sortByPlace(all.added);
  return all;
}

/// Why some kernels of the file are not right with these decisions; empty: they are.
std::optional<std::string> refusalOf(const Module &module, const KernelGroup &group, const OptimizeResult &decided,
                                     const Machine &machine, const ResyncOptions &options, const Lift &lift) {
  llvm::Expected<std::string> text = patchedText(module, decided);
  llvm::Expected<Module> after = text ? lift(*text) : text.takeError();
  if (!after)
    return llvm::toString(after.takeError());
  for (std::size_t number : group)
    if (std::optional<std::string> reason =
            refusal(module, *after, module.kernels[number].name, module.kernels[number].section, machine,
                    {options.optimize.ordering, options.replay}))
      return reason;
  return std::nullopt;
}

} // namespace

KernelResync aboutKernel(const Kernel &kernel) {
  KernelResync about;
  about.kernel = kernel.name;
  about.section = kernel.section;
  about.line = kernel.line;
  return about;
}

llvm::Expected<ResyncResult> resync(const Module &module, const Machine &machine, const Catalogue &catalogue,
                                    const timing::CostTable &costs, const ResyncOptions &given, const Lift &read) {
  const Lift lift = remembering(read);
  ResyncOptions options = given;
  options.optimize.maxRemovals.reset(); // a kernel has to be seen as a whole; the limit counts what becomes of it
  ResyncResult result;
  const Removals removals(module, machine, catalogue, options.optimize);
  const OptimizeResult &pruned = removals.pruned;
  result.decisions = pruned;
  JoinedGroups joined(module, machine, given.optimize, result);
  // What the search has proved is used where its part of the allowance ends it. The times are no part of that.
  const Allowance searching = options.optimize.ordering.allowance.part(kSearchShare);
  options.optimize.ordering.allowance = options.replay.budget.allowance = searching;
  WorkLimit limit(kMostWork, searching);
  const auto placedAnew = [&](const Module &of, const Removals &by, std::size_t number, GroupOutcome &outcome) {
    KernelResync &about = result.kernels[outcome.kernels.back()];
    KernelResynchroniser kernel(of, number, by, machine, catalogue, costs, options, limit, lift);
    if (std::optional<Candidate> best = kernel.run(about))
      outcome.anew = std::move(best->result);
    outcome.otherwise = &kernel.standing();
    outcome.byCatalogue = outcome.otherwise == &by.pruned ? &catalogue : &by.unmoving;
    if (searching.exceeded())
      about.reason = searching.reason();
  };
  for (const KernelGroup &group : kernelGroups(module)) {
    GroupOutcome asOne{{}, {}, std::nullopt, &pruned, &catalogue};
    std::vector<GroupOutcome> apart;
    for (std::size_t number : group) {
      const std::set<SiteId> own = sitesOf(module.kernels[number]);
      asOne.sites.insert(own.begin(), own.end());
      asOne.kernels.push_back(result.kernels.size());
      apart.push_back({own, {result.kernels.size()}});
      result.kernels.push_back(aboutKernel(module.kernels[number]));
    }
    if (group.size() == 1) {
      placedAnew(module, removals, *group.begin(), apart.front());
      joined.add(apart.front());
      continue;
    }
    // What several of them run through stays, and then each is a matter of its own.
    const std::set<SiteId> shared = sharedIn(module, group);
    const Module held = holding(module, shared);
    const Removals byItself(held, machine, catalogue, options.optimize);
    for (std::size_t i = 0; i < apart.size(); ++i) {
      for (SiteId site : shared)
        apart[i].sites.erase(site);
      placedAnew(held, byItself, *std::next(group.begin(), static_cast<std::ptrdiff_t>(i)), apart[i]);
    }
    // What was put in for one of them may stand in text that another one has too.
    const bool anew = std::any_of(apart.begin(), apart.end(), [](const GroupOutcome &one) { return !!one.anew; });
    if (std::optional<std::string> reason =
            anew ? refusalOf(module, group, together(module, apart), machine, options, lift) : std::nullopt;
        !anew || reason) {
      for (std::size_t number : asOne.kernels)
        if (KernelResync &about = result.kernels[number]; reason && about.changed) {
          about.changed = false;
          about.reason = "what was found for it and another kernel did not pass the verification: " + *reason;
          about.after = about.before;
        }
      joined.add(asOne);
      continue;
    }
    for (GroupOutcome &one : apart)
      joined.add(one);
    for (SiteId site : shared)
      result.decisions.decisions[site] = byItself.pruned.decisions[site];
  }
  return result;
}

} // namespace ptosync::synthesis
