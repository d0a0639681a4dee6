#include "ordering/pending.h"

#include "base/walk.h"
#include "ordering/buffers.h"
#include "ordering/path_check.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <tuple>

namespace ptosync {

Pending::Pending(const Program &program, SyncLayout layout)
    : program(program), model(program), obligations(program, model), currentLayout(std::move(layout)),
      siteOfNode(program.nodes.size(), kNone), position(program.steps.size(), kNone) {
  for (StepId step = 0; step < program.steps.size(); ++step)
    for (std::uint32_t i = 0; i < program.steps[step].size(); ++i) {
      const Event &event = program.steps[step][i];
      if (event.site == kNone)
        continue;
      if (event.site >= siteEvents.size())
        siteEvents.resize(event.site + 1);
      siteEvents[event.site].push_back({step, i});
      if (event.node != kNone)
        siteOfNode[event.node] = event.site;
    }
  for (std::uint32_t i = 0; i < program.order.size(); ++i)
    position[program.order[i]] = i;
  tokenStates = std::make_shared<TokenStates>(program, currentLayout);
  inputFaults = tokenStates->faults();
  solve();
  findUnreached();
}

/// Of a block that is copied for the phases of a loop some copies may be reached and others not: those that are not are
/// phases in which it does not run.
void Pending::findUnreached() {
  std::vector<bool> comes(program.kernel->blocks.size(), false);
  for (StepId step : program.order)
    if (entry[step].reached())
      comes[program.blockOf[step]] = true;
  for (BlockId block : program.graph->order())
    if (!comes[block])
      for (const Event &event : program.steps[block])
        if (event.site != kNone) {
          unreachedSites.insert(event.site);
          for (std::uint32_t lane : event.lanes)
            unreachedUses.try_emplace(lane, event.site);
        }
}

SiteId Pending::unreachedUse(std::uint32_t flag) const {
  auto use = unreachedUses.find(flag);
  return use == unreachedUses.end() ? kNone : use->second;
}

const std::vector<EventKey> &Pending::eventsOf(SiteId site) const {
  static const std::vector<EventKey> none;
  return site < siteEvents.size() ? siteEvents[site] : none;
}

/// Keeps what trials and evidence ask for about a sync event.
void Pending::storeEvent(const PendingState &state, EventKey key) {
  const Event &event = program.steps[key.first][key.second];
  if (event.kind == Event::Kind::Access || event.kind == Event::Kind::Inside)
    return;
  Stored &record = stored[key.first][key.second];
  record.rows.clear();
  auto keep = [&](std::size_t row) {
    if (!record.row(row))
      record.rows.emplace_back(row, state.row(row));
  };
  if (event.kind == Event::Kind::Barrier && event.source == Pipe::All)
    for (std::size_t row = 0; row < kPipeCount; ++row)
      keep(row);
  else
    keep(index(event.kind == Event::Kind::Wait ? event.destination : event.source));
  record.tokens.clear();
  for (std::uint32_t lane : event.lanes) {
    keep(kPipeCount + lane);
    record.tokens.push_back(state.tokens[lane]);
  }
  for (std::uint32_t buffer : event.buffers)
    keep(program.rowOfBuffer(buffer));
}

std::vector<OpenObligation> Pending::open(ObligationKind kind) const {
  std::vector<OpenObligation> found;
  std::copy_if(openList.begin(), openList.end(), std::back_inserter(found),
               [kind](const OpenObligation &open) { return open.kind() == kind; });
  return found;
}

PendingState Pending::enter(StepId step) const {
  PendingState state = entry[step];
  state.tokens = tokenStates->entry(step);
  return state;
}

/// Events between two states that are kept inside a step.
std::uint32_t Pending::strideOf(StepId step) const {
  constexpr std::uint32_t kLeastBetween = 8, kMostBetween = 64;
  return std::clamp(static_cast<std::uint32_t>(program.steps[step].size()) / kMostBetween, kLeastBetween, kMostBetween);
}

/// Keeps the state in front of `place`, and of what was put there, if it is one of those to be kept.
void Pending::keepInner(const PendingState &state, EventKey place) {
  std::uint32_t stride = strideOf(place.first);
  if (place.second == 0 || place.second % stride != 0)
    return;
  std::vector<PendingState> &states = inner[place.first];
  std::size_t number = place.second / stride - 1;
  if (number >= states.size())
    states.resize(number + 1);
  states[number] = state;
  states[number].clearUnset(state.tokens);
}

/// The last position not behind `place` of which the state is kept, and the state; 0 and null for the step's entry.
std::pair<std::uint32_t, const PendingState *> Pending::innerBefore(EventKey place) const {
  const std::vector<PendingState> &states = inner[place.first];
  const std::uint32_t stride = strideOf(place.first);
  const std::uint32_t number = std::min(place.second / stride, static_cast<std::uint32_t>(states.size()));
  return number == 0 ? std::pair(0u, nullptr) : std::pair(number * stride, &states[number - 1]);
}

void Pending::solve() {
  entry.assign(program.steps.size(), PendingState());
  inner.resize(program.steps.size());
  stored.resize(program.steps.size());
  for (StepId step = 0; step < program.steps.size(); ++step)
    stored[step].resize(program.steps[step].size());
  const std::vector<StepId> &order = program.order;
  if (order.empty())
    return;
  entry[order.front()] = PendingState(program);
  Worklist work(order);
  work.add(order.front());
  while (std::optional<StepId> step = work.next()) {
    if (program.options.allowance.spent(WorkUnit::Visit))
      return leaveUnsolved();
    PendingState state = enter(*step);
    for (const Event &event : program.steps[*step])
      if (!currentLayout.removed(event.site))
        state.apply(program, model, event);
    for (const Edge &edge : program.edges[*step])
      if (entry[edge.to].join(program, state, edge.around))
        work.add(edge.to);
  }
  const BitSet followed = followedBySyncs();
  for (StepId step : order)
    if (entry[step].reached()) {
      if (program.options.allowance.spent(WorkUnit::Visit))
        return leaveUnsolved();
      storeStep(step);
      findOpen(step, followed);
    }
}

/// What has met a limit is a kernel in which no run comes anywhere.
void Pending::leaveUnsolved() {
  entry.assign(program.steps.size(), PendingState());
  openList.clear();
}

/// Keeps the state in front of each sync of a step, of those that are out too.
void Pending::storeStep(StepId step) {
  PendingState state = enter(step);
  for (std::uint32_t i = 0; i <= program.steps[step].size(); ++i) {
    keepInner(state, {step, i});
    for (EventKey key : currentLayout.insertedAt({step, i})) {
      storeEvent(state, key);
      state.apply(program, model, program.steps[key.first][key.second]);
    }
    if (i == program.steps[step].size())
      break;
    const Event &event = program.steps[step][i];
    if (event.kind != Event::Kind::Access && currentLayout.moved({step, i}))
      continue;
    storeEvent(state, {step, i});
    if (!currentLayout.removed(event.site))
      state.apply(program, model, event);
  }
}

/// What the input leaves open.
void Pending::findOpen(StepId step, const BitSet &followed) {
  PendingState state = enter(step);
  for (const Event &event : program.steps[step]) {
    if (currentLayout.removed(event.site))
      continue;
    findOpenAt(event, state);
    state.apply(program, model, event);
  }
  if (program.kernel->blocks[program.blockOf[step]].terminator.kind == Terminator::Kind::Return)
    findOpenAtEnd(state, step, followed);
}

void Pending::findOpenAt(const Event &event, const PendingState &state) {
  std::optional<std::size_t> row = obligations.rowOf(event);
  if (!row)
    return;
  obligations.forEachAt(event, state.row(*row), [&](const Obligation &open) {
    bool conflict = open.kind() == ObligationKind::Conflict;
    if (conflict && tooManyOpen())
      return false;
    if (openSeen.emplace(open.pair.bit, open.pair.later, open.kind()).second) {
      openList.push_back({open, kNone});
      openConflicts += conflict;
    }
    return true;
  });
}

/// Instances behind which, on some path, a sync stands that may tell somebody of their completion. Of what no sync
/// follows, such as a fence behind the kernel's own end fence, no edit can change when it is over.
BitSet Pending::followedBySyncs() const {
  auto tells = [&](const Event &event) {
    return !currentLayout.removed(event.site) &&
           (event.isFlag() || event.isBuffer() || (event.kind == Event::Kind::Barrier && event.source == Pipe::All));
  };
  std::vector<std::vector<StepId>> predecessors(program.steps.size());
  for (StepId step : program.order)
    for (const Edge &edge : program.edges[step])
      predecessors[edge.to].push_back(step);
  Walk<StepId> leading; // steps from whose end a sync is reached
  for (StepId step : program.order)
    if (std::any_of(program.steps[step].begin(), program.steps[step].end(), tells))
      for (StepId before : predecessors[step])
        leading.reach(before);
  while (std::optional<StepId> step = leading.next())
    for (StepId before : predecessors[*step])
      leading.reach(before);
  BitSet followed(program.bits);
  for (StepId step : program.order) {
    bool behind = leading.reached(step);
    for (auto event = program.steps[step].rbegin(); event != program.steps[step].rend(); ++event) {
      if (behind && event->node != kNone)
        for (std::uint32_t i = 0; i < program.bitCount(program.nodes[event->node]); ++i)
          followed.insert(program.nodes[event->node].firstBit + i);
      behind = behind || tells(*event);
    }
  }
  return followed;
}

BitSet Pending::runningAt(const PendingState &state) const {
  BitSet running(program.bits);
  for (std::size_t row = 0; row < kPipeCount; ++row)
    running.unite(state.row(row));
  return running;
}

std::vector<OpenObligation> Pending::runningAtEnds() const {
  std::vector<OpenObligation> found;
  for (StepId step : program.order) {
    if (!reached(step) || program.kernel->blocks[program.blockOf[step]].terminator.kind != Terminator::Kind::Return)
      continue;
    PendingState state = enter(step);
    for (const Event &event : program.steps[step])
      if (!currentLayout.removed(event.site))
        state.apply(program, model, event);
    obligations.forEachAtEnd(runningAt(state), [&](const Obligation &open) {
      found.push_back({open, step});
      return true;
    });
  }
  return found;
}

void Pending::findOpenAtEnd(const PendingState &state, StepId step, const BitSet &followed) {
  BitSet running = runningAt(state);
  running.intersect(followed);
  obligations.forEachAtEnd(running, [&](const Obligation &open) {
    openList.push_back({open, step});
    return true;
  });
}

const BitSet *Pending::rowBefore(StepId step, std::uint32_t event, std::size_t row) const {
  return stored[step][event].row(row);
}

BitSet Pending::rowAfter(StepId step, std::uint32_t at, Pipe pipe) const {
  const Event &event = program.steps[step][at];
  const Stored &record = stored[step][at];
  const BitSet *before = record.row(index(pipe));
  if (!before) // see leaveUnsolved
    return BitSet(program.bits);
  BitSet row = *before;
  if (currentLayout.removed(event.site))
    return row;
  if (event.kind == Event::Kind::Barrier && event.source == Pipe::All)
    row.clear();
  else if (event.kind == Event::Kind::Barrier && event.source == pipe)
    row.subtract(model.column(pipe));
  else if (event.kind == Event::Kind::Wait && event.destination == pipe && event.lanes.size() == 1 &&
           record.tokens[0] == Token::Full)
    row.intersect(*record.row(kPipeCount + event.lanes[0]));
  else if (event.kind == Event::Kind::Get && event.source == pipe && event.orders)
    for (std::uint32_t buffer : event.buffers)
      row.intersect(*record.row(program.rowOfBuffer(buffer)));
  return row;
}

// Pending: trials of edits.

/// One step of the kernel as it stands and as the edit leaves it, side by side. Only the rows marked
/// dirty may hold something in the edited kernel that the other has not.
class Pending::Twin {
public:
  Twin(const Pending &pending, StepId step, const Difference &extra, Trial &trial)
      : pending(pending), program(pending.program), attempt(*pending.attempt), step(step), trial(trial),
        dirty(pending.entry[step].rows(), false) {
    tokensDiffer = attempt.tokens->entry(step) != pending.tokenStates->entry(step);
    Attempt::Places edited{0, 0};
    if (auto found = attempt.edited.find(step); found != attempt.edited.end())
      edited = found->second;
    lastEdit = edited.last;
    if (extra.empty() && !tokensDiffer) {
      startInside(edited.first);
      return;
    }
    base = pending.enter(step);
    diverge();
    next.tokens = attempt.tokens->entry(step);
    for (const auto &[row, bits] : extra) {
      next.rowToChange(row).unite(bits);
      refresh(row);
    }
  }

