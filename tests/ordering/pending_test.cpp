#include "ordering/pending.h"

#include "kernel/kernel.h"
#include "ordering/analysis.h"
#include "ordering/syncs.h"

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <set>

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

// Trials: Pending::tryEdit and commit. A trial carries only what is new; here it is held against the
// whole analysis of the same kernel without those barriers.

namespace {

using Pairs = std::set<std::pair<std::uint32_t, NodeId>>;

Pairs openPairs(const Pending &pending) {
  Pairs pairs;
  for (const OpenObligation &open : pending.open())
    pairs.insert({open.pair.bit, open.pair.later});
  return pairs;
}

/// The text with the syncs on these lines blanked; line numbers stay.
std::string without(const std::string &text, const std::set<unsigned> &lines) {
  std::string result;
  unsigned line = 1;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find('\n', at);
    if (!lines.count(line))
      result += text.substr(at, end - at);
    result += '\n';
    at = end + 1;
    ++line;
  }
  return result;
}

/// Random bodies: short and long tiles, barriers, flags, loops and branches.
class BodyGenerator {
public:
  explicit BodyGenerator(unsigned seed) : random(seed) {}

  std::string body() {
    std::string text = tilesAndTensors();
    return text + statements(10, 0);
  }

  /// Without loops and branches: one long step.
  std::string straightBody() {
    std::string text = tilesAndTensors();
    return text + statements(60, kDeepest);
  }

private:
  static constexpr unsigned kDeepest = 2;

  static std::string tilesAndTensors() {
    std::string text;
    for (unsigned i = 0; i < 4; ++i)
      text += rowsAt("t" + std::to_string(i), 4, std::to_string(i * 1024));
    return text + rowsAt("t4", 16, "8192") + rowsAt("t5", 16, "12288") + tensorAt("g", "in") + tensorAt("h", "out");
  }

  std::string tile() { return "t" + std::to_string(random() % 6); }

  std::string access() {
    switch (random() % 6) {
    case 0: return "TLOAD(" + tile() + ", g);";
    case 1: return "TSTORE(h, " + tile() + ");";
    case 2: return "TADD(" + tile() + ", " + tile() + ", " + tile() + ");";
    default: return "TADDS(" + tile() + ", " + tile() + ", 1.0f);";
    }
  }

  std::string flag(const char *verb) {
    static constexpr const char *pairs[] = {"PIPE_MTE2, PIPE_V", "PIPE_V, PIPE_MTE3", "PIPE_V, PIPE_MTE2",
                                            "PIPE_MTE3, PIPE_V"};
    return std::string(verb) + "(" + pairs[random() % 4] + ", EVENT_ID" + std::to_string(random() % 2) + ");";
  }

  std::string statements(unsigned count, unsigned depth) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) {
      switch (random() % 12) {
      case 0:
      case 1:
      case 2: text += "  pipe_barrier(PIPE_V);\n"; break;
      case 3: text += random() % 3 ? "  pipe_barrier(PIPE_MTE3);\n" : "  pipe_barrier(PIPE_ALL);\n"; break;
      case 4: {
        // A set and its wait with something in between, most of the time.
        std::string set = flag("set_flag"), wait = set;
        wait.replace(0, 8, "wait_flag");
        text += "  " + set + "\n  " + access() + "\n  " + (random() % 5 ? wait : flag("wait_flag")) + "\n";
        break;
      }
      case 5:
        if (depth < kDeepest) {
          std::string counter = "i" + std::to_string(names++);
          std::string bound = random() % 2 ? "n" : std::to_string(1 + random() % 3);
          text += "  for (int32_t " + counter + " = 0; " + counter + " < " + bound + "; ++" + counter + ") {\n" +
                  statements(4, depth + 1) + "  }\n";
          break;
        }
        [[fallthrough]];
      case 6:
        if (depth < kDeepest) {
          text += "  if (n > " + std::to_string(names++) + ") {\n" + statements(3, depth + 1) + "  }";
          text += random() % 2 ? "\n" : " else {\n" + statements(3, depth + 1) + "  }\n";
          break;
        }
        [[fallthrough]];
      default: text += "  " + access() + "\n";
      }
    }
    return text;
  }

  std::mt19937 random;
  unsigned names = 0;
};

