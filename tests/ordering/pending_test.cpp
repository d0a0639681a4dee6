#include "ordering/pending.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Short tiles a, b, c, d and tensors g, h.
std::string body(const std::string &statements) {
  return vectorKernel(rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + rowsAt("c", 4, "2048") + rowsAt("d", 4, "3072") +
                      tensorAt("g", "in") + tensorAt("h", "out") + statements);
}

/// Whether the instruction on line "first" is seen ordered before the one on line "second".
bool ordered(const std::string &statements, const std::string &arch = "a3") {
  Analysed kernel(body(statements), arch);
  NodeId first = kernel.node("// first"), second = kernel.node("// second");
  bool conflicts = false;
  for (std::uint32_t i = 0; i < kernel.program->bitCount(kernel.program->nodes[first]); ++i)
    conflicts |= kernel.hazards().conflict(kernel.program->nodes[first].firstBit + i, second).has_value();
  REQUIRE(conflicts); // otherwise nothing is to be ordered
  for (const OpenObligation &open : kernel.pending->open(ObligationKind::Conflict))
    if (kernel.program->nodeOfBit[open.pair.bit] == first && open.pair.later == second)
      return false;
  return true;
}

/// Faults as "line: state", or "end: state"; in order.
std::vector<std::string> faults(const std::string &statements) {
  Analysed kernel(body(statements));
  std::vector<std::string> result;
  for (const TokenEvent &fault : kernel.pending->tokenFaults()) {
    std::string place = "end";
    if (fault.event != kNone) {
      unsigned line = kernel.program->steps[fault.step][fault.event].statement->line;
      place = std::to_string(line - kernel.line("// start"));
    }
    result.push_back(place + (fault.state == Token::Empty  ? ": empty"
                              : fault.state == Token::Full ? ": full"
                                                           : ": maybe"));
  }
  return result;
}

using Faults = std::vector<std::string>;

const std::string kFirst = "  TLOAD(a, g); // first\n";         // MTE2
const std::string kSecond = "  TADDS(b, a, 1.0f); // second\n"; // V
const std::string kSet = "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";
const std::string kWait = "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";

} // namespace

TEST_CASE("pending: an instruction is pending for every pipe until something ends it", "[pending]") {
  CHECK_FALSE(ordered("  TADDS(a, b, 1.0f); // first\n  TADDS(c, a, 1.0f); // second\n")); // same pipe, no order
  CHECK_FALSE(ordered(kFirst + kSecond));
}

TEST_CASE("pending: barriers", "[pending]") {
  const std::string first = "  TADDS(a, b, 1.0f); // first\n", second = "  TADDS(c, a, 1.0f); // second\n";
  CHECK(ordered(first + "  pipe_barrier(PIPE_V);\n" + second));
  CHECK(ordered(first + "  pipe_barrier(PIPE_ALL);\n" + second));
  CHECK_FALSE(ordered(first + "  pipe_barrier(PIPE_MTE2);\n" + second)); // another pipe's
  // A barrier of one pipe orders that pipe only.
  CHECK_FALSE(ordered(kFirst + "  pipe_barrier(PIPE_MTE2);\n" + kSecond));
  CHECK_FALSE(ordered(kFirst + "  pipe_barrier(PIPE_V);\n" + kSecond));
  CHECK(ordered(kFirst + "  pipe_barrier(PIPE_ALL);\n" + kSecond));
}

TEST_CASE("pending: set and wait", "[pending]") {
  CHECK(ordered(kFirst + kSet + kWait + kSecond));
  CHECK_FALSE(ordered(kFirst + kSet + kSecond + kWait));                                             // too late
  CHECK_FALSE(ordered(kSet + kFirst + kWait + kSecond));                                             // set too early
  CHECK_FALSE(ordered(kFirst + kSet + "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);\n" + kSecond));    // another id
  CHECK_FALSE(ordered(kFirst + kSet + "  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);\n" + kSecond)); // another pair
}

