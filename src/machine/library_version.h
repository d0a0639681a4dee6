// Tells whether a library is the one from which the model's facts were read: instruction by instruction, by the text of
// what it runs.
//
// An instruction's text is that of its functions, NAME and NAME_IMPL, and of everything of the library that they name,
// directly or through others; its hash stands in src/machine/library_COMMIT.json, one file a version. Equal hashes: the
// same text, so what was read and run holds. Different ones: something that the call may run has changed, whether or
// not it matters. Names are followed without regard to scope, so an instruction may count as changed where another one
// did. Tested by tests/machine/library_version_test.cpp.
#pragma once

#include <llvm/Support/Error.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

/// The texts of a library, by the names that they define (frontend/library/library_text.h reads them).
using LibraryText = std::map<std::string, std::set<std::string>>;
/// The hash of each instruction's text.
using InstructionHashes = std::map<std::string, std::string>;

/// One version of the library as src/machine/library_*.json gives it.
struct LibraryVersion {
  std::string library;                             // its own name
  std::set<std::string> facts;                     // names of the models' libraries whose facts hold for it too
  std::map<std::string, InstructionHashes> hashes; // by architecture
  static llvm::Expected<LibraryVersion> parse(std::string_view json, std::string_view file);
  std::string json() const;
};

/// Returns every version that the tool knows.
llvm::Expected<std::vector<LibraryVersion>> knownLibraryVersions();

/// Returns the hashes of those of `instructions` that the library has code for.
InstructionHashes instructionHashes(const LibraryText &text, const std::vector<std::string> &instructions);

enum class LibraryMatch : std::uint8_t {
  Same,    // the text that the facts were read from
  Changed, // its facts are unproved for this library
  Absent,  // this library has no such instruction
};

/// Compares by instruction all that one of `known` has code for: the same if it is the same as in any of them.
std::map<std::string, LibraryMatch> compareLibrary(const std::vector<InstructionHashes> &known,
                                                   const InstructionHashes &given);

/// Says how many of a version's instructions the given library has with the same text.
struct VersionMatch {
  std::string library;
  std::size_t same = 0, of = 0;
};

/// The given library compared with every version for which the facts of `library`, a model's name for it, hold.
struct LibraryComparison {
  std::vector<VersionMatch> versions;          // in the order of `known`; empty: no hashes of that library are there
  std::map<std::string, LibraryMatch> matches; // as compareLibrary has it
};
LibraryComparison compareVersions(const std::vector<LibraryVersion> &known, const std::string &library,
                                  const std::string &arch, const InstructionHashes &given);

/// Returns the versions that a library with no differing instruction is the same as: "V", or, if none of them alone has
/// everything, "V1 (90 of 100), V2 (20 of 100)". Empty without versions.
std::string describeVersions(const std::vector<VersionMatch> &versions);

} // namespace ptosync
