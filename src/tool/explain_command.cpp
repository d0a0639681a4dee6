#include "tool/explain_command.h"

#include "explain/explain.h"
#include "patterns/version.h"
#include "report/explain_report.h"
#include "report/memory_report.h"
#include "tool/session.h"
#include "tool/subject.h"

#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace ptosync {
namespace {

int explainPlace(const ToolOptions &options, const Module &module, const Machine &machine, const Catalogue &patterns,
                 const Catalogue &allPatterns) {
  const ExplainCommandOptions &asked = options.explain;
  if (asked.line > module.source.lineCount())
    return usage(asked.file + ":" + std::to_string(asked.line) + ": the file has " +
                 std::to_string(module.source.lineCount()) + " lines");
  ExplainReport report;
  report.file = asked.file;
  report.line = asked.line;
  report.tile = asked.tile;
  report.arch = machine.arch();
  report.archChoice = options.archChoice.description();
  report.library = machine.library();
  report.toolVersion = std::string(toolVersion());
  report.trust = options.optimize.ordering.trust;
  report.explanation =
      explain(module, machine, patterns, allPatterns, options.optimize, ExplainSubject{asked.line, asked.tile});
  report.edits = editCommentsOn(module, asked.line);
  if (report.explanation.empty() && report.edits.empty())
    return usage(nothingToExplain(report));
  llvm::outs() << (options.explain.json ? explainJson(report) : explainText(report));
  const Explanation &explanation = report.explanation;
  bool analysed = explanation.skipped.empty() || !explanation.syncs.empty() || !explanation.instructions.empty() ||
                  !explanation.tiles.empty();
  return analysed ? kExitDone : kExitNotAnalysed;
}

int explainMemory(const ToolOptions &options, const Module &module, const Machine &machine) {
  MemoryReport report{options.explain.file, machine.arch(), std::string(toolVersion()),
                      memoryBudgets(module, machine, options.optimize.ordering), options.archChoice.description()};
  llvm::outs() << (options.explain.json ? memoryJson(report) : memoryText(report));
  bool analysed = std::all_of(report.kernels.begin(), report.kernels.end(),
                              [](const KernelBudget &kernel) { return kernel.reason.empty(); });
  return analysed ? kExitDone : kExitNotAnalysed;
}

} // namespace

int runExplain(const ToolOptions &given) {
  llvm::Expected<Catalogue> all = loadCatalogue(given);
  if (!all)
    return fail(all.takeError(), kExitUsage);
  llvm::Expected<Catalogue> patterns = all->select(given.patterns);
  if (!patterns)
    return fail(patterns.takeError(), kExitUsage);
  llvm::Expected<Subject> subject = readSubject(given, {given.explain.file});
  if (!subject)
    return failSubject(subject.takeError());
  if (given.explain.memory)
    return explainMemory(subject->options, subject->modules.front(), *subject->machine);
  return explainPlace(subject->options, subject->modules.front(), *subject->machine, *patterns, *all);
}

} // namespace ptosync
