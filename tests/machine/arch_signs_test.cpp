#include "machine/arch_signs.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// The signs, one a line.
std::string signs(const std::string &body, const std::string &against) {
  Module module = lift(vectorKernel(body));
  std::string list;
  for (const ArchSign &sign : signsAgainst(module, machineOf(against), machineOf(against == "a3" ? "a5" : "a3")))
    list += std::to_string(sign.line) + ": " + sign.text + "\n";
  return list;
}

} // namespace

TEST_CASE("arch signs: what an architecture lacks") {
  CHECK(signs("  pipe_barrier(PIPE_V);\n  pipe_barrier(PIPE_V);\n", "a5") == "4: pipe_barrier(PIPE_V)\n");
  CHECK(signs("  pipe_barrier(PIPE_V);\n", "a3") == "");
  CHECK(signs("  pipe_barrier(PIPE_MTE2);\n  pipe_barrier(PIPE_ALL);\n", "a5") == "");
  CHECK(signs("  set_intra_block(PIPE_V, 3);\n", "a3") == "4: set_intra_block\n");
  CHECK(signs("  set_intra_block(PIPE_V, 3);\n", "a5") == "");
  for (const std::string name : {"__builtin_cce_set_intra_block", "__builtin_cce_wait_intra_block"}) {
    CHECK(signs("  " + name + "(PIPE_V, 3);\n", "a3") == "4: " + name + "\n");
    CHECK(signs("  " + name + "(PIPE_V, 3);\n", "a5") == "");
  }
  CHECK(signs("  __builtin_cce_wait_flag_dev(3);\n", "a3") == "");
}

TEST_CASE("arch signs: the comment in place of a barrier counts like it") {
  CHECK(signs("  /* ptosync: removed pipe_barrier(PIPE_V) [gu] */\n", "a5") ==
        "4: pipe_barrier(PIPE_V), removed there\n");
}

TEST_CASE("arch signs: a name of the file's own is none") {
  std::string text =
      "namespace mine { inline void set_intra_block(int) {} }\n" + vectorKernel("  mine::set_intra_block(3);\n");
  CHECK(signsAgainst(lift(text), machineOf("a3"), machineOf("a5")).empty());
}

TEST_CASE("arch signs: tiles beyond one memory and inside the other") {
  auto at = [](std::uint64_t address) { return tile("t", "float", 16, 64, address) + "  TADDS(t, t, 1.0f);\n"; };
  CHECK(signs(at(192512), "a3") == ""); // ends at 192 KiB
  CHECK(signs(at(192544), "a3").find("tile t at [192544, 196640) of UB, which has 196608 bytes") != std::string::npos);
  CHECK(signs(at(192544), "a5") == "");
  CHECK(signs(at(260000), "a3") == ""); // fits neither: not the architecture's fault
  CHECK(signs(at(260000), "a5") == "");
}
