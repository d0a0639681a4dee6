#include "explain/pair_order.h"

#include "explain/explained.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// What orders the first link between two marked instructions.
PairOrder order(const Explained &kernel, const std::string &first, const std::string &second) {
  const Program &program = kernel.file->kernels()[0].program();
  for (const ChainLink &link : kernel.file->kernels()[0].links())
    if (program.nodes[link.earlier].statement->line == kernel.line(first) &&
        program.nodes[link.later].statement->line == kernel.line(second))
      return pairOrder(*kernel.file, 0, link);
  throw std::runtime_error("no link");
}

const std::string kEarlierSync = "  TADDS(a, b, 1.0f); // first\n", kLaterSync = "  TADDS(c, a, 1.0f); // second\n";

std::string at(const Explained &kernel, const std::string &mark) { return std::to_string(kernel.line(mark)); }

} // namespace

TEST_CASE("pair order: a barrier, and nothing") {
  Explained kernel(fourTiles(kEarlierSync + "  pipe_barrier(PIPE_V); // sync\n" + kLaterSync));
  PairOrder found = order(kernel, "// first", "// second");
  CHECK(found.by == PairOrder::By::Barrier);
  CHECK(found.text == "pipe_barrier(PIPE_V) at line " + at(kernel, "// sync"));
  CHECK(found.lines == std::vector<std::uint32_t>{kernel.line("// sync")});
  Explained all(fourTiles(kEarlierSync + "  pipe_barrier(PIPE_ALL); // sync\n" + kLaterSync));
  CHECK(order(all, "// first", "// second").text == "pipe_barrier(PIPE_ALL) at line " + at(all, "// sync"));
  Explained none(fourTiles(kEarlierSync + kLaterSync));
  CHECK(order(none, "// first", "// second").by == PairOrder::By::Nothing);
  CHECK(order(none, "// first", "// second").text == "NOT ORDERED");
}

TEST_CASE("pair order: on some path only") {
  Explained kernel(fourTiles(kEarlierSync + "  if (n > 3) {\n    pipe_barrier(PIPE_V); // sync\n  }\n" + kLaterSync));
  PairOrder found = order(kernel, "// first", "// second");
  CHECK(found.by == PairOrder::By::Nothing);
  CHECK(found.text.rfind("NOT ORDERED", 0) == 0);
  Explained both(fourTiles(kEarlierSync +
                           "  if (n > 3) {\n    pipe_barrier(PIPE_V);\n  } else {\n    pipe_barrier(PIPE_V);\n  }\n" +
                           kLaterSync));
  CHECK(order(both, "// first", "// second").by == PairOrder::By::Barrier);
}

TEST_CASE("pair order: a flag with its lines, and one behind another") {
  Explained kernel(fourTiles("  TLOAD(a, g); // load\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // s1\n"
                             "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // w1\n  TADDS(b, a, 1.0f); // add\n"
                             "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // t1\n"
                             "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // x1\n  TSTORE(h, a); // store\n"));
  std::string first = "flag PIPE_MTE2 -> PIPE_V, id 3 (set at line " + at(kernel, "// s1") + ", awaited at line " +
                      at(kernel, "// w1") + ")";
  CHECK(order(kernel, "// load", "// add").text == first);
  CHECK(order(kernel, "// load", "// add").by == PairOrder::By::Flags);
  PairOrder chain = order(kernel, "// load", "// store");
  CHECK(chain.text == first + ", then flag PIPE_V -> PIPE_MTE3, id 0 (set at line " + at(kernel, "// t1") +
                          ", awaited at line " + at(kernel, "// x1") + ")");
  CHECK(chain.lines == std::vector<std::uint32_t>{kernel.line("// s1"), kernel.line("// w1"), kernel.line("// t1"),
                                                  kernel.line("// x1")});
}

TEST_CASE("pair order: rules, contested ones apart, and the library's own barrier") {
  std::string tall = rowsAt("p", 16, "8192") + rowsAt("q", 16, "12288") + rowsAt("r", 16, "16384");
  std::string pair = "  TADDS(p, q, 1.0f); // first\n  TADDS(r, p, 1.0f); // second\n";
  Explained ruled(fourTiles(tall + pair));
  CHECK(order(ruled, "// first", "// second").by == PairOrder::By::Rule);
  CHECK(order(ruled, "// first", "// second").rule == "same-access-chain");
  Explained product(vectorKernel(productTiles(16, 16, "int8_t") +
                                 "  TMATMUL(C, L, R); // first\n  TMATMUL_ACC(C, C, L, R); // second\n"));
  PairOrder contested = order(product, "// first", "// second");
  CHECK(contested.by == PairOrder::By::Contested);
  CHECK(contested.text == "NOT ORDERED but by the contested machine rule m-accumulate-order");
  OptimizeOptions library;
  library.ordering.trust = Trust::Library;
  Explained sum(fourTiles(rowsAt("x", 16, "8192") + rowsAt("t", 16, "16384") + columnTile("s", "float", 16, 32768) +
                          columnTile("u", "float", 16, 36864) +
                          "  TROWSUM(s, x, t); // first\n  TADD(u, u, s); // second\n"),
                library);
  CHECK(order(sum, "// first", "// second").by == PairOrder::By::Library);
  CHECK(order(sum, "// first", "// second").text ==
        "the barrier inside the library call at line " + at(sum, "// first"));
}
