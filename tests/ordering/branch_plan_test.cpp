#include "ordering/branch_plan.h"

#include "ordering/analysis.h"
#include "ordering/concrete_walk.h"
#include "ordering/pending.h"

#include <catch2/catch.hpp>

#include <set>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string count(const std::string &type, const std::string &variable, const std::string &from,
                  const std::string &bound, const std::string &step, const std::string &body) {
  return "  for (" + type + " " + variable + " = " + from + "; " + variable + " < " + bound + "; " + variable +
         " += " + step + ") {\n" + body + "  }\n";
}

/// A branch with work in both arms.
std::string arms(const std::string &condition) {
  return "    if (" + condition + ") {\n      TADD(a, b, c);\n    } else {\n      TADD(b, c, d);\n    }\n";
}

struct Decided {
  std::size_t branches = 0, single = 0; // steps at branches inside loops that leave none; those with one way to go
};

Decided decidedIn(const Program &program) {
  Decided decided;
  for (StepId step : program.order) {
    BlockId block = program.blockOf[step];
    const Terminator &end = program.kernel->blocks[block].terminator;
    LoopId loop = program.graph->loopOf(block);
    if (end.kind != Terminator::Kind::Branch || loop == kNone || program.graph->loops()[loop].header == block)
      continue;
    std::set<BlockId> ways;
    for (const Edge &edge : program.edges[step])
      ways.insert(program.blockOf[edge.to]);
    ++decided.branches;
    decided.single += ways.size() == 1;
  }
  return decided;
}

/// Every run is a path of the program, for these bounds.
void checkRuns(const Analysed &kernel, const std::vector<std::int64_t> &bounds) {
  for (std::int64_t n : bounds) {
    ConcreteWalk walk(*kernel.program, {{"n", n}});
    bool kept = walk.run();
    INFO("n = " << n << ", lost at line " << walk.lostAt);
    CHECK(kept);
  }
}

const std::vector<std::int64_t> kBounds = {-3, 0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 100};

OrderingOptions following() {
  OrderingOptions options;
  options.followConditions = true;
  return options;
}

void checkDecided(const std::string &body, bool all) {
  INFO(body);
  Analysed kernel(smallBody(body));
  Decided decided = decidedIn(*kernel.program);
  REQUIRE(decided.branches > 0);
  CHECK((decided.single == decided.branches) == all);
  checkRuns(kernel, kBounds);
}

} // namespace

TEST_CASE("branch plan: conditions that follow a counter are decided by phase", "[branches]") {
  for (const char *condition : {"k % 2 == 0",
                                "k % 2 != 0",
                                "!(k % 2)",
                                "k % 4 == 0",
                                "(k / 4) % 2 == 0",
                                "k / 4 % 2",
                                "(k & 3) == 1",
                                "((k >> 2) & 1) == 0",
                                "k % 3 == 2",
                                "(k + 5) % 7 < 3",
                                "k == 0",
                                "k != 0",
                                "k < 3",
                                "0 == k",
                                "k >= 2",
                                "k % 4 == 3 || k == 0",
                                "k % 2 == 0 && k % 3 == 0",
                                "(k % 4) * 2 > 3",
                                "k % 16 == 15",
                                "k - k / 2 * 2 == 1"})
    checkDecided(count("int64_t", "k", "0", "n", "1", arms(condition)), true);
}

TEST_CASE("branch plan: the type of a counter, its start and its step", "[branches]") {
  for (const char *type : {"int32_t", "int64_t", "size_t"})
    for (const char *from : {"0", "3", "64"})
      for (const char *step : {"1", "2", "3"}) {
        std::string bound = std::string("(") + type + ") n";
        checkDecided(count(type, "k", from, bound, step, arms("k % 4 == 3")), true);
        checkDecided(count(type, "k", from, bound, step, arms(std::string("k == ") + from)), true);
      }
}

