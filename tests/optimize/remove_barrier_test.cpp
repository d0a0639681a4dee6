#include "optimize/remove_barrier.h"

#include "optimize/decided.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kBarredWrite = "  TADDS(a, b, 1.0f);\n", kBarredRead = "  TADDS(c, a, 1.0f);\n";

} // namespace

TEST_CASE("remove barrier: PIPE_ALL first, then from the deepest loop out", "[barriers]") {
  // Either would do for the pair; the one of all pipes goes, although it stands second.
  Decided all(
      usualKernel(kBarredWrite + "  pipe_barrier(PIPE_V); // one\n  pipe_barrier(PIPE_ALL) ; // all\n" + kBarredRead));
  CHECK(all.verdicts({"// one", "// all"}) == "kept: hazard removed");
  // The inner one goes before the outer one is tried.
  Decided nested(usualKernel("  pipe_barrier(PIPE_V); // outer\n" +
                             loopOver("2", "  pipe_barrier(PIPE_V); // inner\n  TADDS(d, d, 1.0f);\n") + kBarredRead));
  CHECK(nested.verdict("// inner") == "kept: hazard"); // d follows d
  Decided straight(usualKernel(kBarredWrite + "  pipe_barrier(PIPE_V); // outer\n" +
                               loopOver("2", "  pipe_barrier(PIPE_V); // inner\n" + kBarredRead)));
  CHECK(straight.verdicts({"// outer", "// inner"}) ==
        "removed kept: hazard"); // the inner one orders c after c as well
}

TEST_CASE("remove barrier: edits are numbered in the order in which they are made", "[barriers]") {
  Decided kernel(
      usualKernel("  pipe_barrier(PIPE_V); // one\n  TADDS(d, d, 1.0f);\n  pipe_barrier(PIPE_ALL) ; // two\n" +
                  loopOver("n", "  pipe_barrier(PIPE_MTE3); // three\n")));
  CHECK(kernel.at("// two").edit == 1);
  CHECK(kernel.at("// three").edit == 2);
  CHECK(kernel.at("// one").edit == 3);
}

TEST_CASE("remove barrier: the pattern that claims it, not the one asked last", "[barriers]") {
  std::string text = usualKernel(kBarrier + kBarredWrite);
  CHECK(Decided(text).pattern("// barrier") == "redundant-pipe-v");
  CHECK(Decided(text).verdict("// barrier") == "removed");
  for (const char *patterns : {"--patterns=redundant-pipe-mte3", "--patterns=redundant-flag"})
    CHECK(Decided(text, {patterns}).verdict("// barrier") == "kept: not-nominated");
}

TEST_CASE("remove barrier: flags are there when barriers are judged", "[barriers]") {
  // The barrier goes because of the two flags; then they stay, because it is gone.
  Decided kernel(usualKernel(kBarredWrite + setFlag("out", 0, "PIPE_V, PIPE_MTE2") +
                             waitFlag("in", 0, "PIPE_V, PIPE_MTE2") + setFlag("back") + waitFlag("again") + kBarrier +
                             kBarredRead));
  CHECK(kernel.verdict("// barrier") == "removed");
  CHECK(kernel.verdicts({"// out", "// in", "// back", "// again"}) ==
        "kept: hazard kept: hazard kept: hazard kept: hazard");
}
