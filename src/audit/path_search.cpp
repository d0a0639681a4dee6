#include "audit/path_search.h"

#include "kernel/kernel.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

namespace ptosync {

PathDecisions::PathDecisions(const Program &program)
    : program(program), facts(program.kernel->blocks.size()), counted(program.graph->loops().size(), false) {
  countDefinitions();
  findDecided();
  program.scalars->forEachStatement([&](BlockId block, std::size_t index) {
    const std::vector<Statement> &statements = program.kernel->blocks[block].statements;
    if (index == statements.size())
      return read(block);
    // `bool v = i == 0; ... if (v)`: the comparison where it is made.
    const auto *assign = std::get_if<Assign>(&statements[index].action);
    if (!assign || definitions[assign->variable] != 1 || assign->value == kNone)
      return;
    BranchFacts made;
    readComparison(assign->value, made);
    if (made.counted)
      comparisons[assign->variable] = {made, block};
  });
}

/// Branches that have one way to go in each phase of their loops.
void PathDecisions::findDecided() {
  decided.assign(program.kernel->blocks.size(), true);
  for (StepId step : program.order) {
    std::set<BlockId> targets;
    for (const Edge &edge : program.edges[step])
      targets.insert(program.blockOf[edge.to]);
    if (targets.size() > 1)
      decided[program.blockOf[step]] = false;
  }
}

void PathDecisions::countDefinitions() {
  definitions.assign(program.kernel->variables.size(), 0);
  for (const Block &block : program.kernel->blocks)
    for (const Statement &statement : block.statements)
      forEachDefinition(statement, [&](VariableId variable, ExpressionId value) {
        definitions[variable] += value == kNone ? 2 : 1; // 2: not by one expression
      });
}

/// Notes what `value` depends on; false if that is not counters and tables alone.
bool PathDecisions::addAtoms(const ScalarValue &value, BranchFacts &branch) const {
  bool iterations = value.modulus == 0;
  for (const Term &term : value.terms) {
    const Atom &atom = program.scalars->algebra()[term.atom];
    bool counter = (atom.kind == Atom::Kind::Counter || atom.kind == Atom::Kind::Table) && atom.scope != kNone;
    iterations = iterations && counter;
    if (!counter)
      branch.atoms.insert(term.atom);
    branch.opaque = branch.opaque || atom.kind == Atom::Kind::Opaque;
  }
  return iterations;
}

void PathDecisions::read(BlockId block) {
  const Terminator &end = program.kernel->blocks[block].terminator;
  BranchFacts &branch = facts[block];
  if (end.kind != Terminator::Kind::Branch || end.whenTrue == end.whenFalse)
    return;
  branch.branches = true;
  for (LoopId loop = program.graph->loopOf(block); loop != kNone; loop = program.graph->loops()[loop].parent)
    if (!program.graph->loopContains(loop, end.whenTrue) || !program.graph->loopContains(loop, end.whenFalse))
      branch.leaves = loop; // the outermost of them
  if (decided[block])
    return; // nothing to choose
  ScalarValue whole = program.scalars->value(end.condition);
  readComparison(end.condition, branch);
  // Behind its loop a counter is what the last iteration left, which a path does not keep.
  for (const ScalarValue *value : {&branch.left, &branch.right})
    for (const Term &term : value->terms)
      if (branch.counted && !program.graph->loopContains(program.scalars->algebra()[term.atom].scope, block)) {
        branch.counted = false;
        branch.opaque = true;
        branch.atoms.insert(term.atom);
      }
  if (!branch.counted)
    setKey(whole, block, branch);
  if (branch.counted)
    for (const ScalarValue *value : {&branch.left, &branch.right})
      for (const Term &term : value->terms)
        counted[program.scalars->algebra()[term.atom].scope] = true;
}

/// The comparison a condition is, casts and negations looked through; what it depends on.
void PathDecisions::readComparison(ExpressionId id, BranchFacts &branch) const {
  const ExpressionArena &expressions = program.kernel->expressions;
  ScalarValue whole = program.scalars->value(id);
  for (;;) {
    const Expression &expression = expressions[id];
    if (expression.kind == Expression::Kind::Unary && expression.op == Operator::LogicalNot)
      branch.negated = !branch.negated;
    else if (expression.kind != Expression::Kind::Cast || expressions[expression.operands[0]].type != kBoolean)
      break;
    id = expression.operands[0];
  }
  const Expression &condition = expressions[id];
  if (condition.kind == Expression::Kind::Binary && isComparison(condition.op)) {
    branch.op = condition.op;
    branch.left = program.scalars->value(condition.operands[0]);
    branch.right = program.scalars->value(condition.operands[1]);
    bool left = addAtoms(branch.left, branch), right = addAtoms(branch.right, branch);
    branch.counted = left && right;
    return;
  }
  auto made = condition.kind == Expression::Kind::Variable ? comparisons.find(condition.variable) : comparisons.end();
  if (made == comparisons.end()) {
    addAtoms(whole, branch);
    return;
  }
  bool negated = branch.negated != made->second.facts.negated;
  bool branches = branch.branches;
  LoopId leaves = branch.leaves;
  branch = made->second.facts;
  branch.negated = negated;
  branch.branches = branches;
  branch.leaves = leaves;
}

/// Conditions that are equal in one iteration of what they depend on come out equal there.
void PathDecisions::setKey(const ScalarValue &condition, BlockId block, BranchFacts &branch) const {
  if (condition.terms.empty() || condition.modulus != 0)
    return;
  std::string key = std::to_string(condition.constant);
  for (const Term &term : condition.terms) {
    LoopId scope = program.scalars->algebra()[term.atom].scope;
    // Outside its loop an atom is what its last iteration left: that is another value.
    if (scope != kNone && !program.graph->loopContains(scope, block))
      return;
    if (program.graph->depthOf(scope) > program.graph->depthOf(branch.keyScope))
      branch.keyScope = scope;
    key += "+" + std::to_string(term.coefficient) + "*" + std::to_string(term.atom);
  }
  branch.key = std::move(key);
}

std::optional<std::int64_t> PathDecisions::evaluate(const ScalarValue &value,
                                                    const std::vector<std::uint32_t> &counts) const {
  std::int64_t sum = value.constant;
  for (const Term &term : value.terms) {
    const Atom &atom = program.scalars->algebra()[term.atom];
    std::uint32_t count = counts[atom.scope];
    if (atom.kind == Atom::Kind::Table) {
      if (count >= kExact && kPeriod % atom.table.size() != 0)
        return std::nullopt;
      sum = wrappedSum(sum, term.coefficient, atom.table[count % atom.table.size()]);
    } else if (count < kExact) {
      sum = wrappedSum(sum, term.coefficient, count);
    } else {
      return std::nullopt;
    }
  }
  return sum;
}

/// Sign of left minus right where one counter decides it and has passed the point where it turns; empty otherwise.
std::optional<int> PathDecisions::signFarOut(const BranchFacts &branch,
                                             const std::vector<std::uint32_t> &counts) const {
  using Wide = __int128;
  Wide distance = Wide(branch.left.constant) - branch.right.constant;
  const Atom *counter = nullptr;
  Wide slope = 0;
  for (const ScalarValue *value : {&branch.left, &branch.right})
    for (const Term &term : value->terms) {
      const Atom &atom = program.scalars->algebra()[term.atom];
      if (atom.kind != Atom::Kind::Counter || counts[atom.scope] < kExact || (counter && counter != &atom))
        return std::nullopt;
      counter = &atom;
      slope += value == &branch.left ? Wide(term.coefficient) : -Wide(term.coefficient);
    }
  constexpr Wide kPlain = Wide(1) << 32; // nothing wraps
  auto plain = [](Wide value) { return value >= -kPlain && value <= kPlain; };
  if (!counter || slope == 0 || !plain(distance) || !plain(slope))
    return std::nullopt;
  Wide there = distance + slope * kExact;
  if (slope > 0 && there > 0)
    return 1;
  if (slope < 0 && there < 0)
    return -1;
  return std::nullopt;
}

std::optional<bool> PathDecisions::outcome(BlockId block, const std::vector<std::uint32_t> &counts) const {
  const BranchFacts &branch = facts[block];
  const Terminator &end = program.kernel->blocks[block].terminator;
  if (branch.branches && decided[block])
    return std::nullopt; // the steps of the program have the one edge that is left
  if (branch.leaves != kNone) {
    // A loop of known length is left behind its last iteration and nowhere else, if this is its only way out.
    const TripFacts &trips = program.scalars->trips(branch.leaves);
    bool header = program.graph->loops()[branch.leaves].header == block;
    std::uint32_t count = counts[branch.leaves];
    if (header && trips.trips && count >= kExact) {
      bool last = *trips.trips >= kExact && (*trips.trips - count) % kPeriod == 0;
      bool trueStays = program.graph->loopContains(branch.leaves, end.whenTrue);
      if (!last)
        return trueStays;
      return std::nullopt;
    }
  }
  if (std::optional<int> sign = signFarOut(branch, counts)) {
    std::int64_t result = 0;
    constexpr IntegerType kSigned = kInt64;
    if (applyOperator(branch.op, kSigned, *sign, 0, result))
      return (result != 0) != branch.negated;
  }
  std::optional<std::int64_t> left = evaluate(branch.left, counts), right = evaluate(branch.right, counts);
  std::int64_t result = 0;
  if (!left || !right || !applyOperator(branch.op, branch.left.type, *left, *right, result))
    return std::nullopt;
  return (result != 0) != branch.negated;
}

namespace {

constexpr std::size_t kMostVisits = 20000;
constexpr std::size_t kMostKeys = 12;
constexpr std::size_t kMostStops = 40;

enum : std::uint8_t { kEmpty, kFull, kLost };                // Lost: nothing is known, and nothing more is said
enum : std::uint16_t { kNobody = 0, kAnybody = UINT16_MAX }; // who holds a buffer id: a number of a get, from 1
enum : std::uint8_t { kUndecided, kHeld, kFailed };

} // namespace

struct PathSearch::State {
  StepId step = 0;
  std::vector<std::uint8_t> flags;    // by flag
  std::vector<std::uint8_t> outcomes; // by key number
  std::vector<std::uint32_t> counts;  // by loop; of loops that decide something, else 0
  // The tracked instance: its present bit, the pipes that may start before it completes, the flags whose waiter may.
  std::uint32_t bit = kNone;
  std::uint32_t pipes = 0;
  std::vector<bool> carried;
  std::vector<bool> untold;           // by Program::buffers: the last release does not know it complete
  std::vector<std::uint16_t> holders; // by number of a buffer id; only of a search for brackets that are amiss
  bool signalled = false;             // another core was told something since
  bool doubtful = false; // a flag that went wrong before, an unknown call or another core may have ordered it
};

struct PathSearch::Visit {
  State state;
  std::size_t parent = 0;
  BlockId decided = kNone; // block whose branch led here
  bool held = false;       // its condition
  bool free = false;       // nothing worked it out
  bool unsure = false;     // the counts were too high to tell
};

/// What a search is for. Token faults: collect them all; a pair: stop at the first sight.
struct PathSearch::Goal {
  const ConflictPair *pair = nullptr;
  bool brackets = false; // those that are amiss, and no flags
  std::vector<TokenDefect> defects;
  std::vector<BracketDefect> bracketDefects;
  std::map<std::pair<const Statement *, int>, std::size_t> numbers;
  std::optional<std::size_t> reached;
  bool doubtful = false;

