// Which ways a kernel may go, and what decides them.
#include "replay/run/ways.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

std::string openWays(const std::string &body) {
  Replayed kernel(vectorKernel(kRowTile + body));
  const Ways &ways = kernel.subject->ways();
  return listed(ways, {ways.open().begin(), ways.open().end()});
}

/// What the condition of the first open way depends on.
std::set<std::string> inputsOfFirst(const std::string &body) {
  Replayed kernel(vectorKernel(kRowTile + body));
  const Ways &ways = kernel.subject->ways();
  return ways.open().empty() ? std::set<std::string>{} : ways.inputsOf(ways.open().front());
}

} // namespace

TEST_CASE("ways: open are those that inputs decide") {
  CHECK(openWays("  if (n > 3)\n  " + kRowWork) == "5+ 5-");
  CHECK(openWays("  int32_t c = 4;\n  if (c == 4)\n  " + kRowWork).empty());
  CHECK(openWays("  int32_t c = 0;\n  if (n > 3)\n    c = 1;\n  if (c == 1)\n  " + kRowWork) == "6+ 6- 8+ 8-");
  CHECK(openWays("  TASSIGN(a, (uint64_t) (n > 3 ? 0 : 32));\n" + kRowWork) == "5+ 5-");
  CHECK(openWays("  for (int32_t i = 0; i < 4; i += 1)\n  " + kRowWork).empty());
  CHECK(openWays("  if (get_block_idx() == 0)\n  " + kRowWork) == "5+ 5-");
}

TEST_CASE("ways: what a condition is computed from") {
  using Names = std::set<std::string>;
  CHECK(inputsOfFirst("  int32_t m = n * 2;\n  if (m == 4)\n  " + kRowWork) == Names{"n"});
  CHECK(inputsOfFirst("  if (((__gm__ int32_t *) in)[0] > 2)\n  " + kRowWork) == Names{"memory"});
  CHECK(inputsOfFirst("  if (get_block_idx() + n > 2)\n  " + kRowWork) == Names{"get_block_idx()", "n"});
  CHECK(inputsOfFirst("  int32_t c[2] = {0, 0};\n  c[n & 1] = n;\n  if (c[1] > 2)\n  " + kRowWork) == Names{"n"});
}

TEST_CASE("ways: behind a way that no run has taken nothing is possible") {
  Replayed kernel(vectorKernel(kRowTile + "  if (n > 3)\n  " + kRowWork + "  TEXP(a, a);\n"));
  const Ways &ways = kernel.subject->ways();
  REQUIRE(ways.open().size() == 2);
  const std::vector<bool> all = ways.possible({});
  CHECK(std::find(all.begin(), all.end(), false) == all.end()); // whatever is open may be taken yet
  const Way inside = ways.open()[ways.open()[0].taken ? 0 : 1];
  const std::vector<bool> without = ways.possible({}, {inside});
  CHECK(std::count(without.begin(), without.end(), false) == 1);
}