constexpr unsigned kSeeds = 350;

std::string randomKernel(unsigned seed) {
  BodyGenerator generator(seed);
  return vectorKernel(seed < 250 ? generator.body() : generator.straightBody());
}

/// Rows in front of each sync that is left, by step and place in the list of those left.
std::map<std::pair<StepId, std::size_t>, std::vector<BitSet>> storedRows(const Analysed &kernel,
                                                                         const std::set<unsigned> &removed) {
  std::map<std::pair<StepId, std::size_t>, std::vector<BitSet>> rows;
  const Program &program = *kernel.program;
  for (StepId step : program.order) {
    std::size_t place = 0;
    for (std::uint32_t at = 0; at < program.steps[step].size(); ++at) {
      const Event &event = program.steps[step][at];
      if (event.kind == Event::Kind::Access || removed.count(event.statement->line))
        continue;
      std::vector<BitSet> &entry = rows[{step, place++}];
      for (std::size_t row = 0; row < kPipeCount; ++row)
        if (const BitSet *before = kernel.pending->rowBefore(step, at, row))
          entry.push_back(*before);
    }
  }
  return rows;
}

} // namespace

TEST_CASE("trial: a trial says what a fresh analysis without the barriers finds", "[trial]") {
  int allowed = 0, refused = 0, committed = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    std::string text = randomKernel(seed);
    Analysed kernel(text);
    Pairs before = openPairs(*kernel.pending);
    std::vector<SiteId> barriers;
    for (SiteId site = 0; site < kernel.module.sites.size(); ++site)
      if (kernel.module.sites[site].kind == SyncKind::Barrier &&
          kernel.module.sites[site].protection == Protection::None)
        barriers.push_back(site);
    std::mt19937 random(seed);
    std::set<unsigned> removed;
    for (int attempt = 0; attempt < 6 && !barriers.empty(); ++attempt) {
      std::set<SiteId> sites;
      std::set<unsigned> lines = removed;
      for (unsigned size = 1 + random() % 3; size > 0; --size) {
        SiteId site = barriers[random() % barriers.size()];
        if (removed.count(kernel.module.sites[site].line))
          continue;
        sites.insert(site);
        lines.insert(kernel.module.sites[site].line);
      }
      if (sites.empty())
        continue;
      Analysed fresh(without(text, lines));
      Pairs after = openPairs(*fresh.pending);
      bool nothingNew = std::includes(before.begin(), before.end(), after.begin(), after.end());
      std::string without = "without lines";
      for (unsigned line : lines)
        without += " " + std::to_string(line);
      INFO("seed " << seed << ", " << without << "\n" << text);
      Pending::Trial trial = kernel.pending->tryRemoval(sites);
      REQUIRE(trial.allowed == nothingNew);
      if (!trial.allowed) {
        ++refused;
        REQUIRE(trial.witness);
        // The witness is one of the pairs that the barriers ordered.
        CHECK(after.count({trial.witness->bit, trial.witness->later}) == 1);
        CHECK(before.count({trial.witness->bit, trial.witness->later}) == 0);
        continue;
      }
      ++allowed;
      if (random() % 3 == 0) {
        kernel.pending->abandon();
        continue;
      }
      kernel.pending->commit();
      ++committed;
      removed = lines;
      // The stored fixpoint is now that of the kernel without them.
      REQUIRE(storedRows(kernel, removed) == storedRows(fresh, removed));
    }
  }
  CHECK(allowed > 100);
  CHECK(refused > 100);
  CHECK(committed > 50);
}

namespace {

/// The text with the statement of one line put in front of another, on that one's line: all others keep their number.
std::string moveLine(const std::string &text, unsigned from, unsigned before) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  // On the same line as what is behind it, so that every other line keeps its number.
  lines[before - 1] = lines[from - 1] + " " + lines[before - 1];
  lines[from - 1].clear();
  std::string result;
  for (const std::string &line : lines)
    result += line + "\n";
  return result;
}

