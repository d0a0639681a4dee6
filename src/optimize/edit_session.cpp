#include "optimize/edit_session.h"

#include "optimize/wording.h"
#include "ordering/follow_instance.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

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

} // namespace

Decisions::Decisions(const Module &module, const OptimizeOptions &options) : module(module), options(options) {
  list.resize(module.sites.size());
  for (SiteId site = 0; site < list.size(); ++site)
    list[site].site = site;
}

void Decisions::settle(SiteId site, Verdict verdict, KeptReason reason, std::string detail,
                       std::optional<Conflict> witness) {
  SiteDecision &decision = list[site];
  decision.verdict = verdict;
  decision.reason = reason;
  decision.detail = std::move(detail);
  decision.witness = std::move(witness);
}

void Decisions::keep(SiteId site, KeptReason reason, std::string detail, std::optional<Conflict> witness) {
  settle(site, Verdict::Kept, reason, std::move(detail), std::move(witness));
}

void Decisions::remove(const std::set<SiteId> &sites, const std::string &pattern) {
  const std::uint32_t edit = number();
  for (SiteId site : sites) {
    settle(site, Verdict::Removed, KeptReason::None, {}, std::nullopt);
    list[site].pattern = pattern;
    list[site].edit = edit;
  }
}

void Decisions::move(SiteId site, const std::string &pattern, std::vector<Evidence> evidence) {
  if (list[site].verdict != Verdict::Moved)
    list[site].edit = number();
  settle(site, Verdict::Moved, KeptReason::None, {}, std::nullopt);
  list[site].pattern = pattern;
  list[site].evidence = std::move(evidence);
}

void Decisions::arrive(SiteId site, std::uint32_t offset, SiteId other) {
  std::vector<SiteId> &there = arrived[offset];
  there.insert(std::find(there.begin(), there.end(), other), site);
  list[site].movedTo.push_back(placeInFront(module.source, offset));
  rankArrivals(offset);
}

void Decisions::leave(SiteId site, std::uint32_t offset) {
  std::erase(arrived[offset], site);
  std::erase_if(list[site].movedTo, [&](const TextPlace &place) { return place.offset == offset; });
  rankArrivals(offset);
}

void Decisions::rankArrivals(std::uint32_t offset) {
  const std::vector<SiteId> &there = arrived[offset];
  for (std::uint32_t rank = 0; rank < there.size(); ++rank)
    for (TextPlace &place : list[there[rank]].movedTo)
      if (place.offset == offset)
        place.rank = rank;
}

void Decisions::runsThrough(SiteId site, std::vector<std::string> kernels, std::vector<Section> sections) {
  list[site].kernels = std::move(kernels);
  list[site].sections = std::move(sections);
}

EditSession::EditSession(const Module &module, const KernelGroup &group, const Machine &machine,
                         const Catalogue &catalogue, const OptimizeOptions &options, const Reference *reference)
    : file(module), chip(machine), patterns(catalogue), choices(options), reference(reference),
      decided(module, options) {
  for (std::size_t number : group)
    analyse(number);
  collectSites(group);
}

void EditSession::analyse(std::size_t number) {
  const Kernel &kernel = file.kernels[number];
  llvm::Expected<Analysis> made = Analysis::of(kernel, chip, choices.ordering);
  if (!made) {
    found.skipped.push_back({kernel.name, kernel.section, kernel.line, llvm::toString(made.takeError())});
    return;
  }
  Analysis &analysis = analysed.emplace(number, std::move(*made)).first->second;
  if (reference)
    analysis.holdAgainst(reference->absent, openPairs(*reference, analysis.program()));
  pins.emplace(number, Pins(analysis.program(), analysis.pending()));
  if (choices.ordering.allowance.exceeded()) { // it has not come to its end
    pins.erase(number);
    analysed.erase(number);
    found.skipped.push_back({kernel.name, kernel.section, kernel.line, choices.ordering.allowance.reason()});
    return;
  }
  placed.emplace(number, std::make_unique<StatementSlots>(analysis.program(), analysis.pending(), file.sites));
  reportOpen(analysis);
}

