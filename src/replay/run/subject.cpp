#include "replay/run/subject.h"

#include <algorithm>
#include <set>

namespace ptosync::replay {

namespace {

constexpr std::uint64_t kDeepestRing = 8;
constexpr std::size_t kMostConstants = 12;

std::uint64_t ringDepthOf(const Kernel &kernel, const Constants &constants) {
  std::uint64_t depth = std::max<std::uint64_t>(2, branchPeriodOf(kernel, constants));
  auto consider = [&](std::int64_t value) {
    if (value >= 2 && value <= static_cast<std::int64_t>(kDeepestRing))
      depth = std::max(depth, static_cast<std::uint64_t>(value));
  };
  for (const Fifo &fifo : kernel.fifos)
    consider(fifo.localSlots);
  for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
    if (const Expression &e = kernel.expressions[id]; e.kind == Expression::Kind::Binary && e.op == Operator::Remainder)
      consider(constants.of(e.operands[1]).value_or(0));
  return depth;
}

/// Numbers the kernel compares with: the values that decide its branches.
std::vector<std::int64_t> comparedConstants(const Kernel &kernel, const Constants &constants) {
  std::set<std::int64_t> values;
  for (ExpressionId id = 0; id < kernel.expressions.size(); ++id) {
    const Expression &e = kernel.expressions[id];
    if (e.kind != Expression::Kind::Binary || e.op < Operator::Equal || e.op > Operator::GreaterEqual)
      continue;
    for (int side = 0; side < 2; ++side)
      if (std::optional<std::int64_t> value = constants.of(e.operands[side]); value && *value >= 0 && *value < 4096)
        values.insert(*value);
  }
  std::vector<std::int64_t> list(values.begin(), values.end());
  list.resize(std::min(list.size(), kMostConstants));
  return list;
}

} // namespace

Constants::Constants(const Kernel &kernel) : kernel(kernel), definition(kernel.variables.size(), kNone) {
  std::vector<bool> several(kernel.variables.size(), false);
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      forEachDefinition(statement, [&](VariableId variable, ExpressionId value) {
        several[variable] = several[variable] || value == kNone || definition[variable] != kNone;
        definition[variable] = value;
      });
  for (std::size_t i = 0; i < several.size(); ++i)
    if (several[i])
      definition[i] = kNone;
}

std::optional<std::int64_t> Constants::of(ExpressionId id) const {
  constexpr int kLongestChain = 64;
  std::vector<IntegerType> casts;
  for (int steps = 0; id != kNone && steps < kLongestChain; ++steps) {
    const Expression &e = kernel.expressions[id];
    if (e.kind == Expression::Kind::Constant) {
      std::int64_t value = e.constant;
      for (auto type = casts.rbegin(); type != casts.rend(); ++type)
        value = wrapTo(*type, value);
      return value;
    }
    if (e.kind == Expression::Kind::Cast) {
      casts.push_back(e.type);
      id = e.operands[0];
    } else if (e.kind == Expression::Kind::Variable) {
      casts.push_back(kernel.variables[e.variable].type);
      id = definition[e.variable];
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

Subject::Subject(const Kernel &kernel, const Machine &machine, const Options &options)
    : kernel(kernel), machine(machine), nest(kernel), facts(kernel, machine), works(kernel, machine, options) {
  Constants constants(kernel);
  ringDepth = ringDepthOf(kernel, constants);
  memoryPool = {0, 1, 2, 3, -1};
  for (std::int64_t value : comparedConstants(kernel, constants))
    for (std::int64_t near : {value, value + 1})
      if (std::find(memoryPool.begin(), memoryPool.end(), near) == memoryPool.end())
        memoryPool.push_back(near);
}

const std::vector<VariableId> &Subject::carried(LoopId loop) {
  if (!carriedByLoop)
    carriedByLoop = carriedVariables(kernel, nest);
  return (*carriedByLoop)[loop];
}

const std::vector<bool> &Subject::relevant(Matters matters) {
  auto [found, fresh] = relevantFor.try_emplace(matters);
  if (fresh)
    found->second = relevantVariables(kernel, matters);
  return found->second;
}

const Ways &Subject::ways() {
  if (!allWays)
    allWays.emplace(kernel, nest, facts.pointerArguments);
  return *allWays;
}

namespace {

class BranchPeriod {
public:
  BranchPeriod(const Kernel &kernel, const Constants &constants) : kernel(kernel), constants(constants) {
    definitions.resize(kernel.variables.size());
    for (const Block &block : kernel.blocks)
      for (const Statement &statement : block.statements)
        if (auto *assign = std::get_if<Assign>(&statement.action))
          definitions[assign->variable].push_back(assign->value);
  }

  std::uint64_t find() {
    for (const Block &block : kernel.blocks)
      if (block.terminator.kind == Terminator::Kind::Branch)
        follow(block.terminator.condition);
    return longest;
  }

private:
  /// 2^n for a mask of n bits or a shift by n, else the divisor; 0 if the operator divides by no constant.
  std::uint64_t divisorOf(const Expression &e) const {
    std::int64_t value = constants.of(e.operands[1]).value_or(0);
    if (value <= 0 || value > std::int64_t{kLongestBranchPeriod})
      return 0;
    auto number = static_cast<std::uint64_t>(value);
    switch (e.op) {
    case Operator::Divide:
    case Operator::Remainder: return number;
    case Operator::ShiftRight: return std::uint64_t{1} << number;
    case Operator::BitAnd: return (number & (number + 1)) == 0 ? number + 1 : 0;
    default: return 0;
    }
  }

  /// Product of what the value is divided by, below the remainder at `id`.
  std::uint64_t quotient(ExpressionId id, int depth) const {
    constexpr int kDeepest = 16;
    if (id == kNone || depth == kDeepest)
      return 1;
    const Expression &e = kernel.expressions[id];
    if (e.kind == Expression::Kind::Cast)
      return quotient(e.operands[0], depth + 1);
    if (e.kind == Expression::Kind::Variable && definitions[e.variable].size() == 1)
      return quotient(definitions[e.variable][0], depth + 1);
    if (e.kind == Expression::Kind::Binary && (e.op == Operator::Divide || e.op == Operator::ShiftRight))
      if (std::uint64_t divisor = divisorOf(e))
        return divisor * quotient(e.operands[0], depth + 1);
    return 1;
  }

  void follow(ExpressionId id) {
    if (id == kNone || !seen.insert(id).second)
      return;
    const Expression &e = kernel.expressions[id];
    if (e.kind == Expression::Kind::Variable)
      for (ExpressionId value : definitions[e.variable])
        follow(value);
    if (e.kind == Expression::Kind::Binary && (e.op == Operator::Remainder || e.op == Operator::BitAnd))
      if (std::uint64_t divisor = divisorOf(e)) {
        std::uint64_t period = divisor * quotient(e.operands[0], 0);
        if (period <= kLongestBranchPeriod)
          longest = std::max(longest, period);
      }
    for (ExpressionId operand : e.operands)
      follow(operand);
  }

  const Kernel &kernel;
  const Constants &constants;
  std::vector<std::vector<ExpressionId>> definitions; // by variable
  std::set<ExpressionId> seen;
  std::uint64_t longest = 1;
};

} // namespace

std::uint64_t branchPeriodOf(const Kernel &kernel, const Constants &constants) {
  return BranchPeriod(kernel, constants).find();
}

} // namespace ptosync::replay
