#include "replay/judge/tokens.h"

#include "replay/choose/run_choice.h"
#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

const char *kSet = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n";
const char *kWait = "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n";

/// The faults of one run, by name.
std::string faults(const std::string &body) {
  Replayed kernel(vectorKernel(body));
  kernel.run();
  std::string text;
  for (const replay::TokenFault &fault : tokenFaults(makeSchedule(kernel.trace, kernel.subject->works, {}), true))
    text += (text.empty() ? "" : " ") + std::string(tokenFaultName(fault.kind));
  return text;
}

} // namespace

TEST_CASE("replay: balanced flags have no fault") {
  CHECK(faults(std::string(kSet) + kWait) == "");
  CHECK(faults(std::string(kSet) + kWait +
               "  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);\n"
               "  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);\n" +
               kSet + kWait) == "");
}

TEST_CASE("replay: set twice, unfed, left set, too early") {
  CHECK(faults(std::string(kSet) + kSet + kWait) == "set-too-soon left-set");
  CHECK(faults(std::string(kSet) + kSet) == "left-set set-twice left-set");
  CHECK(faults(kWait) == "unfed-wait");
  CHECK(faults(kSet) == "left-set");
  CHECK(faults(std::string(kWait) + kSet) == "early-wait");
}

TEST_CASE("replay: a flag must be taken before it is set again") {
  CHECK(faults(std::string(kSet) + kWait + kSet + kWait) == "set-too-soon");
  CHECK(faults(std::string(kSet) + kWait + "  pipe_barrier(PIPE_ALL);\n" + kSet + kWait) == "");
  CHECK(faults(std::string(kSet) + kWait + "  pipe_barrier(PIPE_V);\n" + kSet + kWait) == "set-too-soon");
}

TEST_CASE("replay: a library call that uses the kernel's flag") {
  std::string call = tile("a", "int32_t", 8, 64, 0) + tile("t", "int32_t", 8, 64, 4096) +
                     columnTile("r", "int32_t", 8, 8192) + "  set_flag(PIPE_V, PIPE_S, EVENT_ID0);\n";
  const std::string rowSum = "  TROWSUM(r, a, t);\n";
  const std::string wait = "  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);\n";
  CHECK(faults(call + wait + "  pipe_barrier(PIPE_ALL);\n" + rowSum) == "");
  CHECK(faults(call + rowSum + wait).find("collision") != std::string::npos);
}

TEST_CASE("replay: only what a second version adds counts") {
  auto added = [](const std::string &before, const std::string &after) {
    Replayed first(vectorKernel(before)), second(vectorKernel(after));
    first.run();
    second.run();
    Schedule a = makeSchedule(first.trace, first.subject->works, {}),
             b = makeSchedule(second.trace, second.subject->works, {});
    return newTokenFaults(a, tokenFaults(a, true), b, tokenFaults(b, true)).size();
  };
  std::string twice = std::string(kSet) + kWait + kSet + kWait;
  std::string tiles = tile("v1", "float", 16, 64, 0);
  CHECK(added(tiles + twice, tiles + "\n" + twice) == 0);
  CHECK(added(tiles + kSet + kWait + "  pipe_barrier(PIPE_ALL);\n" + kSet + kWait, tiles + twice) == 1);
  // Moved among the instructions, used as often as before.
  CHECK(added(tiles + kSet + kWait + "  TEXP(v1, v1);\n" + kSet + kWait,
              tiles + kSet + kWait + kSet + "  TEXP(v1, v1);\n" + kWait) == 0);
  // A use taken out between two that were loose before.
  std::string exp = "  TEXP(v1, v1);\n";
  CHECK(added(tiles + kSet + kWait + exp + kSet + exp + kWait + exp + kSet + kWait,
              tiles + kSet + kWait + exp + exp + exp + kSet + kWait) == 0);
  // Between two that were not: the use in the middle and its way back kept them apart.
  std::string back = "  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);\n";
  CHECK(added(tiles + kSet + kWait + exp + back + exp + kSet + kWait,
              tiles + kSet + kWait + exp + exp + kSet + kWait) == 1);
}

namespace {

std::string explanation(const std::string &body) {
  Replayed kernel(vectorKernel(body));
  kernel.run();
  return explainDeadlock(kernel.trace, makeSchedule(kernel.trace, kernel.subject->works, {})).text;
}

} // namespace

TEST_CASE("replay: nothing stuck, nothing to explain") { CHECK(explanation("  pipe_barrier(PIPE_V);\n") == ""); }

TEST_CASE("replay: a wait without a set") {
  CHECK(explanation("  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID3);\n") ==
        "PIPE_MTE3 waits at line 4 for flag (PIPE_V, PIPE_MTE3, 3), which nothing sets");
}

TEST_CASE("replay: two pipes that wait for one another") {
  CHECK(explanation("  wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                    "  set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);\n  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n") ==
        "PIPE_V waits at line 4 for flag (PIPE_MTE3, PIPE_V, 0), set at line 6 on PIPE_MTE3; "
        "PIPE_MTE3 waits at line 5 for flag (PIPE_V, PIPE_MTE3, 0), set at line 7 on PIPE_V, which waits for "
        "PIPE_V again");
}

TEST_CASE("replay: a wait in front of a PIPE_ALL for a set behind it") {
  CHECK(explanation("  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  pipe_barrier(PIPE_ALL);\n"
                    "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n") ==
        "PIPE_MTE3 waits at line 4 for flag (PIPE_V, PIPE_MTE3, 0), set at line 6 on PIPE_V; "
        "PIPE_V waits at the PIPE_ALL at line 5, which the other pipes never reach");
}

TEST_CASE("replay: the example in the header") {
  Replayed kernel(liftCorpus("unbalanced_flags"), "unprimed_loop");
  Inputs once;
  for (const NamedArgument &argument : argumentsOf(*kernel.subject))
    if (!argument.pointer)
      once.arguments[argument.number] = 1;
  const Trace &trace = kernel.run(once);
  const Schedule schedule = makeSchedule(trace, kernel.subject->works, {});
  CHECK(explainDeadlock(trace, schedule).text ==
        "PIPE_V waits at line 49 for flag (PIPE_MTE2, PIPE_V, 0), set at line 48 on PIPE_MTE2; PIPE_MTE2 waits at line "
        "46 for "
        "flag (PIPE_V, PIPE_MTE2, 0), set at line 51 on PIPE_V, which waits for PIPE_V again");
  const std::vector<replay::TokenFault> faults = tokenFaults(schedule, true);
  CHECK(std::any_of(faults.begin(), faults.end(), [](const replay::TokenFault &fault) {
    return fault.kind == replay::TokenFaultKind::EarlyWait && fault.first->line == 46 && fault.second->line == 51;
  }));
}
