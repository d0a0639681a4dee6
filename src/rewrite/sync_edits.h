// From decisions about syncs to edits of the text: statements that go and statements that move.
//
//   removals, moves --syncEdits--> edits, none of which overlap
//
// A removed statement leaves a comment (edit.h). A moved one takes its line with it if it stands alone
// there, and otherwise leaves a comment too; at its new place it is a line of its own with the
// indentation of the statement behind it, or, where that does not begin its line, stands in front of
// it on the same line. Either way a comment names the line it came from. One that is given several places
// is copied to each. Statements that move to one place stand there in the order given. The statement's own text is
// copied byte by byte. An added one is a line of its own beside its neighbour, and a comment says which two statements
// it orders, by their lines in the result. It does not decide whether the text means the same there. Tested by
// tests/rewrite/sync_edits_test.cpp.
#pragma once

#include "optimize/decision.h"
#include "rewrite/edit.h"

namespace ptosync {

struct SyncRemoval {
  SiteId site;
  std::string pattern;
  std::string reason = {}; // in short; may be empty
};

struct SyncMove {
  SiteId site;
  std::uint32_t before; // byte offset of the statement in front of which it is to stand
  std::string pattern;
};

std::vector<Edit> syncEdits(const SourceText &source, const std::vector<SyncSite> &sites,
                            const std::vector<SyncRemoval> &removals, const std::vector<SyncMove> &moves);

/// "if (k == 256) {"; empty without a guard.
std::string guardHead(const std::string &guard);

/// The edits with those that put `added` in, in the order given where several stand at one place.
std::vector<Edit> withAdded(const SourceText &source, std::vector<Edit> edits, const std::vector<AddedSync> &added);

} // namespace ptosync
