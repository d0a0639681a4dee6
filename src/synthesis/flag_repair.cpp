#include "synthesis/flag_repair.h"

#include "synthesis/event_ids.h"
#include "synthesis/fix.h"
#include "synthesis/proposals.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

namespace ptosync::synthesis {

// The single changes of a kernel's text that could have a part in making a flag binary.
//
//   statements of the flag + places (proposals.h) --> insertions, removals, statements on another id
//
// Only proposed here; flag_repair.h tries them. Tested by tests/synthesis/fix_test.cpp and tests/golden/fix_test.cpp.

/// The comment that a statement leaves which is itself what is wrong.
const SyncPlan::Removal kRemoved = {"fix", {}};

/// A statement that uses the flag.
struct FlagUse {
  SyncKind kind = SyncKind::SetFlag;
  SiteId site = kNone;
  std::uint32_t offset = 0;
  std::optional<ListPlace> place; // if it is one that can be replaced
  std::set<Flag> flags;           // that it may mean
};

/// What one of the changes is.
struct FlagChange {
  enum class Kind : std::uint8_t { Retarget, Remove, Insert, Fresh };
  Kind kind = Kind::Insert;
  SyncKind sync = SyncKind::SetFlag;
  std::uint32_t distance = 0; // statements to the nearest one of the flag
  std::uint32_t line = 0;
  ListId list = kNone;   // Insert: where
  std::set<Flag> others; // Retarget: the flag it becomes; Insert of a computed id: those that it may mean
};

class FlagChanges {
public:
  FlagChanges(const RepairContext &context, const SyncPlan &base, const Flag &flag)
      : context(context), base(base), flag(flag), order(context.kernel().lists) {}

  /// What the kernel has of the flag, and which flags are faulty beside it.
  llvm::Error look();
  /// Everything but what proposeComputed() does.
  void propose();
  /// In the place of what was proposed: copies of statements whose event id is computed, as the other half of the flag.
  void proposeComputed();

  const std::vector<FlagUse> &uses() const { return used; }
  /// Some statement of the flag may mean others too.
  bool undecided() const { return computed; }
  /// A library call uses the flag inside.
  bool usedInside() const { return inside; }
  /// One for each change, in the same order.
  const std::vector<FlagChange> &kinds() const { return options; }
  const std::vector<SyncPlan> &changes() const { return proposed; }

private:
  std::uint32_t distanceTo(std::uint32_t offset) const;
  void add(const FlagChange &option, SyncPlan change);
  SyncPlan inserted(SyncKind kind, const ListPlace &place, std::int64_t id) const;
  SyncPlan replaced(const FlagUse &use, std::int64_t id) const;
  void addInsertions();
  void addRemovals();
  void addRetargets();
  void addFresh();