/// The open conflicts by statement and distance: the numbers of nodes differ where events stand elsewhere.
std::multiset<std::string> describedPairs(const Analysed &kernel) {
  std::multiset<std::string> pairs;
  auto add = [&](const ConflictPair &pair) {
    const Node &earlier = kernel.program->nodes[kernel.program->nodeOfBit[pair.bit]],
               &later = kernel.program->nodes[pair.later];
    pairs.insert(printStatement(*kernel.program->kernel, *earlier.statement) + " at " +
                 std::to_string(earlier.statement->line) + " -> " +
                 printStatement(*kernel.program->kernel, *later.statement) + " at " +
                 std::to_string(later.statement->line) + " +" + std::to_string(pair.bit - earlier.firstBit));
  };
  for (const OpenObligation &open : kernel.pending->open(ObligationKind::Conflict))
    add(open.pair);
  return pairs;
}

} // namespace

TEST_CASE("trial: removed webs and moved flags, held against a fresh analysis", "[trial]") {
  int webs = 0, moves = 0, refused = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    std::string text = randomKernel(seed);
    Analysed kernel(text);
    std::multiset<std::string> before = describedPairs(kernel);
    std::mt19937 random(seed);
    for (int attempt = 0; attempt < 6; ++attempt) {
      std::vector<EventKey> candidates;
      for (StepId step : kernel.program->order)
        for (std::uint32_t i = 0; i < kernel.program->steps[step].size(); ++i)
          if (const Event &event = kernel.program->steps[step][i];
              event.kind == Event::Kind::Set || event.kind == Event::Kind::Wait)
            candidates.push_back({step, i});
      if (candidates.empty())
        break;
      EventKey key = candidates[random() % candidates.size()];
      const Event &event = kernel.program->steps[key.first][key.second];
      unsigned line = event.statement->line;
      SyncEdit edit;
      std::string edited;
      bool web = random() % 2 == 0;
      if (web) {
        std::set<unsigned> lines;
        for (const Web &found : findWebs(*kernel.program, {}, kernel.pending->tokens()))
          if (found.sites().count(event.site))
            for (SiteId site : found.sites()) {
              edit.removed.insert(site);
              lines.insert(kernel.module.sites[site].line);
            }
        edited = without(text, lines);
      } else {
        bool up = event.kind == Event::Kind::Set;
        std::uint32_t count = static_cast<std::uint32_t>(kernel.program->steps[key.first].size());
        if (up ? key.second == 0 : key.second + 2 >= count)
          continue;
        EventKey place{key.first, up ? key.second - 1 : key.second + 2};
        edit.moves[key] = {place};
        edited = moveLine(text, line, kernel.program->steps[key.first][place.second].statement->line);
      }
      INFO("seed " << seed << ", line " << line << (web ? ", web out\n" : ", moved\n") << edited);
      Analysed fresh(edited);
      Pending::Trial trial = kernel.pending->tryEdit(edit);
      kernel.pending->abandon();
      std::multiset<std::string> after = describedPairs(fresh);
      bool nothingNew = std::includes(before.begin(), before.end(), after.begin(), after.end());
      if (trial.allowed) {
        CHECK(nothingNew);
        CHECK(fresh.pending->tokenFaults().size() <= kernel.pending->tokenFaults().size());
        ++(web ? webs : moves);
      } else {
        ++refused;
        if (!trial.token && trial.witness && !trial.fence && trial.witness->kind != HazardKind::FlagReuse)
          CHECK_FALSE(nothingNew);
      }
    }
  }
  CHECK(webs > 50);
  CHECK(moves > 30);
  CHECK(refused > 100);
}

TEST_CASE("trial: two barriers must not justify each other", "[trial]") {
  Analysed kernel(smallBody("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // one\n  pipe_barrier(PIPE_V); // two\n"
                            "  TADDS(c, a, 1.0f);\n"));
  CHECK(kernel.pending->tryRemoval({kernel.site("// one")}).allowed);
  kernel.pending->abandon();
  CHECK(kernel.pending->tryRemoval({kernel.site("// two")}).allowed);
  kernel.pending->abandon();
  CHECK_FALSE(kernel.pending->tryRemoval({kernel.site("// one"), kernel.site("// two")}).allowed);
  REQUIRE(kernel.pending->tryRemoval({kernel.site("// one")}).allowed);
  kernel.pending->commit();
  CHECK_FALSE(kernel.pending->tryRemoval({kernel.site("// two")}).allowed); // now it orders the pair alone
}

