#include "tool/durations.h"

#include "replay/choose/run_choice.h"
#include "tool/files.h"
#include "tool/session.h"

namespace ptosync {

llvm::Expected<timing::CostTable> loadCosts(const Machine &machine, const ToolOptions &options) {
  llvm::Expected<timing::CostTable> table = timing::CostTable::builtIn(machine.arch());
  if (!table || options.timingFile.empty())
    return table;
  llvm::Expected<std::string> text = readFile(options.timingFile);
  if (!text)
    return text.takeError();
  if (llvm::Error error = table->overlay(*text, options.timingFile, machine))
    return std::move(error);
  return table;
}

int failTiming(llvm::Error error) {
  int exitCode = error.isA<replay::ArgumentError>() ? kExitUsage : kExitNotAnalysed;
  return fail(std::move(error), exitCode);
}

} // namespace ptosync
