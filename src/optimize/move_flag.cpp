#include "optimize/move_flag.h"

#include "optimize/flag_webs.h"
#include "optimize/movable.h"
#include "optimize/sink_into_arms.h"
#include "optimize/statement_slots.h"

#include <llvm/ADT/SmallVector.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace ptosync {
namespace {

enum class Direction : std::uint8_t { Down, Up };

/// Slots searched in one direction. A statement that could go farther still stays where it is.
constexpr std::size_t kMostSlots = 512;

/// One event of the statement, and the slots around it.
struct Run {
  std::size_t kernel;
  EventKey key;
  std::shared_ptr<const SlotList> list;
  std::size_t own; // the statement's own slot; the number of slots if it has none
};

/// One place for the statement in the text: a slot of each run.
struct Target {
  std::uint32_t offset;
  SiteId arrived;                          // like Slot::arrived
  llvm::SmallVector<std::size_t, 2> slots; // by run
  bool gains = false;                      // it passes something that no longer waits
};

using Targets = std::vector<Target>;

/// For a search that does not ask whether an open pair loses an order, which takes longer than the rest of a trial.
std::vector<ConflictPair> noPairs(std::size_t) { return {}; }

class Mover {
public:
  Mover(EditSession &session, const std::vector<Web> &webs, Direction direction)
      : session(session), direction(direction), webs(webs), directives(session.module().source) {}

  /// True if something moved.
  bool run() {
    PatternAction action = direction == Direction::Down ? PatternAction::SinkWait : PatternAction::RaiseSet;
    for (const Web &web : webs)
      if (const Pattern *pattern = patternFor(session, action, web))
        for (SiteId site : direction == Direction::Down ? web.waits : web.sets)
          if (session.decisions().mayEdit() && !settled.count(site) && session.decisions().lineChosen(site)) {
            if (&web != asked)
              open = session.openPairsOf(web);
            asked = &web;
            if (move(site, *pattern))
              settled.insert(site);
          }
    return std::exchange(moved, 0) > 0;
  }

private:
  /// True if there is nothing to try again when other statements have moved: it has moved, or it may
  /// not. What an order forbids it forbids for good, for edits only ever weaken.
  bool move(SiteId site, const Pattern &pattern) {
    if (session.site(site).soleBody || !hasConstantId(session, site) ||
        (direction == Direction::Down ? neededNext(site) : coversLast(site)))
      return true;
    findRuns(site);
    Targets targets = targetsOf(site);
    auto first = std::find_if(targets.begin(), targets.end(), [](const Target &target) { return target.gains; });
    if (first == targets.end())
      return true;
    if (std::optional<EditSession::Refusal> refusal = refusalOf(*first, open))
      return isLasting(*refusal);
    // What only the open pairs forbid is asked at the end: of most statements they forbid nothing.
    auto [allowed, refused] = farthest(first, targets.end(), noPairs);
    if (allowed != first && refusalOf(*allowed, open))
      std::tie(allowed, refused) = farthest(first, allowed + 1, open);
    if (refused == targets.end() && targets.size() >= kMostSlots)
      return true;
    return settle(site, pattern, *allowed, refused == targets.end() ? nullptr : &*refused);
  }

  /// The farthest allowed place behind `allowed`, and the first refused one or `end`: what is refused at one place is
  /// refused at all behind it. It looks far before it looks near: a trial that is refused ends where the first
  /// instruction is in the way, one that is allowed goes on to where the two kernels agree again.
  std::pair<Targets::const_iterator, Targets::const_iterator>
  farthest(Targets::const_iterator allowed, Targets::const_iterator end, const EditSession::OpenPairs &asked) {
    Targets::const_iterator refused = end;
    for (auto next = std::prev(end); next != allowed; next = allowed + (refused - allowed) / 2) {
      (refusalOf(*next, asked) ? refused : allowed) = next;
      if (refused == end)
        break;
    }
    return {allowed, refused};
  }

