#include "optimize/remove_barrier.h"

#include "patterns/matcher.h"

#include <algorithm>

namespace ptosync {
namespace {

void nominateBarriers(EditSession &session) {
  std::map<std::string, std::size_t> rank;
  for (std::size_t i = 0; i < session.catalogue().patterns().size(); ++i)
    rank[session.catalogue().patterns()[i].id] = i;
  for (const auto &[number, kernel] : session.kernels()) {
    const Program &program = kernel.program();
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
    PipeOf pipes = [&](const Kernel &of, const Instruction &instruction) {
      PipeSet set;
      for (const EffectPhase &phase : effectsOf(of, instruction, session.machine(), Trust::Tile).phases)
        set.insert(phase.pipe);
      return set;
    };
    for (const auto &[site, id] : nominate(kernel.kernel(), session.catalogue(), session.machine().arch(),
                                           session.options().ordering.trust, same, pipes)) {
      const std::string &claimed = session.decisions()[site].pattern;
      if (claimed.empty() || rank[id] < rank[claimed])
        session.decisions().nominate(site, id);
    }
  }
}

bool isCandidate(EditSession &session, SiteId site) {
  if (!session.screen(site))
    return false;
  if (session.decisions()[site].pattern.empty()) {
    session.decisions().keep(site, KeptReason::NotNominated, "no enabled pattern matches");
    return false;
  }
  if (!session.decisions().lineChosen(site)) {
    session.decisions().keep(site, KeptReason::Limit, "left out by --lines");
    return false;
  }
  return true;
}

void decide(EditSession &session, SiteId site) {
  if (!session.decisions().mayEdit())
    return session.decisions().keep(site, KeptReason::Limit, "left out by --max-removals");
  if (std::optional<EditSession::Refusal> refusal = session.tryRemoval({site}, session.openPairsOf(site)))
    return session.keepRefused(site, *refusal);
  session.remove({site}, std::string(session.decisions()[site].pattern));
}

/// PIPE_ALL first, then from the deepest loop out, ties by position.
std::vector<SiteId> inOrder(const EditSession &session, std::vector<SiteId> order) {
  const std::vector<SyncSite> &sites = session.module().sites;
  std::stable_sort(order.begin(), order.end(), [&](SiteId a, SiteId b) {
    bool allA = sites[a].source == Pipe::All, allB = sites[b].source == Pipe::All;
    return allA != allB ? allA : session.depthOf(a) > session.depthOf(b);
  });
  return order;
}

} // namespace

void removeBarriers(EditSession &session) {
  nominateBarriers(session);
  std::vector<SiteId> order;
  const std::vector<SyncSite> &sites = session.module().sites;
  for (SiteId site = 0; site < sites.size(); ++site)
    if ((sites[site].kind == SyncKind::Barrier || sites[site].kind == SyncKind::Tail) && isCandidate(session, site))
      order.push_back(site);
  for (SiteId site : inOrder(session, std::move(order)))
    decide(session, site);
}

void removeBarriersAgain(EditSession &session) {
  std::vector<SiteId> order;
  const std::vector<SyncSite> &sites = session.module().sites;
  for (SiteId site = 0; site < sites.size(); ++site)
    if (sites[site].kind == SyncKind::Barrier && session.maySucceedLater(site))
      order.push_back(site);
  for (SiteId site : inOrder(session, std::move(order)))
    decide(session, site);
}

} // namespace ptosync