TEST_CASE("pending: a wait orders its own pipe only", "[pending]") {
  const std::string store = "  TSTORE(h, a); // second\n"; // MTE3
  CHECK_FALSE(ordered(kFirst + kSet + kWait + store));
  CHECK(ordered(kFirst +
                "  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);\n  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);\n" +
                store));
}

TEST_CASE("pending: a set does not order its own pipe", "[pending]") {
  CHECK_FALSE(ordered("  TADDS(a, b, 1.0f); // first\n  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                      "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  TADDS(c, a, 1.0f); // second\n"));
}

TEST_CASE("pending: order composes forward, and not backward", "[pending]") {
  const std::string store = "  TSTORE(h, a); // second\n";
  const std::string on = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n";
  CHECK(ordered(kFirst + kSet + kWait + on + store));
  CHECK_FALSE(ordered(kFirst + on + kSet + kWait + store)); // V to MTE3 lies before MTE2 to V
  // What the middle pipe did not know when it set is not carried.
  CHECK_FALSE(ordered(kSet + kWait + kFirst + on + store));
}

TEST_CASE("pending: out and back orders one's own pipe", "[pending]") {
  const std::string first = "  TADDS(a, b, 1.0f); // first\n", second = "  TADDS(c, a, 1.0f); // second\n";
  const std::string there = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n";
  const std::string back = "  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);\n";
  CHECK(ordered(first + there + back + second));
  CHECK_FALSE(ordered(first + back + there + second));
}

TEST_CASE("pending: PIPE_ALL does not clear a flag", "[pending]") {
  Analysed kernel(body(kFirst + kSet + "  pipe_barrier(PIPE_ALL);\n" + kWait));
  CHECK(kernel.pending->tokenFaults().empty()); // still set, and still to be waited for
}

TEST_CASE("pending: a join keeps what any path leaves running", "[pending]") {
  const std::string first = "  TADDS(a, b, 1.0f); // first\n", second = "  TADDS(c, a, 1.0f); // second\n";
  const std::string barrier = "    pipe_barrier(PIPE_V);\n";
  CHECK_FALSE(ordered(first + "  if (n > 3) {\n" + barrier + "  }\n" + second));
  CHECK(ordered(first + "  if (n > 3) {\n" + barrier + "  } else {\n" + barrier + "  }\n" + second));
  CHECK(ordered("  if (n > 3) {\n  " + first + barrier + "  }\n" + second));
  CHECK(ordered(first + "  if (1 < 2) {\n" + barrier + "  }\n" + second)); // a constant condition
  CHECK_FALSE(ordered(first + "  if (2 < 1) {\n" + barrier + "  }\n" + second));
}

TEST_CASE("pending: arms of one branch exclude each other", "[pending]") {
  Analysed kernel(body("  if (n > 3) {\n    TADDS(a, b, 1.0f);\n  } else {\n    TADDS(c, a, 1.0f);\n  }\n"));
  CHECK(kernel.pending->open(ObligationKind::Conflict).empty());
  Analysed loop(body("  for (int32_t i = 0; i < n; ++i) {\n  if (in[i] > 0.0f) {\n    TADDS(a, b, 1.0f); // first\n"
                     "  } else {\n    TADDS(c, a, 1.0f); // second\n  }\n  }\n"));
  bool carried = false;
  for (const OpenObligation &open : loop.pending->open(ObligationKind::Conflict))
    carried |=
        loop.program->nodeOfBit[open.pair.bit] == loop.node("// first") && open.pair.later == loop.node("// second");
  CHECK(carried); // in different iterations they do not
}

TEST_CASE("pending: loops that may not run, run for certain, run once", "[pending]") {
  const std::string first = "  TADDS(a, b, 1.0f); // first\n", second = "  TADDS(c, a, 1.0f); // second\n";
  auto loop = [](const std::string &bound, const std::string &inside) {
    return "  for (int32_t i = 0; i < " + bound + "; ++i) {\n" + inside + "  }\n";
  };
  const std::string barrier = "    pipe_barrier(PIPE_V);\n";
  CHECK_FALSE(ordered(first + loop("n", barrier) + second)); // perhaps zero trips
  CHECK(ordered(first + loop("4", barrier) + second));
  CHECK(ordered(first + loop("1", barrier) + second));
  CHECK_FALSE(ordered(first + loop("0", barrier) + second));
  CHECK_FALSE(ordered(first + loop("4", "    if (n == i) break;\n" + barrier) + second)); // may leave in front of it
  CHECK(ordered(first + "  int32_t j = 0;\n  do {\n" + barrier + "    j = j + 1;\n  } while (j < n);\n" + second));
  // One trip has no earlier iteration, but a loop is analysed as one that goes round whatever its bounds.
  const std::string carried = "    TADDS(c, a, 1.0f); // second\n    TADDS(a, b, 1.0f); // first\n";
  CHECK_FALSE(ordered(loop("2", carried)));
  CHECK_FALSE(ordered(loop("1", carried)));
}

TEST_CASE("pending: loop-carried pairs", "[pending]") {
  auto loop = [](const std::string &inside) { return "  for (int32_t i = 0; i < n; ++i) {\n" + inside + "  }\n"; };
  const std::string carried = "    TADDS(c, a, 1.0f); // second\n    TADDS(a, b, 1.0f); // first\n";
  const std::string barrier = "    pipe_barrier(PIPE_V);\n";
  CHECK_FALSE(ordered(loop(carried)));
  CHECK(ordered(loop(carried + barrier)));
  CHECK(ordered(loop(barrier + carried)));
  CHECK_FALSE(ordered(loop(carried + "    if (in[i] > 0.0f) {\n" + barrier + "    }\n")));
}

TEST_CASE("pending: rotating storage is compared at its distance", "[pending]") {
  auto ring = [](const std::string &sync) {
    return "  for (int32_t i = 0; i < n; ++i) {\n    int64_t at = i % 2 == 1 ? 8192 : 4096;\n" + rowsAt("w", 4, "at") +
           "    TEXPANDS(w, 1.0f); // first second\n" + sync + "  }\n";
  };
  auto open = [&](const std::string &sync) {
    Analysed kernel(body(ring(sync)));
    std::vector<std::uint32_t> distances;
    for (const OpenObligation &conflict : kernel.pending->open(ObligationKind::Conflict))
      distances.push_back(kernel.program->distanceOf(conflict.pair.bit).count);
    std::sort(distances.begin(), distances.end());
    return distances;
  };
  std::vector<std::uint32_t> without = open("");
  CHECK(std::count(without.begin(), without.end(), 1u) == 0); // the other buffer
  CHECK(std::count(without.begin(), without.end(), 2u) == 1); // the same again
  CHECK(open("    pipe_barrier(PIPE_V);\n").empty());
}

TEST_CASE("pending: primed before the loop, drained after it", "[pending]") {
  // The load of iteration i + 1 waits for the vector work of iteration i; primed once, drained once.
  std::string kernel = "  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n  for (int32_t i = 0; i < n; ++i) {\n"
                       "    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n    TLOAD(a, g); // second\n"
                       "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                       "    pipe_barrier(PIPE_V);\n    TADDS(b, a, 1.0f); // first\n"
                       "    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n  }\n  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n";
  CHECK(ordered(kernel));
  Analysed analysed(body(kernel));
  CHECK(analysed.pending->tokenFaults().empty());
  CHECK(analysed.openPairs().empty()); // the load over the load before it too, by way of the vector pipe
}

TEST_CASE("pending: dynamic lanes cover nothing", "[pending]") {
  auto pair = [](const std::string &set, const std::string &wait) {
    return kFirst + "  set_flag(PIPE_MTE2, PIPE_V, (event_t) (" + set +
           "));\n  wait_flag(PIPE_MTE2, PIPE_V, (event_t) (" + wait + "));\n" + kSecond;
  };
  CHECK(ordered(pair("1", "1")));
  CHECK_FALSE(ordered(pair("0", "1")));
  CHECK_FALSE(ordered(pair("n > 3 ? 0 : 1", "0")));
  CHECK_FALSE(ordered(pair("0", "n > 3 ? 0 : 1")));
  CHECK_FALSE(ordered(pair("n & 1", "n & 1"))); // anything
}

TEST_CASE("pending: lanes that step with the loop are told apart", "[pending]") {
  auto ring = [](const std::string &wait) {
    return "  for (int32_t i = 0; i < n; ++i) {\n    event_t id = (event_t) (i % 2 == 1 ? 1 : 0);\n    TLOAD(a, g); // "
           "first\n"
           "    set_flag(PIPE_MTE2, PIPE_V, id);\n    wait_flag(PIPE_MTE2, PIPE_V, " +
           wait +
           ");\n"
           "    TADDS(b, a, 1.0f); // second\n    pipe_barrier(PIPE_ALL);\n  }\n";
  };
  CHECK(ordered(ring("id")));
  CHECK_FALSE(ordered(ring("(event_t) (i % 2 == 1 ? 0 : 1)"))); // the other lane
  CHECK_FALSE(ordered(ring("EVENT_ID0")));                      // right in every second iteration
}

TEST_CASE("pending: token faults", "[pending]") {
  const std::string start = "  ; // start\n";
  CHECK(faults(start + kSet + kWait) == Faults{});
  CHECK(faults(start + kSet + kSet + kWait) == Faults{"2: full", "3: maybe", "end: maybe"}); // set twice
  CHECK(faults(start + kWait) == Faults{"1: empty"});                                        // never fed
  CHECK(faults(start + kSet) == Faults{"end: full"});                                        // left set
  CHECK(faults(start + kSet + kWait + kWait) == Faults{"3: empty"});
  CHECK(faults(start + "  if (n > 3) {\n  " + kSet + "  }\n" + kWait) == Faults{"4: maybe"}); // one arm
  CHECK(faults(start + "  if (n > 3) {\n  " + kSet + "  } else {\n  " + kSet + "  }\n" + kWait) == Faults{});
  CHECK(faults(start + "  if (n > 3) {\n  " + kSet + "  " + kWait + "  }\n") == Faults{});
  // Set in a loop that may run again without a wait, or not at all.
  CHECK(faults(start + "  for (int32_t i = 0; i < n; ++i) {\n  " + kSet + "  " + kWait + "  }\n") == Faults{});
  CHECK_FALSE(faults(start + "  for (int32_t i = 0; i < n; ++i) {\n  " + kSet + "  }\n" + kWait).empty());
  CHECK_FALSE(faults(start + "  for (int32_t i = 0; i < 2; ++i) {\n  " + kSet + "  }\n" + kWait).empty());
  // Exactly once: no fault in truth, but a loop is analysed as one that goes round whatever its bounds.
  CHECK_FALSE(faults(start + "  for (int32_t i = 0; i < 1; ++i) {\n  " + kSet + "  }\n" + kWait).empty());
}

TEST_CASE("pending: a set on one path only covers nothing", "[pending]") {
  CHECK_FALSE(ordered(kFirst + "  if (n > 3) {\n  " + kSet + "  }\n" + kWait + kSecond));
  CHECK(ordered(kFirst + "  if (n > 3) {\n  " + kSet + "  } else {\n  " + kSet + "  }\n" + kWait + kSecond));
  // Nor does a double one: which of the two the wait takes is open.
  CHECK_FALSE(ordered(kSet + kFirst + kSet + kWait + kSecond));
}

TEST_CASE("pending: setting a flag before its last wait is known to be over", "[pending]") {
  auto reuse = [](const std::string &between) {
    Analysed kernel(
        body(kFirst + kSet + kWait + "  TADDS(b, a, 1.0f);\n" + between + "  TLOAD(c, g);\n" + kSet + kWait));
    return !kernel.pending->open(ObligationKind::FlagReuse).empty();
  };
  CHECK(reuse("")); // nothing tells MTE2
  CHECK_FALSE(reuse("  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n"));
  CHECK_FALSE(reuse("  pipe_barrier(PIPE_ALL);\n"));
  CHECK(reuse("  pipe_barrier(PIPE_V);\n"));
}

TEST_CASE("pending: a set of a ring comes behind the wait that consumed its own id", "[pending]") {
  // Two buffers: the loads may be two iterations ahead of the additions.
  auto reuse = [](const std::string &id) {
    std::string forward = "PIPE_MTE2, PIPE_V, (event_t) (" + id + "));\n";
    Analysed kernel(body("  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);\n"
                         "  for (int32_t i = 0; i < n; ++i) {\n"
                         "    wait_flag(PIPE_V, PIPE_MTE2, (event_t) (i % 2));\n    TLOAD(a, g);\n    set_flag(" +
                         forward + "    wait_flag(" + forward +
                         "    TADDS(b, a, 1.0f);\n    set_flag(PIPE_V, PIPE_MTE2, (event_t) (i % 2));\n  }\n"
                         "  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);\n"));
    CHECK(kernel.pending->tokenFaults().empty());
    return !kernel.pending->open(ObligationKind::FlagReuse).empty();
  };
  CHECK(reuse("0"));
  CHECK_FALSE(reuse("i % 2"));
}

TEST_CASE("pending: silenced conflicts are listed with their rule", "[pending]") {
  Analysed kernel(vectorKernel(productTiles(16, 16, "int8_t") + "  TMATMUL(C, L, R);\n  TMATMUL_ACC(C, C, L, R);\n"));
  const std::vector<OpenObligation> open = kernel.pending->open(ObligationKind::Conflict);
  REQUIRE(open.size() == 1);
  CHECK(open[0].silenced == Excuse::Silenced);
  CHECK(open[0].rule == "m-accumulate-order");
  OrderingOptions relied;
  relied.accumulateOrder = true;
  CHECK(Analysed(vectorKernel(productTiles(16, 16, "int8_t") + "  TMATMUL(C, L, R);\n  TMATMUL_ACC(C, C, L, R);\n"),
                 "a3", relied)
            .pending->open(ObligationKind::Conflict)
            .empty());
}

TEST_CASE("pending: a kernel is seen whole where nothing is open and no flag is faulty", "[pending]") {
  auto whole = [](const std::string &statements) { return Analysed(body(statements)).pending->seenWhole(); };
  CHECK(whole(""));
  CHECK(whole(kFirst + kSet + kWait + kSecond));
  CHECK_FALSE(whole(kFirst + kSecond));                     // a conflict
  CHECK_FALSE(whole(kFirst + kSet + kWait + kSet + kWait)); // a flag set again
  CHECK_FALSE(whole(kFirst + "  unknown_call(a);\n"));      // relative to a fence
  const std::string rarely = "  if (n > 7) {\n  pipe_barrier(PIPE_ALL);\n  }\n";
  CHECK_FALSE(whole("  if (n > 3) {\n" + kFirst + rarely + "  return;\n  }\n")); // at the kernel's end
  CHECK(whole("  if (n > 3) {\n" + kFirst + "  return;\n  }\n"));                // where nothing could order it
  CHECK_FALSE(whole(kSet));                                                      // a flag that is left set
  CHECK_FALSE(whole("  TSTORE(h, a);\n  TSTORE(h, a);\n"));                      // by a contested rule
}

TEST_CASE("pending: instances age round loops and saturate", "[pending]") {
  Analysed kernel(body("  for (int32_t i = 0; i < n; ++i) {\n    TADDS(a, b, 1.0f); // outer\n"
                       "    for (int32_t j = 0; j < n; ++j) {\n      TADDS(c, d, 1.0f); // inner\n    }\n  }\n"));
  const Program &program = *kernel.program;
  const Node &outer = program.nodes[kernel.node("// outer")], &inner = program.nodes[kernel.node("// inner")];
  std::uint32_t once = program.agedBit(outer.firstBit, outer.loop), twice = program.agedBit(once, outer.loop);
  CHECK(program.distanceOf(once).count == 1);
  CHECK_FALSE(program.distanceOf(once).atLeast);
  CHECK(program.distanceOf(twice).count == 2);
  CHECK(program.distanceOf(twice).atLeast);
  CHECK(program.agedBit(twice, outer.loop) == twice);
  CHECK(program.agedBit(outer.firstBit, inner.loop) == outer.firstBit); // not in that loop
  CHECK(program.agedBit(outer.firstBit, kNone) == outer.firstBit);
  std::uint32_t inside = program.agedBit(inner.firstBit, inner.loop);
  CHECK(program.distanceOf(inside).loop == inner.loop);
  std::uint32_t around = program.agedBit(inside, outer.loop);
  CHECK(program.distanceOf(around).loop == outer.loop); // the outer distance counts
  CHECK(program.distanceOf(around).count == 1);
  CHECK(program.agedBit(around, inner.loop) == around);
}

TEST_CASE("pending: all that may still run at an early return, not the first alone", "[pending]") {
  Analysed kernel(vectorKernel(rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + tensorAt("g", "in") +
                               "  TADDS(a, a, 1.0f); // one\n  TLOAD(b, g); // two\n  if (n > 3) return;\n"));
  std::set<NodeId> running;
  for (const OpenObligation &open : kernel.pending->open(ObligationKind::End))
    running.insert(kernel.program->nodeOfBit[open.pair.bit]);
  CHECK(running == std::set<NodeId>{kernel.node("// one"), kernel.node("// two")});
}

TEST_CASE("pending: a signal to the other core may still be given at an early return", "[pending]") {
  Analysed kernel(vectorKernel(
      "  auto fifo = TPipe<2, Direction::DIR_V2C, 2048, 8, 2, false>(in, 147456, 147456);\n" + tensorAt("slot", "in") +
      "  TPUSH<TPipe<2, Direction::DIR_V2C, 2048, 8, 2, false>, GlobalTensor<float, pto::Shape<1, 1, 1, 4,"
      " 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND>, TileSplitAxis::TILE_UP_DOWN>(fifo, slot);"
      " // push\n  if (n > 3) return;\n"));
  std::set<NodeId> running;
  for (const OpenObligation &open : kernel.pending->open(ObligationKind::End))
    running.insert(kernel.program->nodeOfBit[open.pair.bit]);
  std::vector<NodeId> push = kernel.nodes("// push");
  REQUIRE_FALSE(push.empty());
  for (NodeId node : push) {
    CHECK(kernel.program->nodes[node].fence);
    CHECK(running.count(node) == 1);
  }
}

TEST_CASE("pending: a loop of known length is left in the phase of its end", "[pending]") {
  auto ring = [](const std::string &trips, const std::string &drain) {
    return faults("  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); // start\n"
                  "  for (int32_t i = 0; i < " +
                  trips +
                  "; ++i) {\n"
                  "    wait_flag(PIPE_MTE3, PIPE_MTE2, (event_t) ((i + 2) % 3));\n"
                  "    set_flag(PIPE_MTE3, PIPE_MTE2, (event_t) (i % 3));\n  }\n"
                  "  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID" +
                  drain + ");\n");
  };
  // The last iteration sets the id of its number modulo 3, and nothing else is set.
  for (const auto &[trips, drain] : {std::pair{"64", "0"}, {"63", "2"}, {"62", "1"}, {"6", "2"}}) {
    CAPTURE(trips);
    CHECK(ring(trips, drain).empty());
    for (const char *other : {"0", "1", "2"})
      if (std::string(other) != drain)
        CHECK_FALSE(ring(trips, other).empty());
  }
  CHECK_FALSE(ring("n", "0").empty()); // nobody knows where it ends
  // The other ways out are left open.
  CHECK_FALSE(faults("  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID2); // start\n"
                     "  for (int32_t i = 0; i < 64; ++i) {\n"
                     "    wait_flag(PIPE_MTE3, PIPE_MTE2, (event_t) ((i + 2) % 3));\n"
                     "    set_flag(PIPE_MTE3, PIPE_MTE2, (event_t) (i % 3));\n    if (n > i) break;\n  }\n"
                     "  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);\n")
                  .empty());
}