  std::optional<EditSession::Refusal> refusalOf(const Target &target, const EditSession::OpenPairs &asked) {
    std::map<std::size_t, SyncEdit> edits;
    for (std::size_t i = 0; i < runs.size(); ++i)
      edits[runs[i].kernel].moves[runs[i].key] = {runs[i].list->slots[target.slots[i]].place};
    return session.tryEdit(edits, asked);
  }

  bool settle(SiteId site, const Pattern &pattern, const Target &target, const Target *refused) {
    Evidence limit = limitOf(refused);
    // Another sync may hold back all that this one does: then the farthest place is as good as its own.
    if (refusalOf(target, open) || !session.startsEarlier()) {
      session.abandon();
      return false;
    }
    session.commit();
    ++moved;
    session.decisions().move(site, pattern.id, {std::move(limit)});
    session.decisions().arrive(site, target.offset, target.arrived);
    return true;
  }

  /// What keeps the statement from going one place farther.
  Evidence limitOf(const Target *refused) {
    std::optional<EditSession::Refusal> refusal;
    if (refused)
      refusal = refusalOf(*refused, open);
    session.abandon();
    if (direction == Direction::Down)
      return limitEvidence(session, refusal, "the first that needs it",
                           "nothing behind it in its list of statements needs it");
    return limitEvidence(session, refusal, "the last that it must cover",
                         "nothing before it in its list of statements must be covered");
  }

  /// The usual case, without a trial: the next instruction of the pipe needs what the wait tells.
  bool neededNext(SiteId site) const {
    for (std::size_t k : session.kernelsOf(site)) {
      const Analysis &kernel = session.kernel(k);
      for (const auto &[key, rows] : kernel.pending().facedBy(site))
        if (neededBehind(kernel, key, rows))
          return true;
    }
    return false;
  }

  static bool neededBehind(const Analysis &kernel, EventKey key, const std::map<std::size_t, BitSet> &rows) {
    const Program &program = kernel.program();
    const HazardModel &model = kernel.hazards();
    Pipe pipe = program.steps[key.first][key.second].destination;
    bool needed = false;
    kernel.pending().layout().forEachFrom(program, key.first, key.second + 1, [&](EventKey, const Event &event) {
      if (event.kind == Event::Kind::Set)
        return event.source != pipe;
      if (event.kind == Event::Kind::Wait && event.destination == pipe)
        return false; // may tell the same: for a trial to decide
      if (event.kind == Event::Kind::Barrier)
        return event.source != pipe && event.source != Pipe::All;
      if (event.kind != Event::Kind::Access || program.nodes[event.node].pipe != pipe)
        return true;
      for (const auto &[row, bits] : rows)
        needed = needed || !bits.forEachShared(model.candidates(event.node), [&](std::uint32_t bit) {
          return !model.conflict(bit, event.node) || model.excuse(bit, event.node) == Excuse::Justified;
        });
      return false;
    });
    return needed;
  }

  /// The usual case of a set, without a trial: what its waiter runs first needs the instruction in front
  /// of the set, all in one straight line.
  bool coversLast(SiteId site) const {
    for (std::size_t k : session.kernelsOf(site))
      for (EventKey key : session.kernel(k).pending().eventsOf(site))
        if (coversLast(session.kernel(k), key))
          return true;
    return false;
  }

  static bool coversLast(const Analysis &kernel, EventKey set) {
    const std::vector<Event> &events = kernel.program().steps[set.first];
    const std::vector<Node> &nodes = kernel.program().nodes;
    const Event &event = events[set.second];
    std::uint32_t last = set.second;
    auto runsOn = [&](const Event &other, Pipe pipe) {
      return other.kind == Event::Kind::Access && nodes[other.node].pipe == pipe;
    };
    while (last > 0 && !runsOn(events[last - 1], event.source))
      --last;
    if (last == 0)
      return false;
    std::uint32_t next = set.second + 1;
    while (next < events.size() && !(events[next].kind == Event::Kind::Wait && events[next].lanes == event.lanes))
      ++next;
    for (++next; next < events.size() && !runsOn(events[next], event.destination); ++next)
      if (events[next].kind == Event::Kind::Barrier ||
          (events[next].kind == Event::Kind::Wait && events[next].destination == event.destination))
        return false; // may tell the same
    std::uint32_t bit = nodes[events[last - 1].node].firstBit;
    return next < events.size() && kernel.hazards().conflict(bit, events[next].node) &&
           kernel.hazards().excuse(bit, events[next].node) != Excuse::Justified;
  }

