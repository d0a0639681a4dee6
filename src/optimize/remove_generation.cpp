#include "optimize/remove_generation.h"

#include "optimize/flag_webs.h"

#include <algorithm>

namespace ptosync {
namespace {

using Candidates = std::set<std::set<SiteId>>;

using WebOf = std::map<SiteId, const Web *>;

/// A wait of the web and the set of its flag that comes next in the same step, of this web or of another one: that of
/// the loop that follows, which the flag's last setting in this one then primes.
void findPairs(const Analysis &kernel, const Web &web, const WebOf &webOf, Candidates &candidates) {
  const Program &program = kernel.program();
  const std::set<SiteId> sites = web.sites();
  std::set<StepId> steps;
  for (SiteId site : sites)
    for (EventKey key : kernel.pending().eventsOf(site))
      for (EventKey place : kernel.pending().layout().placesOf(key))
        steps.insert(place.first);
  for (StepId step : steps) {
    std::map<std::uint32_t, SiteId> waited; // by flag
    kernel.pending().layout().forEach(program, step, [&](EventKey, const Event &event) {
      for (std::uint32_t lane : event.lanes) {
        auto wait = waited.find(lane);
        if (event.kind == Event::Kind::Wait && sites.count(event.site))
          waited[lane] = event.site;
        else if (wait != waited.end()) {
          if (event.kind == Event::Kind::Set && webOf.count(event.site))
            candidates.insert({wait->second, event.site});
          waited.erase(wait);
        }
      }
      return true;
    });
  }
}

/// The statements of the web inside each loop, where there are sets and waits and not all of the web.
void findLoops(const Analysis &kernel, const Web &web, Candidates &candidates) {
  const FlowGraph &graph = *kernel.program().graph;
  for (LoopId loop = 0; loop < graph.loops().size(); ++loop) {
    auto inside = [&](SiteId site) {
      const std::vector<EventKey> &keys = kernel.pending().eventsOf(site);
      return !keys.empty() && std::all_of(keys.begin(), keys.end(), [&](EventKey key) {
        return graph.loopContains(loop, kernel.program().blockOf[key.first]);
      });
    };
    std::set<SiteId> found;
    std::copy_if(web.sets.begin(), web.sets.end(), std::inserter(found, found.end()), inside);
    std::size_t sets = found.size();
    std::copy_if(web.waits.begin(), web.waits.end(), std::inserter(found, found.end()), inside);
    if (sets > 0 && found.size() > sets && found.size() < web.sites().size())
      candidates.insert(found);
  }
}

} // namespace

/// Takes it out if that is proved.
static void tryCandidate(EditSession &session, const std::set<SiteId> &candidate, const WebOf &webOf,
                         const Pattern &pattern) {
  auto gone = [&](SiteId site) { return session.decisions().isRemoved(site); };
  if (std::any_of(candidate.begin(), candidate.end(), gone) || !session.decisions().mayEdit())
    return;
  std::set<const Web *> webs;
  for (SiteId site : candidate)
    webs.insert(webOf.at(site));
  std::vector<EditSession::OpenPairs> open;
  for (const Web *web : webs)
    open.push_back(session.openPairsOf(*web));
  if (!session.tryRemoval(candidate, EditSession::together(std::move(open))))
    session.remove(candidate, pattern.id);
}

void removeGenerations(EditSession &session) {
  const std::vector<Web> webs = editableWebs(session);
  WebOf webOf;
  for (const Web &web : webs)
    if (patternFor(session, PatternAction::RemoveGeneration, web))
      for (SiteId site : web.sites())
        webOf[site] = &web;
  for (const Web &web : webs) {
    const Pattern *pattern = patternFor(session, PatternAction::RemoveGeneration, web);
    if (!pattern || web.sites().size() < 3)
      continue;
    Candidates candidates;
    for (const auto &[number, kernel] : session.kernels()) {
      findLoops(kernel, web, candidates);
      findPairs(kernel, web, webOf, candidates);
    }
    for (const std::set<SiteId> &candidate : candidates)
      tryCandidate(session, candidate, webOf, *pattern);
  }
}

} // namespace ptosync
