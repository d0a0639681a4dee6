#include "audit/pair_conflicts.h"

#include <algorithm>
#include <iterator>

namespace ptosync {
namespace {

const Access &earlierAccess(const Program &program, const ConflictPair &pair) {
  return program.nodes[program.nodeOfBit[pair.bit]].accesses[pair.earlierAccess];
}

const Access &laterAccess(const Program &program, const ConflictPair &pair) {
  return program.nodes[pair.later].accesses[pair.laterAccess];
}

/// Returns true if the rule for loads that overwrite one another speaks of the conflict.
bool isLoadOverLoad(const Program &program, const ConflictPair &pair) {
  const std::optional<PipeOrderRule> &rule = program.machine->rules().loadOrder;
  const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
  return rule && earlier.pipe == rule->pipe && later.pipe == rule->pipe && !earlier.fence && !later.fence &&
         pair.kind == HazardKind::WriteAfterWrite && !earlierAccess(program, pair).scratch &&
         !laterAccess(program, pair).scratch;
}

/// Returns true if both accesses are exactly the same bytes of a vector result that is long enough for the chain.
bool isChainAccess(const Program &program, const HazardModel &model, const ConflictPair &pair) {
  const std::optional<ChainRule> &rule = program.machine->rules().chain;
  const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
  if (!rule || earlier.pipe != rule->pipe || later.pipe != rule->pipe || earlier.fence || later.fence)
    return false;
  const Access &first = earlierAccess(program, pair), &second = laterAccess(program, pair);
  return first.tile && !first.scratch && !second.scratch && contiguousValidRegion(*first.tile) &&
         vectorRepeats(*first.tile, rule->repeatBytes).value_or(0) >= rule->minRepeats &&
         model.comparison().sameAccess(first, earlier.loop, second, later.loop, program.distanceOf(pair.bit));
}

} // namespace

std::vector<ConflictPair> chainConflicts(const Program &program, const HazardModel &model,
                                         const std::vector<ConflictPair> &conflicts) {
  std::vector<ConflictPair> exact, chain;
  std::copy_if(conflicts.begin(), conflicts.end(), std::back_inserter(exact),
               [&](const ConflictPair &pair) { return isChainAccess(program, model, pair); });
  auto onResult = [&](const ConflictPair &pair) {
    LoopId loop = program.nodes[program.nodeOfBit[pair.bit]].loop;
    return std::any_of(exact.begin(), exact.end(), [&](const ConflictPair &read) {
      return read.kind == HazardKind::ReadAfterWrite &&
             model.comparison().sameAccess(earlierAccess(program, read), loop, earlierAccess(program, pair), loop, {});
    });
  };
  std::copy_if(exact.begin(), exact.end(), std::back_inserter(chain), onResult);
  return chain;
}

bool holds(const std::vector<ConflictPair> &conflicts, const ConflictPair &pair) {
  return std::any_of(conflicts.begin(), conflicts.end(), [&](const ConflictPair &other) {
    return other.earlierAccess == pair.earlierAccess && other.laterAccess == pair.laterAccess;
  });
}

std::vector<ConflictPair> countedConflicts(const Program &program, const HazardModel &model, std::uint32_t bit,
                                           NodeId later) {
  std::vector<ConflictPair> conflicts = model.conflicts(bit, later), chain;
  if (program.distanceOf(bit).sameIteration())
    chain = chainConflicts(program, model, conflicts);
  std::erase_if(conflicts,
                [&](const ConflictPair &pair) { return holds(chain, pair) || isLoadOverLoad(program, pair); });
  std::stable_sort(conflicts.begin(), conflicts.end(),
                   [](const ConflictPair &a, const ConflictPair &b) { return a.kind < b.kind; });
  return conflicts;
}

} // namespace ptosync
