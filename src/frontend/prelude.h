// Declarations of the PTO API, held in memory, against which kernels are parsed.
//
// The vendor's headers and compiler are normally absent where this tool runs. The prelude
// declares just the types an emitted kernel names (Tile, GlobalTensor, TPipe, ...), and one
// declaration per instruction name that the file mentions; instructions take anything and
// return anything, because what they mean comes from the machine model, not from C++.
// Names and enumerators that turn out to be missing are declared on the fly (`Additions`).
// Tested by tests/frontend/prelude_test.cpp.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ptosync {

/// What a first parse found missing.
struct PreludeAdditions {
  std::set<std::string> functions;                         // unqualified
  std::set<std::string> commFunctions;                     // in pto::comm
  std::map<std::string, std::set<std::string>> enumerators; // by unqualified enum name
  std::set<std::string> headers;                           // "pto/...": served empty
  bool empty() const { return functions.empty() && commFunctions.empty() && enumerators.empty() && headers.empty(); }
};

/// The text of "pto/pto-inst.hpp" for a file that mentions `functions` (in pto) and
/// `commFunctions` (in pto::comm).
std::string preludeText(const std::set<std::string> &functions, const std::set<std::string> &commFunctions,
                        const PreludeAdditions &additions);

/// Identifiers of `source`; those that follow `comm::` in `commIdentifiers`.
void scanIdentifiers(std::string_view source, std::set<std::string> &identifiers,
                     std::set<std::string> &commIdentifiers);

/// The prelude for one kernel file: declares those of `instructions` that `source` mentions.
std::string preludeFor(std::string_view source, const std::set<std::string> &instructions,
                       const PreludeAdditions &additions);

/// True if the prelude itself declares `name`, so that it must not be declared again.
bool preludeDeclares(std::string_view name);

} // namespace ptosync
