// Syncs that no run is seen to reach do not go for that alone, whoever asks.
#include "optimize/decided.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kDead = "  pipe_barrier(PIPE_V); // dead\n", kLive = "  pipe_barrier(PIPE_V); // live\n";

std::string guardedBy(const std::string &condition, const std::string &inside) {
  return "  if (" + condition + ") {\n" + inside + "  }\n";
}

} // namespace

TEST_CASE("unreached: a barrier where nobody comes is kept, one that orders nothing goes", "[unreached]") {
  for (const std::string &dead :
       {guardedBy("1 > 2", kDead), guardedBy("n > 3", guardedBy("n < 2", kDead)),
        loopOver("4", guardedBy("i > 9", kDead)), loopOver("n", guardedBy("i % 2 == 5", kDead)), loopOver("0", kDead),
        std::string("  while (true) {\n  }\n") + kDead + "  TADDS(a, a, 1.0f);\n",
        loopOver("8", guardedBy("i % 2 == 0", guardedBy("i % 2 == 1", kDead)))}) {
    CAPTURE(dead);
    Decided kernel(usualKernel(kLive + dead));
    CHECK(kernel.verdict("// live") == "removed");
    CHECK(kernel.verdict("// dead") == "kept: unreached");
  }
}

TEST_CASE("unreached: some of the copies of a block are enough", "[unreached]") {
  Decided kernel(usualKernel(loopOver("8", guardedBy("i % 4 == 3", kLive))));
  CHECK(kernel.verdict("// live") == "removed");
}

TEST_CASE("unreached: behind the end of a kernel", "[unreached]") {
  Decided kernel(usualKernel("  return;\n" + kDead + "  TADDS(a, a, 1.0f);\n" + setFlag("set") + waitFlag("wait")));
  CHECK(kernel.verdicts({"// dead", "// set", "// wait"}) == "kept: unreached kept: unreached kept: unreached");
}

TEST_CASE("unreached: a flag that is also used where nobody comes stays as a whole", "[unreached]") {
  auto flags = [](const std::string &condition, int id) {
    return usualKernel(setFlag("set") + waitFlag("wait") +
                       guardedBy(condition, setFlag("dead set", id) + waitFlag("dead wait", id)));
  };
  Decided same(flags("1 > 2", 0));
  CHECK(same.verdicts({"// set", "// wait"}) == "kept: unreached kept: unreached");
  CHECK(same.verdicts({"// dead set", "// dead wait"}) == "kept: unreached kept: unreached");
  Decided other(flags("1 > 2", 1));
  CHECK(other.verdicts({"// set", "// wait"}) == "removed removed");
  CHECK(other.verdicts({"// dead set", "// dead wait"}) == "kept: unreached kept: unreached");
  Decided reached(flags("n > 2", 0));
  CHECK(reached.verdicts({"// set", "// wait", "// dead set", "// dead wait"}) == "removed removed removed removed");
}

TEST_CASE("unreached: a flag that is needed is kept for what it orders", "[unreached]") {
  Decided kernel(usualKernel("  TLOAD(a, g);\n" + setFlag("set") + waitFlag("wait") + "  TADDS(b, a, 1.0f);\n" +
                             guardedBy("1 > 2", setFlag("dead set") + waitFlag("dead wait"))));
  CHECK(kernel.verdicts({"// set", "// wait"}) == "kept: hazard kept: hazard");
}

TEST_CASE("unreached: a flag that is also used where nobody comes does not move", "[unreached]") {
  auto kernel = [](const std::string &condition) {
    return usualKernel("  TLOAD(a, g);\n" + setFlag("set") + waitFlag("wait") + "  TADDS(d, c, 1.0f);\n" +
                       "  TADDS(b, a, 1.0f);\n" + guardedBy(condition, setFlag("more") + waitFlag("again")));
  };
  CHECK(Decided(kernel("n > 2")).verdict("// wait") == "moved");
  CHECK(Decided(kernel("1 > 2")).verdict("// wait") == "kept: hazard");
}

TEST_CASE("unreached: one of several calls of a helper is enough to keep it", "[unreached]") {
  std::string text = usualKernel("  helper(false);\n  helper(true);\n");
  text.insert(text.find("extern"), "static AICORE inline void helper(bool last) {\n" + guardedBy("last", kDead) +
                                       "  pipe_barrier(PIPE_MTE3); // live\n}\n");
  Decided kernel(text);
  CHECK(kernel.verdicts({"// dead", "// live"}) == "kept: unreached removed");
}
