// Two ways through a graph: a walk that visits each node once, and the loop of a fixpoint.
//
//   Walk<BlockId> walk({start});
//   while (std::optional<BlockId> block = walk.next())
//     for (BlockId successor : graph.successors(*block))
//       walk.reach(successor);                            // or not: what is not reached is not followed
//
//   Worklist work(order);
//   work.add(start);
//   while (std::optional<std::uint32_t> node = work.next())
//     for each successor: if its state has changed by what `node` makes of its own, work.add(successor);
//
// A walk visits the node that was reached last first. Its caller limits it, and may stop when `count()` is more than it
// cares for. A worklist hands out the first waiting node of a given order. With an order in which loops come behind
// what leads to them (reverse post-order), an inner loop has settled before the code behind it is looked at. The
// fixpoint ends if states only grow and cannot grow for ever, which the caller has to know; it is then the same in any
// order. Tested by tests/base/walk_test.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace ptosync {

/// `Node` is a number of something that is numbered from 0, or anything with an order.
template <typename Node> class Walk {
public:
  Walk() = default;
  explicit Walk(std::initializer_list<Node> starts) {
    for (const Node &start : starts)
      reach(start);
  }
  /// Returns true the first time.
  bool reach(Node node) {
    if (!mark(node))
      return false;
    open.push_back(std::move(node));
    ++reachedCount;
    return true;
  }
  /// Treats a node as visited: it is neither handed out nor reached any more.
  void close(const Node &node) { mark(node); }
  /// Returns nothing when all that was reached has been visited.
  std::optional<Node> next() {
    if (open.empty())
      return std::nullopt;
    Node node = std::move(open.back());
    open.pop_back();
    return node;
  }
  bool reached(const Node &node) const {
    if constexpr (std::is_integral_v<Node>)
      return node < marks.size() && marks[node];
    else
      return marks.count(node) != 0;
  }
  /// Returns how many nodes were reached.
  std::size_t count() const { return reachedCount; }

private:
  bool mark(const Node &node) {
    if constexpr (std::is_integral_v<Node>) {
      if (node >= marks.size())
        marks.resize(node + 1, false);
      bool isNew = !marks[node];
      marks[node] = true;
      return isNew;
    } else {
      return marks.insert(node).second;
    }
  }

  std::conditional_t<std::is_integral_v<Node>, std::vector<bool>, std::set<Node>> marks;
  std::vector<Node> open;
  std::size_t reachedCount = 0;
};

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
