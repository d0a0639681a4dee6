#include "optimize/remove_handshake.h"

#include "optimize/flag_webs.h"

#include <algorithm>

namespace ptosync {
namespace {

constexpr std::size_t kMostWebsTogether = 6;

/// True if all that was seen to keep the web is the reuse of a flag.
bool heldByReuse(const EditSession &session, const Web &web) {
  const std::optional<Conflict> &witness = session.result.decisions[web.firstSite()].witness;
  return witness && witness->kind == HazardKind::FlagReuse;
}

/// The web of `webs` whose set would come too early by the refusal; null if there is none that may go too.
const Web *heldBy(const EditSession &session, const EditSession::Refusal &refusal, const std::vector<Web> &webs) {
  const std::optional<ConflictPair> &witness = refusal.trial.witness;
  if (refusal.unresolved || !witness || witness->kind != HazardKind::FlagReuse || witness->later == kNone)
    return nullptr;
  const Program &program = *session.kernels[refusal.kernel].program;
  const auto *set = std::get_if<Sync>(&program.nodes[witness->later].statement->action);
  auto found =
      std::find_if(webs.begin(), webs.end(), [&](const Web &web) { return set && web.sites().count(set->site) != 0; });
  return found != webs.end() && patternFor(session, PatternAction::RemoveWeb, *found) ? &*found : nullptr;
}

bool removeGroup(EditSession &session, const Web &first, const std::vector<Web> &webs) {
  const Pattern *pattern = patternFor(session, PatternAction::RemoveWeb, first);
  if (!pattern)
    return false;
  std::vector<const Web *> group = {&first};
  std::set<SiteId> sites = first.sites();
  auto open = [&](std::size_t kernel) {
    std::vector<ConflictPair> pairs;
    for (const Web *web : group)
      for (const ConflictPair &pair : session.openPairsOf (*web)(kernel))
        pairs.push_back(pair);
    return pairs;
  };
  while (std::optional<EditSession::Refusal> refusal = session.tryRemoval(sites, open)) {
    const Web *other = heldBy(session, *refusal, webs);
    if (!other || sites.count(other->firstSite()) || group.size() == kMostWebsTogether)
      return false;
    group.push_back(other);
    const std::set<SiteId> more = other->sites();
    sites.insert(more.begin(), more.end());
  }
  commitRemoval(session, sites, *pattern);
  return true;
}

} // namespace

void removeHandshakes(EditSession &session) {
  // What goes changes the webs that are left.
  for (bool again = true; again && session.mayEdit();) {
    again = false;
    const std::vector<Web> webs = editableWebs(session);
    for (const Web &web : webs)
      if (!again && heldByReuse(session, web))
        again = removeGroup(session, web, webs);
  }
}

} // namespace ptosync