  /// False if the edit leaves something unordered.
  bool run() {
    auto count = static_cast<std::uint32_t>(program.steps[step].size());
    bool inserted = pending.currentLayout.anyInserted(step) || attempt.layout.anyInserted(step);
    for (std::uint32_t i = start; i <= count; ++i) {
      if (storing && diverged)
        storing->keepInner(next, {step, i});
      bool holds = true;
      if (inserted)
        SyncLayout::forEachInserted(
            pending.currentLayout, attempt.layout, {step, i},
            [&](EventKey key, bool inBase, bool inNext) { holds = holds && runEvent(key, inBase, inNext); });
      if (!holds)
        return false;
      if (i == count)
        break;
      EventKey key{step, i};
      bool stays = program.steps[step][i].site == kNone; // syncs of the file alone are edited
      if (!runEvent(key, stays || !pending.currentLayout.moved(key), stays || !attempt.layout.moved(key)))
        return false;
      if (i >= lastEdit && !tokensDiffer && dirtyRows == 0)
        return true;
    }
    return checkEnd();
  }

  /// Instead of judging, has `keeper` keep what the edited kernel has where the two differ.
  void store(Pending &keeper) {
    storing = &keeper;
    run();
  }

  /// What only the edited kernel has at the end of the step.
  Difference difference() const {
    Difference result;
    for (std::size_t row = 0; row < dirty.size(); ++row)
      if (dirty[row])
        result.emplace(row, extraOf(row));
    return result;
  }

private:
  /// Up to the first place that the edit touches the two are the same. A state that is kept inside the step holds no
  /// less than the entry leads to, and was judged with all that it holds.
  void startInside(std::uint32_t firstEdit) {
    const PendingState *kept;
    std::tie(start, kept) = pending.innerBefore({step, firstEdit});
    base = kept ? *kept : pending.enter(step);
  }

