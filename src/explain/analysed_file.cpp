#include "explain/analysed_file.h"

namespace ptosync {

AnalysedFile::AnalysedFile(const Module &module, const Machine &machine, const Catalogue &patterns,
                           const Catalogue &allPatterns, const OptimizeOptions &options)
    : FileAnalysis(module, machine, options.ordering), module(module), machine(machine), patterns(patterns),
      allPatterns(allPatterns), options(options) {}

const OptimizeResult &AnalysedFile::decisions() const {
  if (!result)
    result = optimize(module, machine, patterns, options);
  return *result;
}

bool AnalysedFile::runsThrough(std::size_t kernel, SiteId site) const {
  return !kernels()[kernel].pending().eventsOf(site).empty();
}

} // namespace ptosync
