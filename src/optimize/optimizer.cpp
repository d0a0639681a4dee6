#include "optimize/optimizer.h"

#include "optimize/edit_session.h"
#include "optimize/evidence.h"
#include "optimize/move_flag.h"
#include "optimize/remove_barrier.h"
#include "optimize/remove_generation.h"
#include "optimize/remove_web.h"

#include <algorithm>

namespace ptosync {
namespace {

/// A set goes because its waits do.
Evidence evidenceOfSet(const EditSession &session, const SiteDecision &decision) {
  Evidence evidence;
  evidence.by = Evidence::By::Web;
  for (const SiteDecision &other : session.result.decisions)
    if (other.edit == decision.edit && session.module.sites[other.site].kind == SyncKind::WaitFlag)
      evidence.lines.push_back(session.module.sites[other.site].line);
  evidence.text = "what waits for it is gone";
  return evidence;
}

void collectEvidence(const EditSession &session, SiteDecision &decision) {
  SyncKind kind = session.module.sites[decision.site].kind;
  if (kind == SyncKind::SetFlag) {
    decision.evidence.push_back(evidenceOfSet(session, decision));
    return;
  }
  for (std::size_t k : session.kernelsOf[decision.site]) {
    const AnalysedKernel &kernel = session.kernels[k];
    Pending::Faced faced = kind == SyncKind::Barrier ? kernel.pending->facedBy(decision.site)
                                                     : session.faced.at(decision.site).at(k);
    for (Evidence &evidence : evidenceOf(*kernel.program, *kernel.pending, faced))
      decision.evidence.push_back(std::move(evidence));
  }
  // Several calls of one helper may say "nothing" while another has a reason.
  auto says = [](const Evidence &evidence) { return evidence.by != Evidence::By::Nothing; };
  bool reason = std::any_of(decision.evidence.begin(), decision.evidence.end(), says);
  std::vector<Evidence> kept;
  for (Evidence &evidence : decision.evidence)
    if (says(evidence) || (!reason && kept.empty()))
      kept.push_back(std::move(evidence));
  decision.evidence = std::move(kept);
}

constexpr std::size_t kNoFlags = static_cast<std::size_t>(-1);

std::size_t flagsOut(const EditSession &session) {
  return static_cast<std::size_t>(
      std::count_if(session.result.decisions.begin(), session.result.decisions.end(), [&](const SiteDecision &decision) {
        return decision.verdict == Verdict::Removed && session.module.sites[decision.site].kind != SyncKind::Barrier;
      }));
}

} // namespace

OptimizeResult optimize(const Module &module, const Machine &machine, const Catalogue &catalogue,
                        const OptimizeOptions &options) {
  EditSession session(module, machine, catalogue, options);
  // A flag that goes takes the order of its own settings with it; what stayed for that alone may go too.
  for (std::size_t before = kNoFlags; before != flagsOut(session);) {
    before = flagsOut(session);
    removeBarriers(session);
    removeWebs(session);
    removeGenerations(session);
  }
  sinkWaits(session);
  raiseSets(session);
  for (SiteDecision &decision : session.result.decisions)
    if (decision.verdict == Verdict::Removed)
      collectEvidence(session, decision);
    else if (decision.verdict == Verdict::Kept && decision.reason == KeptReason::None) // it belongs to no web
      session.keep(decision.site, KeptReason::NotAnalysed, "no path of a kernel reaches it");
  return std::move(session.result);
}

} // namespace ptosync
