#include "tool/session.h"

#include "patterns/pattern_reader.h"
#include "pipeline/library_check.h"
#include "tool/files.h"

#include <llvm/Support/raw_ostream.h>

namespace ptosync {

llvm::Expected<ProvedMachine> builtInMachine(const std::string &arch, const std::string &includeDirectory) {
  llvm::Expected<Machine> machine = Machine::builtIn(arch);
  if (!machine)
    return machine.takeError();
  return provedMachine(std::move(*machine), includeDirectory);
}

llvm::Expected<ProvedMachine> loadMachine(const ToolOptions &options) {
  if (options.machineFile.empty())
    return builtInMachine(options.arch, options.includeDirectory);
  llvm::Expected<std::string> text = readFile(options.machineFile);
  if (!text)
    return text.takeError();
  llvm::Expected<Machine> machine = Machine::parse(*text, options.machineFile);
  if (!machine)
    return machine.takeError();
  if (!options.arch.empty() && machine->arch() != options.arch)
    return llvm::createStringError(options.machineFile + ": /arch: is " + machine->arch() + ", expected " +
                                   options.arch + " (set --arch)");
  return provedMachine(std::move(*machine), options.includeDirectory);
}

llvm::Expected<Catalogue> loadCatalogue(const ToolOptions &options, PatternCases cases) {
  llvm::Expected<Catalogue> catalogue = Catalogue::builtIn(cases);
  if (!catalogue)
    return catalogue;
  for (const std::string &file : options.patternFiles) {
    llvm::Expected<std::string> text = readFile(file);
    if (!text)
      return text.takeError();
    llvm::Expected<Pattern> pattern = parsePattern(*text, file);
    if (!pattern)
      return pattern.takeError();
    if (llvm::Error error = catalogue->add(std::move(*pattern)))
      return std::move(error);
  }
  return catalogue;
}

std::string wrongReservedId(const Machine &machine, const ToolOptions &options) {
  auto ids = static_cast<std::int64_t>(machine.flagIds());
  auto wrong = options.reservedIds.lower_bound(ids);
  if (wrong == options.reservedIds.end())
    return {};
  return "--reserve-ids: '" + std::to_string(*wrong) + "' is no event id of the " + machine.arch() +
         ": expected numbers from 0 to " + std::to_string(ids - 1);
}

int fail(llvm::Error error, int exitCode) {
  llvm::errs() << "ptosync: " << llvm::toString(std::move(error));
  llvm::errs() << "\n";
  return exitCode;
}

} // namespace ptosync
