#include "optimize/kernel_groups.h"

#include <llvm/ADT/EquivalenceClasses.h>

#include <map>

namespace ptosync {

std::vector<KernelGroup> kernelGroups(const Module &module) {
  llvm::EquivalenceClasses<std::size_t> together;
  std::map<SiteId, std::size_t> firstThrough; // the first kernel that runs through a site
  for (std::size_t k = 0; k < module.kernels.size(); ++k) {
    together.insert(k);
    for (const Block &block : module.kernels[k].blocks)
      for (const Statement &statement : block.statements)
        if (const auto *sync = std::get_if<Sync>(&statement.action);
            sync && module.sites[sync->site].protection == Protection::None)
          together.unionSets(firstThrough.try_emplace(sync->site, k).first->second, k);
  }
  std::map<std::size_t, KernelGroup> byLeader;
  std::vector<std::size_t> leaders;
  for (std::size_t k = 0; k < module.kernels.size(); ++k) {
    std::size_t leader = together.getLeaderValue(k);
    if (byLeader[leader].empty())
      leaders.push_back(leader);
    byLeader[leader].insert(k);
  }
  std::vector<KernelGroup> groups;
  for (std::size_t leader : leaders)
    groups.push_back(byLeader[leader]);
  return groups;
}

} // namespace ptosync
