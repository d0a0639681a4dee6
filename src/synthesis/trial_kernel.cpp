#include "synthesis/trial_kernel.h"

#include "ordering/syncs.h"
#include "rewrite/sync_edits.h"
#include "synthesis/proposals.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <deque>

namespace ptosync::synthesis {

Lift liftOnly(const Lift &lift, const std::string &kernel) {
  return [&lift, kernel](const std::string &text) {
    llvm::Expected<Module> module = lift(text);
    if (module)
      std::erase_if(module->kernels, [&](const Kernel &other) { return other.name != kernel; });
    return module;
  };
}

Lift remembering(const Lift &lift) {
  constexpr std::size_t kMostRemembered = 8;
  struct Read {
    std::string text;
    Module module;
  };
  return [&lift, last = std::make_shared<std::deque<Read>>()](const std::string &text) -> llvm::Expected<Module> {
    auto known = std::find_if(last->begin(), last->end(), [&](const Read &read) { return read.text == text; });
    if (known != last->end())
      return known->module;
    llvm::Expected<Module> module = lift(text);
    if (!module)
      return module;
    last->push_front({text, *module});
    if (last->size() > kMostRemembered)
      last->pop_back();
    return module;
  };
}

llvm::Expected<MarkedKernel> readMarked(const Module &input, std::size_t kernel, const std::string &text,
                                        std::size_t marks, const Lift &lift) {
  llvm::Expected<Module> lifted = lift(text);
  if (!lifted)
    return lifted.takeError();
  MarkedKernel marked;
  marked.module = std::make_unique<Module>(std::move(*lifted));
  const Kernel *same = kernelLike(*marked.module, input.kernels[kernel]);
  if (!same || !same->analysable)
    return llvm::createStringError("with syncs put in it is not read as the same kernel");
  marked.kernel = static_cast<std::size_t>(same - marked.module->kernels.data());
  marked.sites.resize(marks);
  SiteId next = 0;
  for (SiteId site = 0; site < marked.module->sites.size(); ++site) {
    std::size_t mark = markBehind(marked.module->source, marked.module->sites[site]);
    bool own = mark < marks; // a comment of the input may look like one
    marked.originOf.push_back(own ? kNone : next++);
    if (own)
      marked.sites[mark].insert(site);
  }
  if (next != input.sites.size())
    return llvm::createStringError("with syncs put in it does not have the syncs that it had");
  return marked;
}

std::vector<Edit> editsOf(const Module &module, const std::vector<const SyncChange *> &changes) {
  std::set<SiteId> removed;
  std::vector<AddedSync> added;
  for (const SyncChange *change : changes) {
    removed.insert(change->removed.begin(), change->removed.end());
    added.insert(added.end(), change->added.begin(), change->added.end());
  }
  std::vector<SyncRemoval> removals;
  for (SiteId site : removed)
    removals.push_back({site, "fix"});
  sortByPlace(added);
  return withAdded(module.source, syncEdits(module.source, module.sites, removals, {}), added);
}

llvm::Expected<std::string> changedText(const Module &module, const std::vector<const SyncChange *> &changes) {
  return applyEdits(module.source, editsOf(module, changes));
}

llvm::Expected<TrialKernel> TrialKernel::read(const Module &module, std::size_t kernel, SyncChange base,
                                              std::vector<SyncChange> candidates, const Lift &lift) {
  TrialKernel trial;
  trial.base = std::move(base);
  trial.changes = std::move(candidates);
  std::size_t count = trial.changes.size();
  SyncChange all;
  auto put = [&](const SyncChange &change, std::size_t mark) {
    for (AddedSync sync : change.added) {
      sync.earlier = markOf(mark);
      all.added.push_back(std::move(sync));
    }
  };
  for (std::size_t i = 0; i < count; ++i)
    put(trial.changes[i], i);
  put(trial.base, count);
  llvm::Expected<std::string> text = changedText(module, {&all});
  if (!text)
    return text.takeError();
  llvm::Expected<MarkedKernel> marked = readMarked(module, kernel, *text, count + 1, lift);
  if (!marked)
    return marked.takeError();
  trial.marked = std::move(*marked);
  const std::vector<SyncSite> &lifted = trial.module().sites;
  for (SiteId site = 0; site < lifted.size(); ++site)
    if (SiteId origin = trial.origins()[site];
        origin != kNone && lifted[site].protection != module.sites[origin].protection)
      return llvm::createStringError("with syncs put in, a keep comment would hold another sync");
  std::set<SiteId> here = ptosync::sitesOf(trial.whole());
  for (std::size_t i = 0; i < count; ++i) {
    const std::set<SiteId> &own = trial.sitesOf(i);
    trial.fit.push_back(own.size() == trial.changes[i].added.size() &&
                        std::all_of(own.begin(), own.end(), [&](SiteId site) {
                          return here.count(site) && lifted[site].protection == Protection::None;
                        }));
  }
  if (numberedStatements(trial.whole()).size() != numberedStatements(module.kernels[kernel]).size())
    return llvm::createStringError("with syncs put in it does not have the statements that it had");
  return trial;
}

std::set<SiteId> TrialKernel::without(const std::set<std::size_t> &chosen) const {
  std::set<SiteId> out;
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (!chosen.count(i))
      out.insert(sitesOf(i).begin(), sitesOf(i).end());
  std::set<SiteId> removed = base.removed;
  for (std::size_t i : chosen)
    removed.insert(changes[i].removed.begin(), changes[i].removed.end());
  for (SiteId site = 0; site < origins().size(); ++site)
    if (origins()[site] != kNone && removed.count(origins()[site]))
      out.insert(site);
  return out;
}

Kernel TrialKernel::with(const std::set<std::size_t> &chosen) const { return withoutSites(whole(), without(chosen)); }

Module TrialKernel::moduleWith(const std::set<std::size_t> &chosen) const {
  Module module = *marked.module;
  std::set<SiteId> out = without(chosen);
  for (Kernel &kernel : module.kernels)
    kernel = withoutSites(std::move(kernel), out);
  return module;
}

namespace {

constexpr unsigned kMostMendingRounds = 6;

llvm::Expected<std::string> textWith(const Module &module, const StatementTree &tree,
                                     const std::vector<Proposal> &proposals) {
  std::vector<AddedSync> added;
  for (std::size_t i = 0; i < proposals.size(); ++i)
    for (AddedSync &sync : additionsOf(proposals[i], proposedId(i), module.source, tree)) {
      sync.earlier = markOf(i);
      added.push_back(std::move(sync));
    }
  sortByPlace(added);
  return applyEdits(module.source, withAdded(module.source, {}, added));
}

/// What is wrong with each proposal's flag, if anything: such a one orders nothing that counts.
std::vector<bool> unfit(const AugmentedKernel &augmented, const Program &program, const Pending &pending,
                        const std::vector<std::set<std::size_t>> &kernelsOf) {
  std::vector<bool> result(augmented.proposals.size(), false);
  std::map<SiteId, std::size_t> proposalOf;
  for (std::size_t i = 0; i < augmented.proposals.size(); ++i) {
    result[i] = augmented.sites[i].size() != augmented.proposals[i].syncs.size();
    for (SiteId site : augmented.sites[i]) {
      proposalOf[site] = i;
      result[i] = result[i] || kernelsOf[site] != std::set<std::size_t>{augmented.kernel};
    }
  }
  for (const Web &web : findWebs(program, pending.layout(), pending.tokens()))
    for (SiteId site : web.sites())
      if (auto found = proposalOf.find(site); found != proposalOf.end() && !result[found->second])
        result[found->second] = !web.balanced || web.sites() != augmented.sites[found->second];
  for (const OpenObligation &reuse : pending.open(ObligationKind::FlagReuse))
    if (const auto *sync = std::get_if<Sync>(&program.nodes[reuse.pair.later].statement->action))
      if (auto found = proposalOf.find(sync->site); found != proposalOf.end())
        result[found->second] = true;
  return result;
}

std::vector<std::set<std::size_t>> kernelsOfSites(const Module &module) {
  std::vector<std::set<std::size_t>> kernelsOf(module.sites.size());
  for (std::size_t k = 0; k < module.kernels.size(); ++k)
    for (SiteId site : sitesOf(module.kernels[k]))
      kernelsOf[site].insert(k);
  return kernelsOf;
}

/// As if the text had never had these proposals.
void leaveOut(AugmentedKernel &augmented, const std::vector<bool> &out) {
  std::set<SiteId> gone;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i]) {
      gone.insert(augmented.sites[i].begin(), augmented.sites[i].end());
      continue;
    }
    if (kept != i) {
      augmented.proposals[kept] = std::move(augmented.proposals[i]);
      augmented.sites[kept] = std::move(augmented.sites[i]);
    }
    ++kept;
  }
  augmented.proposals.resize(kept);
  augmented.sites.resize(kept);
  for (Kernel &other : augmented.module->kernels)
    other = withoutSites(std::move(other), gone);
}

} // namespace

