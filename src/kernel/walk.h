// A walk over a graph that visits each node once, from wherever it begins.
//
//   Walk<BlockId> walk({start});
//   while (std::optional<BlockId> block = walk.next())
//     for (BlockId successor : graph.successors(*block))
//       walk.reach(successor);                            // or not: what is not reached is not followed
//
// The node that was reached last is visited first. What limits a walk is the caller's: it may stop when `count()` is
// more than it cares for. Tested by tests/kernel/walk_test.cpp.
#pragma once

#include <cstddef>
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
  /// True the first time.
  bool reach(Node node) {
    if (!mark(node))
      return false;
    open.push_back(std::move(node));
    ++reachedCount;
    return true;
  }
  /// As if it had been visited: it is neither handed out nor reached any more.
  void close(const Node &node) { mark(node); }
  /// Empty when all that was reached has been visited.
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
  /// How many were reached.
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

} // namespace ptosync