  bool wantsFlags() const { return !pair && !brackets; }
};

PathSearch::PathSearch(const Program &program, const HazardModel &model)
    : program(program), model(model), conditions(program) {
  for (BlockId block : program.graph->order())
    if (const std::string &key = conditions.at(block).key; !key.empty() && keyNumbers.size() < kMostKeys)
      if (keyNumbers.try_emplace(key, static_cast<std::uint32_t>(keyNumbers.size())).second)
        keyScopes.push_back(conditions.at(block).keyScope);
  for (const std::vector<Event> &events : program.steps)
    for (const Event &event : events)
      if (event.isBuffer() && event.ids.size() == 1) {
        idNumbers.try_emplace(event.ids[0], idNumbers.size());
        if (event.kind == Event::Kind::Get && gets.size() + 1 < kAnybody)
          gets.push_back(&event);
      }
}

PathSearch::~PathSearch() = default;

std::string PathSearch::keyOf(const State &state) const {
  std::string key = std::to_string(state.step) + ":";
  key.append(state.flags.begin(), state.flags.end());
  key.append(state.outcomes.begin(), state.outcomes.end());
  for (std::uint32_t count : state.counts)
    key += static_cast<char>(count);
  for (std::uint16_t holder : state.holders)
    key += std::to_string(holder) + ",";
  if (state.bit != kNone) {
    key += "/" + std::to_string(state.bit) + "/" + std::to_string(state.pipes) + "/";
    for (bool carried : state.carried)
      key += carried ? '1' : '0';
    for (bool untold : state.untold)
      key += untold ? '1' : '0';
    key += state.doubtful ? '?' : state.signalled ? '!' : '.';
  }
  return key;
}

bool PathSearch::enter(Visit &&visit, Goal &goal) {
  if (visits.size() >= kMostVisits) {
    finished = false;
    return false;
  }
  if (known.emplace(keyOf(visit.state), visits.size()).second)
    visits.push_back(std::move(visit));
  return true;
}

void PathSearch::run(Goal &goal) {
  visits.clear();
  known.clear();
  finished = true;
  if (program.order.empty())
    return;
  Visit start;
  start.state.step = program.order.front();
  start.state.flags.assign(program.flags.size(), kEmpty);
  start.state.outcomes.assign(keyNumbers.size(), kUndecided);
  start.state.counts.assign(program.graph->loops().size(), 0);
  start.state.carried.assign(program.flags.size(), false);
  start.state.holders.assign(goal.brackets ? idNumbers.size() : 0, kNobody);
  enter(std::move(start), goal);
  for (std::size_t at = 0; at < visits.size(); ++at) {
    if (program.options.allowance.spent(WorkUnit::Step)) {
      finished = false;
      return;
    }
    if (!runStep(at, goal))
      return;
  }
}

/// Runs the events of a step and enters what follows; false to stop the search.
bool PathSearch::runStep(std::size_t at, Goal &goal) {
  State state = visits[at].state;
  const std::vector<Event> &events = program.steps[state.step];
  // Where the tracked instance may be this step's: once more for each place where tracking starts.
  if (goal.pair && state.bit == kNone) {
    const Node &earlier = program.nodes[program.nodeOfBit[goal.pair->bit]];
    State other = state;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      if (!apply(other, events[i], at, i, goal))
        return false;
      if (events[i].kind != Event::Kind::Access || events[i].node != program.nodeOfBit[goal.pair->bit])
        continue;
      State tracked = other;
      tracked.bit = earlier.firstBit;
      tracked.pipes = (1u << kPipeCount) - 1;
      for (std::size_t flag = 0; flag < tracked.flags.size(); ++flag)
        tracked.carried[flag] = tracked.flags[flag] != kEmpty;
      tracked.untold.assign(program.buffers.size(), true);
      for (std::uint32_t rest = i + 1; rest < events.size(); ++rest)
        if (!apply(tracked, events[rest], at, rest, goal))
          return false;
      branch(at, tracked, goal);
    }
    branch(at, other, goal);
    return true;
  }
  for (std::uint32_t i = 0; i < events.size(); ++i)
    if (!apply(state, events[i], at, i, goal))
      return false;
  if (!goal.pair && program.kernel->blocks[program.blockOf[state.step]].terminator.kind == Terminator::Kind::Return) {
    for (std::uint32_t flag = 0; flag < state.flags.size() && !goal.brackets; ++flag)
      if (state.flags[flag] == kFull)
        found(TokenFaultKind::LeftSet, flag, at, kNone, goal);
    for (const auto &[id, number] : idNumbers)
      if (const std::uint16_t holder = goal.brackets ? state.holders[number] : kNobody;
          holder != kNobody && holder != kAnybody) {
        const Statement *get = gets[holder - 1]->statement;
        foundBracket(BufferFault::Kind::OpenAtEnd, id, get, get, at, goal);
      }
  }
  branch(at, state, goal);
  return true;
}

