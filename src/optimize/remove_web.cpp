#include "optimize/remove_web.h"

#include "optimize/flag_webs.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ptosync {
namespace {

using WebOf = std::map<SiteId, const Web *>;

WebOf indexOf(const std::vector<Web> &webs) {
  WebOf index;
  for (const Web &web : webs)
    for (SiteId site : web.sites())
      index[site] = &web;
  return index;
}

bool isSingle(const Web &web) { return web.sets.size() == 1 && web.waits.size() == 1; }

/// True if a flag of the same pipes is set behind `outer`'s only set and waited for in front of its only
/// wait, all four in one straight line of the kernel.
bool nests(const Program &program, const Pending &pending, const Web &outer, const WebOf &webOf) {
  const std::vector<EventKey> &sets = pending.eventsOf(outer.sets[0]);
  if (sets.size() != 1 || pending.layout().moved(sets[0]))
    return false;
  std::set<const Web *> open;
  bool found = false;
  pending.layout().forEachFrom(program, sets[0].first, sets[0].second + 1, [&](EventKey, const Event &event) {
    if (event.site == outer.waits[0])
      return false;
    auto inner = event.site == kNone ? webOf.end() : webOf.find(event.site);
    if (inner == webOf.end() || event.source != outer.source || event.destination != outer.destination ||
        !isSingle(*inner->second))
      return true;
    if (event.kind == Event::Kind::Set)
      open.insert(inner->second);
    else
      found = found || open.count(inner->second);
    return true;
  });
  return found;
}

bool nestsEverywhere(const EditSession &session, const Web &outer, const WebOf &webOf) {
  const std::set<std::size_t> &where = session.kernelsOf(outer.sets[0]);
  return isSingle(outer) && std::all_of(where.begin(), where.end(), [&](std::size_t k) {
           return nests(session.kernel(k).program(), session.kernel(k).pending(), outer, webOf);
         });
}

void decide(EditSession &session, const Web &web, const WebOf &webOf) {
  std::set<SiteId> sites = web.sites();
  auto keepAll = [&](KeptReason reason, const char *detail) {
    for (SiteId site : sites)
      session.decisions().keep(site, reason, detail);
  };
  if (web.sets.empty() || web.waits.empty())
    return keepAll(KeptReason::Unbalanced, "nothing sets or nothing waits for its flag");
  const Pattern *pattern = patternFor(session, PatternAction::RemoveWeb, web);
  if (const Pattern *merge = patternFor(session, PatternAction::MergeFlags, web);
      merge && nestsEverywhere(session, web, webOf))
    pattern = merge;
  if (!pattern)
    return keepAll(KeptReason::NotNominated, "no enabled pattern matches");
  for (SiteId site : sites)
    session.decisions().nominate(site, pattern->id);
  if (!session.decisions().mayEdit())
    return keepAll(KeptReason::Limit, "left out by --max-removals");
  if (std::optional<EditSession::Refusal> refusal = session.tryRemoval(sites, session.openPairsOf(web))) {
    for (SiteId site : sites)
      session.keepRefused(site, *refusal);
    return;
  }
  session.remove(sites, pattern->id);
}

} // namespace

void removeWebs(EditSession &session) {
  const std::vector<Web> webs = editableWebs(session);
  std::set<std::set<SiteId>> now;
  for (const Web &web : webs)
    now.insert(web.sites());
  const std::set<std::set<SiteId>> tried = session.lookAtWebs(std::move(now));
  const WebOf webOf = indexOf(webs);
  for (const Web &web : webs)
    if (session.maySucceedLater(web.firstSite()) || !tried.count(web.sites()))
      decide(session, web, webOf);
}

} // namespace ptosync
