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

bool Machine::allows(const PipesBySection &table, Section section, Pipe pipe) {
  auto allowed = [&](const char *name) {
    auto found = table.find(name);
    return found == table.end() ||
           std::find(found->second.pipes.begin(), found->second.pipes.end(), pipe) != found->second.pipes.end();
  };
  if (section == Section::Both)
    return allowed("cube") || allowed("vec");
  return allowed(section == Section::Cube ? "cube" : "vec");
}

Grade Machine::gradeOf(const PipesBySection &table, Section section) {
  Grade worst = Grade::A;
  for (const auto &[name, pipes] : table)
    if (section == Section::Both || name == sectionName(section))
      worst = std::max(worst, pipes.grade);
  return table.empty() ? Grade::D : worst;
}

bool Machine::barrierLegal(Section section, Pipe pipe) const { return allows(legalBarriers, section, pipe); }
Grade Machine::barrierGrade(Section section) const { return gradeOf(legalBarriers, section); }
bool Machine::hasPipe(Section section, Pipe pipe) const { return allows(corePipes, section, pipe); }
Grade Machine::pipeGrade(Section section) const { return gradeOf(corePipes, section); }

} // namespace ptosync
