#include "kernel/kernel.h"

namespace ptosync {

std::string describePlace(const Kernel &kernel, const Statement &statement) {
  std::string text = "line " + std::to_string(statement.line);
  for (std::uint32_t context = statement.context; context != 0; context = kernel.contexts[context].parent)
    text += " (called from line " + std::to_string(kernel.contexts[context].callLine) + ")";
  return text;
}

} // namespace ptosync
