#include "compare/compared.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// "8: TADDS>TEXP x1" for each sync the run executes, by line.
std::string pairsOf(const std::string &body) {
  TimedModule timed(vectorKernel(body));
  std::map<std::uint32_t, std::string> lines;
  for (const auto &[statement, run] : compare::orderedPairs(timed.kernels.at(0))) {
    auto name = [](const Statement *other) { return std::get<Instruction>(other->action).name; };
    lines[statement->line] = (run.pair.empty() ? std::string("nothing")
                                               : name(run.pair.earlier) + ">" + name(run.pair.later) +
                                                     (run.pair.carried ? " carried" : "")) +
                             " x" + std::to_string(static_cast<int>(run.executions));
  }
  lines.erase(std::prev(lines.end())); // the end of vectorKernel
  std::string text;
  for (const auto &[line, pair] : lines)
    text += (text.empty() ? "" : "; ") + std::to_string(line) + ": " + pair;
  return text;
}

} // namespace

TEST_CASE("ordered pairs: the nearest two that conflict, on both sides of the barrier") {
  CHECK(pairsOf(threeTiles() + "  TADDS(v1, v1, 1.0f);\n"
                               "  TEXP(v2, v2);\n"
                               "  pipe_barrier(PIPE_V);\n" // line 9
                               "  TMULS(v3, v3, 2.0f);\n"
                               "  TSQRT(v1, v1);\n") == "9: TADDS>TSQRT x1");
}

TEST_CASE("ordered pairs: nothing where no data is shared") {
  CHECK(pairsOf(threeTiles() + "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TEXP(v2, v2);\n") ==
        "8: nothing x1");
}

TEST_CASE("ordered pairs: another barrier takes nothing away") {
  CHECK(pairsOf(threeTiles() +
                "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  pipe_barrier(PIPE_ALL);\n  TEXP(v1, v1);\n") ==
        "8: TADDS>TEXP x1; 9: TADDS>TEXP x1");
}

TEST_CASE("ordered pairs: a set and its wait have the same, across pipes") {
  std::string tensorText = tensor("g", "out", "0");
  CHECK(pairsOf(threeTiles() + tensorText +
                "  TADDS(v1, v1, 1.0f);\n"
                "  TEXP(v2, v2);\n"
                "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                "  TSTORE(g, v1);\n") == "10: TADDS>TSTORE x1; 11: TADDS>TSTORE x1");
}

TEST_CASE("ordered pairs: round a loop") {
  CHECK(pairsOf(threeTiles() + "  for (int32_t i = 0; i < 4; ++i) {\n"
                               "    TADDS(v1, v1, 1.0f);\n"
                               "    pipe_barrier(PIPE_V);\n" // line 9
                               "  }\n") == "9: TADDS>TADDS carried x4");
}
