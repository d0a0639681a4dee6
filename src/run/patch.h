// The page of `patch-vec-barriers`: takes out the vector barriers that a user names, if they are proved redundant.
//
//   text --patterns--> proved removals --lines--> proved removals --(unsafe: the rest of the lines)--> PatchedFile
//
// Each step decides like `opt` and is replayed like it. A named barrier that is not proved redundant stays and is
// reported with its witness. `unsafe` takes it all the same, with a warning; it is the only way to a text that is not
// proved.
//
// Tested by tests/tool/patch_command_test.cpp and tests/scripts/patch_vec_barriers_test.sh.
#pragma once

#include "run/run.h"

#include <llvm/Support/Error.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace ptosync {

struct PatchRequest {
  std::set<std::string> patterns;
  std::set<std::int64_t> lines;
  bool unsafe = false; // also take the lines that are not proved
};

/// The patched text and what is said of it, in the words of the script whose place the command takes.
struct PatchedFile {
  std::string wrongLines; // not empty: lines that hold no vector barrier, one message a line; nothing was done
  std::string text;
  std::string notes;                      // requested barriers that stay or went without proof
  std::string skipped;                    // what the patterns matched and the proof refused
  std::size_t removed = 0, byPattern = 0; // barriers
  std::size_t byLine = 0;                 // requested lines that lost one
  std::string arch;                       // "a3 (command line: --arch)"
  std::string library;                    // of the machine model
  bool libraryMayHelp = false;            // something stays that trust in the library might let go
};

/// Errors: a SettingError; a Disagreement; that the kernel cannot be analysed.
llvm::Expected<PatchedFile> patchFile(const RunInput &input, const PatchRequest &request);

} // namespace ptosync
