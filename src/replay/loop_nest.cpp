#include "replay/loop_nest.h"

#include <algorithm>

namespace ptosync::replay {

std::vector<BlockId> successorsOf(const Terminator &terminator) {
  switch (terminator.kind) {
  case Terminator::Kind::Jump: return {terminator.whenTrue};
  case Terminator::Kind::Branch: return {terminator.whenTrue, terminator.whenFalse};
  case Terminator::Kind::Return: break;
  }
  return {};
}

namespace {

std::uint32_t lineOf(const Block &block) {
  if (block.terminator.line)
    return block.terminator.line;
  return block.statements.empty() ? 0 : block.statements.front().line;
}

/// Positions in reverse post-order of a depth-first walk from block 0; kNone where it never gets.
std::vector<std::uint32_t> reversePostOrder(const std::vector<std::vector<BlockId>> &successors) {
  std::vector<std::uint32_t> order(successors.size(), kNone);
  std::vector<bool> seen(successors.size(), false);
  std::vector<std::pair<BlockId, std::size_t>> stack;
  std::vector<BlockId> finished;
  if (!successors.empty()) {
    stack.emplace_back(0, 0);
    seen[0] = true;
  }
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == successors[block].size()) {
      finished.push_back(block);
      stack.pop_back();
      continue;
    }
    BlockId to = successors[block][next++];
    if (!seen[to]) {
      seen[to] = true;
      stack.emplace_back(to, 0);
    }
  }
  for (std::size_t i = 0; i < finished.size(); ++i)
    order[finished[finished.size() - 1 - i]] = static_cast<std::uint32_t>(i);
  return order;
}

/// Tarjan's strongly connected components of the subgraph, without recursion.
class Components {
public:
  Components(const std::vector<std::vector<BlockId>> &successors, const std::vector<BlockId> &blocks,
             BlockId withoutEdgesTo)
      : successors(successors), cut(withoutEdgesTo), number(successors.size(), kNone), low(successors.size(), 0),
        inside(successors.size(), false), onStack(successors.size(), false) {
    for (BlockId block : blocks)
      inside[block] = true;
    for (BlockId block : blocks)
      if (number[block] == kNone)
        visit(block);
  }
  std::vector<std::vector<BlockId>> found;

private:
  void visit(BlockId root) {
    std::vector<std::pair<BlockId, std::size_t>> walk;
    auto enter = [&](BlockId block) {
      number[block] = low[block] = next++;
      stack.push_back(block);
      onStack[block] = true;
      walk.emplace_back(block, 0);
    };
    enter(root);
    while (!walk.empty()) {
      BlockId block = walk.back().first;
      if (walk.back().second < successors[block].size()) {
        BlockId to = successors[block][walk.back().second++];
        if (!inside[to] || to == cut)
          continue;
        if (number[to] == kNone)
          enter(to);
        else if (onStack[to])
          low[block] = std::min(low[block], number[to]);
        continue;
      }
      walk.pop_back();
      if (!walk.empty())
        low[walk.back().first] = std::min(low[walk.back().first], low[block]);
      if (low[block] == number[block])
        close(block);
    }
  }
  void close(BlockId block) {
    std::vector<BlockId> component;
    BlockId member;
    do {
      member = stack.back();
      stack.pop_back();
      onStack[member] = false;
      component.push_back(member);
    } while (member != block);
    std::sort(component.begin(), component.end());
    found.push_back(std::move(component));
  }

  const std::vector<std::vector<BlockId>> &successors;
  BlockId cut;
  std::vector<std::uint32_t> number, low;
  std::vector<bool> inside, onStack;
  std::vector<BlockId> stack;
  std::uint32_t next = 0;
};

} // namespace

LoopNest::LoopNest(const Kernel &kernel) : owner(kernel.blocks.size(), kNone), chains(kernel.blocks.size()) {
  for (const Block &block : kernel.blocks)
    successors.push_back(successorsOf(block.terminator));
  order = reversePostOrder(successors);
  std::vector<BlockId> reachable;
  for (BlockId block = 0; block < kernel.blocks.size(); ++block)
    if (order[block] != kNone)
      reachable.push_back(block);
  decompose(reachable, kNone);
  for (Loop &loop : all) {
    loop.line = lineOf(kernel.blocks[loop.header]);
    for (BlockId block : loop.blocks)
      owner[block] = static_cast<LoopId>(&loop - all.data()); // inner loops come later
  }
  for (BlockId block = 0; block < kernel.blocks.size(); ++block) {
    for (LoopId loop = owner[block]; loop != kNone; loop = all[loop].parent)
      chains[block].push_back(loop);
    std::reverse(chains[block].begin(), chains[block].end());
  }
}

bool LoopNest::contains(LoopId loop, BlockId block) const {
  const std::vector<LoopId> &chain = chains[block];
  return std::find(chain.begin(), chain.end(), loop) != chain.end();
}

void LoopNest::decompose(const std::vector<BlockId> &blocks, LoopId parent) {
  BlockId cut = parent == kNone ? kNone : all[parent].header;
  for (const std::vector<BlockId> &component : components(blocks, cut)) {
    BlockId first = component.front();
    const std::vector<BlockId> &next = successors[first];
    bool cycle = component.size() > 1 || (first != cut && std::find(next.begin(), next.end(), first) != next.end());
    if (!cycle)
      continue;
    Loop loop;
    loop.blocks = component;
    loop.parent = parent;
    loop.depth = parent == kNone ? 0 : all[parent].depth + 1;
    loop.header = *std::min_element(component.begin(), component.end(),
                                    [&](BlockId a, BlockId b) { return order[a] < order[b]; });
    all.push_back(std::move(loop));
    decompose(component, static_cast<LoopId>(all.size() - 1));
  }
}

std::vector<std::vector<BlockId>> LoopNest::components(const std::vector<BlockId> &blocks,
                                                       BlockId withoutEdgesTo) const {
  Components found(successors, blocks, withoutEdgesTo);
  return std::move(found.found);
}

} // namespace ptosync::replay