TEST_CASE("trial: the witness is the pair that loses its order", "[trial]") {
  Analysed kernel(smallBody("  TADDS(a, b, 1.0f);\n  TADDS(d, b, 1.0f); // reads\n  pipe_barrier(PIPE_V); // barrier\n"
                            "  TADDS(b, c, 1.0f); // overwrites\n"));
  Pending::Trial trial = kernel.pending->tryRemoval({kernel.site("// barrier")});
  REQUIRE(trial.witness);
  CHECK(trial.witness->kind == HazardKind::WriteAfterRead);
  CHECK(kernel.program->nodeOfBit[trial.witness->bit] == kernel.node("// reads")); // the nearest of both readers
  CHECK(trial.witness->later == kernel.node("// overwrites"));
  CHECK_FALSE(trial.fence);
  CHECK_FALSE(trial.atEnd);
}

TEST_CASE("trial: a refused trial leaves nothing behind", "[trial]") {
  Analysed kernel(smallBody("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // needed\n  TADDS(c, a, 1.0f);\n"
                            "  pipe_barrier(PIPE_V); // not needed\n  TADDS(d, b, 1.0f);\n"));
  CHECK_FALSE(kernel.pending->tryRemoval({kernel.site("// needed")}).allowed);
  CHECK(kernel.pending->tryRemoval({kernel.site("// not needed")}).allowed);
}

TEST_CASE("trial: a difference goes round the loop and on behind it", "[trial]") {
  // The only conflict is between one iteration's last and the next one's first.
  Analysed kernel(smallBody("  for (int32_t i = 0; i < n; ++i) {\n    TADDS(c, a, 1.0f); // reader\n"
                            "    TADDS(a, b, 1.0f); // writer\n    pipe_barrier(PIPE_V); // barrier\n  }\n"));
  Pending::Trial trial = kernel.pending->tryRemoval({kernel.site("// barrier")});
  REQUIRE(trial.witness);
  Conflict conflict = kernel.hazards().describe(*trial.witness);
  CHECK(conflict.loopCarried);
  Analysed behind(smallBody(
      "  for (int32_t i = 0; i < 3; ++i) {\n    TADDS(a, b, 1.0f);\n    pipe_barrier(PIPE_V); // barrier\n  }\n"
      "  TADDS(c, a, 1.0f); // behind\n"));
  CHECK_FALSE(behind.pending->tryRemoval({behind.site("// barrier")}).allowed);
}

TEST_CASE("trial: order relative to an opaque fence, on either side", "[trial]") {
  const std::string fence = "  dcci((__gm__ void *) out, SINGLE_CACHE_LINE); // fence\n";
  Analysed front(smallBody("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // barrier\n" + fence));
  Pending::Trial trial = front.pending->tryRemoval({front.site("// barrier")});
  CHECK_FALSE(trial.allowed);
  CHECK(trial.fence);
  REQUIRE(trial.witness);
  CHECK(trial.witness->kind == HazardKind::Fence);
  Analysed back(smallBody(fence + "  pipe_barrier(PIPE_V); // barrier\n  TADDS(a, b, 1.0f);\n"));
  CHECK(back.pending->tryRemoval({back.site("// barrier")}).fence);
  // An unknown call is one too.
  Analysed unknown(smallBody("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // barrier\n  TFROBNICATE(c);\n"));
  CHECK_FALSE(unknown.pending->tryRemoval({unknown.site("// barrier")}).allowed);
}

TEST_CASE("trial: a release fence holds only what precedes it", "[trial]") {
  const std::string fifo =
      "  auto pipe = TPipe<0, Direction::DIR_V2C, 1024, 4, 4, false>(out, 0, 0);\n"
      "  GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>> slot(nullptr);\n";
  const std::string release = "  TPUSH(pipe, slot); // release\n";
  Analysed front(smallBody(fifo + "  TSTORE(h, a);\n  pipe_barrier(PIPE_MTE3); // barrier\n" + release));
  CHECK_FALSE(front.pending->tryRemoval({front.site("// barrier")}).allowed);
  Analysed back(smallBody(fifo + release + "  pipe_barrier(PIPE_MTE3); // barrier\n  TSTORE(h, a);\n"));
  CHECK(back.pending->tryRemoval({back.site("// barrier")}).allowed);
  // A fence behind a release is still a fence.
  Analysed fences(smallBody(fifo + release +
                            "  pipe_barrier(PIPE_MTE3); // barrier\n"
                            "  dcci((__gm__ void *) out, SINGLE_CACHE_LINE);\n"));
  CHECK_FALSE(fences.pending->tryRemoval({fences.site("// barrier")}).allowed);
}

