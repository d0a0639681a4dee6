// `ptosync verify` and `ptosync compare` of two folders: every kernel below one with the kernel of that path below the
// other.
#include "base/messages.h"
#include "report/answers.h"
#include "run/answers.h"
#include "timing/cost_report.h"
#include "tool/batch.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>

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

KernelTable emptyVerifyTable() {
  KernelTable table{"verify", "", {}, {}, {}, {}};
  table.columns = {{"file", "kernel", ColumnKind::Name},
                   {"answer", "answer", ColumnKind::Words},
                   {"findings", "findings"},
                   {"runs", "runs"},
                   {"instructions", "instructions"},
                   {"problem", "", ColumnKind::Words}};
  table.worstBy = {"findings"};
  return table;
}

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
  const bool agrees = verified->answer == replay::Answer::Agree;
  outcome.changed = !agrees;
  outcome.exitCode = agrees ? kExitDone : verified->answer == replay::Answer::Differ ? kExitFindings : kExitUndecided;
  outcome.summary = std::move(verified->report);
  outcome.row.cells = {nullptr, answerName(verified->answer), verified->verdict.findings.size(), runs, instructions,
                       nullptr};
  outcome.row.eventful = !agrees;
  outcome.row.details = {{"findings", findingsJson(verified->verdict)}};
  return outcome;
}

std::vector<std::string> describeVerified(const KernelTable &table) {
  return {countOf(std::llround(sumOf(table, "findings")), "finding") + " in " + sumText(table, "runs") + " runs, " +
          sumText(table, "instructions") + " instructions compared"};
}

// compare

KernelTable emptyCompareTable() {
  KernelTable table{"compare", "", {}, {}, {}, {}};
  table.columns = {{"file", "kernel", ColumnKind::Name},
                   {"lostOrders", "orders lost"},
                   {"flagFaults", "flag faults"},
                   {"newPipeAll", "new PIPE_ALL"},
                   {"syncsGone", "gone"},
                   {"syncsNew", "new"},
                   {"syncsOther", "changed"},
                   {"idsA", "ids A", ColumnKind::Most},
                   {"idsB", "ids B", ColumnKind::Most},
                   {"cyclesA", "time A", ColumnKind::Cycles},
                   {"cyclesB", "time B", ColumnKind::Cycles},
                   {"ratio", "B/A", ColumnKind::Ratio},
                   {"instructionsGone", "instr. gone"},
                   {"instructionsNew", "instr. new"},
                   {"problem", "", ColumnKind::Words}};
  table.worstBy = {"lostOrders", "flagFaults", "newPipeAll", "ratio", "syncsNew", "syncsOther", "syncsGone"};
  return table;
}

constexpr const char *kOtherInstructions = "other instructions";

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
    parts.emplace_back(summary.lost ? "not decided" : "lost orders not known");
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
  return outcome;
}

/// What a maintainer wants to know of all kernels first.
std::vector<std::string> describeCompared(const KernelTable &table) {
  std::size_t losing = 0, others = 0, unknown = 0;
  auto cellOf = [&](const TableRow &row, llvm::StringRef key) {
    return row.cells[static_cast<std::size_t>(
        llvm::find_if(table.columns, [&](const TableColumn &column) { return column.key == key; }) -
        table.columns.begin())];
  };
  auto some = [&](const TableRow &row, llvm::StringRef key) {
    const Json cell = cellOf(row, key);
    return cell.is_number() && cell.get<double>() > 0;
  };
  for (const TableRow &row : table.rows) {
    losing += some(row, "lostOrders");
    unknown += cellOf(row, "lostOrders").is_null() && !cellOf(row, "syncsGone").is_null();
    others += some(row, "instructionsGone") || some(row, "instructionsNew") ||
              (row.cells.back().is_string() &&
               llvm::StringRef(row.cells.back().get<std::string>()).contains(kOtherInstructions));
  }
  const double a = sumOf(table, "cyclesA"), b = sumOf(table, "cyclesB");
  const std::string ratio = a > 0 ? llvm::formatv("{0:F2}", b / a).str() : "-";
  std::string lost =
      losing ? countOf(std::llround(sumOf(table, "lostOrders")), "order") + " lost in " + countOf(losing, "kernel")
             : "no order lost";
  if (unknown)
    lost += " (not known of " + countOf(unknown, "kernel") + ")";
  lost += ", " + countOf(std::llround(sumOf(table, "flagFaults")), "flag fault");
  lost += ", " + countOf(std::llround(sumOf(table, "newPipeAll")), "new PIPE_ALL barrier");
  return {std::move(lost),
          "syncs: " + sumText(table, "syncsGone") + " gone, " + sumText(table, "syncsNew") + " new, " +
              sumText(table, "syncsOther") + " moved or changed; other instructions in " + countOf(others, "kernel"),
          "most event ids in use at once: " + std::to_string(std::llround(mostOf(table, "idsA"))) + " -> " +
              std::to_string(std::llround(mostOf(table, "idsB"))),
          "estimate of all: " + cyclesText(a) + " -> " + cyclesText(b) + " cycles (" + ratio + ")"};
}

} // namespace

int verifyFolders(const ToolOptions &options) {
  llvm::Expected<Batch> batch = readPairs(options, options.input, options.verify.after);
  if (!batch)
    return fail(batch.takeError());
  if (llvm::Error error = checkTargets({options.table}, *options.reads))
    return fail(std::move(error), kExitUsage);
  auto job = [&](const RunInput &pair, Progress &progress) { return verifyOne(options, pair, progress); };
  std::vector<KernelOutcome> outcomes = runBatch(options, "verify", *batch, job);
  judgeAlone(*batch, outcomes, kExitFindings);
  return publish(options, *batch, outcomes, emptyVerifyTable(), describeVerified);
}

int compareFolders(const ToolOptions &options) {
  const CompareCommandOptions &asked = options.compare;
  llvm::Expected<Batch> batch = readPairs(options, asked.a, asked.b);
  if (!batch)
    return fail(batch.takeError());
  if (llvm::Error error = checkTargets({asked.output, options.table}, *options.reads))
    return fail(std::move(error), kExitUsage);
  auto job = [&](const RunInput &pair, Progress &progress) { return compareOne(options, pair, progress); };
  std::vector<KernelOutcome> outcomes = runBatch(options, "compare", *batch, job);
  judgeAlone(*batch, outcomes, asked.failOver ? kExitFindings : kExitDone);
  return publish(options, *batch, outcomes, emptyCompareTable(), describeCompared);
}

} // namespace ptosync
