#include "ordering/reachability.h"

#include "base/walk.h"

#include <algorithm>

namespace ptosync {

Reachability::Reachability(const FlowGraph &graph, LoopId within) {
  std::vector<BlockId> backwards(graph.order().rbegin(), graph.order().rend());
  std::uint32_t count = 0;
  for (BlockId block : backwards)
    count = std::max(count, block + 1);
  rows.assign(count, BitSet(count));
  Worklist work(backwards);
  for (BlockId block : backwards)
    work.add(block);
  while (std::optional<BlockId> next = work.next())
    for (BlockId block : graph.predecessors(*next)) {
      LoopId round = graph.backEdge(block, *next);
      if (!graph.reachable(block) || (round != kNone && within != kNone && graph.encloses(round, within)))
        continue;
      BitSet reached = rows[*next];
      reached.insert(*next);
      if (rows[block].unite(reached))
        work.add(block);
    }
}

} // namespace ptosync
