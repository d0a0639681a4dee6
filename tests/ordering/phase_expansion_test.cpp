#include "ordering/phase_expansion.h"

#include "ordering/analysis.h"
#include "ordering/pending.h"

#include <catch2/catch.hpp>

#include <set>

using namespace ptosync;
using namespace ptosync::test;

namespace {

Program programOf(const Module &module) {
  return llvm::cantFail(buildProgram(module.kernels.at(0), machineOf("a3"), OrderingOptions{}));
}

/// A ring of `slots` lanes from MTE3 back to MTE2, primed, stepped and drained, around a load and a store.
std::string ringKernel(int slots, const std::string &lane) {
  std::string body;
  for (int i = 0; i < slots; ++i)
    body += "  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID" + std::to_string(i) + ");\n";
  body += "  for (int64_t i = 0; i < n; i += 1) {\n"
          "    event_t lane = (event_t) (" +
          lane +
          ");\n"
          "    wait_flag(PIPE_MTE3, PIPE_MTE2, lane);\n"
          "    set_flag(PIPE_MTE3, PIPE_MTE2, lane);\n"
          "  }\n";
  for (int i = 0; i < slots; ++i)
    body += "  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID" + std::to_string(i) + ");\n";
  return vectorKernel(body);
}

} // namespace

TEST_CASE("a loop that steps its event ids is copied once per phase") {
  Module module = lift(ringKernel(3, "i % 3"));
  Program program = programOf(module);
  std::size_t copies = program.blockOf.size() - module.kernels[0].blocks.size();
  std::size_t inLoop = 0;
  for (BlockId block : program.graph->order())
    inLoop += program.graph->loopOf(block) != kNone;
  CHECK(copies == 2 * inLoop);
  // In each copy every event names one lane, and over the copies each lane is named.
  std::set<std::int64_t> lanes;
  for (StepId step : program.order)
    for (const Event &event : program.steps[step]) {
      if (event.kind != Event::Kind::Wait && event.kind != Event::Kind::Set)
        continue;
      REQUIRE(event.lanes.size() == 1);
      if (program.graph->loopOf(program.blockOf[step]) != kNone)
        lanes.insert(program.flags[event.lanes[0]].id);
    }
  CHECK(lanes == std::set<std::int64_t>{0, 1, 2});
}

TEST_CASE("a back edge leads to the next phase, an entry to phase 0") {
  Module module = lift(ringKernel(2, "i % 2"));
  Program program = programOf(module);
  const Loop &loop = program.graph->loops().at(0);
  std::set<StepId> headers;
  for (StepId step : program.order)
    for (const Edge &edge : program.edges[step]) {
      if (program.blockOf[edge.to] != loop.header)
        continue;
      headers.insert(edge.to);
      if (edge.around == kNone) {
        CHECK(edge.to == loop.header);
      } else if (step == program.blockOf[step]) { // from phase 0
        CHECK(edge.to != loop.header);
      } else { // from phase 1
        CHECK(edge.to == loop.header);
      }
    }
  CHECK(headers.size() == 2);
}

TEST_CASE("a balanced ring has no flag fault, whatever its trip count") {
  for (const char *lane : {"i % 3", "(i + 1) % 3", "(i + 2) % 3", "i % 3 == 1 ? 2 : i % 3 == 2 ? 0 : 1"}) {
    INFO(lane);
    Module module = lift(ringKernel(3, lane));
    Program program = programOf(module);
    CHECK(Pending(program).tokenFaults().empty());
  }
}

TEST_CASE("a lane that was not primed is a flag fault") {
  Module module = lift(ringKernel(2, "i % 3"));
  Program program = programOf(module);
  CHECK_FALSE(Pending(program).tokenFaults().empty());
}

