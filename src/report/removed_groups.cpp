#include "report/removed_groups.h"

#include "optimize/wording.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
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

} // namespace ptosync
