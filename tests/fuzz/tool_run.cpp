#include "fuzz/tool_run.h"

#include "frontend/frontend.h"
#include "machine/machine.h"
#include "optimize/optimizer.h"
#include "patterns/catalogue.h"

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

std::string describeEnd(const InstructionPlace &place) {
  std::string text = std::string(pipeName(place.pipe)) + " line " + std::to_string(place.line);
  for (std::uint32_t line : place.calledFrom)
    text += " from " + std::to_string(line);
  return text;
}

std::string describeConflict(const Conflict &conflict) {
  return describeEnd(conflict.earlier) + " -> " + describeEnd(conflict.later) + " " + hazardKindName(conflict.kind) +
         (conflict.loopCarried ? " carried " : " ") + conflict.storage;
}

} // namespace

ToolRun runTool(const std::string &text, Trust trust) {
  ToolRun run;
  FrontendOptions frontend;
  for (const auto &[name, facts] : machine().instructions())
    frontend.instructions.insert(name);
  llvm::Expected<Module> module = liftModule(SourceText("kernel.cpp", text), frontend);
  if (!module) {
    run.error = llvm::toString(module.takeError());
    return run;
  }
  OptimizeOptions options;
  options.ordering.trust = trust;
  OptimizeResult result = optimize(*module, machine(), catalogue(), options);
  for (const SkippedKernel &skipped : result.skipped)
    run.skipped.insert(skipped.reason);
  run.patched = text;
  for (const SiteDecision &decision : result.decisions) {
    const SyncSite &site = module->sites[decision.site];
    if (site.kind != SyncKind::Barrier)
      continue;
    if (decision.verdict == Verdict::Kept) {
      run.kept[site.line] = keptReasonName(decision.reason);
      if (decision.witness)
        run.witness[site.line] = describeConflict(*decision.witness);
      continue;
    }
    run.removed.insert(site.line);
    for (std::uint32_t at = site.range.begin; at < site.range.end; ++at)
      run.patched[at] = ' ';
  }
  for (const UnresolvedPair &pair : result.unresolved)
    run.unresolved.insert(describeConflict(pair.conflict));
  return run;
}

} // namespace ptosync::fuzz
