#include "synthesis/reduction.h"

#include "base/parallel.h"
#include "optimize/edit_kinds.h"
#include "synthesis/event_ids.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace ptosync::synthesis {
namespace {

constexpr unsigned kMostReductionRounds = 4, kMostMergeRounds = 4;
constexpr std::size_t kMostTogether = 10; // flags that go at once
constexpr unsigned kMostExchanges = 4;    // of dear syncs for cheaper ones, one after the other
constexpr std::size_t kMostGivenUp = 3;   // tried for each, the dearest first

std::set<SiteId> proposedSites(const ProposedKernel &proposed) {
  std::set<SiteId> sites;
  for (const std::set<SiteId> &of : proposed.sites)
    sites.insert(of.begin(), of.end());
  return sites;
}

/// True if the order of the two matters no more without these syncs.
bool isAbout(const std::tuple<const Statement *, const Statement *, HazardKind> &pair, const std::set<SiteId> &sites) {
  auto among = [&](const Statement *statement) {
    const auto *sync = std::get_if<Sync>(&statement->action);
    return sync && sites.count(sync->site) != 0;
  };
  return among(std::get<0>(pair)) || among(std::get<1>(pair));
}

} // namespace

Reducer::Reducer(const ProposedKernel &proposed, const Machine &machine, const Catalogue &catalogue,
                 const OptimizeOptions &options, const timing::KernelTiming &timing,
                 const std::set<std::int64_t> &reservedIds)
    : proposed(proposed), machine(machine), catalogue(catalogue), options(options), timing(timing),
      reservedIds(reservedIds) {
  if (llvm::Expected<Reference> input =
          referenceOf(proposed.kernel(), proposedSites(proposed), machine, options.ordering))
    reference = std::move(*input);
  else
    llvm::consumeError(input.takeError());
  EditSession session = newSession();
  items = itemsOf(session);
}

void Reducer::timeEach(WorkLimit &limit) {
  runInParallel(items.size(), [&](std::size_t i) {
    std::vector<bool> ignored(proposed.module().sites.size(), true);
    for (SiteId site : items[i].sites)
      ignored[site] = false;
    items[i].cost = cyclesWithout(ignored);
  });
  limit.spend(items.size() * timing.plan().operations.size());
}

/// Everything is in it; edits are held against the kernel as it came.
EditSession Reducer::newSession() const {
  EditSession session(proposed.module(), {proposed.number}, machine, catalogue, options,
                      reference ? &*reference : nullptr);
  if (reference && reference->seenButReuses)
    session.letIntermittentGo();
  return session;
}

/// `freeSyncs`: handing a sync out takes no time.
double Reducer::cyclesWithout(const std::vector<bool> &ignored, bool freeSyncs) const {
  timing::EngineOptions engine;
  engine.ignored = ignored;
  if (freeSyncs)
    engine.issue = {timing.plan().issue.instruction, 0};
  return timing::runEngine(timing.plan(), engine).cycles;
}

