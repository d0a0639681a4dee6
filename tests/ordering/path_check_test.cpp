// Pairs that are open in the input: whether an edit takes an order away from them on some path.
#include "ordering/path_check.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string text(const std::string &statements) {
  return vectorKernel(rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + rowsAt("c", 4, "2048") + tensorAt("g", "in") +
                      tensorAt("h", "out") + statements);
}

/// Whether a pair that is open may lose an order if the marked syncs go.
bool loses(const std::string &statements, const std::vector<std::string> &marks) {
  Analysed kernel(text(statements));
  std::vector<ConflictPair> pairs;
  for (const OpenObligation &open : kernel.pending->open(ObligationKind::Conflict))
    pairs.push_back(open.pair);
  REQUIRE_FALSE(pairs.empty());
  SyncLayout before, after;
  for (const std::string &mark : marks)
    after.apply({{kernel.site(mark)}, {}});
  PathCheck check(*kernel.program, kernel.hazards(), before, after, kernel.pending->tokenFaults());
  return check.firstLoss(pairs).has_value();
}

const std::string kLoad = "  TLOAD(a, g);\n", kRead = "  TADDS(c, a, 1.0f);\n";

std::string pair(const std::string &pipes, int id, const std::string &mark) {
  std::string arguments = "(" + pipes + ", EVENT_ID" + std::to_string(id) + "); // ";
  return "  set_flag" + arguments + "set " + mark + "\n  wait_flag" + arguments + "wait " + mark + "\n";
}
const std::vector<std::string> kBoth = {"// set x", "// wait x"};

} // namespace

TEST_CASE("path check: without an edit nothing is lost", "[paths]") {
  for (const std::string &between :
       {pair("PIPE_MTE2, PIPE_V", 0, "x"), pair("PIPE_MTE2, PIPE_MTE3", 0, "x") + pair("PIPE_MTE3, PIPE_V", 0, "y"),
        std::string("  pipe_barrier(PIPE_ALL);\n  TADDS(b, b, 1.0f);\n")}) {
    Analysed kernel(text(kLoad + "  if (n > 3) {\n" + between + "  }\n" + kRead));
    std::vector<ConflictPair> pairs;
    for (const OpenObligation &open : kernel.pending->open(ObligationKind::Conflict))
      pairs.push_back(open.pair);
    REQUIRE_FALSE(pairs.empty());
    SyncLayout same;
    CHECK_FALSE(
        PathCheck(*kernel.program, kernel.hazards(), same, same, kernel.pending->tokenFaults()).firstLoss(pairs));
  }
}

TEST_CASE("path check: an order on one path is an order", "[paths]") {
  // The pair is open because of the other path; on this one the flag orders it.
  const std::string arm = "  if (n > 3) {\n" + pair("PIPE_MTE2, PIPE_V", 0, "x") + "  }\n";
  CHECK(loses(kLoad + arm + kRead, kBoth));
  CHECK(loses(kLoad + "  for (int32_t i = 0; i < n; ++i) {\n" + pair("PIPE_MTE2, PIPE_V", 0, "x") + "  }\n" + kRead,
              kBoth));
  // In front of the first or behind the second it orders nothing.
  CHECK_FALSE(loses(pair("PIPE_MTE2, PIPE_V", 0, "x") + kLoad + kRead, kBoth));
  CHECK_FALSE(loses(kLoad + kRead + pair("PIPE_MTE2, PIPE_V", 0, "x"), kBoth));
  // Nor between other pipes.
  CHECK_FALSE(loses(kLoad + pair("PIPE_V, PIPE_MTE2", 0, "x") + kRead, kBoth));
  CHECK_FALSE(loses(kLoad + pair("PIPE_MTE2, PIPE_MTE3", 0, "x") + kRead, kBoth));
}

TEST_CASE("path check: an order that something else gives on the same path", "[paths]") {
  auto arm = [](const std::string &inside) { return "  if (n > 3) {\n" + inside + "  }\n"; };
  CHECK_FALSE(loses(kLoad + arm(pair("PIPE_MTE2, PIPE_V", 0, "x") + pair("PIPE_MTE2, PIPE_V", 1, "y")) + kRead, kBoth));
  CHECK_FALSE(loses(
      kLoad + arm(pair("PIPE_MTE2, PIPE_V", 0, "x") + "  pipe_barrier(PIPE_ALL);\n  TADDS(b, b, 1.0f);\n") + kRead,
      kBoth));
  // On another path it does not help.
  CHECK(loses(kLoad + arm(pair("PIPE_MTE2, PIPE_V", 0, "x")) + "  if (n > 4) {\n" + pair("PIPE_MTE2, PIPE_V", 1, "y") +
                  "  }\n" + kRead,
              kBoth));
  // A way round, in the right order only.
  auto round = [&](const std::string &first, const std::string &second) {
    return loses(kLoad + arm(pair("PIPE_MTE2, PIPE_V", 0, "x") + first + second) + kRead, kBoth);
  };
  CHECK_FALSE(round(pair("PIPE_MTE2, PIPE_MTE3", 0, "y"), pair("PIPE_MTE3, PIPE_V", 0, "z")));
  CHECK(round(pair("PIPE_MTE3, PIPE_V", 0, "z"), pair("PIPE_MTE2, PIPE_MTE3", 0, "y")));
}