void EditSession::reportOpen(const Analysis &analysis) {
  const Kernel &kernel = analysis.kernel();
  const Program &program = analysis.program();
  std::set<std::pair<const Statement *, const Statement *>> listed; // one line a pair, not one a distance
  for (const OpenObligation &open : analysis.pending().open(ObligationKind::Conflict)) {
    const Node &earlier = program.nodes[program.nodeOfBit[open.pair.bit]];
    const Node &later = program.nodes[open.pair.later];
    // Unknown calls conflict with everything by assumption; they have a list of their own.
    if (!earlier.unknown && !later.unknown && listed.insert({earlier.statement, later.statement}).second)
      found.unresolved.push_back({kernel.name, kernel.section, analysis.hazards().describe(open.pair), open.rule});
  }
  std::set<std::string> known; // copies of a loop's phases say the same
  for (const TokenEvent &fault : analysis.pending().tokenFaults()) {
    TokenFault report{kernel.name, kernel.section, tokenFaultText(program, fault), kernel.line};
    if (fault.event != kNone)
      report.line = program.steps[fault.step][fault.event].statement->line;
    if (known.insert(report.text + std::to_string(report.line)).second)
      found.tokenFaults.push_back(std::move(report));
  }
}

/// Which kernels run through each site, and how deep in loops.
void EditSession::collectSites(const KernelGroup &group) {
  through.resize(file.sites.size());
  depth.assign(file.sites.size(), 0);
  for (std::size_t k : group) {
    const Kernel &kernel = file.kernels[k];
    const FlowGraph *graph = analysed.count(k) ? analysed.at(k).program().graph.get() : nullptr;
    for (BlockId block = 0; block < kernel.blocks.size(); ++block)
      for (const Statement &statement : kernel.blocks[block].statements)
        if (const auto *sync = std::get_if<Sync>(&statement.action)) {
          through[sync->site].insert(k);
          if (graph)
            depth[sync->site] = std::max(depth[sync->site], graph->depthOf(graph->loopOf(block)));
        }
  }
  for (SiteId site = 0; site < file.sites.size(); ++site) {
    std::set<std::string> names;
    std::set<Section> sections;
    for (std::size_t k : through[site]) {
      names.insert(file.kernels[k].name);
      sections.insert(file.kernels[k].section);
    }
    decided.runsThrough(site, {names.begin(), names.end()}, {sections.begin(), sections.end()});
  }
}

EditSession::OpenPairs EditSession::openPairsOf(SiteId barrier) const {
  return [this, barrier](std::size_t k) { return pins.at(k).ofBarrier(barrier); };
}

