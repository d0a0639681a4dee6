#include "replay/verify.h"

#include "base/parallel.h"
#include "replay/choose/run_choice.h"
#include "replay/choose/run_search.h"
#include "replay/skip/skipping.h"

#include <algorithm>
#include <iterator>
#include <memory>

namespace ptosync::replay {

void CoverageCollector::add(const Trace &trace) {
  shown.add(trace);
  if (trace.ending != Ending::Endless)
    for (const auto &[loop, trips] : trace.trips)
      entered.insert(loop);
  ended.insert(trace.ended.begin(), trace.ended.end());
  for (const Skip &skip : trace.skips)
    skipped[skip.loop] += skip.period * skip.periods;
  if (trace.ending == Ending::Budget)
    cutAt.insert(trace.lastLine);
  if (trace.ending == Ending::Endless)
    endlessAt.insert(trace.lastLine);
}

std::set<Way> CoverageCollector::untaken() const {
  std::set<Way> found;
  for (const Way &way : subject.knownWays()->open())
    if (!shown.ways.count(way))
      found.insert(way);
  return found;
}

std::multiset<std::string> CoverageCollector::untakenTexts() const {
  std::multiset<std::string> texts;
  for (const Way &way : untaken())
    texts.insert(std::to_string(static_cast<int>(way.kind)) + (way.taken ? "+" : "-") + std::to_string(way.number) +
                 " " + printExpression(subject.kernel, subject.knownWays()->conditionOf(way)));
  return texts;
}

KernelCoverage CoverageCollector::finish(const std::set<Way> &open, const std::set<Way> &impossible) const {
  KernelCoverage coverage;
  coverage.kernel = subject.kernel.name;
  coverage.section = subject.kernel.section;
  coverage.cutAt = cutAt;
  coverage.endlessAt = endlessAt;
  for (LoopId loop = 0; loop < subject.nest.loops().size(); ++loop) {
    LoopCoverage entry;
    if (auto found = shown.trips.find(loop); found != shown.trips.end())
      entry.trips = found->second;
    if (auto found = skipped.find(loop); found != skipped.end())
      entry.skipped = found->second;
    entry.line = subject.nest.loops()[loop].line;
    if (entered.count(loop) && !ended.count(loop))
      coverage.unfinished.insert(entry.line);
    coverage.loops.push_back(std::move(entry));
  }
  // What no path leads to is not missing, nor what constants or the conditions around it keep every run from; a run
  // that was cut short has not shown which ways constants leave.
  const Ways *known = cutAt.empty() ? subject.knownWays() : nullptr;
  const std::vector<bool> possible =
      known ? known->possible(shown.ways, impossible) : std::vector<bool>(subject.kernel.blocks.size(), true);
  for (BlockId block = 0; block < subject.kernel.blocks.size(); ++block) {
    if (shown.blocks.count(block) || !subject.nest.reachable(block))
      continue;
    for (const Statement &statement : subject.kernel.blocks[block].statements)
      if (std::holds_alternative<Instruction>(statement.action) || std::holds_alternative<Sync>(statement.action))
        (possible[block] ? coverage.neverRun : coverage.dead).insert(statement.line);
  }
  for (const Way &way : open)
    if (!shown.ways.count(way) && !impossible.count(way) && possible[subject.knownWays()->blockOf(way)])
      coverage.untaken.push_back(describe(way));
  std::sort(coverage.untaken.begin(), coverage.untaken.end());
  coverage.untaken.erase(std::unique(coverage.untaken.begin(), coverage.untaken.end()), coverage.untaken.end());
  return coverage;
}

UntakenWay CoverageCollector::describe(const Way &way) const {
  const Ways &known = *subject.knownWays();
  const std::set<std::string> inputs = known.inputsOf(way);
  return {known.lineOf(way), way.kind, way.taken, way.number, {inputs.begin(), inputs.end()}};
}

namespace {

// Instructions of a run in which arguments may be any number: no iteration is skipped in it whose addresses such a
// number is part of and move on.
constexpr std::uint64_t kOpenInstructions = 4000;

std::string nameOf(const Kernel &kernel) {
  return "kernel " + kernel.name + " (" + std::string(sectionName(kernel.section)) + ")";
}

llvm::Error notAnalysable(const Module &module, const Kernel &kernel) {
  return llvm::createStringError(module.source.name() + ":" + std::to_string(kernel.line) + ": " + nameOf(kernel) +
                                 " cannot be analysed: " + kernel.reason);
}

/// Two versions of one kernel.
class Pair {
public:
  Pair(const Kernel &before, const Kernel &after, const Machine &machine, const Options &options)
      : before(before, machine, options), after(after, machine, options), rules(machine, options), options(options),
        coverage(this->before), secondCoverage(this->after) {}

