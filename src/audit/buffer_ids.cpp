#include "audit/buffer_ids.h"

namespace ptosync {

std::optional<BufferIdUse> bufferIdUse(const Kernel &kernel, const Machine &machine) {
  std::optional<BufferIdUse> first;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements) {
      const auto *instruction = std::get_if<Instruction>(&statement.action);
      const InstructionFacts *facts = instruction ? machine.instruction(instruction->name) : nullptr;
      if (facts && facts->is("buffer-id") && (!first || statement.line < first->line))
        first = BufferIdUse{statement.line, "it orders its work by buffer ids (" + instruction->name +
                                                "), and what those order is not modelled"};
    }
  return first;
}

} // namespace ptosync
