// The edit kinds that move flags: a wait sinks to just in front of the first instruction that needs it, also into the
// arms of a branch, and a set rises to just behind the last instruction it must cover.
//
//   wait a             TADDS(x, y)        first that needs it: TADDS(z, v), so the wait stands in front of that,
//   TADDS(x, y)   ->   wait a             and TADDS(x, y) starts earlier
//   TADDS(z, v)        TADDS(z, v)
//
//   wait a; if (c) { A; use; } else { use; }   ->   if (c) { A; wait a; use; } else { wait a; use; }
//
// For webs that must stay. A wait that stands too early holds back instructions of its pipe that need not wait; a set
// that stands too late makes its waiter wait for instructions it need not wait for. A statement moves only if some
// instruction may start earlier for it, only to a place that runs exactly as often (statement_slots.h), and only if
// every order and every token still holds; of the places where that is so, the farthest. Waits first, then sets, and
// again until nothing moves. Text means the same elsewhere only if its event id is a constant and no line of the
// preprocessor lies in between: the statement must not get into, or out of, a part that may be left out.
// A wait in front of a branch that only one arm needs is not put into that arm: it would leave the flag set on the
// other. Where every arm, or what follows, needs what the wait tells, a copy goes into each arm. Each way through the
// branch runs one copy, so the flag stays balanced; a branch without `else` has a way without a place for one and is
// left alone. Arms within arms likewise, from the outside in. Sound: every move is a trial like any edit; nothing is
// concluded from the form of the text but that an arm's list of statements runs when the arm is taken and never else
// (statement_slots.h). Tested by tests/optimize/move_flags_test.cpp.
#include "optimize/edit_kinds.h"
#include "optimize/statement_slots.h"

#include <llvm/ADT/SmallVector.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace ptosync {
namespace {

bool isConstant(const ExpressionArena &expressions, ExpressionId id) {
  const Expression &expression = expressions[id];
  return expression.kind == Expression::Kind::Constant ||
         (expression.kind == Expression::Kind::Cast && isConstant(expressions, expression.operands[0]));
}

/// Returns true if the event id is a constant in every call of every kernel.
bool hasConstantId(const EditSession &session, SiteId site) {
  for (std::size_t k : session.kernelsOf(site))
    for (EventKey key : session.kernel(k).pending().eventsOf(site)) {
      const Program &program = session.kernel(k).program();
      const auto &sync = std::get<Sync>(program.steps[key.first][key.second].statement->action);
      if (!isConstant(program.kernel->expressions, sync.event))
        return false;
    }
  return true;
}

/// The preprocessor's lines of a file.
class Directives {
public:
  explicit Directives(const SourceText &source);
  bool between(std::uint32_t offset, std::uint32_t other) const;

private:
  std::set<std::uint32_t> offsets;
};

Directives::Directives(const SourceText &source) {
  const std::string &text = source.text();
  for (std::size_t hash = text.find('#'); hash != std::string::npos; hash = text.find('#', hash + 1)) {
    std::size_t before = hash;
    while (before > 0 && (text[before - 1] == ' ' || text[before - 1] == '\t'))
      --before;
    if (before == 0 || text[before - 1] == '\n')
      offsets.insert(static_cast<std::uint32_t>(hash));
  }
}

bool Directives::between(std::uint32_t offset, std::uint32_t other) const {
  auto next = offsets.lower_bound(std::min(offset, other));
  return next != offsets.end() && *next < std::max(offset, other);
}

/// Returns true if nothing that other statements may still do makes the refused move possible: edits only ever weaken.
/// What another flag's own use forbids may change when that moves.
bool isLasting(const EditSession::Refusal &refusal) {
  const Pending::Trial &trial = refusal.trial;
  return !trial.token && !trial.bracket && !(trial.witness && trial.witness->kind == HazardKind::FlagReuse);
}

/// Returns why a moved statement stands no farther: what refused the next place, whose conflict it names, or, without a
/// refusal, `atEnd`. `needed` says what such a conflict is to the statement.
Evidence limitEvidence(const EditSession &session, const std::optional<EditSession::Refusal> &refusal,
                       const char *needed, const char *atEnd) {
  Evidence evidence;
  evidence.by = Evidence::By::Place;
  evidence.text = atEnd;
  if (!refusal)
    return evidence;
  const Pending::Trial &trial = refusal->trial;
  if (trial.witness && trial.witness->later != kNone)
    evidence.conflict = session.kernel(refusal->kernel).hazards().describe(*trial.witness);
  evidence.text = trial.bracket ? "its bracket ends there"
                  : trial.token ? "its flag is used again there"
                  : trial.fence ? "an opaque fence stands there"
                                : needed;
  return evidence;
}

/// One event of a wait, and the list of statements in which it now stands.
struct Stand {
  std::size_t kernel;
  EventKey key, place;
  StatementList list;
  bool reached = true; // false: this run of the wait never gets to this copy
};

/// One place of the wait in the text. A wait that was not sunk into arms before has one copy, itself.
struct Copy {
  std::uint32_t offset;
  bool arrived;              // it was moved here
  std::vector<Stand> stands; // one per run through it
  std::vector<Evidence> evidence;
};

/// An arm of a branch: its list of statements and the slots in it, by run; in the text they are the same.
struct Arm {
  std::vector<std::size_t> kernels;
  std::vector<StatementList> lists;
  std::vector<std::shared_ptr<const SlotList>> slots; // null: the run never takes this arm
  std::size_t count = 0;                              // of slots that may be used

