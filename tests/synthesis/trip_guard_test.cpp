#include "synthesis/synthesised.h"
#include "synthesis/trip_guard.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

struct Ordered {
  Module module;
  StatementTree tree;
  RequiredOrder order;
};

/// A load in front of the loops, used inside them.
Ordered nest(const std::string &loops, const std::string &ends) {
  Ordered result{lift(vectorKernel(tile("v1", "float", 16, 64, 0) + tensor("g", "in", "0") + "  TLOAD(v1, g);\n" +
                                   loops + "  TADDS(v1, v1, 1.0f);\n" + ends)),
                 {},
                 {}};
  result.tree = llvm::cantFail(StatementTree::read(result.module.kernels.front()));
  result.order = llvm::cantFail(requiredOrder(result.module, 0, result.tree, machineOf("a3"), {}));
  return result;
}

/// Of the use's loops; "none".
std::string guardOf(const std::string &loops, const std::string &ends, Trip trip) {
  Ordered ordered = nest(loops, ends);
  for (const RequiredPair &pair : ordered.order.pairs)
    if (pair.source == Pipe::MTE2 && pair.destination == Pipe::V)
      return tripGuard(ordered.order, ordered.tree, pair.later, 0, pair.laterLoops, trip).value_or("none");
  return "no pair";
}

} // namespace

TEST_CASE("trip guard: the counter's first and last value, by its step") {
  const std::string loop = "  for (int64_t k = 128; k < 1000; k += 128) {\n";
  CHECK(guardOf(loop, "  }\n", Trip::First) == "k == 128");
  CHECK(guardOf(loop, "  }\n", Trip::Last) == "k == 896");
  CHECK(guardOf("  for (int32_t k = 0; k <= 3; ++k) {\n", "  }\n", Trip::Last) == "k == 3");
}

TEST_CASE("trip guard: of a nest, a test of each counter") {
  const std::string loops = "  for (int64_t i = 0; i < 4; ++i) {\n  for (int64_t k = 0; k < 512; k += 256) {\n";
  CHECK(guardOf(loops, "  }\n  }\n", Trip::First) == "i == 0 && k == 0");
  CHECK(guardOf(loops, "  }\n  }\n", Trip::Last) == "i == 3 && k == 256");
}

TEST_CASE("trip guard: none where a loop may not run, runs once, or is not counted") {
  for (const char *loop : {"  for (int64_t k = 0; k < n; ++k) {\n", "  for (int64_t k = n; k < n + 4; ++k) {\n",
                           "  for (int64_t k = 0; k < 1; ++k) {\n", "  for (int64_t k = 8; k > 0; --k) {\n",
                           "  while (n > get_block_idx()) {\n"}) {
    CAPTURE(loop);
    CHECK(guardOf(loop, "  }\n", Trip::First) == "none");
    CHECK(guardOf(loop, "  }\n", Trip::Last) == "none");
  }
  CHECK(guardOf("  for (int64_t i = 0; i < 4; ++i) {\n  for (int64_t k = 0; k < n; ++k) {\n", "  }\n  }\n",
                Trip::Last) == "none");
}

TEST_CASE("trip guard: none in an arm of a branch, and none without a loop") {
  CHECK(guardOf("  for (int64_t k = 0; k < 4; ++k) {\n  if (n > 3) {\n", "  }\n  }\n", Trip::Last) == "none");
  CHECK(guardOf("", "", Trip::Last) == "none");
}
