// `ptosync patch-vec-barriers SRC DST`: takes out the vector barriers that a user names, if they are proved redundant.
//
//   SRC --patterns--> proved removals --lines--> proved removals --(--unsafe: the rest of the lines)--> DST
//
// It stands where a text script stood that compares the spelling of operands. Arguments, environment variables,
// log lines (on standard error) and exit codes are the script's; a removal is the optimiser's, with its replay. What
// was asked for and is not proved stays and is named with its witness.
//
// Exit codes: 0 done, also where requested barriers stay; 1 unknown pattern, list that is no list, file that cannot be
// read or written; 2 usage, or a requested line that is no vector barrier; 3 not analysed. DST is written with 0 only.
// Tested by tests/tool/patch_command_test.cpp.
#pragma once

#include "tool/options.h"

namespace ptosync {

int runPatch(const ToolOptions &options);

} // namespace ptosync
