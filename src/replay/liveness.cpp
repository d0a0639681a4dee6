#include "replay/liveness.h"

#include <llvm/ADT/BitVector.h>

namespace ptosync::replay {
namespace {

using Set = llvm::BitVector;

/// What a block reads before it writes it, and what it certainly writes.
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

} // namespace ptosync::replay