EditSession::OpenPairs EditSession::openPairsOf(const Web &web) const {
  return [this, web, known = std::map<std::size_t, std::vector<ConflictPair>>()](std::size_t k) mutable {
    auto [pairs, inserted] = known.try_emplace(k);
    if (inserted)
      pairs->second = pins.at(k).ofWeb(web);
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
  const auto *set = std::get_if<Sync>(&kernel(refusal.kernel).program().nodes[witness->later].statement->action);
  return set ? set->site : kNone;
}

std::optional<EditSession::Refusal> EditSession::tryRemoval(const std::set<SiteId> &sites, const OpenPairs &open) {
  std::set<std::size_t> kernels;
  for (SiteId site : sites)
    kernels.insert(through[site].begin(), through[site].end());
  std::map<std::size_t, SyncEdit> edits;
  for (std::size_t k : kernels)
    edits[k].removed = sites;
  return tryEdit(edits, open);
}

/// A statement of a flag that the edit is about that no run is seen to reach; kNone if there is none. What the flag
/// does there was not looked at.
SiteId EditSession::unreachedUse(std::size_t kernel, const SyncEdit &edit) const {
  const Pending &pending = analysed.at(kernel).pending();
  const Program &program = analysed.at(kernel).program();
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

/// A statement of the edit that is not to be touched; kNone if there is none.
SiteId EditSession::leftOutOf(std::size_t kernel, const SyncEdit &edit) const {
  if (!choices.sites)
    return kNone;
  for (SiteId site : edit.removed)
    if (!decided.mayTouch(site))
      return site;
  const Program &program = analysed.at(kernel).program();
  for (const auto &[key, places] : edit.moves)
    if (SiteId site = program.steps[key.first][key.second].site; site != kNone && !decided.mayTouch(site))
      return site;
  return kNone;
}

std::uint64_t EditSession::worked() const {
  std::uint64_t work = 0;
  for (const auto &[number, kernel] : analysed)
    work += kernel.pending().worked() + pins.at(number).worked();
  return work;
}

std::optional<EditSession::Refusal> EditSession::tryEdit(const std::map<std::size_t, SyncEdit> &edits,
                                                         const OpenPairs &open) {
  abandon();
  if (choices.ordering.allowance.spent(WorkUnit::Trial))
    return Refusal{edits.empty() ? 0 : edits.begin()->first, {}, {}};
  for (const auto &[k, edit] : edits)
    if (SiteId site = leftOutOf(k, edit); site != kNone)
      return Refusal{k, {}, {}, kNone, site};
  for (const auto &[k, edit] : edits) {
    Analysis &kernel = analysed.at(k);
    if (const Pins &all = pins.at(k); all.everything())
      return Refusal{k, {}, all.firstOpen()};
    tried.insert(k);
    Pending::Trial trial = kernel.tryEdit(edit);
    std::optional<ConflictPair> lost;
    if (trial.allowed)
      lost = kernel.pending().losesOrder(open(k));
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
  choices.ordering.allowance.count(WorkUnit::Edit);
  for (std::size_t k : tried) {
    analysed.at(k).commit();
    placed.at(k)->forget();
  }
  tried.clear();
}

void EditSession::abandon() {
  for (std::size_t k : tried)
    analysed.at(k).abandon();
  tried.clear();
  gain = false;
}

bool EditSession::werePutIn(const std::set<SiteId> &sites) const {
  return reference && std::includes(reference->absent.begin(), reference->absent.end(), sites.begin(), sites.end());
}

bool EditSession::seenWhole(const std::set<SiteId> &sites) const {
  if (reference)
    return reference->seenWhole();
  return std::all_of(sites.begin(), sites.end(), [&](SiteId site) {
    return std::all_of(through[site].begin(), through[site].end(),
                       [&](std::size_t k) { return analysed.count(k) && kernel(k).pending().seenWhole(); });
  });
}

bool EditSession::mayCarryUnseen(const std::set<SiteId> &sites) const {
  return !intermittentToo && !seenWhole(sites) && !werePutIn(sites);
}

bool EditSession::screen(SiteId id) {
  const SyncSite &site = file.sites[id];
  if (site.protection != Protection::None) {
    decided.keep(id, KeptReason::Protected, protectionText(site));
    return false;
  }
  if (through[id].empty()) {
    decided.keep(id, KeptReason::NotAnalysed, "no kernel calls the function that it stands in");
    return false;
  }
  for (std::size_t k : through[id])
    if (!analysed.count(k)) {
      decided.keep(id, KeptReason::NotAnalysed, "kernel " + file.kernels[k].name + " was not analysed");
      return false;
    }
  auto unseen = [&](std::size_t k) { return kernel(k).pending().eventsOf(id).empty(); };
  auto unreached = [&](std::size_t k) { return kernel(k).pending().hasUnreached(id); };
  const std::set<std::size_t> &in = through[id];
  if (std::all_of(in.begin(), in.end(), unseen) || std::any_of(in.begin(), in.end(), unreached)) {
    decided.keep(id, KeptReason::Unreached, kUnreachedText);
    return false;
  }
  return true;
}

bool EditSession::maySucceedLater(SiteId site) const {
  auto refused = refusedForFlag.find(site);
  return refused != refusedForFlag.end() && decided[site].verdict == Verdict::Kept &&
         refused->second < decided.editCount();
}

void EditSession::remove(const std::set<SiteId> &sites, const std::string &pattern) {
  for (SiteId site : sites)
    if (file.sites[site].kind == SyncKind::WaitFlag || file.sites[site].kind == SyncKind::GetBuffer)
      for (std::size_t k : through[site])
        facedWhenRemoved[site].emplace(k, kernel(k).pending().facedBy(site));
  commit();
  decided.remove(sites, pattern);
}

Pending::Faced EditSession::facedBy(SiteId site, std::size_t number) const {
  auto known = facedWhenRemoved.find(site);
  return known == facedWhenRemoved.end() ? kernel(number).pending().facedBy(site) : known->second.at(number);
}

OptimizeResult EditSession::take() {
  found.decisions = decided.take();
  return std::move(found);
}

void EditSession::keepUnresolved(SiteId site, std::size_t kernel, const ConflictPair &pair) {
  if (pair.later == kNone)
    return decided.keep(site, KeptReason::Hazard, "work may still be running at the kernel's end");
  decided.keep(site, KeptReason::Unresolved, "it may be what orders this pair, which the analysis does not see ordered",
               analysed.at(kernel).hazards().describe(pair));
}

void EditSession::keepRefused(SiteId site, const Refusal &refusal) {
  if (refusal.leftOut != kNone && !decided.mayTouch(site))
    return decided.leaveOut(site);
  if (refusal.leftOut != kNone)
    return decided.keep(site, KeptReason::NotApproved,
                        "it goes only together with line " + std::to_string(file.sites[refusal.leftOut].line) +
                            ", of which no edit is approved");
  const std::optional<ConflictPair> &witness = refusal.trial.witness;
  if (refusal.unresolved || (witness && kernel(refusal.kernel).pending().isAboutFlag(*witness)))
    refusedForFlag[site] = decided.editCount();
  else
    refusedForFlag.erase(site);
  if (refusal.unresolved)
    return keepUnresolved(site, refusal.kernel, *refusal.unresolved);
  if (refusal.unreached != kNone)
    return decided.keep(site, KeptReason::Unreached,
                        "no run is seen to reach another statement of its flag, at line " +
                            std::to_string(file.sites[refusal.unreached].line));
  const Pending::Trial &trial = refusal.trial;
  if (trial.bracket)
    return decided.keep(site, KeptReason::Unbalanced,
                        "without it, a bracket of buffer id " + std::to_string(trial.bracket->id) +
                            " would not be closed, or nest");
  if (trial.token)
    return decided.keep(site, KeptReason::Hazard,
                        "without it, " + tokenFaultText(kernel(refusal.kernel).program(), *trial.token));
  if (trial.atEnd)
    return decided.keep(site, KeptReason::Hazard, "work would still be running at the kernel's end");
  std::string detail = "without it nothing orders this pair";
  if (trial.fence)
    detail = "it orders work relative to an opaque fence";
  else if (trial.witness && trial.witness->kind == HazardKind::FlagReuse)
    detail = "without it a flag could be set again too early";
  std::optional<Conflict> pair;
  if (trial.witness)
    pair = kernel(refusal.kernel).hazards().describe(*trial.witness);
  decided.keep(site, KeptReason::Hazard, std::move(detail), std::move(pair));
}

namespace {

constexpr std::size_t kMostBlocksSearched = 256;
constexpr std::size_t kMostStepsFollowed = 1024;
// Of one sync; instances for each place and row that it was looked at in.
constexpr std::size_t kMostFollowed = 256, kMostSearches = 1000;

class EvidenceCollector {
public:
  EvidenceCollector(const Program &program, const Pending &pending)
      : program(program), pending(pending), model(pending.hazards()) {}

  std::vector<Evidence> collect(Pending::Faced faced) {
    keepNearest(faced);
    cutOff |= !pending.follow(faced,
                              {[&](const ConflictPair &pair) { addRuled(pair); },
                               [&](Pipe pipe, const Completion &completion) { addCompleted(pipe, completion); }},
                              kMostStepsFollowed);
    if (result.empty()) {
      Evidence nothing;
      nothing.text = cutOff ? "none of the nearest later instructions touches what may still be running here"
                            : "no later instruction touches what may still be running here";
      result.push_back(std::move(nothing));
    }
    return std::move(result);
  }

private:
  /// Leaves out what a sync faced of instructions far in front of it, if that is very much.
  void keepNearest(Pending::Faced &faced) {
    for (auto &[key, rows] : faced)
      for (auto &[row, bits] : rows) {
        BitSet nearest = bits.nearestBelow(bitAt(key), kMostFollowed);
        cutOff = cutOff || nearest != bits;
        bits = std::move(nearest);
      }
  }

  /// The first instance of a node that comes next behind an event.
  std::uint32_t bitAt(EventKey key) const {
    std::uint32_t bit = program.bits;
    auto run = [&](StepId step, std::uint32_t first, const FollowedInstance &) {
      const std::vector<Event> &events = program.steps[step];
      auto next =
          std::find_if(events.begin() + first, events.end(), [](const Event &event) { return event.node != kNone; });
      if (next == events.end())
        return Onward::Follow;
      bit = program.nodes[next->node].firstBit;
      return Onward::End;
    };
    followInstance(program, key, FollowedInstance{0}, kMostBlocksSearched, run);
    return bit;
  }

  bool seen(const ConflictPair &pair) {
    const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]];
    return !known.insert({earlier.statement, program.nodes[pair.later].statement}).second;
  }

  void addRuled(const ConflictPair &pair) {
    std::string rule;
    if (model.excuse(pair.bit, pair.later, &rule) != Excuse::Justified || seen(pair))
      return;
    add(Evidence::By::Rule, pair, rule, {}, true);
    if (model.libraryOrders(pair))
      add(Evidence::By::Library, pair, {}, {program.nodes[pair.later].statement->line}, false);
  }

  void addCompleted(Pipe pipe, const Completion &completion) {
    std::optional<ConflictPair> pair = firstConflictAfter(pipe, completion);
    if (!pair || seen(*pair))
      return;
    const Event &event = program.steps[completion.step][completion.event];
    bool library = event.site == kNone;
    add(library ? Evidence::By::Library : Evidence::By::Sync, *pair, {}, {event.statement->line}, true);
    std::string rule;
    if (model.excuse(pair->bit, pair->later, &rule) == Excuse::Justified)
      add(Evidence::By::Rule, *pair, rule, {}, false);
    else if (!library && model.libraryOrders(*pair))
      add(Evidence::By::Library, *pair, {}, {program.nodes[pair->later].statement->line}, false);
  }

  /// Breadth-first from the completing event: the nearest instruction on the pipe that conflicts.
  std::optional<ConflictPair> firstConflictAfter(Pipe pipe, const Completion &completion) {
    std::optional<ConflictPair> found;
    // Of an instance that meets nothing there, the search would go through all that follows.
    if (!model.candidatesOn(pipe).contains(program.nodes[program.nodeOfBit[completion.bit]].firstBit))
      return found;
    if (searches == kMostSearches) {
      cutOff = true;
      return found;
    }
    ++searches;
    auto run = [&](StepId step, std::uint32_t first, const FollowedInstance &way) {
      for (std::uint32_t i = first; i < program.steps[step].size() && !found; ++i)
        if (const Event &event = program.steps[step][i];
            event.kind == Event::Kind::Access && program.nodes[event.node].pipe == pipe)
          found = model.conflict(way.bit, event.node);
      return found ? Onward::End : Onward::Follow;
    };
    followInstance(program, {completion.step, completion.event}, FollowedInstance{completion.bit}, kMostBlocksSearched,
                   run);
    return found;
  }

  void add(Evidence::By by, const ConflictPair &pair, std::string rule, std::vector<std::uint32_t> lines, bool relied) {
    Evidence evidence;
    evidence.by = by;
    evidence.conflict = model.describe(pair);
    evidence.rule = std::move(rule);
    evidence.lines = std::move(lines);
    evidence.relied = relied;
    evidence.text = sentence(evidence);
    result.push_back(std::move(evidence));
  }

  /// What the kind, rule and lines do not say.
  std::string sentence(const Evidence &evidence) const {
    switch (evidence.by) {
    case Evidence::By::Rule: {
      const MachineRule *rule = program.machine->rule(evidence.rule);
      return rule ? rule->title : "";
    }
    case Evidence::By::Sync: return "completes the earlier one first";
    case Evidence::By::Library:
      return evidence.relied ? "completes the earlier one first" : "it counts with --trust=library";
    case Evidence::By::Nothing:
    case Evidence::By::Web:
    case Evidence::By::Bracket:
    case Evidence::By::Anew:
    case Evidence::By::Place: break;
    }
    return {};
  }

  const Program &program;
  const Pending &pending;
  const HazardModel &model;
  std::size_t searches = 0;
  bool cutOff = false; // something was not looked at
  std::set<std::pair<const Statement *, const Statement *>> known;
  std::vector<Evidence> result;
};

} // namespace

std::vector<Evidence> evidenceOf(const Analysis &kernel, Pending::Faced faced) {
  return EvidenceCollector(kernel.program(), kernel.pending()).collect(std::move(faced));
}

} // namespace ptosync
