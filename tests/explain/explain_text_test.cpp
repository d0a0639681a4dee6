#include "explain/explain_sample.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("explain text: literally") {
  CHECK(explainText(sampleExplanation()) ==
        "k.cpp:12: pipe_barrier(PIPE_V)\n"
        "  Needed: for a reason.\n"
        "  in kernel k (vec), called from line 90\n"
        "  nothing else orders (2)\n"
        "    RAW on UB [0, 128): line 10 TADD(a, b, c) -> line 13 TMUL(d, a, c)\n"
        "    RAW on UB [0, 128): line 11 TADD(a, b, c) -> line 14 TMUL(d, a, c) (ordered by the contested machine rule "
        "m-accumulate-order, which is not relied on)\n"
        "  ordered otherwise too (1)\n"
        "    RAW on UB [0, 128): line 10 TADD(a, b, c) -> line 16 TMUL(d, a, c)\n"
        "      sync at line 15: completes the earlier one first\n"
        "      also, not relied on: barrier inside the library call at line 15: counts with --trust=library\n"
        "  not seen ordered even with it; it may have a part in it (1)\n"
        "    RAW on UB [0, 128): line 8 TADD(a, b, c) -> line 13 TMUL(d, a, c)\n"
        "  pattern gu nominates it, but without it the conflicts above are not ordered\n"
        "  what would let it go (1)\n"
        "    with an option\n"
        "\n"
        "k.cpp:12: TMUL(d, a, c) runs on PIPE_V.\n"
        "  in kernel k (vec), called from line 90\n"
        "  and the same in kernel k (vec), called from line 91\n"
        "  touches (2)\n"
        "    writes d: UB [0, 128)\n"
        "    reads a: UB, unknown bytes (why)\n"
        "  inside the library call, counts with --trust=library (2)\n"
        "    PIPE_V reads a, c, writes d\n"
        "    barrier of PIPE_V\n"
        "  an opaque fence\n"
        "  waits for, nearest first (1)\n"
        "    RAW/WAR on UB [0, 128), WAW on UB [256, 512): line 10 TADD(a, b, c) on PIPE_V\n"
        "      pipe_barrier(PIPE_V) at line 11\n"
        "\n"
        "k.cpp:12: Tile a lies there.\n"
        "  in kernel k\n"
        "  shares bytes with (1)\n"
        "    b UB [64, 128)\n"
        "  uses, in program order (2)\n"
        "    line 13 TADD(a, b, c) on PIPE_V writes\n"
        "    line 14 TMUL(d, b, c) on PIPE_V reads b UB [64, 128) (2 rows)\n"
        "\n"
        "k.cpp:12: kernel other (cube) was not analysed: for a reason\n");
}

TEST_CASE("explain text: calls that differ stay with their instructions") {
  ExplainReport report = sampleExplanation();
  report.explanation.syncs[0].effects[0].needed[0].conflict.later.calledFrom = {91};
  std::string text = explainText(report);
  CHECK(text.find("  in kernel k (vec)\n") != std::string::npos);
  CHECK(text.find("line 10 (called from line 90) TADD(a, b, c) -> line 13 (called from line 91) TMUL(d, a, c)") !=
        std::string::npos);
}

TEST_CASE("explain text: long lists are cut, nothing is said twice") {
  ExplainReport report = sampleExplanation();
  std::vector<SyncEffect::Needed> &needed = report.explanation.syncs[0].effects[0].needed;
  needed.assign(9, needed[0]);
  CHECK(explainText(report).find("more (all with --format=json)") == std::string::npos);
  needed.assign(20, needed[0]);
  CHECK(explainText(report).find("    and 12 more (all with --format=json)\n") != std::string::npos);
  report.explanation.syncs[0].conditions = {{RemovalCondition::Kind::None, "but another sync"}};
  CHECK(explainText(report).find("  nothing lets it go but another sync\n") != std::string::npos);
}

TEST_CASE("explain text: of many places one is enough") {
  ExplainReport report = sampleExplanation();
  std::string &storage = report.explanation.instructions[0].accesses[0].storage;
  storage = "UB [0, 8) or [8, 16) or [16, 24)";
  CHECK(explainText(report).find("writes d: " + storage + "\n") != std::string::npos);
  storage += " or [24, 32)";
  CHECK(explainText(report).find("writes d: UB [0, 8) or one of 3 other places\n") != std::string::npos);
}

TEST_CASE("explain text: control bytes of a file do not reach the terminal") {
  ExplainReport report = sampleExplanation();
  report.file = "a\x1b[31m.cpp";
  report.explanation.instructions[0].accesses[0].name = "x\ny";
  std::string text = explainText(report);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("writes x y: ") != std::string::npos);
}

TEST_CASE("explain text: nothing to explain") {
  ExplainReport report;
  report.file = "k.cpp";
  report.line = 5;
  report.explanation.nearby = {{4, "TADD(a, b, c)"}, {9, "tile b"}};
  CHECK(nothingToExplain(report) ==
        "k.cpp:5: no sync, instruction or tile declaration of an analysed kernel stands here; above, line 4: "
        "TADD(a, b, c); below, line 9: tile b");
  report.explanation.calls = "it calls add, whose statements are on lines 2 to 3";
  CHECK(nothingToExplain(report).find("stands here; it calls add, whose") != std::string::npos);
  report.line = 0;
  report.tile = "t";
  CHECK(nothingToExplain(report) == "k.cpp: no kernel has a tile named t");
}
