#include "tool/model_command.h"

#include "explain/call_effects.h"
#include "frontend/library_text.h"
#include "patterns/version.h"
#include "pipeline/library_check.h"
#include "report/call_report.h"
#include "tool/files.h"
#include "tool/session.h"
#include "tool/subject.h"

#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace ptosync {
namespace {

int printCalls(const ToolOptions &options) {
  llvm::Expected<Subject> subject = readSubject(options, {options.model.calls});
  if (!subject)
    return failSubject(subject.takeError());
  const Machine &machine = *subject->machine;
  CallReport report{options.model.calls, machine.arch(), machine.library(), std::string(toolVersion()),
                    callEffects(subject->modules[0], machine, subject->options.optimize.ordering)};
  llvm::outs() << (options.model.json ? callJson(report) : callText(report));
  bool analysed = std::all_of(report.kernels.begin(), report.kernels.end(),
                              [](const KernelCalls &kernel) { return kernel.reason.empty(); });
  return analysed ? kExitDone : kExitNotAnalysed;
}

/// One line an architecture, and exit 1 if some fact is not proved for this library.
int check(const ToolOptions &options) {
  bool same = true;
  for (const char *arch : kArchitectures) {
    if (options.given.arch && *options.given.arch != arch)
      continue;
    llvm::Expected<Machine> machine = Machine::builtIn(arch);
    if (!machine)
      return fail(machine.takeError(), kExitUsage);
    llvm::Expected<LibraryCheck> check = checkLibrary(options.includeDirectory, *machine);
    if (!check)
      return fail(check.takeError(), kExitUsage);
    same = same && check->unproved().empty();
    llvm::outs() << arch << ": " << check->matches.size() - check->unproved().size() << " of " << check->matches.size()
                 << " instructions as read; " << describeLibraryCheck(*check) << "\n";
  }
  return same ? kExitDone : kExitFindings;
}

/// A file for src/machine: the version of the library that --pto-include names, under the given name.
int printHashes(const ToolOptions &options) {
  LibraryVersion version{options.model.hashes, {options.model.hashes}, {}};
  for (const char *arch : kArchitectures) {
    llvm::Expected<Machine> machine = Machine::builtIn(arch);
    if (!machine)
      return fail(machine.takeError(), kExitUsage);
    llvm::Expected<LibraryText> text = readLibraryText(options.includeDirectory, arch);
    if (!text)
      return fail(text.takeError(), kExitUsage);
    version.hashes[arch] = instructionHashes(*text, machine->instructions().names());
  }
  llvm::outs() << version.json();
  return kExitDone;
}

} // namespace

int runModel(const ToolOptions &options) {
  if (!options.model.calls.empty())
    return printCalls(options);
  if (options.includeDirectory.empty())
    return usage("model: --check and --hashes need --pto-include=DIR, the library's include folder");
  return options.model.check ? check(options) : printHashes(options);
}

} // namespace ptosync