TEST_CASE("branch plan: the last iterations are the loop's own test", "[branches]") {
  for (const char *condition :
       {"k + 1 < n", "k + 1 >= n", "n > k + 1", "k + 2 < n", "!(k + 1 < n)", "k == n - 1", "k + 1 == n", "k != n - 1",
        "k < n - 1", "n - 1 <= k", "k + 1 < n && k % 2 == 0", "k % 4 == 3 || k + 1 == n"})
    for (const char *type : {"int64_t", "int32_t"}) {
      std::string text(condition);
      // In 32 bits n - 1 may wrap around: only what is equal modulo 2^32 is told.
      bool wraps = std::string(type) == "int32_t" && (text == "k < n - 1" || text == "n - 1 <= k");
      INFO(type);
      std::string bound = std::string(type) == "int64_t" ? "m" : "n";
      std::string body = "  int64_t m = (int64_t) n;\n";
      std::string asked = text;
      if (bound == "m")
        for (std::size_t at = asked.find('n'); at != std::string::npos; at = asked.find('n'))
          asked[at] = 'm';
      // k + 2 is exact where the bound has fewer bits than the counter.
      checkDecided(body + count(type, "k", "0", bound, "1", arms(asked)),
                   !wraps && !(bound == "n" && text == "k + 2 < n"));
    }
  checkDecided(count("int64_t", "k", "0", "(int64_t) n", "64", arms("k + 64 < (int64_t) n")), true);
  checkDecided(count("int64_t", "k", "0", "(int64_t) n", "4", arms("k + 1 < (int64_t) n")), false);
}

TEST_CASE("branch plan: known lengths", "[branches]") {
  for (const char *bound : {"1", "2", "3", "4", "6", "8", "12", "96", "97"})
    for (std::string condition : {"k % 4 == 3", "k == 0", "k + 1 < N", "k == N - 1", "k % 2 == 0 || k + 1 == N"}) {
      for (std::size_t at = condition.find('N'); at != std::string::npos; at = condition.find('N'))
        condition.replace(at, 1, bound);
      INFO(condition << " below " << bound);
      Analysed kernel(smallBody(count("int64_t", "k", "0", bound, "1", arms(condition))));
      checkRuns(kernel, {0, 1});
    }
}

TEST_CASE("branch plan: what is not known stays open", "[branches]") {
  for (const char *condition : {"k % 17 == 0", "(k - 3) % 2 == 0", "(n - k) % 2 == 0", "k * k % 4 == 0", "k < n / 2",
                                "(k + n) % 2 == 0", "k == 20"})
    checkDecided(count("int64_t", "k", "0", "n", "1", arms(condition)), false);
  // 32-bit counters without a bound that keeps them from wrapping, and narrow ones.
  checkDecided(count("uint32_t", "k", "0", "(uint32_t) n", "1", arms("k / 3 % 2 == 0")), false);
  checkDecided(count("int64_t", "k", "0", "n", "1", arms("(uint8_t) k / 3 % 2 == 0")), false);
  // Unsigned subtraction: below 64 the bound is a large number.
  checkDecided(count("size_t", "k", "0", "(size_t) (uint32_t) n", "64", arms("k < (size_t) (uint32_t) n - 64")), false);
}

TEST_CASE("branch plan: remainders of negative numbers", "[branches]") {
  for (const char *condition : {"k % 2 == 1", "k % 2 == -1", "k % 4 == 0", "(k & 1) == 1", "k % 3 < 0"}) {
    Analysed kernel(smallBody(count("int64_t", "k", "-5", "n", "1", arms(condition))));
    INFO(condition);
    checkRuns(kernel, kBounds);
  }
}

TEST_CASE("branch plan: two counters", "[branches]") {
  auto nest = [](const std::string &condition) {
    return count("int64_t", "i", "0", "n", "1", count("int64_t", "k", "0", "n", "1", arms(condition)));
  };
  checkDecided(nest("(i + k) % 2 == 0"), true);
  checkDecided(nest("i % 2 == 0 && k % 4 == 0"), true);
  checkDecided(nest("i % 3 == k % 3"), true);
  checkDecided(nest("i == 0 && k == 0"), true);
  checkDecided(nest("i == k"), false);
  checkDecided(nest("k == 0 || i + 1 == n"), true);
  std::string second =
      "  int64_t j = 0;\n" + count("int64_t", "k", "0", "n", "64", arms("j % 2 == 0") + "    j += 1;\n");
  checkDecided(second, true);
}

