#include "audit/separate_storage.h"

#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// x and y share bytes; the mark is on the sync between their uses.
std::string shared(const std::string &sync, const std::string &reader) {
  return shortTiles(rowsAt("x", 4, "8192") + rowsAt("y", 4, "8192") + "  TADDS(d, x, 1.0f);\n" + sync +
                    "  TADDS(y, a, 1.0f); // writer\n  pipe_barrier(PIPE_ALL);\n  TADDS(b, " + reader + ", 1.0f);\n");
}

VariableId addressOf(const Analysed &kernel, const std::string &name) {
  for (const Tile &tile : kernel.module.kernels[0].tiles)
    if (tile.name == name)
      return tile.address;
  throw std::runtime_error("no tile " + name);
}

} // namespace

TEST_CASE("separate storage: a barrier that is there for the sharing alone would go") {
  Analysed kernel(shared("  pipe_barrier(PIPE_V); // sync\n", "y"));
  const Kernel &lifted = kernel.module.kernels[0];
  std::set<SiteId> sites = {kernel.site("// sync")};
  CHECK(goesWithSeparateStorage(lifted, machineOf("a3"), {}, sites, {addressOf(kernel, "y")}));
  CHECK_FALSE(goesWithSeparateStorage(lifted, machineOf("a3"), {}, sites, {addressOf(kernel, "b")}));
  CHECK_FALSE(goesWithSeparateStorage(lifted, machineOf("a3"), {}, sites, {}));
}

TEST_CASE("separate storage: so would a web of flags, taken out as a whole") {
  Analysed kernel(
      shared("  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // set\n"
             "  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // wait\n  TLOAD(y, g);\n  pipe_barrier(PIPE_ALL);\n",
             "y"));
  const Kernel &lifted = kernel.module.kernels[0];
  std::set<SiteId> sites = {kernel.site("// set"), kernel.site("// wait")};
  CHECK(goesWithSeparateStorage(lifted, machineOf("a3"), {}, sites, {addressOf(kernel, "y")}));
  CHECK_FALSE(goesWithSeparateStorage(lifted, machineOf("a3"), {}, sites, {}));
}

TEST_CASE("separate storage: a tile qualifies that is read through its own name alone") {
  auto qualifies = [](const std::string &reader) {
    Analysed kernel(shared("  pipe_barrier(PIPE_V);\n", reader));
    return readByItsNameOnly(*kernel.program, kernel.hazards(), kernel.node("// writer"), 0);
  };
  CHECK(qualifies("y"));
  CHECK_FALSE(qualifies("x")); // the sharing is the point
  CHECK_FALSE(qualifies("c")); // nobody reads it
}
