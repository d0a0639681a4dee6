// The comments that edits leave in the text (edit.h, sync_edits.h write them), read again.
//
//   /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 248] */
//   /* ptosync: moved to line 63: wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) [sink-wait] */
//   wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // ptosync: moved from line 60 [sink-wait]
//
// Lines in them are those of the text that was edited. Comments of older versions have no reason behind the pattern.
// Tested by tests/rewrite/edit_comment_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <string>
#include <vector>

namespace ptosync {

struct EditComment {
  enum class Kind : std::uint8_t { Removed, MovedTo, MovedFrom };
  Kind kind = Kind::Removed;
  std::string statement;       // as it stood; MovedFrom: empty, it stands in front of the comment
  std::string lines;           // moved: "line 63", "lines 63 and 70"
  std::string pattern, reason; // may be empty
};

/// "removed", "moved-to", "moved-from".
const char *editCommentName(EditComment::Kind kind);

/// Those on one line, by position.
std::vector<EditComment> editCommentsOn(const Module &module, std::uint32_t line);

} // namespace ptosync
