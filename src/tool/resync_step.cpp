#include "tool/resync_step.h"

#include "pipeline/synthesis_step.h"
#include "tool/cost_step.h"

namespace ptosync {

llvm::Expected<synthesis::ResyncResult> resyncModule(const Module &module, const Machine &machine,
                                                     const Catalogue &catalogue, const ToolOptions &options) {
  llvm::Expected<timing::CostTable> costs = loadCosts(machine, options);
  if (!costs)
    return costs.takeError();
  return placeSyncsAnew(module, machine, catalogue, *costs, options);
}

std::string wrongReservedId(const Machine &machine, const ToolOptions &options) {
  auto ids = static_cast<std::int64_t>(machine.flagIds());
  auto wrong = options.reservedIds.lower_bound(ids);
  if (wrong == options.reservedIds.end())
    return {};
  return "--reserve-ids: '" + std::to_string(*wrong) + "' is no event id of the " + machine.arch() +
         ": expected numbers from 0 to " + std::to_string(ids - 1);
}

} // namespace ptosync
