#include "replay/run/control_flow.h"

#include <llvm/ADT/BitVector.h>

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

using Graph = std::vector<std::vector<BlockId>>;

/// Returns the blocks that some path from `root` leads to, each behind all that lead to it but round a loop.
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

std::uint32_t lineOf(const Block &block) {
  if (block.terminator.line)
    return block.terminator.line;
  return block.statements.empty() ? 0 : block.statements.front().line;
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
  order.assign(kernel.blocks.size(), kNone);
  if (!kernel.blocks.empty()) {
    const std::vector<BlockId> inOrder = reversePostOrder(successors, 0);
    for (std::size_t i = 0; i < inOrder.size(); ++i)
      order[inOrder[i]] = static_cast<std::uint32_t>(i);
  }
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

namespace {

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
  numberDominated();
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

void ControlDependence::numberDominated() {
  std::vector<std::vector<BlockId>> below(dominator.size());
  for (BlockId block = 0; block < dominator.size(); ++block)
    if (dominator[block] != kNone && dominator[block] != block)
      below[dominator[block]].push_back(block);
  entered.assign(dominator.size(), 0);
  left.assign(dominator.size(), 0);
  std::size_t next = 0;
  std::vector<std::pair<BlockId, std::size_t>> open = {{0, 0}}; // a block, and how many of those below were entered
  while (!open.empty()) {
    auto &[block, done] = open.back();
    if (done == 0)
      entered[block] = next++;
    if (done == below[block].size()) {
      left[block] = next;
      open.pop_back();
    } else {
      open.push_back({below[block][done++], 0});
    }
  }
}

bool ControlDependence::dominates(BlockId above, BlockId block) const {
  return entered[above] <= entered[block] && entered[block] < left[above];
}

bool ControlDependence::isBehind(BlockId block, BlockId next, BlockId inside) const {
  auto comesBack = [&](BlockId from) { return from == block || (dominator[from] != kNone && dominates(next, from)); };
  return dominator[inside] != kNone && dominates(next, inside) &&
         std::count(successors[block].begin(), successors[block].end(), next) == 1 &&
         std::all_of(predecessors[next].begin(), predecessors[next].end(), comesBack);
}

namespace {

using Set = llvm::BitVector;

/// Variables that a block reads before it writes them, and those that it certainly writes, or may write.
struct BlockUse {
  Set reads, writes, mayWrite;
};

class UseCollector {
public:
  explicit UseCollector(const Kernel &kernel) : kernel(kernel) {}

  BlockUse collect(const Block &block) {
    auto size = static_cast<unsigned>(kernel.variables.size());
    use = {Set(size), Set(size), Set(size)};
    for (const Statement &statement : block.statements)
      std::visit([&](const auto &action) { add(action); }, statement.action);
    if (block.terminator.kind == Terminator::Kind::Branch)
      expression(block.terminator.condition);
    return std::move(use);
  }

private:
  void read(VariableId variable) {
    if (variable != kNone && !use.writes.test(variable))
      use.reads.set(variable);
  }
  void write(VariableId variable) {
    if (variable == kNone)
      return;
    use.writes.set(variable);
    use.mayWrite.set(variable);
  }
  void expression(ExpressionId id) {
    if (id == kNone)
      return;
    const Expression &e = kernel.expressions[id];
    if (e.kind == Expression::Kind::Variable)
      read(e.variable);
    if (e.kind == Expression::Kind::ArrayElement)
      for (std::uint32_t i = 0; i < e.count; ++i)
        read(e.variable + i);
    for (ExpressionId operand : e.operands)
      expression(operand);
  }
  void add(const Assign &assign) {
    expression(assign.value);
    write(assign.variable);
  }
  void add(const ArrayStore &store) {
    expression(store.index);
    expression(store.value);
    for (std::uint32_t i = 0; i < store.count; ++i)
      use.mayWrite.set(store.first + i);
  }
  void add(const Sync &sync) { expression(sync.event); }
  void add(const Instruction &instruction) {
    for (const Operand &operand : instruction.operands) {
      expression(operand.value);
      if (operand.kind == Operand::Kind::Tile)
        tile(kernel.tiles[operand.index]);
      if (operand.kind == Operand::Kind::Tensor)
        tensor(kernel.tensors[operand.index]);
      if (operand.kind == Operand::Kind::Fifo)
        fifo(kernel.fifos[operand.index]);
    }
    for (VariableId result : instruction.results)
      write(result);
  }
  /// An operand object may also be placed by the call.
  void touch(VariableId variable) {
    read(variable);
    if (variable != kNone)
      use.mayWrite.set(variable);
  }
  void tile(const Tile &tile) {
    touch(tile.address);
    if (tile.staticValidRows < 0)
      read(tile.validRows);
    if (tile.staticValidCols < 0)
      read(tile.validCols);
  }
  void tensor(const Tensor &tensor) {
    touch(tensor.pointer);
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      if (tensor.shape[i] < 0)
        read(tensor.shapeVariables[i]);
      if (tensor.stride[i] < 0)
        read(tensor.strideVariables[i]);
    }
  }
  void fifo(const Fifo &fifo) {
    for (VariableId variable : {fifo.memory, fifo.cubeToVec, fifo.vecToCube})
      read(variable);
    touch(fifo.pops);
  }

  const Kernel &kernel;
  BlockUse use;
};

} // namespace

std::vector<std::vector<VariableId>> carriedVariables(const Kernel &kernel, const LoopNest &nest) {
  std::vector<BlockUse> uses;
  uses.reserve(kernel.blocks.size());
  UseCollector collector(kernel);
  for (const Block &block : kernel.blocks)
    uses.push_back(collector.collect(block));
  std::vector<Set> liveIn(kernel.blocks.size(), Set(static_cast<unsigned>(kernel.variables.size())));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t block = kernel.blocks.size(); block-- > 0;) {
      Set live(static_cast<unsigned>(kernel.variables.size()));
      for (BlockId next : successorsOf(kernel.blocks[block].terminator))
        live |= liveIn[next];
      live.reset(uses[block].writes);
      live |= uses[block].reads;
      if (live == liveIn[block])
        continue;
      liveIn[block] = std::move(live);
      changed = true;
    }
  }
  std::vector<std::vector<VariableId>> carried;
  for (const Loop &loop : nest.loops()) {
    Set written(static_cast<unsigned>(kernel.variables.size()));
    for (BlockId block : loop.blocks)
      written |= uses[block].mayWrite;
    written &= liveIn[loop.header];
    std::vector<VariableId> variables;
    for (unsigned variable : written.set_bits())
      variables.push_back(variable);
    carried.push_back(std::move(variables));
  }
  return carried;
}

