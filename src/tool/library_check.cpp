#include "tool/library_check.h"

#include "frontend/library_text.h"

#include <vector>

namespace ptosync {

std::set<std::string> LibraryCheck::unproved() const {
  std::set<std::string> names;
  for (const auto &[name, match] : matches)
    if (match != LibraryMatch::Same)
      names.insert(name);
  return names;
}

llvm::Expected<LibraryCheck> checkLibrary(const std::string &directory, const Machine &machine) {
  llvm::Expected<std::vector<LibraryVersion>> versions = knownLibraryVersions();
  if (!versions)
    return versions.takeError();
  llvm::Expected<LibraryText> text = readLibraryText(directory, machine.arch());
  if (!text)
    return text.takeError();
  std::vector<std::string> instructions;
  for (const auto &[name, facts] : machine.instructions())
    instructions.push_back(name);
  LibraryCheck check{directory, machine.library(), false, {}};
  InstructionHashes given = instructionHashes(*text, instructions);
  std::vector<InstructionHashes> known;
  for (const LibraryVersion &version : *versions)
    if (version.facts.count(machine.library()) && version.hashes.count(machine.arch()))
      known.push_back(version.hashes.at(machine.arch()));
  check.known = !known.empty();
  check.matches = compareLibrary(known, given);
  if (!check.known) // nothing is proved
    for (const std::string &name : instructions)
      check.matches[name] = given.count(name) ? LibraryMatch::Changed : LibraryMatch::Absent;
  return check;
}

std::string describeLibraryCheck(const LibraryCheck &check) {
  if (!check.known)
    return "no hashes of " + check.library + " are known: nothing inside its calls is relied on";
  std::string changed, absent;
  for (const auto &[name, match] : check.matches)
    if (match != LibraryMatch::Same)
      (match == LibraryMatch::Changed ? changed : absent) += " " + name;
  if (changed.empty() && absent.empty())
    return "the same as " + check.library;
  return (changed.empty() ? "" : "changed since " + check.library + ":" + changed) +
         (changed.empty() || absent.empty() ? "" : "; ") + (absent.empty() ? "" : "absent:" + absent);
}

llvm::Expected<Machine> provedMachine(Machine machine, std::string_view text, const std::string &file,
                                      const std::string &directory) {
  if (directory.empty())
    return machine;
  llvm::Expected<LibraryCheck> check = checkLibrary(directory, machine);
  if (!check) {
    // Headers of some other kind: a kernel is parsed against them, but no phase is proved by them.
    llvm::consumeError(check.takeError());
    check = LibraryCheck{directory, machine.library(), false, {}};
    for (const auto &[name, facts] : machine.instructions())
      check->matches[name] = LibraryMatch::Absent;
  }
  std::set<std::string> unproved = check->unproved();
  if (unproved.empty())
    return machine;
  llvm::Expected<std::string> reduced = withoutPhases(text, file, unproved);
  if (!reduced)
    return reduced.takeError();
  return Machine::parse(*reduced, file);
}

} // namespace ptosync
