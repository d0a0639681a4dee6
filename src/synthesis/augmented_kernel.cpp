#include "synthesis/augmented_kernel.h"

#include "ordering/syncs.h"
#include "rewrite/sync_edits.h"
#include "synthesis/sync_text.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>

namespace ptosync::synthesis {
namespace {

constexpr unsigned kMostMendingRounds = 6;

llvm::Expected<std::string> textWith(const Module &module, const StatementTree &tree,
                                     const std::vector<Proposal> &proposals) {
  std::vector<AddedSync> added;
  for (std::size_t i = 0; i < proposals.size(); ++i)
    for (AddedSync &sync : additionsOf(proposals[i], proposedId(i), module.source, tree)) {
      sync.earlier = markOf(i);
      added.push_back(std::move(sync));
    }
  sortByPlace(added);
  return applyEdits(module.source, withAdded(module.source, {}, added));
}

/// What is wrong with each proposal's flag, if anything: such a one orders nothing that counts.
std::vector<bool> unfit(const AugmentedKernel &augmented, const Program &program, const Pending &pending,
                        const std::vector<std::set<std::size_t>> &kernelsOf) {
  std::vector<bool> result(augmented.proposals.size(), false);
  std::map<SiteId, std::size_t> proposalOf;
  for (std::size_t i = 0; i < augmented.proposals.size(); ++i) {
    result[i] = augmented.sites[i].size() != augmented.proposals[i].syncs.size();
    for (SiteId site : augmented.sites[i]) {
      proposalOf[site] = i;
      result[i] = result[i] || kernelsOf[site] != std::set<std::size_t>{augmented.kernel};
    }
  }
  for (const Web &web : findWebs(program, pending.layout(), pending.tokens()))
    for (SiteId site : web.sites())
      if (auto found = proposalOf.find(site); found != proposalOf.end() && !result[found->second])
        result[found->second] = !web.balanced || web.sites() != augmented.sites[found->second];
  for (const OpenObligation &reuse : pending.open(ObligationKind::FlagReuse))
    if (const auto *sync = std::get_if<Sync>(&program.nodes[reuse.pair.later].statement->action))
      if (auto found = proposalOf.find(sync->site); found != proposalOf.end())
        result[found->second] = true;
  return result;
}

std::vector<std::set<std::size_t>> kernelsOfSites(const Module &module) {
  std::vector<std::set<std::size_t>> kernelsOf(module.sites.size());
  for (std::size_t k = 0; k < module.kernels.size(); ++k)
    for (SiteId site : sitesOf(module.kernels[k]))
      kernelsOf[site].insert(k);
  return kernelsOf;
}

/// As if the text had never had these proposals.
void leaveOut(AugmentedKernel &augmented, const std::vector<bool> &out) {
  std::set<SiteId> gone;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i]) {
      gone.insert(augmented.sites[i].begin(), augmented.sites[i].end());
      continue;
    }
    if (kept != i) {
      augmented.proposals[kept] = std::move(augmented.proposals[i]);
      augmented.sites[kept] = std::move(augmented.sites[i]);
    }
    ++kept;
  }
  augmented.proposals.resize(kept);
  augmented.sites.resize(kept);
  for (Kernel &other : augmented.module->kernels)
    other = withoutSites(std::move(other), gone);
}

} // namespace

llvm::Expected<AugmentedKernel> augment(const Module &module, std::size_t kernel, const StatementTree &tree,
                                        std::vector<Proposal> proposals, const Machine &machine,
                                        const OrderingOptions &options, const Lift &lift) {
  llvm::Expected<std::string> text = textWith(module, tree, proposals);
  if (!text)
    return text.takeError();
  llvm::Expected<MarkedKernel> marked = readMarked(module, kernel, *text, proposals.size(), lift);
  if (!marked)
    return marked.takeError();
  AugmentedKernel augmented{std::move(*marked), std::move(proposals)};
  for (unsigned round = 0; round < kMostMendingRounds; ++round) {
    llvm::Expected<Program> program = buildProgram(augmented.module->kernels[augmented.kernel], machine, options);
    if (!program)
      return program.takeError();
    Pending pending(*program);
    std::vector<bool> out = unfit(augmented, *program, pending, kernelsOfSites(*augmented.module));
    if (std::find(out.begin(), out.end(), true) == out.end())
      return augmented;
    leaveOut(augmented, out);
  }
  return llvm::createStringError("no set of flags was found that are binary together");
}

} // namespace ptosync::synthesis
