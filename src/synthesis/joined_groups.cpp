#include "synthesis/joined_groups.h"

#include <iterator>

namespace ptosync::synthesis {
namespace {

std::set<std::uint32_t> editsOn(const std::set<SiteId> &sites, const OptimizeResult &result) {
  std::set<std::uint32_t> numbers;
  for (SiteId site : sites)
    if (result.decisions[site].edit > 0)
      numbers.insert(result.decisions[site].edit);
  return numbers;
}

} // namespace

void JoinedGroups::add(GroupOutcome &group) {
  bool leftOut = options.maxRemovals && edits >= *options.maxRemovals;
  if (group.anew && !leftOut)
    return addAnew(*group.anew);
  if (group.anew)
    for (std::size_t number : group.kernels) {
      KernelResync &about = result.kernels[number];
      about.changed = false;
      about.reason = "--max-removals leaves it out";
      about.after = about.before;
    }
  addRemovals(group);
}

void JoinedGroups::addAnew(OptimizeResult &anew) {
  ++edits;
  for (SiteDecision &decision : anew.decisions) {
    decision.edit = decision.verdict == Verdict::Kept ? 0 : edits;
    result.decisions.decisions[decision.site] = std::move(decision);
  }
  for (AddedSync &added : anew.added) {
    added.edit = edits;
    result.decisions.added.push_back(std::move(added));
  }
}

void JoinedGroups::addRemovals(const GroupOutcome &group) {
  const OptimizeResult *from = group.otherwise;
  std::optional<OptimizeResult> limited;
  std::set<std::uint32_t> numbers = editsOn(group.sites, *from);
  if (options.maxRemovals && numbers.size() > *options.maxRemovals - edits) {
    // Edits are made group by group: those of the groups before have the first numbers.
    std::size_t left = *options.maxRemovals - edits;
    OptimizeOptions rest = options;
    rest.maxRemovals = left == 0 ? 0 : *numbers.begin() - 1 + left;
    limited = optimize(module, machine, *group.byCatalogue, rest);
    from = &*limited;
    numbers = editsOn(group.sites, *from);
  }
  for (SiteId site : group.sites) {
    SiteDecision &decision = result.decisions.decisions[site];
    decision = from->decisions[site];
    if (decision.edit > 0)
      decision.edit =
          edits + 1 + static_cast<std::uint32_t>(std::distance(numbers.begin(), numbers.find(decision.edit)));
  }
  edits += static_cast<std::uint32_t>(numbers.size());
}

} // namespace ptosync::synthesis