  Verdict compareAll() {
    open = openArguments();
    before.ways(); // from here on runs note which ones they take
    after.ways();
    Shown shown;
    std::vector<Inputs> runs = chooseRuns(before, options, &shown);
    SearchResult search = searchRuns(before, options, runs, shown);
    runs.insert(runs.end(), search.runs.begin(), search.runs.end());
    for (const Inputs &inputs : runs)
      compareWith(inputs);
    searchSecond(runs);
    KernelCoverage covered = coverage.finish(search.left, search.impossible);
    covered.runs = counts.runs;
    covered.instructions = counts.instructions;
    covered.withoutSkipping = counts.withoutSkipping;
    verdict.coverage.push_back(std::move(covered));
    return std::move(verdict);
  }

  Subject before, after;

private:
  /// That decide places alone, in both files, and that the user has not fixed.
  std::set<std::uint32_t> openArguments() {
    std::set<std::uint32_t> open = placeArguments(before);
    const std::set<std::uint32_t> other = placeArguments(after);
    for (const NamedArgument &argument : argumentsOf(before))
      if (!other.count(argument.number) || options.arguments.count(argument.name))
        open.erase(argument.number);
    return open;
  }

  /// The second version goes the ways of the first one, unless it has some of its own.
  void searchSecond(const std::vector<Inputs> &runs) {
    const std::multiset<std::string> here = coverage.untakenTexts(), there = secondCoverage.untakenTexts();
    if (options.aims || std::includes(here.begin(), here.end(), there.begin(), there.end()))
      return;
    const SearchResult search = searchRuns(after, options, runs, secondCoverage.seen());
    for (const Inputs &inputs : search.runs)
      compareWith(inputs);
    KernelCoverage covered = secondCoverage.finish(search.left, search.impossible);
    if (!covered.complete())
      verdict.second.push_back(std::move(covered));
  }

  void compareWith(const Inputs &inputs) {
    RunRequest request;
    request.inputs = inputs;
    request.inputs.open = open;
    compareBothIds(request);
  }

  /// Ids that may stand for others count both ways.
  void compareBothIds(RunRequest request) {
    for (bool lowIds : {false, true}) {
      request.lowIds = lowIds;
      if (!lowIds || beforeTrace.openIds || afterTrace.openIds)
        compareOpen(request);
    }
  }

  /// With arguments that may be any number as far as that goes; if not to the end, with the numbers of the run too.
  void compareOpen(RunRequest request) {
    if (compareRun(request))
      return;
    request.inputs.open.clear();
    compareRun(request);
  }

  /// Returns false if the budget ended a run with open arguments: what was found until then is kept, and no more.
  bool compareRun(const RunRequest &request) {
    if (std::optional<Comparison> whole = compareShort(request)) {
      finish(std::move(*whole), beforeTrace, request.inputs);
      return true;
    }
    const bool open = !request.inputs.open.empty();
    Comparison comparison = compareOnce(request, options.skipping);
    const bool different = comparison.differentSkips;
    const bool inFull = different || skippedMeetOthers(before, beforeTrace, rules);
    if (inFull) {
      const Trace skipped = std::move(beforeTrace);
      Comparison full = compareOnce(request, Skipping::Forbidden);
      if (full.cut && !different && !open) // the other one has come to the end of the loop
        finish(std::move(comparison), skipped, request.inputs);
      comparison = std::move(full);
    }
    if (open && comparison.cut) {
      keep(std::move(comparison), request.inputs);
      return false;
    }
    counts.withoutSkipping += inFull;
    finish(std::move(comparison), beforeTrace, request.inputs);
    return true;
  }

  void finish(Comparison comparison, const Trace &trace, const Inputs &inputs) {
    coverage.add(trace);
    secondCoverage.add(afterTrace);
    ++counts.runs;
    counts.instructions += comparison.compared;
    keep(std::move(comparison), inputs);
  }

  /// Every iteration of a short run; empty if it is none.
  std::optional<Comparison> compareShort(RunRequest request) {
    request.skipping = Skipping::Forbidden;
    Budget budget = options.budget;
    budget.instructions = std::min(budget.instructions, budget.shortInstructions);
    budget.statements = std::min(budget.statements, budget.shortStatements);
    beforeTrace = interpret(before, request, budget);
    if (beforeTrace.ending != Ending::Returned)
      return std::nullopt;
    afterTrace = interpret(after, request, budget);
    if (afterTrace.ending != Ending::Returned)
      return std::nullopt;
    return compareRuns({before, beforeTrace}, {after, afterTrace}, rules, options.budget.findings);
  }

