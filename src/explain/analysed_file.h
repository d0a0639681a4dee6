// A file with each of its kernels analysed, as the explanations share it.
// Tested through the explanations, tests/explain/.
#pragma once

#include "optimize/optimizer.h"
#include "ordering/chain_links.h"
#include "tokens/web.h"

#include <memory>
#include <optional>
#include <vector>

namespace ptosync {

struct ExplainedKernel {
  const Kernel *kernel = nullptr;
  std::unique_ptr<Program> program; // the rest refers to it
  std::unique_ptr<Pending> pending;
  std::vector<Web> webs;
};

class AnalysedFile {
public:
  /// `patterns`: those of the run; `allPatterns`: every one there is.
  AnalysedFile(const Module &module, const Machine &machine, const Catalogue &patterns, const Catalogue &allPatterns,
               const OptimizeOptions &options);

  const Module &module;
  const Machine &machine;
  const Catalogue &patterns, &allPatterns;
  const OptimizeOptions &options;
  std::vector<ExplainedKernel> kernels;                        // those that can be analysed
  std::vector<std::pair<const Kernel *, std::string>> skipped; // the others, and why

  /// What `opt` decides, with the options given.
  const OptimizeResult &decisions() const;
  /// Def/use chains of a kernel of `kernels`.
  const std::vector<ChainLink> &links(std::size_t kernel) const;
  /// The webs of the whole file.
  const std::vector<Web> &webs() const { return fileWebs; }
  bool runsThrough(std::size_t kernel, SiteId site) const;

private:
  std::vector<Web> fileWebs;
  mutable std::optional<OptimizeResult> result;
  mutable std::vector<std::optional<std::vector<ChainLink>>> chains; // by kernel
};

} // namespace ptosync
