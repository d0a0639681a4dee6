#include "fuzz/tool_run.h"
#include "audit/finding.h"

#include "fuzz/kernel_text.h"
#include "replay/verify.h"
#include "rewrite/sync_edits.h"
#include "rewrite/text_edit.h"
#include "run/fix.h"
#include "run/opt.h"
#include "synthesis/order_comparison.h"
#include "synthesis/synchronise.h"

#include <algorithm>

namespace ptosync::fuzz {
namespace {

const Machine &machine(const std::string &arch) {
  static std::map<std::string, Machine> models;
  auto found = models.find(arch);
  if (found == models.end())
    found = models.emplace(arch, llvm::cantFail(Machine::builtIn(arch))).first;
  return found->second;
}

const Catalogue &catalogue() {
  static const Catalogue selected = llvm::cantFail(llvm::cantFail(Catalogue::builtIn()).select("default"));
  return selected;
}

const timing::CostTable &costs(const std::string &arch) {
  static std::map<std::string, timing::CostTable> tables;
  auto found = tables.find(arch);
  if (found == tables.end())
    found = tables.emplace(arch, llvm::cantFail(timing::CostTable::builtIn(arch))).first;
  return found->second;
}

llvm::Expected<Module> liftText(const std::string &text, const Machine &machine) {
  return liftModule(SourceText("kernel.cpp", text), frontendOptions(machine));
}

/// The number of the kernel that a function belongs to: a helper that nobody calls is a kernel to the tool.
std::size_t ownerOf(const std::string &function, const std::vector<FuzzKernel> &kernels) {
  std::size_t i = 0;
  while (i < kernels.size() && kernels[i].name != function.substr(0, function.find('_')))
    ++i;
  return i;
}

/// Splits what was decided about a module by kernel. Lines of kernels do not move: edits keep the lines.
class Reducer {
public:
  Reducer(const Module &module, const OptimizeResult &result, const std::vector<FuzzKernel> &kernels)
      : module(module), result(result), kernels(kernels), numbers(instructionNumbers(module.source.text())),
        runs(kernels.size()) {}

  std::vector<ToolRun> run() {
    for (const SkippedKernel &skipped : result.skipped)
      if (ToolRun *own = ofName(skipped.kernel))
        own->skipped.insert(skipped.reason);
    for (const UnresolvedPair &pair : result.unresolved)
      if (ToolRun *own = ofName(pair.kernel))
        own->unresolved[describePair(pair.conflict)].merge(placesOf(pair.conflict));
    for (const TokenFault &fault : result.tokenFaults)
      if (ToolRun *own = ofName(fault.kernel))
        own->tokenFaults.insert(fault.text);
    Moves moves;
    for (const SiteDecision &decision : result.decisions)
      add(decision, moves);
    for (const auto &[place, decision] : moves)
      ofSite(decision->site)
          ->edits.moves.push_back({module.sites[decision->site].line, module.source.position(place.first).line});
    return std::move(runs);
  }

private:
  using Moves = std::map<std::pair<std::uint32_t, std::uint32_t>, const SiteDecision *>; // as they stand

  ToolRun *ofName(const std::string &name) {
    std::size_t owner = ownerOf(name, kernels);
    return owner < runs.size() ? &runs[owner] : nullptr;
  }
  /// Null for a site of the functions that all kernels share.
  ToolRun *ofSite(SiteId site) {
    std::uint32_t line = module.sites[site].line;
    auto found = std::partition_point(kernels.begin(), kernels.end(),
                                      [&](const FuzzKernel &kernel) { return kernel.lastLine < line; });
    return found == kernels.end() || line < found->firstLine ? nullptr : &runs[found - kernels.begin()];
  }

  std::string describeEnd(const InstructionPlace &place) const {
    auto number = [&](std::uint32_t line) { return " instruction " + std::to_string(numbers.at(line)); };
    std::string text = std::string(pipeName(place.pipe)) + number(place.line);
    for (std::uint32_t line : place.calledFrom)
      text += " from" + number(line);
    return text;
  }

  std::string describePair(const Conflict &conflict) const {
    return describeEnd(conflict.earlier) + " -> " + describeEnd(conflict.later) + " " + hazardKindName(conflict.kind) +
           (conflict.loopCarried ? " carried" : "");
  }

  std::string describeConflict(const Conflict &conflict) const {
    return describePair(conflict) + " " + conflict.storage;
  }