  const RepairContext &context;
  const SyncPlan &base;
  Flag flag;
  StatementOrder order;
  std::optional<SyncPlaces> places;
  std::vector<FlagUse> used;
  std::set<std::uint32_t> offsets; // of them
  std::set<Flag> faulty;           // other flags between the same pipes
  bool computed = false, inside = false;
  std::vector<FlagChange> options;
  std::vector<SyncPlan> proposed;
};

namespace {

constexpr std::size_t kMostPlaces = 240;    // where a statement is put in
constexpr std::size_t kMostStatements = 10; // of a flag that is split

} // namespace

llvm::Error FlagChanges::look() {
  llvm::Expected<KernelState> state = analyseKernel(context.kernel(), context.endless, context.ordering);
  if (!state)
    return state.takeError();
  places.emplace(context.kernel(), context.tree, context.module.source, state->analysis.program());
  for (const auto &[other, count] : state->faults)
    if (other != flag && other.source == flag.source && other.destination == flag.destination)
      faulty.insert(other);
  std::map<SiteId, std::set<Flag>> named;
  for (const auto &events : state->analysis.program().steps)
    for (const Event &event : events) {
      for (std::uint32_t lane : event.lanes)
        if (event.site != kNone)
          named[event.site].insert(state->analysis.program().flags[lane]);
      if (event.kind == Event::Kind::Access)
        for (std::uint32_t own : state->analysis.program().nodes[event.node].inside)
          inside = inside || state->analysis.program().flags[own] == flag;
    }
  for (const auto &[site, flags] : named) {
    if (!flags.count(flag))
      continue;
    const SyncSite &of = context.module.sites[site];
    computed = computed || flags.size() > 1;
    FlagUse use{of.kind, site, of.range.begin, std::nullopt, flags};
    if (flags.size() == 1 && of.protection == Protection::None && !base.removed.count(site))
      use.place = places->inFrontOf(of.range.begin);
    used.push_back(use);
    offsets.insert(of.range.begin);
  }
  return llvm::Error::success();
}

std::uint32_t FlagChanges::distanceTo(std::uint32_t offset) const {
  std::uint32_t nearest = kNone;
  const std::uint32_t here = order.before(offset);
  for (std::uint32_t use : offsets) {
    const std::uint32_t there = order.before(use);
    nearest = std::min(nearest, there > here ? there - here : here - there);
  }
  return nearest;
}

void FlagChanges::add(const FlagChange &option, SyncPlan change) {
  options.push_back(option);
  proposed.push_back(std::move(change));
}

SyncPlan FlagChanges::inserted(SyncKind kind, const ListPlace &place, std::int64_t id) const {
  SyncPlan plan;
  plan.added = context.additions({flag.source, flag.destination, {{kind, place}}, {}}, id);
  return plan;
}

void FlagChanges::addInsertions() {
  struct Place {
    std::uint32_t distance;
    SyncKind kind;
    ListPlace place;
  };
  std::vector<Place> all;
  for (SyncKind kind : {SyncKind::SetFlag, SyncKind::WaitFlag})
    for (const ListPlace &place :
         places->forFlag(kind, kind == SyncKind::SetFlag ? flag.source : flag.destination, offsets))
      all.push_back({distanceTo(places->offsetOf(place)), kind, place});
  std::stable_sort(all.begin(), all.end(), [](const Place &a, const Place &b) { return a.distance < b.distance; });
  if (all.size() > kMostPlaces)
    all.resize(kMostPlaces);
  for (const Place &at : all)
    add({FlagChange::Kind::Insert, at.kind, at.distance, places->lineOf(at.place), at.place.list, {}},
        inserted(at.kind, at.place, flag.id));
}

/// A copy of a statement whose event id is computed, in its own list, with the other half of the flag.
void FlagChanges::proposeComputed() {
  options.clear();
  proposed.clear();
  for (const FlagUse &use : used) {
    std::optional<ListPlace> own = places->inFrontOf(use.offset);
    if (use.flags.size() < 2 || !own)
      continue;
    llvm::StringRef spelled = llvm::StringRef(context.module.sites[use.site].text);
    std::size_t comma = spelled.rfind(','), close = spelled.rfind(')');
    if (comma == llvm::StringRef::npos || close == llvm::StringRef::npos || close < comma)
      continue;
    llvm::StringRef event = spelled.slice(comma + 1, close).trim();
    SyncKind kind = use.kind == SyncKind::SetFlag ? SyncKind::WaitFlag : SyncKind::SetFlag;
    for (const ListPlace &place :
         places->forFlag(kind, kind == SyncKind::SetFlag ? flag.source : flag.destination, offsets)) {
      if (place.list != own->list || places->definesBehind(place, own->child, event))
        continue;
      SyncPlan change = inserted(kind, place, flag.id);
      for (AddedSync &sync : change.added)
        sync.statement = statementText(kind, flag.source, flag.destination, event.str());
      add({FlagChange::Kind::Insert, kind, distanceTo(places->offsetOf(place)), places->lineOf(place), place.list,
           use.flags},
          std::move(change));
    }
  }
}

/// Of two sets of one list with no other statement of the flag between them the first says nothing that the second
/// does not; of two waits the second.
void FlagChanges::addRemovals() {
  std::vector<FlagUse> sorted = used;
  std::sort(sorted.begin(), sorted.end(), [](const FlagUse &a, const FlagUse &b) { return a.offset < b.offset; });
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    const FlagUse &a = sorted[i], &b = sorted[i + 1];
    if (a.kind != b.kind || !a.place || !b.place || a.place->list != b.place->list)
      continue;
    SyncPlan change;
    const FlagUse &gone = a.kind == SyncKind::SetFlag ? a : b;
    change.removed[gone.site] = kRemoved;
    add({FlagChange::Kind::Remove, a.kind, 0, context.module.sites[gone.site].line, kNone, {}}, std::move(change));
  }
}

SyncPlan FlagChanges::replaced(const FlagUse &use, std::int64_t id) const {
  SyncPlan change = inserted(use.kind, *use.place, id);
  change.removed[use.site] = kRemoved;
  return change;
}

