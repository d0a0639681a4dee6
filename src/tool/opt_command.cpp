#include "tool/opt_command.h"

#include "frontend/prelude.h"
#include "kernel/print.h"
#include "ordering/chains.h"
#include "patterns/version.h"
#include "report/json_report.h"
#include "report/text_report.h"
#include "rewrite/edit.h"
#include "rewrite/unified_diff.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/Support/raw_ostream.h>

#include <chrono>

namespace ptosync {
namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

llvm::Expected<std::string> patchedText(const Module &module, const OptimizeResult &result) {
  std::vector<Edit> edits;
  for (const SiteDecision &decision : result.decisions)
    if (decision.verdict == Verdict::Removed)
      edits.push_back(removalEdit(module.source, module.sites[decision.site], decision.pattern));
  return applyEdits(module.source, std::move(edits));
}

void printKernels(const Module &module, const Machine &machine, const FrontendOptions &frontend,
                  const ToolOptions &options) {
  if (options.print == "prelude")
    llvm::outs() << preludeFor(module.source.text(), frontend.instructions, {});
  for (const Kernel &kernel : module.kernels)
    if (options.print == "kernel")
      llvm::outs() << printKernel(kernel);
    else if (options.print == "chains")
      llvm::outs() << printChains(kernel, machine, options.optimize.ordering);
}

int refuseSameFile(const ToolOptions &options) {
  for (const std::string &target : {options.output, options.report})
    if (!target.empty() && target != "-" && sameFile(options.input, target)) {
      llvm::errs() << "ptosync: " << target
                   << ": is the input itself; choose another name, nothing was written\n";
      return kExitUsage;
    }
  return -1;
}

ReportInput reportInput(const Module &module, const OptimizeResult &result, const Machine &machine,
                        const Catalogue &selected, const ToolOptions &options) {
  ReportInput input;
  input.module = &module;
  input.result = &result;
  input.toolVersion = toolVersion();
  input.arch = machine.arch();
  input.library = machine.library();
  input.trust = options.optimize.ordering.trust;
  input.patterns = options.patterns;
  for (const Pattern &pattern : selected.patterns())
    input.patternIds.push_back(pattern.id);
  return input;
}

int publish(const ToolOptions &options, const Module &module, const std::string &patched, const ReportInput &input) {
  bool changed = patched != module.source.text();
  // Standard output carries at most one document; the summary then goes to standard error.
  bool document = options.diff || options.output == "-";
  std::vector<std::pair<std::string, std::string>> files;
  if (!options.output.empty() && options.output != "-" && !options.dryRun)
    files.emplace_back(options.output, patched);
  if (!options.report.empty())
    files.emplace_back(options.report, jsonReportText(input));
  if (llvm::Error error = writeFiles(files))
    return fail(std::move(error), kExitUsage);
  if (options.output == "-" && !options.dryRun)
    llvm::outs() << patched;
  if (options.diff)
    llvm::outs() << unifiedDiff(module.source, patched, module.source.name(), module.source.name());
  TextReportOptions text;
  text.verbose = options.verbose;
  (document ? llvm::errs() : llvm::outs()) << textReport(input, text);
  return options.diff && changed ? kExitFindings : kExitDone;
}

} // namespace

int runOpt(const ToolOptions &options) {
  if (int stop = refuseSameFile(options); stop >= 0)
    return stop;
  llvm::Expected<Machine> machine = loadMachine(options);
  if (!machine)
    return fail(machine.takeError(), kExitUsage);
  llvm::Expected<Catalogue> catalogue = loadCatalogue(options);
  if (!catalogue)
    return fail(catalogue.takeError(), kExitUsage);
  llvm::Expected<Catalogue> selected = catalogue->select(options.patterns);
  if (!selected)
    return fail(selected.takeError(), kExitUsage);
  llvm::Expected<std::string> text = readFile(options.input);
  if (!text)
    return fail(text.takeError(), kExitUsage);

  Clock::time_point start = Clock::now();
  FrontendOptions frontend = frontendOptions(*machine, options);
  llvm::Expected<Module> module = liftModule(SourceText(options.input, std::move(*text)), frontend);
  if (!module)
    return fail(module.takeError(), kExitNotAnalysed);
  double parsing = millisecondsSince(start);
  if (!options.print.empty()) {
    printKernels(*module, *machine, frontend, options);
    if (options.output.empty() && !options.diff && !options.dryRun)
      return kExitDone;
  }
  start = Clock::now();
  OptimizeResult result = optimize(*module, *machine, *selected, options.optimize);
  double analysis = millisecondsSince(start);
  llvm::Expected<std::string> patched = patchedText(*module, result);
  if (!patched)
    return fail(patched.takeError(), kExitNotAnalysed);
  start = Clock::now();
  if (*patched != module->source.text())
    if (llvm::Error error = checkParses(SourceText(options.input, *patched), frontend))
      return fail(llvm::joinErrors(llvm::createStringError("internal error: the patched kernel no longer parses; "
                                                           "nothing was written"),
                                   std::move(error)),
                  kExitNotAnalysed);
  double checking = millisecondsSince(start);
  int exitCode = publish(options, *module, *patched, reportInput(*module, result, *machine, *selected, options));
  if (options.timings)
    llvm::errs() << llvm::format("parse %.1f ms, analysis %.1f ms, re-parse %.1f ms\n", parsing, analysis, checking);
  return exitCode;
}

} // namespace ptosync