  const SlotList *firstSlots() const {
    auto taken = std::find_if(slots.begin(), slots.end(), [](const auto &list) { return list != nullptr; });
    return taken == slots.end() ? nullptr : taken->get();
  }
};
constexpr std::size_t kArms = 2;

using Fork = std::vector<Arm>;           // each way through runs one of them
using Places = std::vector<std::size_t>; // a slot of each arm

class ArmSinker {
public:
  ArmSinker(EditSession &session, const std::vector<Web> &webs)
      : session(session), webs(webs), directives(session.module().source) {}

  /// One pass over the waits of the webs, which must be editable; returns true if one was sunk into arms.
  bool run() {
    bool any = false;
    for (const Web &web : webs)
      if (const Pattern *pattern = patternFor(session, PatternAction::SinkIntoArms, web))
        for (SiteId site : web.waits)
          if ((session.decisions().mayEdit() || session.decisions()[site].verdict == Verdict::Moved) &&
              session.decisions().chosen(site) && !session.site(site).soleBody && hasConstantId(session, site))
            any |= sink(site, web, *pattern);
    return any;
  }

private:
  bool sink(SiteId site, const Web &web, const Pattern &pattern) {
    if (!standing.count(site) && session.decisions()[site].movedTo.size() > 1)
      return false; // done in an earlier round
    open = session.openPairsOf(web);
    copies = standing.count(site) ? standing[site] : std::vector<Copy>{asItStands(site)};
    bool any = false;
    for (std::size_t i = 0; i < copies.size();)
      if (!settled.count({site, copies[i].offset}) && split(site, i, pattern))
        any = true; // the new copies take its place and are tried in turn
      else
        ++i;
    if (any)
      standing[site] = copies;
    return any;
  }

  Copy asItStands(SiteId site) const {
    const SiteDecision &decision = session.decisions()[site];
    bool moved = decision.verdict == Verdict::Moved;
    Copy copy{moved ? decision.movedTo.front().offset : session.site(site).range.begin, moved, {}, {}};
    for (std::size_t k : session.kernelsOf(site)) {
      const Analysis &kernel = session.kernel(k);
      for (EventKey key : kernel.pending().eventsOf(site))
        if (kernel.pending().reached(key.first)) {
          const Statement &statement = *kernel.program().steps[key.first][key.second].statement;
          EventKey place = kernel.pending().layout().placesOf(key).front();
          copy.stands.push_back({k, key, place, {place.first, statement.anchor.list, statement.context}});
        }
    }
    return copy;
  }

  /// Into the arms of the branch behind the copy; if nobody gains, into the arms of the branches that
  /// those begin with.
  bool split(SiteId site, std::size_t number, const Pattern &pattern) {
    std::optional<Fork> fork = forkOf(site, copies[number]);
    std::optional<EditSession::Refusal> refusal;
    if (fork)
      refusal = refusalOf(number, *fork, Places(fork->size(), 0));
    if (!fork || refusal) {
      if (!fork || isLasting(*refusal))
        settled.insert({site, copies[number].offset});
      return false;
    }
    for (; fork; fork = deepened(site, *fork))
      if (place(site, number, *fork, pattern))
        return true;
    return false;
  }

  bool place(SiteId site, std::size_t number, const Fork &fork, const Pattern &pattern) {
    Places at(fork.size(), 0);
    std::vector<Evidence> limits;
    for (std::size_t arm = 0; arm < fork.size(); ++arm) {
      std::size_t refused = fork[arm].count;
      for (std::size_t next = refused - 1; next != at[arm]; next = at[arm] + (refused - at[arm]) / 2) {
        Places trial = at;
        trial[arm] = next;
        (refusalOf(number, fork, trial) ? refused : at[arm]) = next;
        if (refused == fork[arm].count)
          break;
      }
      limits.push_back(limitOf(number, fork, at, arm, refused));
    }
    if (refusalOf(number, fork, at) || !session.startsEarlier()) {
      session.abandon();
      return false;
    }
    session.commit();
    settle(site, number, fork, at, limits, pattern);
    return true;
  }

