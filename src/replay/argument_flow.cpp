#include "replay/argument_flow.h"

namespace ptosync::replay {
namespace {

/// Finds the arguments that some expressions and variables depend on.
class ArgumentFlow {
public:
  explicit ArgumentFlow(const Kernel &kernel) : kernel(kernel), reached(kernel.variables.size(), false) {}

  void add(VariableId variable) {
    if (variable == kNone || reached[variable])
      return;
    reached[variable] = true;
    changed = true;
  }

  void addValue(ExpressionId id) {
    if (id == kNone)
      return;
    const Expression &e = kernel.expressions[id];
    if (e.kind == Expression::Kind::Parameter)
      found.insert(static_cast<std::uint32_t>(e.constant));
    if (e.kind == Expression::Kind::Variable)
      add(e.variable);
    if (e.kind == Expression::Kind::ArrayElement)
      for (std::uint32_t i = 0; i < e.count; ++i)
        add(e.variable + i);
    for (ExpressionId operand : e.operands)
      addValue(operand);
  }

  void addBranches() {
    for (const Block &block : kernel.blocks)
      if (block.terminator.kind == Terminator::Kind::Branch)
        addValue(block.terminator.condition);
  }

  std::set<std::uint32_t> run() {
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
    return std::move(found);
  }

private:
  const Kernel &kernel;
  std::vector<bool> reached; // by variable
  std::set<std::uint32_t> found;
  bool changed = false;
};

/// What the values of others are picked by: `a ? b : c`, `a[i]`.
void addPicks(const Kernel &kernel, ArgumentFlow &flow) {
  for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
    if (const Expression &e = kernel.expressions[id];
        e.kind == Expression::Kind::Select || e.kind == Expression::Kind::ArrayElement)
      flow.addValue(e.operands[0]);
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (auto *store = std::get_if<ArrayStore>(&statement.action))
        flow.addValue(store->index);
      else if (auto *sync = std::get_if<Sync>(&statement.action))
        flow.addValue(sync->event);
}

void addSizes(const Kernel &kernel, ArgumentFlow &flow) {
  for (const Tensor &tensor : kernel.tensors)
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      flow.add(tensor.shapeVariables[d]);
      flow.add(tensor.strideVariables[d]);
    }
  for (const Tile &tile : kernel.tiles) {
    flow.add(tile.validRows);
    flow.add(tile.validCols);
  }
  for (const Fifo &fifo : kernel.fifos)
    for (VariableId variable : {fifo.cubeToVec, fifo.vecToCube, fifo.pops})
      flow.add(variable);
}

/// Those that addresses and operands depend on.
std::set<std::uint32_t> addressArguments(const Kernel &kernel) {
  ArgumentFlow flow(kernel);
  for (const Tensor &tensor : kernel.tensors)
    flow.add(tensor.pointer);
  for (const Tile &tile : kernel.tiles)
    flow.add(tile.address);
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (auto *instruction = std::get_if<Instruction>(&statement.action))
        for (const Operand &operand : instruction->operands)
          flow.addValue(operand.value);
  return flow.run();
}

} // namespace

std::set<std::uint32_t> controlArguments(const Kernel &kernel) {
  ArgumentFlow flow(kernel);
  flow.addBranches();
  return flow.run();
}

std::set<std::uint32_t> placeArguments(Subject &subject) {
  const Kernel &kernel = subject.kernel;
  ArgumentFlow flow(kernel);
  flow.addBranches();
  addPicks(kernel, flow);
  addSizes(kernel, flow);
  for (LoopId loop = 0; loop < subject.nest.loops().size(); ++loop)
    for (VariableId variable : subject.carried(loop))
      flow.add(variable);
  const std::set<std::uint32_t> otherwise = flow.run();
  std::set<std::uint32_t> places;
  for (std::uint32_t number : addressArguments(kernel))
    if (!otherwise.count(number) && !subject.facts.pointerArguments.count(number))
      places.insert(number);
  return places;
}

} // namespace ptosync::replay
