#include "report/report.h"

#include "kernel/column_table.h"
#include "optimize/json_parts.h"
#include "optimize/library_use.h"
#include "optimize/wording.h"
#include "report/needed_syncs.h"
#include "rewrite/edit_fingerprint.h"
#include "timing/cost_report.h"

#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <ostream>
#include <set>
#include <string_view>
#include <vector>

namespace ptosync {

// Counts.

namespace {

void add(Tally &tally, Verdict verdict) {
  ++tally.found;
  if (verdict == Verdict::Removed)
    ++tally.removed;
  if (verdict == Verdict::Moved)
    ++tally.moved;
}

void countSite(Counts &counts, const SyncSite &site, const SiteDecision &decision) {
  SectionCounts &section = counts.sections[sectionRow(decision.sections)];
  switch (site.kind) {
  case SyncKind::Barrier:
    add(counts.barriers, decision.verdict);
    add(section.barriers[site.source], decision.verdict);
    break;
  case SyncKind::SetFlag:
  case SyncKind::WaitFlag:
    add(counts.flags, decision.verdict);
    add(section.flags, decision.verdict);
    break;
  case SyncKind::GetBuffer:
  case SyncKind::ReleaseBuffer:
    add(counts.buffers, decision.verdict);
    add(section.buffers, decision.verdict);
    break;
  case SyncKind::Tail:
    add(counts.tails, decision.verdict);
    add(section.tails, decision.verdict);
    break;
  }
  if (decision.verdict == Verdict::Kept)
    ++counts.kept[decision.reason];
}

std::vector<PatternCount> countPatterns(const ReportInput &input) {
  std::map<std::string, Tally> claimed;
  for (const SiteDecision &decision : input.result->decisions)
    if (!decision.pattern.empty())
      add(claimed[decision.pattern], decision.verdict);
  std::vector<PatternCount> patterns;
  for (const std::string &id : input.patternIds) {
    auto claim = claimed.extract(id);
    patterns.push_back({id, claim ? claim.mapped() : Tally{}});
  }
  for (const auto &[id, sites] : claimed)
    patterns.push_back({id, sites});
  return patterns;
}

} // namespace

std::ostream &operator<<(std::ostream &out, const Tally &tally) {
  out << tally.removed << " of " << tally.found << " removed";
  return tally.moved ? out << ", " << tally.moved << " moved" : out;
}

std::string_view sectionRowName(SectionRow row) {
  switch (row) {
  case SectionRow::Cube: return "cube";
  case SectionRow::Vec: return "vec";
  case SectionRow::Both: return "both";
  case SectionRow::Nowhere: return "unused";
  }
  return "?";
}

SectionRow sectionRow(const std::vector<Section> &sections) {
  if (sections.empty())
    return SectionRow::Nowhere;
  if (sections.size() > 1 || sections.front() == Section::Both)
    return SectionRow::Both;
  return sections.front() == Section::Cube ? SectionRow::Cube : SectionRow::Vec;
}

Counts countSites(const ReportInput &input) {
  Counts counts;
  const std::vector<SyncSite> &sites = input.module->sites;
  for (const SiteDecision &decision : input.result->decisions)
    if (decision.site < sites.size())
      countSite(counts, sites[decision.site], decision);
  counts.patterns = countPatterns(input);
  return counts;
}

// Groups: why syncs are kept.

namespace {

/// "TROWSUM (PIPE_V)": the name in front of the operands and template arguments.
std::string operation(const InstructionPlace &place) {
  std::string text = printable(place.text);
  return text.substr(0, text.find_first_of("(<")) + " (" + std::string(pipeName(place.pipe)) + ")";
}

} // namespace

std::vector<GroupCause> sortedCauses(std::map<std::string, std::vector<std::uint32_t>> causes) {
  std::vector<GroupCause> sorted;
  for (auto &[text, lines] : causes) {
    std::sort(lines.begin(), lines.end());
    sorted.push_back({text, std::move(lines)});
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const GroupCause &left, const GroupCause &right) {
    return left.lines.size() > right.lines.size();
  });
  return sorted;
}

