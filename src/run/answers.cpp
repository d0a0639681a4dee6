#include "run/answers.h"

#include "compare/compare_report.h"
#include "explain/call_effects.h"
#include "explain/explain.h"
#include "explain/explain_report.h"
#include "explain/memory_budget.h"
#include "frontend/library/library_text.h"
#include "optimize/wording.h"
#include "patterns/pattern.h"
#include "patterns/version.h"
#include "report/answers.h"
#include "run/needed.h"
#include "run/opt.h"
#include "run/timeline.h"

#include <algorithm>

namespace ptosync {

// verify

/// With half of the time that there is: the other half is for runs.
static synthesis::FileProof proofOf(const Subject &subject) {
  constexpr double kShare = 0.5;
  OrderingOptions ordering = subject.choices.optimize.ordering;
  ordering.allowance = ordering.allowance.part(kShare);
  return synthesis::proveOrders(subject.modules[0], subject.modules[1], *subject.machine, ordering);
}

static llvm::Expected<VerifiedFiles> verified(const RunInput &input, const VerifyRequest &request, Progress &progress) {
  beginStage(progress, input, "reading");
  llvm::Expected<Subject> subject = liftSubject(input, Shapes::Read);
  if (!subject)
    return subject.takeError();
  beginStage(progress, input, "proving");
  synthesis::FileProof proof = proofOf(*subject);
  beginStage(progress, input, "running both");
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(subject->modules[0], subject->modules[1], *subject->machine, replayOptions(subject->choices));
  if (!verdict)
    return verdict.takeError();
  VerifyReportInput report{input.sources[0].name(),
                           input.sources[1].name(),
                           subject->machine->arch(),
                           std::string(toolVersion()),
                           subject->choices.optimize.ordering.trust,
                           &*verdict,
                           request.verbose,
                           subject->arch.description(),
                           describeLibraryUse(subject->modules[1], *subject),
                           &proof};
  std::string text = request.form == AnswerForm::Json ? verifyJson(report)
                     : request.quiet                  ? verifyFindings(report)
                                                      : verifyText(report);
  return VerifiedFiles{answerOf(*verdict, &proof), std::move(text), std::move(*verdict), std::move(proof)};
}

llvm::Expected<VerifiedFiles> verifyFiles(const RunInput &input, const VerifyRequest &request, Progress &progress) {
  return within(input, verified(input, request, progress));
}

// compare

namespace {

/// Draws the runs of both versions.
class RunDrawer {
public:
  RunDrawer(const Subject &subject, const replay::Options &replay, const timing::CostTable &costs)
      : subject(subject), rules(*subject.machine, replay), costs(costs) {}

  void draw(std::size_t kernel, const timing::KernelTiming &a, const timing::KernelTiming &b) {
    drawn.resize(std::max(drawn.size(), kernel + 1));
    const Kernel &core = a.subject().kernel;
    drawn[kernel] = {describeKernel(core.name, core.section), {run("A", 0, a), run("B", 1, b)}};
  }
  void draw(const timing::JoinedCores &a, const timing::JoinedCores &b) {
    DrawnKernel both{a.name() + ", both cores together", {}, true};
    for (std::size_t module : {0, 1})
      for (const TimedKernel &core : timeTogether(module == 0 ? a : b))
        both.runs.push_back(drawRun(module == 0 ? "A" : "B", reportOf(module), core));
    together.push_back(std::move(both));
  }
  /// Returns as many as the comparison has kernels, and behind them those of both cores together.
  std::vector<DrawnKernel> take(std::size_t kernels) {
    drawn.resize(kernels);
    std::move(together.begin(), together.end(), std::back_inserter(drawn));
    return std::move(drawn);
  }

private:
  DrawnRun run(const std::string &label, std::size_t module, const timing::KernelTiming &timing) {
    return drawRun(label, reportOf(module), {&timing, {}, timing::makeTimeline(timing.plan(), {})});
  }
  TimelineReport reportOf(std::size_t module) const {
    return {&subject.modules[module], subject.machine->arch(), "", costs.clockMHz(), &rules, {}, {}};
  }

