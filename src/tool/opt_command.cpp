// `ptosync opt`, of one kernel or of many.
#include "audit/audit_report.h"
#include "audit/sarif.h"
#include "base/messages.h"
#include "optimize/wording.h"
#include "patterns/version.h"
#include "report/command_table.h"
#include "report/edit_scan.h"
#include "report/json_report.h"
#include "report/needed_syncs.h"
#include "report/report.h"
#include "rewrite/approval.h"
#include "rewrite/text_edit.h"
#include "run/opt.h"
#include "timing/cost_report.h"
#include "tool/batch.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/git.h"
#include "tool/session.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Format.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync {
namespace {

const char *commandOf(const ToolOptions &options) { return options.fromNothing ? "sync" : "opt"; }

OptRequest requestOf(const ToolOptions &options, const std::optional<Approval> &approval) {
  OptRequest request{options.opt.rewrites, options.opt.resync, Times::LeftOut, approval ? &*approval : nullptr,
                     options.opt.needed};
  if (!options.html.empty())
    request.times = Times::Drawn;
  else if (options.opt.cost)
    request.times = Times::Estimated;
  return request;
}

/// Returns true if the whole summary of each kernel is printed.
bool showsSummary(const ToolOptions &options) {
  return printsSummaries(options) && !options.opt.bisect && !options.opt.only;
}

/// Says of what was asked for, on the command line or in comments, that it changes nothing.
std::string withoutEffect(const ToolOptions &options, const OptimizedFile &file) {
  const Module &module = file.module();
  const std::string &name = module.source.name();
  std::string text;
  std::uint32_t edits = editsOf(file.result);
  if (!options.opt.bisect && options.optimize.maxRemovals && *options.optimize.maxRemovals > edits)
    text += "ptosync: --max-removals=" + std::to_string(*options.optimize.maxRemovals) +
            " has no effect: the kernel has " + countOf(edits, "edit") + "\n";
  if (!showsSummary(options)) // which lists them
    for (const UnknownCall &call : module.unknownCalls)
      text += "ptosync: " + name + ":" + std::to_string(call.lines.front()) + ": the machine model does not know " +
              printable(call.name) + ": every sync around it stays (`ptosync rule unknown-call`)\n";
  for (const Directive &keep : unusedKeeps(module))
    text += "ptosync: " + name + ":" + std::to_string(keep.line) +
            ": this keep comment holds no sync: it must stand on the line of one, or alone on the line above\n";
  return text;
}

/// Reads the file of --approved, if one is named, and adds its text to `inputs`.
llvm::Expected<std::optional<Approval>> readApproval(const ToolOptions &options, std::vector<std::string> &inputs) {
  if (options.opt.approved.empty())
    return std::nullopt;
  llvm::Expected<std::string> text = readFile(options.opt.approved, *options.reads, kJsonFile);
  if (!text)
    return text.takeError();
  inputs.push_back(*text);
  llvm::Expected<Approval> approval = parseApproval(*text, options.opt.approved);
  if (!approval)
    return approval.takeError();
  return std::optional<Approval>(std::move(*approval));
}

/// What the approval kept from being made, and what is new, of a kernel whose summary is not printed.
std::string approvalNotes(const ToolOptions &options, const OptimizedFile &file) {
  std::string text;
  if (!file.approval || showsSummary(options))
    return text;
  const std::string start = "ptosync: " + file.source().source.name() + ": ";
  for (const std::string &line : describeBlocked(*file.approval))
    text.append(start).append("approved, and not made: ").append(line).append("\n");
  const char *fresh = file.approval->appliesRest ? "new, made: " : "new, held back: ";
  for (const EditName &edit : file.approval->fresh)
    text.append(start).append(fresh).append(describeName(edit)).append("\n");
  return text;
}

/// What runs say of the syncs that stay, of a kernel whose summary is not printed.
std::string neededNotes(const ToolOptions &options, const OptimizedFile &file) {
  if (!file.needed || showsSummary(options))
    return "";
  return "ptosync: " + file.source().source.name() + ": " + neededSummary(*file.needed) + "\n";
}

/// The kernels that `sync` leaves as they came, with the reason.
std::string leftNotes(const OptimizedFile &file) {
  std::string text;
  for (const synthesis::KernelResync *kernel : file.leftAsTheyCame())
    text += "ptosync: " + file.source().source.name() + ":" + std::to_string(kernel->line) + ": " +
            describeKernel(kernel->kernel, kernel->section) + " is left as it came, " + printable(kernel->reason) +
            "\n";
  return text;
}

/// The entries of the approval that no kernel has, which is known if all kernels could be looked at. A shard does not
/// know it.
std::string staleNotes(const ToolOptions &options, const Approval &approval, llvm::ArrayRef<KernelOutcome> outcomes) {
  std::set<std::string> met;
  for (const KernelOutcome &outcome : outcomes) {
    if (!outcome.problem.empty())
      return "";
    met.insert(outcome.editsMet.begin(), outcome.editsMet.end());
  }
  const std::vector<EditName> stale = staleEntries(approval, met);
  if (const std::size_t all = approval.approved.size() + approval.rejected.size(); stale.size() == all && all > 1)
    return "ptosync: " + options.opt.approved + ": none of its " + std::to_string(all) +
           " entries is an edit of these kernels; is it the approval of others?\n";
  std::string text;
  for (const EditName &edit : stale)
    text.append("ptosync: ")
        .append(options.opt.approved)
        .append(": stale: ")
        .append(describeName(edit))
        .append(" is no edit of these kernels: it was made already, or the kernel has changed there, or has another "
                "number of statements like it")
        .append(approval.applyRest && approval.rejects(edit.fingerprint)
                    ? "; \"rest\": \"apply\" makes the edit that has come in its place, if there is one\n"
                    : "\n");
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
  if (input.approval)
    row.cells.emplace_back(input.approval->fresh.size());
  if (options.opt.cost && input.costs) {
    const FileCost cost = fileCost(*input.costs);
    auto whole = [](double cycles) { return std::llround(cycles); };
    row.cells.insert(row.cells.end(), {whole(cost.before), whole(cost.after), whole(cost.limit)});
    row.cells.push_back(cost.limit > 0 ? nlohmann::ordered_json(std::round(cost.after / cost.limit * 1000) / 1000)
                                       : nullptr);
  }
  row.cells.push_back(nullptr);
  row.eventful = removed || moved || !input.result->added.empty() || !input.result->skipped.empty() ||
                 (input.approval && !input.approval->fresh.empty());
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

/// The edits of all kernels for code scanning; kernels that could not be analysed are problems of the run.
std::string scanText(const Catalogue &catalogue, const Batch &batch, const std::string &root,
                     llvm::ArrayRef<KernelOutcome> outcomes, const std::optional<Shard> &shard) {
  SarifRun run{"opt", std::string(toolVersion()), editRules(catalogue), {}, {}, {}};
  run.shard = shard;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    run.names.push_back(scanName(root, batch.kernels[i].shown));
    run.results.insert(run.results.end(), outcomes[i].scan.begin(), outcomes[i].scan.end());
    if (!outcomes[i].problem.empty())
      run.problems.push_back({run.names.back(), naming(batch.kernels[i], outcomes[i].problem), 0});
  }
  for (const auto &[folder, why] : batch.unread) {
    run.names.push_back(scanName(root, folder));
    run.problems.push_back({run.names.back(), (folder + llvm::Twine(": cannot be read: ") + why).str(), 0});
  }
  return sarifText(run);
}

KernelOutcome optimizeOne(const ToolOptions &options, const OptRequest &request, const std::string &root,
                          const RunInput &kernel, Progress &progress) {
  llvm::Expected<OptimizedFile> file = optimizeFile(kernel, request, progress);
  if (!file)
    return outcomeOf(file.takeError());
  KernelOutcome outcome;
  outcome.notes = withoutEffect(options, *file) + approvalNotes(options, *file) + neededNotes(options, *file);
  if (file->approval)
    outcome.editsMet = file->approval->met;
  if (options.timings)
    outcome.notes +=
        (options.several ? file->source().source.name() + ": " : "") + timingsText(kernel.choices.allowance.taken());
  ReportInput input = reportInput(*file, request);
  if (!options.html.empty())
    outcome.page = reviewPage(*file, request);
  if (!options.opt.cost)
    input.costs = nullptr; // they were estimated for the page alone
  if (!options.report.empty())
    outcome.report = jsonReportText(input);
  const SourceText &source = file->source().source;
  if (!options.opt.sarif.empty() || options.opt.github)
    outcome.scan = scanEdits(input, scanName(root, source.name()), source.text());
  outcome.summary = summaryOf(options, input);
  outcome.changed = file->patched != source.text();
  if (options.diff) {
    const std::string shown = nameInDiff(options, source.name());
    outcome.diff = unifiedDiff(source, file->patched, shown, shown);
  }
  outcome.row = rowOf(options, input);
  outcome.change = changeOf(outcome.row);
  outcome.notes += leftNotes(*file);
  const bool left = !file->leftAsTheyCame().empty() ||
                    (options.opt.minimal && file->needed && !isMinimal(file->module(), *file->needed));
  outcome.exitCode = left || ((options.diff || options.check) && outcome.changed) ? kExitFindings : kExitDone;
  outcome.text = std::move(file->patched);
  addCertificate(options, file->subject, source.text(), options.fromNothing, outcome);
  return outcome;
}

/// Returns all patterns. Fails where a selection among them is wrong, of the command line or of a configuration, before
/// any kernel is read.
llvm::Expected<Catalogue> readPatterns(const ToolOptions &options, const Batch &batch) {
  llvm::Expected<Catalogue> catalogue = loadCatalogue(batch.choices);
  if (!catalogue)
    return catalogue;
  if (llvm::Error error = catalogue->select(options.given.patterns.value_or("default")).takeError())
    return std::move(error);
  for (const std::vector<BatchKernel> *kernels : {&batch.kernels, &batch.others})
    for (const BatchKernel &kernel : *kernels)
      if (llvm::Error error = catalogue->select(patternsOf(kernel.settings)).takeError())
        return llvm::createStringError(kernel.settings.file.file + ": /patterns: " + llvm::toString(std::move(error)));
  return catalogue;
}

} // namespace