std::uint32_t siteCount(const std::vector<GroupCause> &causes) {
  std::size_t count = 0;
  for (const GroupCause &cause : causes)
    count += cause.lines.size();
  return static_cast<std::uint32_t>(count);
}

std::string conflictFamily(const Conflict &conflict) {
  std::string result = hazardKindName(conflict.kind);
  // The memory is the first word of "UB [98304, 98432)" and "GM argument v1".
  std::string storage = printable(conflict.storage);
  if (!storage.empty())
    result += " on " + storage.substr(0, storage.find_first_of(" [,"));
  result += ": " + operation(conflict.earlier) + " -> " + operation(conflict.later);
  return conflict.loopCarried ? result + ", carried round the loop" : result;
}

std::string causeOf(const SiteDecision &decision) {
  if (decision.verdict == Verdict::Kept)
    return decision.witness ? conflictFamily(*decision.witness) : printable(decision.detail);
  for (const Evidence &evidence : decision.evidence)
    if (evidence.relied && evidence.conflict)
      return conflictFamily(*evidence.conflict);
  return "";
}

std::vector<KeptGroup> groupKept(const ReportInput &input) {
  std::map<KeptReason, std::map<std::string, std::vector<std::uint32_t>>> reasons;
  for (const SiteDecision &decision : input.result->decisions) {
    if (decision.verdict != Verdict::Kept || decision.site >= input.module->sites.size())
      continue;
    reasons[decision.reason][causeOf(decision)].push_back(input.module->sites[decision.site].line);
  }
  std::vector<KeptGroup> groups;
  for (auto &[reason, causes] : reasons) {
    std::vector<GroupCause> sorted = sortedCauses(std::move(causes));
    groups.push_back({reason, siteCount(sorted), std::move(sorted)});
  }
  return groups;
}

// Groups: why syncs went.

std::string evidenceGroup(const Evidence &evidence) {
  switch (evidence.by) {
  case Evidence::By::Sync: return "another sync orders it";
  case Evidence::By::Rule: return "machine rule " + printable(evidence.rule);
  case Evidence::By::Library: return "barrier inside a library call";
  case Evidence::By::Nothing: return "it orders nothing";
  case Evidence::By::Web: return "what waits for it is gone";
  case Evidence::By::Bracket: return "its bracket is gone";
  case Evidence::By::Anew: return "the kernel's syncs were placed anew";
  case Evidence::By::Place: return "nothing in between needs it";
  }
  return "?";
}

std::string whyEdited(const SiteDecision &decision) {
  std::set<std::string> reasons;
  for (const Evidence &evidence : decision.evidence)
    if (evidence.relied)
      reasons.insert(evidenceGroup(evidence));
  std::string text;
  for (const std::string &reason : reasons)
    text += (text.empty() ? "" : ", ") + reason;
  return text;
}

std::vector<EditedGroup> groupEdited(const ReportInput &input, Verdict verdict) {
  std::map<std::string, std::map<std::string, std::vector<std::uint32_t>>> reasons;
  for (const SiteDecision &decision : input.result->decisions)
    if (decision.verdict == verdict && decision.site < input.module->sites.size())
      reasons[whyEdited(decision)][causeOf(decision)].push_back(input.module->sites[decision.site].line);
  std::vector<EditedGroup> groups;
  for (auto &[why, causes] : reasons) {
    std::vector<GroupCause> sorted = sortedCauses(std::move(causes));
    groups.push_back({why, siteCount(sorted), std::move(sorted)});
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const EditedGroup &left, const EditedGroup &right) { return left.count > right.count; });
  return groups;
}

// Sites.

