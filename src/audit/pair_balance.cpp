#include "audit/pair_balance.h"

#include "base/walk.h"

#include <optional>
#include <vector>

namespace ptosync {
namespace {

using Pair = std::pair<Pipe, Pipe>;
/// Sets minus waits so far, by pair; empty: paths differ. A pair that is not there stands at 0.
using Balance = std::map<Pair, std::optional<std::int64_t>>;

void apply(const std::vector<Event> &events, Balance &balance) {
  for (const Event &event : events) {
    bool sets = event.kind == Event::Kind::Set;
    if (!sets && event.kind != Event::Kind::Wait)
      continue;
    auto [entry, inserted] = balance.try_emplace({event.source, event.destination}, 0);
    if (entry->second)
      *entry->second += sets ? 1 : -1;
  }
}

/// True if `into` changed.
bool join(Balance &into, const Balance &from) {
  bool changed = false;
  auto meet = [&](Pair pair, std::optional<std::int64_t> other) {
    auto [entry, inserted] = into.try_emplace(pair, 0);
    if (entry->second && entry->second != other) {
      entry->second.reset();
      changed = true;
    }
  };
  for (const auto &[pair, count] : from)
    meet(pair, count);
  for (const auto &[pair, count] : Balance(into))
    if (!from.count(pair))
      meet(pair, 0);
  return changed;
}

} // namespace

std::map<Pair, std::int64_t> unevenPairs(const Program &program) {
  std::vector<std::optional<Balance>> entries(program.steps.size());
  auto leave = [&](StepId step) {
    Balance balance = *entries[step];
    apply(program.steps[step], balance);
    return balance;
  };
  Worklist work(program.order);
  if (!program.order.empty()) {
    entries[program.order.front()] = Balance();
    work.add(program.order.front());
  }
  while (std::optional<StepId> step = work.next()) {
    Balance balance = leave(*step);
    for (const Edge &edge : program.edges[*step]) {
      bool fresh = !entries[edge.to];
      if (fresh)
        entries[edge.to] = balance;
      if (fresh || join(*entries[edge.to], balance))
        work.add(edge.to);
    }
  }
  std::optional<Balance> end;
  for (StepId step : program.order) {
    if (!entries[step] || program.kernel->blocks[program.blockOf[step]].terminator.kind != Terminator::Kind::Return)
      continue;
    if (end)
      join(*end, leave(step));
    else
      end = leave(step);
  }
  std::map<Pair, std::int64_t> uneven;
  for (const auto &[pair, count] : end.value_or(Balance()))
    if (count.value_or(0) != 0)
      uneven[pair] = *count;
  return uneven;
}

} // namespace ptosync