void FlagChanges::addRetargets() {
  for (const FlagUse &use : used)
    for (const Flag &other : faulty)
      if (use.place && other.id < static_cast<std::int64_t>(context.machine.flagIds()))
        add({FlagChange::Kind::Retarget, use.kind, 0, context.module.sites[use.site].line, kNone, {other}},
            replaced(use, other.id));
}

void FlagChanges::addFresh() {
  bool all = std::all_of(used.begin(), used.end(), [](const FlagUse &use) { return use.place.has_value(); });
  if (used.size() > kMostStatements || used.size() < 2 || (!all && inside))
    return;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i].place)
      add({FlagChange::Kind::Fresh, used[i].kind, 0, context.module.sites[used[i].site].line, kNone, {}},
          replaced(used[i], kFirstProposedId));
}

void FlagChanges::propose() {
  addInsertions();
  addRemovals();
  addRetargets();
  addFresh();
}

namespace {

constexpr std::size_t kMostPlacesForTwo = 90; // where one of two is
constexpr std::size_t kMostEvaluated = 200;   // changes that are analysed whole
constexpr std::size_t kMostTimed = 12;        // and timed

using Choice = std::set<std::size_t>;

struct Score {
  std::size_t open = 0, reuses = 0, preference = 0, fences = 0, silenced = 0, atEnd = 0;
  auto operator<=>(const Score &) const = default;
};

struct Evaluated {
  Choice choice;
  Score score;
  std::uint32_t distance = 0;
};

class FlagRepairer {
public:
  FlagRepairer(const RepairContext &context, const SyncPlan &base, const Flag &flag)
      : context(context), base(base), flag(flag), flagChanges(context, base, flag) {}

  llvm::Expected<SyncPlan> run() {
    if (llvm::Error error = flagChanges.look())
      return std::move(error);
    flagChanges.propose();
    if (llvm::Error error = readTrial())
      return std::move(error);
    std::optional<Choice> choice = choose();
    if (!choice && raced) {
      racesCount = false;
      choice = choose();
    }
    if (!choice && flagChanges.undecided()) {
      flagChanges.proposeComputed();
      if (llvm::Error error = readTrial())
        llvm::consumeError(std::move(error)); // a name that is not known there
      else
        choice = best(single());
    }
    if (!choice)
      return llvm::createStringError(whyNot());
    return finish(*choice);
  }

private:
  std::optional<Choice> choose() const {
    std::optional<Choice> choice = best(single());
    if (!choice)
      choice = best(split());
    return choice ? choice : bestPair();
  }

  const std::vector<FlagChange> &options() const { return flagChanges.kinds(); }
  const std::vector<FlagUse> &uses() const { return flagChanges.uses(); }

  llvm::Error readTrial() {
    llvm::Expected<TrialKernel> read =
        TrialKernel::read(context.module, context.number, base, flagChanges.changes(), context.lift);
    if (!read)
      return read.takeError();
    trial.emplace(std::move(*read));
    llvm::Expected<Analysis> analysis = Analysis::of(trial->whole(), context.endless, context.ordering);
    if (!analysis)
      return analysis.takeError();
    everything.emplace(std::move(*analysis));
    outAtFirst = trial->without({});
    layoutAtFirst = SyncLayout();
    layoutAtFirst.apply({outAtFirst, {}});
    tokens.emplace(everything->program(), layoutAtFirst);
    const Program &program = everything->program();
    flagEvents.clear();
    for (StepId step : program.order)
      for (std::uint32_t i = 0; i < program.steps[step].size(); ++i)
        if (const Event &event = program.steps[step][i]; event.site != kNone && !event.lanes.empty())
          flagEvents[event.site].emplace_back(step, i);
    Kernel broken = trial->with({});
    llvm::Expected<KernelState> state = analyseKernel(broken, context.endless, context.ordering);
    if (!state)
      return state.takeError();
    openBefore = state->open.size();
    return llvm::Error::success();
  }