  Comparison compareOnce(RunRequest request, Skipping skipping) {
    request.skipping = skipping;
    Budget budget = options.budget;
    if (!request.inputs.open.empty())
      budget.instructions = std::min(budget.instructions, kOpenInstructions);
    beforeTrace = interpret(before, request, budget);
    if (skipping == Skipping::Allowed)
      request.follow = &beforeTrace.skips;
    // There is nothing to compare what follows with. A run ends with the first instruction beyond its budget.
    if (beforeTrace.ending != Ending::Returned)
      budget.instructions =
          beforeTrace.instances.size() - (beforeTrace.ending == Ending::Budget && !beforeTrace.instances.empty());
    afterTrace = interpret(after, request, budget);
    return compareRuns({before, beforeTrace}, {after, afterTrace}, rules, options.budget.findings);
  }

  void keep(Comparison comparison, const Inputs &inputs) {
    for (Finding &finding : comparison.findings) {
      if (known.size() >= 4 * options.budget.findings ||
          !known
               .emplace(finding.kind, finding.earlier.beforeLine, finding.later.beforeLine,
                        finding.kind == FindingKind::Order ? "" : finding.text)
               .second)
        continue;
      finding.kernel = before.kernel.name;
      finding.section = before.kernel.section;
      finding.run = describe(inputs, before.kernel);
      verdict.findings.push_back(std::move(finding));
    }
  }

  ConflictRules rules;
  const Options &options;
  CoverageCollector coverage, secondCoverage;
  Verdict verdict;
  KernelCoverage counts;        // of runs and instructions
  std::set<std::uint32_t> open; // arguments that may be any number as far as places go
  Trace beforeTrace, afterTrace;
  std::set<std::tuple<FindingKind, std::uint32_t, std::uint32_t, std::string>> known;
};

Finding missing(const Kernel &kernel, const char *where) {
  Finding finding;
  finding.kind = FindingKind::Streams;
  finding.kernel = kernel.name;
  finding.section = kernel.section;
  finding.text = nameOf(kernel) + " is only in " + where + ", so nothing vouches for it";
  return finding;
}

} // namespace

Answer Verdict::answer() const {
  if (!findings.empty())
    return Answer::Differ;
  auto complete = [](const KernelCoverage &kernel) { return kernel.complete(); };
  const bool compared = std::any_of(coverage.begin(), coverage.end(),
                                    [](const KernelCoverage &kernel) { return kernel.instructions != 0; });
  return compared && std::all_of(coverage.begin(), coverage.end(), complete) && second.empty() ? Answer::Agree
                                                                                               : Answer::Undecided;
}

llvm::Expected<Verdict> verify(const Module &before, const Module &after, const Machine &machine,
                               const Options &options, const std::set<Section> &sections, Unanalysable unanalysable) {
  Verdict verdict;
  bool every = sections.count(Section::Both);
  std::vector<std::unique_ptr<Pair>> pairs;
  for (const Kernel &kernel : before.kernels) {
    if (!every && !sections.count(kernel.section))
      continue;
    const Kernel *other = kernelLike(after, kernel);
    if (!other) {
      verdict.findings.push_back(missing(kernel, "before"));
      continue;
    }
    if (!kernel.analysable && !other->analysable && unanalysable == Unanalysable::Skip)
      continue;
    if (!kernel.analysable)
      return notAnalysable(before, kernel);
    if (!other->analysable)
      return notAnalysable(after, *other);
    pairs.push_back(std::make_unique<Pair>(kernel, *other, machine, options));
  }
  if (every)
    for (const Kernel &kernel : after.kernels)
      if (!kernelLike(before, kernel))
        verdict.findings.push_back(missing(kernel, "after"));
  if (pairs.empty() && verdict.findings.empty() && unanalysable == Unanalysable::Refuse)
    return llvm::createStringError(before.source.name() +
                                   ": holds no kernel; expected a __global__ or AICORE function");
  std::vector<const Subject *> subjects;
  subjects.reserve(pairs.size());
  for (const auto &pair : pairs)
    subjects.push_back(&pair->before);
  if (llvm::Error error = checkArguments(subjects, options))
    return std::move(error);
  std::vector<Verdict> parts(pairs.size());
  // None shares anything that changes with another.
  runInParallel(pairs.size(), [&](std::size_t i) { parts[i] = pairs[i]->compareAll(); });
  for (Verdict &own : parts) {
    std::move(own.findings.begin(), own.findings.end(), std::back_inserter(verdict.findings));
    std::move(own.coverage.begin(), own.coverage.end(), std::back_inserter(verdict.coverage));
    std::move(own.second.begin(), own.second.end(), std::back_inserter(verdict.second));
  }
  return verdict;
}

} // namespace ptosync::replay
