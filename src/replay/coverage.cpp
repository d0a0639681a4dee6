#include "replay/coverage.h"

#include <algorithm>

namespace ptosync::replay {

void CoverageCollector::add(const Trace &trace) {
  blocks.insert(trace.blocks.begin(), trace.blocks.end());
  ways.insert(trace.ways.begin(), trace.ways.end());
  for (const auto &[loop, trips] : trace.trips) {
    loops[loop].trips.insert(trips.begin(), trips.end());
    if (trace.ending != Ending::Endless)
      entered.insert(loop);
  }
  ended.insert(trace.ended.begin(), trace.ended.end());
  for (const Skip &skip : trace.skips)
    loops[skip.loop].skipped += skip.period * skip.periods;
  if (trace.ending == Ending::Budget)
    cutAt.insert(trace.lastLine);
  if (trace.ending == Ending::Endless)
    endlessAt.insert(trace.lastLine);
}

std::set<Way> CoverageCollector::untaken() const {
  std::set<Way> found;
  for (const Way &way : subject.knownWays()->open())
    if (!ways.count(way))
      found.insert(way);
  return found;
}

KernelCoverage CoverageCollector::finish(const std::set<Way> &open, const std::set<Way> &impossible) const {
  KernelCoverage coverage;
  coverage.kernel = subject.kernel.name;
  coverage.section = subject.kernel.section;
  coverage.cutAt = cutAt;
  coverage.endlessAt = endlessAt;
  for (LoopId loop = 0; loop < subject.nest.loops().size(); ++loop) {
    LoopCoverage entry;
    if (auto found = loops.find(loop); found != loops.end())
      entry = found->second;
    entry.line = subject.nest.loops()[loop].line;
    if (entered.count(loop) && !ended.count(loop))
      coverage.unfinished.insert(entry.line);
    coverage.loops.push_back(std::move(entry));
  }
  // What no path leads to is not missing, nor what constants or the conditions around it keep every run from; a run that
  // was cut short has not shown which ways constants leave.
  const Ways *known = cutAt.empty() ? subject.knownWays() : nullptr;
  const std::vector<bool> possible =
      known ? known->possible(ways, impossible) : std::vector<bool>(subject.kernel.blocks.size(), true);
  for (BlockId block = 0; block < subject.kernel.blocks.size(); ++block) {
    if (blocks.count(block) || !subject.nest.reachable(block))
      continue;
    for (const Statement &statement : subject.kernel.blocks[block].statements)
      if (std::holds_alternative<Instruction>(statement.action) || std::holds_alternative<Sync>(statement.action))
        (possible[block] ? coverage.neverRun : coverage.dead).insert(statement.line);
  }
  for (const Way &way : open)
    if (!ways.count(way) && !impossible.count(way) && possible[subject.knownWays()->blockOf(way)])
      coverage.untaken.push_back(describe(way));
  std::sort(coverage.untaken.begin(), coverage.untaken.end());
  coverage.untaken.erase(std::unique(coverage.untaken.begin(), coverage.untaken.end()), coverage.untaken.end());
  return coverage;
}

UntakenWay CoverageCollector::describe(const Way &way) const {
  const Ways &known = *subject.knownWays();
  const std::set<std::string> inputs = known.inputsOf(way);
  return {known.lineOf(way), way.kind == Way::Kind::Choice, way.taken, {inputs.begin(), inputs.end()}};
}

} // namespace ptosync::replay