  /// True if a choice leaves neither this flag nor those that it touches faulty. Quick: the order is not looked at.
  bool binary(const Choice &choice) const {
    std::set<Flag> concerned = {flag};
    for (std::size_t i : choice) {
      if (!trial->fits(i))
        return false;
      concerned.insert(options()[i].others.begin(), options()[i].others.end());
      if (options()[i].kind == FlagChange::Kind::Fresh)
        concerned.insert({flag.source, flag.destination, kFirstProposedId});
    }
    std::set<std::uint32_t> lanes;
    const std::vector<Flag> &flags = everything->program().flags;
    for (std::uint32_t lane = 0; lane < flags.size(); ++lane)
      if (concerned.count(flags[lane]))
        lanes.insert(lane);
    const std::set<SiteId> out = trial->without(choice);
    SyncLayout layout;
    layout.apply({out, {}});
    std::vector<SiteId> turned; // in or out
    std::set_symmetric_difference(outAtFirst.begin(), outAtFirst.end(), out.begin(), out.end(),
                                  std::back_inserter(turned));
    std::vector<EventKey> changed;
    for (SiteId site : turned)
      if (auto events = flagEvents.find(site); events != flagEvents.end())
        changed.insert(changed.end(), events->second.begin(), events->second.end());
    TokenStates states(*tokens, layoutAtFirst, layout, changed, lanes);
    return std::none_of(states.faults().begin(), states.faults().end(),
                        [&](const TokenEvent &fault) { return lanes.count(fault.flag) != 0; });
  }

  /// Analyses a choice whole; empty if the flag is not right after all.
  std::optional<Evaluated> evaluate(const Choice &choice) const {
    Kernel kernel = trial->with(choice);
    llvm::Expected<KernelState> state = analyseKernel(kernel, context.endless, context.ordering);
    if (!state) {
      llvm::consumeError(state.takeError());
      return std::nullopt;
    }
    Evaluated result{choice, {}, 0};
    std::set<Flag> concerned = {flag, {flag.source, flag.destination, kFirstProposedId}};
    for (std::size_t i : choice) {
      result.score.preference =
          std::max<std::size_t>(result.score.preference, static_cast<std::size_t>(options()[i].kind));
      result.distance += options()[i].distance;
      concerned.insert(options()[i].others.begin(), options()[i].others.end());
    }
    for (const Flag &of : concerned)
      if (state->faults.count(of))
        return std::nullopt;
    if (racesCount && races(*state, choice)) {
      raced = true;
      return std::nullopt;
    }
    result.score.open = state->open.size();
    // A computed id is copied for the order that it gives; without any its place was another.
    for (std::size_t i : choice)
      if (options()[i].others.size() > 1 && result.score.open >= openBefore)
        return std::nullopt;
    for (const auto &[of, count] : state->reuses)
      result.score.reuses += count;
    result.score.fences = state->fences.size();
    result.score.silenced = state->silenced.size();
    result.score.atEnd = state->atEnd.size();
    clean = clean && state->faults.empty();
    return result;
  }

  /// True if a statement of the choice is one of a set and a wait of which the set may come before the wait for the
  /// flag's last setting is over.
  bool races(const KernelState &state, const Choice &choice) const {
    std::set<SiteId> own;
    for (std::size_t i : choice)
      own.insert(trial->sitesOf(i).begin(), trial->sitesOf(i).end());
    return std::any_of(state.reusePairs.begin(), state.reusePairs.end(),
                       [&](const auto &race) { return own.count(std::get<1>(race)) || own.count(std::get<2>(race)); });
  }

  std::vector<Evaluated> evaluateAll(std::vector<Choice> choices) const {
    if (choices.size() > kMostEvaluated)
      choices.resize(kMostEvaluated);
    std::vector<std::optional<Evaluated>> found(choices.size());
    for (std::size_t i = 0; i < choices.size(); ++i)
      found[i] = evaluate(choices[i]);
    std::vector<Evaluated> good;
    for (std::optional<Evaluated> &one : found)
      if (one)
        good.push_back(std::move(*one));
    return good;
  }

  /// Single changes that make the flag binary, the nearest first.
  std::vector<Choice> single() const {
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < options().size(); ++i)
      if (options()[i].kind != FlagChange::Kind::Fresh && binary({i}))
        choices.push_back({i});
    return choices;
  }

