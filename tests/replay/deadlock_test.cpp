#include "replay/deadlock.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

std::string explanation(const std::string &body) {
  Replayed kernel(vectorKernel(body));
  kernel.run();
  return explainDeadlock(kernel.trace, makeSchedule(kernel.trace, kernel.subject->works, {}));
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
        "PIPE_MTE3 waits at line 5 for flag (PIPE_V, PIPE_MTE3, 0), set at line 7 on PIPE_V; and so round again to "
        "PIPE_V");
}

TEST_CASE("replay: a wait in front of a PIPE_ALL for a set behind it") {
  CHECK(explanation("  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  pipe_barrier(PIPE_ALL);\n"
                    "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n") ==
        "PIPE_MTE3 waits at line 4 for flag (PIPE_V, PIPE_MTE3, 0), set at line 6 on PIPE_V; "
        "PIPE_V stands at the PIPE_ALL at line 5, which the others do not reach");
}
