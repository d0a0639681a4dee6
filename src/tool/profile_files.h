// The files of a simulator run's folder, and what of them is read: for each kind of core one core's profile.
//
//   FOLDER --profileFolder--> files by core --readProfiles--> CoreProfile of a cube core and of a vector core
//
// Names are matched in part, they may carry a time stamp: `*instr_popped_log*.dump` with `*instr_log*.dump`,
// `*instr_exe*.csv`, `trace*.json`. Of several the raw logs say most, then the csv, then the trace.
// Tested by tests/tool/profile_files_test.cpp.
#pragma once

#include "kernel/pipe.h"
#include "timing/profile.h"

#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

/// A larger file of a profile is refused.
inline constexpr std::uintmax_t kLargestProfileFile = std::uintmax_t(4) << 30;

struct CoreFiles {
  std::string starts, ends, csv, trace; // empty: not there
};

struct ProfileFolder {
  std::string path;
  std::map<std::string, CoreFiles> cores; // by name
  std::string jointTrace;                 // of all cores; empty: not there
};

/// An error names the folder, what is in it, and what was expected.
llvm::Expected<ProfileFolder> profileFolder(const std::string &path);

struct ReadProfiles {
  std::map<Section, timing::CoreProfile> profiles, drawn; // Cube, Vec; drawn: with times, where `profiles` has none
  std::map<Section, std::vector<std::string>> others;     // cores of the same kind, not read
};

/// `chosen`: cores to read; of a kind without a choice the one with the lowest numbers. `draw`: times are wanted too.
llvm::Expected<ReadProfiles> readProfiles(const ProfileFolder &folder, const std::vector<std::string> &chosen,
                                          double clockMHz, bool draw);

} // namespace ptosync
