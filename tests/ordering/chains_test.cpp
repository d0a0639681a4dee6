#include "ordering/chains.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

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
  CHECK(chainsOf(text) == "kernel k (both)\n  not analysed: its control flow has a cycle with two entries\n");
}
