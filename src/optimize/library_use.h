// Says what a run took for granted about library calls and about the numbers that a kernel is run with, as data and in
// the words of every report.
#pragma once

#include "machine/machine.h"
#include "optimize/decision.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

// What a run took for granted, for its reports: the inside of library calls, and what is assumed of a kernel's numbers
// (kernel/assumption.h).
//
// At library trust the phases that the machine model lists count for a call; a library that was compared with the one
// the model was read from (--pto-include) takes them away from the instructions whose text differs. This says which
// calls that was, and which removals name a barrier inside one. It decides nothing. Tested by
// tests/optimize/library_use_test.cpp.

/// How the library that the kernel is built with compares with the one that the model was read from.
enum class LibraryStanding : std::uint8_t {
  NotChecked, // none was given
  Same,       // every instruction has the same text as in a version for which the model's facts hold
  Differs,    // some have not, or the folder holds no such library
};

struct LibraryUse {
  struct Calls {
    std::string name;
    std::vector<std::uint32_t> lines;    // of all its calls, ascending
    std::vector<std::uint32_t> reliedOn; // of those whose barrier a removal or a move names
  };
  struct Unproved {
    std::string name;
    std::vector<std::uint32_t> lines;
    bool absent = false;     // otherwise the text differs
    bool insideLost = false; // it had phases, which do not count now
  };
  std::string library, directory; // directory: of --pto-include; empty without
  std::string sameAs;             // where the standing is Same: the version, or the versions, that it is the same as
  LibraryStanding standing = LibraryStanding::NotChecked;
  std::vector<Calls> counted;       // by name: calls whose inside counts at the trust level of the run
  std::vector<Unproved> unproved;   // by name: called instructions whose facts are not proved for this library
  std::vector<std::string> assumed; // "v6 >= 0 (line 12)": by kernel in their order, each once
  /// Returns true if a report has something to say of the library.
  bool worthSaying() const { return standing != LibraryStanding::NotChecked || !counted.empty(); }
};

/// Lines of the calls whose barrier a removal or a move names.
std::set<std::uint32_t> linesReliedOn(const OptimizeResult &result);

/// `counted` and its lines. `trust` is that of the run; `reliedOn` is empty where nothing was removed.
std::vector<LibraryUse::Calls> countedCalls(const Module &module, const Machine &machine, Trust trust,
                                            const std::set<std::uint32_t> &reliedOn);

/// What is assumed of the numbers of all kernels that are analysed: LibraryUse::assumed.
std::vector<std::string> assumedOf(const Module &module);

/// "assumed, and not proved: v6 >= 0 (line 12)", for the header of a report.
std::string assumedLine(const std::string &assumed);

/// Lines of the calls of each of `names`, by name; names that are not called are left out.
std::vector<LibraryUse::Calls> callsOf(const Module &module, const std::set<std::string> &names);

// Prints what a run took for granted about the inside of library calls (optimize/library_use.h), in the words of every
// report.
//
// Text for people, one fact a line, and the object `libraryUse` of the JSON forms. Tested by
// tests/optimize/library_use_test.cpp.

struct LibraryLines {
  std::string standing;           // how the library compares; empty if there is nothing to say
  std::vector<std::string> calls; // which calls' inside counted, and which calls' facts are not proved
};
LibraryLines libraryLines(const LibraryUse &use);

/// Returns parts of a text report with their headings; empty if there is nothing to say.
std::string libraryPart(const LibraryUse &use);

nlohmann::ordered_json libraryUseJson(const LibraryUse &use);

} // namespace ptosync
