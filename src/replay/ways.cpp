#include "replay/ways.h"

#include "replay/loop_nest.h"

#include <algorithm>

namespace ptosync::replay {

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
    collect(terminator.condition, nullptr, {block, terminator.line});
    closed[block] = !dependence.depends(terminator);
    for (bool taken : {true, false})
      if (!closed[block])
        openWays.push_back({Way::Kind::Branch, block, taken});
  }
  for (const auto &[choice, place] : all)
    for (bool taken : {true, false})
      if (dependence.depends(kernel.expressions[choice].operands[0]))
        openWays.push_back({Way::Kind::Choice, choice, taken});
  std::sort(openWays.begin(), openWays.end());
}

void Ways::collect(const Statement &statement, BlockId block) {
  const bool chooses =
      std::holds_alternative<Sync>(statement.action) || std::holds_alternative<Instruction>(statement.action);
  forEachValue(statement, [&](ExpressionId value) {
    collect(value, chooses ? &statement : nullptr, Choice{block, statement.line});
  });
}

void Ways::collect(ExpressionId id, const Statement *statement, const Choice &place) {
  if (id == kNone)
    return;
  const Expression &e = kernel.expressions[id];
  if (e.kind == Expression::Kind::Select) {
    all.emplace(id, place);
    if (statement)
      choosing.insert(statement);
  }
  for (ExpressionId operand : e.operands)
    collect(operand, statement, place);
}

BlockId Ways::blockOf(const Way &way) const {
  return way.kind == Way::Kind::Branch ? way.what : all.at(way.what).block;
}

std::uint32_t Ways::lineOf(const Way &way) const {
  return way.kind == Way::Kind::Branch ? kernel.blocks[way.what].terminator.line : all.at(way.what).line;
}

ExpressionId Ways::conditionOf(const Way &way) const {
  return way.kind == Way::Kind::Branch ? kernel.blocks[way.what].terminator.condition
                                       : kernel.expressions[way.what].operands[0];
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
