// The key of a kernel's result: a digest of everything that the result depends on, but for files that it includes.
//
//   the program + the command and its options + settings + texts of files + the kernel's name and text --SHA-256--> key
//
// Two runs with one key make the same result, unless the disk answers them differently (base/file_answers.h). An option
// is in the key unless it stands in a list here of those that decide where a result goes and not what it is, so that a
// new one is in it from the start. A setting is in it by a binding that names every member, which does not compile when
// one is added. The program is known by the build ids of its file and of every library that is loaded with it.
//
// Paths below the working folder are in the key as seen from there, so that the same tree elsewhere has the same keys.
// Whoever keeps a result that names the working folder has to say so beside the key (result_cache.h).
// Tested by tests/tool/result_cache_test.cpp, which changes every input in turn.
#pragma once

#include "run/run.h"
#include "tool/options.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/SHA256.h>

#include <string>
#include <vector>

namespace ptosync {

/// A digest of named parts, each with its length, so that no two lists of parts have one text.
class PartsDigest {
public:
  PartsDigest &add(llvm::StringRef name, llvm::StringRef value);
  /// Returns 64 hex digits.
  std::string hex();

private:
  llvm::SHA256 hash;
};

/// Returns what tells this program from any other one: the build ids of what is loaded, or the digest of a file that
/// has none. Empty if there is one that cannot be read.
std::string programIdentity();

/// Returns a path below the working folder `here` as seen from there, marked; any other one as it is.
std::string placeFrom(const std::string &here, const std::string &path);
/// Undoes that.
std::string placeAt(const std::string &here, const std::string &place);

/// What all kernels of a run have in common.
struct RunKey {
  std::string program;             // programIdentity
  std::string here;                // the working folder
  std::string library;             // a digest of the library of --pto-include and of the places of C++'s headers
  std::vector<std::string> inputs; // what the command adds: texts of files that it alone reads
};

/// Returns the digest of the library's files and of the folders of the machine's C++ headers; "" without one. Fails
/// where they cannot be read.
llvm::Expected<std::string> libraryDigest(const std::string &includeDirectory);

/// Returns a digest of the command and of the options that results depend on.
std::string optionsDigest(const ToolOptions &options);

/// `names`: by which diffs and scans name the kernel.
std::string resultKey(const ToolOptions &options, const RunKey &run, const RunInput &input,
                      const std::vector<std::string> &names);

} // namespace ptosync
