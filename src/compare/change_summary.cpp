#include "compare/change_summary.h"

#include "base/messages.h"
#include "ordering/syncs.h"
#include "report/answers.h"
#include "timing/cost_report.h"

#include <llvm/Support/FormatVariadic.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace ptosync::compare {
namespace {

void countSyncs(ChangeSummary &summary, const Comparison &comparison) {
  for (const SyncComparison *sync : changedStatements(comparison)) {
    const bool wide = sync->b && sync->kind == syncKindText(kBarrierAll);
    switch (sync->change) {
    case MatchKind::Same: break;
    case MatchKind::Gone: ++summary.gone; break;
    case MatchKind::New:
      ++summary.added;
      summary.barriersAll += wide;
      break;
    case MatchKind::Widened:
      ++summary.moved;
      summary.barriersAll += wide;
      break;
    case MatchKind::Moved:
    case MatchKind::Changed:
    case MatchKind::Narrowed:
    case MatchKind::Copies: ++summary.moved; break;
    }
  }
}

void countInstructions(ChangeSummary &summary, const KernelComparison &kernel) {
  for (const KindCount &count : kernel.counts) {
    if (count.family == Family::Sync)
      continue;
    const auto more = static_cast<std::ptrdiff_t>(std::llround(count.statements.b - count.statements.a));
    (more > 0 ? summary.instructionsNew : summary.instructionsGone) += static_cast<std::size_t>(std::abs(more));
  }
}

/// What the replay of a file says, and how far that goes.
void takeVerdict(ChangeSummary &summary, llvm::Expected<replay::Verdict> verdict, const std::string &file) {
  if (!verdict) {
    summary.unknown = "lost orders are not known: " + llvm::toString(verdict.takeError());
    return;
  }
  std::size_t lost = 0, faults = 0, streams = 0;
  summary.findings.reserve(verdict->findings.size());
  for (const replay::Finding &finding : verdict->findings) {
    switch (finding.kind) {
    case replay::FindingKind::Streams: ++streams; break;
    case replay::FindingKind::Order:
    case replay::FindingKind::End: ++lost; break;
    case replay::FindingKind::Token:
    case replay::FindingKind::Deadlock: ++faults; break;
    }
    summary.findings.push_back(findingLine(finding, file));
  }
  summary.otherInstructions = streams && !summary.instructionsDiffer();
  if (streams)
    summary.unknown = "lost orders are not known behind the first instruction that differs";
  if (!streams || lost)
    summary.lost = lost;
  if (!streams || faults)
    summary.faults = faults;
  if (!streams && verdict->answer() == replay::Answer::Undecided)
    summary.unknown = "no lost order is seen, but no run took some line or way; `ptosync verify` names it";
}

void addPart(std::string &text, const std::string &part) { text += (text.empty() ? "" : "; ") + part; }

} // namespace

bool ChangeSummary::differs() const {
  return !findings.empty() || gone || added || moved || idsA != idsB || instructionsDiffer() || onlyInOne ||
         std::abs(cycles.a - cycles.b) >= 0.5;
}

std::optional<std::size_t> idPressure(const Module &module, const Machine &machine, const OrderingOptions &options) {
  std::size_t most = 0;
  for (const Kernel &kernel : module.kernels) {
    if (!kernel.analysable)
      return std::nullopt;
    llvm::Expected<Program> program = buildProgram(kernel, machine, options);
    if (!program) {
      llvm::consumeError(program.takeError());
      return std::nullopt;
    }
    const SyncLayout layout;
    const TokenStates tokens(*program, layout);
    const FlagLiveness liveness(*program, layout, tokens);
    for (Pipe source : kPipes)
      for (Pipe destination : kPipes)
        most = std::max(most, liveness.pressure(source, destination));
  }
  return most;
}

ChangeSummary summarize(const Comparison &comparison, llvm::Expected<replay::Verdict> verdict, const Module &a,
                        const Module &b, const Machine &machine, const OrderingOptions &options) {
  ChangeSummary summary;
  summary.cycles = comparison.anyTogether() ? comparison.together : comparison.cycles;
  countSyncs(summary, comparison);
  for (const KernelComparison &kernel : comparison.kernels) {
    summary.onlyInOne = summary.onlyInOne || !kernel.paired();
    summary.notCompared = summary.notCompared || (kernel.paired() && !kernel.compared());
    countInstructions(summary, kernel);
  }
  takeVerdict(summary, std::move(verdict), b.source.name());
  if (summary.notCompared) { // nothing vouches for what nobody could look at
    summary.lost = summary.lost.value_or(0) ? summary.lost : std::nullopt;
    summary.faults = summary.faults.value_or(0) ? summary.faults : std::nullopt;
    if (summary.unknown.empty())
      summary.unknown = "lost orders of a kernel function that could not be analysed are not known";
  }
  summary.idsA = idPressure(a, machine, options);
  summary.idsB = idPressure(b, machine, options);
  return summary;
}

std::string instructionText(const ChangeSummary &summary) {
  std::string text;
  if (summary.instructionsGone)
    text = std::to_string(summary.instructionsGone) + " gone";
  if (summary.instructionsNew)
    text += (text.empty() ? "" : ", ") + std::to_string(summary.instructionsNew) + " new";
  return text.empty() && summary.otherInstructions ? "others" : text;
}

std::string changeLine(const ChangeSummary &summary) {
  std::string text;
  if (summary.lost.value_or(0))
    addPart(text, countOf(*summary.lost, "order") + " lost");
  if (summary.faults.value_or(0))
    addPart(text, countOf(*summary.faults, "flag fault"));
  if (summary.barriersAll)
    addPart(text, countOf(summary.barriersAll, "new PIPE_ALL barrier"));
  const std::pair<std::size_t, const char *> syncs[] = {
      {summary.gone, "gone"}, {summary.added, "new"}, {summary.moved, "moved or changed"}};
  std::string list;
  for (const auto &[count, word] : syncs)
    if (count)
      list += (list.empty() ? "syncs: " : ", ") + llvm::formatv("{0} {1}", count, word).str();
  if (!list.empty())
    addPart(text, list);
  if (summary.idsA != summary.idsB) {
    auto number = [](const std::optional<std::size_t> &ids) { return ids ? std::to_string(*ids) : "?"; };
    addPart(text, "event ids in use at once " + number(summary.idsA) + " -> " + number(summary.idsB));
  }
  if (summary.instructionsDiffer())
    addPart(text, "instructions: " + instructionText(summary));
  if (const double a = summary.cycles.a, b = summary.cycles.b; std::abs(a - b) >= 0.005 * a && std::abs(a - b) >= 0.5)
    addPart(text, llvm::formatv("estimate {0} -> {1} cycles ({2})", cyclesText(a), cyclesText(b),
                                a > 0 ? llvm::formatv("{0:F2}", b / a).str() : "-"));
  if (summary.notCompared)
    addPart(text, "a kernel function could not be analysed");
  return text.empty() ? "no difference that counts" : text;
}

} // namespace ptosync::compare
