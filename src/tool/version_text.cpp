#include "tool/version_text.h"

#include "machine/machine.h"
#include "patterns/version.h"
#include "report/json_report.h"

#include <llvm/Config/llvm-config.h>

namespace ptosync {

std::string versionText() {
  std::string text = "ptosync " + std::string(toolVersion()) + "\n";
  for (const char *arch : {"a3", "a5"}) {
    llvm::Expected<Machine> machine = Machine::builtIn(arch);
    text += "  machine model " + std::string(arch) + ": ";
    text += machine ? machine->library() : "not readable: " + llvm::toString(machine.takeError());
    text += "\n";
  }
  return text + "  report schema " + std::to_string(kJsonReportSchema) + ", LLVM " LLVM_VERSION_STRING "\n";
}

} // namespace ptosync
