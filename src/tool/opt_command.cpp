// `ptosync opt`, of one kernel or of many.
#include "base/messages.h"
#include "report/json_report.h"
#include "report/report.h"
#include "rewrite/text_edit.h"
#include "run/opt.h"
#include "timing/cost_report.h"
#include "tool/batch.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/Support/Format.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cmath>

namespace ptosync {
namespace {

OptRequest requestOf(const ToolOptions &options) {
  OptRequest request{options.opt.rewrites, options.opt.resync, Times::LeftOut};
  if (!options.html.empty())
    request.times = Times::Drawn;
  else if (options.opt.cost)
    request.times = Times::Estimated;
  return request;
}

/// Says of what was asked for, on the command line or in comments, that it changes nothing.
std::string withoutEffect(const ToolOptions &options, const OptimizedFile &file) {
  const Module &module = file.module();
  const std::string &name = module.source.name();
  std::string text;
  for (std::uint32_t line : options.optimize.lines) {
    bool holds =
        std::any_of(module.sites.begin(), module.sites.end(), [&](const SyncSite &site) { return site.line == line; });
    if (!holds)
      text +=
          "ptosync: " + name + ":" + std::to_string(line) + ": --lines names this line, on which no sync begins" +
          (line > module.source.lineCount() ? ": the file ends before it" : "; --dry-run --verbose lists the lines") +
          "\n";
  }
  std::uint32_t edits = editsOf(file.result);
  if (!options.opt.bisect && options.optimize.maxRemovals && *options.optimize.maxRemovals > edits)
    text += "ptosync: --max-removals=" + std::to_string(*options.optimize.maxRemovals) +
            " has no effect: the kernel has " + countOf(edits, "edit") + "\n";
  if (options.quiet) // elsewhere the summary lists them
    for (const UnknownCall &call : module.unknownCalls)
      text += "ptosync: " + name + ":" + std::to_string(call.lines.front()) + ": the machine model does not know " +
              printable(call.name) + ": every sync around it stays (`ptosync rule unknown-call`)\n";
  for (const Directive &keep : unusedKeeps(module))
    text += "ptosync: " + name + ":" + std::to_string(keep.line) +
            ": this keep comment holds no sync: it must stand on the line of one, or alone on the line above\n";
  return text;
}

/// Returns the text report, or the edits by number.
std::string summaryOf(const ToolOptions &options, const ReportInput &input) {
  if (options.opt.bisect)
    return options.optimize.maxRemovals ? describeEdit(input, static_cast<std::uint32_t>(*options.optimize.maxRemovals))
                                        : listEdits(input);
  TextReportOptions text;
  text.verbose = options.verbose;
  text.only = options.opt.only;
  return textReport(input, text);
}

KernelTable emptyTable(const ToolOptions &options) {
  KernelTable table{"opt", "", {}, {}, {}, {}};
  table.columns = {{"file", "kernel", ColumnKind::Name},
                   {"syncs", "syncs"},
                   {"removed", "removed"},
                   {"moved", "moved"},
                   {"added", "added"},
                   {"kept", "kept"},
                   {"refused", "refused"}};
  if (options.opt.cost) {
    table.columns.push_back({"cyclesBefore", "before", ColumnKind::Cycles});
    table.columns.push_back({"cyclesAfter", "after", ColumnKind::Cycles});
    table.columns.push_back({"cyclesLimit", "limit", ColumnKind::Cycles});
    table.columns.push_back({"overLimit", "over limit", ColumnKind::Ratio});
  }
  table.columns.push_back({"problem", "", ColumnKind::Words});
  return table;
}

/// The row of a kernel, in the order of the columns; its name and its problem are for `publish` to say.
TableRow rowOf(const ToolOptions &options, const ReportInput &input) {
  const Counts counts = countSites(input);
  std::uint32_t found = 0, removed = 0, moved = 0;
  for (const Tally *tally : {&counts.barriers, &counts.flags, &counts.tails}) {
    found += tally->found;
    removed += tally->removed;
    moved += tally->moved;
  }
  TableRow row;
  row.cells = {nullptr,
               found,
               removed,
               moved,
               input.result->added.size(),
               found - removed - moved,
               input.result->skipped.size()};
  if (options.opt.cost && input.costs) {
    const FileCost cost = fileCost(*input.costs);
    auto whole = [](double cycles) { return std::llround(cycles); };
    row.cells.insert(row.cells.end(), {whole(cost.before), whole(cost.after), whole(cost.limit)});
    row.cells.push_back(cost.limit > 0 ? nlohmann::ordered_json(std::round(cost.after / cost.limit * 1000) / 1000)
                                       : nullptr);
  }
  row.cells.push_back(nullptr);
  row.eventful = removed || moved || !input.result->added.empty() || !input.result->skipped.empty();
  return row;
}

/// "9 syncs removed, 2 moved".
std::string changeOf(const TableRow &row) {
  std::string text;
  for (auto [column, word] : {std::pair(2, "removed"), std::pair(3, "moved"), std::pair(4, "added")})
    if (std::int64_t count = row.cells[column].get<std::int64_t>())
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + word;
  return text.empty() ? "its text" : text;
}

/// What a person is told of all kernels: the sums, and which one is worst.
std::vector<std::string> describe(const KernelTable &table) {
  auto count = [&](const char *key) { return std::to_string(std::llround(sumOf(table, key))); };
  std::vector<std::string> lines = {count("syncs") + " syncs: " + count("removed") + " removed, " + count("moved") +
                                    " moved, " + count("kept") + " kept, " + count("added") + " added"};
  if (const double refused = sumOf(table, "refused"); refused > 0)
    lines.push_back(countOf(std::llround(refused), "kernel function") + " of analysed files left as they are");
  if (const double before = sumOf(table, "cyclesBefore"); before > 0)
    lines.push_back("estimate of all: " + changeText(before, sumOf(table, "cyclesAfter"), sumOf(table, "cyclesLimit")));
  if (const TableRow *worst = largestOf(table, "overLimit", 1.005)) {
    const double over = worst->cells[worst->cells.size() - 2].get<double>();
    lines.push_back(
        llvm::formatv("farthest from its limit: {0}, {1:F2} times", worst->cells.front().get<std::string>(), over));
  } else if (const TableRow *most = largestOf(table, "kept", 1)) {
    lines.push_back("most syncs kept: " + most->cells.front().get<std::string>() + ", " + most->cells[5].dump());
  }
  return lines;
}

KernelOutcome optimizeOne(const ToolOptions &options, const OptRequest &request, const RunInput &kernel,
                          Progress &progress) {
  llvm::Expected<OptimizedFile> file = optimizeFile(kernel, request, progress);
  if (!file)
    return outcomeOf(file.takeError());
  KernelOutcome outcome;
  outcome.notes = withoutEffect(options, *file);
  if (options.timings)
    llvm::raw_string_ostream(outcome.notes)
        << (options.several ? file->source().source.name() + ": " : "")
        << llvm::format("parse %.1f ms, analysis %.1f ms, replay and reports %.1f ms\n", progress.milliseconds(0),
                        progress.milliseconds(1), progress.milliseconds(2));
  ReportInput input = reportInput(*file, request);
  if (!options.html.empty())
    outcome.page = reviewPage(*file, request);
  if (!options.opt.cost)
    input.costs = nullptr; // they were estimated for the page alone
  if (!options.report.empty())
    outcome.report = jsonReportText(input);
  const SourceText &source = file->source().source;
  outcome.summary = summaryOf(options, input);
  outcome.changed = file->patched != source.text();
  if (options.diff) {
    const std::string shown = nameInDiff(options, source.name());
    outcome.diff = unifiedDiff(source, file->patched, shown, shown);
  }
  outcome.row = rowOf(options, input);
  outcome.change = changeOf(outcome.row);
  outcome.exitCode = (options.diff || options.check) && outcome.changed ? kExitFindings : kExitDone;
  outcome.text = std::move(file->patched);
  return outcome;
}

/// Fails where the selection is wrong, of the command line or of a configuration, before any kernel is read.
llvm::Error checkPatterns(const ToolOptions &options, const Batch &batch) {
  llvm::Expected<Catalogue> catalogue = loadCatalogue(batch.choices);
  if (!catalogue)
    return catalogue.takeError();
  if (llvm::Error error = catalogue->select(options.given.patterns.value_or("default")).takeError())
    return error;
  for (const BatchKernel &kernel : batch.kernels)
    if (llvm::Error error = catalogue->select(patternsOf(kernel.settings)).takeError())
      return llvm::createStringError(kernel.settings.file.file + ": /patterns: " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

} // namespace

int runOpt(const ToolOptions &options) {
  const OptRequest request = requestOf(options);
  llvm::Expected<Batch> batch = readBatch(options);
  if (!batch)
    return fail(batch.takeError());
  if (llvm::Error error = checkPatterns(options, *batch))
    return fail(std::move(error), kExitUsage);
  if (llvm::Error error = checkTargets({options.output, options.report, options.html, options.table}, *options.reads))
    return fail(std::move(error), kExitUsage);
  if (!options.opt.print.empty()) {
    llvm::Expected<RunInput> input = readKernel(*batch, 0);
    llvm::Expected<std::string> printed = input ? printFile(*input, request, options.opt.print) : input.takeError();
    if (!printed)
      return fail(printed.takeError());
    llvm::outs() << *printed;
    if (options.output.empty() && !options.diff && !options.dryRun && !options.check && !options.inPlace)
      return kExitDone;
  }
  auto job = [&](const RunInput &kernel, Progress &progress) {
    return optimizeOne(options, request, kernel, progress);
  };
  const std::vector<KernelOutcome> outcomes = runBatch(options, "opt", *batch, job);
  return publish(options, *batch, outcomes, emptyTable(options), describe);
}

} // namespace ptosync
