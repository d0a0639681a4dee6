#include "optimize/remove_barrier.h"

#include "patterns/matcher.h"

#include <algorithm>

namespace ptosync {
namespace {

void nominateBarriers(EditSession &session) {
  std::map<std::string, std::size_t> rank;
  for (std::size_t i = 0; i < session.catalogue.patterns().size(); ++i)
    rank[session.catalogue.patterns()[i].id] = i;
  for (std::size_t k = 0; k < session.kernels.size(); ++k) {
    if (!session.kernels[k].program)
      continue;
    const Program &program = *session.kernels[k].program;
    std::map<const Statement *, std::vector<NodeId>> nodes;
    for (NodeId id = 0; id < program.nodes.size(); ++id)
      nodes[program.nodes[id].statement].push_back(id);
    auto access = [&](const Statement &statement, const Operand &operand) -> const Access * {
      for (NodeId id : nodes[&statement])
        for (const Access &candidate : program.nodes[id].accesses)
          if (candidate.tile && candidate.name == operand.spelling)
            return &candidate;
      return nullptr;
    };
    SameStorage same = [&](const Kernel &, const Statement &first, const Operand &a, const Statement &second,
                           const Operand &b) {
      const Access *x = access(first, a), *y = access(second, b);
      return x && y && x->space == y->space && x->base == y->base;
    };
    PipeOf pipes = [&](const Kernel &kernel, const Instruction &instruction) {
      PipeSet set;
      for (const EffectPhase &phase : effectsOf(kernel, instruction, session.machine, Trust::Tile).phases)
        set.insert(phase.pipe);
      return set;
    };
    for (const auto &[site, id] : nominate(session.module.kernels[k], session.catalogue, session.machine.arch(),
                                           session.options.ordering.trust, same, pipes)) {
      std::string &claimed = session.result.decisions[site].pattern;
      if (claimed.empty() || rank[id] < rank[claimed])
        claimed = id;
    }
  }
}

bool isCandidate(EditSession &session, SiteId site) {
  if (!session.screen(site))
    return false;
  if (session.decision(site).pattern.empty()) {
    session.keep(site, KeptReason::NotNominated, "no enabled pattern matches");
    return false;
  }
  if (!session.lineChosen(session.module.sites[site])) {
    session.keep(site, KeptReason::Limit, "left out by --lines");
    return false;
  }
  return true;
}

void decide(EditSession &session, SiteId site) {
  if (!session.mayEdit())
    return session.keep(site, KeptReason::Limit, "left out by --max-removals");
  if (std::optional<EditSession::Refusal> refusal = session.tryRemoval({site}, session.openPairsOf(site)))
    return session.keepRefused(site, *refusal);
  session.commit();
  SiteDecision &decision = session.decision(site);
  decision.verdict = Verdict::Removed;
  decision.reason = KeptReason::None;
  decision.edit = session.countEdit();
}

/// PIPE_ALL first, then from the deepest loop out, ties by position.
std::vector<SiteId> inOrder(const EditSession &session, std::vector<SiteId> order) {
  const std::vector<SyncSite> &sites = session.module.sites;
  std::stable_sort(order.begin(), order.end(), [&](SiteId a, SiteId b) {
    bool allA = sites[a].source == Pipe::All, allB = sites[b].source == Pipe::All;
    return allA != allB ? allA : session.depth[a] > session.depth[b];
  });
  return order;
}

} // namespace

void removeBarriers(EditSession &session) {
  nominateBarriers(session);
  std::vector<SiteId> order;
  const std::vector<SyncSite> &sites = session.module.sites;
  for (SiteId site = 0; site < sites.size(); ++site)
    if ((sites[site].kind == SyncKind::Barrier || sites[site].kind == SyncKind::Tail) && isCandidate(session, site))
      order.push_back(site);
  for (SiteId site : inOrder(session, std::move(order)))
    decide(session, site);
}

void removeBarriersAgain(EditSession &session) {
  std::vector<SiteId> order;
  const std::vector<SyncSite> &sites = session.module.sites;
  for (SiteId site = 0; site < sites.size(); ++site)
    if (sites[site].kind == SyncKind::Barrier && session.maySucceedLater(site))
      order.push_back(site);
  for (SiteId site : inOrder(session, std::move(order)))
    decide(session, site);
}

} // namespace ptosync