  bool runEvent(EventKey key, bool inBase, bool inNext) {
    const Event &event = program.steps[key.first][key.second];
    pending.work += diverged ? program.bits / 64 + 1 : 1;
    inBase = inBase && !pending.currentLayout.removed(event.site);
    inNext = inNext && !attempt.layout.removed(event.site);
    if (storing && diverged && (inNext || !attempt.layout.moved(key)))
      storing->storeEvent(next, key);
    if (!inBase && !inNext)
      return true;
    if (inBase != inNext) {
      if (storing && !diverged)
        storing->storeEvent(base, key);
      diverge();
    }
    if (!diverged) {
      base.apply(program, pending.model, event);
      return true;
    }
    if (!storing && inNext && !check(event, inBase))
      return false;
    findSuspects(event, inBase != inNext);
    if (inBase)
      base.apply(program, pending.model, event);
    if (inNext)
      next.apply(program, pending.model, event);
    for (std::size_t row : suspects)
      refresh(row);
    if (!runs(event) || tokensDiffer)
      tokensDiffer = next.tokens != base.tokens;
    return true;
  }

  /// True for what is no sync of the file: an access, or what a library call does to flags. It is in both kernels, and
  /// adds its instance to what is running.
  static bool runs(const Event &event) {
    return event.kind == Event::Kind::Access || event.kind == Event::Kind::Inside;
  }

