#include "tool/compare_command.h"

#include "patterns/version.h"
#include "report/compare_report.h"
#include "tool/durations.h"
#include "tool/files.h"
#include "tool/progress.h"
#include "tool/session.h"
#include "tool/subject.h"

#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace ptosync {
namespace {

std::string documentOf(const CompareReport &report, CompareFormat format) {
  switch (format) {
  case CompareFormat::Text: return compareText(report);
  case CompareFormat::Csv: return compareCsv(report);
  case CompareFormat::Json: return compareJsonText(report);
  }
  return "";
}

/// The runs of both versions, where a page is asked for.
class RunDrawer {
public:
  RunDrawer(const Subject &subject, const replay::Options &replay, const timing::CostTable &costs)
      : subject(subject), rules(*subject.machine, replay), costs(costs) {}

  void draw(std::size_t kernel, const timing::KernelTiming &a, const timing::KernelTiming &b) {
    drawn.resize(std::max(drawn.size(), kernel + 1));
    drawn[kernel] = {a.subject().kernel.name, {run("A", 0, a), run("B", 1, b)}};
  }
  /// As many as the comparison has kernels.
  std::vector<DrawnKernel> take(std::size_t kernels) {
    drawn.resize(kernels);
    return std::move(drawn);
  }

private:
  DrawnRun run(const std::string &label, std::size_t module, const timing::KernelTiming &timing) {
    TimelineReport report{&subject.modules[module], subject.machine->arch(), "", costs.clockMHz(), &rules, {}, {}};
    return drawRun(label, report, {&timing, {}, timing::makeTimeline(timing.plan(), {})});
  }

  const Subject &subject;
  replay::ConflictRules rules;
  const timing::CostTable &costs;
  std::vector<DrawnKernel> drawn;
};

int exitCodeOfComparison(const CompareReport &report) {
  const std::vector<compare::KernelComparison> &kernels = report.comparison->kernels;
  bool analysed = std::all_of(kernels.begin(), kernels.end(),
                              [](const auto &kernel) { return !kernel.paired() || kernel.compared(); });
  if (!analysed)
    return kExitNotAnalysed;
  return overLimit(report).empty() ? kExitDone : kExitFindings;
}

} // namespace

int runCompare(const ToolOptions &given) {
  const CompareCommandOptions &asked = given.compare;
  for (const std::string &input : {asked.a, asked.b})
    for (const std::string &target : {asked.output, asked.html})
      if (!target.empty() && sameFile(input, target))
        return usage(target + ": is an input; choose another name, nothing was written");
  if (!asked.html.empty() && sameFile(asked.output, asked.html))
    return usage(asked.html + ": is asked for twice; nothing was written");
  Progress progress("compare", given.quiet);
  progress.stage("reading");
  llvm::Expected<Subject> subject = readSubject(given, {asked.a, asked.b});
  if (!subject)
    return failSubject(subject.takeError());
  const Machine &machine = *subject->machine;
  llvm::Expected<timing::CostTable> costs = loadCosts(machine, subject->options);
  if (!costs)
    return fail(costs.takeError(), kExitUsage);
  progress.stage("running both");
  compare::CompareOptions request{timingOptions(subject->options)};
  RunDrawer drawer(*subject, request.replay, *costs);
  if (!asked.html.empty())
    request.timed = [&](std::size_t kernel, const timing::KernelTiming &a, const timing::KernelTiming &b) {
      drawer.draw(kernel, a, b);
    };
  llvm::Expected<compare::Comparison> comparison =
      compare::compareModules(subject->modules[0], subject->modules[1], machine, *costs, request);
  progress.finish();
  if (!comparison)
    return failTiming(comparison.takeError());
  CompareReport report{asked.a,
                       asked.b,
                       machine.arch(),
                       subject->options.archChoice.description(),
                       std::string(toolVersion()),
                       costs->clockMHz(),
                       &*comparison,
                       given.verbose,
                       asked.failOver,
                       costs->overlaidBy()};
  std::vector<std::pair<std::string, std::string>> files;
  if (!asked.html.empty())
    files.emplace_back(asked.html, compareHtml(report, subject->modules[0].source, subject->modules[1].source,
                                               drawer.take(comparison->kernels.size())));
  std::string document = documentOf(report, asked.format);
  if (!asked.output.empty())
    files.emplace_back(asked.output, document);
  if (llvm::Error error = writeFiles(files))
    return fail(std::move(error), kExitUsage);
  if (asked.output.empty() && !given.quiet)
    llvm::outs() << document;
  for (const std::string &entry : overLimit(report))
    llvm::errs() << "ptosync: --fail-over: " << entry << "\n";
  return exitCodeOfComparison(report);
}

} // namespace ptosync
