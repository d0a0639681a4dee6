// Random kernels of scalar code with the arguments to run them with, by seed.
//
//   seed --randomScalarKernel--> any statements over variables of three bits, and of 32 and 64 in eighths of their
//   range seed --randomPhaseKernel---> loops with branches that follow their counters: `k % 3 == 1`, `k + 2 < n`, `k ==
//   0`
//
// Equal seeds give equal kernels on every platform: nothing but the generator's own numbers is asked for.
#pragma once

#include "kernel/kernel.h"

#include <cstdint>
#include <vector>

namespace ptosync::test {

struct RandomKernel {
  Kernel kernel;
  std::vector<std::vector<std::int64_t>> runs; // arguments by number
};

RandomKernel randomScalarKernel(std::uint32_t seed);
RandomKernel randomPhaseKernel(std::uint32_t seed);

} // namespace ptosync::test
