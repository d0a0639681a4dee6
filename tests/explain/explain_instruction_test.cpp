#include "explain/explain_instruction.h"

#include "explain/explained.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::vector<std::string> shortForms(const std::vector<OrderedConflict> &list) {
  std::vector<std::string> forms;
  for (const OrderedConflict &entry : list)
    forms.push_back(shortForm(entry.conflict) + " " + pairOrderName(entry.order.by));
  return forms;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("explain instruction: producers nearest first, consumers, and the answer") {
  Explained kernel(fourTiles("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n" // 10 to 16
                             "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  TADDS(b, c, 1.0f);\n"
                             "  pipe_barrier(PIPE_V);\n  TADD(d, a, b); // here\n  TADDS(c, d, 1.0f);\n"));
  InstructionExplanation explained = kernel.instruction("// here");
  CHECK(explained.kernel == "k");
  CHECK(explained.pipes == std::vector<Pipe>{Pipe::V});
  CHECK(shortForms(explained.producers) == Lines{"RAW 13 -> 15 barrier", "RAW 10 -> 15 flags"});
  CHECK(shortForms(explained.consumers) == Lines{"RAW 15 -> 16 nothing"});
  CHECK(explained.answer ==
        "TADD(d, a, b) runs on PIPE_V; it waits for 2 earlier instructions, and 1 later one waits for it: 1 of these "
        "NOT ORDERED");
}

TEST_CASE("explain instruction: kinds of one place stand together") {
  Explained kernel(fourTiles("  TADDS(a, a, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(a, a, 2.0f); // here\n"));
  const std::vector<OrderedConflict> &producers = kernel.instruction("// here").producers;
  REQUIRE(producers.size() == 1);
  REQUIRE(producers[0].meets.size() == 1);
  CHECK(producers[0].meets[0].kinds == Lines{"RAW", "WAR", "WAW"});
  CHECK(producers[0].meets[0].storage == "UB [0, 1024)");
}

TEST_CASE("explain instruction: the inside of a library call, and what the machine says of it") {
  std::string tiles = rowsAt("x", 16, "8192") + rowsAt("t", 16, "16384") + columnTile("s", "float", 16, 32768);
  Explained sum(fourTiles(tiles + "  TROWSUM(s, x, t); // here\n"));
  InstructionExplanation explained = sum.instruction("// here");
  REQUIRE_FALSE(explained.library.empty());
  CHECK(explained.library.back().barrier);
  CHECK_FALSE(explained.libraryCounts);
  OptimizeOptions library;
  library.ordering.trust = Trust::Library;
  CHECK(Explained(sum.text, library).instruction("// here").libraryCounts);
}

TEST_CASE("explain instruction: on one of the pipes that sources name") {
  // TEXTRACT of a run-time region runs on V or S, sources differ.
  std::string region =
      tileIn("Vec", "w", "float", "4, 64", "-1, 64", "4096", "BLayout::RowMajor", "SLayout::NoneBox", "(n)");
  Explained kernel(
      fourTiles(region + "  TADDS(b, a, 1.0f); // here\n  pipe_barrier(PIPE_V);\n  TEXTRACT(w, b, 0, 0);\n"));
  InstructionExplanation explained = kernel.instruction("// here");
  CHECK(mentions(explained.answer, ": all ordered, but for 1 on a pipe that only some sources name"));
  CHECK(std::count_if(explained.consumers.begin(), explained.consumers.end(),
                      [](const OrderedConflict &entry) { return entry.order.disputed; }) == 1);
}

TEST_CASE("explain instruction: a call that nothing is known of, and one that occupies no pipe") {
  Explained unknown(fourTiles("  TADDS(a, b, 1.0f);\n  TFROBNICATE(a); // here\n"));
  InstructionExplanation explained = unknown.instruction("// here");
  REQUIRE(explained.remarks.size() == 1);
  CHECK(mentions(explained.remarks[0], "does not know this call"));
  CHECK(explained.accesses.empty()); // not one line for each memory
  CHECK(explained.pipes.size() == kPipeCount);
}

TEST_CASE("explain instruction: two calls of a helper are one explanation if the same holds for both") {
  std::string head = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n";
  auto kernel = [&](const std::string &first, const std::string &second) {
    return head + "static AICORE void add(uint64_t at) {\n" + rowsAt("p", 4, "at") + rowsAt("q", 4, "8192") +
           "  TADDS(q, p, 1.0f); // here\n  pipe_barrier(PIPE_V);\n}\n"
           "extern \"C\" __global__ AICORE void k(__gm__ float *in) {\n  add(" +
           first + "); // one\n  add(" + second + "); // two\n}\n";
  };
  Explained different(kernel("0", "4096"));
  CHECK(different.at("// here").instructions.size() == 2);
  std::vector<InstructionExplanation> list = different.at("// here").instructions;
  CHECK(list[0].place.calledFrom == std::vector<std::uint32_t>{different.line("// one")});
  CHECK(list[1].place.calledFrom == std::vector<std::uint32_t>{different.line("// two")});
  std::vector<InstructionExplanation> equal(2, list[0]);
  equal[1].place.calledFrom = {99};
  mergeEqual(equal);
  REQUIRE(equal.size() == 1);
  CHECK(equal[0].alsoAt == Lines{"kernel k, called from line 99"});
}