TEST_CASE("branch plan: a condition that is tested twice is one decision", "[branches]") {
  auto steps = [](const std::string &body) {
    Analysed kernel(smallBody(body), "a3", following());
    for (std::int64_t n : {-1, 0, 1, 3, 4, 9})
      CHECK(ConcreteWalk(*kernel.program, {{"n", n}}).run());
    return kernel.pending->tokenFaults().size();
  };
  std::string set = "set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);", wait = "wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);";
  auto twice = [&](const std::string &first, const std::string &second, const std::string &between) {
    return "  if (" + first + ") {\n    " + set + "\n  }\n  " + between + "\n  if (" + second + ") {\n    " + wait +
           "\n  }\n";
  };
  CHECK(steps(twice("n > 3", "n > 3", "")) == 0);
  CHECK(steps(twice("n > 3", "3 < n", "TADD(a, b, c);")) != 0); // another expression: not looked through
  CHECK(steps(twice("n > 3", "!(n > 3)", "")) != 0);
  CHECK(steps(twice("!(n > 3)", "!(n > 3)", "")) == 0);
  CHECK(steps(twice("n > 3", "n > 2", "")) != 0);
  CHECK(steps("  bool long_ = n > 3;\n" + twice("long_", "long_", "")) == 0);
  CHECK(steps("  bool long_ = n > 3;\n" + twice("long_", "long_", "long_ = n > 1;")) != 0); // another value
  CHECK(steps("  int32_t m = n;\n" + twice("m > 3", "m > 3", "m += 1;")) != 0);
  CHECK(steps(count("int64_t", "k", "0", "n", "1", twice("n > 3", "n > 3", ""))) == 0);
  CHECK(steps(count("int64_t", "k", "0", "n", "1", twice("k < n / 2", "k < n / 2", ""))) == 0);
  CHECK(steps(count("int64_t", "k", "0", "n", "1", twice("in[k] > 1.0f", "in[k] > 1.0f", ""))) !=
        0); // may have changed
  CHECK(steps(count("int64_t", "k", "0", "n", "1",
                    "    bool large = in[k] > 1.0f;\n" + twice("large", "large", "TADD(a, b, c);"))) == 0);
}

TEST_CASE("branch plan: an outcome ends with the iteration it belongs to", "[branches]") {
  // Waited for and set again where the value of this iteration says so.
  std::string body =
      "    bool low = k < n / 2;\n    if (low) {\n      wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n    }\n"
      "    if (low) {\n      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n    }\n";
  Analysed kernel(smallBody("  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n" + count("int64_t", "k", "0", "n", "1", body) +
                            "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"),
                  "a3", following());
  CHECK(kernel.pending->tokenFaults().empty());
  checkRuns(kernel, kBounds);
  // Only the first test of the pair is in the loop.
  Analysed apart(smallBody(count("int64_t", "k", "0", "n", "1",
                                 "    if (k < n / 2) {\n      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n    }\n"
                                 "    if (k + 1 < n / 2) {\n      wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n    }\n")),
                 "a3", following());
  CHECK_FALSE(apart.pending->tokenFaults().empty());
}

TEST_CASE("branch plan: the iterations of a short loop are told apart, whichever ids its flags have", "[branches]") {
  // Set in the second iteration, taken behind the loop. That the second is the last one is not in `k % 2`.
  auto faults = [](const std::string &trips, const std::string &inside) {
    Analysed kernel(
        smallBody(count("int64_t", "k", "0", trips, "1",
                        "    if (k % 2 == 1) {\n      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID7);\n    }\n" + inside) +
                  "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID7);\n"),
        "a3", following());
    checkRuns(kernel, kBounds);
    return kernel.pending->tokenFaults().size();
  };
  const std::string ring = "    set_flag(PIPE_MTE3, PIPE_V, (event_t) (k % 3));\n"
                           "    wait_flag(PIPE_MTE3, PIPE_V, (event_t) (k % 3));\n";
  CHECK(faults("2", "") == 0);
  CHECK(faults("3", "") == 0);
  CHECK(faults("2", ring) == 0);
  CHECK(faults("4", "") != 0); // it is set twice
  CHECK(faults("n", "") != 0);
}

