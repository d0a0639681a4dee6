#include "optimize/wording.h"

#include <set>

namespace ptosync {
namespace {

constexpr std::size_t kEvidenceLines = 8;

/// `lead: text`, or `lead` alone if there is nothing to add.
std::string withText(const std::string &lead, const std::string &text) {
  std::string clean = printable(text);
  return clean.empty() ? lead : lead + ": " + clean;
}

} // namespace

std::vector<std::uint32_t> movedLines(const SourceText &source, const SiteDecision &decision) {
  std::set<std::uint32_t> lines;
  for (const TextPlace &place : decision.movedTo)
    lines.insert(source.position(place.offset).line);
  return {lines.begin(), lines.end()};
}

std::string describeKernel(std::string_view kernel, Section section) {
  std::string name = printable(kernel);
  return section == Section::Both ? name : name + " (" + std::string(sectionName(section)) + ")";
}

std::string describeInstruction(const InstructionPlace &place) {
  std::string result = "line " + std::to_string(place.line);
  for (std::uint32_t caller : place.calledFrom)
    result += " (called from line " + std::to_string(caller) + ")";
  return result + " " + printable(place.text);
}

std::string describeConflict(const Conflict &conflict) {
  std::string result = hazardKindName(conflict.kind);
  std::string storage = printable(conflict.storage);
  if (!storage.empty())
    result += " on " + storage;
  result += ": " + describeInstruction(conflict.earlier) + " -> " + describeInstruction(conflict.later);
  return conflict.loopCarried ? result + ", carried round the loop" : result;
}

const char *evidenceName(Evidence::By by) {
  switch (by) {
  case Evidence::By::Sync: return "sync";
  case Evidence::By::Rule: return "rule";
  case Evidence::By::Library: return "library";
  case Evidence::By::Nothing: return "nothing";
  case Evidence::By::Web: return "web";
  case Evidence::By::Bracket: return "bracket";
  case Evidence::By::Anew: return "anew";
  case Evidence::By::Place: return "place";
  }
  return "?";
}

std::string describeEvidence(const Evidence &evidence) {
  const std::string several = evidence.lines.size() > 1 ? "s" : "";
  std::string at = evidence.lines.empty() ? "" : " at " + describeLines(evidence.lines, kEvidenceLines);
  std::string lead;
  switch (evidence.by) {
  case Evidence::By::Sync: lead = "sync" + several + at; break;
  case Evidence::By::Rule: lead = "machine rule " + printable(evidence.rule) + at; break;
  case Evidence::By::Library: lead = "barrier inside the library call" + several + at; break;
  case Evidence::By::Nothing: lead = "no conflict"; break;
  case Evidence::By::Web: lead = "goes with the wait" + several + at; break;
  case Evidence::By::Bracket: lead = "goes with the get" + several + at; break;
  case Evidence::By::Anew: lead = "placed anew"; break;
  case Evidence::By::Place: lead = "goes no farther"; break;
  }
  return withText(lead, evidence.text);
}

std::string_view explainReason(KeptReason reason) {
  switch (reason) {
  case KeptReason::None: return "removed";
  case KeptReason::Hazard: return "without it two accesses of the same bytes are unordered";
  case KeptReason::Unresolved: return "it may be what orders a pair that the analysis cannot see ordered";
  case KeptReason::Protected:
    return "a comment keeps it, or it belongs to the end fence, a flush or a larger statement";
  case KeptReason::NotNominated: return "no enabled pattern matches";
  case KeptReason::NotAnalysed: return "its kernel could not be analysed";
  case KeptReason::Unbalanced:
    return "its flag is not set and waited for in turn on every path, or its id is not known";
  case KeptReason::Intermittent: return "its flag is carried round a loop and used on some of its trips only";
  case KeptReason::Unreached: return "no run is seen to reach it, or another statement of its flag";
  case KeptReason::Limit: return "--max-removals was reached before it, or --lines does not name its line";
  case KeptReason::NotApproved: return "the approval of --approved does not let its edit through";
  }
  return "?";
}

std::string protectionText(const SyncSite &site) {
  switch (site.protection) {
  case Protection::KeepComment:
    return "a keep comment holds it" + (site.keepReason.empty() ? "" : ": " + site.keepReason);
  case Protection::Tail: return "it is the kernel's end fence";
  case Protection::Flush: return "it drains scalar stores in front of a cache flush";
  case Protection::NotOneStatement:
    if (!site.keepReason.empty())
      return "it is not edited: " + site.keepReason;
    break;
  case Protection::None: break;
  }
  return "it is not a statement of its own, but part of a macro or an expression; write it as a statement to have it "
         "edited";
}

} // namespace ptosync