TEST_CASE("trial: draining every pipe in front of the kernel's end", "[trial]") {
  std::string head = smallBody("");
  auto ending = [&](const std::string &statements) {
    // Without the flush of vectorKernel.
    std::string text = smallBody(statements);
    return text.replace(text.find("  pipe_barrier(PIPE_ALL);\n  dsb"), std::string::npos, "}\n");
  };
  Analysed all(ending("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_ALL) ; // end\n"));
  Pending::Trial trial = all.pending->tryRemoval({all.site("// end")});
  CHECK_FALSE(trial.allowed);
  CHECK(trial.atEnd);
  // A barrier of one pipe there holds back nothing.
  Analysed one(ending("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // end\n"));
  CHECK(one.pending->tryRemoval({one.site("// end")}).allowed);
  // Nor does PIPE_ALL where another one follows.
  Analysed two(
      ending("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_ALL) ; // first\n  pipe_barrier(PIPE_ALL) ; // end\n"));
  CHECK(two.pending->tryRemoval({two.site("// first")}).allowed);
}

TEST_CASE("trial: a site that runs through two calls goes or stays for both", "[trial]") {
  auto text = [](unsigned second) {
    return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
           "static AICORE void step(int64_t from, int64_t to) {\n" +
           rowsAt("x", 4, "from") + rowsAt("y", 4, "to") +
           "  pipe_barrier(PIPE_V); // inside\n  TADDS(y, x, 1.0f);\n}\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *in) {\n"
           "  step(0, 1024);\n  step(" +
           std::to_string(second) + ", 3072);\n}\n";
  };
  Analysed apart(text(4096));
  CHECK(apart.pending->tryRemoval({apart.site("// inside")}).allowed);
  Analysed chained(text(1024)); // the second call reads what the first wrote
  CHECK_FALSE(chained.pending->tryRemoval({chained.site("// inside")}).allowed);
}

// Pending::facedBy and follow: what a sync makes its waiter know, and what else would have.

namespace {

/// What stands behind the "// " of a statement's line.
std::string markOf(const Analysed &kernel, const Statement &statement) {
  std::string_view line = kernel.module.source.line(statement.line);
  return std::string(line.substr(line.find("// ") + 3));
}

/// "pipe: marks of the instructions", by pipe, of all events of the marked sync.
std::string faced(const Analysed &kernel, const std::string &mark) {
  std::string text;
  for (const auto &[key, rows] : kernel.pending->facedBy(kernel.site(mark)))
    for (const auto &[row, bits] : rows) {
      text += std::string(text.empty() ? "" : ", ") + std::string(pipeName(static_cast<Pipe>(row))) + ":";
      bits.forEach([&](std::uint32_t bit) {
        text += " " + markOf(kernel, *kernel.program->nodes[kernel.program->nodeOfBit[bit]].statement);
      });
    }
  return text;
}

/// The marks of the lines at which what the sync faced is completed otherwise.
std::string completedAt(const Analysed &kernel, const std::string &mark, std::size_t mostSteps = 1000) {
  std::string text;
  kernel.pending->follow(kernel.pending->facedBy(kernel.site(mark)),
                         {[](const ConflictPair &) {},
                          [&](Pipe pipe, const Completion &completion) {
                            const Event &event = kernel.program->steps[completion.step][completion.event];
                            text += std::string(pipeName(pipe)) + " at " + markOf(kernel, *event.statement) + ";";
                          }},
                         mostSteps);
  return text;
}

} // namespace

