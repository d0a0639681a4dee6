// Reads `*_instr_exe*.csv` of a simulator run, which says how often each instruction of a core ran, and for how many
// cycles altogether.
//
// A row stands for one address. There are no single executions in it, and an id that a register decides is that of one
// call for all of them, so ids are left out. Tested by tests/profile/instr_exe_reader_test.cpp.
#pragma once

#include "profile/profile_names.h"

#include <istream>

namespace ptosync::timing {

/// Reads the profile of one core. Errors name the file, the line and what was expected.
llvm::Expected<CoreProfile> readInstrExe(std::istream &stream, const std::string &file, const std::string &core,
                                         const ProfileNames &names);

} // namespace ptosync::timing
