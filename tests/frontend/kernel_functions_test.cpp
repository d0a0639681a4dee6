// Which functions of a file are analysed from their first statement.
#include "frontend/kernel_functions.h"

#include "frontend/lifted.h"
#include "frontend/vendor_header.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string namesIn(const Module &module) {
  std::string names;
  for (const Kernel &kernel : module.kernels)
    names += (names.empty() ? "" : " ") + kernel.name;
  return names;
}

std::string kernelsOf(const std::string &text) {
  llvm::Expected<Module> module = liftModule(SourceText("k.cpp", kHead + text), frontendOptions(machineOf("a3")));
  return module ? namesIn(*module) : llvm::toString(module.takeError());
}

/// What a file is analysed as whose entry asks `get_block_idx` of a header beside it, with this body.
std::string withOwnHeader(const std::string &body, const std::string &more = "") {
  HeaderDirectory folder;
  folder.write("intrinsic.h", "#pragma once\n#include \"pto/pto-inst.hpp\"\n" + more +
                                  "static __aicore__ inline int32_t get_block_idx(__gm__ int64_t *args) {" + body +
                                  "}\n");
  std::string text = std::string(kHead) + R"(#include "intrinsic.h"
static __aicore__ void kern(__gm__ float *v1, int32_t v2) { pipe_barrier(PIPE_V); }
extern "C" __aicore__ void kernel_entry(__gm__ int64_t *args) {
  __gm__ float *x = reinterpret_cast<__gm__ float *>(args[0]);
  int32_t block = get_block_idx(args);
  kern(x, block);
})";
  llvm::Expected<Module> module =
      liftModule(SourceText((folder.path / "k.cpp").string(), text), frontendOptions(machineOf("a3")));
  return module ? namesIn(*module) : llvm::toString(module.takeError());
}

} // namespace

TEST_CASE("what the host calls is a kernel, and what nobody calls", "[kernel-functions]") {
  CHECK(kernelsOf("__global__ AICORE void a() { pipe_barrier(PIPE_V); }\n") == "a");
  CHECK(kernelsOf("AICORE void a() { pipe_barrier(PIPE_V); }\nAICORE void b() { pipe_barrier(PIPE_V); }\n") == "a b");
  CHECK(kernelsOf("AICORE void a() { pipe_barrier(PIPE_V); }\n__global__ AICORE void b() { a(); }\n") == "b");
  CHECK(kernelsOf("__global__ AICORE void a() { pipe_barrier(PIPE_V); }\n__global__ AICORE void b() { a(); }\n") ==
        "a b");
  CHECK(kernelsOf("template <int N> AICORE void a() { pipe_barrier(PIPE_V); }\n"
                  "__global__ AICORE void b() { a<3>(); }\n") == "b");
}

TEST_CASE("methods, the host's functions and the assembler's own are no kernels", "[kernel-functions]") {
  CHECK(kernelsOf("struct S { AICORE void a() { pipe_barrier(PIPE_V); } };\n") == "");
  CHECK(kernelsOf("void a() { pipe_barrier(PIPE_V); }\n") == "");
  CHECK(kernelsOf("AICORE void ptoas_tail() { pipe_barrier(PIPE_V); }\nAICORE void PTOAS__tail() {}\n") == "");
}

TEST_CASE("a header of the kernel's own gives a wrapper a number if it changes nothing", "[kernel-functions]") {
  CHECK(withOwnHeader("return static_cast<int32_t>(args[48]);") == "kern");
  CHECK(withOwnHeader("int32_t n = 3; n += 4; for (int i = 0; i < 3; ++i) n = n + i; return n;") == "kern");
  CHECK(withOwnHeader("return one(3);", "static inline int32_t one(int32_t n) { return n; }\n") == "kern");
  CHECK(withOwnHeader("args[48] = 3; return 3;") == "kernel_entry");
  CHECK(withOwnHeader("return static_cast<int32_t>(++args[48]);") == "kernel_entry");
  CHECK(withOwnHeader("counter = 3; return 3;", "static int32_t counter;\n") == "kernel_entry");
  CHECK(withOwnHeader("pipe_barrier(PIPE_ALL); return 3;") == "kernel_entry");
  CHECK(withOwnHeader("return one(args);", "static inline int32_t one(__gm__ int64_t *p) { p[1] = 4; return 3; }\n") ==
        "kernel_entry");
  CHECK(withOwnHeader("int32_t n = 3; int32_t &m = n; m = 4; return n;") == "kernel_entry");
}
