#include "kernel/kernel.h"

namespace ptosync {

std::string describePlace(const Kernel &kernel, const Statement &statement) {
  std::string text = "line " + std::to_string(statement.line);
  for (std::uint32_t context = statement.context; context != 0; context = kernel.contexts[context].parent)
    text += " (called from line " + std::to_string(kernel.contexts[context].callLine) + ")";
  return text;
}

std::vector<Directive> unusedKeeps(const Module &module) {
  std::vector<Directive> unused;
  for (const Directive &directive : module.directives) {
    if (directive.kind != Directive::Kind::Keep)
      continue;
    bool used = false;
    for (const SyncSite &site : module.sites)
      used = used || keepOf({directive}, site.line, module.source.position(site.range.end).line);
    if (!used)
      unused.push_back(directive);
  }
  return unused;
}

} // namespace ptosync
