#include "ordering/condition.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace ptosync {
namespace {

/// The value in front of the loop's first iteration.
ScalarValue atFirst(ScalarValue value, LoopId loop, const ScalarAlgebra &scalars) {
  if (loop != kNone)
    std::erase_if(value.terms, [&](const Term &term) {
      return scalars[term.atom].kind == Atom::Kind::Counter && scalars[term.atom].scope == loop;
    });
  return value;
}

/// What each iteration of the loop adds to the value; the rest of it stays behind in `value`.
std::int64_t takeSlope(ScalarValue &value, LoopId loop, const ScalarAlgebra &scalars) {
  std::int64_t slope = 0;
  std::erase_if(value.terms, [&](const Term &term) {
    bool counts = scalars[term.atom].kind == Atom::Kind::Counter && scalars[term.atom].scope == loop;
    if (counts)
      slope = wrappedSum(slope, term.coefficient, 1);
    return counts;
  });
  return centred(slope, value.modulus);
}

/// Of numbers that go `slope` further in each of `iterations` and may wrap: true if they cannot pass all that is on one
/// side of the bound, and so meet their first side again.
bool staysShort(std::int64_t slope, std::int64_t iterations, const ScalarComparison &test, bool movesLeft) {
  const ScalarValue &bound = movesLeft ? test.right : test.left;
  if (!bound.isConstant())
    return false;
  IntegerType type = bound.type;
  if (type.bits < 8)
    return false;
  __int128 lowest = type.isSigned ? -(__int128(1) << (type.bits - 1)) : 0;
  __int128 size = __int128(1) << type.bits;
  __int128 at = bound.constant;
  if (!type.isSigned && at < 0)
    at += size;
  // The first number above the border between the two answers.
  __int128 border = at + ((test.op == Operator::LessEqual) == movesLeft ? 1 : 0);
  __int128 below = border - lowest, above = size - below;
  __int128 travel = __int128(slope < 0 ? -__int128(slope) : slope) * (iterations - 1);
  return travel <= std::min(below, above);
}

} // namespace

bool isFixedIn(const ScalarValue &value, LoopId loop, const ScalarAlgebra &scalars, const FlowGraph &graph) {
  return std::all_of(value.terms.begin(), value.terms.end(), [&](const Term &term) {
    LoopId scope = scalars[term.atom].scope;
    return scope == kNone || !graph.encloses(loop, scope);
  });
}

bool changesOnceAtMost(const ScalarValue &condition, LoopId loop, LoopId firstOf, const ScalarAnalysis &scalars,
                       const FlowGraph &graph) {
  const ScalarAlgebra &algebra = scalars.algebra();
  if (isDetermined(condition) && isFixedIn(condition, loop, algebra, graph))
    return true;
  std::optional<ScalarComparison> test = algebra.comparisonOf(condition);
  if (!test || !isDetermined(test->left) || !isDetermined(test->right) || test->left.type != test->right.type)
    return false;
  ScalarValue left = atFirst(test->left, firstOf, algebra), right = atFirst(test->right, firstOf, algebra);
  std::int64_t leftSlope = takeSlope(left, loop, algebra), rightSlope = takeSlope(right, loop, algebra);
  if (!isFixedIn(left, loop, algebra, graph) || !isFixedIn(right, loop, algebra, graph))
    return false;
  if (leftSlope == 0 && rightSlope == 0)
    return true;
  if ((leftSlope != 0 && rightSlope != 0) || test->op == Operator::Equal || test->op == Operator::NotEqual)
    return false;
  bool movesLeft = leftSlope != 0;
  const ScalarValue &moving = movesLeft ? test->left : test->right;
  // Fewer than 64 bits that are exact did not wrap.
  if (moving.modulus == 0 && moving.type.bits < 64)
    return true;
  std::optional<std::int64_t> trips = scalars.trips(loop).trips;
  return trips && wrapsAt(moving, moving.type.bits) && *trips > 0 &&
         staysShort(movesLeft ? leftSlope : rightSlope, *trips, *test, movesLeft);
}

