#include "ordering/scalar_claims.h"

#include "kernel/kernel.h"
#include "ordering/condition.h"

#include <algorithm>

namespace ptosync::test {
namespace {

using Wide = __int128;

constexpr std::size_t kMostTouches = 12; // that are compared with a later one
constexpr std::int64_t kTileBytes = 4 * 64 * 4;

/// Of an odd number, modulo 2^64.
std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t result = odd;
  for (int i = 0; i < 6; ++i)
    result *= 2 - odd * result;
  return result;
}

bool within(std::int64_t value, const Interval &interval) {
  return value >= interval.lowest && value <= interval.highest;
}

/// Values that are apart by this much are the same to the description.
Wide turnOf(const ScalarValue &value) { return value.modulus ? Wide(value.modulus) : Wide(1) << 64; }

} // namespace

ScalarClaims::ScalarClaims(const Program &program)
    : program(program), kernel(*program.kernel), scalars(program.scalars->algebra()),
      comparer(scalars, *program.graph, {program.globalMemory, false}), run(kernel, {}) {
  headed.resize(kernel.blocks.size(), kNone);
  for (LoopId loop = 0; loop < program.graph->loops().size(); ++loop)
    headed[program.graph->loops()[loop].header] = loop;
  entries.resize(program.graph->loops().size());
  iteration.resize(entries.size());
  collect();
  collectTurnings();
  sizeAtoms();
}

void ScalarClaims::collect() {
  claims.resize(kernel.blocks.size());
  for (BlockId block = 0; block < kernel.blocks.size(); ++block)
    claims[block].resize(kernel.blocks[block].statements.size() + 1);
  program.scalars->forEachStatement([&](BlockId block, std::size_t index) {
    std::vector<Claim> &here = claims[block][index];
    const std::vector<Statement> &statements = kernel.blocks[block].statements;
    if (index == statements.size()) {
      if (kernel.blocks[block].terminator.kind == Terminator::Kind::Branch)
        claimTree(kernel.blocks[block].terminator.condition, here);
    } else if (const auto *assign = std::get_if<Assign>(&statements[index].action)) {
      claimTree(assign->value, here);
    }
  });
}

void ScalarClaims::collectTurnings() {
  turnings.resize(kernel.blocks.size());
  const FlowGraph &graph = *program.graph;
  for (BlockId block : graph.order())
    for (LoopId loop = graph.loopOf(block), own = loop; program.conditions[block] && loop != kNone;
         loop = graph.loops()[loop].parent)
      for (bool first : {false, true})
        if (!first || (headed[block] == own && loop != own))
          if (changesOnceAtMost(*program.conditions[block], loop, first ? own : kNone, *program.scalars, graph))
            turnings[block].push_back({loop, first});
}

/// Of the expression and all that it is computed from. What is not known beyond its type is left out.
void ScalarClaims::claimTree(ExpressionId id, std::vector<Claim> &here) {
  const Expression &e = kernel.expressions[id];
  for (ExpressionId operand : e.operands)
    if (operand != kNone)
      claimTree(operand, here);
  ScalarValue value = program.scalars->value(id);
  bool open = value.type.bits == 0 || (value.modulus == 1 && value.interval == intervalOf(value.type));
  if (e.kind != Expression::Kind::Constant && !open)
    here.push_back({id, std::move(value)});
}

/// Whatever was evaluated has its atoms by now.
void ScalarClaims::sizeAtoms() {
  std::size_t count = 0;
  auto look = [&](const ScalarValue &value) {
    for (const Term &term : value.terms)
      count = std::max<std::size_t>(count, term.atom + 1);
  };
  for (const auto &block : claims)
    for (const auto &place : block)
      for (const Claim &claim : place)
        look(claim.value);
  for (const Node &node : program.nodes)
    for (const Access &access : node.accesses)
      look(access.base);
  atoms.resize(count);
  argumentOf.resize(count);
  for (AtomId id = 0; id < count; ++id)
    if (scalars[id].kind == Atom::Kind::Argument) // "argument 2 n"
      argumentOf[id] = std::stoul(scalars[id].key.substr(scalars[id].key.find(' ') + 1));
}

