// The approval of edits: which of them a person has let through, in a file that lasts.
//
//   the page for reviewers, or a person --F.json--> parseApproval --> Approval --run/approved_edits.h-->
//   ApprovalOutcome
//
//   { "version": 1,
//     "approved": [{"fingerprint": "07d3..", "kernel": "k", "edit": "removed pipe_barrier(PIPE_V) at line 12 [gu]"}],
//     "rejected": [],
//     "rest": "hold" }
//
// The fingerprint alone decides (edit_fingerprint.h); kernel and edit are for whoever reads the file. An edit in
// neither list is held back, or made with "rest": "apply", which is "all but these". Read strictly: an unknown key, a
// fingerprint that is none or that stands in both lists is an error with its line. It does no file access, and decides
// nothing. The form is src/report/approval_schema.json. Tested by tests/rewrite/approval_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <llvm/Support/Error.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

/// An edit as a person is told of it, and as an approval file lists it.
struct EditName {
  std::string fingerprint;
  std::string kernel; // of several: with commas between
  std::string title;  // editTitles
};

struct Approval {
  std::vector<EditName> approved, rejected; // in the order of the file
  bool applyRest = false;                   // "rest": "apply"

  bool approves(const std::string &fingerprint) const { return has(approved, fingerprint); }
  bool rejects(const std::string &fingerprint) const { return has(rejected, fingerprint); }

private:
  static bool has(const std::vector<EditName> &list, const std::string &fingerprint);
};

/// Reads an approval. Errors name file, line and what was expected.
llvm::Expected<Approval> parseApproval(std::string_view text, std::string_view name);

/// What an approval came to in one kernel file.
struct ApprovalOutcome {
  /// An approved edit that is not made, and edits that are not made either without which it cannot be. Of several, one
  /// or more are wanted; none: that was not found out.
  struct Blocked {
    EditName edit;
    std::vector<EditName> needs;
  };
  /// An edit that is not made, since it is rejected or new, and the statements that it is about.
  struct Held {
    EditName edit;
    std::set<SiteId> sites;
  };
  bool appliesRest = false;
  std::size_t applied = 0;        // edits that are made
  std::vector<EditName> fresh;    // in neither list: held back, or made if `appliesRest`
  std::vector<EditName> rejected; // not made
  std::vector<Blocked> blocked;   // approved, and not made
  std::vector<Held> held;         // of `fresh` and `rejected` what is not made
  std::set<std::string> met;      // the fingerprints of all edits that were seen
};

/// Returns the entries that are none of `met`: the edit was made already, or the kernel has changed there.
std::vector<EditName> staleEntries(const Approval &approval, const std::set<std::string> &met);

} // namespace ptosync