  /// "UB [0, 64) or [64, 128)" is said of a pair whose place turns.
  static std::set<std::string> placesOf(const Conflict &conflict) {
    std::set<std::string> places;
    auto [memory, ranges] = llvm::StringRef(conflict.storage).split(' ');
    llvm::SmallVector<llvm::StringRef> parts;
    ranges.split(parts, " or ");
    for (llvm::StringRef part : parts)
      places.insert((memory + " " + part).str());
    return places;
  }

  void add(const SiteDecision &decision, Moves &moves) {
    const SyncSite &site = module.sites[decision.site];
    ToolRun *own = ofSite(decision.site);
    if (!own)
      return;
    const bool flag = ptosync::isFlag(site.kind), buffer = ptosync::isBuffer(site.kind);
    switch (decision.verdict) {
    case Verdict::Removed:
      own->edits.removed.insert(site.line);
      own->flagsRemoved += flag;
      own->buffersRemoved += buffer;
      own->bracketPhasesRemoved |= buffer && site.text.find('%') != std::string::npos;
      own->rotationRemoved |= (flag || buffer) && site.text.find('%') != std::string::npos;
      if (patterns.insert(decision.edit).second)
        ++own->patterns[decision.pattern];
      return;
    case Verdict::Moved:
      own->buffersMoved += buffer ? decision.movedTo.size() : 0;
      for (const TextPlace &place : decision.movedTo)
        moves[{place.offset, place.rank}] = &decision;
      if (patterns.insert(decision.edit).second)
        ++own->patterns[decision.pattern];
      return;
    case Verdict::Kept:
      if (flag)
        ++own->keptFlags[keptReasonName(decision.reason)];
      if (buffer)
        ++own->keptBuffers[keptReasonName(decision.reason)];
      if (site.kind != SyncKind::Barrier)
        return;
      own->kept[site.line] = keptReasonName(decision.reason);
      if (decision.witness)
        own->witness[site.line] = describeConflict(*decision.witness);
      return;
    }
  }