  /// The two are the same up to here.
  void diverge() {
    if (!diverged)
      next = base;
    diverged = true;
  }

  /// The rows in which the event may make a difference, or end one.
  void findSuspects(const Event &event, bool onOneSide) {
    suspects.clear();
    auto suspect = [&](std::size_t row, bool when) {
      if (when)
        suspects.push_back(row);
    };
    if (onOneSide || (runs(event) && tokensDiffer)) {
      for (std::size_t row = 0; row < dirty.size(); ++row)
        suspect(row,
                onOneSide || (row >= kPipeCount && next.tokens[row - kPipeCount] != base.tokens[row - kPipeCount]));
      return;
    }
    if (runs(event))
      return;
    if (event.kind == Event::Kind::Barrier) {
      for (std::size_t row = 0; row < kPipeCount; ++row)
        suspect(row, dirty[row] && (event.source == Pipe::All || index(event.source) == row));
      return;
    }
    if (event.isBuffer()) {
      findBufferSuspects(event);
      return;
    }
    bool lanes = false;
    for (std::uint32_t lane : event.lanes)
      lanes = lanes || dirty[kPipeCount + lane] || next.tokens[lane] != base.tokens[lane];
    std::size_t pipe = index(event.kind == Event::Kind::Set ? event.source : event.destination);
    for (std::uint32_t lane : event.lanes)
      suspect(kPipeCount + lane, lanes || dirty[pipe]);
    suspect(pipe, event.kind == Event::Kind::Wait && (lanes || dirty[pipe]));
    // A wait is pending for the flags that are set; which those are may differ.
    if (event.kind == Event::Kind::Wait && tokensDiffer)
      for (std::size_t flag = 0; flag < next.tokens.size(); ++flag)
        suspect(kPipeCount + flag, next.tokens[flag] != base.tokens[flag]);
  }