llvm::Expected<AugmentedKernel> augment(const Module &module, std::size_t kernel, const StatementTree &tree,
                                        std::vector<Proposal> proposals, const Machine &machine,
                                        const OrderingOptions &options, const Lift &lift) {
  llvm::Expected<std::string> text = textWith(module, tree, proposals);
  if (!text)
    return text.takeError();
  llvm::Expected<MarkedKernel> marked = readMarked(module, kernel, *text, proposals.size(), lift);
  if (!marked)
    return marked.takeError();
  AugmentedKernel augmented{std::move(*marked), std::move(proposals)};
  for (unsigned round = 0; round < kMostMendingRounds; ++round) {
    llvm::Expected<Program> program = buildProgram(augmented.module->kernels[augmented.kernel], machine, options);
    if (!program)
      return program.takeError();
    Pending pending(*program);
    std::vector<bool> out = unfit(augmented, *program, pending, kernelsOfSites(*augmented.module));
    if (std::find(out.begin(), out.end(), true) == out.end())
      return augmented;
    leaveOut(augmented, out);
  }
  return llvm::createStringError("no set of flags was found that are binary together");
}

std::string flagName(const Flag &flag) { return "flag " + flagText(flag); }

std::vector<const Statement *> numberedStatements(const Kernel &kernel) {
  std::vector<const Statement *> statements;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (!std::holds_alternative<Sync>(statement.action))
        statements.push_back(&statement);
  return statements;
}

