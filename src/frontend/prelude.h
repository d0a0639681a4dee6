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
  std::map<std::string, std::set<std::string>> commEnumerators; // the same in pto::comm
  std::set<std::string> headers;                           // "pto/...": served empty
  bool empty() const {
    return functions.empty() && commFunctions.empty() && enumerators.empty() && commEnumerators.empty() &&
           headers.empty();
  }
};

/// Names of a file that the prelude has to declare.
struct MentionedNames {
  std::set<std::string> functions;     // in pto
  std::set<std::string> commFunctions; // in pto::comm
  std::set<std::string> explicitArguments; // those written with template arguments somewhere
};

/// Those of `known` that `source` mentions.
MentionedNames mentionedNames(std::string_view source, const std::set<std::string> &known);

/// The text of "pto/pto-inst.hpp" for a file that mentions these names.
std::string preludeText(const MentionedNames &names, const PreludeAdditions &additions);

/// The prelude for one kernel file.
std::string preludeFor(std::string_view source, const std::set<std::string> &instructions,
                       const PreludeAdditions &additions);

/// True if the prelude itself declares `name`, so that it must not be declared again.
bool preludeDeclares(std::string_view name);

} // namespace ptosync