TEST_CASE("of two tables without a common period that is followed one keeps all its lanes") {
  std::string body = "  for (int64_t i = 0; i < n; i += 1) {\n"
                     "    wait_flag(PIPE_MTE3, PIPE_MTE2, (event_t) (i % 3));\n"
                     "    set_flag(PIPE_MTE2, PIPE_MTE3, (event_t) (i % 7));\n  }\n";
  Module module = lift(vectorKernel(body));
  Program program = programOf(module);
  std::set<std::int64_t> lanes;
  for (StepId step : program.order)
    for (const Event &event : program.steps[step])
      if (event.kind == Event::Kind::Set)
        for (std::uint32_t lane : event.lanes)
          lanes.insert(program.flags[lane].id);
  CHECK(lanes == std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("rings of different length in nested loops are told apart together") {
  // Three phases outside, six inside: eighteen copies of the inner body.
  std::string body;
  for (int id : {0, 1, 2})
    body += "  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID" + std::to_string(id) + ");\n";
  body += "  for (int64_t i = 0; i < n; i += 1) {\n"
          "    for (int64_t k = 0; k < 6; k += 1) {\n"
          "      set_flag(PIPE_V, PIPE_MTE3, (event_t) (k % 3));\n"
          "      wait_flag(PIPE_V, PIPE_MTE3, (event_t) (k % 3));\n"
          "      set_flag(PIPE_MTE2, PIPE_V, (event_t) (k % 2));\n"
          "      wait_flag(PIPE_MTE2, PIPE_V, (event_t) (k % 2));\n"
          "    }\n"
          "    wait_flag(PIPE_MTE3, PIPE_MTE2, (event_t) (i % 3));\n"
          "    set_flag(PIPE_MTE3, PIPE_MTE2, (event_t) (i % 3));\n"
          "  }\n";
  for (int id : {0, 1, 2})
    body += "  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID" + std::to_string(id) + ");\n";
  Module module = lift(vectorKernel(body));
  Program program = programOf(module);
  CHECK(Pending(program).tokenFaults().empty());
  for (StepId step : program.order)
    for (const Event &event : program.steps[step])
      if (event.kind == Event::Kind::Wait || event.kind == Event::Kind::Set)
        CHECK(event.lanes.size() == 1);
}

TEST_CASE("a loop that is left by its length is left in one phase") {
  auto exits = [](const std::string &bound) {
    Module module = lift(vectorKernel("  for (int64_t i = 0; i < " + bound +
                                      "; i += 1) {\n    if (i % 4 == 3) {\n"
                                      "      pipe_barrier(PIPE_V);\n    }\n  }\n"));
    Program program = programOf(module);
    const Loop &loop = program.graph->loops().at(0);
    std::size_t left = 0;
    for (StepId step : program.order)
      if (program.blockOf[step] == loop.header)
        for (const Edge &edge : program.edges[step])
          left += !program.graph->loopContains(0, program.blockOf[edge.to]);
    return left;
  };
  CHECK(exits("n") == 4);
  CHECK(exits("96") == 1);
  CHECK(exits("6") == 1);
}

TEST_CASE("storage that goes round with a decided branch has one address in each copy") {
  Module module =
      lift(vectorKernel("  for (int64_t i = 0; i < n; i += 1) {\n"
                        "    uint64_t at = (uint64_t) (i % 2 == 0 ? 0 : 4096);\n"
                        "    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512,"
                        " PadValue::Null, CompactMode::Null> t;\n    TASSIGN(t, at);\n"
                        "    if (i % 4 == 0) {\n      pipe_barrier(PIPE_V);\n    }\n"
                        "    TEXPANDS(t, 1.0f);\n  }\n"));
  Program program = programOf(module);
  std::set<std::int64_t> bases;
  for (StepId step : program.order)
    for (const Event &event : program.steps[step])
      if (event.kind == Event::Kind::Access && program.graph->loopOf(program.blockOf[step]) != kNone) {
        const ScalarValue &base = program.nodes[event.node].accesses.at(0).base;
        CHECK(base.isConstant());
        bases.insert(base.constant);
      }
  CHECK(bases == std::set<std::int64_t>{0, 4096});
}

TEST_CASE("storage that goes round with event ids has one address in each copy, and what is in front meets one only") {
  // A load of the first buffer ahead of the loop, which begins with the second one.
  auto kernel = [](const std::string &at) {
    return vectorKernel(rowsAt("ahead", 8, "0") + tensorAt("g", "in") +
                        "  TLOAD(ahead, g);\n  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n"
                        "  for (int64_t i = 0; i < n; i += 1) {\n    int64_t at = " +
                        at + ";\n" + rowsAt("t", 8, "at") +
                        "    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n    TLOAD(t, g);\n"
                        "    set_flag(PIPE_MTE2, PIPE_V, (event_t) (i % 2));\n"
                        "    wait_flag(PIPE_MTE2, PIPE_V, (event_t) (i % 2));\n    TADDS(t, t, 1.0f);\n"
                        "    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n  }\n"
                        "  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n");
  };
  auto open = [&](const std::string &at) {
    Module module = lift(kernel(at));
    Program program = programOf(module);
    Pending pending(program);
    std::size_t pairs = 0;
    for (const OpenObligation &conflict : pending.open(ObligationKind::Conflict))
      pairs += program.graph->loopOf(program.nodes[program.nodeOfBit[conflict.pair.bit]].block) == kNone;
    return pairs;
  };
  // By the time the loop comes round to the first buffer, what was loaded behind it has been used.
  CHECK(open("(i + 1) % 2 * 4096") == 0);
  CHECK(open("i % 2 * 4096") > 0);
}

TEST_CASE("a wait is a node of its own for each id that it has") {
  Module module = lift(ringKernel(3, "i % 3"));
  Program program = programOf(module);
  HazardModel hazards(program);
  for (std::uint32_t flag = 0; flag < program.flags.size(); ++flag) {
    std::set<NodeId> nodes;
    hazards.waits(flag).forEach([&](std::uint32_t bit) { nodes.insert(program.nodeOfBit[bit]); });
    CHECK(nodes.size() == 2); // in the loop, and the one that drains it
  }
}

TEST_CASE("an id that no table decides stays a choice of lanes") {
  Module module = lift(ringKernel(2, "(n + i) % 2"));
  Program program = programOf(module);
  CHECK(program.blockOf.size() == module.kernels[0].blocks.size());
  bool open = false;
  for (const std::vector<Event> &events : program.steps)
    for (const Event &event : events)
      open |= event.lanes.size() > 1;
  CHECK(open);
}
