// The comments that edits leave in the text (edit.h, sync_edits.h, added_syncs.h write them), read again.
//
//   /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 248] */
//   /* ptosync: moved to line 63: wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) [sink-wait] */
//   wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // ptosync: moved from line 60 [sink-wait]
//   set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // ptosync: orders the write of v3 (line 20) before the read at line 23
//
// Lines in them are those of the text that was edited, behind an added sync those of the text that it was added to.
// Comments of older versions have no reason behind the pattern. Tested by tests/rewrite/edit_comment_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <string>
#include <vector>

namespace ptosync {

struct EditComment {
  enum class Kind : std::uint8_t { Removed, MovedTo, MovedFrom, Added };
  Kind kind = Kind::Removed;
  std::string statement;       // as it stood; MovedFrom, Added: empty, it stands in front of the comment
  std::string lines;           // moved: "line 63", "lines 63 and 70"
  std::string pattern, reason; // may be empty; Added: "orders the write of v3 (line 20) before the read at line 23"
};

/// "removed", "moved-to", "moved-from", "added".
const char *editCommentName(EditComment::Kind kind);

/// Those on one line, by position.
std::vector<EditComment> editCommentsOn(const Module &module, std::uint32_t line);

} // namespace ptosync
