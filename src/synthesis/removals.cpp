#include "synthesis/removals.h"

#include <algorithm>

namespace ptosync::synthesis {
namespace {

/// The same without the patterns that move flags.
Catalogue withoutMoves(const Catalogue &catalogue) {
  Catalogue result;
  for (const Pattern &pattern : catalogue.patterns())
    if (factsOf(pattern.action).effect != ActionEffect::Moves)
      llvm::cantFail(result.add(pattern));
  return result;
}

} // namespace

Removals::Removals(const Module &module, const Machine &machine, const Catalogue &catalogue,
                   const OptimizeOptions &options)
    : pruned(optimize(module, machine, catalogue, options)), unmoving(withoutMoves(catalogue)) {
  if (std::any_of(pruned.decisions.begin(), pruned.decisions.end(),
                  [](const SiteDecision &decision) { return decision.verdict == Verdict::Moved; }))
    unmoved = optimize(module, machine, unmoving, options);
}

} // namespace ptosync::synthesis
