#include "replay/input_dependence.h"

#include "replay/control_dependence.h"

#include <algorithm>

namespace ptosync::replay {
namespace {

std::size_t countIn(const std::vector<BlockId> &blocks, const std::vector<bool> &set) {
  return static_cast<std::size_t>(
      std::count_if(blocks.begin(), blocks.end(), [&](BlockId block) { return set[block]; }));
}

} // namespace

InputDependence::InputDependence(const Kernel &kernel, const LoopNest &nest,
                                 const std::set<std::uint32_t> &pointerArguments)
    : kernel(kernel), pointerArguments(pointerArguments), byInput(kernel.variables.size(), false) {
  std::vector<std::vector<BlockId>> assignedIn(kernel.variables.size()); // once for each assignment
  for (BlockId block = 0; block < kernel.blocks.size(); ++block)
    for (const Statement &statement : kernel.blocks[block].statements) {
      forEachAssignment(statement, [&](VariableId variable, ExpressionId, ExpressionId) {
        assignedIn[variable].push_back(block);
      });
      if (const auto *instruction = std::get_if<Instruction>(&statement.action))
        for (VariableId result : instruction->results)
          byInput[result] = true;
    }
  const ControlDependence control(kernel);
  std::vector<bool> done(kernel.blocks.size(), false); // branches
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockId block = 0; block < kernel.blocks.size(); ++block) {
      for (const Statement &statement : kernel.blocks[block].statements)
        forEachAssignment(statement, [&](VariableId variable, ExpressionId value, ExpressionId index) {
          if (byInput[variable] || !(depends(value) || (index != kNone && depends(index))))
            return;
          byInput[variable] = changed = true;
        });
      const Terminator &terminator = kernel.blocks[block].terminator;
      if (done[block] || !nest.reachable(block) || !depends(terminator))
        continue;
      done[block] = changed = true;
      const std::vector<bool> below = control.below(block);
      const std::vector<bool> whenTrue = control.behind(block, terminator.whenTrue);
      const std::vector<bool> whenFalse = control.behind(block, terminator.whenFalse);
      for (VariableId variable = 0; variable < byInput.size(); ++variable) {
        const std::vector<BlockId> &blocks = assignedIn[variable];
        if (blocks.size() > 1 && countIn(blocks, below) != 0 && countIn(blocks, whenTrue) != blocks.size() &&
            countIn(blocks, whenFalse) != blocks.size())
          byInput[variable] = true;
      }
    }
  }
}

bool InputDependence::depends(ExpressionId id) const {
  if (id == kNone)
    return true;
  const Expression &e = kernel.expressions[id];
  switch (e.kind) {
  case Expression::Kind::Parameter: return !pointerArguments.count(static_cast<std::uint32_t>(e.constant));
  case Expression::Kind::Query:
  case Expression::Kind::Opaque: return true;
  case Expression::Kind::Variable: return byInput[e.variable];
  case Expression::Kind::ArrayElement:
    for (std::uint32_t i = 0; i < e.count; ++i)
      if (byInput[e.variable + i])
        return true;
    break;
  default: break;
  }
  return std::any_of(e.operands.begin(), e.operands.end(),
                     [&](ExpressionId operand) { return operand != kNone && depends(operand); });
}

std::set<std::string> InputDependence::inputsOf(ExpressionId expression) const {
  std::set<std::string> found;
  std::vector<bool> seen(kernel.variables.size(), false);
  bool fresh = false;
  auto add = [&](auto &&self, ExpressionId id) -> void {
    if (id == kNone)
      return;
    const Expression &e = kernel.expressions[id];
    if (e.kind == Expression::Kind::Parameter && !pointerArguments.count(static_cast<std::uint32_t>(e.constant)))
      found.insert(e.name);
    if (e.kind == Expression::Kind::Query)
      found.insert(e.name + "()");
    if (e.kind == Expression::Kind::Opaque)
      found.insert("memory");
    for (ExpressionId operand : e.operands)
      self(self, operand);
  };
  auto read = [&](ExpressionId id) {
    add(add, id);
    forEachVariable(kernel.expressions, id, [&](VariableId variable) {
      fresh = fresh || !seen[variable];
      seen[variable] = true;
    });
  };
  read(expression);
  while (fresh) {
    fresh = false;
    for (const Block &block : kernel.blocks)
      for (const Statement &statement : block.statements) {
        forEachAssignment(statement, [&](VariableId variable, ExpressionId value, ExpressionId index) {
          if (!seen[variable])
            return;
          read(value);
          read(index);
        });
        if (const auto *instruction = std::get_if<Instruction>(&statement.action))
          for (VariableId result : instruction->results)
            if (seen[result])
              found.insert("memory");
      }
  }
  return found;
}

} // namespace ptosync::replay
