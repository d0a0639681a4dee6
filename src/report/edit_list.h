// Lists the edits of a run by number, in the order in which they were made. Together with --max-removals it serves to
// hunt the edit that breaks a kernel on a board.
//
//   edit 3: removed set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) at line 12, wait_flag(..) at line 15 [redundant-flag]
//   edit 4: moved wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1) from line 20 to line 24 [sink-wait]
//   edit 5: placed anew gemm (cube): 12 removed, 14 added
//
// Tested by tests/report/edit_list_test.cpp.
#pragma once

#include "report/report_input.h"

#include <cstdint>
#include <string>

namespace ptosync {

/// Returns one line for every edit.
std::string listEdits(const ReportInput &input);

/// Returns one edit with the evidence for each of its statements, or a line that says that there is no such edit.
std::string describeEdit(const ReportInput &input, std::uint32_t number);

} // namespace ptosync