namespace {

/// Reasons for one conflict stand below it together.
std::string evidenceLines(const std::vector<Evidence> &list) {
  std::string lines, above;
  for (const Evidence &evidence : list) {
    std::string indent = "    ";
    if (evidence.conflict) {
      std::string conflict = indent + describeConflict(*evidence.conflict) + "\n";
      if (conflict != above)
        lines += conflict;
      above = std::move(conflict);
      indent += "  ";
    }
    lines += indent + (evidence.relied ? "" : "also, not relied on: ") + describeEvidence(evidence) + "\n";
  }
  return lines;
}

/// What follows "kept pipe_barrier(PIPE_V): ". A hazard's witness says it all by itself.
std::string keptBecause(const SiteDecision &decision) {
  if (decision.witness && decision.reason == KeptReason::Hazard)
    return describeConflict(*decision.witness);
  std::string text = keptReasonName(decision.reason);
  if (decision.witness)
    return text + ": " + describeConflict(*decision.witness);
  std::string detail = printable(decision.detail);
  return text + ": " + (detail.empty() ? std::string(explainReason(decision.reason)) : detail);
}

std::string verdictWord(Verdict verdict) {
  return verdict == Verdict::Removed ? "removed" : verdict == Verdict::Moved ? "moved" : "kept";
}

} // namespace

/// What runs say of a sync that stays, if they were asked.
static std::string neededEntry(const ReportInput &input, SiteId site) {
  if (!input.needed)
    return "";
  auto found = input.needed->bySite.find(site);
  return found == input.needed->bySite.end() ? "" : "    " + neededLine(found->second) + "\n";
}

std::string describeSite(const ReportInput &input, const SiteDecision &decision) {
  const SourceText &source = input.module->source;
  const SyncSite &site = input.module->sites[decision.site];
  std::string entry = printable(source.name()) + ":" + std::to_string(site.line) + ":" + std::to_string(site.column) +
                      ": " + verdictWord(decision.verdict) + " " + printable(site.text);
  if (decision.verdict != Verdict::Kept) {
    if (decision.verdict == Verdict::Moved)
      entry += " to " + describeLines(movedLines(source, decision), kMostPlaces);
    if (!decision.pattern.empty())
      entry += " [" + printable(decision.pattern) + "]";
    entry += "\n";
    if (input.notReplayed.count(decision.site))
      entry += "    proved, not replayed: no run of the replay reached it\n";
    return entry + evidenceLines(decision.evidence) + neededEntry(input, decision.site);
  }
  entry += ": " + keptBecause(decision) + "\n";
  if (decision.witness && !decision.detail.empty())
    entry += "    " + printable(decision.detail) + "\n";
  return entry + neededEntry(input, decision.site);
}

std::string describeAdded(const SourceText &source, const AddedSync &added) {
  return "line " + std::to_string(source.position(added.place.offset).line) + ": " +
         (added.guard.empty() ? "" : "if (" + printable(added.guard) + ") ") + added.statement + " orders " +
         printable(added.earlier) + " (line " + std::to_string(added.earlierLine) + ") before " +
         printable(added.later) + " at line " + std::to_string(added.laterLine);
}

std::string listSites(const ReportInput &input, const std::optional<Verdict> &only) {
  std::string list;
  for (const SiteDecision &decision : input.result->decisions)
    if (decision.site < input.module->sites.size() && (!only || decision.verdict == *only))
      list += describeSite(input, decision);
  return list;
}

// Edits.

NumberedEdits numberedEdits(const Module &module, const OptimizeResult &result) {
  NumberedEdits edits;
  for (const SiteDecision &decision : result.decisions)
    if (decision.edit != 0 && decision.site < module.sites.size())
      edits[decision.edit].decided.push_back(&decision);
  for (const AddedSync &sync : result.added)
    edits[sync.edit].added.push_back(&sync);
  return edits;
}

