// Pending::facedBy and follow: what a sync makes its waiter know, and what else would have.
#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

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
std::string completedAt(const Analysed &kernel, const std::string &mark) {
  std::string text;
  kernel.pending->follow(kernel.pending->facedBy(kernel.site(mark)),
                         {[](const ConflictPair &) {},
                          [&](Pipe pipe, const Completion &completion) {
                            const Event &event = kernel.program->steps[completion.step][completion.event];
                            text += std::string(pipeName(pipe)) + " at " + markOf(kernel, *event.statement) + ";";
                          }});
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
                          }});
  CHECK(ruled == 0);
  CHECK(completedAt == std::vector<unsigned>{kernel.line("// second")});
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
