// `ptosync opt`.
#include "base/messages.h"
#include "report/json_report.h"
#include "report/report.h"
#include "rewrite/text_edit.h"
#include "run/opt.h"
#include "run/timeline.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/Support/Format.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace ptosync {
namespace {

OptRequest requestOf(const ToolOptions &options) {
  OptRequest request{options.opt.rewrites, options.opt.resync, Times::LeftOut};
  if (!options.opt.html.empty())
    request.times = Times::Drawn;
  else if (options.opt.cost)
    request.times = Times::Estimated;
  return request;
}

/// Says of what was asked for, on the command line or in comments, that it changes nothing.
void printWithoutEffect(const ToolOptions &options, const OptimizedFile &file) {
  const Module &module = file.module();
  const std::string &name = module.source.name();
  for (std::uint32_t line : options.optimize.lines) {
    bool holds =
        std::any_of(module.sites.begin(), module.sites.end(), [&](const SyncSite &site) { return site.line == line; });
    if (!holds)
      llvm::errs() << "ptosync: " << name << ":" << line << ": --lines names this line, on which no sync begins"
                   << (line > module.source.lineCount() ? ": the file ends before it"
                                                        : "; --dry-run --verbose lists the lines")
                   << "\n";
  }
  std::uint32_t edits = editsOf(file.result);
  if (!options.opt.bisect && options.optimize.maxRemovals && *options.optimize.maxRemovals > edits)
    llvm::errs() << "ptosync: --max-removals=" << *options.optimize.maxRemovals << " has no effect: the kernel has "
                 << countOf(edits, "edit") << "\n";
  for (const Directive &keep : unusedKeeps(module))
    llvm::errs() << "ptosync: " << name << ":" << keep.line
                 << ": this keep comment holds no sync: it must stand on the line of one, or alone on the line above\n";
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

int publish(const ToolOptions &options, const OptRequest &request, const OptimizedFile &file) {
  ReportInput input = reportInput(file, request);
  if (!options.opt.cost)
    input.costs = nullptr; // they were estimated for the page alone
  std::vector<std::pair<std::string, std::string>> files;
  if (!options.output.empty() && options.output != "-" && !options.dryRun)
    files.emplace_back(options.output, file.patched);
  if (!options.opt.report.empty())
    files.emplace_back(options.opt.report, jsonReportText(input));
  if (!options.opt.html.empty())
    files.emplace_back(options.opt.html, reviewPage(file, request));
  const std::string summary = summaryOf(options, input);
  if (llvm::Error error = writeFiles(files, *options.reads))
    return fail(std::move(error), kExitUsage);
  const SourceText &source = file.source().source;
  if (options.output == "-" && !options.dryRun)
    llvm::outs() << file.patched;
  if (options.opt.diff)
    llvm::outs() << unifiedDiff(source, file.patched, source.name(), source.name());
  // Standard output carries at most one document; the summary then goes to standard error.
  const bool document = options.opt.diff || options.output == "-";
  if (!options.quiet)
    (document ? llvm::errs() : llvm::outs()) << summary;
  return options.opt.diff && file.patched != source.text() ? kExitFindings : kExitDone;
}

} // namespace

int runOpt(const ToolOptions &options) {
  const OptRequest request = requestOf(options);
  Progress progress = progressOf("opt", options.quiet);
  llvm::Expected<RunInput> input = readInput(options, {options.input});
  if (!input)
    return fail(input.takeError());
  if (llvm::Error error = checkTargets({options.output, options.opt.report, options.opt.html}, *options.reads))
    return fail(std::move(error), kExitUsage);
  if (!options.opt.print.empty()) {
    llvm::Expected<std::string> printed = printFile(*input, request, options.opt.print);
    if (!printed)
      return fail(printed.takeError());
    llvm::outs() << *printed;
    if (options.output.empty() && !options.opt.diff && !options.dryRun)
      return kExitDone;
  }
  llvm::Expected<OptimizedFile> file = optimizeFile(*input, request, progress);
  progress.finish();
  if (!file)
    return fail(file.takeError());
  printWithoutEffect(options, *file);
  int exitCode = publish(options, request, *file);
  if (options.timings)
    llvm::errs() << llvm::format("parse %.1f ms, analysis %.1f ms, replay and reports %.1f ms\n",
                                 progress.milliseconds(0), progress.milliseconds(1), progress.milliseconds(2));
  return exitCode;
}

} // namespace ptosync
