#include "report/decision_lists.h"

#include "optimize/wording.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
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

std::vector<KeptGroup> groupKept(const ReportInput &input) {
  std::map<KeptReason, std::map<std::string, std::vector<std::uint32_t>>> reasons;
  for (const SiteDecision &decision : input.result->decisions) {
    if (decision.verdict != Verdict::Kept || decision.site >= input.module->sites.size())
      continue;
    std::string cause = decision.witness ? conflictFamily(*decision.witness) : printable(decision.detail);
    reasons[decision.reason][cause].push_back(input.module->sites[decision.site].line);
  }
  std::vector<KeptGroup> groups;
  for (auto &[reason, causes] : reasons) {
    std::vector<GroupCause> sorted = sortedCauses(std::move(causes));
    groups.push_back({reason, siteCount(sorted), std::move(sorted)});
  }
  return groups;
}

// Groups: why syncs went.

namespace {

/// The first conflict that is relied on; empty if there is none.
std::string causeOfEdit(const SiteDecision &decision) {
  for (const Evidence &evidence : decision.evidence)
    if (evidence.relied && evidence.conflict)
      return conflictFamily(*evidence.conflict);
  return "";
}

} // namespace

std::string evidenceGroup(const Evidence &evidence) {
  switch (evidence.by) {
  case Evidence::By::Sync: return "another sync orders it";
  case Evidence::By::Rule: return "machine rule " + printable(evidence.rule);
  case Evidence::By::Library: return "barrier inside a library call";
  case Evidence::By::Nothing: return "it orders nothing";
  case Evidence::By::Web: return "what waits for it is gone";
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
      reasons[whyEdited(decision)][causeOfEdit(decision)].push_back(input.module->sites[decision.site].line);
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
    return entry + evidenceLines(decision.evidence);
  }
  entry += ": " + keptBecause(decision) + "\n";
  if (decision.witness && !decision.detail.empty())
    entry += "    " + printable(decision.detail) + "\n";
  return entry;
}

std::string describeAdded(const SourceText &source, const AddedSync &added) {
  return "line " + std::to_string(source.position(added.offset).line) + ": " +
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

namespace {

struct NumberedEdit {
  std::vector<const SiteDecision *> decided;
  std::vector<const AddedSync *> added;
};

using Edits = std::map<std::uint32_t, NumberedEdit>; // by number

Edits editsOf(const ReportInput &input) {
  Edits edits;
  for (const SiteDecision &decision : input.result->decisions)
    if (decision.edit != 0 && decision.site < input.module->sites.size())
      edits[decision.edit].decided.push_back(&decision);
  for (const AddedSync &sync : input.result->added)
    edits[sync.edit].added.push_back(&sync);
  return edits;
}

std::string statements(const ReportInput &input, const std::vector<const SiteDecision *> &decided) {
  std::string text;
  const char *separator = "";
  for (const SiteDecision *decision : decided) {
    const SyncSite &site = input.module->sites[decision->site];
    bool moved = decision->verdict == Verdict::Moved;
    if (!*separator)
      text += moved ? "moved " : "removed ";
    text += separator + printable(site.text) + (moved ? " from line " : " at line ") + std::to_string(site.line);
    if (moved)
      text += " to " + describeLines(movedLines(input.module->source, *decision), kMostPlaces);
    separator = ", ";
  }
  return text + " [" + printable(decided.front()->pattern) + "]";
}

/// A kernel placed anew has many statements: how many, not which.
std::string headline(const ReportInput &input, std::uint32_t number, const NumberedEdit &edit) {
  std::string text = "edit " + std::to_string(number) + ": ";
  if (edit.added.empty())
    return text + statements(input, edit.decided) + "\n";
  const AddedSync &first = *edit.added.front();
  return text + "placed anew " + describeKernel(first.kernel, first.section) + ": " +
         std::to_string(edit.decided.size()) + " removed, " + std::to_string(edit.added.size()) + " added\n";
}

} // namespace

std::string listEdits(const ReportInput &input) {
  std::string text;
  for (const auto &[number, edit] : editsOf(input))
    text += headline(input, number, edit);
  return text.empty() ? "no edits\n" : text;
}

std::string describeEdit(const ReportInput &input, std::uint32_t number) {
  Edits edits = editsOf(input);
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

} // namespace ptosync
