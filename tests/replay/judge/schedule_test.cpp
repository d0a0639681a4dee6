#include "replay/judge/schedule.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

const std::string kScheduleTiles =
    tile("a", "float", 16, 64, 0) + tile("b", "float", 16, 64, 4096) +
    "  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, "
    "pto::Layout::ND> g(in), h(out);\n";
constexpr unsigned kFirst = kBodyLine + 3; // line of the first statement after kScheduleTiles

struct Scheduled {
  explicit Scheduled(const std::string &body, OrderRules rules = {})
      : rules(rules), kernel(vectorKernel(kScheduleTiles + body)) {
    kernel.run();
    schedule = makeSchedule(kernel.trace, kernel.subject->works, rules);
  }
  /// How many phases of `pipe` are complete when the n-th instruction starts.
  std::uint32_t known(std::size_t n, Pipe pipe) const { return schedule.starts.at(n).at(0)[index(pipe)]; }
  /// Lines of the syncs that tell the n-th instruction of the first phase on `pipe`.
  std::vector<std::uint32_t> path(std::uint32_t n, Pipe pipe) const {
    std::vector<std::uint32_t> lines;
    for (const Statement *statement : orderedBy(kernel.trace, kernel.subject->works, rules, {n, 0}, pipe, 0))
      lines.push_back(statement->line - kFirst);
    return lines;
  }
  OrderRules rules;
  Replayed kernel;
  Schedule schedule;
};

} // namespace

TEST_CASE("replay: issue order is not completion order") {
  Scheduled run("  TEXP(a, a);\n  TEXP(a, a);\n  pipe_barrier(PIPE_V);\n  TEXP(a, a);\n");
  CHECK(run.known(1, Pipe::V) == 0);
  CHECK(run.known(2, Pipe::V) == 2);
  CHECK(run.path(2, Pipe::V) == std::vector<std::uint32_t>{2});
  CHECK(run.path(1, Pipe::V).empty());
}

TEST_CASE("replay: a flag tells what was complete when it was set, and passes on what its pipe knew") {
  Scheduled run(
      "  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
      "  TEXP(a, a);\n  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  TEXP(b, b);\n"
      "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  TSTORE(h, a);\n");
  CHECK(run.known(1, Pipe::MTE2) == 1);
  CHECK(run.known(3, Pipe::V) == 1); // not the one behind the set
  CHECK(run.known(3, Pipe::MTE2) == 1);
  CHECK(run.path(3, Pipe::MTE2) == std::vector<std::uint32_t>{6, 4, 2, 1});
}

TEST_CASE("replay: flags compose only in the right order") {
  // The set for MTE3 stands before the wait for MTE2.
  Scheduled run(
      "  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
      "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  TSTORE(h, a);\n");
  CHECK(run.known(1, Pipe::MTE2) == 0);
}

TEST_CASE("replay: PIPE_ALL is a meeting of all pipes") {
  Scheduled run("  TLOAD(a, g);\n  TEXP(b, b);\n  pipe_barrier(PIPE_ALL);\n  TSTORE(h, a);\n");
  CHECK(run.known(2, Pipe::MTE2) == 1);
  CHECK(run.known(2, Pipe::V) == 1);
  CHECK(run.path(2, Pipe::V) == std::vector<std::uint32_t>{2});
}

TEST_CASE("replay: the n-th wait takes the n-th set, ids apart") {
  Scheduled run(
      "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);\n  TEXP(a, a);\n  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
      "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);\n  TSTORE(h, b);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
      "  TSTORE(h, a);\n");
  CHECK(run.known(1, Pipe::V) == 0);
  CHECK(run.known(2, Pipe::V) == 1);
}

TEST_CASE("replay: a wait issued before its set still works") {
  Scheduled run("  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  TSTORE(h, a);\n  TEXP(a, a);\n"
                "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n");
  CHECK(run.schedule.stuck.empty());
  CHECK(run.known(0, Pipe::V) == 1);
}