std::vector<Reducer::Item> Reducer::itemsOf(EditSession &session) const {
  std::vector<Item> found;
  const std::set<SiteId> fresh = proposedSites(proposed);
  for (SiteId site = 0; site < proposed.module().sites.size(); ++site)
    if (proposed.module().sites[site].kind == SyncKind::Barrier && session.kernelsOf(site).count(proposed.number) &&
        session.screen(site))
      found.push_back({{site}, std::nullopt, fresh.count(site) != 0, {}, kNone, 1, 1, 0, 0, 0});
  for (Web &web : editableWebs(session)) {
    std::set<SiteId> sites = web.sites();
    bool own = std::all_of(sites.begin(), sites.end(), [&](SiteId site) { return fresh.count(site); });
    bool intermittent = !own && reference && !reference->seenWhole() && isIntermittent(session, web);
    std::pair<Pipe, Pipe> pipes{web.source, web.destination};
    found.push_back({std::move(sites), std::move(web), own, pipes, kNone, 1, 1, 0, 0, 0, intermittent});
  }
  if (std::any_of(found.begin(), found.end(), [](const Item &item) { return item.intermittent; }))
    for (Item &item : found)
      item.reused = item.web && std::any_of(reference->open.begin(), reference->open.end(),
                                            [&](const auto &pair) { return isAbout(pair, item.sites); });
  std::map<SiteId, const Proposal *> proposalOf;
  for (std::size_t i = 0; i < proposed.proposals.size(); ++i)
    proposalOf[*proposed.sites[i].begin()] = &proposed.proposals[i];
  const StatementOrder order(proposed.kernel().lists);
  for (Item &item : found) {
    if (item.proposed) {
      item.handshake = proposalOf.at(*item.sites.begin())->handshake;
      item.slots = proposalOf.at(*item.sites.begin())->slots;
      item.merges = proposalOf.at(*item.sites.begin())->merges;
      item.inPlace = proposalOf.at(*item.sites.begin())->shape == FlagShape::InPlace;
      item.fan = proposalOf.at(*item.sites.begin())->shape == FlagShape::Fan;
    } else if (item.web) {
      item.slots = static_cast<std::uint32_t>(item.web->ids.size());
    }
    auto at = [&](SiteId site) { return proposed.module().sites[site].range.begin; };
    item.width = order.before(at(*item.sites.rbegin())) - order.before(at(*item.sites.begin()));
    for (SiteId site : item.sites)
      item.nesting = std::max(item.nesting, order.depthAt(at(site)) + proposed.module().sites[site].soleBody);
  }
  return found;
}

std::vector<Reducer::Item> Reducer::ordered(const Variation &variation) const {
  Preference preference = variation.preference;
  double least = items.empty() ? 0 : items.front().cost;
  for (const Item &item : items)
    least = std::min(least, item.cost);
  auto step = [&](const Item &item) {
    return std::llround((item.cost - least) / std::max(1.0, least * variation.sameTime));
  };
  auto key = [&](const Item &item) {
    std::int64_t age = preference == Preference::Proposed ? !item.proposed : item.proposed;
    // A set far in front of its wait covers little.
    bool withheld = (item.web && item.proposed && variation.withheld.count(item.pipes) != 0) ||
                    (item.inPlace && !variation.inPlace);
    // One that is set where it is waited for shares an id with all of its kind.
    return std::make_tuple(!item.reused, !withheld, withheld && item.inPlace, item.merges == 1, -step(item),
                           variation.slotsLast ? item.slots : 0, preference == Preference::Fewest ? 0 : -age,
                           -static_cast<std::int64_t>(item.nesting), -static_cast<std::int64_t>(item.sites.size()),
                           -static_cast<std::int64_t>(item.width), -age,
                           -static_cast<std::int64_t>(*item.sites.begin()));
  };
  std::vector<Item> sorted = items;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Item &a, const Item &b) { return key(a) < key(b); });
  return sorted;
}

Reduction Reducer::reduce(const Variation &variation, WorkLimit &limit) const {
  std::vector<Item> all = ordered(variation);
  Reduction reduction = reduced(all, {}, limit);
  if (keepsWhatMayRest(reduction.removed))
    return reduction;
  std::erase_if(all, [](const Item &item) { return item.intermittent; });
  return reduced(std::move(all), {}, limit);
}

std::optional<Reduction> Reducer::without(const std::set<SiteId> &sites, WorkLimit &limit) const {
  std::vector<Item> out, open;
  for (const Item &item : items)
    (sites.count(*item.sites.begin()) != 0 ? out : open).push_back(item);
  Reduction reduction = reduced(std::move(open), std::move(out), limit);
  return keepsWhatMayRest(reduction.removed) ? std::optional(std::move(reduction)) : std::nullopt;
}

/// True if no intermittent flag is out, or none that the input does not see set again in time is left.
bool Reducer::keepsWhatMayRest(const std::set<SiteId> &removed) const {
  auto isOut = [&](const Item &item) { return removed.count(*item.sites.begin()) != 0; };
  return std::none_of(items.begin(), items.end(), [&](const Item &item) { return item.intermittent && isOut(item); }) ||
         std::all_of(reference->open.begin(), reference->open.end(),
                     [&](const auto &pair) { return isAbout(pair, removed); });
}