bool PathSearch::apply(State &state, const Event &event, std::size_t at, std::uint32_t index, Goal &goal) {
  switch (event.kind) {
  case Event::Kind::Access: {
    const Node &node = program.nodes[event.node];
    if (state.bit != kNone)
      passCall(state, node);
    for (std::uint32_t flag : node.inside) {
      if (state.flags[flag] == kFull && goal.wantsFlags())
        found(TokenFaultKind::LibraryClash, flag, at, index, goal);
      if (state.flags[flag] == kFull)
        state.flags[flag] = kLost;
    }
    bool pending = state.bit != kNone && ((state.pipes >> ptosync::index(node.pipe)) & 1);
    if (goal.pair && pending && event.node == goal.pair->later && state.bit == goal.pair->bit) {
      goal.reached = at;
      goal.doubtful = state.doubtful;
      return false;
    }
    return true;
  }
  case Event::Kind::Barrier:
    if (state.bit == kNone)
      return true;
    if (event.source == Pipe::All)
      state.pipes = 0;
    else if (program.nodes[program.nodeOfBit[state.bit]].pipe == event.source)
      state.pipes &= ~(1u << ptosync::index(event.source));
    return true;
  case Event::Kind::Set:
  case Event::Kind::Wait: return applyFlag(state, event, at, index, goal);
  case Event::Kind::Inside: return true;
  case Event::Kind::Get:
  case Event::Kind::Release: applyBuffer(state, event, at, goal); return true;
  }
  return true;
}

