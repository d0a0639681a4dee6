// Prints what `opt` did, for a person: one line with the verdict, then what a kernel's author asks next.
//
// The sections are what every report of `opt` is made from, the decisions counted, grouped and listed, and the report
// itself.
#pragma once

#include "kernel/kernel.h"
#include "optimize/decision.h"
#include "optimize/fifo_slots.h"
#include "optimize/library_use.h"
#include "rewrite/approval.h"
#include "synthesis/resync.h"

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

// Holds what every report is made from: the lifted file, the decisions, and the options on which they depend. Plain
// data; the reports read it and recompute no reason. Tested through tests/report.

struct CostReport;
struct NeededSyncs;

struct ReportInput {
  const Module *module = nullptr;         // never null when a report is made
  const OptimizeResult *result = nullptr; // likewise; its decisions refer to the sites of `module`
  std::string toolVersion;
  std::string arch;       // "a3", "a5"
  std::string archChoice; // with how it was chosen: "a3 (command line: --arch)"
  std::string library;    // version of the instruction library; may be empty
  Trust trust = Trust::Tile;
  LibraryUse libraryUse;
  std::string patterns;                                // the selection as the user gave it: "default", "gu,final-div"
  std::vector<std::string> patternIds;                 // the patterns that it enables
  const std::vector<FifoDecision> *rewrites = nullptr; // null: none was asked for
  const std::vector<synthesis::KernelResync> *resync = nullptr; // null: not asked for
  bool fromNothing = false;                                     // `sync`: `resync` is what came of that
  const CostReport *costs = nullptr;                            // null: no times were asked for
  std::set<SiteId> notReplayed;              // removed or moved statements that no run of the replay reached
  const ApprovalOutcome *approval = nullptr; // null: no approval was given
  const NeededSyncs *needed = nullptr;       // null: nobody asked (needed_syncs.h)
};

// The decisions of a run, counted, grouped and listed: the parts that the reports of `opt` share.
//
//   ReportInput --countSites---------------> Counts: how many syncs a file has, how many went, how many stayed and why
//               --groupKept, groupEdited---> groups by reason, and within a reason by cause
//               --listSites----------------> one entry a site, the long form of the text report
//               --listEdits, describeEdit--> one line an edit, numbered, to hunt the one that breaks a kernel on a
//               board
//
// A site is a statement of the file and counts once, however many kernels run through it. Everything is counted here,
// so that no two reports disagree.
//
// A long kernel keeps a hundred syncs for a handful of causes. Two sites have the same cause if their witnesses agree
// in everything but the addresses, names and lines ("RAW on UB: TROWSUM (PIPE_V) -> TADD (PIPE_V)"), or, without a
// witness, if they give the same detail. The most frequent cause comes first; which one matters is not judged.
//
// The entry of a site, whose first line has the form that editors and build logs recognise:
//
//   k.cpp:15:5: removed pipe_barrier(PIPE_V) [final-div]
//       RAW on UB [0, 128): line 12 TROWSUM(v84, v58, v62) -> line 17 TADD(v128, v128, v129)
//         sync at lines 13 and 16: ...
//
// The line of an edit:
//
//   edit 4: moved wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1) from line 20 to line 24 [sink-wait]
//
// Tested by tests/report/counts_test.cpp, tests/report/kept_groups_test.cpp, tests/report/removed_groups_test.cpp,
// tests/report/site_list_test.cpp and tests/report/edit_list_test.cpp.

// Counts.