TEST_CASE("faced: following what a barrier faced", "[faced]") {
  // The writer of a is ended by the wait of MTE3 for the store, and by the second barrier for the vector pipe.
  Analysed kernel(smallBody("  TADDS(a, b, 1.0f); // writer\n  pipe_barrier(PIPE_V); // first\n  TADDS(d, c, 1.0f);\n"
                            "  pipe_barrier(PIPE_V); // second\n  TADDS(c, a, 1.0f);\n"));
  SiteId first = kernel.site("// first");
  REQUIRE(kernel.pending->tryRemoval({first}).allowed);
  kernel.pending->commit();
  std::vector<unsigned> completedAt;
  int ruled = 0;
  kernel.pending->follow(kernel.pending->facedBy(first),
                         {[&](const ConflictPair &) { ++ruled; },
                          [&](Pipe pipe, const Completion &completion) {
                            CHECK(pipe == Pipe::V);
                            CHECK(kernel.program->nodeOfBit[completion.bit] == kernel.node("// writer"));
                            completedAt.push_back(
                                kernel.program->steps[completion.step][completion.event].statement->line);
                          }},
                         1);
  CHECK(ruled == 0);
  CHECK(completedAt == std::vector<unsigned>{kernel.line("// second")});
}

TEST_CASE("faced: what lies beyond the nearest steps is not followed, and that is said", "[faced]") {
  const std::string branch = "  if (n > 3) {\n    TLOAD(d, g);\n  }\n";
  Analysed kernel(smallBody("  TADDS(a, b, 1.0f); // writer\n  pipe_barrier(PIPE_V); // first\n" + branch + branch +
                            "  pipe_barrier(PIPE_V); // second\n  TADDS(c, a, 1.0f);\n"));
  const SiteId first = kernel.site("// first");
  REQUIRE(kernel.pending->tryRemoval({first}).allowed);
  kernel.pending->commit();
  const Pending::Follow nobody{[](const ConflictPair &) {}, [](Pipe, const Completion &) {}};
  CHECK(kernel.pending->follow(kernel.pending->facedBy(first), nobody, 1000));
  CHECK(completedAt(kernel, "// first").starts_with("PIPE_V at second;"));
  for (std::size_t most : {1, 2, 3, 4}) {
    CHECK_FALSE(kernel.pending->follow(kernel.pending->facedBy(first), nobody, most));
    CHECK(completedAt(kernel, "// first", most).empty());
  }
}

TEST_CASE("faced: a wait makes its own pipe know what the flag tells", "[faced]") {
  Analysed kernel(smallBody("  TLOAD(a, g); // load\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                            "  TLOAD(b, g); // later\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n"
                            "  TADDS(c, a, 1.0f);\n"));
  CHECK(faced(kernel, "// wait") == "PIPE_V: load");
}

TEST_CASE("faced: a barrier faces its own pipe's work, PIPE_ALL that of each for each", "[faced]") {
  const std::string work = "  TLOAD(a, g); // load\n  TADDS(c, b, 1.0f); // add\n";
  CHECK(faced(Analysed(smallBody(work + "  pipe_barrier(PIPE_V); // barrier\n")), "// barrier") == "PIPE_V: add");
  std::string all = faced(Analysed(smallBody(work + "  pipe_barrier(PIPE_ALL); // barrier\n")), "// barrier");
  CHECK(all.find("PIPE_V: load add") != std::string::npos);
  CHECK(all.find("PIPE_MTE3: load add") != std::string::npos);
}

TEST_CASE("faced: a flag that is set on one path only tells nothing", "[faced]") {
  Analysed kernel(smallBody("  TLOAD(a, g); // load\n  if (n > 3) {\n    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  }\n"
                            "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n  TADDS(c, a, 1.0f);\n"));
  CHECK(faced(kernel, "// wait").empty());
}

TEST_CASE("faced: what a barrier faced is completed by another one, round the loop too", "[faced]") {
  Analysed kernel(smallBody("  for (int32_t i = 0; i < n; ++i) {\n    pipe_barrier(PIPE_V); // top\n"
                            "    TADDS(a, b, 1.0f); // writer\n    pipe_barrier(PIPE_V); // bottom\n  }\n"));
  REQUIRE(faced(kernel, "// bottom") == "PIPE_V: writer");
  REQUIRE(kernel.pending->tryRemoval({kernel.site("// bottom")}).allowed);
  kernel.pending->commit();
  std::string ends = completedAt(kernel, "// bottom");
  CHECK(ends.find("PIPE_V at top;") != std::string::npos);
  CHECK(ends.find("bottom") == std::string::npos);
}