void PathSearch::applyBuffer(State &state, const Event &event, std::size_t at, Goal &goal) {
  if (goal.brackets && event.ids.size() == 1)
    followHolder(state, event, at, goal);
  if (state.bit == kNone || !event.orders)
    return;
  const std::uint32_t own = 1u << ptosync::index(event.source);
  const bool knows = (state.pipes & own) == 0 || program.nodes[program.nodeOfBit[state.bit]].pipe == event.source;
  for (std::uint32_t buffer : event.buffers) {
    if (event.kind == Event::Kind::Release)
      state.untold[buffer] = state.untold[buffer] && !knows && event.mode == BufferMode::Blocking;
    else if (!state.untold[buffer])
      state.pipes &= ~(event.holdsDispatch ? ~0u : own);
  }
}

/// Behind a fault, who holds the id is anybody's guess, and no more is said of it.
void PathSearch::followHolder(State &state, const Event &event, std::size_t at, Goal &goal) {
  std::uint16_t &holder = state.holders[idNumbers.at(event.ids[0])];
  if (holder == kAnybody)
    return;
  const Event *held = holder == kNobody ? nullptr : gets[holder - 1];
  auto amiss = [&](BufferFault::Kind kind) {
    foundBracket(kind, event.ids[0], event.statement, held ? held->statement : nullptr, at, goal);
    holder = kAnybody;
  };
  if (event.kind == Event::Kind::Get) {
    if (held)
      return amiss(BufferFault::Kind::Nested);
    auto number = std::find(gets.begin(), gets.end(), &event);
    holder = number == gets.end() ? kAnybody : static_cast<std::uint16_t>(number - gets.begin() + 1);
    return;
  }
  if (!held)
    return amiss(BufferFault::Kind::NotHeld);
  if (held->source != event.source)
    return amiss(BufferFault::Kind::OtherPipe);
  if (held->mode != event.mode)
    return amiss(BufferFault::Kind::OtherMode);
  holder = kNobody;
}

