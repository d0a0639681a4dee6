// Declarations of the PTO API, held in memory, against which kernels are parsed.
//
// The vendor's headers and compiler are normally absent where this tool runs. The prelude
// declares just the types an emitted kernel names (Tile, GlobalTensor, TPipe, ...), and one
// declaration per instruction name that the file mentions; instructions take anything and
// return anything, because what they mean comes from the machine model, not from C++.
// Names that turn out to be missing are declared on the fly (`PreludeAdditions`): those of the library as it has
// them (library_types.h), all others as opaque: an unknown type's objects may do anything, an unknown
// constant has a value nobody knows, an unknown call takes and returns anything.
// Tested by tests/frontend/read/prelude_test.cpp.
#pragma once

#include "frontend/read/build_macros.h"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ptosync {

/// What a first parse found missing in one scope. Nothing is known of these names but how the file spells them.
struct MissingInScope {
  std::set<std::string> functions;
  std::set<std::string> types;
  std::set<std::string> constants;                          // values nobody knows
  std::map<std::string, std::string> classTemplates;        // name -> kinds of its parameters: 'T' a type, 'V' a value
  std::map<std::string, std::set<std::string>> enumerators; // by enumeration, of the prelude or not
  bool operator==(const MissingInScope &) const = default;
};

/// "scope::name"; the name alone in the outermost scope, which is "".
std::string nameWithin(const std::string &scope, const std::string &name);

/// What a first parse found missing.
struct PreludeAdditions {
  std::map<std::string, MissingInScope> scopes; // "" is pto and the global one; "comm", "comm::sdma", ...
  std::set<std::string> library;                // names of library_types.h, with their scope
  std::map<std::string, std::set<std::string>>
      signatures; // kinds of template arguments calls of a name are written with
  std::map<std::string, std::map<std::size_t, char>>
      argumentKinds; // of classTemplates, where their first guess was wrong
  std::set<std::string> memberFunctions, memberValues, memberTypes; // of any object of the library
  std::set<std::string> headers;                                    // "pto/...": served empty
  std::set<std::string> declaredByHeaders;                          // types that the real headers declare themselves
  bool operator==(const PreludeAdditions &) const = default;
  bool empty() const { return *this == PreludeAdditions{}; }
  /// Every function that had to be invented, in any scope.
  std::set<std::string> functions() const;
  /// True if the result says more than before.
  bool merge(const PreludeAdditions &more);
};

/// Names of a file that the prelude has to declare.
struct MentionedNames {
  std::set<std::string> functions;         // in pto
  std::set<std::string> commFunctions;     // in pto::comm
  std::set<std::string> explicitArguments; // those written with template arguments somewhere
};

/// Those of `known` that `source` mentions.
MentionedNames mentionedNames(std::string_view source, const std::set<std::string> &known);

/// The text of "pto/pto-inst.hpp" for a file that mentions these names; `macros`: those that it defines for the chip.
std::string preludeText(const MentionedNames &names, const PreludeAdditions &additions,
                        const std::vector<Definition> &macros = {});

/// What the chip's compiler knows without any header, for parsing against the library's real headers: its macros,
/// qualifiers, types, enumerations and intrinsic functions. The macros that tell its chip and its core stand on the
/// command line.
std::string compilerText(const PreludeAdditions &additions);

/// The prelude for one kernel file.
std::string preludeFor(std::string_view source, const std::set<std::string> &instructions,
                       const PreludeAdditions &additions, const std::vector<Definition> &macros = {});

/// True if the prelude itself declares `name`, so that it must not be declared again.
bool preludeDeclares(std::string_view name);

/// True if the prelude always declares the enumeration `name` in pto (`scope` empty) or pto::comm ("comm").
bool preludeEnumeration(std::string_view scope, std::string_view name);

} // namespace ptosync