TEST_CASE("branch plan: periods beyond the limits say why", "[branches]") {
  Analysed kernel(smallBody(count("int64_t", "k", "0", "n", "1", arms("k % 17 == 0"))));
  CHECK(kernel.program->undecidedBranches.find("period of 17") != std::string::npos);
  Analysed nested(smallBody(count("int64_t", "i", "0", "n", "1",
                                  arms("i % 16 == 0") + count("int64_t", "k", "0", "n", "1", arms("k % 16 == 0")))));
  CHECK(nested.program->undecidedBranches.find("copies") != std::string::npos);
  Analysed plain(smallBody(count("int64_t", "k", "0", "n", "1", arms("k % 2 == 0"))));
  CHECK(plain.program->undecidedBranches.empty());
}

TEST_CASE("branch plan: the first test of a loop and a test in front of it are one decision", "[branches]") {
  std::string set = "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);", wait = "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);";
  // Loads ahead of the loop, and in each iteration for the next one.
  auto faults = [&](const std::string &type, const std::string &guard, const std::string &loop,
                    const std::string &next) {
    std::string body = "  " + type + " first = (" + type + ") get_block_idx();\n  " + type + " end = (" + type +
                       ") n;\n  if (" + guard + ") {\n    TLOAD(a, g);\n    " + set + "\n  }\n  for (" + type +
                       " row = first; " + loop + "; ++row) {\n    " + wait + "\n    TADD(b, a, a);\n    if (" + next +
                       ") {\n      TLOAD(a, g);\n      " + set + "\n    }\n  }\n";
    Analysed kernel(smallBody(body), "a3", following());
    checkRuns(kernel, kBounds);
    return kernel.pending->tokenFaults().size();
  };
  for (const char *type : {"uint32_t", "int32_t", "int64_t", "size_t"}) {
    CAPTURE(type);
    CHECK(faults(type, "first < end", "row < end", "row + 1 < end") == 0);
    CHECK(faults(type, "end > first", "row < end", "row + 1 < end") == 0);
    CHECK(faults(type, "!(first >= end)", "row < end", "!(row + 1 >= end)") == 0);
    CHECK(faults(type, "first <= end", "row < end", "row + 1 < end") != 0);
    CHECK(faults(type, "first < end", "row < end", "row + 2 < end") != 0);
    CHECK(faults(type, "first + 1 < end", "row < end", "row + 1 < end") != 0);
  }
  CHECK(faults("uint8_t", "first < end", "row < end", "row + 1 < end") != 0); // narrower than int: not followed
}

TEST_CASE("branch plan: a variable that holds a constant where it is tested", "[branches]") {
  std::string set = "set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);", wait = "wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);";
  auto faults = [&](const std::string &body) {
    Analysed kernel(smallBody(body), "a3", following());
    checkRuns(kernel, kBounds);
    return kernel.pending->tokenFaults().size();
  };
  auto noted = [&](const std::string &held, const std::string &failed, const std::string &test) {
    return "  int32_t found = 5;\n  if (n > 3) {\n    " + set + "\n    found = " + held +
           ";\n  } else {\n    found = " + failed + ";\n  }\n  if (" + test + ") {\n    " + wait + "\n  }\n";
  };
  CHECK(faults(noted("1", "0", "found")) == 0);
  CHECK(faults(noted("1", "0", "!(found == 0)")) == 0);
  CHECK(faults(noted("7", "9", "found < 8")) == 0);
  CHECK(faults(noted("1", "0", "found < 8")) != 0);
  CHECK(faults(noted("1", "n", "found == 1")) != 0);
  // The first iteration alone, told by a variable.
  CHECK(faults("  " + set + "\n  bool first = true;\n  for (int32_t i = 0; i < 4; ++i) {\n    if (first) {\n      " +
               wait + "\n    }\n    first = false;\n  }\n") == 0);
  CHECK(
      faults("  bool open = false;\n  for (int32_t i = 0; i < n; ++i) {\n    if (in[i] > 1.0f) {\n      if (!open) {\n"
             "        " +
             set + "\n      }\n      open = true;\n    } else {\n      if (open) {\n        " + wait +
             "\n      }\n      open = false;\n    }\n  }\n  if (open) {\n    " + wait + "\n  }\n") == 0);
}

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
