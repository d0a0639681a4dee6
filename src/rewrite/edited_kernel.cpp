#include "rewrite/edited_kernel.h"

#include "optimize/decision.h"
#include "rewrite/sync_edits.h"

#include <map>

namespace ptosync {

std::vector<Edit> editsFor(const Module &module, const OptimizeResult &result) {
  std::vector<SyncRemoval> removals;
  std::map<std::pair<std::uint32_t, std::uint32_t>, SyncMove> moves; // in the order in which they stand
  for (const SiteDecision &decision : result.decisions)
    if (decision.verdict == Verdict::Removed)
      removals.push_back({decision.site, decision.pattern, removalReason(decision, module.sites)});
    else if (decision.verdict == Verdict::Moved)
      for (const Arrival &place : decision.movedTo)
        moves[{place.offset, place.rank}] = {decision.site, place.offset, decision.pattern};
  std::vector<SyncMove> ordered;
  for (const auto &[edit, move] : moves)
    ordered.push_back(move);
  return withAdded(module.source, syncEdits(module.source, module.sites, removals, ordered), result.added);
}

llvm::Expected<std::string> patchedText(const Module &module, const OptimizeResult &result) {
  return applyEdits(module.source, editsFor(module, result));
}

std::set<Section> editedSections(const OptimizeResult &result) {
  std::set<Section> sections;
  for (const SiteDecision &decision : result.decisions)
    if (decision.verdict != Verdict::Kept)
      sections.insert(decision.sections.begin(), decision.sections.end());
  for (const AddedSync &added : result.added)
    sections.insert(added.section);
  return sections;
}

} // namespace ptosync
