#include "audit/blocked_waits.h"

#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Lines of the waits held up by the first wait of the kernel.
std::vector<unsigned> blocked(const std::string &statements) {
  Analysed kernel(shortTiles(statements));
  for (const std::vector<Event> &events : kernel.program->steps)
    for (const Event &event : events)
      if (event.kind == Event::Kind::Wait) {
        std::vector<unsigned> lines;
        for (const Statement *statement : blockedBehind(*kernel.program, *event.statement))
          lines.push_back(statement->line);
        return lines;
      }
  throw std::runtime_error("no wait");
}

} // namespace

TEST_CASE("blocked waits: a circle of two and of three pipes") {
  std::string two = waitFlag("PIPE_V, PIPE_MTE2") + setFlag("PIPE_MTE2, PIPE_V") + waitFlag("PIPE_MTE2, PIPE_V") +
                    setFlag("PIPE_V, PIPE_MTE2");
  CHECK(blocked(two).size() == 1);
  std::string three = waitFlag("PIPE_MTE3, PIPE_MTE2") + setFlag("PIPE_MTE2, PIPE_V") + waitFlag("PIPE_MTE2, PIPE_V") +
                      setFlag("PIPE_V, PIPE_MTE3") + waitFlag("PIPE_V, PIPE_MTE3") + setFlag("PIPE_MTE3, PIPE_MTE2");
  CHECK(blocked(three).size() == 2);
}

TEST_CASE("blocked waits: nothing is held up where some pipe gets to its set") {
  // The set stands in front of the second wait of its pipe.
  CHECK(blocked(waitFlag("PIPE_V, PIPE_MTE2") + setFlag("PIPE_MTE2, PIPE_V") + setFlag("PIPE_V, PIPE_MTE2") +
                waitFlag("PIPE_MTE2, PIPE_V"))
            .empty());
  // Another set feeds the second wait.
  CHECK(blocked("  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);\n" + waitFlag("PIPE_V, PIPE_MTE2") +
                "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);\n" + setFlag("PIPE_V, PIPE_MTE2"))
            .empty());
  // The set that is held up stands in one arm only.
  CHECK(blocked(waitFlag("PIPE_V, PIPE_MTE2") + "  if (n > 2) {\n" + setFlag("PIPE_MTE2, PIPE_V") + "  }\n" +
                setFlag("PIPE_V, PIPE_MTE2"))
            .empty());
}