namespace {

using Wide = __int128;

// Dominating blocks that are looked at: far enough for what a reader sees at once.
constexpr std::size_t kMostDominators = 64;

Operator swapped(Operator op) {
  switch (op) {
  case Operator::Less: return Operator::Greater;
  case Operator::LessEqual: return Operator::GreaterEqual;
  case Operator::Greater: return Operator::Less;
  case Operator::GreaterEqual: return Operator::LessEqual;
  default: return op;
  }
}

/// Whether `asked` holds between two numbers between which `known` does; empty if it may and may not.
std::optional<bool> follows(Operator known, Operator asked) {
  // Which of less, equal and greater a comparison lets through.
  auto allows = [](Operator op) -> std::array<bool, 3> {
    switch (op) {
    case Operator::Less: return {true, false, false};
    case Operator::LessEqual: return {true, true, false};
    case Operator::Equal: return {false, true, false};
    case Operator::NotEqual: return {true, false, true};
    case Operator::GreaterEqual: return {false, true, true};
    default: return {false, false, true};
    }
  };
  bool always = true, never = true;
  for (std::size_t i = 0; i < 3; ++i) {
    always = always && (!allows(known)[i] || allows(asked)[i]);
    never = never && !(allows(known)[i] && allows(asked)[i]);
  }
  if (always == never)
    return std::nullopt;
  return always;
}

ScalarComparison denied(ScalarComparison comparison) {
  switch (comparison.op) {
  case Operator::Equal: comparison.op = Operator::NotEqual; break;
  case Operator::NotEqual: comparison.op = Operator::Equal; break;
  case Operator::Less: comparison.op = Operator::GreaterEqual; break;
  case Operator::LessEqual: comparison.op = Operator::Greater; break;
  case Operator::Greater: comparison.op = Operator::LessEqual; break;
  default: comparison.op = Operator::Less; break;
  }
  return comparison;
}

/// A number without sign that is not above 0 is 0: one comparison for all ways to ask that.
ScalarComparison plain(ScalarComparison comparison) {
  if (comparison.left.isConstant()) {
    std::swap(comparison.left, comparison.right);
    comparison.op = swapped(comparison.op);
  }
  if (comparison.left.type.isSigned || !comparison.right.isConstant())
    return comparison;
  bool zero = comparison.right.constant == 0, one = comparison.right.constant == 1;
  bool isZero = (zero && comparison.op == Operator::LessEqual) || (one && comparison.op == Operator::Less);
  bool isNot = (zero && comparison.op == Operator::Greater) || (one && comparison.op == Operator::GreaterEqual);
  if (isZero || isNot) {
    comparison.op = isZero ? Operator::Equal : Operator::NotEqual;
    comparison.right.constant = 0;
    comparison.right.interval = {0, 0};
  }
  return comparison;
}

/// True if signed numbers of 64 bits compare as the two do.
bool comparesAsSigned(const ScalarComparison &comparison) {
  IntegerType type = comparison.left.type;
  return type.isSigned || type.bits < 64 ||
         (comparison.left.interval.lowest >= 0 && comparison.right.interval.lowest >= 0);
}

/// What `value` may be where `value op other` holds.
Interval narrowed(const Interval &value, Operator op, const Interval &other) {
  Wide lowest = value.lowest, highest = value.highest;
  switch (op) {
  case Operator::Equal:
    lowest = std::max<Wide>(lowest, other.lowest);
    highest = std::min<Wide>(highest, other.highest);
    break;
  case Operator::NotEqual:
    if (other.lowest == other.highest) {
      lowest += lowest == other.lowest;
      highest -= highest == other.highest;
    }
    break;
  case Operator::Less: highest = std::min<Wide>(highest, Wide(other.highest) - 1); break;
  case Operator::LessEqual: highest = std::min<Wide>(highest, other.highest); break;
  case Operator::Greater: lowest = std::max<Wide>(lowest, Wide(other.lowest) + 1); break;
  case Operator::GreaterEqual: lowest = std::max<Wide>(lowest, other.lowest); break;
  default: break;
  }
  if (lowest > highest)
    return value; // nobody gets here
  return {static_cast<std::int64_t>(lowest), static_cast<std::int64_t>(highest)};
}

} // namespace

bool describeSame(const ScalarValue &a, const ScalarValue &b) {
  if (a.type != b.type || a.constant != b.constant || a.terms != b.terms || !isDetermined(a) || !isDetermined(b))
    return false;
  std::uint64_t modulus = std::gcd(a.modulus, b.modulus);
  Wide width = Wide(std::max(a.interval.highest, b.interval.highest)) - std::min(a.interval.lowest, b.interval.lowest);
  return modulus == 0 || width < Wide(modulus);
}

ScalarComparison inFirstIteration(ScalarComparison comparison, LoopId loop, const ScalarAlgebra &scalars) {
  for (ScalarValue *side : {&comparison.left, &comparison.right}) {
    std::erase_if(side->terms, [&](const Term &term) {
      return scalars[term.atom].kind == Atom::Kind::Counter && scalars[term.atom].scope == loop;
    });
    if (side->isConstant())
      side->interval = {side->constant, side->constant};
  }
  return comparison;
}

std::optional<bool> asksSame(const ScalarComparison &a, const ScalarComparison &b) {
  ScalarComparison known = plain(a), asked = plain(b);
  if (describeSame(known.left, asked.right) && describeSame(known.right, asked.left)) {
    std::swap(asked.left, asked.right);
    asked.op = swapped(asked.op);
  }
  if (!describeSame(known.left, asked.left) || !describeSame(known.right, asked.right))
    return std::nullopt;
  std::optional<bool> held = follows(known.op, asked.op), failed = follows(denied(known).op, asked.op);
  return held && failed && *held != *failed ? held : std::nullopt;
}

