// Reads the words of a profile: queues, the mnemonics of syncs, and the text that says which flag is meant.
//
//   "VEC" -> PIPE_V    "SET_FLAG" + "PIPE:MTE2,TRIGGERPIPE:VEC,FLAGID:0," -> set, PIPE_MTE2 to PIPE_V, id 0
//
// Both spellings of the detail are read; an id that was not known when the text was written (0xffffffff) is none.
// The names are data: profile_names.json. Tested by tests/profile/profile_names_test.cpp.
#pragma once

#include "profile/profile.h"

#include <llvm/Support/Error.h>

#include <set>
#include <string_view>

namespace ptosync::timing {

class ProfileNames {
public:
  static llvm::Expected<ProfileNames> builtIn();

  /// Returns the row of an instruction of `queue`. Fails if the detail of a flag or barrier does not name its pipes;
  /// the error says what was expected.
  llvm::Expected<ProfileRow> row(std::string_view queue, std::string_view name, std::string_view detail) const;
  std::optional<Pipe> pipe(std::string_view queue) const;
  /// Returns false for an event that a trace draws in front of an instruction.
  bool isInstruction(std::string_view name) const { return !beside.count(name); }
  /// Returns the queue with this number in a core's own trace; empty if there is none.
  std::string queueOf(std::int64_t pid) const;

private:
  std::map<std::string, Pipe, std::less<>> pipes;
  std::map<std::int64_t, std::string> byNumber;
  std::map<std::string, ProfileKind, std::less<>> kinds;
  std::set<std::string, std::less<>> beside;
};

/// Returns true if `name` has the form "core3.veccore1".
bool isCoreName(std::string_view name);
/// Returns the core that stands last in a file's path; empty if none does.
std::string coreOfPath(std::string_view path);

} // namespace ptosync::timing
