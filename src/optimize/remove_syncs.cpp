// The edit kinds that take syncs out: barriers, webs, generations of webs, handshakes.
//
//   barrier      Patterns nominate it. It goes only if no conflict, no order relative to an opaque fence and no reuse
//                of a flag is lost in any kernel that runs through it, with all earlier edits applied.
//   web          Without the whole web no other flag changes, so tokens stay balanced by construction. What its waits
//                ordered must be ordered otherwise, and so must each later setting of every other flag behind its wait.
//                Two flags of one pair whose spans nest are one, since b is set later and waited for earlier:
//                    set a; set b; ..; wait b; wait a     ->     set b; ..; wait b       (pattern action merge-flags)
//   generation   A wait and the set that fills the flag again behind it, so that one setting lasts for two:
//                    set a; ..; wait a; ..; set a; ..; wait a     ->     set a; ..; .. ; wait a
//                Candidates are a wait and the next set of its flag in one straight line, which may be that of another
//                web (the drain of one loop and the prime of the next: the two webs become one), and all statements of
//                the web inside one loop (prime and drain then stay). Tokens must stay balanced on every path, so a
//                pair in one arm of a branch goes only if the flag is full on all ways to the arm and behind it.
//   handshake    Flags of which each is kept only because without it another could be set again too early:
//                    for (..) { set a; wait a; set b; wait b }      a: V -> MTE3, b: MTE3 -> V; nothing needs either
//                Alone neither may go: a's wait is what b's next set is known to come behind, and the other way round.
//                A group is grown from one web: whatever flag its removal would let be set too early goes with it, as
//                long as that may be edited and is asked for.
//
// Sound: each is a trial of the session like any other. Groups of more than a few webs are not looked for.
// Tested by tests/optimize/remove_syncs_test.cpp.
#include "optimize/edit_kinds.h"
#include "patterns/catalogue.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

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
  if (!session.decisions().chosen(site)) {
    session.decisions().leaveOut(site);
    return false;
  }
  return true;
}

void decide(EditSession &session, SiteId site) {
  if (!session.decisions().mayEdit())
    return session.decisions().keep(site, KeptReason::Limit, "--max-removals was reached before it");
  if (std::optional<EditSession::Refusal> refusal = session.tryRemoval({site}, session.openPairsOf(site)))
    return session.keepRefused(site, *refusal);
  session.remove({site}, std::string(session.decisions()[site].pattern));
}

/// Takes all of them out, each an edit of its own, if that is proved at once.
bool removeTogether(EditSession &session, std::span<const SiteId> sites) {
  std::vector<EditSession::OpenPairs> open;
  open.reserve(sites.size());
  for (SiteId site : sites)
    open.push_back(session.openPairsOf(site));
  if (session.tryRemoval({sites.begin(), sites.end()}, EditSession::together(std::move(open))))
    return false;
  session.commit();
  for (SiteId site : sites)
    session.decisions().remove({site}, std::string(session.decisions()[site].pattern));
  return true;
}

/// Decides on each in turn. Where several went one behind the other, the next ones are tried at once, since one trial
/// of many costs little more than a trial of one. An edit only weakens, so that what goes together goes one by one as
/// well, and the decisions are those of trials one by one.
void decideEach(EditSession &session, std::span<const SiteId> order) {
  constexpr std::size_t kEnoughInARow = 4;
  std::size_t together = 1, inARow = 0;
  while (!order.empty()) {
    const std::size_t count = std::min({together, order.size(), session.decisions().editsLeft()});
    if (count > 1) {
      const bool gone = removeTogether(session, order.first(count));
      if (gone)
        order = order.subspan(count);
      together = gone ? together * 2 : count / 2;
      continue;
    }
    decide(session, order.front());
    inARow = session.decisions().isRemoved(order.front()) ? inARow + 1 : 0;
    order = order.subspan(1);
    if (inARow == kEnoughInARow) {
      together = 2;
      inARow = 0;
    }
  }
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
  decideEach(session, inOrder(session, std::move(order)));
}

void removeBarriersAgain(EditSession &session) {
  std::vector<SiteId> order;
  const std::vector<SyncSite> &sites = session.module().sites;
  for (SiteId site = 0; site < sites.size(); ++site)
    if (sites[site].kind == SyncKind::Barrier && session.maySucceedLater(site))
      order.push_back(site);
  decideEach(session, inOrder(session, std::move(order)));
}

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
  if (web.bracket && (web.sets.empty() || web.waits.empty()))
    return keepAll(KeptReason::Unbalanced, "its bracket has no get or no release in the kernel; run `ptosync audit`");
  if (web.sets.empty() || web.waits.empty())
    return keepAll(KeptReason::Unbalanced, "its flag has no set or no wait in the kernel; run `ptosync audit`");
  const Pattern *pattern =
      patternFor(session, web.bracket ? PatternAction::RemoveBracket : PatternAction::RemoveWeb, web);
  if (const Pattern *merge = patternFor(session, PatternAction::MergeFlags, web);
      merge && nestsEverywhere(session, web, webOf))
    pattern = merge;
  if (!pattern)
    return keepAll(KeptReason::NotNominated, "no enabled pattern matches");
  for (SiteId site : sites)
    session.decisions().nominate(site, pattern->id);
  if (!session.decisions().mayEdit())
    return keepAll(KeptReason::Limit, "--max-removals was reached before it");
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

namespace {

using Candidates = std::set<std::set<SiteId>>;

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
  open.reserve(webs.size());
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
