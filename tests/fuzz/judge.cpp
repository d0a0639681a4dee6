#include "fuzz/judge.h"

#include <algorithm>

namespace ptosync::fuzz {

std::vector<Run> Judge::runsOf(const FuzzKernel &kernel) {
  bool loads = false;
  forEachStatement(kernel.body, [&](const Statement &s) { loads |= s.kind == Statement::Kind::LoadData; });
  std::vector<Run> runs;
  for (std::int64_t length : {0, 1, 2, 3, 5})
    for (std::int64_t limit : {0, 2, 3})
      for (std::uint64_t seed = 1; seed <= (loads ? 2u : 1u); ++seed)
        runs.push_back({length, limit, seed + static_cast<std::uint64_t>(length * 8 + limit)});
  return runs;
}

Violation Judge::checkOrder(const std::vector<Run> &runs, const std::vector<TraceSimulator> &traces,
                            const ToolRun &tool) const {
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (std::optional<LostOrder> lost = traces[i].lostWithout(tool.removed)) {
      std::string text = "new " + lost->kind + " hazard between line " + std::to_string(lost->earlierLine) +
                         " and line " + std::to_string(lost->laterLine) + " (dynamic instructions " +
                         std::to_string(lost->earlierInstance) + " and " + std::to_string(lost->laterInstance) +
                         ") with " + describe(runs[i]) + "; removed lines:";
      for (std::uint32_t line : tool.removed)
        text += " " + std::to_string(line);
      return {"order", text};
    }
  return {};
}

/// Determinism, idempotence, and the removals' incremental engine against a fresh analysis.
Violation Judge::checkAgain(const std::string &text, const ToolRun &tool) const {
  if (runTool(text, trust) != tool)
    return {"determinism", "two runs on the same text differ"};
  ToolRun again = runTool(tool.patched, trust);
  if (!again.error.empty())
    return {"parse", "the patched text is not accepted: " + again.error};
  if (!again.removed.empty())
    return {"idempotence",
            "the patched text loses another barrier, on line " + std::to_string(*again.removed.begin())};
  for (const std::string &open : again.unresolved)
    if (!tool.unresolved.count(open))
      return {"incremental", "a fresh analysis of the patched text has a new open conflict: " + open};
  return {};
}

void Judge::count(const FuzzKernel &kernel, const std::vector<TraceSimulator> &traces, const ToolRun &tool,
                  Statistics &statistics, bool countMissed) const {
  ++statistics.kernels;
  statistics.skipped += !tool.skipped.empty();
  statistics.cleanKernels += tool.unresolved.empty();
  statistics.removed += tool.removed.size();
  statistics.barriers += tool.removed.size() + tool.kept.size();
  statistics.runs += traces.size();
  for (const TraceSimulator &trace : traces)
    statistics.nodes += trace.size();
  for (const auto &[line, reason] : tool.kept)
    ++statistics.kept[reason];
  if (!countMissed)
    return;
  // Pins are right to hold sites of an input that has hazards; in one that has none they are a loss.
  bool clean = std::all_of(traces.begin(), traces.end(),
                           [](const TraceSimulator &trace) { return trace.hazards() == 0; });
  for (const auto &[line, reason] : tool.kept) {
    std::set<std::uint32_t> without = tool.removed;
    without.insert(line);
    ++statistics.sampledKept;
    if (std::any_of(traces.begin(), traces.end(),
                    [&](const TraceSimulator &trace) { return trace.lostWithout(without).has_value(); }))
      continue;
    std::string why = reason + (clean ? " (sound input)" : "");
    ++statistics.missed[why];
    if (auto witness = tool.witness.find(line); witness != tool.witness.end())
      why += ", " + witness->second;
    statistics.missedPlaces.push_back("seed " + std::to_string(kernel.seed) + " line " + std::to_string(line) + ": " +
                                      why);
  }
}

Violation Judge::examine(FuzzKernel &kernel, Statistics *statistics, bool countMissed) const {
  std::string text = printKernel(kernel);
  ToolRun tool = runTool(text, trust);
  if (!tool.error.empty())
    return {"parse", tool.error};
  std::vector<Run> runs = runsOf(kernel);
  std::vector<TraceSimulator> traces;
  for (const Run &run : runs)
    traces.emplace_back(kernel, trust == Trust::Library ? LibraryTrust::Library : LibraryTrust::Tile, run);
  if (statistics)
    count(kernel, traces, tool, *statistics, countMissed);
  if (Violation violation = checkOrder(runs, traces, tool))
    return violation;
  return checkAgain(text, tool);
}

namespace {

/// Numbers the places of a kernel at which something can be taken out, in a fixed order.
class Cutter {
public:
  explicit Cutter(std::size_t target) : target(target) {}
  bool done = false;

  void cut(std::vector<Statement> &list) {
    for (std::size_t i = 0; i < list.size() && !done; ++i) {
      if (next++ == target) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        done = true;
        return;
      }
      bool nested = !list[i].body.empty() || !list[i].otherwise.empty();
      if (nested && next++ == target) { // the body in place of the whole
        std::vector<Statement> body = list[i].body;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(i), body.begin(), body.end());
        done = true;
        return;
      }
      cut(list[i].body);
      if (!done)
        cut(list[i].otherwise);
    }
  }

private:
  std::size_t target, next = 0;
};

} // namespace

FuzzKernel Judge::reduce(FuzzKernel kernel, const Violation &violation) const {
  for (bool again = true; again;) {
    again = false;
    for (std::size_t target = 0;; ++target) {
      FuzzKernel smaller = kernel;
      Cutter cutter(target);
      cutter.cut(smaller.body);
      for (Helper &helper : smaller.helpers)
        if (!cutter.done)
          cutter.cut(helper.body);
      if (!cutter.done)
        break;
      // A cut that takes a declaration away does not parse: another check fails, so it is undone.
      if (examine(smaller, nullptr, false).check == violation.check) {
        kernel = std::move(smaller);
        again = true;
        --target; // the next place has moved here
      }
    }
  }
  return kernel;
}

} // namespace ptosync::fuzz
