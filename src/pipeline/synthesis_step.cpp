#include "pipeline/synthesis_step.h"

namespace ptosync {

synthesis::Lift lifterOf(const std::string &name, const FrontendOptions &frontend) {
  return [name, frontend](const std::string &text) { return liftModule(SourceText(name, text), frontend); };
}

llvm::Expected<synthesis::ResyncResult> placeSyncsAnew(const Module &module, const Machine &machine,
                                                       const Catalogue &catalogue, const timing::CostTable &costs,
                                                       const RunChoices &choices) {
  synthesis::ResyncOptions request;
  request.optimize = choices.optimize;
  request.replay = replayOptions(choices);
  request.timed = timingOptions(choices);
  request.effort = choices.effort;
  request.seconds = choices.seconds;
  request.inputStands = choices.inputStands;
  request.reservedIds = choices.reservedIds;
  return synthesis::resync(module, machine, catalogue, costs, request,
                           lifterOf(module.source.name(), frontendOptions(machine, choices)));
}

llvm::Expected<synthesis::FixResult> mendModule(const Module &module, const Machine &machine,
                                                const timing::CostTable &costs, const AuditOptions &audit,
                                                const RunChoices &choices, Attribution attribution) {
  synthesis::FixOptions request;
  request.check.audit = audit;
  request.check.audit.lowest = Severity::Warning;
  request.check.audit.patterns = nullptr;
  request.check.replay = replayOptions(choices);
  request.timed = timingOptions(choices);
  request.reservedIds = choices.reservedIds;
  request.attribute = attribution == Attribution::ByFinding;
  FrontendOptions frontend = frontendOptions(machine, choices);
  frontend.shapes = !module.shapes.empty();
  return synthesis::fix(module, machine, costs, request, lifterOf(module.source.name(), frontend));
}

} // namespace ptosync
