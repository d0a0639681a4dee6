#include "frontend/lifted.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// "name@line" of every called name, in order; lines count from the kernel's body.
std::string names(const std::string &body, const std::string &helpers = "") {
  std::string text;
  for (const CalledName &called : liftBody(body, helpers).calledNames)
    text += (text.empty() ? "" : " ") + called.name + "@" + std::to_string(called.line);
  return text;
}

} // namespace

TEST_CASE("called names: each once, at its first call, barriers with their pipe") {
  CHECK(names("  pipe_barrier(PIPE_V);\n  dsb(DSB_DDR);\n  pipe_barrier(PIPE_V);\n  pipe_barrier(PIPE_ALL);") ==
        "dsb@5 pipe_barrier(PIPE_ALL)@7 pipe_barrier(PIPE_V)@4");
}

TEST_CASE("called names: what stands behind the place where a kernel is given up is seen") {
  CHECK(names("  asm volatile(\"nop\");\n  dsb(DSB_DDR);") == "dsb@5");
}

TEST_CASE("called names: a function of the file is none of the library's") {
  CHECK(names("  dsb(3);", "static AICORE inline void dsb(int x) { pipe_barrier(PIPE_V); }\n") ==
        "pipe_barrier(PIPE_V)@3");
}
