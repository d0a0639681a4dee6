#include "fuzz/tool_run.h"

#include "frontend/frontend.h"
#include "fuzz/kernel_text.h"
#include "machine/machine.h"
#include "optimize/optimizer.h"
#include "patterns/catalogue.h"
#include "rewrite/sync_edits.h"

namespace ptosync::fuzz {
namespace {

const Machine &machine() {
  static const Machine model = llvm::cantFail(Machine::builtIn("a3"));
  return model;
}

const Catalogue &catalogue() {
  static const Catalogue selected = llvm::cantFail(llvm::cantFail(Catalogue::builtIn()).select("default"));
  return selected;
}

class Reducer {
public:
  Reducer(const Module &module, const OptimizeResult &result)
      : module(module), result(result), numbers(instructionNumbers(module.source.text())) {}

  ToolRun run() {
    for (const SkippedKernel &skipped : result.skipped)
      summary.skipped.insert(skipped.reason);
    for (const UnresolvedPair &pair : result.unresolved)
      summary.unresolved.insert(describeConflict(pair.conflict));
    for (const TokenFault &fault : result.tokenFaults)
      summary.tokenFaults.insert(fault.text);
    for (const SiteDecision &decision : result.decisions)
      add(decision);
    for (const auto &[edit, move] : moves)
      summary.edits.moves.push_back({module.sites[move.site].line, module.source.position(move.before).line});
    for (const auto &[edit, pattern] : patterns)
      ++summary.patterns[pattern];
    applyToText();
    return std::move(summary);
  }

private:
  std::string describeEnd(const InstructionPlace &place) const {
    auto number = [&](std::uint32_t line) { return " instruction " + std::to_string(numbers.at(line)); };
    std::string text = std::string(pipeName(place.pipe)) + number(place.line);
    for (std::uint32_t line : place.calledFrom)
      text += " from" + number(line);
    return text;
  }

  std::string describeConflict(const Conflict &conflict) const {
    return describeEnd(conflict.earlier) + " -> " + describeEnd(conflict.later) + " " +
           hazardKindName(conflict.kind) + (conflict.loopCarried ? " carried " : " ") + conflict.storage;
  }

  void add(const SiteDecision &decision) {
    const SyncSite &site = module.sites[decision.site];
    bool flag = site.kind == SyncKind::SetFlag || site.kind == SyncKind::WaitFlag;
    switch (decision.verdict) {
    case Verdict::Removed:
      summary.edits.removed.insert(site.line);
      summary.flagsRemoved += flag;
      removals.push_back({decision.site, decision.pattern});
      patterns[decision.edit] = decision.pattern;
      return;
    case Verdict::Moved:
      for (const Arrival &place : decision.movedTo)
        moves[{place.offset, place.rank}] = {decision.site, place.offset, decision.pattern};
      patterns[decision.edit] = decision.pattern;
      return;
    case Verdict::Kept:
      if (flag)
        ++summary.keptFlags[keptReasonName(decision.reason)];
      if (site.kind != SyncKind::Barrier)
        return;
      summary.kept[site.line] = keptReasonName(decision.reason);
      if (decision.witness)
        summary.witness[site.line] = describeConflict(*decision.witness);
      return;
    }
  }

  /// As the command does (src/tool/opt_command.cpp).
  void applyToText() {
    std::vector<SyncMove> ordered;
    for (const auto &[edit, move] : moves)
      ordered.push_back(move);
    llvm::Expected<std::string> patched =
        applyEdits(module.source, syncEdits(module.source, module.sites, removals, ordered));
    if (patched)
      summary.patched = std::move(*patched);
    else
      summary.error = "the edits do not apply: " + llvm::toString(patched.takeError());
  }

  const Module &module;
  const OptimizeResult &result;
  std::vector<std::uint32_t> numbers;
  std::vector<SyncRemoval> removals;
  std::map<std::pair<std::uint32_t, std::uint32_t>, SyncMove> moves; // in the order in which they stand
  std::map<std::uint32_t, std::string> patterns;     // by edit
  ToolRun summary;
};

} // namespace

ToolRun runTool(const std::string &text, Trust trust) {
  FrontendOptions frontend;
  for (const auto &[name, facts] : machine().instructions())
    frontend.instructions.insert(name);
  llvm::Expected<Module> module = liftModule(SourceText("kernel.cpp", text), frontend);
  if (!module) {
    ToolRun refused;
    refused.error = llvm::toString(module.takeError());
    return refused;
  }
  OptimizeOptions options;
  options.ordering.trust = trust;
  OptimizeResult result = optimize(*module, machine(), catalogue(), options);
  return Reducer(*module, result).run();
}

} // namespace ptosync::fuzz