  Evidence limitOf(std::size_t number, const Fork &fork, Places at, std::size_t arm, std::size_t refused) {
    std::optional<EditSession::Refusal> refusal;
    if (refused < fork[arm].count) {
      at[arm] = refused;
      refusal = refusalOf(number, fork, at);
    }
    return limitEvidence(session, refusal, "the first instruction in its arm that needs it",
                         "no place behind it in its arm");
  }

  /// With the copy's place taken by a slot of each arm.
  std::optional<EditSession::Refusal> refusalOf(std::size_t number, const Fork &fork, const Places &at) {
    std::map<std::size_t, SyncEdit> edits;
    for (std::size_t run = 0; run < copies[number].stands.size(); ++run) {
      const Stand &stand = copies[number].stands[run];
      std::vector<SyncPlace> &places = edits[stand.kernel].moves[stand.key];
      for (std::size_t other = 0; other < copies.size(); ++other)
        if (other != number && copies[other].stands[run].reached)
          places.push_back(copies[other].stands[run].place);
      for (std::size_t arm = 0; arm < fork.size(); ++arm)
        if (fork[arm].slots[run])
          places.push_back(fork[arm].slots[run]->slots[at[arm]].place);
    }
    return session.tryEdit(edits, open);
  }

  void settle(SiteId site, std::size_t number, const Fork &fork, const Places &at, const std::vector<Evidence> &limits,
              const Pattern &pattern) {
    Copy whole = std::move(copies[number]);
    copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(number));
    if (whole.arrived)
      session.decisions().leave(site, whole.offset);
    for (std::size_t arm = 0; arm < fork.size(); ++arm) {
      const Slot &first = fork[arm].firstSlots()->slots[at[arm]];
      Copy part{first.offset, true, {}, {limits[arm]}};
      for (std::size_t run = 0; run < whole.stands.size(); ++run) {
        StatementList list = fork[arm].lists[run];
        if (!fork[arm].slots[run]) {
          part.stands.push_back({whole.stands[run].kernel, whole.stands[run].key, {}, list, false});
          continue;
        }
        EventKey where = fork[arm].slots[run]->slots[at[arm]].place.at;
        list.step = where.first;
        part.stands.push_back({whole.stands[run].kernel, whole.stands[run].key, where, list});
      }
      session.decisions().arrive(site, first.offset, first.arrived);
      copies.insert(copies.begin() + static_cast<std::ptrdiff_t>(number + arm), std::move(part));
    }
    std::vector<Evidence> evidence;
    for (const Copy &copy : copies)
      evidence.insert(evidence.end(), copy.evidence.begin(), copy.evidence.end());
    session.decisions().move(site, pattern.id, std::move(evidence));
  }

  /// The arms of the branch in front of which the copy stands, if each has a place for one.
  std::optional<Fork> forkOf(SiteId site, const Copy &copy) const {
    Fork fork(kArms);
    for (const Stand &stand : copy.stands) {
      if (!stand.reached) {
        addNothing(fork, stand.kernel);
        continue;
      }
      std::shared_ptr<const SlotList> list = session.slots(stand.kernel).in(stand.list);
      std::size_t own = list->find(copy.offset, copy.arrived ? site : kNone);
      if (!addArms(fork, site, stand.kernel, stand.list, *list, own + 1))
        return std::nullopt;
    }
    if (!countUsable(fork, site))
      return std::nullopt;
    return fork;
  }

  /// With the arms of branches in place of the arms that begin with them; none if there is no such arm.
  std::optional<Fork> deepened(SiteId site, const Fork &fork) const {
    Fork deeper;
    for (const Arm &arm : fork) {
      Fork parts(kArms);
      bool splits = true;
      for (std::size_t run = 0; run < arm.lists.size() && splits; ++run)
        if (arm.slots[run])
          splits = addArms(parts, site, arm.kernels[run], arm.lists[run], *arm.slots[run], 0);
        else
          addNothing(parts, arm.kernels[run]);
      if (splits && countUsable(parts, site))
        deeper.insert(deeper.end(), parts.begin(), parts.end());
      else
        deeper.push_back(arm);
    }
    if (deeper.size() == fork.size())
      return std::nullopt;
    return deeper;
  }

