// `ptosync opt`.
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

/// Returns what is wrong with the targets; empty if nothing is. None may be an input or another target.
std::string clashOfTargets(const ToolOptions &options) {
  std::vector<std::string> inputs = options.patternFiles;
  inputs.push_back(options.machineFile);
  std::string problem;
  for (const std::string &target : {options.output, options.opt.report, options.opt.html}) {
    if (target.empty() || target == "-")
      continue;
    if (sameFile(options.input, target))
      problem = target + ": is the input itself; choose another name, nothing was written";
    for (const std::string &input : inputs)
      if (sameFile(input, target))
        problem = target + ": is an input; choose another name, nothing was written";
  }
  if (problem.empty() && options.output != "-" && sameFile(options.output, options.opt.report))
    problem = options.opt.report + ": is asked for as kernel and as report; nothing was written";
  for (const std::string &other : {options.output, options.opt.report})
    if (problem.empty() && !options.opt.html.empty() && sameFile(options.opt.html, other))
      problem = options.opt.html + ": is asked for twice; nothing was written";
  return problem;
}

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
      llvm::errs() << "ptosync: " << name << ":" << line << ": --lines: no sync begins on this line"
                   << (line > module.source.lineCount() ? ", the file ends before it" : "") << "\n";
  }
  std::uint32_t edits = editsOf(file.result);
  if (!options.opt.bisect && options.optimize.maxRemovals && *options.optimize.maxRemovals > edits)
    llvm::errs() << "ptosync: --max-removals=" << *options.optimize.maxRemovals << ": there are only " << edits
                 << " edits to make\n";
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
  if (llvm::Error error = writeFiles(files))
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
  if (std::string problem = clashOfTargets(options); !problem.empty())
    return usage(problem);
  const OptRequest request = requestOf(options);
  Progress progress = progressOf("opt", options.quiet);
  llvm::Expected<RunInput> input = readInput(options, {options.input});
  if (!input)
    return fail(input.takeError());
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
