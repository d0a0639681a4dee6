// Kernels with one bracket of a buffer id that is wrong, to see whether the tool notices.
//
//   get_buf(PIPE_V, 3, 0)      dropped: neither of the two is there
//   TADDS(b, a, 1)             later get: it stands behind the TADDS;  earlier release: in front of it
//   rls_buf(PIPE_V, 3, 0)      other id: both name 7
//
// Whether an order that matters is lost is for the simulator to say (judge.h): many of these kernels are as good as
// the one they are made of, and some have a bracket that is amiss. Statements keep the lines of the original as their
// names, by which the simulator matches them. Run as `ptosync_fuzz --mutants`, which is its own test.
#pragma once

#include "fuzz/fuzz_kernel.h"
#include "fuzz/random_source.h"

#include <string>
#include <vector>

namespace ptosync::fuzz {

struct BracketMutant {
  FuzzKernel kernel;
  std::string kind; // "dropped", "later get", "earlier release", "other id"
  std::uint32_t line = 0;
};

/// Returns at most `most` mutants of a kernel that has been printed, drawn from all that there are.
std::vector<BracketMutant> bracketMutants(const FuzzKernel &kernel, std::size_t most, RandomSource &random);

} // namespace ptosync::fuzz
