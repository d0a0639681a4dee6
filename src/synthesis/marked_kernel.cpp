#include "synthesis/marked_kernel.h"

#include "synthesis/sync_text.h"

#include <algorithm>
#include <deque>

namespace ptosync::synthesis {

Lift liftOnly(const Lift &lift, const std::string &kernel) {
  return [&lift, kernel](const std::string &text) {
    llvm::Expected<Module> module = lift(text);
    if (module)
      std::erase_if(module->kernels, [&](const Kernel &other) { return other.name != kernel; });
    return module;
  };
}

Lift remembering(const Lift &lift) {
  constexpr std::size_t kMostRemembered = 8;
  struct Read {
    std::string text;
    Module module;
  };
  return [&lift, last = std::make_shared<std::deque<Read>>()](const std::string &text) -> llvm::Expected<Module> {
    auto known = std::find_if(last->begin(), last->end(), [&](const Read &read) { return read.text == text; });
    if (known != last->end())
      return known->module;
    llvm::Expected<Module> module = lift(text);
    if (!module)
      return module;
    last->push_front({text, *module});
    if (last->size() > kMostRemembered)
      last->pop_back();
    return module;
  };
}

llvm::Expected<MarkedKernel> readMarked(const Module &input, std::size_t kernel, const std::string &text,
                                        std::size_t marks, const Lift &lift) {
  llvm::Expected<Module> lifted = lift(text);
  if (!lifted)
    return lifted.takeError();
  MarkedKernel marked;
  marked.module = std::make_unique<Module>(std::move(*lifted));
  const Kernel *same = kernelLike(*marked.module, input.kernels[kernel]);
  if (!same || !same->analysable)
    return llvm::createStringError("with syncs put in it is not read as the same kernel");
  marked.kernel = static_cast<std::size_t>(same - marked.module->kernels.data());
  marked.sites.resize(marks);
  SiteId next = 0;
  for (SiteId site = 0; site < marked.module->sites.size(); ++site) {
    std::size_t mark = markBehind(marked.module->source, marked.module->sites[site]);
    bool own = mark < marks; // a comment of the input may look like one
    marked.originOf.push_back(own ? kNone : next++);
    if (own)
      marked.sites[mark].insert(site);
  }
  if (next != input.sites.size())
    return llvm::createStringError("with syncs put in it does not have the syncs that it had");
  return marked;
}

} // namespace ptosync::synthesis
