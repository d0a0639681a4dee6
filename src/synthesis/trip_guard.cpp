#include "synthesis/trip_guard.h"

namespace ptosync::synthesis {
namespace {

/// The counter's value in the first or last of at least two trips; empty: it is not known.
std::optional<std::int64_t> valueIn(const LoopCounter &counter, Trip trip) {
  if (!counter.start || !counter.trips || *counter.trips < 2)
    return std::nullopt;
  if (trip == Trip::First)
    return counter.start;
  std::int64_t way = 0, last = 0;
  if (__builtin_mul_overflow(*counter.trips - 1, counter.step, &way) ||
      __builtin_add_overflow(*counter.start, way, &last))
    return std::nullopt;
  return last;
}

} // namespace

std::optional<std::string> tripGuard(const RequiredOrder &order, const StatementTree &tree, const TreePath &path,
                                     std::size_t level, const std::vector<LoopId> &loops, Trip trip) {
  std::string condition;
  std::size_t next = 0;
  for (std::size_t i = level + 1; i < path.size(); ++i) {
    const ListRole role = tree.lists()[path[i].list].role;
    if (role == ListRole::Arm)
      return std::nullopt;
    if (role != ListRole::Loop)
      continue;
    if (next == loops.size())
      return std::nullopt;
    auto counter = order.counters.find(loops[next++]);
    if (counter == order.counters.end())
      return std::nullopt;
    std::optional<std::int64_t> value = valueIn(counter->second, trip);
    if (!value)
      return std::nullopt;
    condition += (condition.empty() ? "" : " && ") + counter->second.name + " == " + std::to_string(*value);
  }
  return condition.empty() || next != loops.size() ? std::nullopt : std::optional(std::move(condition));
}

} // namespace ptosync::synthesis