  /// A get may end a difference of its pipe or take over one of the releases; a release hands on its pipe's.
  void findBufferSuspects(const Event &event) {
    bool differs = dirty[index(event.source)];
    for (std::uint32_t buffer : event.buffers)
      differs = differs || dirty[program.rowOfBuffer(buffer)];
    if (!differs || !event.orders)
      return;
    if (event.kind == Event::Kind::Get)
      suspects.push_back(index(event.source));
    else
      for (std::uint32_t buffer : event.buffers)
        suspects.push_back(program.rowOfBuffer(buffer));
  }

  void refresh(std::size_t row) {
    const bool differs = !next.row(row).subsetOf(base.row(row));
    dirtyRows = dirtyRows + differs - dirty[row];
    dirty[row] = differs;
  }

  BitSet extraOf(std::size_t row) const {
    BitSet extra(next.row(row));
    extra.subtract(base.row(row));
    return extra;
  }

  /// Where a set arrives (`inBase` false), what the kernel as it stands has open elsewhere is no excuse.
  bool check(const Event &event, bool inBase) {
    std::optional<std::size_t> row = pending.obligations.rowOf(event);
    if (!row || (inBase && !dirty[*row]))
      return true;
    if (!inBase)
      return judge(event, next.row(*row));
    BitSet extra = extraOf(*row);
    if (event.kind == Event::Kind::Access)
      trial.startsEarlier = trial.startsEarlier || holdsWork(extra);
    return judge(event, extra);
  }

  /// Waits that are out: they consume nothing and hold nobody up.
  bool gone(std::uint32_t bit) const { return attempt.layout.removed(pending.siteOfNode[program.nodeOfBit[bit]]); }

  /// True if there is more in it than waits.
  bool holdsWork(const BitSet &extra) const {
    return !extra.forEachShared(extra, [&](std::uint32_t bit) {
      const Node &node = program.nodes[program.nodeOfBit[bit]];
      return node.accesses.empty() && !node.fence;
    });
  }

  bool refuse(const ConflictPair &witness) {
    trial.fence = witness.kind == HazardKind::Fence;
    trial.atEnd = obligationKind(witness) == ObligationKind::End;
    trial.witness = witness;
    return false;
  }

  /// `found` is what the event's pipe would find running on top of what it finds now.
  bool judge(const Event &event, const BitSet &found) {
    std::optional<ConflictPair> conflict;
    bool holds = pending.obligations.forEachAt(event, found, [&](const Obligation &broken) {
      if (broken.kind() == ObligationKind::Conflict) {
        if (!conflict || saysMore(broken.pair, *conflict))
          conflict = broken.pair;
        return true;
      }
      // A wait that is out consumes nothing and holds nobody up.
      return gone(broken.pair.bit) || pending.mayOpen(broken.pair.bit, broken.pair.later) || refuse(broken.pair);
    });
    return holds && (!conflict || refuse(*conflict));
  }

  /// As a witness: one of the same iteration, a true dependence, of what ran last.
  bool saysMore(const ConflictPair &a, const ConflictPair &b) const {
    auto rank = [&](const ConflictPair &pair) {
      const Node &node = program.nodes[program.nodeOfBit[pair.bit]];
      IterationDistance distance = program.distanceOf(pair.bit);
      return std::make_tuple(!distance.sameIteration(), ~program.graph->depthOf(distance.loop), distance.count,
                             static_cast<int>(pair.kind), ~pending.position[node.block], ~node.event);
    };
    return rank(a) < rank(b);
  }

  /// Draining every pipe may be the kernel's own end fence: what follows on the device must find
  /// everything as it was. So may a wait, behind which the next kernel's work is queued. The scalar unit
  /// is what ends the kernel: what it knows must stay known in any case. A barrier of one pipe holds back
  /// nothing but that pipe's own work.
  bool checkEnd() {
    if (storing || program.kernel->blocks[program.blockOf[step]].terminator.kind != Terminator::Kind::Return)
      return true;
    for (std::size_t row = 0; row < kPipeCount; ++row) {
      if (!dirty[row] || !(attempt.drainsAll || row == index(Pipe::S)))
        continue;
      BitSet extra = extraOf(row);
      if (!pending.obligations.forEachAtEnd(
              extra, [&](const Obligation &broken) { return gone(broken.pair.bit) || refuse(broken.pair); }))
        return false;
    }
    return true;
  }

