#include "ordering/phase_expansion.h"

#include <algorithm>

namespace ptosync {

std::vector<LoopId> PhaseExpansion::expandedAround(BlockId block) const {
  std::vector<LoopId> loops;
  for (LoopId loop = program.graph->loopOf(block); loop != kNone; loop = program.graph->loops()[loop].parent)
    if (periods[loop] > 1)
      loops.insert(loops.begin(), loop);
  return loops;
}

std::uint32_t PhaseExpansion::copies(BlockId block) const {
  std::uint32_t count = 1;
  for (LoopId loop : expandedAround(block))
    count *= periods[loop];
  return count;
}

std::map<LoopId, std::uint32_t> PhaseExpansion::phasesOf(BlockId block, std::uint32_t copy) const {
  std::map<LoopId, std::uint32_t> phases;
  for (LoopId loop : expandedAround(block)) {
    phases[loop] = copy % periods[loop];
    copy /= periods[loop];
  }
  return phases;
}

std::uint32_t PhaseExpansion::copyOf(BlockId block, const std::map<LoopId, std::uint32_t> &phases) const {
  std::uint32_t copy = 0, weight = 1;
  for (LoopId loop : expandedAround(block)) {
    auto phase = phases.find(loop);
    copy += weight * (phase == phases.end() ? 0 : phase->second); // entered: iteration 0
    weight *= periods[loop];
  }
  return copy;
}

void PhaseExpansion::run(const Visit &visit) {
  auto blockCount = static_cast<BlockId>(program.blocks.size());
  firstCopy.resize(blockCount);
  program.blockOf.resize(blockCount);
  auto next = static_cast<StepId>(blockCount);
  for (BlockId block = 0; block < blockCount; ++block) {
    program.blockOf[block] = block;
    firstCopy[block] = next;
    next += copies(block) - 1;
  }
  std::vector<std::vector<Edge>> plain = program.edges;
  program.blocks.resize(next);
  program.edges.assign(next, {});
  program.blockOf.resize(next);
  for (BlockId block : program.graph->order())
    for (std::uint32_t copy = 0; copy < copies(block); ++copy) {
      StepId here = step(block, copy);
      program.order.push_back(here);
      program.blockOf[here] = block;
      if (copy)
        program.blocks[here] = program.blocks[block];
      std::map<LoopId, std::uint32_t> phases = phasesOf(block, copy);
      for (const Edge &edge : plain[block]) {
        std::map<LoopId, std::uint32_t> target = phases;
        if (auto around = target.find(edge.around); around != target.end())
          around->second = (around->second + 1) % periods[edge.around];
        program.edges[here].push_back({step(edge.to, copyOf(edge.to, target)), edge.around});
      }
    }
  for (StepId here : program.order) {
    std::map<LoopId, std::uint32_t> phases;
    BlockId block = program.blockOf[here];
    phases = phasesOf(block, here == block ? 0 : here - firstCopy[block] + 1);
    if (!phases.empty())
      for (std::uint32_t at = 0; at < program.blocks[here].size(); ++at)
        visit(here, at, phases);
  }
}

} // namespace ptosync
