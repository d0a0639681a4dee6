#include "synthesis/flag_changes.h"

#include "synthesis/sync_text.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>

namespace ptosync::synthesis {
namespace {

constexpr std::size_t kMostPlaces = 240;    // where a statement is put in
constexpr std::size_t kMostStatements = 10; // of a flag that is split

} // namespace

llvm::Error FlagChanges::look() {
  llvm::Expected<KernelState> state = analyseKernel(context.kernel(), context.endless, context.ordering);
  if (!state)
    return state.takeError();
  places.emplace(context.kernel(), context.tree, context.module.source, *state->program);
  for (const auto &[other, count] : state->faults)
    if (other != flag && other.source == flag.source && other.destination == flag.destination)
      faulty.insert(other);
  std::map<SiteId, std::set<Flag>> named;
  for (const auto &events : state->program->steps)
    for (const Event &event : events) {
      for (std::uint32_t lane : event.lanes)
        if (event.site != kNone)
          named[event.site].insert(state->program->flags[lane]);
      if (event.kind == Event::Kind::Access)
        for (std::uint32_t own : state->program->nodes[event.node].inside)
          inside = inside || state->program->flags[own] == flag;
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

void FlagChanges::add(FlagChange option, SyncChange change) {
  options.push_back(option);
  proposed.push_back(std::move(change));
}

SyncChange FlagChanges::inserted(SyncKind kind, const TextPlace &place, std::int64_t id) const {
  return {context.additions({flag.source, flag.destination, {{kind, place}}, {}}, id), {}};
}

void FlagChanges::addInsertions() {
  struct Place {
    std::uint32_t distance;
    SyncKind kind;
    TextPlace place;
  };
  std::vector<Place> all;
  for (SyncKind kind : {SyncKind::SetFlag, SyncKind::WaitFlag})
    for (const TextPlace &place :
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
    std::optional<TextPlace> own = places->inFrontOf(use.offset);
    if (use.flags.size() < 2 || !own)
      continue;
    llvm::StringRef spelled = llvm::StringRef(context.module.sites[use.site].text);
    std::size_t comma = spelled.rfind(','), close = spelled.rfind(')');
    if (comma == llvm::StringRef::npos || close == llvm::StringRef::npos || close < comma)
      continue;
    llvm::StringRef event = spelled.slice(comma + 1, close).trim();
    SyncKind kind = use.kind == SyncKind::SetFlag ? SyncKind::WaitFlag : SyncKind::SetFlag;
    for (const TextPlace &place :
         places->forFlag(kind, kind == SyncKind::SetFlag ? flag.source : flag.destination, offsets)) {
      if (place.list != own->list || places->definesBehind(place, own->child, event))
        continue;
      SyncChange change = inserted(kind, place, flag.id);
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
    SyncChange change;
    change.removed.insert(a.kind == SyncKind::SetFlag ? a.site : b.site);
    const FlagUse &gone = a.kind == SyncKind::SetFlag ? a : b;
    add({FlagChange::Kind::Remove, a.kind, 0, context.module.sites[gone.site].line, kNone, {}}, std::move(change));
  }
}

SyncChange FlagChanges::replaced(const FlagUse &use, std::int64_t id) const {
  SyncChange change = inserted(use.kind, *use.place, id);
  change.removed.insert(use.site);
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

} // namespace ptosync::synthesis
