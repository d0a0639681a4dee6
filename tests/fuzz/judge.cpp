#include "fuzz/judge.h"

#include "fuzz/bracket_mutants.h"
#include "fuzz/kernel_text.h"
#include "fuzz/resynced_kernel.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace ptosync::fuzz {
namespace {

constexpr std::uint64_t kForOneCoreEvery = 4; // of those synchronised anew: such a file is read once for each core
constexpr std::uint64_t kRepeatEvery = 8;     // files of many kernels: looking for chance in the decisions costs a run

bool names(const Scalar &scalar, std::uint32_t variable) {
  return (scalar.kind == Scalar::Kind::Variable && scalar.variable == variable) ||
         std::any_of(scalar.operands.begin(), scalar.operands.end(),
                     [&](const Scalar &operand) { return names(operand, variable); });
}

/// True if the input has a wait that no set before it feeds. In time one behind it may, and chains that lead backwards
/// through the text then order something: the optimiser says of such flags that they cover nothing.
bool waitsForLater(const std::set<std::string> &tokenFaults) {
  return std::any_of(tokenFaults.begin(), tokenFaults.end(), [](const std::string &fault) {
    return fault.find("where it is waited for") != std::string::npos;
  });
}

/// Without what is of one kernel: "line #: 'goto' is not followed", "... is seen to order # before #".
std::string inWords(const std::string &reason) {
  std::istringstream stream(reason);
  std::string text;
  for (std::string word; stream >> word;) {
    bool own = std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) || c == '('; });
    if (!own || !text.ends_with("#"))
      text += (text.empty() ? "" : " ") + (own ? std::string("#") : word);
  }
  return text;
}

/// Values of the rare argument for which each condition holds, holds in the second or third trip of a loop, and holds
/// together with the other.
std::vector<std::int64_t> rareValues() {
  const std::int64_t first = kRareDigits[0], second = kRareDigits[1] * kRareModuli[0];
  return {0, first, second, first + second, first - 1, first - 1 + second, first - 2};
}

/// True if the kernel's control flow or storage may depend on the variable.
bool names(const FuzzKernel &kernel, std::uint32_t variable) {
  bool found = false;
  forEachStatement(kernel.body, [&](const Statement &s) {
    for (const Scalar *scalar : {&s.value, &s.lower, &s.upper})
      found |= names(*scalar, variable);
    for (const Scalar &argument : s.arguments)
      found |= names(argument, variable);
    for (const Operand &operand : s.operands)
      found |= operand.kind == Operand::Kind::Tensor && names(operand.tensor.offset, variable);
  });
  for (const Helper &helper : kernel.helpers)
    forEachStatement(helper.body, [&](const Statement &s) { found |= names(s.value, variable); });
  for (const FuzzTile &tile : kernel.tiles)
    found |= names(tile.validRows, variable) || names(tile.validColumns, variable);
  return found;
}

} // namespace

std::vector<Run> Judge::runsOf(const FuzzKernel &kernel) {
  bool loads = false;
  forEachStatement(kernel.body, [&](const Statement &s) { loads |= s.kind == Statement::Kind::LoadData; });
  std::vector<Run> runs;
  std::vector<std::int64_t> lengths = {3}, limits = {3};
  if (names(kernel, kernel.lengthVariable))
    lengths = {0, 1, 2, 3, 4, 5};
  if (kernel.longRuns && lengths.size() > 1)
    lengths.insert(lengths.end(), {6, 7, 9});
  if (names(kernel, kernel.limitVariable))
    limits = {0, 2, 3};
  std::vector<std::int64_t> rares = {0};
  if (kernel.rareVariable != FuzzKernel::kNone && names(kernel, kernel.rareVariable)) {
    rares = rareValues();
    if (lengths.size() > 1)
      lengths = {0, 1, 2, 3, 5};
    if (limits.size() > 1)
      limits = {0, 3};
  }
  for (std::int64_t length : lengths)
    for (std::int64_t limit : limits)
      for (std::int64_t rare : rares)
        for (std::uint64_t seed = 1; seed <= (loads ? 2u : 1u); ++seed)
          runs.push_back({length, limit, rare, seed + static_cast<std::uint64_t>(length * 8 + limit)});
  return runs;
}

