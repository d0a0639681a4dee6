#include "tokens/print_flags.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

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
  CHECK(tangled == "kernel k (both)\n  not analysed: its control flow has a cycle with two entries\n");
}
