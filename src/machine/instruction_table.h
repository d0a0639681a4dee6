// Holds the instructions of a machine by name. Each is read from its text when it is first asked for.
//
// A kernel calls some ten of the two hundred that an architecture has, and every run pays for what is read. Copies
// share what was read; it may be asked from several threads. Whether every built-in text can be read is for the tests
// to say: one that cannot be is an instruction the model does not know, which is the cautious answer. Tested by
// tests/machine/instruction_table_test.cpp.
#pragma once

#include "machine/instruction_facts.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

class InstructionTable {
public:
  /// Reads the facts of an instruction from its text; empty if they can't be read.
  using Reader = std::optional<InstructionFacts> (*)(std::string_view name, std::string_view text);

  /// Sets the facts of an instruction, in the place of those that were there.
  void set(std::string_view name, InstructionFacts facts);
  /// Sets the text of an instruction, which `reader` reads when the instruction is first asked for. The text must
  /// outlive the table and its copies.
  void setText(std::string_view name, std::string_view text, Reader reader);

  /// Returns the facts of an instruction, or null if it is not known. The pointer is valid as long as any copy of the
  /// table that shares them.
  const InstructionFacts *find(std::string_view name) const;
  bool contains(std::string_view name) const { return entries.count(name) != 0; }
  std::size_t size() const { return entries.size(); }
  /// Returns all names in alphabetical order.
  std::vector<std::string> names() const;

private:
  class Entry {
  public:
    explicit Entry(InstructionFacts facts);
    Entry(std::string_view text, Reader reader) : text(text), reader(reader) {}
    const InstructionFacts *read(std::string_view name);

  private:
    std::string_view text;
    Reader reader = nullptr;
    std::mutex reading;
    std::atomic<bool> known{false};
    std::optional<InstructionFacts> facts;
  };
  std::map<std::string, std::shared_ptr<Entry>, std::less<>> entries;
};

} // namespace ptosync