std::vector<bool> Reducer::ignoring(const std::set<SiteId> &removed) const {
  std::vector<bool> ignored(proposed.module().sites.size(), false);
  for (SiteId site : removed)
    ignored[site] = true;
  return ignored;
}

std::vector<bool> Reducer::including(std::vector<bool> ignored, const Item &item) {
  for (SiteId site : item.sites)
    ignored[site] = false;
  return ignored;
}

/// What may take the place of others, each put into what is left, the cheapest first; none between the pipes that are
/// withheld.
std::vector<Reducer::PutIn> Reducer::putIn(const std::set<SiteId> &removed, bool freeSyncs,
                                           const std::set<std::pair<Pipe, Pipe>> &withheld) const {
  const std::vector<bool> ignored = ignoring(removed);
  std::vector<PutIn> found;
  for (const Item &item : items)
    if (item.proposed && isTried(item, Merging::Fans) && removed.count(*item.sites.begin()) &&
        !withheld.count(item.pipes))
      found.push_back({&item});
  runInParallel(found.size(), [&](std::size_t i) {
    const std::vector<bool> with = including(ignored, *found[i].item);
    found[i].together = cyclesWithout(with, freeSyncs);
    found[i].handedOut = cyclesWithout(with);
  });
  std::stable_sort(found.begin(), found.end(), [](const PutIn &a, const PutIn &b) {
    return std::make_tuple(a.together, b.item->merges) < std::make_tuple(b.together, a.item->merges);
  });
  return found;
}

bool Reducer::isTried(const Item &item, Merging with) {
  return item.merges > 1 || (item.inPlace && with != Merging::Merged) || (item.fan && with == Merging::Fans);
}

/// Those of `found` that together keep what is left within `cycles`, the ones to do without first. `freeSyncs`: what
/// they take the place of goes, so that handing them out costs nothing more.
std::vector<const Reducer::Item *> Reducer::mergedWithin(std::vector<PutIn> found, const std::set<SiteId> &removed,
                                                         double cycles, Merging with, bool freeSyncs) const {
  std::vector<bool> ignored = ignoring(removed);
  const double most = cyclesWithout(ignored, freeSyncs) * (cycles / cyclesWithout(ignored));
  std::erase_if(found, [&](const PutIn &one) {
    if (!isTried(*one.item, with) || one.together > most)
      return true;
    std::vector<bool> together = including(ignored, *one.item);
    if (cyclesWithout(together, freeSyncs) > most)
      return true;
    ignored = std::move(together);
    return false;
  });
  std::stable_sort(found.begin(), found.end(), [](const PutIn &a, const PutIn &b) {
    return std::make_tuple(a.item->merges, b.handedOut) < std::make_tuple(b.item->merges, a.handedOut);
  });
  std::vector<const Item *> chosen;
  chosen.reserve(found.size());
  for (const PutIn &one : found)
    chosen.push_back(one.item);
  return chosen;
}

std::vector<Reduction> Reducer::merges(const std::set<SiteId> &removed, double cycles, WorkLimit &limit) const {
  const std::vector<PutIn> all = putIn(removed, true, {});
  std::vector<std::pair<Merging, std::vector<const Item *>>> tried;
  for (Merging with : {Merging::Merged, Merging::InPlace, Merging::Fans}) {
    std::vector<const Item *> chosen = mergedWithin(all, removed, cycles, with, true);
    if (std::none_of(tried.begin(), tried.end(), [&](const auto &one) { return one.second == chosen; }))
      tried.emplace_back(with, std::move(chosen));
  }
  std::vector<std::optional<Reduction>> found(tried.size());
  std::vector<WorkLimit> shares(tried.size(), limit.share(tried.size()));
  runInParallel(found.size(), [&](std::size_t i) {
    found[i] = mergeFrom(std::move(tried[i].second), removed, cycles, tried[i].first, shares[i]);
  });
  for (const WorkLimit &share : shares)
    limit.spend(share.spent());
  std::vector<Reduction> merged;
  for (std::optional<Reduction> &one : found)
    if (one)
      merged.push_back(std::move(*one));
  return merged;
}

