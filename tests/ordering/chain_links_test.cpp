#include "ordering/chain_links.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string tiles() {
  return rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + rowsAt("c", 4, "2048") + tensorAt("g", "in");
}

/// "7 -> 9 RAW WAW", with the lines of the syncs that order it.
std::vector<std::string> linksOf(const Analysed &kernel) {
  std::vector<std::string> list;
  for (const ChainLink &link : findChainLinks(*kernel.program, *kernel.pending)) {
    std::string text = std::to_string(kernel.program->nodes[link.earlier].statement->line) + " -> " +
                       std::to_string(kernel.program->nodes[link.later].statement->line);
    for (const ConflictPair &pair : link.pairs)
      text += std::string(" ") + hazardKindName(pair.kind);
    for (EventKey key : link.syncs)
      text += " by " + std::to_string(kernel.program->steps[key.first][key.second].statement->line);
    list.push_back(text + (link.open ? " open" : "") + (link.rule.empty() ? "" : " " + link.rule));
  }
  return list;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("chain links: every reader up to what overwrites the bytes", "[chains]") {
  Analysed kernel(vectorKernel(tiles() + // lines 4 to 7
                               "  TADDS(a, c, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(b, a, 1.0f);\n"
                               "  TADDS(b, a, 2.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(a, c, 3.0f);\n  TEXP(b, a);\n"));
  // Line 14 reads what line 13 wrote: no link from line 8 to it.
  CHECK(linksOf(kernel) == Lines{"8 -> 10 RAW by 9", "8 -> 11 RAW by 9", "8 -> 13 WAW by 9", "10 -> 11 WAW open",
                                 "10 -> 13 WAR by 12", "11 -> 13 WAR by 12", "11 -> 14 WAW by 12",
                                 "13 -> 14 RAW open"});
}

TEST_CASE("chain links: a chain of flags is named as a chain", "[chains]") {
  Analysed kernel(vectorKernel(tiles() + tensorAt("h", "out") +
                               "  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                               "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  TADDS(b, c, 1.0f);\n"
                               "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
                               "  TSTORE(h, a);\n"));
  CHECK(linksOf(kernel) == Lines{"9 -> 15 RAW by 11 by 14"});
}

TEST_CASE("chain links: round a loop, and a machine rule", "[chains]") {
  Analysed loop(vectorKernel(tiles() + "  for (int32_t i = 0; i < n; ++i) {\n    TADDS(b, a, 1.0f);\n"
                                       "    pipe_barrier(PIPE_V);\n    TADDS(a, c, 1.0f);\n  }\n"));
  CHECK(linksOf(loop) == Lines{"9 -> 11 WAR by 10", "9 -> 9 WAW by 10", "11 -> 9 RAW open", "11 -> 11 WAW by 10"});
  Analysed ruled(
      vectorKernel(rowsAt("p", 16, "0") + rowsAt("q", 16, "4096") + "  TADDS(p, q, 1.0f);\n  TADDS(q, p, 1.0f);\n"));
  CHECK(linksOf(ruled) == Lines{"6 -> 7 RAW WAR open"});
  Analysed exact(vectorKernel(rowsAt("p", 16, "0") + rowsAt("q", 16, "4096") + rowsAt("r", 16, "8192") +
                              "  TADDS(p, q, 1.0f);\n  TADDS(r, p, 1.0f);\n"));
  CHECK(linksOf(exact) == Lines{"7 -> 8 RAW same-access-chain"});
}
