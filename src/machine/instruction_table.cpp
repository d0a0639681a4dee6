#include "machine/instruction_table.h"

namespace ptosync {

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

std::vector<std::string> InstructionTable::names() const {
  std::vector<std::string> names;
  for (const auto &[name, entry] : entries)
    names.push_back(name);
  return names;
}

} // namespace ptosync
