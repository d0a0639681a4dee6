// What the interpreter works out about a kernel before its first run.
#include "replay/interpreter.h"

#include "replay/branch_period.h"
#include "replay/liveness.h"

#include <algorithm>

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

} // namespace ptosync::replay