void PathSearch::foundBracket(BufferFault::Kind kind, std::int64_t id, const Statement *statement,
                              const Statement *holder, std::size_t at, Goal &goal) {
  for (BracketDefect &known : goal.bracketDefects)
    if (known.statement == statement && known.kind == kind) {
      if (!known.path.certain)
        if (FoundPath path = pathAlong(wayTo(at), {holder ? holder : statement, statement}); path.certain)
          known.path = std::move(path);
      return;
    }
  goal.bracketDefects.push_back(
      {kind, id, statement, holder, pathAlong(wayTo(at), {holder ? holder : statement, statement})});
}

std::vector<BracketDefect> PathSearch::bracketDefects() {
  Goal goal;
  goal.brackets = true;
  run(goal);
  return std::move(goal.bracketDefects);
}

/// What an unknown call does is anybody's guess: it may wait. A core that was told and told something in return may
/// have waited for the tracked instance.
void PathSearch::passCall(State &state, const Node &node) const {
  state.doubtful = state.doubtful || node.unknown;
  const auto *instruction = node.fence ? std::get_if<Instruction>(&node.statement->action) : nullptr;
  const auto *facts = instruction ? program.machine->instruction(instruction->name) : nullptr;
  if (!facts)
    return;
  state.doubtful = state.doubtful || (state.signalled && (facts->is("waits-for-signal") || facts->is("fifo-pop")));
  state.signalled = state.signalled || facts->is("signals-on-pipe") || facts->is("fifo-push");
}

