#include "optimize/remove_handshake.h"

#include "optimize/flag_webs.h"

#include <algorithm>

namespace ptosync {
namespace {

constexpr std::size_t kMostWebsTogether = 6;

/// True if all that was seen to keep the sync is the reuse of a flag.
bool heldByReuse(const SiteDecision &decision) {
  return decision.verdict == Verdict::Kept && decision.witness && decision.witness->kind == HazardKind::FlagReuse;
}

/// The web of `webs` that a site is of, if it may go too; else null.
const Web *mayGo(const EditSession &session, SiteId site, const std::vector<Web> &webs) {
  auto found = std::find_if(webs.begin(), webs.end(), [&](const Web &web) { return web.sites().count(site) != 0; });
  return found != webs.end() && patternFor(session, PatternAction::RemoveWeb, *found) ? &*found : nullptr;
}

bool removeGroup(EditSession &session, const Web &first, const std::vector<Web> &webs) {
  const Pattern *pattern = patternFor(session, PatternAction::RemoveWeb, first);
  if (!pattern)
    return false;
  std::vector<EditSession::OpenPairs> open = {session.openPairsOf(first)};
  std::set<SiteId> sites = first.sites();
  while (std::optional<EditSession::Refusal> refusal = session.tryRemoval(sites, EditSession::together(open))) {
    std::optional<SiteId> set = session.setTooEarly(*refusal);
    const Web *other = set && !sites.count(*set) ? mayGo(session, *set, webs) : nullptr;
    if (!other || open.size() == kMostWebsTogether)
      return false;
    open.push_back(session.openPairsOf(*other));
    const std::set<SiteId> more = other->sites();
    sites.insert(more.begin(), more.end());
  }
  session.remove(sites, pattern->id);
  return true;
}

} // namespace

void removeHandshakes(EditSession &session) {
  const std::vector<SiteDecision> &decisions = session.decisions().all();
  // What goes changes the webs that are left.
  for (bool again = std::any_of(decisions.begin(), decisions.end(), heldByReuse);
       again && session.decisions().mayEdit();) {
    const std::vector<Web> webs = editableWebs(session);
    again = std::any_of(webs.begin(), webs.end(), [&](const Web &web) {
      return heldByReuse(decisions[web.firstSite()]) && removeGroup(session, web, webs);
    });
  }
}

} // namespace ptosync
