#include "audit/path_decisions.h"

#include <cstdlib>

namespace ptosync {
namespace {

bool isComparison(Operator op) { return op >= Operator::Equal && op <= Operator::GreaterEqual; }

} // namespace

PathDecisions::PathDecisions(const Program &program)
    : program(program), facts(program.kernel->blocks.size()), counted(program.graph->loops().size(), false) {
  program.scalars->forEachStatement([&](BlockId block, std::size_t index) {
    if (index == program.kernel->blocks[block].statements.size())
      read(block);
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
  ExpressionId id = end.condition;
  const ExpressionArena &expressions = program.kernel->expressions;
  for (;;) {
    const Expression &expression = expressions[id];
    if (expression.kind == Expression::Kind::Unary && expression.op == Operator::LogicalNot)
      branch.negated = !branch.negated;
    else if (expression.kind != Expression::Kind::Cast || expressions[expression.operands[0]].type != kBoolean)
      break;
    id = expression.operands[0];
  }
  const Expression &condition = expressions[id];
  ScalarValue whole = program.scalars->value(end.condition);
  if (condition.kind == Expression::Kind::Binary && isComparison(condition.op)) {
    branch.op = condition.op;
    branch.left = program.scalars->value(condition.operands[0]);
    branch.right = program.scalars->value(condition.operands[1]);
    bool left = addAtoms(branch.left, branch), right = addAtoms(branch.right, branch);
    branch.counted = left && right;
  } else {
    addAtoms(whole, branch);
  }
  bool fixed = !branch.counted && !whole.terms.empty() && whole.modulus == 0;
  for (const Term &term : whole.terms)
    fixed = fixed && program.scalars->algebra()[term.atom].scope == kNone;
  if (fixed)
    branch.key = program.scalars->algebra().describe(whole);
  if (branch.counted)
    for (const ScalarValue *value : {&branch.left, &branch.right})
      for (const Term &term : value->terms)
        counted[program.scalars->algebra()[term.atom].scope] = true;
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
      sum += term.coefficient * atom.table[count % atom.table.size()];
    } else if (count < kExact) {
      sum += term.coefficient * count;
    } else {
      return std::nullopt;
    }
  }
  return sum;
}

/// Sign of left minus right where one counter decides it and has passed the point where it turns; empty otherwise.
std::optional<int> PathDecisions::signFarOut(const BranchFacts &branch, const std::vector<std::uint32_t> &counts) const {
  std::int64_t distance = branch.left.constant - branch.right.constant;
  const Atom *counter = nullptr;
  std::int64_t slope = 0;
  for (const ScalarValue *value : {&branch.left, &branch.right})
    for (const Term &term : value->terms) {
      const Atom &atom = program.scalars->algebra()[term.atom];
      if (atom.kind != Atom::Kind::Counter || counts[atom.scope] < kExact || (counter && counter != &atom))
        return std::nullopt;
      counter = &atom;
      slope += value == &branch.left ? term.coefficient : -term.coefficient;
    }
  constexpr std::int64_t kPlain = std::int64_t{1} << 32; // nothing wraps
  if (!counter || slope == 0 || std::abs(distance) > kPlain || std::abs(slope) > kPlain)
    return std::nullopt;
  std::int64_t there = distance + slope * kExact;
  if (slope > 0 && there > 0)
    return 1;
  if (slope < 0 && there < 0)
    return -1;
  return std::nullopt;
}

std::optional<bool> PathDecisions::outcome(BlockId block, const std::vector<std::uint32_t> &counts) const {
  const BranchFacts &branch = facts[block];
  const Terminator &end = program.kernel->blocks[block].terminator;
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

} // namespace ptosync
