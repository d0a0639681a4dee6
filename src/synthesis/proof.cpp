#include "synthesis/proof.h"

#include "synthesis/kernel_state.h"
#include "synthesis/order_comparison.h"

#include <utility>

namespace ptosync::synthesis {
namespace {

/// What the syncs that differ are about.
struct Difference {
  std::set<SiteId> sites;
  std::set<std::uint32_t> flags; // that they may set or wait for
  bool brackets = false;
  std::map<SiteId, std::uint32_t> lines;
};

Difference differenceOf(const VersionComparison &comparison) {
  const MergedVersions &versions = comparison.versions();
  Difference difference;
  difference.sites = versions.onlyBefore;
  difference.sites.insert(versions.onlyAfter.begin(), versions.onlyAfter.end());
  for (const std::vector<Event> &events : comparison.program().steps)
    for (const Event &event : events) {
      if (event.site == kNone || !difference.sites.count(event.site))
        continue;
      difference.flags.insert(event.lanes.begin(), event.lanes.end());
      difference.brackets = difference.brackets || event.isBuffer();
      if (event.statement)
        difference.lines.emplace(event.site, event.statement->line);
    }
  return difference;
}

/// Nothing was looked at where no run is seen to come.
std::optional<std::string> unreachedReason(const VersionComparison &comparison, const Difference &difference) {
  const Pending &after = comparison.after();
  for (SiteId site : difference.sites)
    if (after.hasUnreached(site) || !difference.lines.count(site))
      return "a sync that differs" +
             (difference.lines.count(site) ? ", at line " + std::to_string(difference.lines.at(site)) + "," : "") +
             " stands where no run is seen to come";
  for (std::uint32_t flag : difference.flags)
    if (after.unreachedUse(flag) != kNone)
      return flagName(comparison.program().flags[flag]) + " is also used where no run is seen to come";
  return std::nullopt;
}

/// Flags and brackets of the second version.
std::optional<std::string> tokenReason(const VersionComparison &comparison, const Difference &difference) {
  const Program &program = comparison.program();
  for (const TokenEvent &fault : comparison.after().tokenFaults())
    if (difference.flags.count(fault.flag))
      return flagName(program.flags[fault.flag]) + " differs and is not binary on every path";
  if (!comparison.after().tokenFaults().empty() && !comparison.versions().onlyAfter.empty())
    return flagName(program.flags[comparison.after().tokenFaults().front().flag]) +
           " is not binary on every path, so what was added may wait for it in a circle";
  if (!difference.brackets)
    return std::nullopt;
  if (!program.bufferFaults.empty())
    return "brackets of buffer ids differ, and one of id " + std::to_string(program.bufferFaults.front().id) +
           " is amiss";
  return std::nullopt;
}

/// Where one version has a branch around syncs that the other has not, paths are not held against each other: whatever
/// needs an order in the second one must have it.
std::optional<std::string> reasonAlone(const Kernel &before, const Kernel &after, const Machine &machine,
                                       const OrderingOptions &options) {
  const std::string branch = "one version has a branch around syncs that the other has not, and ";
  llvm::Expected<Analysis> was = Analysis::of(before, machine, options), is = Analysis::of(after, machine, options);
  if (!was || !is)
    return llvm::toString(llvm::joinErrors(was.takeError(), is.takeError()));
  for (const Analysis *version : {&*was, &*is})
    for (SiteId site : sitesOf(version->kernel()))
      if (version->pending().hasUnreached(site))
        return branch + "a sync stands where no run is seen to come";
  const Pending &pending = is->pending();
  if (!pending.tokenFaults().empty())
    return branch + flagName(is->program().flags[pending.tokenFaults().front().flag]) + " is not binary on every path";
  if (!is->program().bufferFaults.empty())
    return branch + "a bracket of a buffer id is amiss";
  const std::optional<LostOrder> open = firstOpen(*is);
  if (options.allowance.exceeded())
    return "the time for a proof was over";
  return open ? std::optional(branch + open->text) : std::nullopt;
}

KernelProof inOneAlone(const Kernel &kernel) { return {kernel.name, kernel.section, "one file alone has the kernel"}; }

/// With the names of the variables of `after`, which are as many and do the same.
Kernel renamed(Kernel kernel, const Kernel &after) {
  for (std::size_t i = 0; i < kernel.variables.size(); ++i)
    kernel.variables[i].name = after.variables[i].name;
  return kernel;
}

} // namespace

bool FileProof::proved() const {
  return !kernels.empty() &&
         std::all_of(kernels.begin(), kernels.end(), [](const KernelProof &kernel) { return kernel.reason.empty(); });
}

std::string FileProof::firstReason() const {
  for (const KernelProof &kernel : kernels)
    if (!kernel.reason.empty())
      return kernel.reason;
  return kernels.empty() ? "the files have no kernel" : "";
}

const KernelProof *FileProof::of(const std::string &kernel, Section section) const {
  for (const KernelProof &one : kernels)
    if (one.kernel == kernel && one.section == section)
      return &one;
  return nullptr;
}

std::optional<std::string> reasonNotProved(const Kernel &before, const Kernel &after, Unfollowed unfollowed,
                                           const Machine &machine, const OrderingOptions &options) {
  for (const Kernel *kernel : {&before, &after})
    if (!kernel->analysable)
      return "it cannot be analysed: " + kernel->reason;
  if (std::optional<std::string> difference = codeDifference(before, after, unfollowed))
    return workDifference(before, after, unfollowed) ? difference : reasonAlone(before, after, machine, options);
  std::optional<MergedVersions> merged = mergeVersions(renamed(before, after), after);
  if (!merged)
    return "one version has a branch that the other has not";
  if (merged->onlyBefore.empty() && merged->onlyAfter.empty())
    return std::nullopt;
  llvm::Expected<VersionComparison> comparison = VersionComparison::of(std::move(*merged), machine, options);
  if (!comparison)
    return llvm::toString(comparison.takeError());
  if (comparison->after().tooManyOpen())
    return "more pairs are unordered than the analysis lists, so nothing is known of the others";
  const Difference difference = differenceOf(*comparison);
  if (std::optional<std::string> reason = unreachedReason(*comparison, difference))
    return reason;
  if (std::optional<std::string> reason = tokenReason(*comparison, difference))
    return reason;
  const std::optional<LostOrder> lost = comparison->firstLoss(PathCheck::FaultyFlags::MayOrder);
  if (options.allowance.exceeded())
    return "the time for a proof was over";
  return lost ? std::optional("on a path that cannot be excluded, " + lost->text) : std::nullopt;
}

FileProof proveOrders(const Module &before, const Module &after, const Machine &machine,
                      const OrderingOptions &options) {
  const bool alike = !before.shapes.empty() && before.shapes == after.shapes;
  FileProof proof;
  for (const Kernel &kernel : before.kernels)
    if (const Kernel *other = kernelLike(after, kernel))
      proof.kernels.push_back(
          {kernel.name, kernel.section,
           reasonNotProved(kernel, *other, alike ? Unfollowed::Alike : Unfollowed::BySpelling, machine, options)
               .value_or("")});
    else
      proof.kernels.push_back(inOneAlone(kernel));
  for (const Kernel &kernel : after.kernels)
    if (!kernelLike(before, kernel))
      proof.kernels.push_back(inOneAlone(kernel));
  return proof;
}

} // namespace ptosync::synthesis