bool PathSearch::applyFlag(State &state, const Event &event, std::size_t at, std::uint32_t index, Goal &goal) {
  bool sets = event.kind == Event::Kind::Set;
  bool tracked = state.bit != kNone;
  bool behind = false; // the tracked instance may still run when this flag fires
  if (sets && tracked)
    behind = ((state.pipes >> ptosync::index(event.source)) & 1) &&
             program.nodes[program.nodeOfBit[state.bit]].pipe != event.source;
  if (event.lanes.size() != 1) {
    state.doubtful = state.doubtful || (!sets && tracked);
    for (std::uint32_t lane : event.lanes) {
      state.flags[lane] = kLost;
      state.carried[lane] = tracked;
    }
    return true;
  }
  std::uint32_t lane = event.lanes.front();
  std::uint8_t &flag = state.flags[lane];
  if (sets) {
    if (flag == kFull && goal.wantsFlags())
      found(TokenFaultKind::DoubleSet, lane, at, index, goal);
    state.carried[lane] = behind || (flag != kEmpty && state.carried[lane]);
    flag = flag == kEmpty ? kFull : kLost;
    return true;
  }
  if (flag == kEmpty && goal.wantsFlags())
    found(TokenFaultKind::UnfedWait, lane, at, index, goal);
  std::uint32_t held = event.holdsDispatch ? ~0u : 1u << ptosync::index(event.destination);
  bool waits = tracked && (state.pipes & held) != 0;
  state.doubtful = state.doubtful || (waits && flag != kFull); // if it is empty, nothing gets here at all
  if (flag == kFull && tracked && !state.carried[lane])
    state.pipes &= ~held;
  // Behind a fault, what the flag does is anybody's guess.
  flag = flag == kFull ? kEmpty : kLost;
  state.carried[lane] = false;
  return true;
}

/// The state in front of an edge's target: iterations counted, the tracked instance aged.
std::optional<PathSearch::State> PathSearch::follow(const State &state, BlockId from, const Edge &edge) const {
  State next = state;
  next.step = edge.to;
  BlockId to = program.blockOf[edge.to];
  for (LoopId loop = 0; loop < next.counts.size(); ++loop) {
    if (!conditions.counts(loop))
      continue;
    if (loop == edge.around)
      next.counts[loop] = PathDecisions::next(next.counts[loop]);
    else if (!program.graph->loopContains(loop, from) || !program.graph->loopContains(loop, to))
      next.counts[loop] = program.graph->loopContains(loop, from) ? next.counts[loop] : 0;
    // A back edge of a loop around it begins it anew.
    if (edge.around != kNone && loop != edge.around && program.graph->encloses(edge.around, loop))
      next.counts[loop] = 0;
  }
  if (edge.around != kNone)
    for (std::size_t number = 0; number < keyScopes.size(); ++number)
      if (keyScopes[number] != kNone && program.graph->encloses(edge.around, keyScopes[number]))
        next.outcomes[number] = kUndecided;
  if (next.bit != kNone)
    next.bit = program.agedBit(next.bit, edge.around);
  return next;
}