  const Subject &subject;
  replay::ConflictRules rules;
  const timing::CostTable &costs;
  std::vector<DrawnKernel> drawn, together;
};

std::string documentOf(const CompareReport &report, AnswerForm form) {
  switch (form) {
  case AnswerForm::Text: return compareText(report);
  case AnswerForm::Csv: return compareCsv(report);
  case AnswerForm::Json: return compareJsonText(report);
  }
  return "";
}

/// Asks the replay as well, about the kernels that can be analysed.
void addSummary(ComparedFiles &compared, const Subject &subject, const CompareReport &report) {
  const Module &a = subject.modules[0], &b = subject.modules[1];
  llvm::Expected<replay::Verdict> verdict = replay::verify(a, b, *subject.machine, replayOptions(subject.choices),
                                                           {Section::Both}, replay::Unanalysable::Skip);
  compared.details = {{"syncs", changedSyncsJson(*report.comparison)},
                      {"findings", verdict ? findingsJson(*verdict) : nlohmann::ordered_json(nullptr)}};
  compared.summary = compare::summarize(*report.comparison, std::move(verdict), a, b, *subject.machine,
                                        subject.choices.optimize.ordering);
  compared.changes = changesText(report, *compared.summary);
}

} // namespace

static llvm::Expected<ComparedFiles> compared(const RunInput &input, const CompareRequest &request,
                                              Progress &progress) {
  beginStage(progress, input, "reading");
  llvm::Expected<Subject> subject = liftSubject(input, Shapes::LeftOut);
  if (!subject)
    return subject.takeError();
  llvm::Expected<timing::CostTable> costs = loadCosts(*subject->machine, subject->choices);
  if (!costs)
    return costs.takeError();
  beginStage(progress, input, "running both");
  compare::CompareOptions options{timingOptions(subject->choices), {}, {}};
  RunDrawer drawer(*subject, options.replay, *costs);
  if (request.page) {
    options.timed = [&](std::size_t kernel, const timing::KernelTiming &a, const timing::KernelTiming &b) {
      drawer.draw(kernel, a, b);
    };
    options.joined = [&](const timing::JoinedCores &a, const timing::JoinedCores &b) { drawer.draw(a, b); };
  }
  llvm::Expected<compare::Comparison> comparison =
      compare::compareModules(subject->modules[0], subject->modules[1], *subject->machine, *costs, options);
  if (!comparison)
    return comparison.takeError();
  CompareReport report{input.sources[0].name(),
                       input.sources[1].name(),
                       subject->machine->arch(),
                       subject->arch.description(),
                       std::string(toolVersion()),
                       costs->clockMHz(),
                       &*comparison,
                       request.verbose,
                       request.failOver,
                       costs->overlaidBy(),
                       assumedOf(subject->modules[1])};
  ComparedFiles compared{{documentOf(report, request.form)}, "", overLimit(report), {}, ""};
  if (request.page)
    compared.page = compareHtml(report, subject->modules[0].source, subject->modules[1].source,
                                drawer.take(comparison->kernels.size()));
  compared.answer.analysed = std::all_of(comparison->kernels.begin(), comparison->kernels.end(),
                                         [](const auto &kernel) { return !kernel.paired() || kernel.compared(); });
  if (request.summary)
    addSummary(compared, *subject, report);
  return compared;
}

llvm::Expected<ComparedFiles> compareFiles(const RunInput &input, const CompareRequest &request, Progress &progress) {
  return within(input, compared(input, request, progress));
}

// explain

namespace {

template <typename Kernels> bool allAnalysed(const Kernels &kernels) {
  return std::all_of(kernels.begin(), kernels.end(), [](const auto &kernel) { return kernel.reason.empty(); });
}

} // namespace

/// Asks runs of the file as it stands, whatever `opt` would take out of it.
static llvm::Error askAsItStands(Explanation &explanation, const Module &module, const Machine &machine,
                                 const RunChoices &choices) {
  OptimizeResult result;
  for (SiteId site = 0; site < module.sites.size(); ++site) {
    result.decisions.emplace_back();
    result.decisions.back().site = site;
  }
  std::set<SiteId> asked;
  for (const SyncExplanation &sync : explanation.syncs) {
    asked.insert(sync.decision.site);
    result.decisions[sync.decision.site] = sync.decision;
    result.decisions[sync.decision.site].verdict = Verdict::Kept;
  }
  if (asked.empty())
    return llvm::Error::success();
  llvm::Expected<NeededSyncs> needed = askNeeded(module, result, module.source.text(), machine, choices, asked);
  if (!needed)
    return needed.takeError();
  for (SyncExplanation &sync : explanation.syncs)
    if (auto found = needed->bySite.find(sync.decision.site); found != needed->bySite.end())
      sync.needed = neededLine(found->second);
  return llvm::Error::success();
}

static llvm::Expected<Answer> explained(const RunInput &input, const ExplainRequest &request) {
  llvm::Expected<Catalogue> all = loadCatalogue(input.choices);
  if (!all)
    return asSetting(all.takeError());
  llvm::Expected<Catalogue> patterns = all->select(input.choices.patterns);
  if (!patterns)
    return asSetting(patterns.takeError());
  input.choices.allowance.stage("reading");
  llvm::Expected<Subject> subject = liftSubject(input, Shapes::LeftOut);
  if (!subject)
    return subject.takeError();
  const Module &module = subject->modules.front();
  const Machine &machine = *subject->machine;
  if (request.line > module.source.lineCount())
    return settingError(module.source.name() + ":" + std::to_string(request.line) + ": the file has " +
                        std::to_string(module.source.lineCount()) + " lines");
  ExplainReport report;
  report.file = module.source.name();
  report.line = request.line;
  report.tile = request.tile;
  report.arch = machine.arch();
  report.archChoice = subject->arch.description();
  report.assumed = assumedOf(subject->modules.front());
  report.library = machine.library();
  report.toolVersion = std::string(toolVersion());
  report.trust = subject->choices.optimize.ordering.trust;
  input.choices.allowance.stage("explaining");
  report.explanation =
      explain(module, machine, *patterns, *all, subject->choices.optimize, ExplainSubject{request.line, request.tile});
  if (request.needed) {
    input.choices.allowance.stage("asking what is needed");
    if (llvm::Error error = askAsItStands(report.explanation, module, machine, subject->choices))
      return std::move(error);
  }
  report.edits = editCommentsOn(module, request.line);
  const Explanation &explanation = report.explanation;
  if (explanation.empty() && report.edits.empty())
    return settingError(nothingToExplain(report));
  return Answer{request.form == AnswerForm::Json ? explainJson(report) : explainText(report),
                explanation.skipped.empty() || !explanation.syncs.empty() || !explanation.instructions.empty() ||
                    !explanation.tiles.empty()};
}

llvm::Expected<Answer> explainFile(const RunInput &input, const ExplainRequest &request) {
  return within(input, explained(input, request));
}

static llvm::Expected<Answer> explainedMemory(const RunInput &input, AnswerForm form) {
  input.choices.allowance.stage("reading");
  llvm::Expected<Subject> subject = liftSubject(input, Shapes::LeftOut);
  if (!subject)
    return subject.takeError();
  const Module &module = subject->modules.front();
  input.choices.allowance.stage("explaining");
  MemoryReport report{
      module.source.name(),        subject->machine->arch(),
      std::string(toolVersion()),  memoryBudgets(module, *subject->machine, subject->choices.optimize.ordering),
      subject->arch.description(), assumedOf(module)};
  return Answer{form == AnswerForm::Json ? memoryJson(report) : memoryText(report), allAnalysed(report.kernels)};
}

llvm::Expected<Answer> explainMemory(const RunInput &input, AnswerForm form) {
  return within(input, explainedMemory(input, form));
}

// model

static llvm::Expected<Answer> explainedCalls(const RunInput &input, AnswerForm form) {
  input.choices.allowance.stage("reading");
  llvm::Expected<Subject> subject = liftSubject(input, Shapes::LeftOut);
  if (!subject)
    return subject.takeError();
  const Module &module = subject->modules.front();
  const Machine &machine = *subject->machine;
  input.choices.allowance.stage("explaining");
  CallReport report{module.source.name(), machine.arch(), machine.library(), std::string(toolVersion()),
                    callEffects(module, machine, subject->choices.optimize.ordering)};
  return Answer{form == AnswerForm::Json ? callJson(report) : callText(report), allAnalysed(report.kernels)};
}

llvm::Expected<Answer> explainCalls(const RunInput &input, AnswerForm form) {
  return within(input, explainedCalls(input, form));
}

llvm::Expected<Answer> checkModels(const RunInput &input) {
  Answer answer;
  for (const char *arch : kArchitectures) {
    if (input.settings.commandLine.arch && *input.settings.commandLine.arch != arch)
      continue;
    llvm::Expected<Machine> machine = Machine::builtIn(arch);
    if (!machine)
      return asSetting(machine.takeError());
    llvm::Expected<LibraryCheck> check = checkLibrary(input.choices, *machine);
    if (!check)
      return asSetting(check.takeError());
    const std::size_t all = check->matches.size(), unproved = check->unproved().size();
    answer.analysed = answer.analysed && unproved == 0;
    answer.text += std::string(arch) + ": " + std::to_string(all - unproved) + " of " + std::to_string(all) +
                   " instructions as read; " + describeLibraryCheck(*check) + "\n";
  }
  return answer;
}

llvm::Expected<std::string> hashesOfLibrary(const std::string &includeDirectory, const std::string &name) {
  LibraryVersion version{name, {name}, {}};
  for (const char *arch : kArchitectures) {
    llvm::Expected<Machine> machine = Machine::builtIn(arch);
    if (!machine)
      return asSetting(machine.takeError());
    llvm::Expected<LibraryText> text = readLibraryText(includeDirectory, arch);
    if (!text)
      return asSetting(text.takeError());
    version.hashes[arch] = instructionHashes(*text, machine->instructions().names());
  }
  return version.json();
}

// patterns test

namespace {

/// Returns true if the case is edited. `alone` holds the pattern, unless it is a rewrite.
llvm::Expected<bool> fires(const Pattern &pattern, const PatternCase &patternCase, const Machine &machine,
                           const Catalogue &alone, RunChoices choices) {
  OptimizeOptions run;
  run.ordering.trust = pattern.trust;
  for (const std::string &option : patternCase.options)
    run.ordering.trust = option == "--trust=library" ? Trust::Library : Trust::Tile;
  llvm::Expected<Module> module = liftModule(SourceText(pattern.id + "/" + patternCase.name, wrapCase(patternCase)),
                                             frontendOptions(machine, choices));
  if (!module)
    return module.takeError();
  if (pattern.kind == PatternKind::Rewrite) {
    choices.optimize = run;
    llvm::Expected<Rewritten> rewritten = rewriteModule(*module, {{pattern, std::nullopt}}, machine, choices);
    if (!rewritten)
      return rewritten.takeError();
    return rewritten->module.has_value();
  }
  OptimizeResult result = optimize(*module, machine, alone, run);
  return std::any_of(result.decisions.begin(), result.decisions.end(), [&](const SiteDecision &decision) {
    return decision.verdict != Verdict::Kept && decision.pattern == pattern.id;
  });
}

/// Returns why the case did not come true; empty if it did.
std::string problemOf(const PatternCase &patternCase, llvm::Expected<bool> fired) {
  if (!fired)
    return "is not a kernel: " + llvm::toString(fired.takeError());
  if (*fired && patternCase.expect == CaseExpectation::Silent)
    return "noisy: it must stay silent and edits the kernel";
  if (!*fired && patternCase.expect == CaseExpectation::Fire)
    return "missing: it must edit the kernel and does not";
  return "";
}

/// Cases are written for one architecture: a3, where the pattern supports it.
std::string caseArch(const Pattern &pattern) { return pattern.supports("a3") ? "a3" : pattern.arch.front(); }

} // namespace

llvm::Expected<std::vector<CaseOutcome>> testPatterns(const RunInput &input) {
  llvm::Expected<Catalogue> catalogue = loadCatalogue(input.choices, PatternCases::Read);
  if (!catalogue)
    return asSetting(catalogue.takeError());
  std::vector<CaseOutcome> outcomes;
  for (const Pattern &pattern : catalogue->patterns()) {
    llvm::Expected<ProvedMachine> proved = loadMachine(input.choices, caseArch(pattern));
    if (!proved)
      return asSetting(proved.takeError());
    llvm::Expected<Catalogue> alone = catalogue->select(pattern.kind == PatternKind::Rewrite ? "none" : pattern.id);
    if (!alone)
      return asSetting(alone.takeError());
    for (const PatternCase &each : pattern.cases)
      outcomes.push_back({pattern.id, each.name, pattern.file + ":" + std::to_string(each.line),
                          problemOf(each, fires(pattern, each, proved->machine, *alone, input.choices))});
  }
  return outcomes;
}

} // namespace ptosync
