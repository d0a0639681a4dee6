#include "tool/resync_step.h"

#include "frontend/frontend.h"
#include "tool/cost_step.h"
#include "tool/session.h"

namespace ptosync {

llvm::Expected<synthesis::ResyncResult> resyncModule(const Module &module, const Machine &machine,
                                                     const Catalogue &catalogue, const ToolOptions &options) {
  llvm::Expected<timing::CostTable> costs = timing::CostTable::builtIn(machine.arch());
  if (!costs)
    return costs.takeError();
  synthesis::ResyncOptions request;
  request.optimize = options.optimize;
  request.replay = replayOptions(options);
  request.timed = timingOptions(options);
  request.effort = options.effort;
  request.reservedIds = options.reservedIds;
  FrontendOptions frontend = frontendOptions(machine, options);
  synthesis::Lift lift = [&](const std::string &text) {
    return liftModule(SourceText(module.source.name(), text), frontend);
  };
  return synthesis::resync(module, machine, catalogue, *costs, request, lift);
}

} // namespace ptosync
