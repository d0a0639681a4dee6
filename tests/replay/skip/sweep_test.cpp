#include "replay/skip/skipping.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

std::string loop(const std::string &body, const std::string &trips = "400") {
  return "  for (int32_t i = 0; i < " + trips + "; i += 1) {\n" + body + "  }\n";
}

std::string store(const std::string &offset) { return "  TSTORE(" + rowAt(offset) + ", a);\n"; }
std::string loadRow(const std::string &offset) { return "  TLOAD(a, " + rowAt(offset) + ");\n"; }

bool meet(const std::string &body) {
  Replayed kernel(vectorKernel(kRowTile + body));
  const Trace &trace = kernel.run();
  REQUIRE_FALSE(trace.skips.empty());
  return skippedMeetOthers(*kernel.subject, trace, kernel.rules);
}

/// What is lost with the first barrier of PIPE_MTE3 in the body.
std::string withoutBarrier(const std::string &body) {
  const std::string barrier = "  pipe_barrier(PIPE_MTE3);\n";
  std::string after = body;
  after.replace(body.find(barrier), barrier.size(), "  ;\n");
  return difference(liftVector(kRowTile + body), liftVector(kRowTile + after));
}

} // namespace

TEST_CASE("sweep: an instruction behind the loop meets an iteration that was not run") {
  CHECK(meet(loop(store("i * 8")) + store("200 * 8")));
  CHECK(meet(loop(store("(400 - i) * 8")) + store("200 * 8")));
  CHECK(meet(store("200 * 8") + loop(store("i * 8"))));
  CHECK_FALSE(meet(loop(store("i * 8")) + store("400 * 8")));
  CHECK_FALSE(meet(loop(store("i * 8 + 8")) + store("0")));
  CHECK_FALSE(meet(loop(store("i * 8"))));
}

TEST_CASE("sweep: reads meet writes only") {
  CHECK(meet(loop(loadRow("i * 8")) + store("200 * 8")));
  CHECK_FALSE(meet(loop(loadRow("i * 8")) + loadRow("200 * 8")));
}

TEST_CASE("sweep: a place that stands still, and one that moves otherwise") {
  CHECK(meet(loop(store("i * 8") + store("200 * 8"))));
  CHECK(meet(loop(store("i * 8") + store("(400 - i) * 8"))));
  CHECK(meet(loop(store("i * 8") + store("i * 16"))));
  CHECK_FALSE(meet(loop(store("i * 8") + store("3600 + i * 16"))));
}

TEST_CASE("sweep: iterations that were run stand for those at the same distance") {
  CHECK_FALSE(meet(loop(store("i * 8") + store("(i + 2) * 8"))));
  CHECK_FALSE(meet(loop(store("i * 4")))); // overlaps the next one
  CHECK(meet(loop(store("i * 8") + store("(i + 3) * 8"))));
  CHECK(meet(loop(store("(i + 40) * 8") + store("i * 8"))));
  CHECK(meet(loop(store("(40 - i) * 8") + store("(-i) * 8"))));
  CHECK_FALSE(meet(loop(store("i * 8") + store("(i + 500) * 8"))));
}

TEST_CASE("sweep: places that do not move on evenly") {
  Replayed squares(vectorKernel(kRowTile + loop(store("i * i * 8")) + store("200 * 200 * 8")));
  CHECK(squares.run().skips.empty()); // nothing is left out
  CHECK(meet(loop(store("i % 64 * 8")) + store("40 * 8")));
  CHECK(withoutBarrier(loop(store("i * i * 8")) + "  pipe_barrier(PIPE_MTE3);\n" + store("200 * 200 * 8")) ==
        "order WAW 6>9\n");
  CHECK(withoutBarrier(loop(store("i % 64 * 8")) + "  pipe_barrier(PIPE_MTE3);\n" + store("40 * 8")) ==
        "order WAW 6>9\n");
}

TEST_CASE("sweep: two loops, one after another and one inside another") {
  CHECK(meet(loop(store("i * 8")) + loop(store("i * 8 + 800"))));
  CHECK_FALSE(meet(loop(store("i * 8")) + loop(store("i * 8 + 3200"))));
  auto nested = [](const std::string &offset) {
    return "  for (int32_t o = 0; o < 50; o += 1)\n" + loop(store(offset), "40");
  };
  CHECK_FALSE(meet(nested("o * 320 + i * 8")));
  CHECK(meet(nested("i * 8"))); // the same places each time
  CHECK(meet(nested("o * 160 + i * 8")));
  CHECK(meet(nested("o * 320 + i * 8") + store("80"))); // of the first outer iteration
  CHECK(meet(nested("o * 320 + i * 8") + store("25 * 320 + 160")));
  CHECK_FALSE(meet(nested("o * 320 + i * 8") + store("50 * 320")));
}

TEST_CASE("sweep: what skipped iterations share is compared") {
  CHECK(withoutBarrier(loop(store("i * 8")) + "  pipe_barrier(PIPE_MTE3);\n" + store("200 * 8")) == "order WAW 6>9\n");
  CHECK(withoutBarrier(loop(store("i * 8")) + "  pipe_barrier(PIPE_MTE3);\n" + store("400 * 8")).empty());
  CHECK(withoutBarrier(loop(store("i * 8") + "  pipe_barrier(PIPE_MTE3);\n" + store("160") +
                            "  pipe_barrier(PIPE_MTE3);\n")) == "order WAW 6>8\n");
  CHECK(withoutBarrier("  for (int32_t o = 0; o < 50; o += 1)\n" + loop(store("o * 320 + i * 8"), "40") +
                       "  pipe_barrier(PIPE_MTE3);\n" + store("25 * 320 + 160")) == "order WAW 7>10\n");
}

TEST_CASE("sweep: where a run in full is too long, what was skipped is not seen, and where it ended is said") {
  Module before = liftVector(kRowTile + loop(store("i * 8")) + "  pipe_barrier(PIPE_MTE3);\n" + store("200 * 8"));
  replay::Options options;
  options.budget.instructions = 100;
  llvm::Expected<replay::Verdict> verdict = replay::verify(before, before, machineOf("a3"), options);
  REQUIRE(bool(verdict));
  REQUIRE(verdict->coverage.size() == 1);
  CHECK(verdict->coverage[0].withoutSkipping == verdict->coverage[0].runs / 2);
  CHECK_FALSE(verdict->coverage[0].cutAt.empty());
  CHECK(verdict->coverage[0].loops[0].skipped > 300);
}
