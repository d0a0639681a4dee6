#include "ordering/pending_state.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

#include <random>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const char *const kRing = "  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n"
                          "  for (int32_t i = 0; i < n; ++i) {\n"
                          "    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n"
                          "    TLOAD(a, g); // load\n"
                          "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                          "    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                          "    TADDS(b, a, 1.0f); // add\n"
                          "    pipe_barrier(PIPE_V);\n"
                          "    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n"
                          "  }\n"
                          "  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n"
                          "  pipe_barrier(PIPE_ALL);\n";

Analysed ring() {
  return Analysed(vectorKernel(rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + tensorAt("g", "in") + kRing));
}

/// Random rows, and random tokens.
PendingState randomState(const Program &program, std::mt19937 &random) {
  PendingState state(program);
  for (std::size_t row = 0; row < state.rows(); ++row)
    for (std::uint32_t bit = 0; bit < program.bits; ++bit)
      if (random() % 3 == 0)
        state.rowToChange(row).insert(bit);
  for (Token &token : state.tokens)
    token = static_cast<Token>(random() % 3);
  return state;
}

bool below(const PendingState &less, const PendingState &more) {
  for (std::size_t row = 0; row < less.rows(); ++row)
    if (!less.row(row).subsetOf(more.row(row)))
      return false;
  return true;
}

std::vector<Event> everyEvent(const Program &program) {
  std::vector<Event> events;
  for (StepId step : program.order)
    events.insert(events.end(), program.steps[step].begin(), program.steps[step].end());
  return events;
}

} // namespace

TEST_CASE("pending state: not reached is the bottom, and joins are unions", "[pending_state]") {
  Analysed kernel = ring();
  const Program &program = *kernel.program;
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    PendingState a = randomState(program, random), b = randomState(program, random), bottom;
    CHECK_FALSE(bottom.reached());
    CHECK(bottom.join(program, a, kNone));
    CHECK(below(bottom, a));
    CHECK(below(a, bottom));
    PendingState joined = a;
    CHECK(joined.join(program, b, kNone) == !below(b, a));
    CHECK(below(a, joined));
    CHECK(below(b, joined));
    for (std::size_t row = 0; row < joined.rows(); ++row)
      joined.row(row).forEach(
          [&](std::uint32_t bit) { CHECK((a.row(row).contains(bit) || b.row(row).contains(bit))); });
    CHECK_FALSE(joined.join(program, b, kNone)); // idempotent
  }
}

TEST_CASE("pending state: a row that is cleared takes no other with it", "[pending_state]") {
  Analysed kernel = ring();
  const Program &program = *kernel.program;
  std::mt19937 random(4);
  PendingState state(program);
  std::vector<BitSet> rows(state.rows(), BitSet(program.bits));
  REQUIRE(state.rows() >= kPipeCount + 2);
  for (int round = 0; round < 500; ++round) {
    std::size_t row = random() % state.rows();
    if (random() % 3 == 0) {
      state.clearRow(row);
      rows[row].clear();
      CHECK(state.row(row).empty());
    } else {
      std::uint32_t bit = static_cast<std::uint32_t>(random()) % program.bits;
      state.rowToChange(row).insert(bit);
      rows[row].insert(bit);
      CHECK(state.row(row).contains(bit));
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      REQUIRE(rows[i] == state.row(i));
  }
}

TEST_CASE("pending state: every event is monotone", "[pending_state]") {
  Analysed kernel = ring();
  const Program &program = *kernel.program;
  std::mt19937 random(2);
  for (const Event &event : everyEvent(program))
    for (int round = 0; round < 20; ++round) {
      PendingState less = randomState(program, random), more = less;
      more.join(program, randomState(program, random), kNone);
      less.apply(program, kernel.hazards(), event);
      more.apply(program, kernel.hazards(), event);
      CHECK(below(less, more));
      CHECK(less.tokens == more.tokens);
    }
}

TEST_CASE("pending state: ageing commutes with joining", "[pending_state]") {
  Analysed kernel = ring();
  const Program &program = *kernel.program;
  LoopId loop = program.nodes[kernel.node("// load")].loop;
  REQUIRE(loop != kNone);
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    PendingState a = randomState(program, random), b = randomState(program, random), apart, together = a, into;
    apart.join(program, a, loop);
    apart.join(program, b, loop);
    together.join(program, b, kNone);
    into.join(program, together, loop);
    CHECK(below(apart, into));
    CHECK(below(into, apart));
    for (std::size_t row = 0; row < into.rows(); ++row)
      into.row(row).forEach([&](std::uint32_t bit) {
        CHECK((program.nodes[program.nodeOfBit[bit]].loop != loop || !program.distanceOf(bit).sameIteration()));
      });
  }
}

TEST_CASE("pending state: what an access, a barrier, a set and a wait do", "[pending_state]") {
  Analysed kernel = ring();
  const Program &program = *kernel.program;
  auto line = [&](const char *text) { return std::to_string(kernel.line(text)); };
  std::map<std::string, Event> events; // the last of each kind and pipe
  for (const Event &event : everyEvent(program)) {
    if (event.kind == Event::Kind::Access)
      events[event.node == kernel.node("// load")  ? "load"
             : event.node == kernel.node("// add") ? "add"
                                                   : "end"] = event;
    else if (event.kind == Event::Kind::Barrier)
      events[event.source == Pipe::All ? "all" : "barrier"] = event;
    else
      events[std::string(event.kind == Event::Kind::Set ? "set " : "wait ") + std::string(pipeName(event.source))] =
          event;
  }
  PendingState state(program);
  CHECK(state.print(program).empty());
  auto apply = [&](const char *name) { state.apply(program, kernel.hazards(), events.at(name)); };
  auto shown = [&](Pipe pipe) {
    std::string text = "\n" + state.print(program), name = "\n" + std::string(pipeName(pipe)) + ":";
    std::size_t at = text.find(name);
    return at == std::string::npos ? "" : text.substr(at + name.size(), text.find('\n', at + 1) - at - name.size());
  };
  std::string load = " TLOAD@" + line("// load"), add = " TADDS@" + line("// add");
  apply("load"); // everybody's, its own pipe's too: instructions of one pipe overlap
  for (Pipe pipe : kPipes)
    CHECK(shown(pipe) == load);
  apply("set PIPE_MTE2"); // whoever waits knows it complete
  CHECK(state.print(program).find("PIPE_MTE2->PIPE_V 0 (set):") == std::string::npos);
  apply("wait PIPE_MTE2");
  CHECK(shown(Pipe::V).empty());
  CHECK(shown(Pipe::MTE3).find(load) == 0); // only the waiter knows
  apply("add");
  CHECK(shown(Pipe::V) == add);
  apply("barrier");
  CHECK(shown(Pipe::V).empty());
  CHECK(shown(Pipe::MTE3).find(add) != std::string::npos);
  apply("all");
  CHECK(state.print(program).find("TADDS") == std::string::npos);
  CHECK(PendingState().print(program) == "not reached\n");
}
