// The syncs of a program: where they stand after edits, the state of each flag, its free ids, and webs.
//
//   Program + SyncLayout --> the events of a step in the order in which they now run
//                        --TokenStates, dataflow to the fixpoint--> per step: a token per flag
//                        --findWebs, reaching sets--> webs: the sets and waits that can feed one another
//
//   1  set_flag(V, MTE2, 0)          Empty -> Full   the prime
//      for (..) {                    Full            on the way in and on the way round
//   2    wait_flag(V, MTE2, 0)       Full -> Empty   consumes 1, or 4 of the iteration before
//   3    TLOAD(a, g)
//   4    set_flag(V, MTE2, 0)        Empty -> Full
//      }
//   5  wait_flag(V, MTE2, 0)         Full -> Empty   the drain: consumes 1, if the loop does not run, or 4
//   6  set_flag(V, MTE2, 0)          Empty -> Full
//   7  wait_flag(V, MTE2, 0)         Full -> Empty
//
//   reaching sets: {1, 4} at 2, {1, 4} at 5, {6} at 7  -->  webs {1, 2, 4, 5} and {6, 7}; both balanced
//   without 4: Full and Empty meet at 2 -> Maybe: a fault, and the web is not balanced
//
// Balance is judged by flag: a fault of a flag makes every web of that flag unbalanced, one that is sound by itself
// too. Sound: Empty and Full hold on every path that reaches the place, and reaching is over-approximated (joins
// unite), so no statement that matters is left out of a web. Paths that the scalars exclude are not followed. Nothing
// here knows when the pipes run, only program order; whether an edit is allowed is for Pending to prove. Tested by
// tests/ordering/syncs_test.cpp.
#pragma once

#include "ordering/program.h"

#include <llvm/ADT/ArrayRef.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// A step and a position in its list of Program::steps. As a place: in front of the event there; the
/// list's length stands for the step's end.
using EventKey = std::pair<StepId, std::uint32_t>;

/// Where an event is to stand: at a place, behind what was put there before, or in front of one of those.
struct SyncPlace {
  SyncPlace(EventKey at) : at(at) {}
  SyncPlace(EventKey at, EventKey inFrontOf) : at(at), inFrontOf(inFrontOf) {}

  EventKey at;
  EventKey inFrontOf = {kNone, kNone}; // an event that was put there; none: behind all of them
};

/// Sites to take out, and events to put elsewhere.
struct SyncEdit {
  std::set<SiteId> removed;
  /// By event: where it stands from now on. Several places are copies of one statement, of which each
  /// path runs at most one.
  std::map<EventKey, std::vector<SyncPlace>> moves;
};

/// Where the syncs of a program stand after edits: some are out, some stand elsewhere. An event keeps its key, its step
/// and position in Program::steps, wherever it stands; so what is stored per event survives a move.
/// A copy is cheap: it shares what its origin has settled.
class SyncLayout {
public:
  void apply(const SyncEdit &edit);
  /// To be called when this becomes the layout that others are copied from.
  void settle();

  bool removed(SiteId site) const { return site < removedSites.size() && removedSites[site]; }
  /// Returns true if the event no longer stands where Program::steps has it.
  bool moved(EventKey event) const { return placesIn(event) != nullptr; }
  /// Returns where the event stands: its own key unless it was moved.
  std::vector<EventKey> placesOf(EventKey event) const;
  /// Returns the events that were put in front of `place`, in the order in which they run.
  const std::vector<EventKey> &insertedAt(EventKey place) const;

  /// Calls `visit(key, event)` for each event of `step` that is left, in order, until it returns false.
  template <typename Visit> void forEach(const Program &program, StepId step, Visit visit) const {
    forEachFrom(program, step, 0, visit);
  }
  /// The same from position `first` of Program::steps on, with what was put in front of it.
  template <typename Visit>
  void forEachFrom(const Program &program, StepId step, std::uint32_t first, Visit visit) const;

  /// Returns true if something was put into the step.
  bool anyInserted(StepId step) const {
    auto in = [step](const Lists &lists) {
      auto place = lists.lower_bound({step, 0});
      return place != lists.end() && place->first.first == step;
    };
    return in(recent.inserted) || (settled && in(settled->inserted));
  }
  /// Calls `visit(key, inBefore, inAfter)` for what either layout has in front of `place`, in the order in
  /// which it runs. What both have there must stand in the same order.
  template <typename Visit>
  static void forEachInserted(const SyncLayout &before, const SyncLayout &after, EventKey place, Visit visit);

private:
  using Lists = std::map<EventKey, std::vector<EventKey>>;
  struct Moves {
    Lists places;   // event -> places
    Lists inserted; // place -> events
  };

