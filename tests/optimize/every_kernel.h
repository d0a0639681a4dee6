// One session over a whole file, for tests that look into it.
#pragma once

#include "optimize/optimizer.h"

namespace ptosync::test {

inline KernelGroup everyKernel(const Module &module) {
  KernelGroup group;
  for (std::size_t number = 0; number < module.kernels.size(); ++number)
    group.insert(number);
  return group;
}

} // namespace ptosync::test
