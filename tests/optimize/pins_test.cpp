#include "optimize/pins.h"

#include "optimize/decided.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Whether an open conflict of the kernel pins the barrier on the marked line.
bool pinned(const std::string &statements, const std::string &mark = "// barrier") {
  Analysed kernel(usualKernel(statements));
  return !Pins(*kernel.program, *kernel.pending).ofBarrier(kernel.site(mark)).empty();
}

const std::string kWrite = "  TADDS(a, b, 1.0f);\n", kPinnedRead = "  TADDS(c, a, 1.0f);\n";
const std::string kArm = "  if (n > 3) {\n" + kBarrier + "  }\n";

} // namespace

TEST_CASE("pins: without open conflicts there are none", "[pins]") {
  CHECK_FALSE(pinned(kWrite + kBarrier + kPinnedRead));
}

TEST_CASE("pins: a barrier between the two of an open pair", "[pins]") {
  CHECK(pinned(kWrite + kArm + kPinnedRead));
  CHECK(pinned(kWrite + "  if (n > 3) {\n  TADDS(d, b, 1.0f);\n" + kBarrier + "  TADDS(d, b, 1.0f);\n  }\n" +
               kPinnedRead));
}

TEST_CASE("pins: not one before or behind both", "[pins]") {
  CHECK_FALSE(pinned(kBarrier + kWrite + kPinnedRead));
  CHECK_FALSE(pinned(kWrite + kPinnedRead + kBarrier));
  CHECK_FALSE(pinned(kWrite + "  if (n > 3) {\n" + kPinnedRead + kBarrier + "  }\n"));
}

TEST_CASE("pins: not one on a path that does not lead from the first to the second", "[pins]") {
  CHECK_FALSE(pinned("  if (n > 3) {\n" + kWrite + kPinnedRead + "  } else {\n" + kBarrier + "  }\n"));
}

TEST_CASE("pins: in a loop, for pairs of different iterations", "[pins]") {
  // The reader comes first in the text, the barrier on one path only.
  CHECK(pinned("  for (int32_t i = 0; i < n; ++i) {\n" + kPinnedRead + kWrite + kArm + "  }\n"));
  CHECK(pinned("  for (int32_t i = 0; i < n; ++i) {\n" + kArm + kPinnedRead + kWrite + "  }\n"));
}

TEST_CASE("pins: one in a loop between the two, which may run or not", "[pins]") {
  // Zero trips leave the pair unordered; one trip orders it, and must go on doing so.
  CHECK(pinned(kWrite + "  for (int32_t i = 0; i < n; ++i) {\n" + kBarrier + "  }\n" + kPinnedRead));
}

TEST_CASE("pins: one behind the reader that orders the reader's next iteration", "[pins]") {
  // Writer before the loop, reader in it, barrier behind the reader: all iterations but the first are ordered.
  std::string reader = rowsAt("w", 4, "32768 + i * 1024") + "  TADDS(w, a, 1.0f);\n";
  CHECK(pinned(kWrite + "  for (int32_t i = 0; i < 8; ++i) {\n" + reader + kBarrier + "  }\n"));
}

TEST_CASE("pins: one between a loop's work and what follows the loop", "[pins]") {
  CHECK(pinned("  for (int32_t i = 0; i < n; ++i) {\n" + kWrite + "  }\n" + kArm + kPinnedRead));
}

TEST_CASE("pins: pipes", "[pins]") {
  // The load and its reader are ordered by nothing; a barrier of MTE3 has no part in it, PIPE_ALL has.
  const std::string load = "  TLOAD(a, g);\n";
  CHECK_FALSE(pinned(load + "  if (n > 3) {\n  pipe_barrier(PIPE_MTE3); // barrier\n  }\n" + kPinnedRead));
  CHECK(pinned(load + "  if (n > 3) {\n  pipe_barrier(PIPE_ALL) ; // barrier\n  }\n" + kPinnedRead));
}

TEST_CASE("pins: a silenced pair pins too", "[pins]") {
  // Loads over loads: contested, so it justifies nothing.
  CHECK(pinned("  TLOAD(a, g);\n  if (n > 3) {\n  pipe_barrier(PIPE_MTE2); // barrier\n  }\n  TLOAD(a, g);\n"));
}

TEST_CASE("pins: the pair is named, and other sites are left alone", "[pins]") {
  Decided kernel(usualKernel(kWrite + kArm + kPinnedRead + "  pipe_barrier(PIPE_V); // later\n  TADDS(d, b, 1.0f);\n"));
  CHECK(kernel.verdict("// barrier") == "kept: unresolved");
  CHECK(kernel.witness("// barrier") == "RAW TADDS(a, b, 1.0f) -> TADDS(c, a, 1.0f) on UB [0, 1024)");
  CHECK(kernel.verdict("// later") == "removed");
  REQUIRE(kernel.outcome.result.unresolved.size() == 1);
  CHECK(kernel.outcome.result.unresolved[0].silencedBy == "");
}
