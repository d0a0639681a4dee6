#include "optimize/remove_web.h"

#include "optimize/flag_webs.h"

#include <algorithm>

namespace ptosync {
namespace {

/// True if `inner` is set behind `outer`'s only set and waited for in front of its only wait, all four
/// in one straight line of a kernel.
bool nests(const Program &program, const Pending &pending, const Web &outer, const Web &inner) {
  if (outer.sets.size() != 1 || outer.waits.size() != 1 || inner.sets.size() != 1 || inner.waits.size() != 1)
    return false;
  const std::vector<EventKey> &sets = pending.eventsOf(outer.sets[0]);
  if (sets.size() != 1)
    return false;
  std::vector<SiteId> order;
  pending.layout().forEach(program, sets[0].first, [&](EventKey, const Event &event) {
    if (event.site != kNone && (outer.sites().count(event.site) || inner.sites().count(event.site)))
      order.push_back(event.site);
    return true;
  });
  return order == std::vector<SiteId>{outer.sets[0], inner.sets[0], inner.waits[0], outer.waits[0]};
}

bool nestsInSome(const EditSession &session, const Web &outer, const std::vector<Web> &webs) {
  for (const Web &inner : webs) {
    bool gone = session.result.decisions[inner.sets.front()].verdict == Verdict::Removed;
    if (gone || inner.source != outer.source || inner.destination != outer.destination)
      continue;
    std::set<std::size_t> where = session.kernelsOf[outer.sets[0]];
    if (std::all_of(where.begin(), where.end(), [&](std::size_t k) {
          return nests(*session.kernels[k].program, *session.kernels[k].pending, outer, inner);
        }))
      return true;
  }
  return false;
}

void decide(EditSession &session, const Web &web, const std::vector<Web> &webs) {
  std::set<SiteId> sites = web.sites();
  auto keepAll = [&](KeptReason reason, const char *detail) {
    for (SiteId site : sites)
      session.keep(site, reason, detail);
  };
  if (web.sets.empty() || web.waits.empty())
    return keepAll(KeptReason::Unbalanced, "nothing sets or nothing waits for its flag");
  if (isIntermittent(session, web))
    return keepAll(KeptReason::Intermittent, "trips of a loop that skip it carry its flag on to later ones");
  const Pattern *pattern = patternFor(session, PatternAction::RemoveWeb, web);
  if (const Pattern *merge = patternFor(session, PatternAction::MergeFlags, web); merge && nestsInSome(session, web, webs))
    pattern = merge;
  if (!pattern)
    return keepAll(KeptReason::NotNominated, "no enabled pattern matches");
  for (SiteId site : sites)
    session.decision(site).pattern = pattern->id;
  if (!session.mayEdit())
    return keepAll(KeptReason::Limit, "left out by --max-removals");
  if (std::optional<EditSession::Refusal> refusal = session.tryRemoval(sites, session.openPairsOf(web))) {
    for (SiteId site : sites)
      session.keepRefused(site, *refusal);
    return;
  }
  commitRemoval(session, sites, *pattern);
}

} // namespace

void removeWebs(EditSession &session) {
  std::vector<Web> webs = editableWebs(session);
  for (const Web &web : webs)
    decide(session, web, webs);
}

} // namespace ptosync