void PathSearch::branch(std::size_t at, const State &state, Goal &goal) {
  if (state.bit != kNone && state.pipes == 0 &&
      std::none_of(state.carried.begin(), state.carried.end(), [](bool carried) { return carried; }))
    return; // complete for everybody: this path cannot show the pair any more
  BlockId block = program.blockOf[state.step];
  const Terminator &end = program.kernel->blocks[block].terminator;
  const BranchFacts &facts = conditions.at(block);
  std::optional<bool> decided;
  bool unsure = false;
  bool rounds = false; // one of the last iterations of a long loop of known length: leaving it is no guess
  if (facts.branches && facts.counted) {
    decided = conditions.outcome(block, state.counts);
    rounds = !decided && facts.leaves != kNone && program.scalars->trips(facts.leaves).trips.has_value();
    unsure = !decided && !rounds;
  }
  auto number = facts.key.empty() ? keyNumbers.end() : keyNumbers.find(facts.key);
  if (number != keyNumbers.end() && state.outcomes[number->second] != kUndecided)
    decided = state.outcomes[number->second] == kHeld;
  for (const Edge &edge : program.edges[state.step]) {
    // The target of a loop's certain first trip lies behind its test: no decision.
    BlockId to = program.blockOf[edge.to];
    bool held = to == end.whenTrue, failed = to == end.whenFalse;
    bool decides = facts.branches && held != failed;
    if (decides && decided && *decided != held)
      continue;
    std::optional<State> next = follow(state, block, edge);
    if (decides && number != keyNumbers.end())
      next->outcomes[number->second] = held ? kHeld : kFailed;
    Visit visit;
    visit.state = std::move(*next);
    visit.parent = at;
    if (decides) {
      visit.decided = block;
      visit.held = held;
      visit.free = !decided && !rounds && program.edges[state.step].size() > 1;
      visit.unsure = unsure;
    }
    if (!enter(std::move(visit), goal))
      return;
  }
}

std::vector<const Statement *> PathSearch::statementsOf(std::uint32_t flag) const {
  std::vector<const Statement *> statements;
  for (const std::vector<Event> &events : program.steps)
    for (const Event &event : events)
      if (event.isFlag() && std::count(event.lanes.begin(), event.lanes.end(), flag))
        statements.push_back(event.statement);
  return statements;
}

PathSearch::Way PathSearch::wayTo(std::size_t at) const {
  Way way = {at};
  while (way.back() != 0)
    way.push_back(visits[way.back()].parent);
  std::reverse(way.begin(), way.end());
  return way;
}

/// True if no loop around the later one of the pair, and not around the earlier one, has begun a second iteration.
bool PathSearch::endsAtEntry(const Way &way, const ConflictPair &pair) const {
  LoopId outside = program.nodes[program.nodeOfBit[pair.bit]].loop;
  for (LoopId loop = program.nodes[pair.later].loop; loop != kNone && !program.graph->encloses(loop, outside);
       loop = program.graph->loops()[loop].parent)
    for (std::size_t last = way.size(); last-- > 1;) {
      BlockId from = program.blockOf[visits[way[last - 1]].state.step],
              to = program.blockOf[visits[way[last]].state.step];
      if (!program.graph->loopContains(loop, from))
        break;
      if (to == program.graph->loops()[loop].header)
        return false;
    }
  return true;
}

FoundPath PathSearch::pathAlong(const Way &way, const std::vector<const Statement *> &shown) const {
  FoundPath path;
  path.certain = true;
  std::set<const Statement *> wanted(shown.begin(), shown.end());
  std::map<BlockId, std::size_t> chosen;
  std::map<BlockId, std::uint32_t> stays;                // of a loop's test since the loop was entered
  std::map<BlockId, std::set<std::uint32_t>> tripCounts; // at the loop's exits
  for (std::size_t step : way) {
    const Visit &visit = visits[step];
    if (visit.decided != kNone) {
      path.certain = path.certain && !visit.unsure;
      if (visit.free && chosen.emplace(visit.decided, path.choices.size()).second)
        path.choices.push_back(visit.decided);
      if (LoopId leaves = conditions.at(visit.decided).leaves; visit.free && leaves != kNone) {
        if (program.graph->loopContains(leaves, program.blockOf[visit.state.step]))
          // Unless an argument bounds the loop, how often it runs may be fixed by what is not seen.
          path.certain = path.certain && (++stays[visit.decided] < 2 || !conditions.at(visit.decided).atoms.empty());
        else
          tripCounts[visit.decided].insert(std::exchange(stays[visit.decided], 0));
      }
      path.stops.push_back({nullptr, visit.decided, visit.held});
    }
    const Statement *last = nullptr;
    for (const Event &event : program.steps[visit.state.step])
      if (event.statement != last && wanted.count(event.statement)) {
        path.stops.push_back({event.statement, program.blockOf[visit.state.step], false});
        last = event.statement;
      }
  }
  if (path.stops.size() > kMostStops)
    path.stops.erase(path.stops.begin() + kMostStops / 2, path.stops.end() - kMostStops / 2);
  // A loop entered again may be bound to run as often as before.
  for (const auto &[block, counts] : tripCounts)
    path.certain = path.certain && counts.size() == 1;
  // Free choices that share what they depend on may exclude each other.
  std::set<AtomId> used;
  for (BlockId block : path.choices) {
    const BranchFacts &facts = conditions.at(block);
    bool alone = path.choices.size() == 1;
    if (!alone && facts.opaque && facts.leaves == kNone)
      path.certain = false;
    for (AtomId atom : facts.atoms)
      if (!used.insert(atom).second)
        path.certain = false;
  }
  return path;
}

