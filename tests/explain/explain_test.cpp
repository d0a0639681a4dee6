#include "explain/explain.h"

#include "explain/explained.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("explain: each thing on a line") {
  Explained kernel(fourTiles("  TLOAD(a, g); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); "
                             "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); TADDS(b, a, 1.0f); // all\n"));
  Explanation all = kernel.at("// all");
  CHECK(all.syncs.size() == 1); // one web
  CHECK(all.instructions.size() == 2);
  CHECK(all.tiles.empty());
  CHECK(all.nearby.empty());
  Explanation declaration = kernel.atLine(kBodyLine);
  REQUIRE(declaration.tiles.size() == 1);
  CHECK(declaration.tiles[0].name == "a");
  CHECK(declaration.syncs.empty());
}

TEST_CASE("explain: a line with nothing says what is near, and whom it calls") {
  Explained kernel(fourTiles("  TLOAD(a, g); // load\n  int32_t m = n + 1; // empty\n\n  TADDS(b, a, 1.0f); // add\n"));
  Explanation nothing = kernel.at("// empty");
  CHECK(nothing.empty());
  REQUIRE(nothing.nearby.size() == 2);
  CHECK(nothing.nearby[0].line == kernel.line("// load"));
  CHECK(nothing.nearby[1].line == kernel.line("// add"));
  CHECK(nothing.nearby[1].text == "TADDS(b, a, 1.0f)");
  Explained call("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nstatic AICORE void add() {\n" +
                 rowsAt("p", 4, "0") +
                 "  TADDS(p, p, 1.0f); // in\n}\nextern \"C\" __global__ AICORE void k(__gm__ float *in) {\n"
                 "  add(); // call\n}\n");
  CHECK(call.at("// call").calls ==
        "it calls add, whose statements are on lines 4 to " + std::to_string(call.line("// in")));
}

TEST_CASE("explain: tiles by name, each declaration once") {
  Explained kernel("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nstatic AICORE void add() {\n" +
                   rowsAt("p", 4, "0") + // line 4
                   "  TADDS(p, p, 1.0f);\n}\nextern \"C\" __global__ AICORE void k(__gm__ float *in) {\n" +
                   rowsAt("p", 4, "4096") + // line 8
                   "  TADDS(p, p, 1.0f);\n  add();\n  pipe_barrier(PIPE_V);\n  add();\n}\n");
  std::vector<TileExplanation> tiles = kernel.tile("p").tiles;
  std::vector<std::uint32_t> lines;
  for (const TileExplanation &tile : tiles)
    lines.push_back(tile.line);
  std::sort(lines.begin(), lines.end());
  // The helper's tile has one use in each of its two calls.
  CHECK(lines == std::vector<std::uint32_t>{4, 8});
  CHECK(kernel.tile("nobody").empty());
}

TEST_CASE("explain: a kernel that was not analysed says why") {
  Explained kernel(
      vectorKernel("  if (n > 3) {\n    goto second;\n  }\nfirst:\n  n = n + 1;\n  pipe_barrier(PIPE_V); // sync\n"
                   "second:\n  n = n + 2;\n  if (n < 100) {\n    goto first;\n  }\n"));
  Explanation explanation = kernel.at("// sync");
  REQUIRE(explanation.skipped.size() == 1);
  CHECK(explanation.skipped[0].reason == "its control flow has a cycle with two entries");
  CHECK(explanation.syncs.at(0).answer == "Not analysed: kernel k was not analysed");
}

TEST_CASE("explain: every line of the corpus has something to say or names its neighbours") {
  std::size_t syncs = 0, instructions = 0, tiles = 0;
  for (const char *folder : {"flash_attention", "helper_call", "fifo_fences", "goto_while", "unknown_call"}) {
    Explained kernel(readText(corpusPath(std::string(folder) + "/kernel.cpp")));
    // One of every kind of line is enough; all of them take long.
    for (std::uint32_t line = 1; line <= kernel.module.source.lineCount(); line += 7) {
      INFO(folder << ":" << line);
      Explanation explanation = kernel.atLine(line);
      CHECK(explanation.empty() != explanation.nearby.empty());
      for (const SyncExplanation &sync : explanation.syncs)
        CHECK_FALSE(sync.answer.empty());
      syncs += explanation.syncs.size();
      instructions += explanation.instructions.size();
      tiles += explanation.tiles.size();
    }
  }
  CHECK(syncs > 10);
  CHECK(instructions > 10);
  CHECK(tiles > 10);
}
