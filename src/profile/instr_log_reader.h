// Reads the raw logs of a simulator run. `*.instr_popped_log.dump` has a line for each start, and `*.instr_log.dump`
// one for each end.
//
//   [info] [00011416] (PC: 0x10f86088) SCALAR : (Binary: 0x..) WAIT_FLAG PIPE:MTE2, TRIGGER PIPE:SCALAR, FLAG ID:0,
//
// Both are read side by side, by tick; an end belongs to the oldest start of its program counter (and ID, where there
// is one) that has none. Memory grows with what runs at one time and with kMostProfileEvents, not with the files. Lines
// without a program counter are no instructions. Tested by tests/profile/instr_log_reader_test.cpp.
#pragma once

#include "profile/profile_names.h"

#include <istream>

namespace ptosync::timing {

/// Reads both logs of one core. Fails if a file is cut short; the error names the file, the line and what was expected
/// there. Instructions of the scalar unit may lack their end.
llvm::Expected<CoreProfile> readInstrLogs(std::istream &starts, const std::string &startsFile, std::istream &ends,
                                          const std::string &endsFile, const std::string &core,
                                          const ProfileNames &names);

} // namespace ptosync::timing