  /// Instructions only: what other syncs gain depends on where they move to themselves, and a second run
  /// would find more of it.
  bool gains(const Analysis &kernel, const Event &event, const SyncSite &site) const {
    if (event.kind != Event::Kind::Access)
      return false;
    return kernel.program().nodes[event.node].pipe == (direction == Direction::Down ? site.destination : site.source);
  }

  void findRuns(SiteId site) {
    runs.clear();
    for (std::size_t k : session.kernelsOf(site))
      for (EventKey key : session.kernel(k).pending().eventsOf(site))
        if (session.kernel(k).pending().reached(key.first))
          runs.push_back(runOf(k, key, session.site(site).range.begin));
  }

  Run runOf(std::size_t k, EventKey key, std::uint32_t offset) {
    std::shared_ptr<const SlotList> list = session.slots(k).around(key, kMostSlots);
    return {k, key, list, list->find(offset, kNone)};
  }

  /// The places that every run through the statement has, nearest first.
  Targets targetsOf(SiteId site) const {
    Targets common;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Targets own = targetsOf(runs[i], session.site(site));
      if (i == 0) {
        common = std::move(own);
        continue;
      }
      std::map<std::pair<std::uint32_t, SiteId>, const Target *> byPlace;
      for (const Target &target : own)
        byPlace[{target.offset, target.arrived}] = &target;
      std::erase_if(common, [&](const Target &target) { return !byPlace.count({target.offset, target.arrived}); });
      for (Target &target : common) {
        const Target &other = *byPlace.at({target.offset, target.arrived});
        target.gains = target.gains || other.gains;
        target.slots.push_back(other.slots.front());
      }
    }
    return common;
  }

  Targets targetsOf(const Run &run, const SyncSite &site) const {
    const Analysis &kernel = session.kernel(run.kernel);
    const std::vector<Slot> &slots = run.list->slots;
    Targets targets;
    bool gained = false;
    auto pass = [&](const Slot &slot) {
      for (const Event *event : slot.passed)
        gained = gained || gains(kernel, *event, site);
    };
    auto add = [&](std::size_t index) {
      bool stops = directives.between(site.range.begin, slots[index].offset);
      if (!stops)
        targets.push_back({slots[index].offset, slots[index].arrived, {index}, gained});
      return !stops && targets.size() < kMostSlots;
    };
    if (direction == Direction::Down)
      for (std::size_t i = run.own + 1; i < slots.size(); ++i) {
        pass(slots[i]);
        if (!add(i))
          break;
      }
    else if (run.own < slots.size())
      for (std::size_t i = run.own; i-- > 0;) {
        pass(slots[i + 1]);
        if (!add(i))
          break;
      }
    return targets;
  }

  EditSession &session;
  Direction direction;
  const std::vector<Web> &webs;
  Directives directives;
  std::vector<Run> runs;       // of the statement under test
  const Web *asked = nullptr;  // the web under test
  EditSession::OpenPairs open; // of it
  std::set<SiteId> settled;
  std::size_t moved = 0; // statements, in this round
};

} // namespace

void moveFlags(EditSession &session) {
  // What has moved may be what held back the instructions for which another statement then gains.
  std::vector<Web> webs = editableWebs(session);
  Mover down(session, webs, Direction::Down), up(session, webs, Direction::Up);
  ArmSinker arms(session, webs);
  for (bool again = true; again;) {
    again = down.run();
    again |= up.run();
    again |= arms.run();
  }
}

} // namespace ptosync
