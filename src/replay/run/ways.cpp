#include "replay/run/ways.h"

#include "replay/run/control_flow.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace ptosync::replay {

InputDependence::InputDependence(const Kernel &kernel, const LoopNest &nest,
                                 const std::set<std::uint32_t> &pointerArguments)
    : kernel(kernel), pointerArguments(pointerArguments), byInput(kernel.variables.size(), false) {
  std::vector<std::vector<BlockId>> assignedIn(kernel.variables.size()); // once for each assignment
  for (BlockId block = 0; block < kernel.blocks.size(); ++block)
    for (const Statement &statement : kernel.blocks[block].statements) {
      forEachAssignment(
          statement, [&](VariableId variable, ExpressionId, ExpressionId) { assignedIn[variable].push_back(block); });
      if (const auto *instruction = std::get_if<Instruction>(&statement.action))
        for (VariableId result : instruction->results)
          byInput[result] = true;
    }
  computed = byInput;
  while (spread(computed))
    ;
  const ControlDependence control(kernel);
  std::vector<VariableId> often; // assigned in several blocks
  for (VariableId variable = 0; variable < byInput.size(); ++variable)
    if (assignedIn[variable].size() > 1)
      often.push_back(variable);
  std::vector<bool> done(kernel.blocks.size(), false); // branches
  for (bool changed = true; changed;) {
    changed = spread(byInput);
    for (BlockId block = 0; block < kernel.blocks.size(); ++block) {
      const Terminator &terminator = kernel.blocks[block].terminator;
      if (done[block] || !nest.reachable(block) || !depends(terminator))
        continue;
      done[block] = changed = true;
      const std::vector<bool> below = control.below(block);
      auto oneWay = [&](VariableId variable, BlockId next) {
        return llvm::all_of(assignedIn[variable],
                            [&](BlockId inside) { return control.isBehind(block, next, inside); });
      };
      for (VariableId variable : often)
        if (llvm::any_of(assignedIn[variable], [&](BlockId inside) { return below[inside]; }) &&
            !oneWay(variable, terminator.whenTrue) && !oneWay(variable, terminator.whenFalse))
          byInput[variable] = true;
    }
  }
}

/// Goes through all assignments once; true if a variable has come to depend on inputs.
bool InputDependence::spread(std::vector<bool> &variables) const {
  bool changed = false;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      forEachAssignment(statement, [&](VariableId variable, ExpressionId value, ExpressionId index) {
        if (variables[variable] || !(depends(value, variables) || (index != kNone && depends(index, variables))))
          return;
        variables[variable] = changed = true;
      });
  return changed;
}

bool InputDependence::depends(ExpressionId id, const std::vector<bool> &variables) const {
  if (id == kNone)
    return true;
  const Expression &e = kernel.expressions[id];
  switch (e.kind) {
  case Expression::Kind::Parameter: return !pointerArguments.count(static_cast<std::uint32_t>(e.constant));
  case Expression::Kind::Query:
  case Expression::Kind::Opaque: return true;
  case Expression::Kind::Variable: return variables[e.variable];
  case Expression::Kind::ArrayElement:
    for (std::uint32_t i = 0; i < e.count; ++i)
      if (variables[e.variable + i])
        return true;
    break;
  default: break;
  }
  return std::any_of(e.operands.begin(), e.operands.end(),
                     [&](ExpressionId operand) { return operand != kNone && depends(operand, variables); });
}

std::set<std::string> InputDependence::inputsOf(ExpressionId expression) const {
  BackwardFlow flow(kernel);
  flow.addValue(expression);
  flow.spread();
  std::set<std::string> found;
  for (ExpressionId id : flow.leaves()) {
    const Expression &e = kernel.expressions[id];
    if (e.kind != Expression::Kind::Parameter)
      found.insert(e.kind == Expression::Kind::Query ? e.name + "()" : "memory");
    else if (!pointerArguments.count(static_cast<std::uint32_t>(e.constant)))
      found.insert(e.name);
  }
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *instruction = std::get_if<Instruction>(&statement.action))
        for (VariableId result : instruction->results)
          if (flow.variables()[result])
            found.insert("memory");
  return found;
}

Ways::Ways(const Kernel &kernel, const LoopNest &nest, const std::set<std::uint32_t> &pointerArguments)
    : kernel(kernel), dependence(kernel, nest, pointerArguments), closed(kernel.blocks.size(), false) {
  for (BlockId block = 0; block < kernel.blocks.size(); ++block) {
    if (!nest.reachable(block))
      continue;
    for (const Statement &statement : kernel.blocks[block].statements)
      collect(statement, block);
    const Terminator &terminator = kernel.blocks[block].terminator;
    if (terminator.kind != Terminator::Kind::Branch || terminator.whenTrue == terminator.whenFalse)
      continue;
    collect(terminator.condition, nullptr, {block, terminator.line}, /*inValue=*/false);
    closed[block] = !dependence.depends(terminator);
    for (bool taken : {true, false})
      if (!closed[block])
        openWays.push_back({Way::Kind::Branch, block, taken});
  }
  for (const auto &[choice, place] : all)
    for (bool taken : {true, false})
      if (dependence.depends(kernel.expressions[choice].operands[0]))
        openWays.push_back({Way::Kind::Choice, choice, taken});
  for (const auto &[number, as] : allNumbers)
    for (std::int64_t value = 0; value < as.count; ++value)
      openWays.push_back({Way::Kind::Number, number, true, value});
  for (LoopId loop = 0; loop < nest.loops().size(); ++loop) {
    const BlockId header = nest.loops()[loop].header;
    const Terminator &test = kernel.blocks[header].terminator;
    if (test.kind == Terminator::Kind::Branch && !closed[header] &&
        nest.contains(loop, test.whenTrue) != nest.contains(loop, test.whenFalse))
      openWays.push_back({Way::Kind::Skipped, header, true});
  }
  std::sort(openWays.begin(), openWays.end());
}

