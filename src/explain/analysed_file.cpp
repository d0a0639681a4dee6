#include "explain/analysed_file.h"

namespace ptosync {

AnalysedFile::AnalysedFile(const Module &module, const Machine &machine, const Catalogue &patterns,
                           const Catalogue &allPatterns, const OptimizeOptions &options)
    : module(module), machine(machine), patterns(patterns), allPatterns(allPatterns), options(options) {
  std::vector<std::vector<Web>> webs;
  for (const Kernel &kernel : module.kernels) {
    if (!kernel.analysable) {
      skipped.emplace_back(&kernel, kernel.reason);
      continue;
    }
    llvm::Expected<Program> program = buildProgram(kernel, machine, options.ordering);
    if (!program) {
      skipped.emplace_back(&kernel, llvm::toString(program.takeError()));
      continue;
    }
    ExplainedKernel entry;
    entry.kernel = &kernel;
    entry.program = std::make_unique<Program>(std::move(*program));
    entry.pending = std::make_unique<Pending>(*entry.program);
    entry.webs = findWebs(*entry.program, entry.pending->layout(), entry.pending->tokens());
    webs.push_back(entry.webs);
    kernels.push_back(std::move(entry));
  }
  fileWebs = joinWebs(webs);
  chains.resize(kernels.size());
}

const OptimizeResult &AnalysedFile::decisions() const {
  if (!result)
    result = optimize(module, machine, patterns, options);
  return *result;
}

const std::vector<ChainLink> &AnalysedFile::links(std::size_t kernel) const {
  if (!chains[kernel])
    chains[kernel] = findChainLinks(*kernels[kernel].program, *kernels[kernel].pending);
  return *chains[kernel];
}

bool AnalysedFile::runsThrough(std::size_t kernel, SiteId site) const {
  return !kernels[kernel].pending->eventsOf(site).empty();
}

} // namespace ptosync