  void put(EventKey event, const std::vector<SyncPlace> &list);
  std::vector<EventKey> &eventsToChangeAt(EventKey place);
  const std::vector<EventKey> *placesIn(EventKey event) const;

  std::vector<bool> removedSites; // by site, as far as needed
  std::shared_ptr<Moves> settled; // may be null; what several layouts share is not changed
  Moves recent;                   // stands for what `settled` has of the same key
};

template <typename Visit>
void SyncLayout::forEachFrom(const Program &program, StepId step, std::uint32_t first, Visit visit) const {
  const std::vector<Event> &events = program.steps[step];
  const bool inserted = anyInserted(step);
  for (std::uint32_t i = first; i <= events.size(); ++i) {
    if (inserted)
      for (EventKey key : insertedAt({step, i})) {
        const Event &event = program.steps[key.first][key.second];
        if (!removed(event.site) && !visit(key, event))
          return;
      }
    if (i == events.size())
      return;
    bool stays = events[i].site == kNone || (!removed(events[i].site) && !moved({step, i})); // syncs alone are edited
    if (stays && !visit(EventKey{step, i}, events[i]))
      return;
  }
}

template <typename Visit>
void SyncLayout::forEachInserted(const SyncLayout &before, const SyncLayout &after, EventKey place, Visit visit) {
  const std::vector<EventKey> &old = before.insertedAt(place), &now = after.insertedAt(place);
  if (old.empty() && now.empty())
    return;
  auto stays = [&now](EventKey key) { return std::find(now.begin(), now.end(), key) != now.end(); };
  auto next = old.begin();
  for (EventKey key : now) {
    auto here = std::find(next, old.end(), key);
    if (here == old.end()) {
      visit(key, false, true);
      continue;
    }
    for (; next != here; ++next)
      if (!stays(*next))
        visit(*next, true, false);
    visit(key, true, true);
    ++next;
  }
  for (; next != old.end(); ++next)
    if (!stays(*next))
      visit(*next, true, false);
}

enum class Token : std::uint8_t { Empty, Full, Maybe, Overrun };
using Tokens = std::vector<Token>; // by index into Program::flags

/// A wait or set that meets its flag in the wrong state, or a flag left set where the kernel ends.
struct TokenEvent {
  StepId step;
  std::uint32_t event; // position in Program::steps; kNone: the kernel's end
  std::uint32_t flag;
  Token state; // found there
  auto operator<=>(const TokenEvent &) const = default;
};

/// The token of every flag along every path. A set fills a flag, a wait empties it; a library call that uses a flag of
/// its own inside leaves it unknown if the kernel had it set. Paths that disagree make it Maybe, and Maybe stays until
/// a wait settles it. An event whose event id is not decided makes every lane it may mean Maybe. A set with a
/// decided id, of a flag that is or may be set, makes it Overrun for good: the wait in between may take the first
/// setting before the second one fires, which is then left for a wait that was meant for a third. A set whose id is not
/// decided makes each of its lanes Maybe and no more: if it overruns one of them, the kernel sets that flag twice,
/// which is listed as a fault at its next wait.
class TokenStates {
public:
  TokenStates(const Program &program, const SyncLayout &layout);
  /// What an edit makes of `before`: `events`, all of these flags, stand in `layout` elsewhere than in `was`, or are
  /// out.
  TokenStates(const TokenStates &before, const SyncLayout &was, const SyncLayout &layout,
              llvm::ArrayRef<EventKey> events, const std::set<std::uint32_t> &flags);

  /// To be called when these become the tokens that others are made from: they may then change in place what nobody
  /// else has.
  void settle();

  /// Returns the tokens at the entry of a step; only for reached ones.
  llvm::ArrayRef<Token> entry(StepId step) const {
    if (auto found = changed.find(step); found != changed.end())
      return found->second;
    return llvm::ArrayRef(*entries).slice(step * program->flags.size(), program->flags.size());
  }
  /// Calls `visit(step)` for each step at whose entry they differ from those that they were made from.
  template <typename Visit> void forEachChanged(Visit visit) const {
    for (const auto &[step, tokens] : changed)
      visit(step);
  }
  bool reached(StepId step) const { return reachedSteps[step] || program->flags.empty(); }
  /// Returns every place where a flag is not as it should be.
  const std::vector<TokenEvent> &faults() const { return faultList; }