/// Chosen anew without what is between pipes that have too few ids then, or with what handing a sync out takes.
std::optional<Reduction> Reducer::mergeFrom(std::vector<const Item *> chosen, const std::set<SiteId> &removed,
                                            double cycles, Merging with, WorkLimit &limit) const {
  std::set<std::pair<Pipe, Pipe>> withheld; // between these there are too few ids
  bool freeSyncs = true;
  for (unsigned round = 1;; ++round) {
    std::optional<Reduction> merged = mergeOf(chosen, removed, limit);
    if (!merged || (merged->shortage.empty() && merged->cycles <= cycles))
      return merged;
    if (round == kMostMergeRounds || limit.exhausted())
      return std::nullopt;
    withheld.insert(merged->shortage.begin(), merged->shortage.end());
    freeSyncs = freeSyncs && merged->cycles <= cycles;
    chosen = mergedWithin(putIn(removed, freeSyncs, withheld), removed, cycles, with, freeSyncs);
  }
}

/// From that choice with some merged flags put in, what is needed.
std::optional<Reduction> Reducer::mergeOf(const std::vector<const Item *> &chosen, const std::set<SiteId> &removed,
                                          WorkLimit &limit) const {
  if (chosen.empty())
    return std::nullopt;
  std::vector<Item> open, out;
  for (const Item &item : items)
    if (removed.count(*item.sites.begin()) == 0)
      open.push_back(item);
    else if (std::find(chosen.begin(), chosen.end(), &item) == chosen.end())
      out.push_back(item);
  std::stable_sort(open.begin(), open.end(), [](const Item &a, const Item &b) { return a.cost > b.cost; });
  for (const Item *item : chosen)
    open.push_back(*item);
  Reduction merged = reduced(std::move(open), std::move(out), limit);
  if (!keepsWhatMayRest(merged.removed))
    return std::nullopt;
  return merged;
}