void BackwardFlow::add(VariableId variable) {
  if (variable == kNone || reached[variable])
    return;
  reached[variable] = true;
  changed = true;
}

void BackwardFlow::addValue(ExpressionId id) {
  if (id == kNone)
    return;
  const Expression &e = kernel.expressions[id];
  switch (e.kind) {
  case Expression::Kind::Parameter:
  case Expression::Kind::Query:
  case Expression::Kind::Opaque: ends.insert(id); break;
  case Expression::Kind::Variable: add(e.variable); break;
  case Expression::Kind::ArrayElement:
    for (std::uint32_t i = 0; i < e.count; ++i)
      add(e.variable + i);
    break;
  default: break;
  }
  for (ExpressionId operand : e.operands)
    addValue(operand);
}

void BackwardFlow::addBranches() {
  for (const Block &block : kernel.blocks)
    if (block.terminator.kind == Terminator::Kind::Branch)
      addValue(block.terminator.condition);
}

void BackwardFlow::addSizes() {
  for (const Tensor &tensor : kernel.tensors)
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      add(tensor.shapeVariables[d]);
      add(tensor.strideVariables[d]);
    }
  for (const Tile &tile : kernel.tiles) {
    add(tile.validRows);
    add(tile.validCols);
  }
  for (const Fifo &fifo : kernel.fifos)
    for (VariableId variable : {fifo.cubeToVec, fifo.vecToCube, fifo.pops})
      add(variable);
}

void BackwardFlow::spread() {
  while (changed) {
    changed = false;
    for (const Block &block : kernel.blocks)
      for (const Statement &statement : block.statements)
        forEachAssignment(statement, [&](VariableId variable, ExpressionId value, ExpressionId index) {
          if (!reached[variable])
            return;
          addValue(value);
          addValue(index);
        });
  }
}

std::set<std::uint32_t> BackwardFlow::arguments() const {
  std::set<std::uint32_t> numbers;
  for (ExpressionId id : ends)
    if (const Expression &e = kernel.expressions[id]; e.kind == Expression::Kind::Parameter)
      numbers.insert(static_cast<std::uint32_t>(e.constant));
  return numbers;
}

/// The conditions of the choices in an expression.
static void addChoices(const Kernel &kernel, ExpressionId id, BackwardFlow &flow) {
  if (id == kNone)
    return;
  const Expression &e = kernel.expressions[id];
  if (e.kind == Expression::Kind::Select)
    flow.addValue(e.operands[0]);
  for (ExpressionId operand : e.operands)
    addChoices(kernel, operand, flow);
}

std::vector<bool> relevantVariables(const Kernel &kernel, Matters matters) {
  if (matters == Matters::Everything)
    return std::vector<bool>(kernel.variables.size(), true);
  BackwardFlow flow(kernel);
  flow.addBranches();
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements) {
      if (matters == Matters::Choices)
        forEachValue(statement, [&](ExpressionId value) { addChoices(kernel, value, flow); });
      if (const auto *sync = std::get_if<Sync>(&statement.action); sync && matters == Matters::ButGlobalMemory)
        flow.addValue(sync->event);
    }
  if (matters == Matters::ButGlobalMemory) {
    flow.addSizes();
    for (const Tile &tile : kernel.tiles)
      flow.add(tile.address);
  }
  flow.spread();
  return flow.variables();
}

} // namespace ptosync::replay
