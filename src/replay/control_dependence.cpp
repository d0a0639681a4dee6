#include "replay/control_dependence.h"

#include <algorithm>

namespace ptosync::replay {
namespace {

using Graph = std::vector<std::vector<BlockId>>;

/// Reachable from `root`, each behind all that lead to it but round a loop.
std::vector<BlockId> reversePostOrder(const Graph &successors, BlockId root) {
  std::vector<BlockId> order;
  std::vector<bool> seen(successors.size(), false);
  std::vector<std::pair<BlockId, std::size_t>> stack = {{root, 0}};
  seen[root] = true;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == successors[block].size()) {
      order.push_back(block);
      stack.pop_back();
    } else if (BlockId to = successors[block][next++]; !seen[to]) {
      seen[to] = true;
      stack.emplace_back(to, 0);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

/// Immediate dominators, by the usual iteration; the root's own is itself, kNone: not reachable.
std::vector<BlockId> dominatorsOf(const Graph &successors, const Graph &predecessors, BlockId root) {
  const std::vector<BlockId> order = reversePostOrder(successors, root);
  std::vector<std::size_t> place(successors.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i)
    place[order[i]] = i;
  std::vector<BlockId> dominator(successors.size(), kNone);
  dominator[root] = root;
  auto meet = [&](BlockId a, BlockId b) {
    while (a != b)
      (place[a] > place[b] ? a : b) = dominator[place[a] > place[b] ? a : b];
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockId block : order) {
      if (block == root)
        continue;
      BlockId found = kNone;
      for (BlockId from : predecessors[block])
        if (dominator[from] != kNone)
          found = found == kNone ? from : meet(found, from);
      changed |= found != dominator[block];
      dominator[block] = found;
    }
  }
  return dominator;
}

} // namespace

ControlDependence::ControlDependence(const Kernel &kernel)
    : successors(kernel.blocks.size()), predecessors(kernel.blocks.size()), direct(kernel.blocks.size()) {
  const auto end = static_cast<BlockId>(kernel.blocks.size()); // behind every return
  Graph backward(end + 1), forward(end + 1);
  for (BlockId block = 0; block < end; ++block) {
    successors[block] = successorsOf(kernel.blocks[block].terminator);
    forward[block] = successors[block];
    if (kernel.blocks[block].terminator.kind == Terminator::Kind::Return)
      forward[block].push_back(end);
    for (BlockId next : successors[block])
      predecessors[next].push_back(block);
    for (BlockId next : forward[block])
      backward[next].push_back(block);
  }
  if (end == 0)
    return;
  dominator = dominatorsOf(successors, predecessors, 0);
  const std::vector<BlockId> after = dominatorsOf(backward, forward, end);
  for (BlockId block = 0; block < end; ++block) {
    if (kernel.blocks[block].terminator.kind != Terminator::Kind::Branch)
      continue;
    for (BlockId next : successors[block]) {
      BlockId runner = next;
      while (runner != end && runner != after[block] && after[runner] != kNone) {
        direct[block].push_back(runner);
        runner = after[runner];
      }
      if (runner != end && after[runner] == kNone) // on the way into a loop without an end
        for (BlockId inside : reversePostOrder(successors, runner))
          direct[block].push_back(inside);
    }
  }
}

std::vector<bool> ControlDependence::below(BlockId block) const {
  std::vector<bool> found(successors.size(), false);
  std::vector<BlockId> open = {block};
  std::vector<bool> asked(successors.size(), false);
  while (!open.empty()) {
    const BlockId branch = open.back();
    open.pop_back();
    if (asked[branch])
      continue;
    asked[branch] = true;
    for (BlockId dependent : direct[branch]) {
      found[dependent] = true;
      open.push_back(dependent);
    }
  }
  return found;
}

bool ControlDependence::dominates(BlockId above, BlockId block) const {
  while (block != above && dominator[block] != block && dominator[block] != kNone)
    block = dominator[block];
  return block == above;
}

std::vector<bool> ControlDependence::behind(BlockId block, BlockId next) const {
  std::vector<bool> found(successors.size(), false);
  const bool only = std::count(successors[block].begin(), successors[block].end(), next) == 1 &&
                    std::all_of(predecessors[next].begin(), predecessors[next].end(), [&](BlockId from) {
                      return from == block || (dominator[from] != kNone && dominates(next, from));
                    });
  for (BlockId inside = 0; only && inside < successors.size(); ++inside)
    found[inside] = dominator[inside] != kNone && dominates(next, inside);
  return found;
}

} // namespace ptosync::replay
