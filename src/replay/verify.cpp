#include "replay/verify.h"

#include "kernel/parallel.h"
#include "replay/argument_flow.h"
#include "replay/sweep.h"

#include <iterator>
#include <memory>

namespace ptosync::replay {
namespace {

constexpr std::size_t kMostKernelFindings = 200; // of one kernel
// Instructions of a run in which arguments may be any number: no iteration is skipped in it whose addresses such a
// number is part of and move on.
constexpr std::uint64_t kOpenInstructions = 4000;
// A run that needs no more is compared as a whole: what a loop does in one iteration alone, far from its first, is in
// it.
constexpr std::uint64_t kShortInstructions = 1000, kShortStatements = 20000;

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
        coverage(this->before) {}

  Verdict compareAll() {
    Verdict verdict;
    KernelCoverage counts;
    const std::set<std::uint32_t> open = openArguments();
    for (const Inputs &inputs : chooseRuns(before, options)) {
      RunRequest request;
      request.inputs = inputs;
      request.inputs.open = open;
      compareBothIds(request, counts, verdict);
    }
    KernelCoverage covered = coverage.finish();
    covered.runs = counts.runs;
    covered.instructions = counts.instructions;
    covered.withoutSkipping = counts.withoutSkipping;
    verdict.coverage.push_back(std::move(covered));
    return verdict;
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

  /// Ids that may stand for others count both ways.
  void compareBothIds(RunRequest request, KernelCoverage &counts, Verdict &verdict) {
    for (bool lowIds : {false, true}) {
      request.lowIds = lowIds;
      if (!lowIds || beforeTrace.openIds || afterTrace.openIds)
        compareOpen(request, counts, verdict);
    }
  }

  /// With arguments that may be any number as far as that goes; if not to the end, with the numbers of the run too.
  void compareOpen(RunRequest request, KernelCoverage &counts, Verdict &verdict) {
    if (compareRun(request, counts, verdict))
      return;
    request.inputs.open.clear();
    compareRun(request, counts, verdict);
  }

  /// False if the budget ended a run with open arguments: what was found until then is kept, and no more.
  bool compareRun(const RunRequest &request, KernelCoverage &counts, Verdict &verdict) {
    if (std::optional<Comparison> whole = compareShort(request)) {
      finish(std::move(*whole), beforeTrace, request.inputs, counts, verdict);
      return true;
    }
    const bool open = !request.inputs.open.empty();
    Comparison comparison = compareOnce(request, Skipping::Allowed);
    const bool different = comparison.differentSkips;
    const bool inFull = different || skippedMeetOthers(before, beforeTrace, rules);
    if (inFull) {
      const Trace skipped = std::move(beforeTrace);
      Comparison full = compareOnce(request, Skipping::Forbidden);
      if (full.cut && !different && !open) // the other one has come to the end of the loop
        finish(std::move(comparison), skipped, request.inputs, counts, verdict);
      comparison = std::move(full);
    }
    if (open && comparison.cut) {
      keep(std::move(comparison), request.inputs, verdict);
      return false;
    }
    counts.withoutSkipping += inFull;
    finish(std::move(comparison), beforeTrace, request.inputs, counts, verdict);
    return true;
  }

  void finish(Comparison comparison, const Trace &trace, const Inputs &inputs, KernelCoverage &counts,
              Verdict &verdict) {
    coverage.add(trace);
    ++counts.runs;
    counts.instructions += comparison.compared;
    keep(std::move(comparison), inputs, verdict);
  }

  /// Every iteration of a short run; empty if it is none.
  std::optional<Comparison> compareShort(RunRequest request) {
    request.skipping = Skipping::Forbidden;
    Budget budget = options.budget;
    budget.instructions = std::min(budget.instructions, kShortInstructions);
    budget.statements = std::min(budget.statements, kShortStatements);
    beforeTrace = interpret(before, request, budget);
    if (beforeTrace.ending != Ending::Returned)
      return std::nullopt;
    afterTrace = interpret(after, request, budget);
    if (afterTrace.ending != Ending::Returned)
      return std::nullopt;
    return compareRuns({before, beforeTrace}, {after, afterTrace}, rules);
  }

  Comparison compareOnce(RunRequest request, Skipping skipping) {
    request.skipping = skipping;
    Budget budget = options.budget;
    if (!request.inputs.open.empty())
      budget.instructions = std::min(budget.instructions, kOpenInstructions);
    beforeTrace = interpret(before, request, budget);
    if (skipping == Skipping::Allowed)
      request.follow = &beforeTrace.skips;
    if (beforeTrace.ending != Ending::Returned) // there is nothing to compare what follows with
      budget.instructions = beforeTrace.instances.size();
    afterTrace = interpret(after, request, budget);
    return compareRuns({before, beforeTrace}, {after, afterTrace}, rules);
  }

  void keep(Comparison comparison, const Inputs &inputs, Verdict &verdict) {
    for (Finding &finding : comparison.findings) {
      if (known.size() >= kMostKernelFindings ||
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
  CoverageCollector coverage;
  Trace beforeTrace, afterTrace;
  std::set<std::tuple<FindingKind, std::uint32_t, std::uint32_t, std::string>> known;
};

Finding missing(const Kernel &kernel, const char *where) {
  Finding finding;
  finding.kind = FindingKind::Streams;
  finding.kernel = kernel.name;
  finding.section = kernel.section;
  finding.text = nameOf(kernel) + " is only in the file " + where;
  return finding;
}

} // namespace

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
  }
  return verdict;
}

} // namespace ptosync::replay
