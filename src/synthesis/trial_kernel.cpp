#include "synthesis/trial_kernel.h"

#include "rewrite/sync_edits.h"
#include "synthesis/kernel_state.h"
#include "synthesis/sync_text.h"

namespace ptosync::synthesis {
namespace {

void dropSites(Kernel &kernel, const std::set<SiteId> &out) {
  for (Block &block : kernel.blocks)
    std::erase_if(block.statements, [&](const Statement &statement) {
      const auto *sync = std::get_if<Sync>(&statement.action);
      return sync && out.count(sync->site);
    });
}

} // namespace

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
  llvm::Expected<Module> lifted = lift(*text);
  if (!lifted)
    return lifted.takeError();
  trial.lifted = std::make_unique<Module>(std::move(*lifted));
  const Kernel *same = kernelLike(*trial.lifted, module.kernels[kernel]);
  if (!same || !same->analysable)
    return llvm::createStringError("with syncs put in it is not read as the same kernel");
  trial.number = static_cast<std::size_t>(same - trial.lifted->kernels.data());
  trial.sites.resize(count + 1);
  trial.fit.assign(count, true);
  std::set<SiteId> here = ptosync::sitesOf(*same);
  SiteId next = 0;
  for (SiteId site = 0; site < trial.lifted->sites.size(); ++site) {
    std::size_t mark = markBehind(trial.lifted->source, trial.lifted->sites[site]);
    trial.originOf.push_back(mark == kNone ? next++ : kNone);
    if (mark != kNone)
      trial.sites[mark].insert(site);
    if (mark < count && (!here.count(site) || trial.lifted->sites[site].protection != Protection::None))
      trial.fit[mark] = false;
  }
  for (SiteId site = 0; site < trial.originOf.size(); ++site)
    if (SiteId origin = trial.originOf[site];
        origin < module.sites.size() && trial.lifted->sites[site].protection != module.sites[origin].protection)
      return llvm::createStringError("with syncs put in, a keep comment would hold another sync");
  if (next != module.sites.size())
    return llvm::createStringError("with syncs put in it does not have the syncs that it had");
  for (std::size_t i = 0; i < count; ++i)
    trial.fit[i] = trial.fit[i] && trial.sites[i].size() == trial.changes[i].added.size();
  if (numberedStatements(*same).size() != numberedStatements(module.kernels[kernel]).size())
    return llvm::createStringError("with syncs put in it does not have the statements that it had");
  return trial;
}

std::set<SiteId> TrialKernel::without(const std::set<std::size_t> &chosen) const {
  std::set<SiteId> out;
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (!chosen.count(i))
      out.insert(sites[i].begin(), sites[i].end());
  std::set<SiteId> removed = base.removed;
  for (std::size_t i : chosen)
    removed.insert(changes[i].removed.begin(), changes[i].removed.end());
  for (SiteId site = 0; site < originOf.size(); ++site)
    if (originOf[site] != kNone && removed.count(originOf[site]))
      out.insert(site);
  return out;
}

Kernel TrialKernel::with(const std::set<std::size_t> &chosen) const {
  Kernel kernel = whole();
  dropSites(kernel, without(chosen));
  return kernel;
}

Module TrialKernel::moduleWith(const std::set<std::size_t> &chosen) const {
  Module module = *lifted;
  std::set<SiteId> out = without(chosen);
  for (Kernel &kernel : module.kernels)
    dropSites(kernel, out);
  return module;
}

} // namespace ptosync::synthesis