void Ways::collect(const Statement &statement, BlockId block) {
  const bool chooses =
      std::holds_alternative<Sync>(statement.action) || std::holds_alternative<Instruction>(statement.action);
  const Choice place{block, statement.line};
  forEachValue(statement,
               [&](ExpressionId value) { collect(value, chooses ? &statement : nullptr, place, /*inValue=*/true); });
  if (const auto *sync = std::get_if<Sync>(&statement.action))
    collectNumber(sync->event, &statement, {place});
  if (const auto *store = std::get_if<ArrayStore>(&statement.action); store && store->count <= kMostNumbers)
    collectNumber(store->index, nullptr, {place, store->count});
}

void Ways::collectNumber(ExpressionId number, const Statement *statement, const Number &as) {
  if (number == kNone || !dependence.depends(number))
    return;
  allNumbers.emplace(number, as);
  if (statement)
    choosing.insert(statement);
}

/// `inValue`: something is computed with it, so that a comparison, or what `&&` makes of two, counts: `(n == 3) * 512`.
/// A condition of a branch or of `a ? b : c` is a way of its own.
void Ways::collect(ExpressionId id, const Statement *statement, const Choice &place, bool inValue) {
  if (id == kNone)
    return;
  const Expression &e = kernel.expressions[id];
  if (e.kind == Expression::Kind::Select) {
    all.emplace(id, place);
    if (statement)
      choosing.insert(statement);
  }
  if (e.kind == Expression::Kind::ArrayElement && e.count <= kMostNumbers)
    collectNumber(e.operands[0], statement, {place, e.count});
  if (inValue && e.kind == Expression::Kind::Binary && e.type.bits == 1)
    collectNumber(id, statement, {place, 2});
  for (std::size_t i = 0; i < e.operands.size(); ++i)
    collect(e.operands[i], statement, place, inValue && !(e.kind == Expression::Kind::Select && i == 0));
}

BlockId Ways::blockOf(const Way &way) const {
  switch (way.kind) {
  case Way::Kind::Branch:
  case Way::Kind::Skipped: return way.what;
  case Way::Kind::Choice: return all.at(way.what).block;
  case Way::Kind::Number: return allNumbers.at(way.what).place.block;
  }
  return kNone;
}

std::uint32_t Ways::lineOf(const Way &way) const {
  switch (way.kind) {
  case Way::Kind::Branch:
  case Way::Kind::Skipped: return kernel.blocks[way.what].terminator.line;
  case Way::Kind::Choice: return all.at(way.what).line;
  case Way::Kind::Number: return allNumbers.at(way.what).place.line;
  }
  return 0;
}

ExpressionId Ways::conditionOf(const Way &way) const {
  switch (way.kind) {
  case Way::Kind::Branch:
  case Way::Kind::Skipped: return kernel.blocks[way.what].terminator.condition;
  case Way::Kind::Choice: return kernel.expressions[way.what].operands[0];
  case Way::Kind::Number: return way.what;
  }
  return kNone;
}

std::vector<bool> Ways::possible(const std::set<Way> &taken, const std::set<Way> &impossible) const {
  std::vector<bool> found(kernel.blocks.size(), false);
  std::vector<BlockId> open;
  auto reach = [&](BlockId block) {
    if (!found[block])
      open.push_back(block);
    found[block] = true;
  };
  if (!kernel.blocks.empty())
    reach(0);
  while (!open.empty()) {
    const BlockId block = open.back();
    open.pop_back();
    const Terminator &terminator = kernel.blocks[block].terminator;
    if (terminator.kind != Terminator::Kind::Branch) {
      for (BlockId next : successorsOf(terminator))
        reach(next);
      continue;
    }
    const Way whenTrue{Way::Kind::Branch, block, true}, whenFalse{Way::Kind::Branch, block, false};
    const bool asTaken = closed[block] && (taken.count(whenTrue) || taken.count(whenFalse));
    for (const Way &way : {whenTrue, whenFalse})
      if ((!asTaken || taken.count(way)) && !impossible.count(way))
        reach(way.taken ? terminator.whenTrue : terminator.whenFalse);
  }
  return found;
}

} // namespace ptosync::replay
