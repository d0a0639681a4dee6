#include "tool/model_command.h"

#include "explain/call_effects.h"
#include "patterns/version.h"
#include "report/call_report.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace ptosync {
namespace {

int printCalls(const ToolOptions &options, const Machine &machine) {
  llvm::Expected<std::string> text = readFile(options.model.calls);
  if (!text)
    return fail(text.takeError(), kExitUsage);
  llvm::Expected<Module> module =
      liftModule(SourceText(options.model.calls, std::move(*text)), frontendOptions(machine, options));
  if (!module)
    return fail(module.takeError(), kExitNotAnalysed);
  CallReport report{options.model.calls, machine.arch(), machine.library(), std::string(toolVersion()),
                    callEffects(*module, machine, options.optimize.ordering)};
  llvm::outs() << (options.format == "json" ? callJson(report) : callText(report));
  bool analysed = std::all_of(report.kernels.begin(), report.kernels.end(),
                              [](const KernelCalls &kernel) { return kernel.reason.empty(); });
  return analysed ? kExitDone : kExitNotAnalysed;
}

} // namespace

int runModel(const ToolOptions &options) {
  llvm::Expected<Machine> machine = loadMachine(options);
  if (!machine)
    return fail(machine.takeError(), kExitUsage);
  return printCalls(options, *machine);
}

} // namespace ptosync
