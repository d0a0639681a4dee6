#include "pipeline/library_check.h"

#include "frontend/library/library_text.h"

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
  std::vector<std::string> instructions = machine.instructions().names();
  InstructionHashes given = instructionHashes(*text, instructions);
  LibraryComparison compared = compareVersions(*versions, machine.library(), machine.arch(), given);
  LibraryCheck check{directory,
                     machine.library(),
                     !compared.versions.empty(),
                     std::move(compared.versions),
                     std::move(compared.matches),
                     {}};
  if (!check.known) // nothing is proved
    for (const std::string &name : instructions)
      check.matches[name] = given.count(name) ? LibraryMatch::Changed : LibraryMatch::Absent;
  return check;
}

std::string describeLibraryCheck(const LibraryCheck &check) {
  if (!check.known)
    return "no hashes of " + check.library + " are known: nothing inside its calls is relied on";
  std::string changed, absent, all;
  for (const auto &[name, match] : check.matches)
    if (match != LibraryMatch::Same)
      (match == LibraryMatch::Changed ? changed : absent) += " " + name;
  if (changed.empty() && absent.empty()) {
    const std::string version = describeVersions(check.versions);
    return "the same as " + version +
           (version == check.library ? "" : ", for which the facts made from " + check.library + " hold");
  }
  for (const VersionMatch &version : check.versions)
    all += (all.empty() ? "" : " and ") + version.library;
  return (changed.empty() ? "" : "changed since " + all + ":" + changed) +
         (changed.empty() || absent.empty() ? "" : "; ") + (absent.empty() ? "" : "absent:" + absent);
}

ProvedMachine provedMachine(Machine machine, const std::string &directory) {
  if (directory.empty())
    return {std::move(machine), std::nullopt};
  llvm::Expected<LibraryCheck> check = checkLibrary(directory, machine);
  if (!check) {
    // Headers of some other kind: a kernel is parsed against them, but no phase is proved by them.
    llvm::consumeError(check.takeError());
    check = LibraryCheck{directory, machine.library(), false, {}, {}, {}};
    for (const std::string &name : machine.instructions().names())
      check->matches[name] = LibraryMatch::Absent;
  }
  for (const std::string &name : check->unproved())
    for (const InstructionForm &form : machine.instruction(name)->forms)
      if (!form.library.empty())
        check->phasesLost.insert(name);
  return {machine.withoutPhases(check->phasesLost), std::move(*check)};
}

LibraryUse describeLibraryUse(const Module &module, const Machine &machine, Trust trust,
                              const std::optional<LibraryCheck> &check, const std::set<std::uint32_t> &reliedOn) {
  LibraryUse use;
  use.library = machine.library();
  use.counted = countedCalls(module, machine, trust, reliedOn);
  if (!check)
    return use;
  use.directory = check->directory;
  std::set<std::string> unproved = check->unproved();
  use.standing = unproved.empty() ? LibraryStanding::Same : LibraryStanding::Differs;
  if (unproved.empty())
    use.sameAs = describeVersions(check->versions);
  for (LibraryUse::Calls &calls : callsOf(module, unproved))
    use.unproved.push_back({calls.name, std::move(calls.lines), check->matches.at(calls.name) == LibraryMatch::Absent,
                            check->phasesLost.count(calls.name) != 0});
  return use;
}

} // namespace ptosync
