#include "report/counts.h"

#include <ostream>

namespace ptosync {
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

} // namespace ptosync
