#include "ordering/token_states.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kStateSet = "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n",
                  kStateWait = "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";

std::string stateText(const std::string &statements) {
  return vectorKernel(rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + tensorAt("g", "in") + statements);
}

/// The state of the only flag in front of the marked instruction, with what `edit` leaves of the kernel.
Token stateAt(const Analysed &kernel, const std::string &mark, const SyncLayout &layout = {}) {
  TokenStates states(*kernel.program, layout);
  const Node &node = kernel.program->nodes[kernel.node(mark)];
  Tokens tokens = states.entry(node.block);
  layout.forEach(*kernel.program, node.block, [&](EventKey key, const Event &event) {
    if (key.second == node.event && event.kind == Event::Kind::Access)
      return false;
    TokenStates::apply(*kernel.program, event, tokens);
    return true;
  });
  REQUIRE(tokens.size() == 1);
  return tokens[0];
}

Token stateAt(const std::string &statements) { return stateAt(Analysed(stateText(statements)), "// here"); }

std::size_t faultsWithout(const std::string &statements, const std::vector<std::string> &marks) {
  Analysed kernel(stateText(statements));
  SyncLayout layout;
  for (const std::string &mark : marks)
    layout.apply({{kernel.site(mark)}, {}});
  return TokenStates(*kernel.program, layout).faults().size();
}

const std::string kHere = "  TADDS(a, b, 1.0f); // here\n";

} // namespace

TEST_CASE("token states: flags in arms that take turns", "[tokens]") {
  auto faults = [](const std::string &first, const std::string &second, const std::string &bound) {
    Analysed kernel(vectorKernel("  for (int64_t k = 0; k < " + bound + "; k += 1) {\n    if (" + first +
                                 ") {\n      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n    }\n    if (" + second +
                                 ") {\n      wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n    }\n  }\n"));
    return kernel.pending->tokenFaults().size();
  };
  CHECK(faults("k % 2 == 0", "k % 2 == 0", "n") == 0);
  CHECK(faults("k % 4 == 0", "k % 4 == 3", "96") == 0);
  CHECK(faults("k % 4 == 0", "k % 4 == 3", "n") != 0); // left set where n is no multiple of 4
  CHECK(faults("k % 4 == 0", "k % 4 == 3", "97") != 0);
  CHECK(faults("k % 4 == 0", "k % 4 == 3 || k + 1 == (int64_t) n", "(int64_t) n") == 0);
  CHECK(faults("k == 0", "k == 0", "n") == 0);
  CHECK(faults("k + 1 < (int64_t) n", "k != 0", "(int64_t) n") != 0); // the set comes before the wait for the last
  CHECK(faults("k % 2 == 0", "k % 2 == 1", "96") == 0);
  CHECK(faults("k % 2 == 0", "k % 2 == 1", "n") != 0);
}

TEST_CASE("token states: along one path", "[tokens]") {
  CHECK(stateAt(kHere + kStateSet + kStateWait) == Token::Empty);
  CHECK(stateAt(kStateSet + kHere + kStateWait) == Token::Full);
  CHECK(stateAt(kStateSet + kStateWait + kHere) == Token::Empty);
  // One of the two settings may be lost, or left for the wait of a third.
  CHECK(stateAt(kStateSet + kStateSet + kHere) == Token::Overrun);
  CHECK(stateAt(kStateSet + kStateSet + kStateWait + kHere) == Token::Overrun);
  CHECK(stateAt(kStateSet + kStateSet + kStateWait + kStateSet + kHere) == Token::Overrun);
  CHECK(stateAt(kStateWait + kStateSet + kHere) == Token::Full);
}