namespace {

std::string statements(const Module &module, const std::vector<const SiteDecision *> &decided) {
  std::string text;
  const char *separator = "";
  for (const SiteDecision *decision : decided) {
    const SyncSite &site = module.sites[decision->site];
    bool moved = decision->verdict == Verdict::Moved;
    if (!*separator)
      text += moved ? "moved " : "removed ";
    text += separator + printable(site.text) + (moved ? " from line " : " at line ") + std::to_string(site.line);
    if (moved)
      text += " to " + describeLines(movedLines(module.source, *decision), kMostPlaces);
    separator = ", ";
  }
  return text + " [" + printable(decided.front()->pattern) + "]";
}

/// A kernel placed anew has many statements: how many, not which.
std::string titleOf(const Module &module, const NumberedEdit &edit) {
  if (edit.added.empty())
    return statements(module, edit.decided);
  const AddedSync &first = *edit.added.front();
  return "placed anew " + describeKernel(first.kernel, first.section) + ": " + std::to_string(edit.decided.size()) +
         " removed, " + std::to_string(edit.added.size()) + " added";
}

std::string headline(const ReportInput &input, std::uint32_t number, const NumberedEdit &edit) {
  return "edit " + std::to_string(number) + ": " + titleOf(*input.module, edit) + "\n";
}

} // namespace

std::map<std::uint32_t, EditName> nameEdits(const Module &module, const OptimizeResult &result) {
  const std::map<std::uint32_t, std::string> fingerprints = editFingerprints(module, result);
  std::map<std::uint32_t, EditName> names;
  for (const auto &[number, edit] : numberedEdits(module, result)) {
    std::set<std::string> kernels;
    for (const SiteDecision *decision : edit.decided)
      kernels.insert(decision->kernels.begin(), decision->kernels.end());
    for (const AddedSync *added : edit.added)
      kernels.insert(added->kernel);
    names[number] = {fingerprints.at(number), llvm::join(kernels, ", "), titleOf(module, edit)};
  }
  return names;
}

std::string describeName(const EditName &edit) {
  if (edit.title.empty())
    return printable(edit.fingerprint) + (edit.kernel.empty() ? "" : " (kernel " + printable(edit.kernel) + ")");
  return printable(edit.title) + " (" + printable(edit.fingerprint) +
         (edit.kernel.empty() ? ")" : ", kernel " + printable(edit.kernel) + ")");
}

std::vector<std::string> describeBlocked(const ApprovalOutcome &outcome) {
  std::vector<std::string> lines;
  for (const ApprovalOutcome::Blocked &blocked : outcome.blocked) {
    std::string needs;
    for (const EditName &edit : blocked.needs)
      needs.append(needs.empty() ? "" : "; or ").append(describeName(edit));
    lines.push_back(describeName(blocked.edit) + " cannot be made without " +
                    (needs.empty() ? "an edit that is left out" : needs));
  }
  return lines;
}

std::string listEdits(const ReportInput &input) {
  std::string text;
  for (const auto &[number, edit] : numberedEdits(*input.module, *input.result))
    text += headline(input, number, edit);
  return text.empty() ? "no edits\n" : text;
}

std::string describeEdit(const ReportInput &input, std::uint32_t number) {
  const NumberedEdits edits = numberedEdits(*input.module, *input.result);
  auto found = edits.find(number);
  if (found == edits.end())
    return "there is no edit " + std::to_string(number) + ": " + countOf(edits.size(), "edit") + " in all\n";
  std::string text = headline(input, number, found->second);
  for (const SiteDecision *decision : found->second.decided)
    text += describeSite(input, *decision);
  for (const AddedSync *added : found->second.added)
    text += "added at " + describeAdded(input.module->source, *added) + "\n";
  return text;
}

