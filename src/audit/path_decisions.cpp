#include "audit/path_decisions.h"

#include <cstdlib>

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

} // namespace ptosync