/// True if the value is at the end of `at` what it was at the end of `from`, in front of the edge to `to`.
bool ImpliedConditions::isSameThere(const ScalarValue &value, BlockId from, BlockId to, BlockId at) const {
  return isDetermined(value) && std::all_of(value.terms.begin(), value.terms.end(), [&](const Term &term) {
           const Atom &atom = scalars[term.atom];
           auto inside = [&](BlockId block) { return graph.loopContains(atom.scope, block); };
           bool lasts = atom.scope == kNone || (inside(from) && inside(to) && inside(at));
           return lasts && std::all_of(atom.operands.begin(), atom.operands.end(),
                                       [&](const ScalarValue &operand) { return isSameThere(operand, from, to, at); });
         });
}

/// What the branch at the end of `from` says where it has gone to `to` on the way to `at`.
std::optional<ImpliedConditions::Fact> ImpliedConditions::factOn(BlockId from, BlockId to, BlockId at) const {
  const Terminator &end = kernel.blocks[from].terminator;
  if (end.kind != Terminator::Kind::Branch || end.whenTrue == end.whenFalse || !conditions[from] ||
      !isSameThere(*conditions[from], from, to, at))
    return std::nullopt;
  return Fact{*conditions[from], to == end.whenTrue};
}

std::vector<ImpliedConditions::Fact> ImpliedConditions::factsAt(BlockId block) const {
  std::vector<Fact> facts;
  BlockId here = block;
  for (std::size_t count = 0; count < kMostDominators; ++count) {
    const std::vector<BlockId> &before = graph.predecessors(here);
    if (before.size() == 1)
      if (std::optional<Fact> fact = factOn(before[0], here, block))
        facts.push_back(std::move(*fact));
    BlockId above = graph.immediateDominatorOf(here);
    if (above == here)
      break;
    here = above;
  }
  return facts;
}

/// The value with the bounds that what is known puts on it.
ScalarValue ImpliedConditions::within(ScalarValue value, const std::vector<ScalarComparison> &known) const {
  for (const ScalarComparison &fact : known) {
    if (!comparesAsSigned(fact))
      continue;
    if (describeSame(fact.left, value))
      value.interval = narrowed(value.interval, fact.op, fact.right.interval);
    if (describeSame(fact.right, value))
      value.interval = narrowed(value.interval, swapped(fact.op), fact.left.interval);
  }
  return value;
}

std::optional<bool> ImpliedConditions::decide(ScalarComparison asked, const std::vector<Fact> &facts) const {
  asked = plain(std::move(asked));
  std::vector<ScalarComparison> known;
  for (const Fact &fact : facts)
    if (std::optional<ScalarComparison> comparison = scalars.comparisonOf(fact.condition))
      known.push_back(plain(fact.held ? *comparison : denied(*comparison)));
  for (const ScalarComparison &comparison : known) {
    std::optional<bool> outcome;
    if (describeSame(asked.left, comparison.left) && describeSame(asked.right, comparison.right))
      outcome = follows(comparison.op, asked.op);
    else if (describeSame(asked.left, comparison.right) && describeSame(asked.right, comparison.left))
      outcome = follows(swapped(comparison.op), asked.op);
    if (outcome)
      return outcome;
  }
  asked.left = within(asked.left, known);
  asked.right = within(asked.right, known);
  return scalars.decided(asked);
}

std::optional<bool> ImpliedConditions::decide(const ScalarValue &condition, const std::vector<Fact> &facts) const {
  for (const Fact &fact : facts)
    if (describeSame(fact.condition, condition))
      return fact.held;
  std::optional<ScalarComparison> asked = scalars.comparisonOf(condition);
  return asked ? decide(*asked, facts) : std::nullopt;
}

std::optional<bool> ImpliedConditions::at(const ScalarValue &condition, BlockId block) const {
  return decide(condition, factsAt(block));
}

std::optional<bool> ImpliedConditions::atFirst(const ScalarValue &condition, LoopId loop, BlockId from) const {
  std::optional<ScalarComparison> test = scalars.comparisonOf(condition);
  if (!test)
    return std::nullopt;
  std::vector<Fact> facts = factsAt(from);
  BlockId header = graph.loops()[loop].header;
  if (std::optional<Fact> fact = factOn(from, header, from))
    facts.push_back(std::move(*fact));
  ScalarComparison asked = inFirstIteration(*test, loop, scalars);
  // What else may change in the loop has not its value there yet.
  for (const ScalarValue *side : {&asked.left, &asked.right})
    if (!isSameThere(*side, from, from, from))
      return std::nullopt;
  return decide(asked, facts);
}

} // namespace ptosync