namespace {

constexpr std::size_t kShownCauses = 5;
constexpr std::size_t kShownExamples = 3;
constexpr std::size_t kShownLines = 4;

std::string tallyClause(const Tally &tally, std::string_view noun) {
  std::string clause = countOf(tally.found, noun);
  if (tally.found > 0)
    clause += ", " + std::to_string(tally.removed) + " removed, " +
              (tally.moved ? std::to_string(tally.moved) + " moved, " : "") + std::to_string(tally.kept()) + " kept";
  return clause;
}

/// "synchronised from nothing: 10 syncs placed, 16 of the input's forgotten".
std::string synchronisedClause(const ReportInput &input, const Counts &counts) {
  std::size_t left = 0;
  for (const synthesis::KernelResync &kernel : *input.resync)
    left += kernel.left;
  const std::size_t forgotten = counts.barriers.removed + counts.flags.removed + counts.buffers.removed;
  return "synchronised from nothing: " + countOf(input.result->added.size(), "sync") + " placed" +
         (forgotten ? ", " + std::to_string(forgotten) + " of the input's forgotten" : "") +
         (left ? ", " + countOf(left, "kernel") + " left as it came" : "");
}

std::string verdict(const ReportInput &input, const Counts &counts) {
  if (input.module->kernels.empty())
    return "no kernels found in " + printable(input.module->source.name());
  const std::vector<Kernel> &kernels = input.module->kernels;
  const bool none = std::none_of(kernels.begin(), kernels.end(), [](const Kernel &one) { return one.analysable; });
  std::string text = none                ? "no kernel analysed"
                     : input.fromNothing ? synchronisedClause(input, counts)
                                         : tallyClause(counts.barriers, "barrier");
  // Flags are news only if some went, or if there is nothing else.
  if (!input.fromNothing &&
      (counts.flags.removed + counts.flags.moved > 0 || (counts.barriers.found == 0 && counts.flags.found > 0)))
    text += "; " + tallyClause(counts.flags, "flag statement");
  if (!input.fromNothing && counts.buffers.found > 0)
    text += "; " + tallyClause(counts.buffers, "buffer id statement");
  return text + " (trust: " + trustName(input.trust) + ", arch: " + printable(input.arch) + ")";
}

std::string contextLine(const ReportInput &input) {
  std::string text = "file " + printable(input.module->source.name());
  if (!input.patterns.empty())
    text += ", patterns " + printable(input.patterns);
  if (!input.library.empty())
    text += ", library " + printable(input.library);
  text += "\n";
  if (!input.archChoice.empty())
    text += "arch " + printable(input.archChoice) + "\n";
  return text;
}

std::string sectionTable(const Counts &counts) {
  if (counts.sections.empty())
    return "";
  using Align = ColumnTable::Align;
  ColumnTable table(2, {Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right});
  auto add = [&](std::string_view section, std::string_view sync, const Tally &tally) {
    table.add({std::string(section), std::string(sync), std::to_string(tally.found), std::to_string(tally.removed),
               std::to_string(tally.moved), std::to_string(tally.kept())});
  };
  table.add({"section", "sync", "found", "removed", "moved", "kept"});
  for (const auto &[row, section] : counts.sections) {
    for (const auto &[pipe, tally] : section.barriers)
      add(sectionRowName(row), pipeName(pipe), tally);
    if (section.flags.found > 0)
      add(sectionRowName(row), "flags", section.flags);
    if (section.buffers.found > 0)
      add(sectionRowName(row), "buffer ids", section.buffers);
    if (section.tails.found > 0)
      add(sectionRowName(row), "end fence", section.tails);
  }
  return "\n" + table.format();
}

/// Of the edited statements, those for which only the proof speaks.
std::string replayPart(const ReportInput &input, const Counts &counts) {
  if (input.notReplayed.empty())
    return "";
  std::vector<std::uint32_t> lines;
  lines.reserve(input.notReplayed.size());
  for (SiteId site : input.notReplayed)
    lines.push_back(input.module->sites[site].line);
  const std::uint32_t edited = counts.barriers.removed + counts.barriers.moved + counts.flags.removed +
                               counts.flags.moved + counts.buffers.removed + counts.buffers.moved;
  return "\n" + std::to_string(lines.size()) + " of " + countOf(edited, "edited statement") +
         " proved, not replayed: no run reached " + describeLines(lines, kShownLines) + "\n";
}

std::string patternPart(const Counts &counts) {
  std::size_t width = 0;
  std::string silent;
  for (const PatternCount &pattern : counts.patterns) {
    if (pattern.sites.found > 0)
      width = std::max(width, pattern.id.size());
    else
      silent += (silent.empty() ? "" : ", ") + printable(pattern.id);
  }
  std::string text;
  for (const PatternCount &pattern : counts.patterns)
    if (pattern.sites.found > 0)
      text += "  " + pattern.id + std::string(width - pattern.id.size(), ' ') + "  " +
              std::to_string(pattern.sites.removed) + " removed" +
              (pattern.sites.moved ? ", " + std::to_string(pattern.sites.moved) + " moved" : "") + " of " +
              std::to_string(pattern.sites.found) + " matched\n";
  if (!silent.empty())
    text += "  no match: " + silent + "\n";
  return text.empty() ? "" : "\nby pattern\n" + text;
}

std::string causeLine(const GroupCause &cause) {
  std::string text = cause.text.empty() ? "at " : cause.text + ", at ";
  return "    " + std::to_string(cause.lines.size()) + "x " + text + describeLines(cause.lines, kShownLines) + "\n";
}

/// The first few causes of a group, and how many sites there are for others.
std::string causeLines(const std::vector<GroupCause> &causes) {
  std::string text;
  std::size_t shown = std::min(causes.size(), kShownCauses), hidden = 0;
  for (std::size_t i = 0; i < causes.size(); ++i)
    if (i < shown)
      text += causeLine(causes[i]);
    else
      hidden += causes[i].lines.size();
  if (hidden > 0)
    text += "    " + std::to_string(hidden) + "x for " + countOf(causes.size() - shown, "other cause") + "\n";
  return text;
}

std::string editedPart(const ReportInput &input, Verdict verdict, const std::string &title) {
  std::string text;
  for (const EditedGroup &group : groupEdited(input, verdict))
    text += "  " + (group.why.empty() ? "without evidence" : group.why) + " (" + std::to_string(group.count) + ")\n" +
            causeLines(group.causes);
  return text.empty() ? "" : "\n" + title + "\n" + text;
}

std::string keptPart(const ReportInput &input) {
  std::string text;
  for (const KeptGroup &group : groupKept(input)) {
    text += "  " + std::string(keptReasonName(group.reason)) + " (" + std::to_string(group.count) +
            "): " + std::string(explainReason(group.reason)) + "\n" + causeLines(group.causes);
  }
  return text.empty() ? "" : "\nwhy the kept ones stay\n" + text;
}

/// `entries` under a title, only the first few unless `verbose`; nothing if there are none.
std::string examples(const std::string &title, const std::vector<std::string> &entries, bool verbose) {
  if (entries.empty())
    return "";
  std::string text = "\n" + title + "\n";
  std::size_t shown = verbose || entries.size() <= kShownExamples + 1 ? entries.size() : kShownExamples;
  for (std::size_t i = 0; i < shown; ++i)
    text += "  " + entries[i] + "\n";
  if (shown < entries.size())
    text += "  and " + std::to_string(entries.size() - shown) + " more\n";
  return text;
}

std::string troublePart(const ReportInput &input, bool verbose) {
  std::vector<std::string> skipped, unknown, faults, pairs;
  for (const SkippedKernel &kernel : input.result->skipped)
    skipped.push_back(describeKernel(kernel.kernel, kernel.section) + ", line " + std::to_string(kernel.line) + ": " +
                      printable(kernel.reason));
  for (const UnknownCall &call : input.module->unknownCalls)
    unknown.push_back(printable(call.name) + " at " + describeLines(call.lines, kShownLines));
  for (const TokenFault &fault : input.result->tokenFaults)
    faults.push_back(describeKernel(fault.kernel, fault.section) + ", line " + std::to_string(fault.line) + ": " +
                     printable(fault.text));
  for (const UnresolvedPair &pair : input.result->unresolved)
    pairs.push_back(describeKernel(pair.kernel, pair.section) + ": " + describeConflict(pair.conflict) +
                    (pair.silencedBy.empty() ? "" : " (silenced by rule " + printable(pair.silencedBy) + ")"));
  // Each skipped kernel and each unknown call is for the author to act on: never shortened.
  return examples(countOf(skipped.size(), "kernel") + " left untouched", skipped, true) +
         examples(countOf(unknown.size(), "unknown call") + ", taken to touch all memory on all pipes", unknown, true) +
         examples(countOf(faults.size(), "flag fault") + " in the input", faults, verbose) +
         examples(countOf(pairs.size(), "unresolved pair") +
                      " in the input, one instruction not seen ordered before the other",
                  pairs, verbose);
}

std::string rewritePart(const ReportInput &input) {
  if (!input.rewrites)
    return "";
  std::vector<std::string> entries;
  for (const FifoDecision &decision : *input.rewrites) {
    std::string place = "line " + std::to_string(decision.line) + ": " + fifoTypeText(decision.type);
    if (!decision.changed()) {
      entries.push_back(place + " kept: " + printable(decision.reason));
      continue;
    }
    entries.push_back(place + " now has " + countOf(static_cast<std::size_t>(decision.localSlots), "local slot") +
                      " [" + decision.pattern + "]");
    for (const std::string &evidence : decision.evidence)
      entries.push_back("  " + printable(evidence));
  }
  if (entries.empty())
    entries.push_back("no FIFO that the rewrite asks for");
  return examples("rewrites", entries, true);
}

/// What an approval let through and what not. What is not made is never shortened: each is for a person to decide.
std::string approvalPart(const ReportInput &input) {
  if (!input.approval)
    return "";
  auto named = [](const std::vector<EditName> &edits) {
    std::vector<std::string> lines;
    lines.reserve(edits.size());
    for (const EditName &edit : edits)
      lines.push_back(describeName(edit));
    return lines;
  };
  const ApprovalOutcome &outcome = *input.approval;
  const std::string newOnes = countOf(outcome.fresh.size(), "edit") + " not named by the approval, ";
  return "\napproval\n  " + countOf(outcome.applied, "edit") + " made\n" +
         examples(newOnes + (outcome.appliesRest ? "made all the same" : "held back"), named(outcome.fresh), true) +
         examples(countOf(outcome.rejected.size(), "edit") + " rejected by the approval", named(outcome.rejected),
                  true) +
         examples(countOf(outcome.blocked.size(), "approved edit") + " not made", describeBlocked(outcome), true);
}

/// "; 2 of its syncs order only what a contested rule of the machine orders, for 31 of the cycles".
std::string contestedClause(const synthesis::KernelResync &kernel) {
  return "; " + std::to_string(kernel.contested) + " of its syncs " + (kernel.contested == 1 ? "orders" : "order") +
         " only what a contested rule of the machine orders, for " + cyclesText(kernel.contestedCycles) +
         " of the cycles";
}

/// What placing syncs anew came to, kernel by kernel; those of which nothing came by the reason.
std::string resyncPart(const ReportInput &input) {
  if (!input.resync)
    return "";
  std::vector<std::string> entries;
  std::map<std::string, std::vector<std::string>> unchanged; // by reason
  for (const synthesis::KernelResync &kernel : *input.resync) {
    std::string name = describeKernel(kernel.kernel, kernel.section) + ", line " + std::to_string(kernel.line);
    if (!kernel.changed) {
      unchanged[kernel.reason].push_back(name);
      continue;
    }
    std::size_t added = 0;
    for (const AddedSync &sync : input.result->added)
      added += sync.kernel == kernel.kernel && sync.section == kernel.section;
    entries.push_back(name + ": " + countOf(added, "sync") + " added, estimate " +
                      (kernel.before > 0 ? cyclesText(kernel.before) + " -> " : "") + cyclesText(kernel.after) +
                      " cycles" + (kernel.pruned > 0 ? " (" + cyclesText(kernel.pruned) + " by removal alone)" : "") +
                      ", limit " + cyclesText(kernel.limit) + (kernel.contested ? contestedClause(kernel) : "") +
                      (kernel.tokens.empty() ? "" : "; " + printable(kernel.tokens)) +
                      (kernel.reason.empty() ? "" : "; more was not looked for: " + kernel.reason));
  }
  for (const auto &[reason, names] : unchanged)
    entries.push_back(firstOf(names, kMostPlaces, "; ") + " not placed anew: " + printable(reason));
  std::vector<std::string> lines;
  lines.reserve(input.result->added.size());
  for (const AddedSync &sync : input.result->added)
    lines.push_back(describeAdded(input.module->source, sync));
  return examples("placed anew", entries, true) + examples("added, by the input's lines", lines, true);
}

std::string nextPart(const ReportInput &input, const Counts &counts, const TextReportOptions &options) {
  auto kept = [&](KeptReason reason) {
    auto found = counts.kept.find(reason);
    return found == counts.kept.end() ? 0u : found->second;
  };
  std::vector<std::string> hints;
  if (!input.result->tokenFaults.empty())
    hints.push_back("mend the flag faults of the input first: such a kernel may hang");
  if (!options.verbose && !input.result->decisions.empty())
    hints.push_back("--verbose: each sync with its reason");
  if (kept(KeptReason::NotNominated) > 0)
    hints.push_back("--patterns=all: also try what no enabled pattern matches (" +
                    countOf(kept(KeptReason::NotNominated), "sync") + ")");
  if (input.trust == Trust::Tile && kept(KeptReason::Hazard) > 0)
    hints.push_back("--trust=library: count barriers inside library calls too, if the kernel is built with " +
                    (input.library.empty() ? "the library version you name" : "library " + printable(input.library)));
  if (kept(KeptReason::Limit) > 0)
    hints.push_back("without --max-removals and --lines: also decide what they leave out (" +
                    countOf(kept(KeptReason::Limit), "sync") + ")");
  if (!input.module->unknownCalls.empty())
    hints.push_back("describe the unknown calls in the machine model: they hold every sync around them in place");
  return examples("next", hints, true);
}

/// Which of those that stay some run needs.
std::string neededParagraph(const ReportInput &input) {
  return input.needed ? "\n" + neededPart(*input.module, *input.result, *input.needed) : "";
}

/// What became of the syncs, one verdict after the other, or one of them alone.
std::string verdictParts(const ReportInput &input, const std::optional<Verdict> &only) {
  std::string text;
  if (!only || *only == Verdict::Removed)
    text += editedPart(input, Verdict::Removed, "why the removed ones went");
  if (!only || *only == Verdict::Moved)
    text += editedPart(input, Verdict::Moved, "why the moved ones stand elsewhere");
  if (!only || *only == Verdict::Kept)
    text += keptPart(input);
  return text;
}

/// For a reviewer of one verdict: the verdict line, why, and with --verbose each site.
std::string restrictedReport(const ReportInput &input, const TextReportOptions &options) {
  std::string text = verdict(input, countSites(input)) + "\n" + contextLine(input);
  std::string parts = verdictParts(input, options.only);
  text += parts.empty() ? "\nno sync was " + std::string(verdictName(*options.only)) + "\n" : parts;
  if (*options.only == Verdict::Kept)
    text += neededParagraph(input);
  std::string sites = options.verbose ? listSites(input, options.only) : "";
  text += sites.empty() ? "" : "\nevery one of them\n" + sites;
  return input.costs ? text + "\n" + coresLines(input.costs->cores) + costLine(*input.costs) + "\n" : text;
}

} // namespace

std::string verdictLine(const ReportInput &input) { return verdict(input, countSites(input)); }

std::string textReport(const ReportInput &input, const TextReportOptions &options) {
  if (options.only)
    return restrictedReport(input, options);
  Counts counts = countSites(input);
  std::string text = verdict(input, counts) + "\n";
  if (!input.module->kernels.empty())
    text += contextLine(input) + sectionTable(counts) + replayPart(input, counts) + patternPart(counts) +
            libraryPart(input.libraryUse) + verdictParts(input, std::nullopt) + neededParagraph(input);
  text += approvalPart(input) + resyncPart(input) + rewritePart(input) + troublePart(input, options.verbose);
  std::string sites = options.verbose ? listSites(input) : "";
  if (!sites.empty())
    text += "\nevery sync\n" + sites;
  if (input.costs)
    text += costText(*input.module, *input.costs, options.verbose);
  text += nextPart(input, counts, options);
  return input.costs ? text + "\n" + coresLines(input.costs->cores) + costLine(*input.costs) + "\n" : text;
}

} // namespace ptosync