  const Pending &pending;
  const Program &program;
  const Attempt &attempt;
  StepId step;
  Trial &trial;
  Pending *storing = nullptr;            // null: judge
  std::uint32_t start = 0, lastEdit = 0; // positions in the step
  PendingState base, next;               // `next` only once they have diverged
  bool diverged = false, tokensDiffer = false;
  std::vector<bool> dirty; // by row
  std::size_t dirtyRows = 0;
  std::vector<std::size_t> suspects; // rows, for one event
};

/// Sets up the attempt; false if it is refused for its tokens alone.
bool Pending::begin(const SyncEdit &edit, Trial &trial) {
  attempt = Attempt();
  attempt->edit = edit;
  attempt->layout = currentLayout;
  attempt->layout.apply(edit);
  attempt->tokens = tokenStates;
  std::vector<EventKey> flags; // the events of flags that the edit touches
  bool brackets = false;       // it touches some
  auto edited = [&](EventKey place) {
    if (position[place.first] == kNone)
      return;
    Attempt::Places &places = attempt->edited[place.first];
    places.first = std::min(places.first, place.second);
    places.last = std::max(places.last, place.second);
  };
  auto touch = [&](EventKey key) {
    const Event &event = program.steps[key.first][key.second];
    for (EventKey place : currentLayout.placesOf(key))
      edited(place);
    const bool flag = event.isFlag();
    brackets = brackets || event.isBuffer();
    attempt->drainsAll |= event.kind != Event::Kind::Barrier || event.source == Pipe::All;
    if (flag)
      flags.push_back(key);
  };
  for (SiteId site : edit.removed)
    for (EventKey key : eventsOf(site))
      touch(key);
  for (const auto &[key, places] : edit.moves) {
    touch(key);
    for (const SyncPlace &place : places)
      edited(place.at);
  }
  if (brackets && !bracketsStaySound(trial))
    return false;
  if (flags.empty())
    return true;
  std::set<std::uint32_t> lanes = lanesOf(edit);
  attempt->tokens = std::make_shared<TokenStates>(*tokenStates, currentLayout, attempt->layout, flags, lanes);
  attempt->tokens->forEachChanged([&](StepId step) {
    if (attempt->tokens->reached(step))
      attempt->edited.try_emplace(step, Attempt::Places{0, 0});
  });
  return tokensStayBalanced(lanes, trial);
}

/// No bracket is amiss that the program has not amiss already.
bool Pending::bracketsStaySound(Trial &trial) const {
  std::map<std::pair<BufferFault::Kind, std::int64_t>, std::size_t> known;
  for (const BufferFault &fault : program.bufferFaults)
    ++known[{fault.kind, fault.id}];
  for (const BufferFault &fault : bufferFaultsOf(program, attempt->layout)) {
    std::size_t &left = known[{fault.kind, fault.id}];
    if (left == 0) {
      trial.bracket = fault;
      return false;
    }
    --left;
  }
  return true;
}

std::set<std::uint32_t> Pending::lanesOf(const SyncEdit &edit) const {
  std::set<std::uint32_t> lanes;
  auto add = [&](EventKey key) {
    const Event &event = program.steps[key.first][key.second];
    lanes.insert(event.lanes.begin(), event.lanes.end());
  };
  for (SiteId site : edit.removed)
    for (EventKey key : eventsOf(site))
      add(key);
  for (const auto &[key, places] : edit.moves)
    add(key);
  return lanes;
}

/// No fault of a flag that the edit touches; the others are as they were.
bool Pending::tokensStayBalanced(const std::set<std::uint32_t> &lanes, Trial &trial) const {
  for (const TokenEvent &fault : attempt->tokens->faults())
    if (lanes.count(fault.flag)) {
      trial.token = fault;
      return false;
    }
  return true;
}

/// A setting that may overtake the wait for the one before, where an edit moves one of the two towards the
/// other: what orders them on some paths, or keeps them apart in time, would be in between no more.
std::optional<ConflictPair> Pending::movedReuse() const {
  std::set<SiteId> moved;
  for (const auto &[key, places] : attempt->edit.moves)
    moved.insert(program.steps[key.first][key.second].site);
  if (moved.empty())
    return std::nullopt;
  for (const OpenObligation &open : openList) {
    const ConflictPair &pair = open.pair;
    if (open.kind() != ObligationKind::FlagReuse)
      continue;
    SiteId wait = siteOfNode[program.nodeOfBit[pair.bit]], set = siteOfNode[pair.later];
    if ((moved.count(wait) || moved.count(set)) && !attempt->layout.removed(wait) && !attempt->layout.removed(set))
      return pair;
  }
  return std::nullopt;
}

bool Pending::runStep(StepId step, Difference &difference, Trial &trial) {
  Twin twin(*this, step, difference, trial);
  if (!twin.run())
    return false;
  difference = twin.difference();
  return true;
}

/// Adds what is new behind an edge to the difference at its target; true if that grew.
bool Pending::propagate(const Edge &edge, const Difference &difference) {
  bool grown = false;
  for (const auto &[row, bits] : difference) {
    BitSet extra = bits;
    if (edge.around != kNone)
      age(program, extra, edge.around);
    extra.subtract(entry[edge.to].row(row));
    if (extra.empty())
      continue;
    auto [entryRow, inserted] = attempt->entry[edge.to].try_emplace(row, extra);
    grown |= inserted || entryRow->second.unite(extra);
  }
  return grown;
}

Pending::Trial Pending::tryEdit(const SyncEdit &edit) {
  Trial trial;
  if (!begin(edit, trial)) {
    attempt.reset();
    return trial;
  }
  if (trial.witness = movedReuse(); trial.witness) {
    attempt.reset();
    return trial;
  }
  Worklist work(program.order);
  for (const auto &[step, places] : attempt->edited)
    work.add(step);
  while (std::optional<StepId> step = work.next()) {
    Difference difference = attempt->entry[*step];
    if (!entry[*step].reached())
      continue;
    if (program.options.allowance.spent(WorkUnit::Visit) || !runStep(*step, difference, trial)) {
      attempt.reset();
      return trial;
    }
    for (const Edge &edge : program.edges[*step])
      if (propagate(edge, difference))
        work.add(edge.to);
  }
  trial.allowed = true;
  return trial;
}

bool Pending::seenWhole() const {
  return inputFaults.empty() && std::all_of(openList.begin(), openList.end(), [&](const OpenObligation &open) {
           return open.kind() != ObligationKind::Conflict && isMoot(open.pair);
         });
}

bool Pending::isAboutFlag(const ConflictPair &pair) const {
  auto flag = [&](NodeId node) { return node != kNone && siteOfNode[node] != kNone; };
  return flag(program.nodeOfBit[pair.bit]) || flag(pair.later);
}

bool Pending::isMoot(const ConflictPair &pair) const {
  auto out = [&](NodeId node) { return node != kNone && currentLayout.removed(siteOfNode[node]); };
  return out(program.nodeOfBit[pair.bit]) || out(pair.later);
}

void Pending::holdAgainst(const std::set<SiteId> &absent, std::vector<ConflictPair> open) {
  layoutThere = currentLayout;
  layoutThere->apply({absent, {}});
  layoutThere->settle();
  openThere = std::move(open);
  for (const ConflictPair &pair : openThere)
    openNodesThere.emplace(program.nodeOfBit[pair.bit], pair.later);
}

std::optional<ConflictPair> Pending::losesOrder(const std::vector<ConflictPair> &pairs) const {
  if (!attempt || pairs.empty())
    return std::nullopt;
  const SyncLayout &before = layoutThere ? *layoutThere : currentLayout;
  const PathCheck check(program, model, before, attempt->layout, inputFaults);
  std::optional<ConflictPair> lost = check.firstLoss(pairs);
  work += pairs.size() + check.eventsLookedAt();
  return lost;
}

void Pending::commit() {
  if (!attempt)
    return;
  for (const auto &[step, difference] : attempt->entry)
    if (entry[step].reached()) {
      Trial unused;
      Twin(*this, step, difference, unused).store(*this);
    }
  for (SiteId site : attempt->edit.removed)
    if (!currentLayout.removed(site))
      removals.push_back(site);
  currentLayout = std::move(attempt->layout);
  currentLayout.settle();
  tokenStates = std::move(attempt->tokens);
  tokenStates->settle();
  for (const auto &[step, difference] : attempt->entry)
    for (const auto &[row, bits] : difference)
      entry[step].rowToChange(row).unite(bits);
  for (const auto &[step, difference] : attempt->entry)
    if (entry[step].reached())
      entry[step].clearUnset(tokenStates->entry(step));
  attempt.reset();
}

// Pending: what a sync faces, and where that would have mattered.

Pending::Faced Pending::facedBy(SiteId site) const {
  Faced faced;
  for (EventKey key : eventsOf(site)) {
    const Event &event = program.steps[key.first][key.second];
    if (event.kind == Event::Kind::Set || event.kind == Event::Kind::Release)
      continue;
    const Stored &record = stored[key.first][key.second];
    for (const auto &[row, before] : record.rows) {
      if (row >= kPipeCount)
        continue;
      BitSet ended = before;
      if (event.kind == Event::Kind::Wait) {
        if (event.lanes.size() != 1 || record.tokens[0] != Token::Full)
          continue;
        ended.subtract(*record.row(kPipeCount + event.lanes[0]));
      } else if (event.kind == Event::Kind::Get) {
        ended.subtract(rowAfter(key.first, key.second, event.source));
      } else if (event.source != Pipe::All) {
        ended.intersect(model.column(event.source));
      }
      if (!ended.empty())
        faced[key].emplace(row, std::move(ended));
    }
  }
  return faced;
}

/// The nearest steps behind the places of what a sync faced, by step.
std::vector<bool> Pending::stepsBehind(const Faced &faced, std::size_t most) const {
  std::vector<bool> behind(program.steps.size(), false);
  std::deque<StepId> queue;
  std::size_t count = 0;
  auto reach = [&](StepId step) {
    if (behind[step] || count == most)
      return;
    behind[step] = true;
    ++count;
    queue.push_back(step);
  };
  for (const auto &[key, rows] : faced)
    reach(key.first);
  for (; !queue.empty(); queue.pop_front())
    for (const Edge &edge : program.edges[queue.front()])
      reach(edge.to);
  return behind;
}

bool Pending::follow(const Faced &faced, const Follow &callbacks, std::size_t mostSteps) const {
  const std::vector<bool> behind = stepsBehind(faced, mostSteps);
  bool whole = true;
  for (std::size_t row = 0; row < kPipeCount; ++row) {
    Pipe pipe = static_cast<Pipe>(row);
    std::map<StepId, BitSet> reached;              // tracked at step entry
    std::vector<std::pair<EventKey, BitSet>> work; // from a place on
    for (const auto &[key, rows] : faced)
      if (auto bits = rows.find(row); bits != rows.end())
        work.push_back({{key.first, key.second + 1}, bits->second});
    while (!work.empty()) {
      auto [place, tracked] = std::move(work.back());
      work.pop_back();
      currentLayout.forEachFrom(program, place.first, place.second,
                                [&, &tracked = tracked](EventKey key, const Event &event) {
                                  followEvent(pipe, key, event, tracked, callbacks);
                                  return !tracked.empty();
                                });
      if (tracked.empty())
        continue;
      for (const Edge &edge : program.edges[place.first]) {
        if (!behind[edge.to]) {
          whole = false;
          continue;
        }
        BitSet next = tracked;
        if (edge.around != kNone)
          age(program, next, edge.around);
        auto [known, inserted] = reached.try_emplace(edge.to, next);
        if (inserted || known->second.unite(next))
          work.push_back({{edge.to, 0}, known->second});
      }
    }
  }
  return whole;
}

void Pending::followEvent(Pipe pipe, EventKey key, const Event &event, BitSet &tracked, const Follow &callbacks) const {
  if (event.kind == Event::Kind::Access) {
    if (program.nodes[event.node].pipe == pipe)
      tracked.forEachShared(model.candidates(event.node), [&](std::uint32_t bit) {
        if (std::optional<ConflictPair> pair = model.conflict(bit, event.node))
          callbacks.ruled(*pair);
        return true;
      });
    return;
  }
  bool mine = event.kind == Event::Kind::Wait ? event.destination == pipe
              : event.kind == Event::Kind::Get
                  ? event.source == pipe
                  : event.kind == Event::Kind::Barrier && (event.source == pipe || event.source == Pipe::All);
  if (!mine)
    return;
  BitSet left = tracked;
  left.intersect(rowAfter(key.first, key.second, pipe));
  BitSet ended = tracked;
  ended.subtract(left);
  ended.forEach([&](std::uint32_t bit) { callbacks.completed(pipe, {bit, key.first, key.second}); });
  tracked = std::move(left);
}

} // namespace ptosync