TEST_CASE("token states: where paths meet", "[tokens]") {
  const std::string arm = "  if (n > 3) {\n";
  CHECK(stateAt(arm + kStateSet + "  }\n" + kHere) == Token::Maybe);
  CHECK(stateAt(arm + kStateSet + "  } else {\n" + kStateSet + "  }\n" + kHere) == Token::Full);
  CHECK(stateAt(arm + kStateSet + kStateWait + "  }\n" + kHere) == Token::Empty);
  CHECK(stateAt(kStateSet + arm + kStateWait + kStateSet + "  }\n" + kHere) == Token::Full);
  CHECK(stateAt(arm + kStateSet + "  }\n" + kStateSet + kStateWait + kHere) == Token::Overrun);
  // A wait settles it again; that it met the wrong state is a fault of its own.
  CHECK(stateAt(arm + kStateSet + "  }\n" + kStateWait + kHere) == Token::Empty);
  // A path that the scalars exclude is not followed.
  CHECK(stateAt("  int32_t one = 1;\n  if (one > 3) {\n" + kStateSet + "  }\n" + kHere) == Token::Empty);
}

TEST_CASE("token states: round loops", "[tokens]") {
  auto loop = [](const std::string &bound, const std::string &inside) {
    return "  for (int32_t i = 0; i < " + bound + "; ++i) {\n" + inside + "  }\n";
  };
  CHECK(stateAt(kStateSet + loop("n", kStateWait + kStateSet) + kHere) == Token::Full);
  CHECK(stateAt(kStateSet + loop("n", kHere + kStateWait + kStateSet) + kStateWait) == Token::Full);
  CHECK(stateAt(loop("n", kHere + kStateSet)) == Token::Overrun); // from the second trip on
  CHECK(stateAt(loop("n", kStateSet) + kHere) == Token::Overrun);
}

TEST_CASE("token states: an event id that is not decided settles nothing", "[tokens]") {
  Analysed kernel(stateText("  set_flag(PIPE_MTE2, PIPE_V, (event_t) (n > 3 ? 1 : 0));\n" + kHere +
                            "  wait_flag(PIPE_MTE2, PIPE_V, (event_t) (n > 3 ? 1 : 0));\n"));
  TokenStates states(*kernel.program, {});
  REQUIRE(kernel.program->flags.size() == 2);
  CHECK_FALSE(states.faults().empty()); // both may be left set
}

TEST_CASE("token states: a library call that uses the flag inside", "[tokens]") {
  // MGATHER sets and waits for (PIPE_V, PIPE_S, 0) itself.
  Analysed kernel(stateText(
      "  set_flag(PIPE_V, PIPE_S, EVENT_ID0);\n  MGATHER(a, g, b);\n  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);\n"));
  bool inside = false;
  for (const TokenEvent &fault : kernel.pending->tokens().faults())
    inside =
        inside || (fault.event != kNone && kernel.program->steps[fault.step][fault.event].kind == Event::Kind::Access);
  CHECK(inside);
  // While the flag is empty the call is free to use it.
  CHECK(Analysed(stateText("  MGATHER(a, g, b);\n")).pending->tokens().faults().empty());
}

TEST_CASE("token states: after edits", "[tokens]") {
  const std::string two =
      "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // set\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n"
      "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // again\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // last\n";
  CHECK(faultsWithout(two, {}) == 0);
  CHECK(faultsWithout(two, {"// wait", "// again"}) == 0); // one setting lasts
  CHECK(faultsWithout(two, {"// set", "// wait"}) == 0);
  CHECK(faultsWithout(two, {"// set"}) == 1);  // the first wait is unfed
  CHECK(faultsWithout(two, {"// wait"}) >= 1); // set twice
  CHECK(faultsWithout(two, {"// last"}) == 1); // left set at the end
  CHECK(faultsWithout(two, {"// set", "// last"}) == 2);
  // Moved: the second set in front of the first wait.
  Analysed kernel(stateText(two));
  SyncLayout layout;
  EventKey again = kernel.pending->eventsOf(kernel.site("// again"))[0],
           wait = kernel.pending->eventsOf(kernel.site("// wait"))[0];
  layout.apply({{}, {{again, {wait}}}});
  CHECK_FALSE(TokenStates(*kernel.program, layout).faults().empty());
}

TEST_CASE("token states: a kernel without flags, and one that ends nowhere", "[tokens]") {
  Analysed none(stateText(kHere));
  CHECK(TokenStates(*none.program, {}).faults().empty());
  CHECK(TokenStates(*none.program, {}).reached(0));
  Analysed endless(stateText("  while (true) {\n" + kStateSet + kStateWait + "  }\n"));
  CHECK(TokenStates(*endless.program, {}).faults().empty());
}