void PathSearch::found(TokenFaultKind kind, std::uint32_t flag, std::size_t at, std::uint32_t index, Goal &goal) {
  std::vector<const Statement *> statements = statementsOf(flag);
  TokenDefect defect;
  defect.kind = kind;
  defect.flag = flag;
  defect.step = visits[at].state.step;
  defect.event = index;
  if (index != kNone)
    defect.statement = program.steps[defect.step][index].statement;
  else
    for (const Statement *statement : statements)
      if (std::get<Sync>(statement->action).kind == SyncKind::SetFlag)
        defect.statement = statement;
  if (!defect.statement)
    return;
  auto number = goal.numbers.find({defect.statement, static_cast<int>(kind)});
  if (number != goal.numbers.end() && goal.defects[number->second].path.certain)
    return;
  statements.push_back(defect.statement);
  defect.path = pathAlong(wayTo(at), statements);
  if (number == goal.numbers.end()) {
    goal.numbers[{defect.statement, static_cast<int>(kind)}] = goal.defects.size();
    goal.defects.push_back(std::move(defect));
  } else if (defect.path.certain) {
    goal.defects[number->second] = std::move(defect);
  }
}

std::vector<TokenDefect> PathSearch::tokenDefects() {
  Goal goal;
  run(goal);
  return std::move(goal.defects);
}

std::optional<FoundPath> PathSearch::unordered(const ConflictPair &pair) {
  Goal goal;
  goal.pair = &pair;
  run(goal);
  if (!goal.reached)
    return std::nullopt;
  Way way = wayTo(*goal.reached);
  FoundPath path =
      pathAlong(way, {program.nodes[program.nodeOfBit[pair.bit]].statement, program.nodes[pair.later].statement});
  path.doubtful = goal.doubtful;
  path.atEntry = endsAtEntry(way, pair);
  return path;
}

namespace {

std::string branchText(const Analysis &kernel, const PathStop &stop) {
  const Terminator &end = kernel.kernel().blocks[stop.block].terminator;
  std::string condition = oneLine(printExpression(kernel.kernel(), end.condition));
  BlockId target = stop.taken ? end.whenTrue : end.whenFalse;
  for (LoopId loop = kernel.program().graph->loopOf(stop.block); loop != kNone;
       loop = kernel.program().graph->loops()[loop].parent)
    if (!kernel.program().graph->loopContains(loop, target))
      return "the loop is left: " + condition + (stop.taken ? " holds" : " does not hold");
  return condition + (stop.taken ? " holds" : " does not hold");
}

} // namespace

std::vector<FindingNote> describePath(const AuditContext &context, const Analysis &kernel, const FoundPath &path) {
  std::vector<FindingNote> notes;
  for (const PathStop &stop : path.stops) {
    FindingNote note;
    if (stop.statement) {
      note = context.note(*stop.statement, context.text(*stop.statement));
    } else {
      std::uint32_t line = kernel.kernel().blocks[stop.block].terminator.line;
      note = {{line, 1, line, 1}, branchText(kernel, stop)};
    }
    if (notes.empty() || notes.back().place != note.place || notes.back().text != note.text)
      notes.push_back(std::move(note));
  }
  return notes;
}

} // namespace ptosync
