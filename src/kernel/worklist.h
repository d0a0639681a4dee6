// The loop of a fixpoint: nodes whose state has changed, the first in a given order next, until there are none.
//
//   Worklist work(order);
//   work.add(start);
//   while (std::optional<std::uint32_t> node = work.next())
//     for each successor: if its state has changed by what `node` makes of its own, work.add(successor);
//
// With an order in which loops come behind what leads to them (reverse post-order), an inner loop has settled before
// what is behind it is looked at. It ends if states only grow and cannot grow for ever, which is the caller's to know;
// the fixpoint is then the same in whatever order. Tested by tests/kernel/worklist_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptosync {

class Worklist {
public:
  /// `order` has to outlive it; nodes that are not in it are never handed out.
  explicit Worklist(const std::vector<std::uint32_t> &order) : order(order), waiting(order.size(), false) {
    std::uint32_t count = 0;
    for (std::uint32_t node : order)
      count = std::max(count, node + 1);
    position.assign(count, kNowhere);
    for (std::uint32_t i = 0; i < order.size(); ++i)
      position[order[i]] = i;
    first = static_cast<std::uint32_t>(order.size());
  }

  void add(std::uint32_t node) {
    std::uint32_t at = node < position.size() ? position[node] : kNowhere;
    if (at == kNowhere)
      return;
    waiting[at] = true;
    first = std::min(first, at);
  }

  std::optional<std::uint32_t> next() {
    while (first < order.size() && !waiting[first])
      ++first;
    if (first == order.size())
      return std::nullopt;
    waiting[first] = false;
    return order[first];
  }

private:
  static constexpr std::uint32_t kNowhere = 0xffffffffu;
  const std::vector<std::uint32_t> &order;
  std::vector<std::uint32_t> position; // by node
  std::vector<bool> waiting;           // by position
  std::uint32_t first = 0;             // no one waits in front of it
};

} // namespace ptosync