TEST_CASE("replay: a wait for the scalar pipe holds what comes later, if it is believed to") {
  const std::string body =
      "  TEXP(a, a);\n  set_flag(PIPE_V, PIPE_S, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);\n"
      "  TSTORE(h, a);\n";
  CHECK(Scheduled(body).known(1, Pipe::V) == 0);
  Scheduled held(body, {ScalarWaits::HoldDispatch, true});
  CHECK(held.known(1, Pipe::V) == 1);
  // What the scalar pipe does itself it has done before it hands out what follows.
  const std::string scalar = "  a.SetValue(0, 1.0f);\n  TEXP(a, a);\n";
  CHECK(Scheduled(scalar).known(1, Pipe::S) == 0);
  CHECK(Scheduled(scalar, {ScalarWaits::HoldDispatch, true}).known(1, Pipe::S) == 1);
  CHECK(held.path(1, Pipe::V) == std::vector<std::uint32_t>{2, 2, 1}); // through the scalar pipe's wait to the store
}

TEST_CASE("replay: what is complete at the end, and that a pipe's own barrier makes nobody wait") {
  auto atEnd = [](const std::string &body) {
    Replayed kernel("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
                    "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out) {\n" +
                    kScheduleTiles + body + "}\n");
    kernel.run();
    return makeSchedule(kernel.trace, kernel.subject->works, {}).atEnd[index(Pipe::V)];
  };
  CHECK(atEnd("  TEXP(a, a);\n") == 0);
  CHECK(atEnd("  TEXP(a, a);\n  pipe_barrier(PIPE_V);\n") == 0);
  CHECK(atEnd("  TEXP(a, a);\n  pipe_barrier(PIPE_ALL);\n") == 1);
  CHECK(atEnd("  TEXP(a, a);\n  set_flag(PIPE_V, PIPE_S, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);\n") == 1);
}

TEST_CASE("replay: a barrier inside a library call orders what is in front of the call") {
  Options options;
  options.trust = Trust::Library;
  Replayed kernel(vectorKernel(kScheduleTiles + tile("t", "float", 16, 64, 16384) +
                               columnTile("r", "float", 16, 32768) +
                               "  TEXP(b, b);\n  TROWSUM(r, a, t);\n  TEXP(a, a);\n"),
                  options);
  kernel.run();
  Schedule schedule = makeSchedule(kernel.trace, kernel.subject->works, {});
  CHECK(schedule.starts[1][0][index(Pipe::V)] == 0);
  CHECK(schedule.starts[2][0][index(Pipe::V)] == 2);
}

namespace {

std::string bracketed(const std::string &pipe, const std::string &id, const std::string &work,
                      const std::string &mode = "0") {
  return "  get_buf(PIPE_" + pipe + ", " + id + ", " + mode + ");\n" + work + "  rls_buf(PIPE_" + pipe + ", " + id +
         ", " + mode + ");\n";
}

} // namespace

TEST_CASE("replay: a get of a buffer id knows what every release in front of it on other pipes knew") {
  Scheduled run(bracketed("MTE2", "3", "  TLOAD(a, g);\n") + bracketed("V", "3", "  TEXP(b, a);\n") +
                bracketed("MTE2", "3", "  TLOAD(a, g);\n"));
  CHECK(run.known(1, Pipe::MTE2) == 1);
  CHECK(run.known(2, Pipe::V) == 1);
  CHECK(run.known(2, Pipe::MTE2) == 1); // by the way of V's bracket
  CHECK(run.path(1, Pipe::MTE2) == std::vector<std::uint32_t>{3, 2});
  Scheduled same(bracketed("MTE2", "3", "  TLOAD(a, g);\n") + bracketed("MTE2", "3", "  TLOAD(a, g);\n"));
  CHECK(same.known(1, Pipe::MTE2) == 0);
  Scheduled other(bracketed("MTE2", "3", "  TLOAD(a, g);\n") + bracketed("V", "4", "  TEXP(b, a);\n"));
  CHECK(other.known(1, Pipe::MTE2) == 0);
}

TEST_CASE("replay: brackets of which it is open what they order do so in one reading only") {
  const std::string mode = bracketed("MTE2", "3", "  TLOAD(a, g);\n", "1") + bracketed("V", "3", "  TEXP(b, a);\n"),
                    nested = "  get_buf(PIPE_MTE2, 3, 0);\n" + bracketed("S", "3", "") +
                             "  TLOAD(a, g);\n  rls_buf(PIPE_MTE2, 3, 0);\n" + bracketed("V", "3", "  TEXP(b, a);\n");
  for (const std::string &body : {mode, nested}) {
    CAPTURE(body);
    CHECK(Scheduled(body).known(1, Pipe::MTE2) == 0);
    OrderRules open;
    open.openBrackets = OpenBrackets::Order;
    CHECK(Scheduled(body, open).known(1, Pipe::MTE2) == 1);
  }
}
