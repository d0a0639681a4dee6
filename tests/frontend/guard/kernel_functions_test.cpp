// Which functions of a file are analysed from their first statement.
#include "frontend/guard/kernel_functions.h"

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

TEST_CASE("a function with a body of its own gives a wrapper no number", "[kernel-functions]") {
  for (const char *body :
       {"return static_cast<int32_t>(args[48]);", "args[48] = 3; return 3;", "pipe_barrier(PIPE_ALL); return 3;"})
    CHECK(withOwnHeader(body) == "kernel_entry");
}

TEST_CASE("a function without a body is no kernel, however it is declared", "[kernel-functions]") {
  CHECK(kernelsOf("__global__ AICORE void a(__gm__ float *x) = delete;\n") == "");
  CHECK(kernelsOf("extern \"C\" { AICORE void a(__gm__ float *x) { pipe_barrier(PIPE_V); }\n"
                  "AICORE void b(__gm__ float *x) __attribute__((alias(\"a\"))); }\n") == "a");
}
