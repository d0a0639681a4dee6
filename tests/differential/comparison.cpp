#include "differential/comparison.h"

#include "differential/checker_match.h"
#include "machine/machine.h"
#include "run/choices.h"

namespace ptosync::differential {
namespace {

Section macroOf(Section section) { return section == Section::Cube ? Section::Cube : Section::Vec; }

KernelComparison compareKernel(const Kernel &kernel, const Module &module, const NativeFile &native) {
  KernelComparison comparison;
  comparison.kernel = kernel.name;
  comparison.section = kernel.section;
  if (!kernel.analysable) {
    comparison.verdict = KernelComparison::Verdict::GivenUp;
    comparison.reason = kernel.reason;
    return comparison;
  }
  comparison.verdict = KernelComparison::Verdict::NotRun;
  auto result = native.results.find(macroOf(kernel.section));
  if (result == native.results.end())
    return comparison;
  auto runs = result->second.runs.find(kernel.name);
  if (runs == result->second.runs.end()) {
    comparison.reason = result->second.error;
    return comparison;
  }
  comparison.verdict = KernelComparison::Verdict::Same;
  // What the reader calls text that it does not follow. A call that moves addresses is no instruction, unless which
  // object it moves is not known.
  std::set<std::string> unread = {"expression", "assignment", "TASSIGN", "TRESHAPE", "TSUBVIEW", "TGET_SCALE_ADDR"};
  for (const UnknownCall &unknown : module.unknownCalls)
    unread.insert(unknown.name);
  for (std::size_t i = 0; i < runs->second.size(); ++i) {
    const NativeRun &run = runs->second[i];
    ++comparison.runs;
    comparison.brokenRuns += run.ending == NativeRun::Ending::Crashed || run.ending == NativeRun::Ending::TimedOut;
    MatchResult match = matchTrace(kernel, module.source, run, native.inputs[i].queries, unread);
    comparison.events += match.events;
    comparison.operands += match.operands;
    comparison.unknown += match.unknown;
    if (match.verdict == MatchResult::Verdict::Different) {
      comparison.verdict = KernelComparison::Verdict::Different;
      comparison.reason = "run " + std::to_string(i) + ": " + match.reason;
      comparison.line = match.line;
      return comparison;
    }
    if (match.verdict == MatchResult::Verdict::Undecided)
      comparison.verdict = KernelComparison::Verdict::Undecided;
  }
  return comparison;
}

/// On the architecture that reads more: a kernel names no other.
CheckerMatch matchWithChecker(const std::string &text, const Kernel &kernel, const NativeRun &run,
                              const std::map<std::string, std::int64_t> &queries, bool lines) {
  const std::string core = macroOf(kernel.section) == Section::Cube ? "cube" : "vec";
  CheckerMatch match = matchChecker(text, kernel.name, core, "a3", run, queries, lines);
  return match.verdict == CheckerMatch::Verdict::GivenUp
             ? matchChecker(text, kernel.name, core, "a5", run, queries, lines)
             : match;
}

KernelComparison compareWithChecker(const std::string &text, const Kernel &kernel, const NativeFile &native,
                                    bool lines) {
  KernelComparison comparison;
  comparison.kernel = kernel.name;
  comparison.section = kernel.section;
  comparison.verdict = KernelComparison::Verdict::NotRun;
  auto result = native.results.find(macroOf(kernel.section));
  if (result == native.results.end() || !result->second.runs.count(kernel.name))
    return comparison;
  const std::vector<NativeRun> &runs = result->second.runs.at(kernel.name);
  comparison.verdict = KernelComparison::Verdict::GivenUp;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const CheckerMatch match = matchWithChecker(text, kernel, runs[i], native.inputs[i].queries, lines);
    if (match.verdict == CheckerMatch::Verdict::GivenUp) {
      comparison.reason = comparison.verdict == KernelComparison::Verdict::GivenUp ? match.reason : comparison.reason;
      continue;
    }
    ++comparison.runs;
    comparison.brokenRuns +=
        runs[i].ending == NativeRun::Ending::Crashed || runs[i].ending == NativeRun::Ending::TimedOut;
    comparison.events += match.events;
    comparison.operands += match.operands;
    comparison.unknown += match.unknown;
    comparison.verdict = KernelComparison::Verdict::Same;
    if (match.verdict == CheckerMatch::Verdict::Different) {
      comparison.verdict = KernelComparison::Verdict::Different;
      comparison.reason = "run " + std::to_string(i) + ": " + match.reason;
      comparison.line = match.line;
      return comparison;
    }
  }
  return comparison;
}

} // namespace

NativeFile runFile(const std::string &text, const Module &module, const ComparisonOptions &options) {
  NativeFile file;
  file.inputs = chooseInputs(options.seed, options.runs);
  std::map<Section, std::set<std::string>> kernels;
  for (const Kernel &kernel : module.kernels)
    if (kernel.analysable)
      kernels[macroOf(kernel.section)].insert(kernel.name);
  for (const auto &[section, names] : kernels) {
    NativeProgram program{text, section, {names.begin(), names.end()}, options.frontend.instructions};
    NativeResult &result = file.results[section] = runNatively(program, file.inputs, options.tools, options.mostEvents);
    if (!result.error.empty())
      file.error = result.error;
  }
  return file;
}

FileComparison compareModule(const Module &module, const NativeFile &native, const Mutation &mutation) {
  FileComparison comparison;
  comparison.notCompiled = native.error;
  for (const Kernel &kernel : module.kernels) {
    if (!mutation) {
      comparison.kernels.push_back(compareKernel(kernel, module, native));
      continue;
    }
    Kernel changed = kernel;
    mutation(changed);
    comparison.kernels.push_back(compareKernel(changed, module, native));
  }
  return comparison;
}

FileComparison compareText(const std::string &text, const std::string &name, const ComparisonOptions &options) {
  llvm::Expected<Module> module = liftModule(SourceText(name, text), options.frontend);
  if (!module) {
    FileComparison comparison;
    comparison.notLifted = llvm::toString(module.takeError());
    return comparison;
  }
  const NativeFile native = runFile(text, *module, options);
  return options.checker ? compareChecker(text, *module, native, options.checkerText) : compareModule(*module, native);
}

FileComparison compareChecker(const std::string &text, const Module &module, const NativeFile &native,
                              const CheckerText &textOf) {
  FileComparison comparison;
  comparison.notCompiled = native.error;
  for (const Kernel &kernel : module.kernels)
    comparison.kernels.push_back(
        compareWithChecker(textOf ? textOf(kernel.name) : text, kernel, native, textOf == nullptr));
  return comparison;
}

FrontendOptions everyInstruction() {
  FrontendOptions options = frontendOptions(llvm::cantFail(Machine::builtIn("a3")));
  FrontendOptions more = frontendOptions(llvm::cantFail(Machine::builtIn("a5")));
  options.instructions.merge(more.instructions);
  options.placing.merge(more.placing);
  return options;
}

} // namespace ptosync::differential
