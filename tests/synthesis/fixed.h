// Helpers for tests of kernels that are mended.
#pragma once

#include "run/choices.h"
#include "support/corpus.h"
#include "synthesis/fix.h"
#include "timing/cost_table.h"

namespace ptosync::test {

inline std::size_t occurrences(llvm::StringRef text, llvm::StringRef what) { return text.count(what); }

inline synthesis::Lift lifter(const std::string &arch = "a3") {
  return lifterOf("kernel.cpp", frontendOptions(machineOf(arch)));
}

inline synthesis::FixResult fixed(const Module &module, const std::string &arch = "a3",
                                  const synthesis::FixOptions &options = {}) {
  return llvm::cantFail(
      synthesis::fix(module, machineOf(arch), llvm::cantFail(timing::CostTable::builtIn(arch)), options, lifter(arch)));
}

} // namespace ptosync::test
