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

TEST_CASE("bodies: a kernel with text that the preprocessor left out reaches what it names there") {
  std::string other = std::string(kOrders) + "extern \"C\" __global__ AICORE void other(__gm__ float *in) {\n"
                                             "#ifdef DEBUG_BUILD\n  NAMED();\n#endif\n}\n";
  auto naming = [&](const std::string &name) { return std::string(other).replace(other.find("NAMED"), 5, name); };
  CHECK(reached("  orders();\n", naming("orders")));
  CHECK_FALSE(reached("  orders();\n", naming("others")));
}

TEST_CASE("bodies: text behind an #elif that another build may take is text that was not read") {
  auto elsewhere = [](const std::string &first, const std::string &second) {
    return std::string(kOrders) + "#if " + first + "\nAICORE void nothing() {}\n#elif " + second +
           "\nextern \"C\" __global__ AICORE void other(__gm__ float *in) {\n#ifdef __DAV_VEC__\n#endif\n  "
           "orders();\n}\n#endif\n";
  };
  CHECK(reached("  orders();\n", elsewhere("defined(__DAV_CUBE__)", "defined(FAST)")));
  CHECK(reached("  orders();\n", elsewhere("defined(FAST)", "defined(__DAV_CUBE__)")));
  CHECK(protection("  orders();\n", elsewhere("defined(__DAV_CUBE__)", "defined(__DAV_VEC__)")) == "free");
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

TEST_CASE("bodies: a kernel that another build may call, and not launch, keeps its syncs") {
  auto with = [](const std::string &other) {
    return protectionIn("extern \"C\" __global__ AICORE void run(__gm__ float *in) {\n  pipe_barrier(PIPE_V);\n}\n" +
                        other);
  };
  const std::string reached = "text that was not read may run it: the preprocessor condition on line 6 selects text "
                              "that may run run";
  CHECK(with("#ifdef A\nvoid top(float *p) { run<<<1, nullptr, nullptr>>>(p); }\n#endif\n") == "free");
  CHECK(with("#ifdef A\nAICORE void top(__gm__ float *p) { run(p); }\n#endif\n").find(reached) == 0);
  CHECK(with("#ifdef __DAV_VEC__\nAICORE void top(__gm__ float *p) {}\n#endif\n") == "free");
}