struct Tally {
  std::uint32_t found = 0, removed = 0, moved = 0;
  std::uint32_t kept() const { return found - removed - moved; }
  bool operator==(const Tally &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Tally &tally);

/// The section that a site runs in; `Nowhere`: it stands in a function that no kernel calls. A site that both sections
/// run, or that stands outside any section, is in `Both`.
enum class SectionRow : std::uint8_t { Cube, Vec, Both, Nowhere };

/// Returns the name of a row: "cube", "vec", "both" or "unused".
std::string_view sectionRowName(SectionRow row);

struct SectionCounts {
  std::map<Pipe, Tally> barriers;
  Tally flags;   // set_flag and wait_flag statements
  Tally buffers; // get_buf and rls_buf statements
  Tally tails;   // end fences
};

struct PatternCount {
  std::string id;
  Tally sites; // found: the sites it claimed
};

struct Counts {
  Tally barriers, flags, buffers, tails;
  std::map<SectionRow, SectionCounts> sections;
  std::vector<PatternCount> patterns; // the enabled ones in their order, then others by id
  std::map<KeptReason, std::uint32_t> kept;
};

Counts countSites(const ReportInput &input);

/// Returns the row of the sections of a decision.
SectionRow sectionRow(const std::vector<Section> &sections);

// Groups.

/// One cause, for syncs that are kept or that went.
struct GroupCause {
  std::string text;                 // empty: the site gives none
  std::vector<std::uint32_t> lines; // one per site, ascending
};

/// Orders the causes, each with the lines of its sites: the most frequent first, then by text.
std::vector<GroupCause> sortedCauses(std::map<std::string, std::vector<std::uint32_t>> causes);
/// Returns how many sites the causes have together.
std::uint32_t siteCount(const std::vector<GroupCause> &causes);

struct KeptGroup {
  KeptReason reason = KeptReason::None;
  std::uint32_t count = 0;
  std::vector<GroupCause> causes; // as sortedCauses has them
};

/// Groups the kept sites by reason, in the order of KeptReason; reasons without a site are left out.
std::vector<KeptGroup> groupKept(const ReportInput &input);

/// Returns the conflict without what tells its sites apart: "RAW on UB: TROWSUM (PIPE_V) -> TADD (PIPE_V)".
std::string conflictFamily(const Conflict &conflict);

/// Returns what a decision has in common with others of its group: the family of the conflict that keeps the sync, or
/// of the first one that an edit relies on; without one the detail of a kept sync, printable, or nothing.
std::string causeOf(const SiteDecision &decision);

/// Names the kind of fact that a piece of evidence is: "another sync orders it", "machine rule same-access-chain".
std::string evidenceGroup(const Evidence &evidence);

/// Names the kinds of facts that a removal or move relies on, each once, in alphabetical order: "another sync orders
/// it, it orders nothing".
std::string whyEdited(const SiteDecision &decision);

struct EditedGroup {
  std::string why; // whyEdited
  std::uint32_t count = 0;
  std::vector<GroupCause> causes; // the conflicts, as sortedCauses has them; empty text: none
};

/// Groups the sites of one verdict, Removed or Moved, by what their edits rely on; the largest group first, then by
/// reason. The cause of a moved flag is the conflict that keeps it from going farther.
std::vector<EditedGroup> groupEdited(const ReportInput &input, Verdict verdict);

// Lists.

/// Returns the entry of the site of a decision, lines ended by newlines.
std::string describeSite(const ReportInput &input, const SiteDecision &decision);

/// Returns "line 68: set_flag(..); orders the read of v29 (line 120) before the write at line 100". The lines are those
/// of the input.
std::string describeAdded(const SourceText &source, const AddedSync &added);

/// Returns the entries of all sites, or of those with one verdict, by position.
std::string listSites(const ReportInput &input, const std::optional<Verdict> &only = std::nullopt);

/// The statements of one edit: what is decided about those of the text, and those that it adds.
struct NumberedEdit {
  std::vector<const SiteDecision *> decided;
  std::vector<const AddedSync *> added;
};

using NumberedEdits = std::map<std::uint32_t, NumberedEdit>; // by number

/// Returns the edits of a result, which must outlive them.
NumberedEdits numberedEdits(const Module &module, const OptimizeResult &result);

/// Returns what each edit is, by number: "removed pipe_barrier(PIPE_V) at line 12 [gu]", its kernel and its
/// fingerprint.
std::map<std::uint32_t, EditName> nameEdits(const Module &module, const OptimizeResult &result);

/// Returns "removed pipe_barrier(PIPE_V) at line 12 [gu] (07d3.., kernel k)".
std::string describeName(const EditName &edit);

/// Returns the entries of what an approval kept from being made although it asks for it, each a line.
std::vector<std::string> describeBlocked(const ApprovalOutcome &outcome);

/// Lists every edit in the order in which they were made, one line each.
std::string listEdits(const ReportInput &input);

/// Describes one edit with the evidence of each of its statements, or says that there is no such edit.
std::string describeEdit(const ReportInput &input, std::uint32_t number);

// Writes the report for a person: one line with the verdict, then what a kernel's author asks next.
//
//   verdict            135 barriers, 72 removed, 63 kept (trust: tile, arch: a3)
//   table              found, removed, kept per core section and pipe
//   patterns           what each enabled pattern claimed and removed
//   reasons            why the removed and moved ones went, why the others stay; the most frequent causes first
//   trouble            skipped kernels, unknown calls, flag faults, unresolved pairs
//   sites (verbose)    every site with its evidence or its witness, as file:line:column
//   next               what to do to have more removed
//
// Parts with nothing to say are left out. The text is for reading and changes from version to
// version; programs read the JSON report.
// Tested by tests/report/report_test.cpp.

struct TextReportOptions {
  /// Lists every site, and every unresolved pair and flag fault instead of the first few.
  bool verbose = false;
  /// Restricts the report to the syncs with this verdict: why, and with `verbose` each of them.
  std::optional<Verdict> only = std::nullopt;
};

/// Returns the report, which ends with a newline.
std::string textReport(const ReportInput &input, const TextReportOptions &options = {});

/// Returns the line with the verdict alone, without a newline.
std::string verdictLine(const ReportInput &input);

} // namespace ptosync
