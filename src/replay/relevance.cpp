#include "replay/relevance.h"

namespace ptosync::replay {
namespace {

class Relevance {
public:
  explicit Relevance(const Kernel &kernel) : kernel(kernel), relevant(kernel.variables.size(), false) {}

  std::vector<bool> find(Matters matters) {
    for (const Block &block : kernel.blocks) {
      if (block.terminator.kind == Terminator::Kind::Branch)
        read(block.terminator.condition);
      for (const Statement &statement : block.statements) {
        if (matters == Matters::Choices)
          forEachValue(statement, [&](ExpressionId value) { readChoices(value); });
        if (const auto *sync = std::get_if<Sync>(&statement.action); sync && matters == Matters::ButGlobalMemory)
          read(sync->event);
      }
    }
    if (matters == Matters::ButGlobalMemory)
      addSizesAndPlaces();
    spread();
    return std::move(relevant);
  }

private:
  void add(VariableId variable) {
    if (variable == kNone || relevant[variable])
      return;
    relevant[variable] = true;
    changed = true;
  }
  void read(ExpressionId id) {
    forEachVariable(kernel.expressions, id, [&](VariableId variable) { add(variable); });
  }

  void readChoices(ExpressionId id) {
    if (id == kNone)
      return;
    const Expression &e = kernel.expressions[id];
    if (e.kind == Expression::Kind::Select)
      read(e.operands[0]);
    for (ExpressionId operand : e.operands)
      readChoices(operand);
  }

  void addSizesAndPlaces() {
    for (const Tile &tile : kernel.tiles)
      for (VariableId variable : {tile.address, tile.validRows, tile.validCols})
        add(variable);
    for (const Tensor &tensor : kernel.tensors)
      for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
        add(tensor.shapeVariables[d]);
        add(tensor.strideVariables[d]);
      }
    for (const Fifo &fifo : kernel.fifos)
      for (VariableId variable : {fifo.cubeToVec, fifo.vecToCube, fifo.pops})
        add(variable);
  }

  void spread() {
    while (changed) {
      changed = false;
      for (const Block &block : kernel.blocks)
        for (const Statement &statement : block.statements)
          forEachAssignment(statement, [&](VariableId variable, ExpressionId value, ExpressionId index) {
            if (!relevant[variable])
              return;
            read(value);
            read(index);
          });
    }
  }

  const Kernel &kernel;
  std::vector<bool> relevant;
  bool changed = false;
};

} // namespace

std::vector<bool> relevantVariables(const Kernel &kernel, Matters matters) {
  return matters == Matters::Everything ? std::vector<bool>(kernel.variables.size(), true)
                                        : Relevance(kernel).find(matters);
}

} // namespace ptosync::replay
