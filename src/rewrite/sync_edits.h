// Turns decisions into edits of the text: a comment in the place of a removed sync, a line for one that moved or was
// added.
#pragma once

#include "kernel/sync_plan.h"
#include "optimize/decision.h"
#include "rewrite/text_edit.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

// The comments that edits leave in the text (text_edit.h and this file write them), read again.
//
//   /* ptosync: removed pipe_barrier(PIPE_V) [redundant-pipe-v: flag at 248] */
//   /* ptosync: moved to line 63: wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0) [sink-wait] */
//   wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // ptosync: moved from line 60 of the input [sink-wait]
//   set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // ptosync: orders the write of v3 (line 20) before the read at line 23
//
// Lines in them are those of the text that they stand in, except where a moved sync came from: that line may be gone.
// In comments of older versions "of the input" and the reason are missing, and the lines of a removed or moved sync's
// comment are those of the input. Tested by tests/rewrite/sync_edits_test.cpp.

struct EditComment {
  enum class Kind : std::uint8_t { Removed, MovedTo, MovedFrom, Added };
  Kind kind = Kind::Removed;
  std::string statement;       // as it stood; MovedFrom, Added: empty, it stands in front of the comment
  std::string lines;           // moved: "line 63", "lines 63 and 70", "line 60 of the input"
  std::string pattern, reason; // may be empty; Added: "orders the write of v3 (line 20) before the read at line 23"
};

/// "removed", "moved-to", "moved-from", "added".
const char *editCommentName(EditComment::Kind kind);

/// Reads what follows "ptosync:" in a comment, up to its end; empty if it is none of these.
std::optional<EditComment> readEditComment(llvm::StringRef text);

/// Those on one line, by position.
std::vector<EditComment> editCommentsOn(const Module &module, std::uint32_t line);

using EditCommentsByLine = std::map<std::uint32_t, std::vector<EditComment>>;

/// Those of a whole text. A line may be named with none: what it says to the tool is something else.
EditCommentsByLine editCommentsOf(const Module &module);

// The lines of a text as they were before the tool moved and added statements.
//
//   after                                                  before
//   60   set_flag(..); // ptosync: orders ..               60   the line that it stands in front of
//   61   TADD(v1, v1, v2);                                 60
//   62   if (v3 == 0) {                                    61
//   63     wait_flag(..); // ptosync: orders ..            61
//   64   }                                                 61
//   65   wait_flag(..); // ptosync: moved from line 12 of the input     12
//
// The comments say what the tool has put in: a moved sync that was alone on its line took the line along, an added one
// is a line of its own, or three with an `if` around it. What was removed left its line. An `if` of the input around
// nothing, into which the tool put a sync, is taken for its own. Tested by tests/rewrite/sync_edits_test.cpp.

class OldLines {
public:
  /// `before`: the text that was edited; null: what earlier runs of the tool say in the text counts as well.
  explicit OldLines(const Module &after, const Module *before = nullptr);

  std::uint32_t before(std::uint32_t line) const { return line < old.size() ? old[line] : line; }

  /// True if a sync stands on the line that the tool has put in, and nothing else does.
  bool holdsPutIn(std::uint32_t line) const { return syncs.count(line) != 0; }

  /// Returns the line behind `line` that is not of the tool's making.
  std::uint32_t nextOwn(std::uint32_t line) const;

private:
  void findPutIn(const Module &after, const Module *before);

  std::map<std::uint32_t, std::uint32_t> cameFrom; // lines that the tool has put in: 0, or where their sync stood
  std::set<std::uint32_t> syncs;                   // those of them that hold the sync
  std::map<std::uint32_t, std::set<std::string>> taken, leftBehind; // statements that went, by old line and by line
  std::vector<std::uint32_t> old;                                   // by line as it now is
};

// From a plan to edits of the text: statements that go, that move and that come.
//
//   SyncPlan --editsFor--> edits, none of which overlap --applyEdits--> text
//
//   60   pipe_barrier(PIPE_V);              60   /* ptosync: removed pipe_barrier(PIPE_V) [gu: barrier at 62] */
//   61   wait_flag(..);                     61   TADD(v1, v1, v2);
//   62   TADD(v1, v1, v2);                  62   pipe_barrier(PIPE_V);
//   63   pipe_barrier(PIPE_V);              63   wait_flag(..); // ptosync: moved from line 61 of the input [sink-wait]
//   64   TSTORE(..);                        64   TSTORE(..);
//
// The edits are made twice: once to see where lines come and go, and again with comments that name lines of the result.
//
// A removed statement leaves a comment (text_edit.h). A moved one takes its line with it if it stands alone
// there, and otherwise leaves a comment too; at its new place it is a line of its own with the
// indentation of the statement behind it, or, where that does not begin its line, stands in front of
// it on the same line. Either way a comment names the line it came from. One that is given several places
// is copied to each. The statement's own text is copied byte by byte. An added one is a line of its own beside its
// neighbour, and a comment says which two statements it orders. It does not decide
// whether the text means the same there. Tested by tests/rewrite/sync_edits_test.cpp, tests/tool/opt_command_test.cpp
// and, through tests/support/corpus.h, by the golden tests.

struct PlannedEdits {
  std::vector<Edit> edits;
  /// Says where an added sync begins, without its guard: the edit by number, and bytes of its replacement in front.
  struct Put {
    std::size_t edit = kNone;
    std::size_t at = 0;
  };
  std::vector<Put> added; // by number in the plan
};

PlannedEdits editsFor(const Module &module, const SyncPlan &plan);

/// Returns the source of the module with the plan carried out.
llvm::Expected<std::string> patchedText(const Module &module, const SyncPlan &plan);
inline llvm::Expected<std::string> patchedText(const Module &module, const OptimizeResult &result) {
  return patchedText(module, planOf(module, result));
}

/// "if (k == 256) {"; empty without a guard.
std::string guardHead(const std::string &guard);

// From a decision about a FIFO's local slots to edits of the text: the count wherever the type is spelled.
//
//   8  ->  2 /* ptosync: 2 local slots, were 8 [fifo-local-slots] */
//
// Every spelling of the type gets the new count, and a comment tells the change once a line. All or nothing: where one
// spelling has no number of its own, the kernel would no longer compile, and there are no edits but an error.
// Bytes outside the counts are copied as they are. It does not decide whether the count is right.
// Tested by tests/rewrite/sync_edits_test.cpp.

/// A place where a type is spelled; `range` is empty (begin == end) if it has no literal count there.
struct SlotSpelling {
  SourceRange range;
  std::uint32_t line = 0;
};

llvm::Expected<std::vector<Edit>> slotEdits(const SourceText &source, const std::vector<SlotSpelling> &spellings,
                                            std::int64_t before, std::int64_t after, std::string_view pattern);

/// Returns the core sections whose program an edit changes.
std::set<Section> editedSections(const OptimizeResult &result);

} // namespace ptosync
