#include "optimize/flag_webs.h"

#include "ordering/intermittent.h"

#include <algorithm>
#include <optional>

namespace ptosync {
namespace {

std::vector<Web> websOf(const EditSession &session) {
  std::vector<std::vector<Web>> webs;
  for (const auto &[number, kernel] : session.kernels())
    webs.push_back(kernel.webs());
  return joinWebs(webs);
}

std::string place(const EditSession &session, SiteId site) { return "line " + std::to_string(session.site(site).line); }

/// True if every statement of the web may be edited as far as it alone goes.
bool screenWeb(EditSession &session, const Web &web) {
  std::set<SiteId> sites = web.sites();
  SiteId stays = kNone;
  for (SiteId site : sites)
    if (!session.screen(site))
      stays = std::min(stays, site);
  if (stays == kNone)
    return true;
  for (SiteId site : sites)
    if (session.decisions()[site].reason == KeptReason::None)
      session.decisions().keep(site, session.decisions()[stays].reason,
                               "it goes only together with " + place(session, stays) + ", which stays");
  return false;
}

std::uint32_t depthOf(const EditSession &session, const Web &web) {
  std::uint32_t deepest = 0;
  for (SiteId site : web.sites())
    deepest = std::max(deepest, session.depthOf(site));
  return deepest;
}

} // namespace

bool isIntermittent(const EditSession &session, const Web &web) {
  return std::any_of(session.kernels().begin(), session.kernels().end(), [&](const auto &entry) {
    return isIntermittent(entry.second.program(), entry.second.pending(), web);
  });
}

std::vector<Web> editableWebs(EditSession &session) {
  std::vector<Web> editable;
  for (Web &web : websOf(session)) {
    if (!screenWeb(session, web))
      continue;
    if (!web.balanced) {
      for (SiteId site : web.sites())
        session.decisions().keep(site, KeptReason::Unbalanced, web.trouble);
      continue;
    }
    std::set<SiteId> sites = web.sites();
    auto chosen = [&](SiteId site) { return session.decisions().lineChosen(site); };
    if (std::none_of(sites.begin(), sites.end(), chosen)) {
      for (SiteId site : sites)
        session.decisions().keep(site, KeptReason::Limit, "left out by --lines");
      continue;
    }
    if (session.mayCarryUnseen(sites) && isIntermittent(session, web)) {
      for (SiteId site : sites)
        session.decisions().keep(site, KeptReason::Intermittent,
                                 "trips of a loop that skip it carry its flag on to later ones");
      continue;
    }
    editable.push_back(std::move(web));
  }
  std::stable_sort(editable.begin(), editable.end(),
                   [&](const Web &a, const Web &b) { return depthOf(session, a) > depthOf(session, b); });
  return editable;
}

const Pattern *patternFor(const EditSession &session, PatternAction action, const Web &web) {
  for (const Pattern &pattern : session.catalogue().patterns())
    if (pattern.action == action && pattern.supports(session.machine().arch()) &&
        (pattern.trust == Trust::Tile || session.options().ordering.trust == Trust::Library) &&
        pattern.source.value_or(web.source) == web.source &&
        pattern.destination.value_or(web.destination) == web.destination)
      return &pattern;
  return nullptr;
}

} // namespace ptosync
