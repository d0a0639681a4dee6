// A file with each of its kernels analysed, and what `opt` decides about it, as the explanations share them.
// Tested through the explanations, tests/explain/.
#pragma once

#include "optimize/optimizer.h"
#include "ordering/kernel_analysis.h"

#include <optional>

namespace ptosync {

class AnalysedFile : public FileAnalysis {
public:
  /// `patterns`: those of the run; `allPatterns`: every one there is.
  AnalysedFile(const Module &module, const Machine &machine, const Catalogue &patterns, const Catalogue &allPatterns,
               const OptimizeOptions &options);

  const Module &module;
  const Machine &machine;
  const Catalogue &patterns, &allPatterns;
  const OptimizeOptions &options;

  /// Returns what `opt` decides, with the options given.
  const OptimizeResult &decisions() const;
  bool runsThrough(std::size_t kernel, SiteId site) const;

private:
  mutable std::optional<OptimizeResult> result;
};

} // namespace ptosync
