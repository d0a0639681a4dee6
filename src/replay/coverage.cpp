#include "replay/coverage.h"

namespace ptosync::replay {

void CoverageCollector::add(const Trace &trace) {
  blocks.insert(trace.blocks.begin(), trace.blocks.end());
  for (const auto &[loop, trips] : trace.trips)
    loops[loop].trips.insert(trips.begin(), trips.end());
  for (const Skip &skip : trace.skips)
    loops[skip.loop].skipped += skip.period * skip.periods;
  if (trace.ending == Ending::Budget || trace.ending == Ending::Endless)
    cutAt.insert(trace.lastLine);
}

KernelCoverage CoverageCollector::finish() const {
  KernelCoverage coverage;
  coverage.kernel = subject.kernel.name;
  coverage.section = subject.kernel.section;
  coverage.cutAt = cutAt;
  for (LoopId loop = 0; loop < subject.nest.loops().size(); ++loop) {
    LoopCoverage entry;
    if (auto found = loops.find(loop); found != loops.end())
      entry = found->second;
    entry.line = subject.nest.loops()[loop].line;
    coverage.loops.push_back(std::move(entry));
  }
  // What no path leads to is not missing.
  for (BlockId block = 0; block < subject.kernel.blocks.size(); ++block) {
    if (blocks.count(block) || !subject.nest.reachable(block))
      continue;
    for (const Statement &statement : subject.kernel.blocks[block].statements)
      if (std::holds_alternative<Instruction>(statement.action) || std::holds_alternative<Sync>(statement.action))
        coverage.neverRun.insert(statement.line);
  }
  return coverage;
}

} // namespace ptosync::replay
