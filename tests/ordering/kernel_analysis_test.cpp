#include "ordering/kernel_analysis.h"

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

TEST_CASE("analysis: a committed edit drops what was derived from where the syncs stood", "[analysis]") {
  Analysed text(vectorKernel(tiles() + "  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                                       "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  TADDS(b, c, 1.0f);\n"));
  Analysis analysis = llvm::cantFail(Analysis::of(text.module.kernels[0], machineOf("a3"), {}));
  REQUIRE(analysis.webs().size() == 1);
  const std::set<SiteId> flag = analysis.webs()[0].sites();
  CHECK(&analysis.webs() == &analysis.webs());
  CHECK(analysis.whatIf({flag, {}}).allowed);
  CHECK_FALSE(analysis.pending().layout().removed(*flag.begin()));
  REQUIRE(analysis.tryEdit({flag, {}}).allowed);
  CHECK(analysis.webs().size() == 1); // tried, not committed
  analysis.commit();
  CHECK(analysis.webs().empty());
  CHECK(analysis.pending().layout().removed(*flag.begin()));
}

TEST_CASE("analysis: what may not go is refused, and refused again", "[analysis]") {
  Analysed text(vectorKernel(tiles() + "  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                                       "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  TADDS(b, a, 1.0f);\n"));
  Analysis analysis = llvm::cantFail(Analysis::of(text.module.kernels[0], machineOf("a3"), {}));
  REQUIRE(analysis.links().size() == 1);
  CHECK(analysis.links()[0].syncs.size() == 1);
  const SyncEdit edit{analysis.webs()[0].sites(), {}};
  CHECK_FALSE(analysis.whatIf(edit).allowed);
  CHECK_FALSE(analysis.tryEdit(edit).allowed);
  analysis.commit(); // nothing to commit
  CHECK(analysis.webs().size() == 1);
}

TEST_CASE("analysis: waits of the scalar pipe hold back all only where there is one", "[analysis]") {
  const std::string store = "  TADDS(b, a, 1.0f);\n";
  Analysed none(vectorKernel(tiles() + store));
  const Analysis without = llvm::cantFail(Analysis::of(none.module.kernels[0], machineOf("a3"), {}));
  CHECK(&without.whereScalarWaitsHold() == &without);
  Analysed some(vectorKernel(tiles() + store +
                             "  set_flag(PIPE_V, PIPE_S, EVENT_ID0);\n"
                             "  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);\n"));
  const Analysis with = llvm::cantFail(Analysis::of(some.module.kernels[0], machineOf("a3"), {}));
  const Analysis &held = with.whereScalarWaitsHold();
  REQUIRE(machineOf("a3").rules().scalarWaitDispatch);
  CHECK(&held != &with);
  CHECK(&held == &with.whereScalarWaitsHold());
  CHECK(held.program().options.scalarWaitsHoldDispatch);
}

TEST_CASE("file analysis: kernels, those that cannot be analysed, webs that kernels share", "[analysis]") {
  const std::string flag = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n";
  const Module module =
      lift("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
           "AICORE void helper() {\n" +
           flag +
           "}\nextern \"C\" __global__ AICORE void one(int32_t n) {\n  helper();\n}\n"
           "extern \"C\" __global__ AICORE void two(int32_t n) {\n  helper();\n}\n"
           "extern \"C\" __global__ AICORE void tangled(int32_t n) {\n  if (n > 3) {\n    goto second;\n  }\n"
           "first:\n  n = n + 1;\nsecond:\n  n = n + 2;\n  if (n < 100) {\n    goto first;\n  }\n}\n");
  const FileAnalysis file(module, machineOf("a3"), {});
  REQUIRE(file.kernels().size() == 2);
  CHECK(file.kernels()[1].kernel().name == "two");
  REQUIRE(file.skipped().size() == 1);
  CHECK(file.skipped()[0].first->name == "tangled");
  CHECK(file.skipped()[0].second ==
        "its control flow has a cycle with two entries (a `goto` into a loop), which is not followed");
  CHECK(file.webs().size() == 1);
  CHECK(file.webs()[0].sites().size() == 2);
}

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

namespace {

std::string chainsOf(const std::string &text, const OrderingOptions &options = {}) {
  Module module = lift(text);
  return printChains(module.kernels.at(0), machineOf("a3"), options);
}

} // namespace

TEST_CASE("chains: a small kernel, literally", "[chains]") {
  std::string text = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
                     "extern \"C\" __global__ AICORE void k(__gm__ float *in) {\n" +
                     rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + tensorAt("g", "in") + // lines 4 to 6
                     "  TLOAD(a, g);\n"
                     "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                     "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                     "  TADDS(b, a, 1.0f);\n"
                     "  pipe_barrier(PIPE_V);\n"
                     "  TADDS(a, b, 1.0f);\n"
                     "  TEXP(b, a);\n"
                     "}\n";
  std::string chains = chainsOf(text);
  CHECK(chains.rfind("kernel k (both)\nPIPE_V\n", 0) == 0);
  auto has = [&](const std::string &part) {
    INFO(chains);
    CHECK(chains.find(part) != std::string::npos);
  };
  has("  line 10 TADDS(b, a, 1.0f)\n"
      "    after  RAW UB [0, 1024): PIPE_MTE2 line 7 TLOAD(a, g); ordered by line 9\n"
      "    before RAW UB [1024, 2048): PIPE_V line 12 TADDS(a, b, 1.0f); ordered by line 11\n"
      "    before WAW UB [1024, 2048): PIPE_V line 13 TEXP(b, a); ordered by line 11\n");
  has("  line 12 TADDS(a, b, 1.0f)\n"
      "    after  RAW UB [1024, 2048): PIPE_V line 10 TADDS(b, a, 1.0f); ordered by line 11\n"
      "    after  WAW UB [0, 1024): PIPE_MTE2 line 7 TLOAD(a, g); ordered by line 9\n"
      "    before RAW UB [0, 1024): PIPE_V line 13 TEXP(b, a); ordered by nothing seen\n");
  has("  line 13 TEXP(b, a)\n"
      "    after  RAW UB [0, 1024): PIPE_V line 12 TADDS(a, b, 1.0f); ordered by nothing seen\n");
  has("PIPE_MTE2\n"
      "  line 7 TLOAD(a, g)\n"
      "    before RAW UB [0, 1024): PIPE_V line 10 TADDS(b, a, 1.0f); ordered by line 9\n");
}

TEST_CASE("chains: a machine rule, a library barrier and an earlier iteration are named", "[chains]") {
  std::string ruled = chainsOf(
      vectorKernel(rowsAt("a", 16, "0") + rowsAt("b", 16, "4096") + "  TADDS(a, b, 1.0f);\n  TADDS(a, a, 1.0f);\n"));
  CHECK(ruled.find("ordered by rule same-access-chain") != std::string::npos);
  OrderingOptions library;
  library.trust = Trust::Library;
  std::string text =
      vectorKernel(rowsAt("a", 16, "0") + rowsAt("b", 16, "4096") + columnTile("s", "float", 16, 8192) +
                   columnTile("t", "float", 16, 12288) + "  TROWSUM(s, a, b); // sum\n  TADD(t, t, s);\n");
  CHECK(chainsOf(text, library).find("ordered by library barrier at line " + std::to_string(lineOf(text, "// sum"))) !=
        std::string::npos);
  CHECK(chainsOf(text).find("library barrier") == std::string::npos);
  std::string loop = chainsOf(vectorKernel(rowsAt("a", 4, "0") + rowsAt("b", 4, "4096") +
                                           "  for (int32_t i = 0; i < n; ++i) {\n    TADDS(b, a, 1.0f);\n"
                                           "    TADDS(a, a, 1.0f);\n    pipe_barrier(PIPE_V);\n  }\n"));
  CHECK(loop.find(", an earlier iteration; ordered by line ") != std::string::npos);
}

TEST_CASE("chains: a kernel that cannot be analysed says why", "[chains]") {
  std::string text = vectorKernel("  if (n > 3) {\n    goto second;\n  }\nfirst:\n  n = n + 1;\nsecond:\n  n = n + 2;\n"
                                  "  if (n < 100) {\n    goto first;\n  }\n");
  CHECK(chainsOf(text) == "kernel k (both)\n  not analysed: its control flow has a cycle with two entries (a `goto` "
                          "into a loop), which is not followed\n");
}

namespace {

std::string printed(const std::string &text) {
  Module module = lift(text);
  std::string result;
  for (const Kernel &kernel : module.kernels)
    result += printFlags(kernel, machineOf("a3"), {}, module.sites);
  return result;
}

} // namespace

TEST_CASE("print flags: webs by pair of pipes, with what is free", "[flags]") {
  CHECK(printed(vectorKernel("  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);\n"
                             "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);\n"
                             "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                             "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n")) ==
        "kernel k (both)\n"
        "  PIPE_V -> PIPE_MTE3: at most 1 set at once; ids free at every set: 0,1,2,3,4,5,6,7\n"
        "    ids 0: set at 10; wait at nowhere; left alone: its flag is not set and waited for in turn on every path\n"
        "  PIPE_MTE2 -> PIPE_V: at most 2 set at once; ids free at every set: 1,2,3,4,5,6,7\n"
        "    ids 0: set at 4; wait at 6\n"
        "    ids 1: set at 5; wait at 7\n"
        "    ids 0: set at 8; wait at 9\n");
}

TEST_CASE("print flags: prime, loop and drain; all ids taken", "[flags]") {
  std::string primes, drains;
  for (int id = 0; id < 8; ++id) {
    primes += "  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID" + std::to_string(id) + ");\n";
    drains += "  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID" + std::to_string(id) + ");\n";
  }
  std::string text =
      printed(vectorKernel(primes +
                           "  for (int32_t i = 0; i < n; ++i) {\n    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);\n"
                           "    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);\n  }\n" +
                           drains));
  CHECK(text.find("at most 8 set at once; ids free at every set: none\n") != std::string::npos);
  CHECK(text.find("    ids 3: set at 7 14; wait at 13 19\n") != std::string::npos);
}

TEST_CASE("print flags: kernels without flags, and such as are not analysed", "[flags]") {
  CHECK(printed(vectorKernel("")) == "kernel k (both)\n");
  std::string tangled =
      printed(vectorKernel("  if (n > 3) {\n    goto second;\n  }\nfirst:\n  n = n + 1;\nsecond:\n  n = n + 2;\n"
                           "  if (n < 100) {\n    goto first;\n  }\n"));
  CHECK(tangled == "kernel k (both)\n  not analysed: its control flow has a cycle with two entries (a `goto` into a "
                   "loop), which is not followed\n");
}
