#include "tool/opt_command.h"

#include "frontend/prelude.h"
#include "kernel/print.h"
#include "ordering/kernel_analysis.h"
#include "patterns/version.h"
#include "pipeline/cost_step.h"
#include "pipeline/rewrite_step.h"
#include "pipeline/synthesis_step.h"
#include "report/edit_list.h"
#include "report/json_report.h"
#include "report/text_report.h"
#include "rewrite/edited_kernel.h"
#include "rewrite/unified_diff.h"
#include "tool/disagreement.h"
#include "tool/durations.h"
#include "tool/files.h"
#include "tool/progress.h"
#include "tool/session.h"
#include "tool/subject.h"

#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <chrono>
#include <future>

namespace ptosync {
namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void printKernels(const Module &module, const Machine &machine, const FrontendOptions &frontend,
                  const ToolOptions &options) {
  if (options.opt.print == "prelude")
    llvm::outs() << preludeFor(module.source.text(), frontend.instructions, {}, libraryMacros(frontend.builds));
  for (const Kernel &kernel : module.kernels)
    if (options.opt.print == "kernel")
      llvm::outs() << printKernel(kernel);
    else if (options.opt.print == "chains")
      llvm::outs() << printChains(kernel, machine, options.optimize.ordering);
    else if (options.opt.print == "flags")
      llvm::outs() << printFlags(kernel, machine, options.optimize.ordering, module.sites);
}

int refuseSameFile(const ToolOptions &options) {
  std::vector<std::string> inputs = options.patternFiles;
  inputs.push_back(options.machineFile);
  std::string problem;
  for (const std::string &target : {options.output, options.opt.report, options.html}) {
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
    if (problem.empty() && !options.html.empty() && sameFile(options.html, other))
      problem = options.html + ": is asked for twice; nothing was written";
  if (problem.empty())
    return -1;
  llvm::errs() << "ptosync: " << problem << "\n";
  return kExitUsage;
}

ReportInput reportInput(const Module &module, const OptimizeResult &result, const Machine &machine,
                        const Catalogue &selected, const ToolOptions &options,
                        const std::vector<FifoDecision> &rewrites, const std::optional<LibraryCheck> &library) {
  ReportInput input;
  input.libraryUse =
      describeLibraryUse(module, machine, options.optimize.ordering.trust, library, linesReliedOn(result));
  if (!options.opt.rewrites.empty())
    input.rewrites = &rewrites;
  input.module = &module;
  input.result = &result;
  input.toolVersion = toolVersion();
  input.arch = machine.arch();
  input.archChoice = options.archChoice.description();
  input.library = machine.library();
  input.trust = options.optimize.ordering.trust;
  input.patterns = options.patterns;
  for (const Pattern &pattern : selected.patterns())
    input.patternIds.push_back(pattern.id);
  return input;
}

struct Documents {
  std::string patched, report, text, html;
};

int publish(const ToolOptions &options, const SourceText &input, const Documents &documents) {
  bool changed = documents.patched != input.text();
  // Standard output carries at most one document; the summary then goes to standard error.
  bool document = options.opt.diff || options.output == "-";
  std::vector<std::pair<std::string, std::string>> files;
  if (!options.output.empty() && options.output != "-" && !options.dryRun)
    files.emplace_back(options.output, documents.patched);
  if (!options.opt.report.empty())
    files.emplace_back(options.opt.report, documents.report);
  if (!options.html.empty())
    files.emplace_back(options.html, documents.html);
  if (llvm::Error error = writeFiles(files))
    return fail(std::move(error), kExitUsage);
  if (options.output == "-" && !options.dryRun)
    llvm::outs() << documents.patched;
  if (options.opt.diff)
    llvm::outs() << unifiedDiff(input, documents.patched, input.name(), input.name());
  if (!options.quiet)
    (document ? llvm::errs() : llvm::outs()) << documents.text;
  return options.opt.diff && changed ? kExitFindings : kExitDone;
}

std::string reviewPage(const ReportInput &input, const Costs &costs, const Machine &machine) {
  HtmlInput page;
  page.source = &input.module->source;
  page.decisions = &input;
  page.verdict = verdictLine(input);
  page.estimate = costLine(costs.report);
  page.kernels = costs.drawn;
  for (const SiteDecision &decision : input.result->decisions)
    for (const Evidence &evidence : decision.evidence)
      if (const MachineRule *rule = evidence.rule.empty() ? nullptr : machine.rule(evidence.rule))
        page.ruleGrades[rule->id] = rule->grade;
  return htmlReport(page);
}

/// Says of what was asked for, on the command line or in comments, that it changes nothing.
void printWithoutEffect(const ToolOptions &options, const Module &module, const OptimizeResult &result) {
  const std::string &name = module.source.name();
  for (std::uint32_t line : options.optimize.lines) {
    bool holds =
        std::any_of(module.sites.begin(), module.sites.end(), [&](const SyncSite &site) { return site.line == line; });
    if (!holds)
      llvm::errs() << "ptosync: " << name << ":" << line << ": --lines: no sync begins on this line"
                   << (line > module.source.lineCount() ? ", the file ends before it" : "") << "\n";
  }
  std::uint32_t edits = editsOf(result);
  if (!options.opt.bisect && options.optimize.maxRemovals && *options.optimize.maxRemovals > edits)
    llvm::errs() << "ptosync: --max-removals=" << *options.optimize.maxRemovals << ": there are only " << edits
                 << " edits to make\n";
  for (const Directive &keep : unusedKeeps(module))
    llvm::errs() << "ptosync: " << name << ":" << keep.line
                 << ": this keep comment holds no sync: it must stand on the line of one, or alone on the line above\n";
}

/// Replays the patched kernel against the one that was optimised, while times are estimated. `source` is the input,
/// which a rewrite may have changed before.
int finish(const ToolOptions &options, const SourceText &source, const Module &module, const OptimizeResult &result,
           ReportInput input, const Machine &machine, Progress &progress) {
  Documents documents;
  llvm::Expected<std::string> patched = patchedText(module, result);
  if (!patched)
    return fail(patched.takeError(), kExitNotAnalysed);
  documents.patched = std::move(*patched);
  auto replay = std::async(std::launch::async, [&] {
    return checkByReplay(module, documents.patched, result, machine, options);
  });
  progress.stage("replaying");
  std::optional<Costs> costs;
  if (options.opt.cost || !options.html.empty()) {
    auto estimate = [&]() -> llvm::Expected<Costs> {
      llvm::Expected<timing::CostTable> table = loadCosts(machine, options);
      if (!table)
        return table.takeError();
      return estimateCosts(module, result, documents.patched, machine, *table, options,
                           options.html.empty() ? Drawings::LeftOut : Drawings::Made);
    };
    llvm::Expected<Costs> estimated = estimate();
    if (!estimated) {
      llvm::consumeError(replay.get().takeError());
      return failTiming(estimated.takeError());
    }
    costs = std::move(*estimated);
  }
  llvm::Expected<std::set<SiteId>> notReplayed = replay.get();
  progress.finish();
  printWithoutEffect(options, module, result);
  if (!notReplayed)
    return fail(notReplayed.takeError(), kExitNotAnalysed);
  input.notReplayed = std::move(*notReplayed);
  if (costs) {
    input.costs = &costs->report;
    documents.html = options.html.empty() ? "" : reviewPage(input, *costs, machine);
    if (!options.opt.cost)
      input.costs = nullptr; // the page has them
  }
  if (!options.opt.report.empty())
    documents.report = jsonReportText(input);
  TextReportOptions text;
  text.verbose = options.verbose;
  text.only = options.opt.only;
  documents.text = textReport(input, text);
  if (options.opt.bisect)
    documents.text = options.optimize.maxRemovals
                         ? describeEdit(input, static_cast<std::uint32_t>(*options.optimize.maxRemovals))
                         : listEdits(input);
  return publish(options, source, documents);
}

/// What takes part in the run.
struct LoadedPatterns {
  Catalogue syncs;
  std::vector<RewriteRequest> rewrites;
};

llvm::Expected<LoadedPatterns> loadPatterns(llvm::Expected<Catalogue> catalogue, const ToolOptions &options,
                                            const Machine &machine) {
  if (!catalogue)
    return catalogue.takeError();
  llvm::Expected<Catalogue> selected = catalogue->select(options.patterns);
  if (!selected)
    return selected.takeError();
  LoadedPatterns loaded{std::move(*selected), {}};
  for (const std::string &text : options.opt.rewrites) {
    llvm::Expected<RewriteRequest> request = readRewrite(text, *catalogue, machine);
    if (!request)
      return request.takeError();
    loaded.rewrites.push_back(std::move(*request));
  }
  return loaded;
}

llvm::Expected<synthesis::ResyncResult> decide(const Module &module, const Machine &machine, const Catalogue &syncs,
                                               const ToolOptions &options) {
  if (!options.opt.resync)
    return synthesis::ResyncResult{optimize(module, machine, syncs, options.optimize), {}};
  llvm::Expected<timing::CostTable> costs = loadCosts(machine, options);
  if (!costs)
    return costs.takeError();
  return placeSyncsAnew(module, machine, syncs, *costs, options);
}

/// A count that was asked for and cannot be is a matter of usage; anything else is not.
int failRewrite(llvm::Error error) {
  return error.isA<RewriteRefused>() ? fail(std::move(error), kExitUsage) : fail(std::move(error), kExitNotAnalysed);
}

} // namespace

int runOpt(const ToolOptions &given) {
  if (int stop = refuseSameFile(given); stop >= 0)
    return stop;
  Clock::time_point start = Clock::now();
  std::future<llvm::Expected<Catalogue>> catalogue =
      std::async(std::launch::async, [&] { return loadCatalogue(given); });
  Progress progress("opt", given.quiet);
  progress.stage("reading");
  llvm::Expected<Subject> subject = readSubject(given, {given.input});
  if (!subject) {
    llvm::consumeError(catalogue.get().takeError());
    return failSubject(subject.takeError());
  }
  const ToolOptions &options = subject->options;
  const Machine &machine = *subject->machine;
  const Module &module = subject->modules.front();
  if (std::string problem = wrongReservedId(machine, options); !problem.empty()) {
    llvm::consumeError(catalogue.get().takeError());
    return usage(problem);
  }
  llvm::Expected<LoadedPatterns> selected = loadPatterns(catalogue.get(), options, machine);
  if (!selected)
    return fail(selected.takeError(), kExitUsage);
  double parsing = millisecondsSince(start);
  progress.stage(options.opt.resync ? "placing syncs anew" : "deciding");
  if (!options.opt.print.empty()) {
    progress.finish();
    printKernels(module, machine, frontendOptions(machine, options), options);
    if (options.output.empty() && !options.opt.diff && !options.dryRun)
      return kExitDone;
  }
  start = Clock::now();
  llvm::Expected<Rewritten> rewritten = rewriteModule(module, selected->rewrites, machine, options);
  if (!rewritten)
    return failRewrite(rewritten.takeError());
  const Module &edited = rewritten->module ? *rewritten->module : module;
  llvm::Expected<synthesis::ResyncResult> result = decide(edited, machine, selected->syncs, options);
  if (!result)
    return failTiming(result.takeError());
  double analysis = millisecondsSince(start);
  start = Clock::now();
  ReportInput input =
      reportInput(edited, result->decisions, machine, selected->syncs, options, rewritten->decisions, subject->library);
  if (options.opt.resync)
    input.resync = &result->kernels;
  int exitCode = finish(options, module.source, edited, result->decisions, std::move(input), machine, progress);
  if (options.timings)
    llvm::errs() << llvm::format("parse %.1f ms, analysis %.1f ms, replay and reports %.1f ms\n", parsing, analysis,
                                 millisecondsSince(start));
  return exitCode;
}

} // namespace ptosync
