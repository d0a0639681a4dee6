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

const InstructionFacts *Machine::instruction(std::string_view name) const { return instructionTable.find(name); }

const MachineRule *Machine::rule(std::string_view id) const {
  for (const MachineRule &rule : ruleTable)
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

std::vector<std::int64_t> Machine::eventIds(std::int64_t id) const {
  auto ids = static_cast<std::int64_t>(flagIdCount);
  std::int64_t low = ((id % ids) + ids) % ids;
  if (folding == IdFolding::None || low == id)
    return {id};
  return folding == IdFolding::Folds ? std::vector<std::int64_t>{low} : std::vector<std::int64_t>{id, low};
}

std::set<std::pair<Pipe, Pipe>> Machine::insideFlags(std::string_view name) const {
  std::set<std::pair<Pipe, Pipe>> pairs;
  if (const InstructionFacts *facts = instruction(name))
    for (const InstructionForm &form : facts->forms)
      for (const HiddenFlag &flag : form.flags)
        pairs.insert({flag.source, flag.destination});
  return pairs;
}

Machine Machine::withoutPhases(const std::set<std::string> &instructions) const {
  Machine machine = *this;
  for (const std::string &name : instructions)
    if (const InstructionFacts *known = instruction(name)) {
      InstructionFacts facts = *known;
      for (InstructionForm &form : facts.forms) {
        form.library.clear();
        form.libraryUnless.clear();
      }
      machine.instructionTable.set(name, std::move(facts));
    }
  return machine;
}

Machine Machine::sharingAsIn(const Machine &other) const {
  Machine machine = *this;
  for (MemorySpace &space : machine.memorySpaces) {
    std::optional<std::size_t> same = other.spaceByName(space.name);
    space.sharedBetweenCores = space.sharedBetweenCores || !same || other.memorySpaces[*same].sharedBetweenCores;
  }
  machine.largestTensorBytes = std::min(machine.largestTensorBytes, other.largestTensorBytes);
  std::erase_if(machine.knownNumbers, [&](const Assumption &one) {
    return std::none_of(other.knownNumbers.begin(), other.knownNumbers.end(),
                        [&](const Assumption &known) { return known.text == one.text; });
  });
  return machine;
}

Machine Machine::withEndlessIds() const {
  Machine machine = *this;
  machine.folding = IdFolding::None;
  return machine;
}

bool Machine::barrierContested(Section section, Pipe pipe) const {
  return std::any_of(legalBarriers.begin(), legalBarriers.end(), [&](const auto &entry) {
    const std::vector<Pipe> &pipes = entry.second.contested;
    return (section == Section::Both || entry.first == sectionName(section)) &&
           std::find(pipes.begin(), pipes.end(), pipe) != pipes.end();
  });
}

bool Machine::barrierLegal(Section section, Pipe pipe) const { return allows(legalBarriers, section, pipe); }
Grade Machine::barrierGrade(Section section) const { return gradeOf(legalBarriers, section); }
bool Machine::hasPipe(Section section, Pipe pipe) const { return allows(corePipes, section, pipe); }
Grade Machine::pipeGrade(Section section) const { return gradeOf(corePipes, section); }

InstructionTable::Entry::Entry(InstructionFacts given) : known(true), facts(std::move(given)) {}

const InstructionFacts *InstructionTable::Entry::read(std::string_view name) {
  if (!known.load(std::memory_order_acquire)) {
    std::lock_guard<std::mutex> lock(reading);
    if (!known.load(std::memory_order_relaxed)) {
      facts = reader(name, text);
      known.store(true, std::memory_order_release);
    }
  }
  return facts ? &*facts : nullptr;
}

void InstructionTable::set(std::string_view name, InstructionFacts facts) {
  entries.insert_or_assign(std::string(name), std::make_shared<Entry>(std::move(facts)));
}

void InstructionTable::setText(std::string_view name, std::string_view text, Reader reader) {
  entries.insert_or_assign(std::string(name), std::make_shared<Entry>(text, reader));
}

const InstructionFacts *InstructionTable::find(std::string_view name) const {
  auto found = entries.find(name);
  return found == entries.end() ? nullptr : found->second->read(found->first);
}

bool InstructionTable::mayMention(std::string_view name, std::string_view word) const {
  auto found = entries.find(name);
  return found != entries.end() && found->second->mayMention(word);
}

std::vector<std::string> InstructionTable::names() const {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto &[name, entry] : entries)
    names.push_back(name);
  return names;
}

} // namespace ptosync
