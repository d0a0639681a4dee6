#include "fuzz/judge.h"

#include "fuzz/kernel_text.h"

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

std::vector<TraceSimulator> Judge::tracesOf(const FuzzKernel &kernel, const std::vector<Run> &runs) const {
  std::vector<TraceSimulator> traces;
  for (const Run &run : runs)
    traces.emplace_back(kernel, libraryTrust(), run);
  return traces;
}

/// The text must say what the decisions say.
Violation Judge::checkText(FuzzKernel output, const ToolRun &tool) {
  std::string expected = bareText(printKernel(output)), found = bareText(tool.patched);
  if (expected == found)
    return {};
  std::size_t at = 0;
  while (at < expected.size() && at < found.size() && expected[at] == found[at])
    ++at;
  return {"text", "the patched text is not the kernel that the decisions make: expected ..." +
                      expected.substr(at, 80) + "..., found ..." + found.substr(at, 80) + "...; " +
                      describe(tool.edits)};
}

Violation Judge::checkRuns(const std::vector<Run> &runs, const std::vector<TraceSimulator> &traces,
                           const FuzzKernel &output, const ToolRun &tool) const {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    TraceSimulator edited(output, libraryTrust(), runs[i]);
    std::string context = " with " + describe(runs[i]) + "; " + describe(tool.edits);
    if (std::optional<LostOrder> lost = traces[i].lostIn(edited))
      return {lost->kind == "reuse" || lost->kind == "end" ? lost->kind : "order",
              "new " + lost->kind + " hazard between line " + std::to_string(lost->earlierLine) + " and line " +
                  std::to_string(lost->laterLine) + " (dynamic instructions " +
                  std::to_string(lost->earlierInstance) + " and " + std::to_string(lost->laterInstance) + ")" +
                  context};
    if (std::optional<std::string> fault = traces[i].faultIn(edited))
      return {"tokens", *fault + context};
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
  if (!again.edits.empty() && ignored != "idempotence")
    return {"idempotence", "the patched text is edited again: " + describe(again.edits) + "; before: " +
                               describe(tool.edits)};
  for (const std::string &open : again.unresolved)
    if (!tool.unresolved.count(open))
      return {"incremental", "a fresh analysis of the patched text has a new open conflict: " + open};
  for (const std::string &fault : again.tokenFaults)
    if (!tool.tokenFaults.count(fault))
      return {"incremental", "a fresh analysis of the patched text has a new fault: " + fault};
  return {};
}

void Judge::count(const FuzzKernel &kernel, const std::vector<Run> &runs, const std::vector<TraceSimulator> &traces,
                  const ToolRun &tool, Statistics &statistics, bool countMissed) const {
  ++statistics.kernels;
  statistics.skipped += !tool.skipped.empty();
  statistics.cleanKernels += tool.unresolved.empty();
  std::size_t barriers = tool.edits.removed.size() - tool.flagsRemoved;
  statistics.removed += barriers;
  statistics.barriers += barriers + tool.kept.size();
  statistics.flags += tool.flagsRemoved + tool.edits.moves.size();
  statistics.flagsRemoved += tool.flagsRemoved;
  statistics.flagsMoved += tool.edits.moves.size();
  statistics.flagKernels += tool.flagsRemoved + tool.edits.moves.size() > 0;
  for (const auto &[reason, count] : tool.keptFlags) {
    statistics.keptFlags[reason] += count;
    statistics.flags += count;
  }
  for (const auto &[pattern, count] : tool.patterns) {
    statistics.edits[pattern] += count;
    ++statistics.editedKernels[pattern];
  }
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
    LineEdits without = tool.edits;
    without.removed.insert(line);
    ++statistics.sampledKept;
    std::optional<FuzzKernel> output = editedKernel(kernel, without);
    bool needed = !output;
    for (std::size_t i = 0; i < runs.size() && !needed; ++i)
      needed = traces[i].lostIn(TraceSimulator(*output, libraryTrust(), runs[i])).has_value();
    if (needed)
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
  std::vector<TraceSimulator> traces = tracesOf(kernel, runs);
  if (statistics)
    count(kernel, runs, traces, tool, *statistics, countMissed);
  std::optional<FuzzKernel> output = editedKernel(kernel, tool.edits);
  if (!output)
    return {"text", "an edit is of a line that has no such statement; " + describe(tool.edits)};
  if (Violation violation = checkText(*output, tool))
    return violation;
  if (Violation violation = checkRuns(runs, traces, *output, tool))
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
