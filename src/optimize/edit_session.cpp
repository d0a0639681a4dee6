#include "optimize/edit_session.h"

#include <algorithm>

namespace ptosync {
namespace {

std::string tokenFaultText(const Program &program, const TokenEvent &fault) {
  const Flag &flag = program.flags[fault.flag];
  std::string text = "flag (" + std::string(pipeName(flag.source)) + ", " + std::string(pipeName(flag.destination)) +
                     ", " + std::to_string(flag.id) + ") ";
  bool maybe = fault.state == Token::Maybe || fault.state == Token::Overrun;
  if (fault.event == kNone)
    return text + (maybe ? "may still be" : "is still") + " set at the kernel's end";
  if (program.steps[fault.step][fault.event].kind == Event::Kind::Access)
    return text + (maybe ? "may be" : "is") + " set while a library call uses it inside";
  if (program.steps[fault.step][fault.event].kind == Event::Kind::Set)
    return text + (maybe ? "may still be" : "is still") + " set when it is set again";
  if (fault.state == Token::Overrun)
    return text + "may hold a setting of before where it is waited for";
  return text + (maybe ? "is set on some paths only" : "is not set on any path") + " where it is waited for";
}

std::string protectionText(const SyncSite &site) {
  switch (site.protection) {
  case Protection::KeepComment: return "kept by comment" + (site.keepReason.empty() ? "" : ": " + site.keepReason);
  case Protection::Tail: return "the kernel's end fence";
  case Protection::Flush: return "drains scalar stores in front of a cache flush";
  case Protection::NotOneStatement:
    if (!site.keepReason.empty())
      return "not for edits: " + site.keepReason;
    break;
  case Protection::None: break;
  }
  return "not a statement of its own (macro, or part of an expression)";
}

} // namespace

EditSession::EditSession(const Module &module, const KernelGroup &group, const Machine &machine,
                         const Catalogue &catalogue, const OptimizeOptions &options, const Reference *reference)
    : module(module), machine(machine), catalogue(catalogue), options(options), reference(reference) {
  result.decisions.resize(module.sites.size());
  for (SiteId site = 0; site < module.sites.size(); ++site)
    result.decisions[site].site = site;
  kernels.resize(module.kernels.size());
  for (std::size_t number : group)
    analyse(number);
  collectSites(group);
}

void EditSession::analyse(std::size_t number) {
  const Kernel &kernel = module.kernels[number];
  AnalysedKernel &entry = kernels[number];
  if (!kernel.analysable) {
    result.skipped.push_back({kernel.name, kernel.section, kernel.line, kernel.reason});
  } else {
    llvm::Expected<Program> program = buildProgram(kernel, machine, options.ordering);
    if (program) {
      entry.program = std::make_unique<Program>(std::move(*program));
      entry.pending = std::make_unique<Pending>(*entry.program);
      if (reference)
        entry.pending->holdAgainst(reference->absent, openPairs(*reference, *entry.program));
      entry.pins = std::make_unique<Pins>(*entry.program, *entry.pending);
      entry.slots = std::make_unique<StatementSlots>(*entry.program, *entry.pending, module.sites);
      reportOpen(kernel, entry);
    } else {
      result.skipped.push_back({kernel.name, kernel.section, kernel.line, llvm::toString(program.takeError())});
    }
  }
}

void EditSession::reportOpen(const Kernel &kernel, const AnalysedKernel &entry) {
  std::set<std::pair<const Statement *, const Statement *>> listed; // one line a pair, not one a distance
  for (const OpenObligation &open : entry.pending->open(ObligationKind::Conflict)) {
    const Node &earlier = entry.program->nodes[entry.program->nodeOfBit[open.pair.bit]];
    const Node &later = entry.program->nodes[open.pair.later];
    // Unknown calls conflict with everything by assumption; they have a list of their own.
    if (!earlier.unknown && !later.unknown && listed.insert({earlier.statement, later.statement}).second)
      result.unresolved.push_back(
          {kernel.name, kernel.section, entry.pending->hazards().describe(open.pair), open.rule});
  }
  std::set<std::string> known; // copies of a loop's phases say the same
  for (const TokenEvent &fault : entry.pending->tokenFaults()) {
    TokenFault report{kernel.name, kernel.section, tokenFaultText(*entry.program, fault), kernel.line};
    if (fault.event != kNone)
      report.line = entry.program->steps[fault.step][fault.event].statement->line;
    if (known.insert(report.text + std::to_string(report.line)).second)
      result.tokenFaults.push_back(std::move(report));
  }
}

/// Which kernels run through each site, and how deep in loops.
void EditSession::collectSites(const KernelGroup &group) {
  kernelsOf.resize(module.sites.size());
  depth.assign(module.sites.size(), 0);
  for (std::size_t k : group) {
    const Kernel &kernel = module.kernels[k];
    for (BlockId block = 0; block < kernel.blocks.size(); ++block)
      for (const Statement &statement : kernel.blocks[block].statements)
        if (const auto *sync = std::get_if<Sync>(&statement.action)) {
          kernelsOf[sync->site].insert(k);
          if (kernels[k].program)
            depth[sync->site] = std::max(depth[sync->site],
                                         kernels[k].program->graph->depthOf(kernels[k].program->graph->loopOf(block)));
        }
  }
  for (SiteId site = 0; site < module.sites.size(); ++site) {
    std::set<std::string> names;
    std::set<Section> sections;
    for (std::size_t k : kernelsOf[site]) {
      names.insert(module.kernels[k].name);
      sections.insert(module.kernels[k].section);
    }
    result.decisions[site].kernels.assign(names.begin(), names.end());
    result.decisions[site].sections.assign(sections.begin(), sections.end());
  }
}

EditSession::OpenPairs EditSession::openPairsOf(SiteId barrier) const {
  return [this, barrier](std::size_t k) { return kernels[k].pins->ofBarrier(barrier); };
}

EditSession::OpenPairs EditSession::openPairsOf(const Web &web) const {
  return [this, web, known = std::map<std::size_t, std::vector<ConflictPair>>()](std::size_t k) mutable {
    auto [pairs, inserted] = known.try_emplace(k);
    if (inserted)
      pairs->second = kernels[k].pins->ofWeb(web);
    return pairs->second;
  };
}

EditSession::OpenPairs EditSession::together(std::vector<OpenPairs> several) {
  return [several = std::move(several)](std::size_t k) {
    std::vector<ConflictPair> all;
    for (const OpenPairs &open : several) {
      const std::vector<ConflictPair> own = open(k);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  };
}

std::optional<SiteId> EditSession::setTooEarly(const Refusal &refusal) const {
  const std::optional<ConflictPair> &witness = refusal.trial.witness;
  if (!witness || witness->kind != HazardKind::FlagReuse)
    return std::nullopt;
  const auto *set = std::get_if<Sync>(&kernels[refusal.kernel].program->nodes[witness->later].statement->action);
  return set ? set->site : kNone;
}

std::optional<EditSession::Refusal> EditSession::tryRemoval(const std::set<SiteId> &sites, const OpenPairs &open) {
  std::map<std::size_t, SyncEdit> edits;
  for (SiteId site : sites)
    for (std::size_t k : kernelsOf[site])
      edits[k].removed = sites;
  return tryEdit(edits, open);
}

/// A statement of a flag that the edit is about that no run is seen to reach; kNone if there is none. What the flag
/// does there was not looked at.
SiteId EditSession::unreachedUse(std::size_t kernel, const SyncEdit &edit) const {
  const Pending &pending = *kernels[kernel].pending;
  const Program &program = *kernels[kernel].program;
  auto useOf = [&](EventKey key) {
    for (std::uint32_t flag : program.steps[key.first][key.second].lanes)
      if (SiteId use = pending.unreachedUse(flag); use != kNone)
        return use;
    return static_cast<SiteId>(kNone);
  };
  for (const auto &[key, places] : edit.moves)
    if (SiteId use = useOf(key); use != kNone)
      return use;
  for (SiteId site : edit.removed)
    for (EventKey key : pending.eventsOf(site))
      if (SiteId use = useOf(key); use != kNone)
        return use;
  return kNone;
}

std::uint64_t EditSession::worked() const {
  std::uint64_t work = 0;
  for (const AnalysedKernel &kernel : kernels)
    work += (kernel.pending ? kernel.pending->worked() : 0) + (kernel.pins ? kernel.pins->worked() : 0);
  return work;
}

std::optional<EditSession::Refusal> EditSession::tryEdit(const std::map<std::size_t, SyncEdit> &edits,
                                                         const OpenPairs &open) {
  abandon();
  for (const auto &[k, edit] : edits) {
    const AnalysedKernel &kernel = kernels[k];
    if (kernel.pins->everything())
      return Refusal{k, {}, kernel.pins->firstOpen()};
    tried.insert(k);
    Pending::Trial trial = kernel.pending->tryEdit(edit);
    std::optional<ConflictPair> lost;
    if (trial.allowed)
      lost = kernel.pending->losesOrder(open(k));
    SiteId unreached = trial.allowed && !lost ? unreachedUse(k, edit) : kNone;
    if (!trial.allowed || lost || unreached != kNone) {
      abandon();
      return Refusal{k, trial, lost, unreached};
    }
    gain |= trial.startsEarlier;
  }
  return std::nullopt;
}

void EditSession::commit() {
  for (std::size_t k : tried) {
    kernels[k].pending->commit();
    kernels[k].slots->forget();
  }
  tried.clear();
}

void EditSession::abandon() {
  for (std::size_t k : tried)
    kernels[k].pending->abandon();
  tried.clear();
  gain = false;
}

void EditSession::arrive(SiteId site, std::uint32_t offset, SiteId other) {
  std::vector<SiteId> &there = arrived[offset];
  there.insert(std::find(there.begin(), there.end(), other), site);
  result.decisions[site].movedTo.push_back({offset, 0});
  rankArrivals(offset);
}

void EditSession::leave(SiteId site, std::uint32_t offset) {
  std::erase(arrived[offset], site);
  std::erase_if(result.decisions[site].movedTo, [&](const Arrival &place) { return place.offset == offset; });
  rankArrivals(offset);
}

void EditSession::rankArrivals(std::uint32_t offset) {
  const std::vector<SiteId> &there = arrived[offset];
  for (std::uint32_t rank = 0; rank < there.size(); ++rank)
    for (Arrival &place : result.decisions[there[rank]].movedTo)
      if (place.offset == offset)
        place.rank = rank;
}

bool EditSession::werePutIn(const std::set<SiteId> &sites) const {
  return reference && std::includes(reference->absent.begin(), reference->absent.end(), sites.begin(), sites.end());
}

bool EditSession::seenWhole(const std::set<SiteId> &sites) const {
  if (reference)
    return reference->seenWhole();
  return std::all_of(sites.begin(), sites.end(), [&](SiteId site) {
    return std::all_of(kernelsOf[site].begin(), kernelsOf[site].end(),
                       [&](std::size_t k) { return kernels[k].program && kernels[k].pending->seenWhole(); });
  });
}

bool EditSession::mayCarryUnseen(const std::set<SiteId> &sites) const {
  return !intermittentToo && !seenWhole(sites) && !werePutIn(sites);
}

bool EditSession::screen(SiteId id) {
  const SyncSite &site = module.sites[id];
  if (site.protection != Protection::None) {
    keep(id, KeptReason::Protected, protectionText(site));
    return false;
  }
  if (kernelsOf[id].empty()) {
    keep(id, KeptReason::NotAnalysed, "no kernel runs through it");
    return false;
  }
  for (std::size_t k : kernelsOf[id])
    if (!kernels[k].program) {
      keep(id, KeptReason::NotAnalysed, "kernel " + module.kernels[k].name + " was not analysed");
      return false;
    }
  auto unseen = [&](std::size_t k) { return kernels[k].pending->eventsOf(id).empty(); };
  auto unreached = [&](std::size_t k) { return kernels[k].pending->hasUnreached(id); };
  const std::set<std::size_t> &in = kernelsOf[id];
  if (std::all_of(in.begin(), in.end(), unseen) || std::any_of(in.begin(), in.end(), unreached)) {
    keep(id, KeptReason::Unreached, kUnreachedText);
    return false;
  }
  return true;
}

void EditSession::keep(SiteId site, KeptReason reason, std::string detail, std::optional<Conflict> witness) {
  SiteDecision &decision = result.decisions[site];
  decision.verdict = Verdict::Kept;
  decision.reason = reason;
  decision.detail = std::move(detail);
  decision.witness = std::move(witness);
}

bool EditSession::maySucceedLater(SiteId site) const {
  auto refused = refusedForFlag.find(site);
  return refused != refusedForFlag.end() && result.decisions[site].verdict == Verdict::Kept && refused->second < edits;
}

void EditSession::keepUnresolved(SiteId site, std::size_t kernel, const ConflictPair &pair) {
  if (pair.later == kNone)
    return keep(site, KeptReason::Hazard, "work may still be running at the kernel's end");
  keep(site, KeptReason::Unresolved, "it may be what orders a pair that is not seen to be ordered",
       kernels[kernel].pending->hazards().describe(pair));
}

void EditSession::keepRefused(SiteId site, const Refusal &refusal) {
  const std::optional<ConflictPair> &witness = refusal.trial.witness;
  if (refusal.unresolved || (witness && kernels[refusal.kernel].pending->isAboutFlag(*witness)))
    refusedForFlag[site] = edits;
  else
    refusedForFlag.erase(site);
  if (refusal.unresolved)
    return keepUnresolved(site, refusal.kernel, *refusal.unresolved);
  if (refusal.unreached != kNone)
    return keep(site, KeptReason::Unreached,
                "no run is seen to reach another statement of its flag, at line " +
                    std::to_string(module.sites[refusal.unreached].line));
  const Pending::Trial &trial = refusal.trial;
  if (trial.token)
    return keep(site, KeptReason::Hazard,
                "without it, " + tokenFaultText(*kernels[refusal.kernel].program, *trial.token));
  if (trial.atEnd)
    return keep(site, KeptReason::Hazard, "work would still be running at the kernel's end");
  std::string detail = "without it nothing orders this pair";
  if (trial.fence)
    detail = "it orders work relative to an opaque fence";
  else if (trial.witness && trial.witness->kind == HazardKind::FlagReuse)
    detail = "without it a flag could be set again too early";
  keep(site, KeptReason::Hazard, std::move(detail));
  if (trial.witness)
    result.decisions[site].witness = kernels[refusal.kernel].pending->hazards().describe(*trial.witness);
}

} // namespace ptosync
