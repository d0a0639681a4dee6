// `ptosync verify` and `ptosync compare` of two folders: every kernel below one with the kernel of that path below the
// other.
#include "base/messages.h"
#include "report/answers.h"
#include "report/command_table.h"
#include "run/answers.h"
#include "tool/batch.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/session.h"

#include <cmath>

namespace ptosync {
namespace {

using Json = nlohmann::ordered_json;

Json countOrNull(const std::optional<std::size_t> &count) { return count ? Json(*count) : Json(nullptr); }

/// A kernel that one folder alone has: nothing vouches for it.
void judgeAlone(const Batch &batch, std::vector<KernelOutcome> &outcomes, int exitCode) {
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (batch.kernels[i].alone())
      outcomes[i].exitCode = exitCode;
}

// verify

KernelOutcome verifyOne(const ToolOptions &options, const RunInput &pair, Progress &progress) {
  llvm::Expected<VerifiedFiles> verified =
      verifyFiles(pair, {AnswerForm::Text, options.verbose, options.quiet}, progress);
  if (!verified)
    return outcomeOf(verified.takeError());
  std::uint64_t runs = 0, instructions = 0;
  for (const replay::KernelCoverage &coverage : verified->verdict.coverage) {
    runs += coverage.runs;
    instructions += coverage.instructions;
  }
  KernelOutcome outcome;
  const bool proved = verified->answer == VerifyAnswer::Proved;
  outcome.changed = !proved;
  outcome.exitCode = exitCodeOf(verified->answer, options.verify);
  outcome.summary = std::move(verified->report);
  outcome.row.cells = {nullptr, answerName(verified->answer), verified->verdict.findings.size(), runs, instructions,
                       nullptr};
  outcome.row.eventful = !proved;
  const std::string reason = verified->proof.firstReason();
  outcome.row.details = {{"proof", reason.empty() ? Json(nullptr) : Json(reason)},
                         {"findings", findingsJson(verified->verdict)}};
  return outcome;
}

// compare

/// What a row says in words, of what its numbers do not tell.
std::string wordsOf(const compare::ChangeSummary &summary) {
  std::vector<std::string> parts;
  if (summary.otherInstructions)
    parts.emplace_back(kOtherInstructions);
  if (summary.onlyInOne)
    parts.emplace_back("a kernel function in one file only");
  if (summary.notCompared)
    parts.emplace_back("a kernel function not analysed");
  if (!summary.unknown.empty() && summary.differs())
    parts.emplace_back(summary.lost ? "not refuted" : "lost orders not known");
  return firstOf(parts, parts.size());
}

KernelOutcome compareOne(const ToolOptions &options, const RunInput &pair, Progress &progress) {
  const CompareCommandOptions &asked = options.compare;
  const CompareRequest request{AnswerForm::Text, options.verbose, !asked.html.empty(), asked.failOver, true};
  llvm::Expected<ComparedFiles> compared = compareFiles(pair, request, progress);
  if (!compared)
    return outcomeOf(compared.takeError());
  const compare::ChangeSummary &summary = *compared->summary;
  KernelOutcome outcome;
  outcome.page = std::move(compared->page);
  outcome.changed = summary.differs();
  outcome.exitCode = !compared->answer.analysed     ? kExitNotAnalysed
                     : !compared->overLimit.empty() ? kExitFindings
                                                    : kExitDone;
  for (const std::string &entry : compared->overLimit)
    outcome.notes += "ptosync: " + pair.sources[1].name() + ": --fail-over: " + entry + "\n";
  outcome.summary = std::move(compared->changes);
  if (options.verbose)
    outcome.summary += compared->answer.text;
  if (options.quiet && asked.output.empty()) { // the findings alone
    outcome.summary.clear();
    for (const std::string &finding : summary.findings)
      outcome.summary += finding + "\n";
  }
  const std::optional<double> ratio = summary.cycles.ratio();
  const std::string words = wordsOf(summary);
  outcome.row.cells = {nullptr,
                       countOrNull(summary.lost),
                       countOrNull(summary.faults),
                       summary.barriersAll,
                       summary.gone,
                       summary.added,
                       summary.moved,
                       countOrNull(summary.idsA),
                       countOrNull(summary.idsB),
                       std::llround(summary.cycles.a),
                       std::llround(summary.cycles.b),
                       ratio ? Json(std::round(*ratio * 1000) / 1000) : Json(nullptr),
                       summary.instructionsGone,
                       summary.instructionsNew,
                       words.empty() ? Json(nullptr) : Json(words)};
  outcome.row.eventful = summary.differs() || summary.notCompared;
  outcome.row.details = std::move(compared->details);
  outcome.row.details[kDiffersKey] = outcome.row.eventful;
  return outcome;
}

} // namespace

int verifyFolders(const ToolOptions &options) {
  llvm::Expected<Batch> batch = readPairs(options, options.input, options.verify.after);
  if (!batch)
    return fail(batch.takeError());
  if (llvm::Error error = checkOutputs(options, {options.table}))
    return fail(std::move(error), kExitUsage);
  auto job = [&](const RunInput &pair, Progress &progress) { return verifyOne(options, pair, progress); };
  std::vector<KernelOutcome> outcomes = runBatch(options, "verify", *batch, job);
  judgeAlone(*batch, outcomes, kExitFindings);
  return publish(options, *batch, outcomes, emptyTable("verify"));
}

int compareFolders(const ToolOptions &options) {
  const CompareCommandOptions &asked = options.compare;
  llvm::Expected<Batch> batch = readPairs(options, asked.a, asked.b);
  if (!batch)
    return fail(batch.takeError());
  if (llvm::Error error = checkOutputs(options, {asked.output, options.table}))
    return fail(std::move(error), kExitUsage);
  auto job = [&](const RunInput &pair, Progress &progress) { return compareOne(options, pair, progress); };
  std::vector<KernelOutcome> outcomes = runBatch(options, "compare", *batch, job);
  judgeAlone(*batch, outcomes, asked.failOver ? kExitFindings : kExitDone);
  return publish(options, *batch, outcomes, emptyTable("compare"));
}

} // namespace ptosync
