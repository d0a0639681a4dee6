// The library of --pto-include against the versions that the model's facts were read from.
#pragma once

#include "machine/library_version.h"
#include "machine/machine.h"
#include "optimize/library_use.h"

#include <llvm/Support/Error.h>

#include <map>
#include <optional>
#include <set>
#include <string>

namespace ptosync {

struct LibraryCheck {
  std::string directory, library;              // library: the version that the model names
  bool known = false;                          // hashes of that version are there
  std::vector<VersionMatch> versions;          // those for which the model's facts hold
  std::map<std::string, LibraryMatch> matches; // by instruction
  std::set<std::string> phasesLost;            // unproved instructions for which the model lists phases
  /// Instructions whose facts are not proved for this library.
  std::set<std::string> unproved() const;
};

/// A model, and how its library compares with the one of --pto-include; empty without one.
struct ProvedMachine {
  Machine machine;
  std::optional<LibraryCheck> check;
};

/// An error if the folder holds no library.
llvm::Expected<LibraryCheck> checkLibrary(const std::string &directory, const Machine &machine);

/// One line: "the same as pto-isa 3186c381 (2026-08-21)", "changed since pto-isa ...: TADD TSUB".
std::string describeLibraryCheck(const LibraryCheck &check);

/// The model with the phases taken out that the library of --pto-include does not prove; as it is without one.
ProvedMachine provedMachine(Machine machine, const std::string &directory);

/// What the reports say about the library. `reliedOn`: lines of calls whose barrier an edit names.
LibraryUse describeLibraryUse(const Module &module, const Machine &machine, Trust trust,
                              const std::optional<LibraryCheck> &check, const std::set<std::uint32_t> &reliedOn = {});

} // namespace ptosync
