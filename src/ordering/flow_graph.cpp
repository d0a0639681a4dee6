#include "ordering/flow_graph.h"

#include "base/walk.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ptosync {

FlowGraph::FlowGraph(const Kernel &kernel) {
  computeOrder(kernel);
  computeDominators();
  findLoops();
  nestLoops();
}

void FlowGraph::computeOrder(const Kernel &kernel) {
  std::size_t count = kernel.blocks.size();
  next.resize(count);
  previous.resize(count);
  position.assign(count, kNone);
  for (BlockId block = 0; block < count; ++block) {
    const Terminator &end = kernel.blocks[block].terminator;
    if (end.kind == Terminator::Kind::Return)
      continue;
    next[block].push_back(end.whenTrue);
    if (end.kind == Terminator::Kind::Branch && end.whenFalse != end.whenTrue)
      next[block].push_back(end.whenFalse);
  }
  // Iterative depth-first search: functions of tens of thousands of lines are inputs too.
  std::vector<bool> seen(count, false);
  std::vector<std::pair<BlockId, std::size_t>> stack;
  if (count) {
    stack.emplace_back(0, 0);
    seen[0] = true;
  }
  while (!stack.empty()) {
    auto &[block, child] = stack.back();
    if (child < next[block].size()) {
      // Last successor first, so that reverse post-order keeps text order.
      BlockId target = next[block][next[block].size() - 1 - child++];
      if (!seen[target]) {
        seen[target] = true;
        stack.emplace_back(target, 0);
      }
      continue;
    }
    reversePostOrder.push_back(block);
    stack.pop_back();
  }
  std::reverse(reversePostOrder.begin(), reversePostOrder.end());
  for (std::uint32_t i = 0; i < reversePostOrder.size(); ++i)
    position[reversePostOrder[i]] = i;
  for (BlockId block : reversePostOrder)
    for (BlockId target : next[block])
      previous[target].push_back(block);
}

/// The iterative algorithm of Cooper, Harvey and Kennedy.
void FlowGraph::computeDominators() {
  immediateDominator.assign(next.size(), kNone);
  if (reversePostOrder.empty())
    return;
  immediateDominator[reversePostOrder[0]] = reversePostOrder[0];
  auto intersect = [&](BlockId a, BlockId b) {
    while (a != b) {
      while (position[a] > position[b])
        a = immediateDominator[a];
      while (position[b] > position[a])
        b = immediateDominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 1; i < reversePostOrder.size(); ++i) {
      BlockId block = reversePostOrder[i], dominator = kNone;
      for (BlockId predecessor : previous[block])
        if (immediateDominator[predecessor] != kNone)
          dominator = dominator == kNone ? predecessor : intersect(predecessor, dominator);
      if (immediateDominator[block] != dominator) {
        immediateDominator[block] = dominator;
        changed = true;
      }
    }
  }
}

bool FlowGraph::dominates(BlockId above, BlockId below) const {
  if (position[above] == kNone || position[below] == kNone)
    return false;
  while (position[below] > position[above])
    below = immediateDominator[below];
  return below == above;
}

bool FlowGraph::everyIteration(LoopId loop, BlockId block) const {
  const std::vector<BlockId> &latches = loopList[loop].latches;
  return std::all_of(latches.begin(), latches.end(), [&](BlockId latch) { return dominates(block, latch); });
}

void FlowGraph::findLoops() {
  std::map<BlockId, LoopId> byHeader;
  for (BlockId block : reversePostOrder)
    for (BlockId target : next[block]) {
      if (position[target] > position[block])
        continue;
      if (!dominates(target, block)) {
        isReducible = false;
        continue;
      }
      auto [entry, inserted] = byHeader.try_emplace(target, static_cast<LoopId>(loopList.size()));
      if (inserted) {
        loopList.emplace_back();
        loopList.back().header = target;
      }
      loopList[entry->second].latches.push_back(block);
    }
  for (Loop &loop : loopList) {
    Walk<BlockId> walk; // backwards from the latches, no farther than the header
    walk.close(loop.header);
    for (BlockId latch : loop.latches)
      walk.reach(latch);
    while (std::optional<BlockId> block = walk.next())
      for (BlockId before : previous[*block])
        walk.reach(before);
    for (BlockId block = 0; block < next.size(); ++block)
      if (walk.reached(block))
        loop.blocks.push_back(block);
  }
}

void FlowGraph::nestLoops() {
  innermost.assign(next.size(), kNone);
  // From the largest to the smallest, so that the innermost is written last.
  std::vector<LoopId> bySize(loopList.size());
  for (LoopId i = 0; i < bySize.size(); ++i)
    bySize[i] = i;
  std::stable_sort(bySize.begin(), bySize.end(),
                   [&](LoopId a, LoopId b) { return loopList[a].blocks.size() > loopList[b].blocks.size(); });
  for (LoopId loop : bySize) {
    loopList[loop].parent = innermost[loopList[loop].header];
    loopList[loop].depth = depthOf(loopList[loop].parent) + 1;
    for (BlockId block : loopList[loop].blocks)
      innermost[block] = loop;
  }
}

bool FlowGraph::loopContains(LoopId loop, BlockId block) const { return encloses(loop, innermost[block]); }

bool FlowGraph::encloses(LoopId outer, LoopId inner) const {
  while (inner != kNone && inner != outer)
    inner = loopList[inner].parent;
  return inner == outer;
}

LoopId FlowGraph::commonLoop(LoopId a, LoopId b) const {
  while (a != kNone && !encloses(a, b))
    a = loopList[a].parent;
  return a;
}