  /// Adds a run to the two arms of the first branch that one of the slots from `first` on is in front of, if
  /// no instruction of the wait's pipe comes before it.
  bool addArms(Fork &fork, SiteId site, std::size_t k, StatementList list, const SlotList &around,
               std::size_t first) const {
    const Program &program = session.kernel(k).program();
    Pipe pipe = session.site(site).destination;
    for (std::size_t i = first; i < around.slots.size(); ++i) {
      const Slot &slot = around.slots[i];
      for (const Event *event : slot.passed)
        if (event->kind == Event::Kind::Access && program.nodes[event->node].pipe == pipe)
          return false;
      if (!slot.branches)
        continue;
      return addTaken(fork, k, list, slot.place.at.first);
    }
    return false;
  }

  /// The arms that can be taken from `step`: both, or the one that its phase decides.
  bool addTaken(Fork &fork, std::size_t k, StatementList list, StepId step) const {
    const Program &program = session.kernel(k).program();
    const Terminator &end = program.kernel->blocks[program.blockOf[step]].terminator;
    std::array<std::optional<StatementList>, kArms> inside;
    for (const Edge &edge : program.edges[step]) {
      std::size_t arm = program.blockOf[edge.to] == end.whenTrue ? 0 : 1;
      // One arm in several states: a place would have to be one in each of them.
      if (inside[arm] || program.blockOf[edge.to] != (arm == 0 ? end.whenTrue : end.whenFalse))
        return false;
      inside[arm] = armOf(program, list, edge.to);
      if (!inside[arm])
        return false;
    }
    for (std::size_t arm = 0; arm < kArms; ++arm) {
      fork[arm].kernels.push_back(k);
      fork[arm].lists.push_back(inside[arm].value_or(StatementList{}));
      fork[arm].slots.push_back(inside[arm] ? session.slots(k).in(*inside[arm]) : nullptr);
    }
    return !(inside[0] && inside[1]) || inside[0]->list != inside[1]->list;
  }

  static void addNothing(Fork &fork, std::size_t k) {
    for (Arm &arm : fork) {
      arm.kernels.push_back(k);
      arm.lists.push_back({});
      arm.slots.push_back(nullptr);
    }
  }

  /// The slots of each arm that every run has and that text can reach; false if an arm has none.
  bool countUsable(Fork &fork, SiteId site) const {
    std::uint32_t from = session.site(site).range.begin;
    for (Arm &arm : fork) {
      const SlotList *taken = arm.firstSlots();
      if (!taken)
        return false;
      const std::vector<Slot> &first = taken->slots;
      auto common = [&](const std::shared_ptr<const SlotList> &list) {
        if (!list)
          return true;
        const std::vector<Slot> &slots = list->slots;
        return arm.count < slots.size() && arm.count < first.size() &&
               slots[arm.count].offset == first[arm.count].offset &&
               slots[arm.count].arrived == first[arm.count].arrived;
      };
      while (!arm.slots.empty() && std::all_of(arm.slots.begin(), arm.slots.end(), common) &&
             !directives.between(from, first[arm.count].offset))
        ++arm.count;
      if (arm.count == 0)
        return false;
    }
    return true;
  }

  EditSession &session;
  const std::vector<Web> &webs;
  Directives directives;
  EditSession::OpenPairs open;                        // of the web under test
  std::vector<Copy> copies;                           // of the wait under test
  std::map<SiteId, std::vector<Copy>> standing;       // of those that were sunk into arms
  std::set<std::pair<SiteId, std::uint32_t>> settled; // copies that an order or the text keeps there for good
};

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
    const PatternAction onFlags = direction == Direction::Down ? PatternAction::SinkWait : PatternAction::RaiseSet;
    for (const Web &web : webs)
      if (const Pattern *pattern = patternFor(session, web.bracket ? PatternAction::NarrowBracket : onFlags, web))
        for (SiteId site : direction == Direction::Down ? web.waits : web.sets)
          if (session.decisions().mayEdit() && !settled.count(site) && session.decisions().chosen(site)) {
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
      return limitEvidence(session, refusal, "the first instruction that needs it",
                           "no later statement of its block needs it");
    return limitEvidence(session, refusal, "the last instruction that it must cover",
                         "no earlier statement of its block must be covered");
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
      if (event.kind == Event::Kind::Set || event.kind == Event::Kind::Release)
        return event.source != pipe;
      if ((event.kind == Event::Kind::Wait && event.destination == pipe) ||
          (event.kind == Event::Kind::Get && event.source == pipe))
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
