// Which bodies text that was not read can run, seen from the sites that are protected for it.
#include "frontend/lifted.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

const char *kOrders = "static AICORE inline void orders() {\n  pipe_barrier(PIPE_V);\n}\n";

/// What protects the first sync of the file.
std::string protection(const Module &module) {
  const SyncSite &site = module.sites.at(0);
  if (site.protection == Protection::None)
    return "free";
  return site.protection == Protection::NotOneStatement ? site.keepReason : "other";
}

std::string protection(const std::string &body, const std::string &helpers) {
  return protection(liftBody(body, helpers));
}

/// The same in a file of its own.
std::string protectionIn(const std::string &text) {
  return protection(lift("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n" + text));
}

bool reached(const std::string &body, const std::string &helpers) {
  return protection(body, helpers).find("text that was not read may run it") == 0;
}

} // namespace

TEST_CASE("bodies: a helper whose every call is followed is free") {
  CHECK(protection("  orders();\n  orders();\n", kOrders) == "free");
  CHECK(protection("  if (n > 3) orders();\n", kOrders) == "free");
}

TEST_CASE("bodies: a helper that a kernel calls behind the place where it is given up is reached") {
  std::string gaveUp = std::string(kOrders) + "extern \"C\" __global__ AICORE void other(__gm__ float *in) {\n"
                                              "  asm volatile(\"nop\");\n  orders();\n}\n";
  CHECK(reached("  orders();\n", gaveUp));
}

TEST_CASE("bodies: an address that is taken reaches the body and what it mentions") {
  std::string through = std::string(kOrders) + "static AICORE inline void outer() { orders(); }\n";
  CHECK(reached("  auto f = &outer;\n  f();\n  orders();\n", through));
  CHECK(reached("  orders();\n", through + "static void (*const table[])() = {outer};\n"));
}

TEST_CASE("bodies: a launch runs the kernel from its first statement, and protects nothing") {
  auto launched = [](const std::string &host) {
    return protectionIn("template <class T> __global__ AICORE void run(__gm__ T *in) {\n  pipe_barrier(PIPE_V);\n}\n" +
                        host);
  };
  const std::string reached = "text that was not read may run it";
  CHECK(launched("void launch(float *p) { run<float><<<1, nullptr, nullptr>>>(p); }\n") == "free");
  CHECK(launched("template <class T> void launch(T *p) { run<T><<<1, nullptr, nullptr>>>(p); }\n"
                 "template void launch<float>(float *);\ntemplate void launch<int>(int *);\n") == "free");
  CHECK(launched("void launch(float *p) { run<float><<<1, nullptr, nullptr>>>(p); auto f = &run<float>; f(p); }\n")
            .find(reached) == 0);
  CHECK(launched("void launch(float *p) { run<float>(p); }\n").find(reached) == 0);
  CHECK(launched("void launch(float *p) { auto f = ({ run<float>; }); f(p); }\n").find(reached) == 0);
  // What is launched was given up: its helper stays as it is.
  CHECK(launched("static AICORE void step(__gm__ float *in) { run<float>(in); }\n"
                 "__global__ AICORE void other(__gm__ float *in) { asm volatile(\"nop\"); step(in); }\n"
                 "void launch(float *p) { other<<<1, nullptr, nullptr>>>(p); }\n")
            .find(reached) == 0);
}
