// Declarations of the PTO API, held in memory, against which kernels are parsed.
//
// The vendor's headers and compiler are normally absent where this tool runs. The prelude declares the types that an
// emitted kernel names (Tile, GlobalTensor, TPipe, ...) and one function for each instruction name that the file
// mentions. Instructions take anything and return anything: the machine model says what they mean, not C++.
//
// Names that turn out to be missing are declared on the fly (PreludeAdditions). Names of the library are declared as
// the library has them, from a table of its public types, enumerations and constants. Such an entry is data without
// effect: making or copying one reaches no pipe, unless the entry says that it acts. An entry is declared only in a
// file that needs it, so a kernel may use a name of the library for something of its own. All other names are declared
// as opaque: objects of an unknown type may do anything, an unknown constant has a value that nobody knows, an unknown
// function takes and returns anything. Enumerators are compared by name, so their values follow the library only where
// they are written out.
//
// HeaderMemory keeps what a file was found to lack in the real headers. Whoever reads a file several times, before and
// after an edit, would find the same again; with the memory a later reading starts where the first one ended. It
// changes nothing that is read: a reading that does not end with what it started from begins anew without it. Several
// threads may use it.
//
// Tested by tests/frontend/read/prelude_test.cpp.
#pragma once

#include "frontend/read/conditions.h"
#include "kernel/pipe.h"

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace ptosync {

/// Names that earlier parses found missing in one scope. Nothing is known of them except how the file spells them.
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

/// Everything that earlier parses found missing.
struct PreludeAdditions {
  std::map<std::string, MissingInScope> scopes; // "" is pto and the global one; "comm", "comm::sdma", ...
  std::set<std::string> library;                // names of the table of library types, with their scope
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
  /// Adds `more`; returns true if the result says more than before.
  bool merge(const PreludeAdditions &more);
};

/// Names of a file that the prelude has to declare.
struct MentionedNames {
  std::set<std::string> functions;         // in pto
  std::set<std::string> commFunctions;     // in pto::comm
  std::set<std::string> explicitArguments; // those written with template arguments somewhere
};

/// Returns the names of `known` that `source` mentions, comments and strings included.
MentionedNames mentionedNames(std::string_view source, const std::set<std::string> &known);

/// The text of "pto/pto-inst.hpp" for a file that mentions these names; `macros`: those that it defines for the chip.
std::string preludeText(const MentionedNames &names, const PreludeAdditions &additions,
                        const std::vector<Definition> &macros = {});

/// Returns what the chip's compiler knows without any header, for parsing against the library's real headers: its
/// macros, qualifiers, types, enumerations and intrinsic functions. The macros that tell its chip and its core stand on
/// the command line.
std::string compilerText(const PreludeAdditions &additions);

/// The prelude for one kernel file.
std::string preludeFor(std::string_view source, const std::set<std::string> &instructions,
                       const PreludeAdditions &additions, const std::vector<Definition> &macros = {});

/// Returns true if the prelude itself declares `name`, so that it must not be declared again.
bool preludeDeclares(std::string_view name);

/// Returns true if the prelude always declares the enumeration `name` in pto (`scope` empty) or pto::comm ("comm").
bool preludeEnumeration(std::string_view scope, std::string_view name);

/// A declaration in `pto::SCOPE` (empty: in pto itself).
struct LibraryType {
  std::string scope; // "", "comm", "comm::sdma"
  std::string name;
  std::string text;            // a complete declaration
  std::set<std::string> needs; // others that `text` names, with their scope
  bool acts = false;           // making one is an instruction of the type's name
};

/// The declaration of `scope::name`, or nullptr.
const LibraryType *libraryType(std::string_view scope, std::string_view name);

/// The table's declarations of these "scope::name" or "name", with what they need, in an order that compiles. Stands
/// inside namespace pto.
std::string libraryTypesText(const std::set<std::string> &names);

class HeaderMemory {
public:
  struct Found {
    PreludeAdditions additions;
    int parses = 0; // that came before the last one
  };
  /// The file by its name, read as code of `section` of an architecture.
  std::optional<Found> find(const std::string &file, const std::string &architecture, Section section) const {
    std::lock_guard lock(mutex);
    auto known = files.find({file, architecture, section});
    return known == files.end() ? std::nullopt : std::optional(known->second);
  }
  void remember(const std::string &file, const std::string &architecture, Section section, Found found) {
    std::lock_guard lock(mutex);
    files.insert_or_assign({file, architecture, section}, std::move(found));
  }

private:
  mutable std::mutex mutex;
  std::map<std::tuple<std::string, std::string, Section>, Found> files;
};

} // namespace ptosync
