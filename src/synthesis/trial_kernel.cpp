#include "synthesis/trial_kernel.h"

#include "rewrite/sync_edits.h"
#include "synthesis/kernel_state.h"
#include "synthesis/sync_text.h"

#include <algorithm>

namespace ptosync::synthesis {

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

} // namespace ptosync::synthesis