std::vector<TraceSimulator> Judge::tracesOf(const FuzzKernel &kernel, const std::vector<Run> &runs) const {
  std::vector<TraceSimulator> traces;
  for (const Run &run : runs)
    traces.push_back(traceOf(kernel, run));
  return traces;
}

/// The text must say what the decisions say.
Violation Judge::checkText(std::vector<FuzzKernel> outputs, const BatchRun &tool) {
  std::string expected = bareText(printKernels(outputs)), found = bareText(tool.patched);
  if (expected == found)
    return {};
  std::size_t at = 0;
  while (at < expected.size() && at < found.size() && expected[at] == found[at])
    ++at;
  return {"text", "the patched text is not the kernel that the decisions make: expected ..." + expected.substr(at, 80) +
                      "..., found ..." + found.substr(at, 80) + "..."};
}

Violation Judge::checkRuns(const std::vector<Run> &runs, const std::vector<TraceSimulator> &traces,
                           const FuzzKernel &output, const LineEdits &edits) const {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    TraceSimulator edited = traceOf(output, runs[i]);
    std::string context = " with " + describe(runs[i]) + "; " + describe(edits);
    if (std::optional<LostOrder> lost = traces[i].lostIn(edited))
      return {lost->kind == "reuse" || lost->kind == "end" ? lost->kind : "order",
              "new " + lost->kind + " hazard between line " + std::to_string(lost->earlierLine) + " and line " +
                  std::to_string(lost->laterLine) + " (dynamic instructions " + std::to_string(lost->earlierInstance) +
                  " and " + std::to_string(lost->laterInstance) + ")" + context};
    if (std::optional<std::string> fault = traces[i].faultIn(edited))
      return {"tokens", *fault + context};
  }
  return {};
}

/// Determinism, idempotence, and the removals' incremental engine against a fresh analysis.
Violation Judge::checkAgain(const BatchRun &tool, std::size_t index) const {
  const ToolRun &first = tool.first[index], &again = tool.onPatched[index];
  if (!tool.repeated.empty() && tool.repeated[index] != first)
    return {"determinism", "two runs on the same text differ"};
  // A loop of whose phases brackets were a part has fewer of them then: the next run may see more.
  if (!again.edits.empty() && ignored != "idempotence" && !first.bracketPhasesRemoved)
    return {"idempotence",
            "the patched text is edited again: " + describe(again.edits) + "; before: " + describe(first.edits)};
  // Ids that rotate tell the iterations of a loop apart. Where such a flag has gone nothing may do so any more, and the
  // analysis may know less of what is carried round a loop than it knew of the input, a branch on the counter's parity
  // say. The simulator and the replay, which run both, have found no order lost.
  for (const auto &[pair, places] : again.unresolved) {
    auto before = first.unresolved.find(pair);
    if (before != first.unresolved.end() &&
        std::includes(before->second.begin(), before->second.end(), places.begin(), places.end()))
      continue;
    if (!first.bracketPhasesRemoved && // then a place reads otherwise
        !(first.rotationRemoved && pair.ends_with(" carried")))
      return {"incremental",
              "a fresh analysis of the patched text has a new open conflict: " + pair + " on " + *places.begin()};
  }
  for (const std::string &fault : again.tokenFaults)
    if (!first.tokenFaults.count(fault))
      return {"incremental", "a fresh analysis of the patched text has a new fault: " + fault};
  return {};
}