bool ScalarClaims::hasEnd(const std::vector<std::int64_t> &arguments, std::size_t most) {
  run.start(arguments);
  BlockId block = program.graph->order().front();
  for (std::size_t count = 0; count < most; ++count) {
    for (const Statement &statement : kernel.blocks[block].statements)
      run.run(statement);
    const Terminator &end = kernel.blocks[block].terminator;
    if (end.kind == Terminator::Kind::Return)
      return !run.failed();
    bool held = end.kind == Terminator::Kind::Jump || run.value(end.condition) != 0;
    if (run.failed())
      return false;
    block = held ? end.whenTrue : end.whenFalse;
  }
  return false;
}

std::string ScalarClaims::check(const std::vector<std::int64_t> &arguments, std::size_t most) {
  finished = hasEnd(arguments, most);
  if (!finished)
    return {};
  run.start(arguments);
  std::fill(atoms.begin(), atoms.end(), Known());
  std::fill(entries.begin(), entries.end(), 0);
  touches.clear();
  at = {program.order.front()};
  behindTest = false;
  for (BlockId block = program.graph->order().front();;) {
    ++blocksRun;
    if (std::string wrong = runBlock(block); !wrong.empty())
      return wrong;
    const Terminator &end = kernel.blocks[block].terminator;
    if (end.kind == Terminator::Kind::Return)
      return {};
    bool held = end.kind == Terminator::Kind::Jump || run.value(end.condition) != 0;
    BlockId to = held ? end.whenTrue : end.whenFalse;
    if (std::string wrong = checkTrips(block, held); !wrong.empty())
      return wrong;
    if (std::string wrong = checkTurnings(block, held); !wrong.empty())
      return wrong;
    if (std::string wrong = follow(to); !wrong.empty())
      return wrong + ", from block " + std::to_string(block);
    enter(block, to);
    block = to;
  }
}

std::string ScalarClaims::runBlock(BlockId block) {
  const std::vector<Statement> &statements = kernel.blocks[block].statements;
  for (std::size_t index = 0; index <= statements.size(); ++index) {
    if (std::string wrong = checkClaims(claims[block][index]); !wrong.empty())
      return wrong + ", in front of statement " + std::to_string(index) + " of block " + std::to_string(block);
    if (index == statements.size())
      break;
    if (std::string wrong = checkTile(block, index); !wrong.empty())
      return wrong;
    run.run(statements[index]);
  }
  return {};
}

void ScalarClaims::enter(BlockId from, BlockId to) {
  LoopId loop = headed[to];
  if (loop == kNone)
    return;
  if (program.graph->backEdge(from, to) == loop) {
    ++iteration[loop];
  } else {
    entries[loop] = ++entryCount;
    iteration[loop] = 0;
  }
}

/// The value that the atom must have here; empty if that is not known yet.
std::optional<std::int64_t> ScalarClaims::known(AtomId id) const {
  const Atom &atom = scalars[id];
  if (atom.kind == Atom::Kind::Counter)
    return iteration[atom.scope];
  if (atom.kind == Atom::Kind::Argument)
    return run.argument(argumentOf[id]);
  if (atom.kind == Atom::Kind::Table && atom.scope != kNone)
    return atom.table[static_cast<std::size_t>(iteration[atom.scope]) % atom.table.size()];
  const Known &before = atoms[id];
  bool same = atom.scope == kNone || (before.entry == entries[atom.scope] && before.iteration == iteration[atom.scope]);
  return before.set && same ? std::optional(before.value) : std::nullopt;
}

