#include "optimize/remove_handshake.h"

#include "optimize/decided.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

constexpr const char *kThere = "PIPE_V, PIPE_MTE3", *kBack = "PIPE_MTE3, PIPE_V";

/// Two flags that hold each other, round a loop with `inside` between them.
std::string handshake(const std::string &between = "", const std::string &behind = "") {
  return loopOver("n", setFlag("set there", 0, kThere) + waitFlag("wait there", 0, kThere) + between +
                           setFlag("set back", 0, kBack) + waitFlag("wait back", 0, kBack) + behind);
}

constexpr auto kHandshakeFour = {"// set there", "// wait there", "// set back", "// wait back"};

} // namespace

TEST_CASE("remove handshake: two flags that hold each other, and nothing else", "[handshakes]") {
  Decided kernel(usualKernel(handshake()));
  CHECK(kernel.verdicts(kHandshakeFour) == "removed removed removed removed");
  CHECK(kernel.pattern("// wait back") == "redundant-flag");
  CHECK(kernel.at("// wait there").edit == kernel.at("// set back").edit);
}

TEST_CASE("remove handshake: what one of them orders keeps both", "[handshakes]") {
  // The store reads what the vector pipe writes, in every trip.
  Decided kernel(usualKernel(handshake("  TSTORE(h, a);\n", "  TADDS(a, b, 1.0f);\n")));
  CHECK(kernel.verdict("// wait there") != "removed");
  CHECK(kernel.verdict("// wait back") != "removed");
}

TEST_CASE("remove handshake: a ring of three", "[handshakes]") {
  Decided kernel(usualKernel(
      loopOver("n", setFlag("set 1", 0, "PIPE_V, PIPE_MTE3") + waitFlag("wait 1", 0, "PIPE_V, PIPE_MTE3") +
                        setFlag("set 2", 0, "PIPE_MTE3, PIPE_MTE2") + waitFlag("wait 2", 0, "PIPE_MTE3, PIPE_MTE2") +
                        setFlag("set 3", 0, "PIPE_MTE2, PIPE_V") + waitFlag("wait 3", 0, "PIPE_MTE2, PIPE_V"))));
  CHECK(kernel.verdicts({"// set 1", "// wait 2", "// set 3"}) == "removed removed removed");
}

TEST_CASE("remove handshake: a half that may not be edited keeps the other", "[handshakes]") {
  Decided kernel(usualKernel(loopOver("n", setFlag("set there", 0, kThere) + waitFlag("wait there", 0, kThere) +
                                               setFlag("set back", 0, kBack) +
                                               "  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); // ptosync: keep(mine)\n")));
  CHECK(kernel.verdict("// set there") == "kept: hazard");
  CHECK(kernel.verdict("// set back") == "kept: protected");
}

TEST_CASE("remove handshake: neither without the pattern that asks for flags, nor beyond the limit", "[handshakes]") {
  Decided none(usualKernel(handshake()), {"--patterns=redundant-generation"});
  CHECK(none.verdict("// set there") != "removed");
  RunOptions options;
  options.optimize.maxRemovals = 0;
  CHECK(Decided(usualKernel(handshake()), options).verdict("// set there") != "removed");
}
