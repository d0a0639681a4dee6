#include "explain/explain_sync.h"

#include "explain/explained.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string answer(const std::string &text, const std::string &mark, OptimizeOptions options = {},
                   const std::string &patterns = "default") {
  return Explained(text, options, patterns).sync(mark).answer;
}

const std::string kFirst = "  TADDS(a, b, 1.0f); // first\n", kBarrier = "  pipe_barrier(PIPE_V); // sync\n",
                  kSecond = "  TADDS(c, a, 1.0f); // second\n";

} // namespace

TEST_CASE("explain sync: needed, with the plainest pair") {
  Explained kernel(fourTiles(kFirst + "  TADDS(d, b, 1.0f);\n" + kBarrier + "  TADDS(b, c, 2.0f);\n" + kSecond));
  SyncExplanation explained = kernel.sync("// sync");
  std::string first = std::to_string(kernel.line("// first")), second = std::to_string(kernel.line("// second"));
  // The true dependence, though another pair comes first in the text.
  CHECK(explained.answer == "Needed: without it nothing makes line " + second + " TADDS(c, a, 1.0f) wait for line " +
                                first +
                                " TADDS(a, b, 1.0f) (RAW on UB [0, 1024)), and 2 further pairs would be unordered");
  REQUIRE(explained.effects.size() == 1);
  CHECK(explained.effects[0].needed.size() == 3);
  CHECK(explained.decision.reason == KeptReason::Hazard);
}

TEST_CASE("explain sync: not needed") {
  CHECK(answer(fourTiles(kFirst + kBarrier + "  TADDS(c, d, 1.0f);\n"), "// sync") ==
        "Not needed: `ptosync opt` removes it [redundant-pipe-v]; it orders nothing");
  std::string twice =
      fourTiles(kFirst + kBarrier + "  TADDS(d, b, 1.0f);\n  pipe_barrier(PIPE_V); // other\n" + kSecond);
  // Alone neither is missed; the first one is tried first and goes, so the second one stays.
  CHECK(
      answer(twice, "// sync") ==
      "Not needed: `ptosync opt` removes it [redundant-pipe-v]; what it orders, 1 conflict, is ordered otherwise too");
  CHECK(answer(twice, "// other")
            .rfind("Needed: taken out alone it would leave nothing unordered, but what else orders", 0) == 0);
}

TEST_CASE("explain sync: a statement of a flag explains its web") {
  Explained kernel(fourTiles("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // set\n"
                             "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n  TADDS(b, a, 1.0f);\n"));
  SyncExplanation explained = kernel.sync("// set");
  CHECK(explained.web == "flag PIPE_MTE2 -> PIPE_V, id 0");
  REQUIRE(explained.statements.size() == 2);
  CHECK(explained.statements[1].line == kernel.line("// wait"));
  CHECK(mentions(explained.answer, "Needed: without it nothing makes line"));
  CHECK(kernel.sync("// wait").answer == explained.answer);
}

TEST_CASE("explain sync: flags that are faulty, moved or removed") {
  std::string faulty =
      fourTiles("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // set\n  TADDS(b, c, 1.0f);\n");
  CHECK(mentions(answer(faulty, "// set"), "Kept, because its flag is not seen to be balanced: "));
  std::string early = fourTiles("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                                "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n  TADDS(c, d, 1.0f);\n"
                                "  TADDS(b, a, 1.0f); // reader\n");
  CHECK(answer(early, "// wait") == "Needed, but not here: `ptosync opt` moves it in front of line " +
                                        std::to_string(lineOf(early, "// reader")) + " [sink-wait]");
  std::string idle = fourTiles("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // set\n"
                               "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  TADDS(b, c, 1.0f);\n");
  CHECK(answer(idle, "// set") == "Not needed: `ptosync opt` removes it [redundant-flag]; it orders nothing");
}

TEST_CASE("explain sync: kept for other reasons") {
  std::string kept = fourTiles(kFirst + "  pipe_barrier(PIPE_V); // ptosync: keep(timing)\n  TADDS(c, d, 1.0f);\n");
  CHECK(answer(kept, "keep(timing)") == "Kept whatever it orders: kept by comment: timing");
  CHECK(answer(fourTiles(kFirst + kBarrier + "  TADDS(c, d, 1.0f);\n"), "// sync", {}, "none") ==
        "Not tried: no enabled pattern matches");
  std::string unknown = fourTiles("  TFROBNICATE(a);\n  pipe_barrier(PIPE_ALL); // sync\n" + kSecond);
  CHECK(mentions(answer(unknown, "// sync"),
                 "wait for line " + std::to_string(lineOf(unknown, "TFROBNICATE")) + " TFROBNICATE(a)"));
  std::string fifo = readText(corpusPath("fifo_fences/kernel.cpp"));
  CHECK(mentions(answer(fifo, "pipe_barrier(PIPE_MTE3);"), "one of which is opaque, in order"));
}

TEST_CASE("explain sync: what is open anyway is suspected, not needed") {
  // Which of the two addresses is written is not known: the pair is open with the barrier of another pipe too.
  Explained kernel(fourTiles("  TLOAD(a, g);\n  if (n > 3) {\n    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                             "    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n  }\n  TADDS(b, a, 1.0f);\n"));
  SyncExplanation explained = kernel.sync("// wait");
  REQUIRE(explained.effects.size() == 1);
  CHECK(explained.effects[0].needed.empty());
  CHECK(explained.effects[0].suspected.size() == 1);
  CHECK(mentions(explained.answer, "which the analysis does not see ordered even with it"));
}
