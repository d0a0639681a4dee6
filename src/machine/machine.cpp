#include "machine/machine.h"

#include <algorithm>

namespace ptosync {

std::size_t InstructionForm::requiredOperands() const {
  return static_cast<std::size_t>(
      std::count_if(operands.begin(), operands.end(), [](const OperandFact &fact) { return !fact.optional; }));
}

std::optional<std::size_t> Machine::spaceOfTile(std::string_view location) const {
  for (std::size_t i = 0; i < memorySpaces.size(); ++i)
    for (const std::string &tile : memorySpaces[i].tiles)
      if (tile == location)
        return i;
  return std::nullopt;
}

std::optional<std::size_t> Machine::spaceByName(std::string_view name) const {
  for (std::size_t i = 0; i < memorySpaces.size(); ++i)
    if (memorySpaces[i].name == name)
      return i;
  return std::nullopt;
}

const InstructionFacts *Machine::instruction(std::string_view name) const {
  auto found = instructionTable.find(name);
  return found == instructionTable.end() ? nullptr : &found->second;
}

const MachineRule *Machine::rule(std::string_view id) const {
  for (const MachineRule &rule : rules)
    if (rule.id == id)
      return &rule;
  return nullptr;
}

bool Machine::barrierLegal(Section section, Pipe pipe) const {
  auto legal = [&](const char *name) {
    auto found = legalBarriers.find(name);
    return found == legalBarriers.end() ||
           std::find(found->second.begin(), found->second.end(), pipe) != found->second.end();
  };
  if (section == Section::Both)
    return legal("cube") || legal("vec");
  return legal(section == Section::Cube ? "cube" : "vec");
}

} // namespace ptosync
