// Random scalar code: all that the static engine says of it against runs.
#include "ordering/random_scalar_kernel.h"
#include "ordering/scalar_claims.h"
#include "support/corpus.h"

#include "kernel/kernel.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

struct ProgramTally {
  std::size_t runs = 0, ended = 0, expanded = 0;

  void check(std::uint32_t seed, const RandomKernel &random) {
    OrderingOptions options;
    options.followConditions = seed % 2 == 0;
    Program program = llvm::cantFail(buildProgram(random.kernel, machineOf("a3"), options));
    ScalarClaims claims(program);
    expanded += program.blockOf.size() > random.kernel.blocks.size();
    for (const std::vector<std::int64_t> &arguments : random.runs) {
      std::string wrong = claims.check(arguments, 600);
      ++runs;
      ended += claims.ended();
      if (wrong.empty())
        continue;
      CAPTURE(seed, arguments);
      FAIL_CHECK(wrong << "\n" << printKernel(random.kernel));
      return;
    }
  }
};

} // namespace

TEST_CASE("scalar programs: any statements", "[scalar_programs]") {
  ProgramTally tally;
  for (std::uint32_t seed = 1; seed <= 12000; ++seed)
    tally.check(seed, randomScalarKernel(seed));
  CHECK(tally.ended > tally.runs / 4);
}

TEST_CASE("scalar programs: branches that follow the counters of loops", "[scalar_programs]") {
  ProgramTally tally;
  for (std::uint32_t seed = 1; seed <= 6000; ++seed)
    tally.check(seed, randomPhaseKernel(seed));
  CHECK(tally.ended > tally.runs / 2);
  CHECK(tally.expanded > 600);
}