  const Module &module;
  const OptimizeResult &result;
  const std::vector<FuzzKernel> &kernels;
  std::vector<std::uint32_t> numbers;
  std::set<std::uint32_t> patterns; // edits that are counted
  std::vector<ToolRun> runs;
};

RunChoices choicesFor(Trust trust) {
  RunChoices choices;
  choices.optimize.ordering.trust = trust;
  return choices;
}

OptimizeResult decide(const Module &module, const Machine &machine, Trust trust) {
  return optimize(module, machine, catalogue(), choicesFor(trust).optimize);
}

std::string describe(const replay::Finding &finding) {
  std::string text = std::string(replay::findingName(finding.kind)) + (finding.rule.empty() ? "" : " " + finding.rule) +
                     ", " + finding.run + ": " + finding.text;
  for (const std::string &order : finding.order)
    text += "; ordered before by " + order;
  return text;
}

std::string replayAll(const Module &before, const Module &after, const std::vector<FuzzKernel> &kernels,
                      const Machine &machine, Trust trust, CountKept countKept, std::vector<ReplayRun> &replayed) {
  replay::Options options = replayOptions(choicesFor(trust));
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(before, after, machine, options, {Section::Both}, replay::Unanalysable::Skip);
  if (!verdict)
    return "the replay refuses: " + llvm::toString(verdict.takeError());
  replayed.resize(kernels.size());
  for (const replay::Finding &finding : verdict->findings)
    replayed.at(ownerOf(finding.kernel, kernels)).findings.push_back(describe(finding));
  for (const replay::KernelCoverage &coverage : verdict->coverage) {
    ReplayRun &own = replayed.at(ownerOf(coverage.kernel, kernels));
    own.runs += coverage.runs;
    own.instructions += coverage.instructions;
  }
  if (countKept == CountKept::No)
    return {};
  for (std::size_t i = 0; i < before.kernels.size() && i < after.kernels.size(); ++i)
    if (before.kernels[i].analysable && after.kernels[i].analysable) {
      Precision own = precisionOf(before.kernels[i], after.kernels[i], after.sites, machine, options);
      Precision &sum = replayed.at(ownerOf(before.kernels[i].name, kernels)).precision;
      sum.kept += own.kept;
      sum.removable.insert(sum.removable.end(), own.removable.begin(), own.removable.end());
    }
  return {};
}

llvm::Expected<synthesis::ResyncResult> resynced(const Module &module, const Machine &machine, Trust trust,
                                                 unsigned effort, std::size_t regionWork, bool fromNothing) {
  RunChoices choices = choicesFor(trust);
  choices.effort = effort;
  choices.regionWork = regionWork;
  choices.fromNothing = fromNothing;
  return placeSyncsAnew(module, machine, catalogue(), costs(machine.arch()), choices);
}

std::vector<SiteId> editableSites(const Module &module) {
  std::vector<SiteId> sites;
  for (SiteId site = 0; site < module.sites.size(); ++site)
    if (isEditable(module.sites[site]))
      sites.push_back(site);
  return sites;
}

llvm::Expected<Module> liftWithout(const Module &module, const std::vector<SiteId> &sites, const Machine &machine) {
  std::vector<Edit> edits;
  for (SiteId site : sites)
    edits.push_back(removalEdit(module.source, module.sites[site], ""));
  llvm::Expected<std::string> text = applyEdits(module.source, std::move(edits));
  if (!text)
    return text.takeError();
  return liftText(*text, machine);
}

} // namespace

BatchRun runTool(const std::string &text, const std::vector<FuzzKernel> &kernels, const std::string &arch, Trust trust,
                 Repeat repeat, CountKept countKept) {
  const Machine &model = machine(arch);
  BatchRun batch;
  llvm::Expected<Module> module = liftText(text, model);
  if (!module) {
    batch.error = llvm::toString(module.takeError());
    return batch;
  }
  OptimizeResult result = decide(*module, model, trust);
  llvm::Expected<std::string> patched = patchedText(*module, result);
  if (!patched) {
    batch.error = "the edits do not apply: " + llvm::toString(patched.takeError());
    return batch;
  }
  batch.patched = std::move(*patched);
  batch.first = Reducer(*module, result, kernels).run();
  if (repeat == Repeat::Yes)
    batch.repeated = Reducer(*module, decide(*module, model, trust), kernels).run();
  llvm::Expected<Module> after = liftText(batch.patched, model);
  if (!after) {
    batch.patchedError = llvm::toString(after.takeError());
    return batch;
  }
  batch.onPatched = Reducer(*after, decide(*after, model, trust), kernels).run();
  batch.patchedError = replayAll(*module, *after, kernels, model, trust, countKept, batch.replayed);
  return batch;
}

std::vector<VerifyRun> runVerify(const std::string &before, const std::string &after,
                                 const std::vector<FuzzKernel> &kernels, const std::string &arch, Trust trust,
                                 std::string &error) {
  const Machine &model = machine(arch);
  std::vector<Module> modules;
  for (const std::string *text : {&before, &after}) {
    llvm::Expected<Module> module = liftText(*text, model);
    if (!module) {
      error = llvm::toString(module.takeError());
      return {};
    }
    modules.push_back(std::move(*module));
  }
  llvm::Expected<replay::Verdict> verdict = replay::verify(
      modules[0], modules[1], model, replayOptions(choicesFor(trust)), {Section::Both}, replay::Unanalysable::Skip);
  if (!verdict) {
    error = llvm::toString(verdict.takeError());
    return {};
  }
  std::vector<VerifyRun> runs(kernels.size());
  for (const replay::Finding &finding : verdict->findings) {
    VerifyRun &own = runs.at(ownerOf(finding.kernel, kernels));
    own.findings.push_back(describe(finding));
    own.brackets |= finding.rule.rfind("bracket-", 0) == 0;
  }
  for (const replay::KernelCoverage &coverage : verdict->coverage)
    for (std::size_t i = 0; i < kernels.size(); ++i)
      runs[i].compared |= coverage.kernel == kernels[i].name;
  return runs;
}

FixRun runFix(const std::string &text, const std::string &arch, Trust trust, std::uint64_t seed) {
  const Machine &model = machine(arch);
  FixRun run;
  auto failed = [&](llvm::Error error) {
    run.error = llvm::toString(std::move(error));
    return run;
  };
  llvm::Expected<Module> module = liftText(text, model);
  if (!module)
    return failed(module.takeError());
  RunChoices choices = choicesFor(trust);
  AuditOptions audited;
  audited.ordering = choices.optimize.ordering;
  // A call that the model does not know is said, and is nothing to mend.
  audited.severity = [](std::string_view rule) {
    return rule == "unknown-call" ? Severity::Off : findRule(rule)->severity;
  };
  run.sound = audit(*module, model, audited).findings.empty();
  std::vector<SiteId> sites = editableSites(*module);
  if (!run.sound || sites.empty())
    return run;
  if (seed % 3 != 0)
    sites = {sites[seed * 7919 % sites.size()]};
  llvm::Expected<Module> broken = liftWithout(*module, sites, model);
  if (!broken)
    return failed(broken.takeError());
  llvm::Expected<synthesis::FixResult> result =
      mendModule(*broken, model, costs(arch), audited, choices, Attribution::Together);
  if (!result)
    return failed(result.takeError());
  run.reported = !result->defects.empty();
  run.whole = result->left() == 0 && result->mended() == result->defects.size();
  for (const synthesis::Defect &defect : result->defects)
    if (!defect.mended)
      run.reason = defect.reason;
  if (!run.whole && run.reason.empty())
    run.reason = "the replay misses an order that is no finding";
  for (const SyncPlan &change : result->changes)
    run.added += change.added.size();
  run.mended = std::move(result->text);
  if (!run.whole)
    return run;
  llvm::Expected<Module> mended = liftText(run.mended, model);
  if (!mended)
    return failed(mended.takeError());
  run.open = !decide(*mended, model, trust).unresolved.empty();
  return run;
}

ResyncRun runResync(const std::string &text, const std::vector<FuzzKernel> &kernels, const std::string &arch,
                    Trust trust, Repeat repeat, Strip strip, unsigned effort, std::size_t regionWork) {
  constexpr double kRounding = 1e-6; // of the estimate
  const Machine &model = machine(arch);
  ResyncRun run;
  auto failed = [&](llvm::Error error) {
    run.error = llvm::toString(std::move(error));
    return run;
  };
  llvm::Expected<Module> module = liftText(text, model);
  if (!module)
    return failed(module.takeError());
  run.stripped = strip == Strip::Yes;
  llvm::Expected<synthesis::ResyncResult> result = resynced(*module, model, trust, effort, regionWork, run.stripped);
  if (!result)
    return failed(result.takeError());
  for (const synthesis::KernelResync &kernel : result->kernels) {
    run.changed |= kernel.changed;
    if (!kernel.changed)
      run.reason = kernel.reason;
    run.whole &= !kernel.left;
    if (run.stripped)
      continue;
    if (kernel.after > kernel.before * (1 + kRounding) || kernel.after > kernel.pruned * (1 + kRounding))
      run.slower = kernel.kernel + ": " + std::to_string(kernel.before) + " cycles before, " +
                   std::to_string(kernel.pruned) + " pruned, " + std::to_string(kernel.after) + " after";
  }
  for (const TokenFault &fault : result->decisions.tokenFaults)
    run.tokenFaults.insert(fault.text);
  llvm::Expected<std::string> patched = patchedText(*module, result->decisions);
  if (!patched)
    return failed(patched.takeError());
  run.patched = std::move(*patched);
  if (!run.stripped && run.patched == text)
    return run; // nothing can be lost
  llvm::Expected<Module> after = liftText(run.patched, model);
  if (!after)
    return failed(after.takeError());
  if (run.stripped) { // what it had orders of is forgotten, so the replay judges the result by itself
    llvm::Expected<synthesis::WholeOrder> order =
        synthesis::lookAtOrder(*after, model, choicesFor(trust).optimize.ordering, replayOptions(choicesFor(trust)));
    if (!order)
      return failed(order.takeError());
    if (run.whole)
      for (const replay::Finding &finding : order->missing)
        run.findings.push_back(finding.text);
  } else {
    std::vector<ReplayRun> replayed;
    std::string refused = replayAll(*module, *after, kernels, model, trust, CountKept::No, replayed);
    if (!refused.empty())
      run.findings.push_back(refused);
    for (const ReplayRun &kernel : replayed)
      run.findings.insert(run.findings.end(), kernel.findings.begin(), kernel.findings.end());
  }
  if (repeat == Repeat::No || run.stripped)
    return run;
  llvm::Expected<synthesis::ResyncResult> second = resynced(*after, model, trust, effort, regionWork, false);
  if (!second)
    return failed(second.takeError());
  llvm::Expected<std::string> twice = patchedText(*after, second->decisions);
  if (!twice)
    return failed(twice.takeError());
  run.again = *twice != run.patched;
  return run;
}

} // namespace ptosync::fuzz
