#include "ordering/obligations.h"

namespace ptosync {

ObligationKind obligationKind(const ConflictPair &pair) {
  if (pair.later == kNone)
    return ObligationKind::End;
  switch (pair.kind) {
  case HazardKind::Fence: return ObligationKind::Fence;
  case HazardKind::FlagReuse: return ObligationKind::FlagReuse;
  case HazardKind::ReadAfterWrite:
  case HazardKind::WriteAfterRead:
  case HazardKind::WriteAfterWrite:
  case HazardKind::ReadAfterRead: return ObligationKind::Conflict;
  }
  return ObligationKind::Conflict;
}

std::optional<std::size_t> Obligations::rowOf(const Event &event) const {
  switch (event.kind) {
  case Event::Kind::Access: return index(program.nodes[event.node].pipe);
  case Event::Kind::Set: return index(event.source);
  case Event::Kind::Inside: return program.nodes[event.node].sets ? std::optional(index(event.source)) : std::nullopt;
  case Event::Kind::Barrier:
  case Event::Kind::Wait: return std::nullopt;
  }
  return std::nullopt;
}

bool Obligations::isFenceOrder(std::uint32_t bit, NodeId laterId) const {
  const Node &earlier = program.nodes[program.nodeOfBit[bit]], &later = program.nodes[laterId];
  if (earlier.statement == later.statement)
    return earlier.fence && !program.distanceOf(bit).sameIteration();
  return program.fenceOrder(earlier, later);
}

} // namespace ptosync
