// A sync plan: what becomes of the syncs of a file, before anything is done to its text.
//
//   SyncPlan { removed, moved, added } --rewrite/sync_edits.h--> edits of the text
//                                      --synthesis/edited_kernel.h--> the kernel that such a text is
//
//   12   pipe_barrier(PIPE_V);                removed: site 0
//   14   wait_flag(PIPE_MTE2, PIPE_V, ..);    moved: site 1, in front of the statement of line 20
//   20   TADD(v3, v1, v2);                    added: a barrier behind it
//
// Whoever wants other syncs in a kernel says so with one of these, and it becomes a kernel in one way only: its text is
// written and read. It does not say why; decisions do that (optimize/decision.h). Places are bytes of the text that the
// plan is about. Plain data. Tested by tests/rewrite/sync_edits_test.cpp and tests/synthesis/edited_kernel_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

/// Where a statement is put into a text.
struct TextPlace {
  enum class Line : std::uint8_t {
    InFront, // a line of its own in front of `offset`
    Behind,  // a line of its own behind the line that ends at `offset`
    Shared,  // on the line of `offset`
  };
  std::uint32_t offset = 0; // bytes
  std::uint32_t rank = 0;   // of what is put at one offset lower ranks come first
  Line line = Line::InFront;
  std::uint32_t beside = 0; // the statement whose indentation it has begins here
};

/// Returns the place in front of the statement that begins at `offset`: a line of its own if that statement begins its
/// line.
TextPlace placeInFront(const SourceText &source, std::uint32_t offset);

/// A sync that the text does not have.
struct AddedSync {
  SyncKind kind = SyncKind::Barrier;
  Pipe source = Pipe::All, destination = Pipe::All;
  std::int64_t id = -1;   // of a flag; -1: of a barrier, or computed
  std::string statement;  // with its semicolon
  std::string guard = {}; // the condition of an `if` around it; empty: it stands alone
  TextPlace place;
  std::string earlier, later;                   // what it orders: "the write of v3", "the read"
  std::uint32_t earlierLine = 0, laterLine = 0; // of the text
  std::uint32_t edit = 0;                       // its number, from 1; that of the whole flag
  std::string kernel;
  Section section = Section::Both;
};

/// Sorts by place, as they are to stand in the text.
void sortByPlace(std::vector<AddedSync> &added);

struct SyncPlan {
  /// One thing that a removal relies on: "flag" and its lines of the text, or "rule same-access-chain" and none.
  struct Reliance {
    std::string what;
    std::set<std::uint32_t> lines;
  };
  /// What the comment says that a sync leaves; both may be empty.
  struct Removal {
    std::string pattern;
    std::vector<Reliance> reason;
  };
  struct Move {
    std::vector<TextPlace> places; // one, or a copy in each arm of a branch; never empty
    std::string pattern;           // for the comments at both ends; may be empty
  };
  std::map<SiteId, Removal> removed;
  std::map<SiteId, Move> moved;
  std::vector<AddedSync> added; // by place, and as given where places are the same
};

/// Adds what another plan for the same text removes and adds; the other one moves nothing.
void append(SyncPlan &plan, const SyncPlan &more);

} // namespace ptosync
