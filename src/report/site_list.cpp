#include "report/site_list.h"

#include "optimize/wording.h"

namespace ptosync {
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

} // namespace ptosync