std::size_t KernelState::numberOf(NodeId node) const {
  auto found = numbers.find(program->nodes[node].statement);
  return found == numbers.end() ? static_cast<std::size_t>(kNone) : found->second;
}

OpenPair KernelState::pairOf(const ConflictPair &pair) const {
  return {numberOf(program->nodeOfBit[pair.bit]), numberOf(pair.later), pair.kind};
}

/// The flags that a set names, with what its copies for a loop's phases name.
static std::vector<std::uint32_t> flagsSetBy(const Program &program, NodeId set) {
  if (program.nodes[set].libraryFlag != kNone)
    return {program.nodes[set].libraryFlag};
  std::vector<std::uint32_t> flags;
  for (const std::vector<Event> &events : program.steps)
    for (const Event &event : events)
      if (event.node == set)
        flags.insert(flags.end(), event.lanes.begin(), event.lanes.end());
  return flags;
}

static void note(const OpenObligation &open, KernelState &state) {
  const Program &program = *state.program;
  const NodeId earlier = program.nodeOfBit[open.pair.bit];
  switch (open.kind()) {
  case ObligationKind::Conflict:
    (open.silenced == Excuse::Silenced ? state.silenced : state.open).insert(state.pairOf(open.pair));
    return;
  case ObligationKind::Fence: state.fences.insert(state.pairOf(open.pair)); return;
  case ObligationKind::FlagReuse:
    for (std::uint32_t flag : flagsSetBy(program, open.pair.later)) {
      ++state.reuses[program.flags[flag]];
      state.reusePairs.insert(
          {program.flags[flag], state.pending->siteOf(earlier), state.pending->siteOf(open.pair.later)});
    }
    return;
  case ObligationKind::End:
    if (!program.nodes[earlier].isFlag())
      state.atEnd.insert(state.numberOf(earlier));
    return;
  }
}

llvm::Expected<KernelState> analyseKernel(const Kernel &kernel, const Machine &machine,
                                          const OrderingOptions &options) {
  llvm::Expected<Program> program = buildProgram(kernel, machine, options);
  if (!program)
    return program.takeError();
  KernelState state;
  state.program = std::make_unique<Program>(std::move(*program));
  state.pending = std::make_unique<Pending>(*state.program);
  for (const Statement *statement : numberedStatements(kernel))
    state.numbers.emplace(statement, state.numbers.size());
  for (const OpenObligation &open : state.pending->open())
    note(open, state);
  for (const TokenEvent &fault : state.pending->tokenFaults())
    ++state.faults[state.program->flags[fault.flag]];
  return state;
}

} // namespace ptosync::synthesis