int runOpt(const ToolOptions &options) {
  llvm::Expected<Batch> batch = readBatch(options);
  if (!batch)
    return fail(batch.takeError());
  std::vector<std::string> inputs;
  llvm::Expected<std::optional<Approval>> approval = readApproval(options, inputs);
  if (!approval)
    return fail(approval.takeError(), kExitUsage);
  const OptRequest request = requestOf(options, *approval);
  llvm::Expected<Catalogue> catalogue = readPatterns(options, *batch);
  if (!catalogue)
    return fail(catalogue.takeError(), kExitUsage);
  if (llvm::Error error = checkOutputs(options, {options.output, options.report, options.html, options.certificate,
                                                 options.table, options.opt.sarif}))
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
  const std::string root = options.opt.github || !options.opt.sarif.empty() ? scanRoot() : "";
  auto job = [&](const RunInput &kernel, Progress &progress) {
    return optimizeOne(options, request, root, kernel, progress);
  };
  std::vector<KernelOutcome> outcomes = runBatch(options, commandOf(options), *batch, job, inputs);
  std::string scan;
  auto more = [&](const std::optional<Shard> &shard) {
    std::vector<std::pair<std::string, std::string>> files;
    if (!options.opt.sarif.empty())
      scan = scanText(*catalogue, *batch, root, outcomes, shard);
    if (!options.opt.sarif.empty() && options.opt.sarif != "-")
      files.emplace_back(options.opt.sarif, scan);
    return files;
  };
  const int exitCode = publish(options, *batch, outcomes,
                               emptyTable(commandOf(options), {!options.opt.approved.empty(), options.opt.cost}), more);
  if (options.opt.sarif == "-")
    llvm::outs() << scan;
  if (options.opt.github) {
    std::vector<SarifResult> edits;
    for (const KernelOutcome &outcome : outcomes)
      edits.insert(edits.end(), outcome.scan.begin(), outcome.scan.end());
    llvm::outs() << githubAnnotations(editAnnotations(edits));
  }
  if (*approval && (!batch->shard || batch->shard->count == 1))
    llvm::errs() << staleNotes(options, **approval, outcomes);
  return exitCode;
}

} // namespace ptosync
