#include "optimize/optimizer.h"

#include "base/parallel.h"
#include "optimize/edit_kinds.h"
#include "optimize/edit_session.h"

#include <llvm/ADT/EquivalenceClasses.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

namespace ptosync {

std::vector<KernelGroup> kernelGroups(const Module &module) {
  llvm::EquivalenceClasses<std::size_t> together;
  std::map<SiteId, std::size_t> firstThrough; // the first kernel that runs through a site
  for (std::size_t k = 0; k < module.kernels.size(); ++k) {
    together.insert(k);
    for (const Block &block : module.kernels[k].blocks)
      for (const Statement &statement : block.statements)
        if (const auto *sync = std::get_if<Sync>(&statement.action);
            sync && module.sites[sync->site].protection == Protection::None)
          together.unionSets(firstThrough.try_emplace(sync->site, k).first->second, k);
  }
  std::map<std::size_t, KernelGroup> byLeader;
  std::vector<std::size_t> leaders;
  for (std::size_t k = 0; k < module.kernels.size(); ++k) {
    std::size_t leader = together.getLeaderValue(k);
    if (byLeader[leader].empty())
      leaders.push_back(leader);
    byLeader[leader].insert(k);
  }
  std::vector<KernelGroup> groups;
  groups.reserve(leaders.size());
  for (std::size_t leader : leaders)
    groups.push_back(byLeader[leader]);
  return groups;
}

namespace {

/// A set goes because its waits do, a release because its get does: those of the same edit and pipes.
Evidence goesWith(const EditSession &session, const SiteDecision &decision, SyncKind kind) {
  Evidence evidence;
  evidence.by = kind == SyncKind::GetBuffer ? Evidence::By::Bracket : Evidence::By::Web;
  const SyncSite &own = session.site(decision.site);
  for (const SiteDecision &other : session.decisions().all())
    if (const SyncSite &site = session.site(other.site); other.edit == decision.edit && site.kind == kind &&
                                                         site.source == own.source &&
                                                         site.destination == own.destination)
      evidence.lines.push_back(site.line);
  evidence.text = kind == SyncKind::GetBuffer ? "its bracket is gone" : "what waits for it is gone";
  return evidence;
}

std::vector<Evidence> collectEvidence(const EditSession &session, const SiteDecision &decision) {
  if (session.options().ordering.allowance.over())
    return {};
  if (session.site(decision.site).kind == SyncKind::SetFlag)
    return {goesWith(session, decision, SyncKind::WaitFlag)};
  if (session.site(decision.site).kind == SyncKind::ReleaseBuffer)
    return {goesWith(session, decision, SyncKind::GetBuffer)};
  std::vector<Evidence> all;
  for (std::size_t k : session.kernelsOf(decision.site))
    for (Evidence &evidence : evidenceOf(session.kernel(k), session.facedBy(decision.site, k)))
      all.push_back(std::move(evidence));
  // Several calls of one helper may say "nothing" while another has a reason.
  auto says = [](const Evidence &evidence) { return evidence.by != Evidence::By::Nothing; };
  bool reason = std::any_of(all.begin(), all.end(), says);
  std::vector<Evidence> kept;
  for (Evidence &evidence : all)
    if (says(evidence) || (!reason && kept.empty()))
      kept.push_back(std::move(evidence));
  return kept;
}

/// True if flags are gone whose ids told the phases of a loop, and with them where its storage lies: the result would
/// not be seen to be right any more, though it is.
bool losesPhases(const EditSession &session) {
  for (const auto &[number, kernel] : session.kernels()) {
    for (LoopId loop : kernel.program().placedByIds) {
      std::uint64_t before = 1, after = 1;
      for (const IdStep &step : kernel.program().idSteps)
        if (step.loop == loop) {
          before = std::lcm<std::uint64_t>(before, step.period);
          if (step.site == kNone || !session.decisions().isRemoved(step.site))
            after = std::lcm<std::uint64_t>(after, step.period);
        }
      if (after != before)
        return true;
    }
  }
  return false;
}

/// A group's edits, numbered from 1, and its findings.
OptimizeResult optimizeGroup(const Module &module, const KernelGroup &group, const Machine &machine,
                             const Catalogue &catalogue, const OptimizeOptions &options) {
  EditSession session(module, group, machine, catalogue, options);
  runEditKinds(session);
  if (options.ordering.storageByIds && losesPhases(session)) {
    OptimizeOptions without = options;
    without.ordering.storageByIds = false;
    return optimizeGroup(module, group, machine, catalogue, without);
  }
  for (const SiteDecision &decision : session.decisions().all())
    if (decision.verdict == Verdict::Removed)
      session.decisions().justify(decision.site, collectEvidence(session, decision));
    else if (decision.verdict == Verdict::Kept && decision.reason == KeptReason::None) // it belongs to no web
      session.decisions().keep(decision.site, KeptReason::Unreached, kUnreachedText);
  return session.take();
}

template <typename T> void append(std::vector<T> &list, std::vector<T> more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

template <typename T> void addMissing(std::vector<T> &sorted, const std::vector<T> &more) {
  std::set<T> all(sorted.begin(), sorted.end());
  all.insert(more.begin(), more.end());
  sorted.assign(all.begin(), all.end());
}

/// The decisions on the sites that the group's kernels run through come with it.
void join(OptimizeResult &whole, OptimizeResult group) {
  std::uint32_t before = editsOf(whole);
  if (whole.decisions.empty())
    whole.decisions.resize(group.decisions.size());
  for (SiteDecision &decision : group.decisions) {
    if (decision.edit > 0)
      decision.edit += before;
    SiteDecision &known = whole.decisions[decision.site];
    if (known.site != kNone && decision.kernels.empty())
      continue;
    // Several groups run through what is never edited.
    addMissing(decision.kernels, known.kernels);
    addMissing(decision.sections, known.sections);
    known = std::move(decision);
  }
  append(whole.unresolved, std::move(group.unresolved));
  append(whole.tokenFaults, std::move(group.tokenFaults));
  append(whole.skipped, std::move(group.skipped));
}

} // namespace

OptimizeResult optimize(const Module &module, const Machine &machine, const Catalogue &catalogue,
                        const OptimizeOptions &options) {
  std::vector<KernelGroup> groups = kernelGroups(module);
  if (groups.empty())
    groups.emplace_back(); // the sites still want their reasons
  OptimizeResult result;
  if (options.maxRemovals) {
    // What is left of the limit is what the groups before have not used.
    for (const KernelGroup &group : groups) {
      OptimizeOptions rest = options;
      rest.maxRemovals = *options.maxRemovals - editsOf(result);
      join(result, optimizeGroup(module, group, machine, catalogue, rest));
    }
    return result;
  }
  std::vector<OptimizeResult> results(groups.size());
  runInParallel(groups.size(),
                [&](std::size_t i) { results[i] = optimizeGroup(module, groups[i], machine, catalogue, options); });
  for (OptimizeResult &group : results)
    join(result, std::move(group));
  return result;
}

} // namespace ptosync
