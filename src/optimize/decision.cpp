#include "optimize/decision.h"

#include <algorithm>
#include <set>

namespace ptosync {

const char *keptReasonName(KeptReason reason) {
  switch (reason) {
  case KeptReason::None: return "none";
  case KeptReason::Hazard: return "hazard";
  case KeptReason::Unresolved: return "unresolved";
  case KeptReason::Protected: return "protected";
  case KeptReason::NotNominated: return "not-nominated";
  case KeptReason::NotAnalysed: return "not-analysed";
  case KeptReason::Unbalanced: return "unbalanced";
  case KeptReason::Intermittent: return "intermittent";
  case KeptReason::Unreached: return "unreached";
  case KeptReason::Limit: return "limit";
  case KeptReason::NotApproved: return "not-approved";
  }
  return "?";
}

SyncPlan planOf(const Module &module, const OptimizeResult &result) {
  SyncPlan plan;
  for (const SiteDecision &decision : result.decisions)
    if (decision.verdict == Verdict::Removed)
      plan.removed[decision.site] = {decision.pattern, removalReason(decision, module.sites)};
    else if (decision.verdict == Verdict::Moved)
      plan.moved[decision.site] = {decision.movedTo, decision.pattern};
  plan.added = result.added;
  return plan;
}

std::uint32_t editsOf(const OptimizeResult &result) {
  std::uint32_t last = 0;
  for (const SiteDecision &decision : result.decisions)
    last = std::max(last, decision.edit);
  for (const AddedSync &added : result.added)
    last = std::max(last, added.edit);
  return last;
}

namespace {

/// What stands on these lines: "flag", "bracket", "barrier", or "sync" if several or none are known to.
std::string kindOnLines(const std::set<std::uint32_t> &lines, const std::vector<SyncSite> &sites) {
  std::set<std::string> kinds;
  for (const SyncSite &site : sites)
    if (lines.count(site.line))
      kinds.insert(isFlag(site.kind) ? "flag" : isBuffer(site.kind) ? "bracket" : "barrier");
  return kinds.size() == 1 ? *kinds.begin() : "sync";
}

} // namespace

std::vector<SyncPlan::Reliance> removalReason(const SiteDecision &decision, const std::vector<SyncSite> &sites) {
  std::set<std::uint32_t> syncs, calls, waits, gets;
  std::set<std::string> rules;
  bool anew = false, nothing = false;
  for (const Evidence &evidence : decision.evidence) {
    if (!evidence.relied)
      continue;
    switch (evidence.by) {
    case Evidence::By::Sync: syncs.insert(evidence.lines.begin(), evidence.lines.end()); break;
    case Evidence::By::Rule: rules.insert(evidence.rule); break;
    case Evidence::By::Library: calls.insert(evidence.lines.begin(), evidence.lines.end()); break;
    case Evidence::By::Web: waits.insert(evidence.lines.begin(), evidence.lines.end()); break;
    case Evidence::By::Bracket: gets.insert(evidence.lines.begin(), evidence.lines.end()); break;
    case Evidence::By::Anew: anew = true; break;
    case Evidence::By::Nothing: nothing = true; break;
    case Evidence::By::Place: break;
    }
  }
  std::vector<SyncPlan::Reliance> reason;
  if (!syncs.empty())
    reason.push_back({kindOnLines(syncs, sites), syncs});
  for (const std::string &rule : rules)
    reason.push_back({"rule " + rule, {}});
  if (!calls.empty())
    reason.push_back({"inside call", calls});
  if (!waits.empty())
    reason.push_back({"with wait", waits});
  if (!gets.empty())
    reason.push_back({"with get", gets});
  if (anew)
    reason.push_back({"placed anew", {}});
  if (reason.empty() && nothing)
    reason.push_back({"nothing to order", {}});
  return reason;
}

} // namespace ptosync