std::optional<Reduction> Reducer::faster(const std::set<SiteId> &removed, double cycles, double share,
                                         WorkLimit &limit) const {
  std::optional<Reduction> best;
  std::set<SiteId> out = removed;
  for (unsigned round = 0; round < kMostExchanges && !limit.exhausted(); ++round) {
    const std::vector<bool> ignored = ignoring(out);
    std::vector<std::pair<double, const Item *>> dear; // by what is left without it
    for (const Item &item : items)
      if (!out.count(*item.sites.begin()))
        dear.emplace_back(cycles, &item);
    runInParallel(dear.size(), [&](std::size_t i) {
      std::vector<bool> without = ignored;
      for (SiteId site : dear[i].second->sites)
        without[site] = true;
      dear[i].first = cyclesWithout(without);
    });
    limit.spend(dear.size() * timing.plan().operations.size());
    std::erase_if(dear, [&](const auto &one) { return one.first > cycles * (1 - share); });
    std::stable_sort(dear.begin(), dear.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    dear.resize(std::min(dear.size(), kMostGivenUp));
    std::optional<Reduction> found;
    for (std::size_t i = 0; i < dear.size() && !found && !limit.exhausted(); ++i)
      if ((found = insteadOf(*dear[i].second, out, (cycles + dear[i].first) / 2, limit)))
        if (!found->shortage.empty() || found->cycles > cycles * (1 - share))
          found.reset();
    if (!found)
      break;
    cycles = found->cycles;
    out = found->removed;
    best = std::move(found);
  }
  return best;
}

/// That choice without `given`, and with what is needed of all that takes at most `cycles` beside it.
std::optional<Reduction> Reducer::insteadOf(const Item &given, const std::set<SiteId> &removed, double cycles,
                                            WorkLimit &limit) const {
  std::set<SiteId> others = removed;
  others.insert(given.sites.begin(), given.sites.end());
  const std::vector<bool> ignored = ignoring(others);
  std::vector<std::pair<double, const Item *>> left;
  for (const Item &item : items)
    if (removed.count(*item.sites.begin()))
      left.emplace_back(0, &item);
  runInParallel(left.size(),
                [&](std::size_t i) { left[i].first = cyclesWithout(including(ignored, *left[i].second)); });
  limit.spend(left.size() * timing.plan().operations.size());
  std::stable_sort(left.begin(), left.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
  std::vector<Item> open{given}, out;
  for (const auto &[time, item] : left)
    (time > cycles ? out : open).push_back(*item);
  for (const Item &item : items)
    if (!others.count(*item.sites.begin()))
      open.push_back(item);
  Reduction reduction = reduced(std::move(open), std::move(out), limit);
  return keepsWhatMayRest(reduction.removed) ? std::optional(std::move(reduction)) : std::nullopt;
}

/// Takes out what is out, at once, and what could be set again too early without it; what must stay for another reason
/// becomes open.
void Reducer::leaveOut(EditSession &session, std::vector<Item> &open, std::vector<Item> out,
                       std::set<SiteId> &removed) const {
  while (!out.empty()) {
    std::vector<const Item *> all;
    all.reserve(out.size());
    for (const Item &item : out)
      all.push_back(&item);
    std::optional<EditSession::Refusal> refusal = removeTogether(session, all, removed);
    if (!refusal)
      return;
    std::optional<SiteId> set = session.setTooEarly(*refusal);
    auto early = std::find_if(open.begin(), open.end(), [&](const Item &one) { return set && one.sites.count(*set); });
    if (early == open.end()) {
      open.insert(open.begin(), std::make_move_iterator(out.begin()), std::make_move_iterator(out.end()));
      return;
    }
    out.push_back(std::move(*early));
    open.erase(early);
  }
}

/// What cannot go of these, tried in their order, once `out` has gone; and what was not tried before the limit was
/// exhausted.
Reduction Reducer::reduced(std::vector<Item> open, std::vector<Item> out, WorkLimit &limit) const {
  EditSession session = newSession();
  Reduction result;
  if (session.kernels().empty()) // it has met a limit: nothing comes of this
    return result;
  leaveOut(session, open, std::move(out), result.removed);
  for (unsigned round = 0; round < kMostReductionRounds; ++round) {
    std::size_t before = result.removed.size();
    std::vector<Item> left = removeInOrder(session, open, result.removed, limit);
    bool done = result.removed.size() == before || limit.exceededBy(session.worked());
    open = std::move(left);
    if (done)
      break;
  }
  limit.spend(session.worked());
  const std::vector<bool> ignored = ignoring(result.removed);
  result.cycles = cyclesWithout(ignored);
  const std::set<SiteId> fresh = proposedSites(proposed);
  for (SiteId site = 0; site < proposed.module().sites.size(); ++site)
    if (session.kernelsOf(site).count(proposed.number) && !ignored[site]) {
      ++result.statements;
      result.added += fresh.count(site);
    }
  choose(session, result);
  return result;
}

/// Takes out of `open` what can go, each before those behind it; what may go later is left. Several at once where all
/// of them can: nothing that is right without them is wrong with some of them, so that the outcome is as one by one.
std::vector<Reducer::Item> Reducer::removeInOrder(EditSession &session, const std::vector<Item> &open,
                                                  std::set<SiteId> &removed, const WorkLimit &limit) const {
  constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();
  std::vector<Item> left;
  std::size_t length = 1, within = kUnknown; // of what is tried at once; in front of what one that stays is known to be
  for (std::size_t at = 0; at < open.size() && !limit.exceededBy(session.worked());) {
    if (removed.count(*open[at].sites.begin())) {
      ++at;
      continue;
    }
    const std::size_t end = std::min(at + length, open.size());
    bool gone;
    if (length > 1) {
      gone = !removeTogether(session, withPartners(open, at, end, removed), removed);
      within = gone ? within : end;
      at = gone ? end : at;
    } else {
      const Trial trial = remove(session, open, at, removed);
      gone = trial == Trial::Removed;
      within = gone ? within : kUnknown;
      if (trial == Trial::Later)
        left.push_back(open[at]);
      ++at;
    }
    if (at >= within)
      within = kUnknown;
    length = within != kUnknown ? std::max<std::size_t>((within - at) / 2, 1) : gone ? length * 2 : 1;
  }
  std::erase_if(left, [&](const Item &item) { return removed.count(*item.sites.begin()) != 0; });
  return left;
}

/// Those from `at` to `end` that are not out yet, and behind them the other halves of their handshakes: each half is
/// what keeps the other from being set too early.
std::vector<const Reducer::Item *> Reducer::withPartners(const std::vector<Item> &all, std::size_t at, std::size_t end,
                                                         const std::set<SiteId> &removed) {
  std::vector<const Item *> together;
  std::set<std::uint32_t> handshakes;
  for (std::size_t i = at; i < end; ++i)
    if (!removed.count(*all[i].sites.begin())) {
      together.push_back(&all[i]);
      if (all[i].handshake != kNone)
        handshakes.insert(all[i].handshake);
    }
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((i < at || i >= end) && handshakes.count(all[i].handshake) && !removed.count(*all[i].sites.begin()))
      together.push_back(&all[i]);
  return together;
}

/// Empty if they went.
std::optional<EditSession::Refusal> Reducer::removeTogether(EditSession &session, const std::vector<const Item *> &some,
                                                            std::set<SiteId> &removed) const {
  std::set<SiteId> sites;
  std::vector<EditSession::OpenPairs> open;
  for (const Item *one : some) {
    sites.insert(one->sites.begin(), one->sites.end());
    open.push_back(one->web ? session.openPairsOf(*one->web) : session.openPairsOf(*one->sites.begin()));
  }
  std::optional<EditSession::Refusal> refusal = session.tryRemoval(sites, EditSession::together(std::move(open)));
  if (refusal)
    return refusal;
  session.commit();
  removed.insert(sites.begin(), sites.end());
  return std::nullopt;
}

Reducer::Trial Reducer::remove(EditSession &session, const std::vector<Item> &all, std::size_t at,
                               std::set<SiteId> &removed) const {
  std::vector<const Item *> together = withPartners(all, at, at + 1, removed);
  bool whole = together.size() == 1;
  while (together.size() <= kMostTogether) {
    std::optional<EditSession::Refusal> refusal = removeTogether(session, together, removed);
    if (!refusal)
      return Trial::Removed;
    std::optional<SiteId> set = session.setTooEarly(*refusal);
    if (!set) {
      if (whole)
        return together.size() > 1 ? Trial::Later : Trial::Refused;
      whole = true; // one half alone, then
      together = {&all[at]};
      continue;
    }
    auto other = std::find_if(all.begin(), all.end(), [&](const Item &one) { return one.sites.count(*set) != 0; });
    if (other == all.end() || std::find(together.begin(), together.end(), &*other) != together.end())
      return Trial::Later;
    together.push_back(&*other);
  }
  return Trial::Later;
}

/// What stays of what was proposed, and ids for it.
void Reducer::choose(const EditSession &session, Reduction &result) const {
  std::vector<std::set<SiteId>> flags;
  for (std::size_t i = 0; i < proposed.proposals.size(); ++i) {
    if (result.removed.count(*proposed.sites[i].begin()))
      continue;
    result.proposals.push_back(i);
    if (!proposed.proposals[i].isBarrier())
      flags.push_back(proposed.sites[i]);
  }
  const Analysis &kernel = session.kernel(proposed.number);
  IdAssignment assigned = assignIds(kernel.program(), kernel.pending(), flags, machine.flagIds(), reservedIds);
  result.shortage = std::move(assigned.shortage);
  auto next = assigned.ids.begin();
  for (std::size_t i : result.proposals) {
    const bool barrier = proposed.proposals[i].isBarrier();
    result.ids.push_back(barrier ? -1 : *next++);
    if (!barrier && result.ids.back() < 0)
      result.lacking.push_back(i);
  }
  if (!result.shortage.empty())
    result.ids.clear();
}

} // namespace ptosync::synthesis
