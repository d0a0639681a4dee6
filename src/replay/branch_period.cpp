#include "replay/branch_period.h"

#include "replay/interpreter.h"

#include <algorithm>
#include <set>

namespace ptosync::replay {
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
