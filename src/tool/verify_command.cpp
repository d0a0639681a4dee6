#include "tool/verify_command.h"

#include "patterns/version.h"
#include "replay/verify.h"
#include "report/verify_report.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/Support/raw_ostream.h>

#include <chrono>
#include <future>

namespace ptosync {

int runVerify(const ToolOptions &options) {
  llvm::Expected<Machine> machine = loadMachine(options);
  if (!machine)
    return fail(machine.takeError(), kExitUsage);
  llvm::Expected<std::string> before = readFile(options.input);
  if (!before)
    return fail(before.takeError(), kExitUsage);
  llvm::Expected<std::string> after = readFile(options.after);
  if (!after)
    return fail(after.takeError(), kExitUsage);
  auto start = std::chrono::steady_clock::now();
  FrontendOptions frontend = frontendOptions(*machine, options);
  auto lifting = std::async(std::launch::async,
                            [&] { return liftModule(SourceText(options.after, std::move(*after)), frontend); });
  llvm::Expected<Module> first = liftModule(SourceText(options.input, std::move(*before)), frontend);
  llvm::Expected<Module> second = lifting.get();
  if (!first || !second)
    return fail(llvm::joinErrors(first.takeError(), second.takeError()), kExitNotAnalysed);
  auto lifted = std::chrono::steady_clock::now();
  llvm::Expected<replay::Verdict> verdict = replay::verify(*first, *second, *machine, replayOptions(options));
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
      options.input, options.after,  machine->arch(), std::string(toolVersion()), options.optimize.ordering.trust,
      &*verdict,     options.verbose};
  llvm::outs() << (options.format == "json" ? verifyJson(report) : verifyText(report));
  return verdict->agreed() ? kExitDone : kExitFindings;
}

} // namespace ptosync