  /// Choices that give some of the flag's statements another id: the smallest ones.
  std::vector<Choice> split() const {
    std::vector<std::size_t> fresh;
    for (std::size_t i = 0; i < options().size(); ++i)
      if (options()[i].kind == FlagChange::Kind::Fresh)
        fresh.push_back(i);
    std::vector<Choice> choices;
    for (std::uint32_t mask = 1; mask < (1u << fresh.size()); ++mask) {
      Choice choice;
      bool sets = false, waits = false;
      for (std::size_t i = 0; i < fresh.size(); ++i)
        if (mask & (1u << i)) {
          choice.insert(fresh[i]);
          (options()[fresh[i]].sync == SyncKind::SetFlag ? sets : waits) = true;
        }
      bool whole = choice.size() == uses().size();
      if (sets && waits && whole == flagChanges.usedInside() && binary(choice))
        choices.push_back(std::move(choice));
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [](const Choice &a, const Choice &b) { return a.size() < b.size(); });
    std::erase_if(choices, [&](const Choice &choice) { return choice.size() > choices.front().size(); });
    return choices;
  }

  /// Two insertions: first the lists of both are chosen, then the place of one, then that of the other.
  std::optional<Choice> bestPair() const {
    std::vector<std::size_t> inserts;
    for (std::size_t i = 0; i < options().size() && inserts.size() < kMostPlacesForTwo; ++i)
      if (options()[i].kind == FlagChange::Kind::Insert && trial->fits(i))
        inserts.push_back(i);
    std::vector<Choice> pairs;
    for (std::size_t i = 0; i < inserts.size(); ++i)
      for (std::size_t j = i + 1; j < inserts.size(); ++j)
        if (binary({inserts[i], inserts[j]}))
          pairs.push_back({inserts[i], inserts[j]});
    std::stable_sort(pairs.begin(), pairs.end(),
                     [&](const Choice &a, const Choice &b) { return spread(a) < spread(b); });
    if (pairs.empty())
      return std::nullopt;
    // Of pairs in the same two lists the nearest stands for all.
    std::map<std::array<std::uint32_t, 4>, Choice> classes;
    for (const Choice &pair : pairs) {
      const FlagChange &a = options()[*pair.begin()], &b = options()[*pair.rbegin()];
      std::array<std::uint32_t, 4> key = {static_cast<std::uint32_t>(a.sync), a.list,
                                          static_cast<std::uint32_t>(b.sync), b.list};
      if (b.sync < a.sync || (a.sync == b.sync && b.list < a.list))
        key = {key[2], key[3], key[0], key[1]};
      classes.emplace(key, pair);
    }
    std::vector<Choice> representatives;
    representatives.reserve(classes.size());
    for (auto &[key, pair] : classes)
      representatives.push_back(pair);
    std::stable_sort(representatives.begin(), representatives.end(),
                     [&](const Choice &a, const Choice &b) { return spread(a) < spread(b); });
    std::optional<Choice> found = best(std::move(representatives));
    for (unsigned round = 0; round < 2 && found; ++round) {
      std::vector<Choice> near;
      std::size_t shared = round ? *found->rbegin() : *found->begin();
      for (const Choice &pair : pairs)
        if (pair.count(shared))
          near.push_back(pair);
      found = best(std::move(near));
    }
    return found;
  }

  std::uint32_t spread(const Choice &choice) const {
    std::uint32_t sum = 0;
    for (std::size_t i : choice)
      sum += options()[i].distance;
    return sum;
  }

  /// The one that leaves the least open; among equals the fastest, then the nearest.
  std::optional<Choice> best(std::vector<Choice> choices) const {
    clean = true;
    std::vector<Evaluated> good = evaluateAll(std::move(choices));
    if (good.empty())
      return std::nullopt;
    std::stable_sort(good.begin(), good.end(), [](const Evaluated &a, const Evaluated &b) {
      return std::tie(a.score, a.distance) < std::tie(b.score, b.distance);
    });
    std::erase_if(good, [&](const Evaluated &one) { return one.score != good.front().score; });
    if (good.size() > kMostTimed)
      good.resize(kMostTimed);
    if (good.size() == 1 || !clean) // with another flag that is faulty it may not come to its end
      return good.front().choice;
    std::vector<double> cycles;
    cycles.reserve(good.size());
    for (const Evaluated &one : good)
      cycles.push_back(context.time(trial->with(one.choice)));
    constexpr double kSameTime = 1.001;
    double fastest = *std::min_element(cycles.begin(), cycles.end());
    for (std::size_t i = 0; i < good.size(); ++i)
      if (cycles[i] <= fastest * kSameTime)
        return good[i].choice;
    return good.front().choice;
  }