  static void apply(const Program &program, const Event &event, Tokens &tokens);

private:
  bool join(Tokens &all, StepId target, const Tokens &source);
  void solve(const SyncLayout &layout);
  void findFaults(const SyncLayout &layout, StepId step);

  /// The events that concern one flag, in the order in which they run, by step.
  using FlagEvents = std::map<StepId, std::vector<EventKey>>;
  void findEvents(const SyncLayout &layout);
  FlagEvents editedEvents(const SyncLayout &was, const SyncLayout &layout, llvm::ArrayRef<EventKey> events,
                          std::uint32_t flag) const;
  bool actsAsBefore(std::uint32_t flag) const;
  void solveEdited(std::uint32_t flag);
  template <typename Visit> void forEachOf(std::uint32_t flag, StepId step, Visit visit) const;
  Tokens solveFlag(std::uint32_t flag) const;
  void findFlagFaults(std::uint32_t flag, bool everywhere);
  static void applyToFlag(const Event &event, Token &token);
  Token afterAll(llvm::ArrayRef<EventKey> events, Token token) const;

  const Program *program;
  /// What the program is, whatever is edited.
  struct Order {
    std::vector<std::size_t> place; // of a step in the program's order
    std::vector<StepId> returns;
  };
  std::shared_ptr<const Order> order;
  // What trials of edits share, and what stands in its place in this one.
  std::shared_ptr<std::vector<FlagEvents>> eventsOf; // by flag
  std::map<std::uint32_t, FlagEvents> changedEvents; // by flag: steps that the edit changes
  std::shared_ptr<Tokens> entries;                   // step by step
  std::map<StepId, Tokens> changed;
  std::vector<bool> reachedSteps;
  std::vector<TokenEvent> faultList;
};

/// Which flags are live where, and so which event ids are free. A flag is live from a set that may have filled it to
/// the wait that empties it, in program order. Its id is free at a place if the flag is empty there on every path and
/// the instruction there does not use it inside the library. Whether the *device* is past the wait is another question:
/// a set that takes a free id must still be ordered behind the id's last wait.
class FlagLiveness {
public:
  FlagLiveness(const Program &program, const SyncLayout &layout, const TokenStates &tokens);

  /// Returns the flags that may be set in front of an event, by index into Program::flags; ascending.
  const std::vector<std::uint32_t> &liveAt(EventKey place) const;
  /// Returns the ids, of those the machine has, whose flag (source, destination, id) is free in front of an event.
  std::set<std::int64_t> freeIds(EventKey place, Pipe source, Pipe destination) const;
  /// Returns the most flags of one pair of pipes that are set at once anywhere.
  std::size_t pressure(Pipe source, Pipe destination) const;

private:
  const Program &program;
  std::map<EventKey, std::vector<std::uint32_t>> live; // of reached events
};

/// The set_flag and wait_flag statements that can feed one another. A wait and every set that can reach it with no
/// other wait for the flag in between belong together: through branches, loops, primes in front of a loop and drains
/// behind it. So do a set and an earlier setting that it may overwrite. A web is the smallest thing that can be taken
/// out whole and leave every other flag as it was; two uses of one event id that never meet are two webs. It is
/// `balanced` if its flags are binary on every path and each of its statements names one flag; nothing may be done to
/// any other. The gets and releases of a bracket of a buffer id (buffers.h) are a web of their own kind.
struct Web {
  Pipe source = Pipe::S, destination = Pipe::S; // of a bracket both are its pipe
  std::set<std::int64_t> ids;                   // event ids or buffer ids
  std::vector<SiteId> sets, waits;              // ascending, which is by position; of a bracket its releases and gets
  bool bracket = false;
  bool balanced = true;
  std::string trouble; // why not: one clause

  std::set<SiteId> sites() const;
  /// Returns the first of sites(), of which there is one at least.
  SiteId firstSite() const;
};

/// Returns the webs of one kernel, by their first site. Sites that are out are left out.
std::vector<Web> findWebs(const Program &program, const SyncLayout &layout, const TokenStates &tokens);

/// Returns the webs of a file from those of its kernels: webs that share a statement are one.
std::vector<Web> joinWebs(const std::vector<std::vector<Web>> &webs);

} // namespace ptosync
