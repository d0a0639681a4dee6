#include "optimize/kernel_groups.h"

#include "optimize/decided.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kBegin = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n";

std::string kernelNamed(const char *name, const std::string &body) {
  return std::string("extern \"C\" __global__ AICORE void ") + name + "(__gm__ float *in) {\n" + body + "}\n";
}

std::vector<KernelGroup> groupsOf(const std::string &text) { return kernelGroups(Decided(text).outcome.module); }

} // namespace

TEST_CASE("kernel groups: kernels that share no sync are apart", "[optimizer]") {
  CHECK(groupsOf(kBegin).empty());
  CHECK(groupsOf(kBegin + kernelNamed("a", "  pipe_barrier(PIPE_V);\n") +
                 kernelNamed("b", "  pipe_barrier(PIPE_V);\n")) == std::vector<KernelGroup>{{0}, {1}});
  // The sections of one function.
  CHECK(groupsOf(kBegin + kernelNamed("a", "#if defined(__DAV_VEC__)\n  pipe_barrier(PIPE_V);\n#endif\n"
                                           "#if defined(__DAV_CUBE__)\n  pipe_barrier(PIPE_M);\n#endif\n")) ==
        std::vector<KernelGroup>{{0}, {1}});
}

TEST_CASE("kernel groups: a helper with a sync ties its callers together", "[optimizer]") {
  std::string helper = "static AICORE void helper() {\n  pipe_barrier(PIPE_V);\n}\n";
  std::string text = kBegin + helper + kernelNamed("a", "  helper();\n") +
                     kernelNamed("b", "  pipe_barrier(PIPE_V);\n") +
                     kernelNamed("c", "  pipe_barrier(PIPE_V);\n  helper();\n");
  CHECK(groupsOf(text) == std::vector<KernelGroup>{{0, 2}, {1}});
  // A sync that is never edited ties nobody.
  text.replace(text.find("PIPE_V);"), 8, "PIPE_V); // ptosync: keep(example)");
  CHECK(groupsOf(text) == std::vector<KernelGroup>{{0}, {1}, {2}});
}