  std::string whyNot() const {
    if (uses().empty())
      return "all its statements stand in headers or in the library, which are not edited";
    if (flagChanges.undecided())
      return "the event id of a statement that may mean " + flagName(flag) + " is computed";
    bool placed = std::any_of(uses().begin(), uses().end(), [](const FlagUse &use) { return use.place.has_value(); });
    return placed ? "no two statements that could be put in make " + flagName(flag) + " binary on every path"
                  : "the statements of " + flagName(flag) + " are protected, or not statements of a list";
  }

  llvm::Expected<SyncPlan> finish(const Choice &choice) const {
    SyncPlan result;
    std::set<SiteId> fresh;
    for (std::size_t i : choice)
      if (options()[i].kind == FlagChange::Kind::Fresh)
        fresh.insert(trial->sitesOf(i).begin(), trial->sitesOf(i).end());
    std::int64_t id = 0;
    if (!fresh.empty()) {
      Kernel kernel = trial->with(choice);
      llvm::Expected<KernelState> state = analyseKernel(kernel, context.endless, context.ordering);
      if (!state)
        return state.takeError();
      IdAssignment ids = assignIds(state->analysis.program(), state->analysis.pending(), {fresh},
                                   context.machine.flagIds(), context.reservedIds);
      if (!ids.shortage.empty())
        return llvm::createStringError("its statements need two event ids, and " +
                                       betweenPipes(flag.source, flag.destination) + " none is free");
      id = ids.ids.front();
    }
    OrderReason reason = reasonFor(choice);
    for (std::size_t i : choice) {
      const SyncPlan &change = trial->candidates()[i];
      result.removed.insert(change.removed.begin(), change.removed.end());
      for (AddedSync sync : change.added) {
        if (options()[i].kind == FlagChange::Kind::Fresh) {
          sync.id = id;
          sync.statement = statementText(sync.kind, flag.source, flag.destination, id);
        }
        setReason(sync, reason);
        result.added.push_back(std::move(sync));
      }
    }
    return result;
  }

  /// A pair that the flag orders when it is whole; the flag's own statements where there is none.
  OrderReason reasonFor(const Choice &choice) const {
    Kernel before = trial->with({}), after = trial->with(choice);
    llvm::Expected<KernelState> broken = analyseKernel(before, context.endless, context.ordering);
    llvm::Expected<KernelState> whole = analyseKernel(after, context.endless, context.ordering);
    if (broken && whole) {
      PlaceOf placeOf = context.placesOf(before);
      for (const OpenObligation &open : broken->analysis.pending().open(ObligationKind::Conflict))
        if (open.silenced != Excuse::Silenced && !whole->open.count(broken->pairOf(open.pair)))
          return reasonOf(broken->analysis.program(), open.pair, placeOf);
      for (const OpenObligation &open : broken->analysis.pending().open(ObligationKind::Fence))
        if (!whole->fences.count(broken->pairOf(open.pair)))
          return reasonOf(broken->analysis.program(), open.pair, placeOf);
    } else {
      llvm::consumeError(broken.takeError());
      llvm::consumeError(whole.takeError());
    }
    OrderReason reason{"what is in front of the set", "what is behind the wait", 0, 0};
    for (const FlagUse &use : uses())
      (use.kind == SyncKind::SetFlag ? reason.earlierLine : reason.laterLine) = context.module.sites[use.site].line;
    for (std::size_t i : choice)
      for (std::uint32_t *line : {&reason.earlierLine, &reason.laterLine})
        if (*line == 0)
          *line = options()[i].line;
    return reason;
  }

  const RepairContext &context;
  const SyncPlan &base;
  Flag flag;
  FlagChanges flagChanges;
  std::optional<TrialKernel> trial;
  std::optional<Analysis> everything;                 // all at once
  std::map<SiteId, std::vector<EventKey>> flagEvents; // of `everything`
  // Without any choice: the sites that are out, and the tokens that this leaves.
  std::set<SiteId> outAtFirst;
  SyncLayout layoutAtFirst;
  std::optional<TokenStates> tokens;
  std::size_t openBefore = 0; // pairs, with the flag as it is
  mutable bool clean = true;  // no flag at all is faulty in what was evaluated last
  /// A change of which a statement of its own may come too early is taken only if there is no other: another flag, once
  /// it is mended or put in, may keep the two apart.
  bool racesCount = true;
  mutable bool raced = false; // there was such a change
};

} // namespace

llvm::Expected<SyncPlan> repairFlag(const RepairContext &context, const SyncPlan &base, const Flag &flag) {
  return FlagRepairer(context, base, flag).run();
}

} // namespace ptosync::synthesis