void Judge::count(const FuzzKernel &kernel, const std::vector<Run> &runs, const std::vector<TraceSimulator> &traces,
                  const ToolRun &tool, Statistics &statistics, bool countMissed) const {
  ++statistics.kernels;
  statistics.skipped += !tool.skipped.empty();
  statistics.cleanKernels += tool.unresolved.empty();
  std::size_t barriers = tool.edits.removed.size() - tool.flagsRemoved - tool.buffersRemoved;
  statistics.removed += barriers;
  statistics.barriers += barriers + tool.kept.size();
  const std::size_t flagsMoved = tool.edits.moves.size() - tool.buffersMoved;
  statistics.flags += tool.flagsRemoved + flagsMoved;
  statistics.flagsRemoved += tool.flagsRemoved;
  statistics.flagsMoved += flagsMoved;
  statistics.flagKernels += tool.flagsRemoved + flagsMoved > 0;
  statistics.buffers += tool.buffersRemoved + tool.buffersMoved;
  statistics.buffersRemoved += tool.buffersRemoved;
  statistics.buffersMoved += tool.buffersMoved;
  statistics.bufferKernels += tool.buffersRemoved + tool.buffersMoved > 0;
  for (const auto &[reason, count] : tool.keptBuffers) {
    statistics.keptBuffers[reason] += count;
    statistics.buffers += count;
  }
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
  bool clean =
      std::all_of(traces.begin(), traces.end(), [](const TraceSimulator &trace) { return trace.hazards() == 0; });
  for (const auto &[line, reason] : tool.kept) {
    LineEdits without = tool.edits;
    without.removed.insert(line);
    ++statistics.sampledKept;
    std::optional<FuzzKernel> output = editedKernel(kernel, without);
    bool needed = !output;
    for (std::size_t i = 0; i < runs.size() && !needed; ++i)
      needed = traces[i].lostIn(traceOf(*output, runs[i])).has_value();
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

Violation Judge::checkKernel(const FuzzKernel &kernel, const FuzzKernel &output, const BatchRun &tool,
                             std::size_t index, Statistics *statistics, bool countMissed) const {
  const bool simulated = kernel.simulated;
  std::vector<Run> runs = simulated ? runsOf(kernel) : std::vector<Run>();
  std::vector<TraceSimulator> traces = tracesOf(kernel, runs);
  if (statistics) {
    statistics->simulated += simulated;
    count(kernel, runs, traces, tool.first[index], *statistics, countMissed && simulated);
    statistics->replayedRuns += tool.replayed[index].runs;
    statistics->replayedInstructions += tool.replayed[index].instructions;
    const Precision &precision = tool.replayed[index].precision;
    statistics->keptUnits += precision.kept;
    statistics->removableUnits += precision.removable.size();
    for (const std::string &place : precision.removable)
      statistics->removablePlaces.push_back(kernel.name + " " + place);
  }
  if (Violation violation = checkRuns(runs, traces, output, tool.first[index].edits))
    return violation;
  const ReplayRun &replayed = tool.replayed[index];
  if (!replayed.findings.empty() && waitsForLater(tool.first[index].tokenFaults)) {
    if (statistics)
      ++statistics->fedLate;
  } else if (!replayed.findings.empty())
    return {"replay", replayed.findings.front() + "; " + describe(tool.first[index].edits)};
  return checkAgain(tool, index);
}

Violation Judge::examine(FuzzKernel &kernel) const {
  std::vector<FuzzKernel> one = {kernel};
  Violation violation = examine(one, nullptr, false, CountKept::No).front();
  kernel = std::move(one.front());
  return violation;
}

std::vector<Violation> Judge::examine(std::vector<FuzzKernel> &kernels, Statistics *statistics, bool countMissed,
                                      CountKept countKept) const {
  std::string text = printKernels(kernels);
  bool repeat = kernels.front().seed / kernels.size() % kRepeatEvery == 0;
  BatchRun tool =
      runTool(text, kernels, arch, trust, kernels.size() == 1 || repeat ? Repeat::Yes : Repeat::No, countKept);
  std::vector<FuzzKernel> outputs;
  Violation whole;
  if (!tool.error.empty())
    whole = {"parse", tool.error};
  for (std::size_t i = 0; i < kernels.size() && !whole; ++i)
    if (std::optional<FuzzKernel> output = editedKernel(kernels[i], tool.first[i].edits))
      outputs.push_back(std::move(*output));
    else
      whole = {"text", "an edit is of a line that has no such statement; " + describe(tool.first[i].edits)};
  if (!whole)
    whole = checkText(outputs, tool);
  if (!whole && !tool.patchedError.empty())
    whole = {"parse", "the patched text: " + tool.patchedError};
  std::vector<Violation> violations;
  if (whole && kernels.size() == 1)
    return {whole};
  if (whole) {
    for (FuzzKernel &kernel : kernels)
      violations.push_back(examine(kernel));
    if (std::none_of(violations.begin(), violations.end(), [](const Violation &v) { return bool(v); }))
      violations.front() = {"together", "only in one file with the next kernels: " + whole.text};
    return violations;
  }
  for (std::size_t i = 0; i < kernels.size(); ++i)
    violations.push_back(checkKernel(kernels[i], outputs[i], tool, i, statistics, countMissed));
  return violations;
}

struct Judge::MutantPair {
  const FuzzKernel &original;
  const BracketMutant &mutant;
};

Violation Judge::checkMutant(const MutantPair &pair, const VerifyRun &tool, Statistics *statistics) const {
  if (!tool.compared)
    return {};
  std::optional<LostOrder> lost;
  std::optional<std::string> fault;
  bool bracketFault = false, amissBefore = false;
  std::string context;
  for (const Run &run : runsOf(pair.original)) {
    const TraceSimulator before = traceOf(pair.original, run), after = traceOf(pair.mutant.kernel, run);
    bracketFault |= !after.bracketFaults().empty();
    amissBefore |= !before.bracketFaults().empty();
    if (lost || fault)
      continue;
    lost = before.lostIn(after);
    fault = before.faultIn(after);
    context = " with " + describe(run) + "; mutant: " + pair.mutant.kind + ", line " + std::to_string(pair.mutant.line);
  }
  if (amissBefore) // more of what is amiss already is nothing that has to be found
    fault.reset();
  const bool found = !tool.findings.empty(), wrong = lost || fault;
  if (statistics) {
    MutantCounts &counts = statistics->mutants[pair.mutant.kind];
    ++counts.made;
    counts.lost += lost.has_value();
    counts.faulty += !lost && fault;
    counts.found += wrong && found;
    counts.toolAlone += !wrong && found;
    counts.equivalent += !wrong && !found;
    if (!wrong && found)
      statistics->toolAlonePlaces.push_back(pair.original.name + " " + pair.mutant.kind + ", line " +
                                            std::to_string(pair.mutant.line) + ": " + tool.findings.front());
  }
  // Whether a flag may be set again too early is judged by its own rule (replay/judge/tokens.h).
  if (lost && !found && lost->kind != "reuse")
    return {"missed", "the tool does not find the " + lost->kind + " hazard between line " +
                          std::to_string(lost->earlierLine) + " and line " + std::to_string(lost->laterLine) + context};
  if (fault && !found)
    return {"missed", "the tool does not find: " + *fault + context};
  // The tool takes a helper that nobody calls for a kernel.
  if (tool.brackets && !bracketFault && pair.original.helpers.empty())
    return {"claimed", "no bracket is amiss where the tool says so: " + tool.findings.front() + context};
  return {};
}

std::vector<Violation> Judge::examineMutants(const std::vector<FuzzKernel> &kernels, std::size_t most,
                                             Statistics *statistics) const {
  std::vector<FuzzKernel> originals;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    FuzzKernel copy = kernels[i];
    RandomSource random(RandomSource::mix(copy.seed));
    const std::size_t count = copy.simulated ? bracketMutants(copy, most, random).size() : 0;
    for (std::size_t m = 0; m < count; ++m) {
      copy.name = kernels[i].name + "m" + std::to_string(m);
      originals.push_back(copy);
      owners.push_back(i);
    }
  }
  std::vector<Violation> violations(kernels.size());
  if (originals.empty())
    return violations;
  const std::string before = printKernels(originals);
  std::vector<BracketMutant> mutants;
  std::vector<FuzzKernel> printed;
  for (std::size_t i = 0; i < originals.size(); ++i) {
    RandomSource random(RandomSource::mix(originals[i].seed));
    const std::size_t number =
        i - static_cast<std::size_t>(std::lower_bound(owners.begin(), owners.end(), owners[i]) - owners.begin());
    mutants.push_back(bracketMutants(originals[i], most, random).at(number));
    printed.push_back(mutants.back().kernel);
  }
  std::string error;
  const std::string after = printKernels(printed);
  const std::vector<VerifyRun> tool = runVerify(before, after, originals, arch, trust, error);
  if (!error.empty())
    return std::vector<Violation>(kernels.size(), Violation{"parse", error});
  for (std::size_t i = 0; i < originals.size(); ++i)
    if (Violation violation = checkMutant({originals[i], mutants[i]}, tool[i], statistics);
        violation && !violations[owners[i]]) {
      violations[owners[i]] = std::move(violation);
      violations[owners[i]].after = printKernel(printed[i]);
    }
  return violations;
}

Violation Judge::examineResynced(FuzzKernel &kernel, Statistics *statistics) const {
  kernel.tensorLines = true;
  kernel.forOneCore = kernel.seed % kForOneCoreEvery == 0;
  std::string text = printKernel(kernel);
  bool twice = ignored != "idempotence" && kernel.seed % twiceEvery == 0;
  ResyncRun tool = runResync(text, {kernel}, arch, trust, twice ? Repeat::Yes : Repeat::No,
                             strip ? Strip::Yes : Strip::No, effort, regionWork);
  if (!tool.error.empty())
    return {"parse", tool.error};
  std::optional<FuzzKernel> output = resyncedKernel(kernel, text, tool.patched);
  bool simulated = output && kernel.simulated && (!tool.stripped || tool.whole);
  if (statistics) {
    ++statistics->kernels;
    statistics->resynced += tool.changed;
    statistics->simulated += simulated;
    statistics->notWoven += !output;
    if (!tool.changed)
      ++statistics->notResynced[inWords(tool.reason)];
  }
  if (simulated) {
    std::vector<Run> runs = runsOf(kernel);
    Violation violation = checkRuns(runs, tracesOf(kernel, runs), *output, {});
    // Nobody is asked to drain at an early return what only a sync in front of it drained.
    if (violation && !(tool.stripped && violation.check == "end"))
      return violation;
  }
  if (!tool.findings.empty() && waitsForLater(tool.tokenFaults)) {
    if (statistics)
      ++statistics->fedLate;
  } else if (!tool.findings.empty())
    return {"replay", tool.findings.front()};
  if (!tool.slower.empty())
    return {"slower", tool.slower};
  if (tool.again)
    return {"idempotence", "the output is synchronised anew again"};
  return {};
}

Violation Judge::examineFixed(FuzzKernel &kernel, Statistics *statistics) const {
  kernel.tensorLines = true;
  std::string text = printKernel(kernel);
  FixRun tool = runFix(text, arch, trust, kernel.seed);
  if (!tool.error.empty())
    return {"parse", tool.error};
  bool claimed = tool.whole; // what it finds nothing in as well
  std::optional<FuzzKernel> output = claimed ? resyncedKernel(kernel, text, tool.mended) : std::nullopt;
  bool simulated = output && kernel.simulated && !tool.open;
  if (statistics) {
    ++statistics->kernels;
    statistics->leftOpen += claimed && tool.open;
    statistics->broken += tool.reported;
    statistics->mended += claimed;
    statistics->added += claimed ? tool.added : 0;
    statistics->simulated += simulated;
    statistics->notWoven += claimed && !output;
    if (!tool.reason.empty())
      ++statistics->notResynced[inWords(tool.reason)];
  }
  if (!simulated)
    return {};
  std::vector<Run> runs = runsOf(kernel);
  std::vector<TraceSimulator> traces = tracesOf(kernel, runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    TraceSimulator mended = traceOf(*output, runs[i]);
    std::optional<LostOrder> lost = traces[i].lostIn(mended);
    if (lost && lost->kind != "fence" && lost->kind != "reuse" && lost->kind != "end")
      return {"order", lost->kind + " between line " + std::to_string(lost->earlierLine) + " and line " +
                           std::to_string(lost->laterLine) + " with " + describe(runs[i])};
    if (std::optional<std::string> fault = traces[i].faultIn(mended))
      return {"tokens", *fault + " with " + describe(runs[i])};
  }
  return {};
}

} // namespace ptosync::fuzz
