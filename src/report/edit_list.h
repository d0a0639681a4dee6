// The edits of a run in the order in which they were made, numbered: for hunting the one that breaks
// a kernel on a board, together with --max-removals.
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

/// Every edit, one line each.
std::string listEdits(const ReportInput &input);

/// One edit with the evidence of each of its statements; says so if there is no such edit.
std::string describeEdit(const ReportInput &input, std::uint32_t number);

} // namespace ptosync