TEST_CASE("path check: an undecided id covers in the input and not in the edited kernel", "[paths]") {
  const std::string lane = "(event_t) (n & 1)";
  auto dynamic = [&](const std::string &mark) {
    return "  set_flag(PIPE_MTE2, PIPE_V, " + lane + "); // set " + mark + "\n  wait_flag(PIPE_MTE2, PIPE_V, " + lane +
           "); // wait " + mark + "\n";
  };
  CHECK(loses(kLoad + dynamic("x") + kRead, kBoth)); // it may be what orders the pair
  // Beside a certain one, in a pair that is open on another path.
  CHECK(loses(kLoad + "  if (n > 3) {\n" + pair("PIPE_MTE2, PIPE_V", 5, "x") + "  } else {\n" + dynamic("y") + "  }\n" +
                  kRead,
              kBoth));
}

TEST_CASE("path check: a pair of one iteration stays in it", "[paths]") {
  auto loop = [](const std::string &inside) { return "  for (int32_t i = 0; i < n; ++i) {\n" + inside + "  }\n"; };
  // Behind the reader: only the next iteration's load is behind it.
  CHECK_FALSE(loses(loop(kLoad + kRead + pair("PIPE_MTE2, PIPE_V", 0, "x") + "  pipe_barrier(PIPE_ALL);\n"), kBoth));
  // Carried: the flag orders this trip's read against the next trip's load, with nothing else.
  CHECK(loses(loop(kLoad + kRead + "  if (n > 3) {\n" + pair("PIPE_V, PIPE_MTE2", 0, "x") + "  }\n"), kBoth));
}

TEST_CASE("path check: a moved sync", "[paths]") {
  // In the arm the wait stands in front of the read: behind it the order would be lost on that path.
  Analysed kernel(text(kLoad + "  if (n > 3) {\n" + pair("PIPE_MTE2, PIPE_V", 0, "x") + kRead +
                       "  }\n  TADDS(b, a, 1.0f); // behind\n"));
  std::vector<ConflictPair> pairs;
  for (const OpenObligation &open : kernel.pending->open(ObligationKind::Conflict))
    pairs.push_back(open.pair);
  REQUIRE_FALSE(pairs.empty());
  EventKey wait = kernel.pending->eventsOf(kernel.site("// wait x"))[0];
  SyncLayout before, late;
  EventKey end{wait.first, static_cast<std::uint32_t>(kernel.program->steps[wait.first].size())};
  late.apply({{}, {{wait, {end}}}});
  // The open pair is with the read behind the join, which still comes after it.
  CHECK_FALSE(PathCheck(*kernel.program, kernel.hazards(), before, late, {}).firstLoss(pairs));
  // The ordered pair with the read in the arm would lose it.
  ConflictPair inArm{kernel.bit("TLOAD(a, g)"), kernel.node("TADDS(c, a"), HazardKind::ReadAfterWrite, 0, 0};
  CHECK(PathCheck(*kernel.program, kernel.hazards(), before, late, {}).firstLoss({inArm}));
}

TEST_CASE("path check: more ways than can be told apart count as a loss", "[paths]") {
  std::string many;
  for (int i = 0; i < 10; ++i)
    many += "  if (n > " + std::to_string(i) + ") {\n  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID" +
            std::to_string(i % 8) + ");\n  } else {\n  set_flag(PIPE_MTE2, PIPE_" + (i < 8 ? "S" : "M") + ", EVENT_ID" +
            std::to_string(i % 8) + ");\n  }\n";
  // The flag under test is no part of any order of the pair.
  const std::string beside = pair("PIPE_MTE3, PIPE_MTE2", 0, "x");
  CHECK_FALSE(loses(kLoad + beside + kRead, kBoth));
  CHECK(loses(kLoad + many + beside + kRead, kBoth));
}

TEST_CASE("path check: a wait of a faulty flag may be fed by a set behind it", "[paths]") {
  // In the text the wait comes first; in its queue it lets go when the set behind it fires, which knows the load.
  const std::string late = "  wait_flag(PIPE_MTE2, PIPE_M, EVENT_ID1);\n  set_flag(PIPE_MTE2, PIPE_M, EVENT_ID1);\n";
  CHECK(loses(kLoad + late + pair("PIPE_M, PIPE_V", 2, "x") + kRead, kBoth));
}
