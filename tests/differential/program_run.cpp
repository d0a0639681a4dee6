#include "differential/program_run.h"

#include <algorithm>

namespace ptosync::differential {
namespace {

using Verdict = KernelComparison::Verdict;

void count(FeatureTally &tally, const KernelComparison &comparison) {
  ++tally.programs;
  tally.different += comparison.verdict == Verdict::Different;
  tally.undecided += comparison.verdict == Verdict::Undecided;
  tally.givenUp += comparison.verdict == Verdict::GivenUp;
  tally.unread += comparison.verdict == Verdict::NotRun;
}

FileComparison compareFile(const std::vector<Program> &programs, ComparisonOptions options) {
  options.checkerText = [&](const std::string &kernel) {
    auto found = std::find_if(programs.begin(), programs.end(),
                              [&](const Program &program) { return kernelName(program) == kernel; });
    return found == programs.end() ? std::string() : withoutAliases(*found);
  };
  return compareText(fileOf(programs), "programs.cpp", options);
}

void compareBatch(const std::vector<Program> &programs, const ComparisonOptions &options, ProgramTally &tally) {
  FileComparison file = compareFile(programs, options);
  if (!file.notLifted.empty() || !file.notCompiled.empty()) {
    // One program that is not accepted spoils its file.
    std::string fault = file.notLifted.empty() ? file.notCompiled : file.notLifted;
    if (programs.size() == 1)
      return tally.faults.push_back(kernelName(programs[0]) + ": " + fault.substr(0, 300));
    std::size_t half = programs.size() / 2;
    compareBatch({programs.begin(), programs.begin() + static_cast<std::ptrdiff_t>(half)}, options, tally);
    compareBatch({programs.begin() + static_cast<std::ptrdiff_t>(half), programs.end()}, options, tally);
    return;
  }
  std::map<std::string, const KernelComparison *> byName;
  for (const KernelComparison &kernel : file.kernels)
    byName[kernel.kernel] = &kernel;
  for (const Program &program : programs) {
    auto found = byName.find(kernelName(program));
    if (found == byName.end()) {
      tally.faults.push_back(kernelName(program) + ": no kernel of that name was lifted");
      continue;
    }
    const KernelComparison &comparison = *found->second;
    count(tally.all, comparison);
    for (const std::string &feature : program.features)
      count(tally.features[feature], comparison);
    tally.runs += comparison.runs;
    tally.brokenRuns += comparison.brokenRuns;
    tally.events += comparison.events;
    tally.operands += comparison.operands;
    tally.unknown += comparison.unknown;
    if (comparison.brokenRuns)
      tally.faults.push_back(kernelName(program) + ": a run was ended by a signal or the clock");
    if (comparison.verdict == Verdict::Different)
      tally.different.push_back({program, comparison});
  }
}

} // namespace

ProgramTally comparePrograms(const ProgramRequest &request, const ComparisonOptions &options) {
  ProgramTally tally;
  std::set<std::string> features = request.only;
  if (features.empty())
    for (const std::string &name : featureNames())
      features.insert(name);
  for (const std::string &name : request.without)
    features.erase(name);
  for (std::size_t done = 0; done < request.count;) {
    std::vector<Program> programs;
    for (; programs.size() < request.perFile && done < request.count; ++done)
      programs.push_back(generateProgram(request.seed, request.from + done, features));
    compareBatch(programs, options, tally);
  }
  return tally;
}

void merge(ProgramTally &into, ProgramTally from) {
  auto add = [](FeatureTally &a, const FeatureTally &b) {
    a.programs += b.programs, a.different += b.different, a.undecided += b.undecided, a.givenUp += b.givenUp,
        a.unread += b.unread;
  };
  add(into.all, from.all);
  for (const auto &[name, tally] : from.features)
    add(into.features[name], tally);
  into.runs += from.runs, into.brokenRuns += from.brokenRuns, into.events += from.events;
  into.operands += from.operands, into.unknown += from.unknown;
  for (FoundProgram &found : from.different)
    into.different.push_back(std::move(found));
  for (std::string &fault : from.faults)
    into.faults.push_back(std::move(fault));
}

KernelComparison compareProgram(const Program &program, const ComparisonOptions &options, std::string *fault) {
  FileComparison file = compareFile({program}, options);
  if (fault)
    *fault = file.notLifted.empty() ? file.notCompiled : file.notLifted;
  for (const KernelComparison &kernel : file.kernels)
    if (kernel.kernel == kernelName(program))
      return kernel;
  KernelComparison none;
  none.verdict = Verdict::NotRun;
  return none;
}

} // namespace ptosync::differential