namespace {

/// Dominators of a graph whose nodes are numbered in a reverse post-order from its root 0: the iterative algorithm of
/// Cooper, Harvey and Kennedy.
std::vector<std::uint32_t> immediateDominators(const std::vector<std::vector<std::uint32_t>> &predecessors) {
  std::vector<std::uint32_t> immediate(predecessors.size(), kNone);
  immediate[0] = 0;
  auto meet = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b)
      (a > b ? a : b) = immediate[std::max(a, b)];
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t node = 1; node < predecessors.size(); ++node) {
      std::uint32_t dominator = kNone;
      for (std::uint32_t before : predecessors[node])
        if (immediate[before] != kNone)
          dominator = dominator == kNone ? before : meet(before, dominator);
      changed |= std::exchange(immediate[node], dominator) != dominator;
    }
  }
  return immediate;
}

} // namespace

/// In one iteration of the loop, or in the kernel (kNone): an iteration ends where its loop is left or goes round, the
/// kernel where it returns. Computed as dominators of the graph turned round, from its end.
const FlowGraph::PostDominators &FlowGraph::postDominatorsIn(LoopId loop) const {
  auto [found, inserted] = postDominators.try_emplace(loop);
  if (!inserted)
    return found->second;
  constexpr std::uint32_t kEnd = 0;
  auto inside = [&](BlockId block) { return loop == kNone || loopContains(loop, block); };
  auto stays = [&](BlockId target) { return inside(target) && (loop == kNone || target != loopList[loop].header); };
  // Nodes in reverse post-order of the turned graph; blocks from which there is no way to the end have none.
  std::vector<std::uint32_t> nodeOf(next.size(), kNone);
  std::vector<BlockId> blockOf = {kNone}, ends;
  for (BlockId block : reversePostOrder)
    if (inside(block) && (next[block].empty() || !std::all_of(next[block].begin(), next[block].end(), stays)))
      ends.push_back(block);
  std::vector<BlockId> postOrder;
  std::vector<bool> seen(next.size(), false);
  std::vector<std::pair<BlockId, std::size_t>> stack;
  for (BlockId end : ends) {
    if (!seen[end])
      stack.emplace_back(end, 0);
    seen[end] = true;
    while (!stack.empty()) {
      auto &[block, child] = stack.back();
      if (loop != kNone && block == loopList[loop].header)
        child = previous[block].size(); // what leads here is another iteration, or in front of the loop
      if (child == previous[block].size()) {
        postOrder.push_back(block);
        stack.pop_back();
        continue;
      }
      BlockId before = previous[block][child++];
      if (!inside(before) || seen[before])
        continue;
      seen[before] = true;
      stack.emplace_back(before, 0);
    }
  }
  for (auto block = postOrder.rbegin(); block != postOrder.rend(); ++block) {
    nodeOf[*block] = static_cast<std::uint32_t>(blockOf.size());
    blockOf.push_back(*block);
  }
  std::vector<std::vector<std::uint32_t>> followers(blockOf.size()); // in the turned graph: what precedes
  for (std::uint32_t node = 1; node < blockOf.size(); ++node)
    for (BlockId target : next[blockOf[node]])
      if (stays(target) && nodeOf[target] != kNone)
        followers[node].push_back(nodeOf[target]);
  for (BlockId end : ends)
    followers[nodeOf[end]].push_back(kEnd);
  std::vector<std::uint32_t> immediate = immediateDominators(followers);
  found->second.assign(next.size(), kNone);
  for (std::uint32_t node = 1; node < blockOf.size(); ++node)
    if (immediate[node] != kNone && immediate[node] != kEnd)
      found->second[blockOf[node]] = blockOf[immediate[node]];
  return found->second;
}

BlockId FlowGraph::nextEquivalent(BlockId block) const {
  auto [known, inserted] = equivalent.try_emplace(block, kNone);
  if (inserted)
    known->second = findEquivalent(block);
  return known->second;
}

BlockId FlowGraph::findEquivalent(BlockId block) const {
  const PostDominators &behind = postDominatorsIn(innermost[block]);
  // Where a way leads past the block to one that every way from it comes to, a way leads past it to all behind that.
  for (BlockId later = behind[block]; later != kNone && dominates(block, later); later = behind[later])
    if (innermost[later] == innermost[block])
      return later;
  return kNone;
}

BlockId FlowGraph::previousEquivalent(BlockId block) const {
  for (BlockId above = block; above != reversePostOrder.front();) {
    above = immediateDominator[above];
    if (innermost[above] == innermost[block] && nextEquivalent(above) == block)
      return above;
  }
  return kNone;
}

LoopId FlowGraph::backEdge(BlockId from, BlockId to) const {
  if (position[to] > position[from])
    return kNone;
  for (LoopId loop = innermost[from]; loop != kNone; loop = loopList[loop].parent)
    if (loopList[loop].header == to)
      return loop;
  return kNone;
}

bool FlowGraph::reaches(BlockId from, BlockId to) const {
  if (!reach)
    reach = std::make_shared<const Reachability>(*this);
  return reach->reaches(from, to);
}

Reachability::Reachability(const FlowGraph &graph, LoopId within) {
  std::vector<BlockId> backwards(graph.order().rbegin(), graph.order().rend());
  std::uint32_t count = 0;
  for (BlockId block : backwards)
    count = std::max(count, block + 1);
  rows.assign(count, BitSet(count));
  Worklist work(backwards);
  for (BlockId block : backwards)
    work.add(block);
  while (std::optional<BlockId> next = work.next())
    for (BlockId block : graph.predecessors(*next)) {
      LoopId round = graph.backEdge(block, *next);
      if (!graph.reachable(block) || (round != kNone && within != kNone && graph.encloses(round, within)))
        continue;
      BitSet reached = rows[*next];
      reached.insert(*next);
      if (rows[block].unite(reached))
        work.add(block);
    }
}

} // namespace ptosync
