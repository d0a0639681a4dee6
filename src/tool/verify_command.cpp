#include "tool/verify_command.h"

#include "patterns/version.h"
#include "replay/verify.h"
#include "report/verify_report.h"
#include "tool/progress.h"
#include "tool/session.h"
#include "tool/subject.h"

#include <llvm/Support/raw_ostream.h>

#include <chrono>

namespace ptosync {
namespace {

int exitCodeOf(replay::Answer answer) {
  switch (answer) {
  case replay::Answer::Agree: return kExitDone;
  case replay::Answer::Differ: return kExitFindings;
  case replay::Answer::Undecided: break;
  }
  return kExitUndecided;
}

} // namespace

int runVerify(const ToolOptions &given) {
  auto start = std::chrono::steady_clock::now();
  Progress progress("verify", false);
  progress.stage("running both");
  llvm::Expected<Subject> subject = readSubject(given, {given.input, given.verify.after});
  if (!subject)
    return failSubject(subject.takeError());
  const ToolOptions &options = subject->options;
  const Machine &machine = *subject->machine;
  auto lifted = std::chrono::steady_clock::now();
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(subject->modules[0], subject->modules[1], machine, replayOptions(options));
  progress.finish();
  if (!verdict) {
    int exitCode = verdict.errorIsA<replay::ArgumentError>() ? kExitUsage : kExitNotAnalysed;
    return fail(verdict.takeError(), exitCode);
  }
  if (options.timings) {
    auto milliseconds = [](auto span) { return std::chrono::duration<double, std::milli>(span).count(); };
    llvm::errs() << llvm::format("parse %.1f ms, replay %.1f ms\n", milliseconds(lifted - start),
                                 milliseconds(std::chrono::steady_clock::now() - lifted));
  }
  VerifyReportInput report{
      options.input,
      options.verify.after,
      machine.arch(),
      std::string(toolVersion()),
      options.optimize.ordering.trust,
      &*verdict,
      options.verbose,
      options.archChoice.description(),
      describeLibraryUse(subject->modules[1], machine, options.optimize.ordering.trust, subject->library)};
  llvm::outs() << (options.verify.json ? verifyJson(report) : verifyText(report));
  return exitCodeOf(verdict->answer());
}

} // namespace ptosync