/// The value itself, not what it is modulo anything; empty if some atom is not known.
std::optional<std::int64_t> ScalarClaims::known(const ScalarValue &value) const {
  Wide sum = value.constant, turn = turnOf(value);
  for (const Term &term : value.terms) {
    std::optional<std::int64_t> part = known(term.atom);
    if (!part)
      return std::nullopt;
    sum = (sum + Wide(term.coefficient) * *part) % turn;
  }
  Wide above = (sum - value.interval.lowest) % turn;
  Wide number = value.interval.lowest + (above < 0 ? above + turn : above);
  bool only = number <= value.interval.highest && number + turn > value.interval.highest;
  return only ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

/// The atom has this value: it must be allowed to. Remembers it.
std::string ScalarClaims::checkAtom(AtomId id, std::int64_t value) {
  const Atom &atom = scalars[id];
  auto wrong = [&](const std::string &why) { return "atom " + atom.key + " is " + std::to_string(value) + ", " + why; };
  if (!within(value, atom.interval))
    return wrong("outside of its bounds");
  if (!atom.table.empty() && std::find(atom.table.begin(), atom.table.end(), value) == atom.table.end())
    return wrong("none of its few values");
  if (atom.operands.size() == 2)
    if (std::optional<std::int64_t> a = known(atom.operands[0]), b = known(atom.operands[1]); a && b) {
      std::int64_t result = 0;
      if (!applyOperator(atom.op, atom.operands[0].type, *a, *b, result) || result != value)
        return wrong("its operands make " + std::to_string(result));
    }
  bool fixed = atom.scope == kNone;
  atoms[id] = {fixed ? 0 : entries[atom.scope], fixed ? 0 : iteration[atom.scope], value, true};
  return {};
}

std::string ScalarClaims::checkValue(const ScalarValue &value, std::int64_t actual) {
  if (!within(actual, value.interval))
    return "out of bounds [" + std::to_string(value.interval.lowest) + ", " + std::to_string(value.interval.highest) +
           "]";
  if (value.modulus == 1)
    return {};
  Wide rest = Wide(actual) - value.constant, turn = turnOf(value);
  const Term *open = nullptr;
  for (const Term &term : value.terms) {
    if (std::optional<std::int64_t> part = known(term.atom)) {
      rest = (rest - Wide(term.coefficient) * *part) % turn;
      continue;
    }
    if (open)
      return {}; // two that are not known yet
    open = &term;
  }
  if (!open)
    return rest % turn == 0 ? "" : "not as its terms say";
  if (value.modulus != 0 || open->coefficient % 2 == 0)
    return {};
  std::uint64_t undo = inverse(static_cast<std::uint64_t>(open->coefficient));
  return checkAtom(open->atom, wrappedProduct(static_cast<std::int64_t>(rest), static_cast<std::int64_t>(undo)));
}

std::string ScalarClaims::checkClaims(const std::vector<Claim> &here) {
  for (const Claim &claim : here) {
    std::int64_t actual = run.value(claim.expression);
    if (std::string wrong = checkValue(claim.value, actual); !wrong.empty())
      return printExpression(kernel, claim.expression) + " is " + std::to_string(actual) + ", said to be " +
             scalars.describe(claim.value) + ": " + wrong;
  }
  return {};
}

/// What is said of a loop against what the test at the end of its header makes of this iteration.
std::string ScalarClaims::checkTrips(BlockId block, bool held) const {
  LoopId loop = headed[block];
  const Terminator &end = kernel.blocks[block].terminator;
  if (loop == kNone || end.kind != Terminator::Kind::Branch)
    return {};
  bool trueStays = program.graph->loopContains(loop, end.whenTrue);
  if (trueStays == program.graph->loopContains(loop, end.whenFalse))
    return {};
  bool stays = held == trueStays;
  const TripFacts &facts = program.scalars->trips(loop);
  if (facts.trips && stays != (iteration[loop] < *facts.trips))
    return "loop " + std::to_string(loop) + " is said to go round " + std::to_string(*facts.trips) +
           " times, and does otherwise in iteration " + std::to_string(iteration[loop]);
  if (iteration[loop] == 0 && facts.firstTripCertain && *facts.firstTripCertain != stays)
    return "loop " + std::to_string(loop) + ": the first trip is not as it is said to be";
  return {};
}

std::string ScalarClaims::checkTurnings(BlockId block, bool held) {
  for (Turning &turning : turnings[block]) {
    if (turning.firstTests && iteration[headed[block]] != 0)
      continue;
    bool again = turning.entry == entries[turning.loop];
    turning.changes = again ? turning.changes + (turning.held != held) : 0;
    turning.entry = entries[turning.loop];
    turning.held = held;
    if (turning.changes > 1)
      return "the branch of block " + std::to_string(block) + " turns twice in loop " + std::to_string(turning.loop);
  }
  return {};
}

/// The steps that the run may be in behind its branch.
std::string ScalarClaims::follow(BlockId to) {
  next.clear();
  for (StepId step : at)
    for (const Edge &edge : program.edges[step])
      if (program.blockOf[edge.to] == to && std::find(next.begin(), next.end(), edge.to) == next.end())
        next.push_back(edge.to);
  // A loop whose first trip is certain is entered behind its test.
  const Terminator &test = kernel.blocks[to].terminator;
  bool behind = next.empty() && !behindTest && program.steps[to].empty() && test.kind == Terminator::Kind::Branch;
  for (StepId step : at)
    for (const Edge &edge : program.edges[step])
      behind = behind && program.blockOf[edge.to] == test.whenTrue;
  behindTest = behind;
  if (!behind)
    at.swap(next);
  return at.empty() ? "no step of the program goes on to block " + std::to_string(to) : "";
}

bool ScalarClaims::liesThere(const Access &access, std::int64_t address, BlockId block) {
  for (const Term &term : access.base.terms)
    if (const Atom &atom = scalars[term.atom]; atom.kind == Atom::Kind::Counter &&
                                               program.graph->loopContains(atom.scope, block) &&
                                               !within(iteration[atom.scope], atom.inLoop))
      return false;
  return checkValue(access.base, address).empty();
}

/// Leaves the steps in which the tiles of the statement lie where they lie in the run.
std::string ScalarClaims::checkTile(BlockId block, std::size_t index) {
  const Statement &statement = kernel.blocks[block].statements[index];
  const auto *instruction = std::get_if<Instruction>(&statement.action);
  if (!instruction || behindTest)
    return {};
  std::int64_t address = run.variable(kernel.tiles[instruction->operands[0].index].address);
  std::string wrong;
  std::erase_if(at, [&](StepId step) {
    for (const Event &event : program.steps[step])
      if (event.statement == &statement)
        for (const Access &access : program.nodes[event.node].accesses)
          if (access.tile && !liesThere(access, address, block))
            return true;
    return false;
  });
  if (at.empty())
    return "no step has the tile of statement " + std::to_string(index) + " of block " + std::to_string(block) +
           " where it is";
  for (const Event &event : program.steps[at.front()])
    if (at.size() == 1 && event.statement == &statement) {
      Touch touch{event.node, address, entries, iteration};
      if (wrong = checkPairs(touch); !wrong.empty())
        return wrong;
      if (touches.size() == kMostTouches)
        touches.erase(touches.begin());
      touches.push_back(std::move(touch));
      break;
    }
  return {};
}

/// How far apart the two are in the outermost loop around both that has begun another iteration between them.
IterationDistance ScalarClaims::distanceOf(const Touch &earlier, const Touch &later) const {
  const FlowGraph &graph = *program.graph;
  std::vector<LoopId> around;
  for (LoopId loop = graph.commonLoop(program.nodes[earlier.node].loop, program.nodes[later.node].loop); loop != kNone;
       loop = graph.loops()[loop].parent)
    around.push_back(loop);
  while (!around.empty() && earlier.iteration[around.back()] == later.iteration[around.back()])
    around.pop_back();
  if (around.empty())
    return {};
  LoopId loop = around.back();
  return {loop, static_cast<std::uint32_t>(later.iteration[loop] - earlier.iteration[loop]), false};
}

/// No two that share bytes are said to be apart.
std::string ScalarClaims::checkPairs(const Touch &later) const {
  const Node &node = program.nodes[later.node];
  for (const Touch &earlier : touches) {
    const Node &before = program.nodes[earlier.node];
    std::int64_t apart = wrappedDifference(later.address, earlier.address);
    if (apart >= kTileBytes || apart <= -kTileBytes)
      continue;
    IterationDistance exact = distanceOf(earlier, later), least = exact;
    least.atLeast = least.count > 0;
    least.count = std::min(least.count, 2u);
    for (IterationDistance distance : {exact, least})
      if (!comparer.mayOverlap(before.accesses[0], before.loop, node.accesses[0], node.loop, distance))
        return "the tiles at lines " + std::to_string(before.statement->line) + " and " +
               std::to_string(node.statement->line) + " share bytes " + std::to_string(exact.count) +
               " iterations apart, and are said not to";
  }
  return {};
}

} // namespace ptosync::test
