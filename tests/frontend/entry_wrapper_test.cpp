// Which functions count as wrappers of a kernel: what is analysed, the kernel or the wrapper with the kernel in it.
#include "frontend/entry_wrapper.h"

#include "frontend/frontend.h"
#include "frontend/lifted.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const char *kKernel = R"(#include <cstdint>
#include <pto/pto-inst.hpp>
#include "tensor.h"
#include "intrinsic.h"
using namespace pto;
static int32_t lane;
static __aicore__ void other() { pipe_barrier(PIPE_V); }
static __aicore__ int64_t doubled(int64_t x) { return 2 * x; }
static __aicore__ void kern(__gm__ float *v1, __gm__ float *v2, int64_t v3) {
  Tile<TileType::Vec, float, 8, 64> a;
  TASSIGN(a, 0);
  TEXPANDS(a, 1.0f);
  pipe_barrier(PIPE_V);
  TADDS(a, a, 1.0f);
}
)";

const std::string kTensors = R"(
  __gm__ ChipTensor *x_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[0]);
  __gm__ float *x = reinterpret_cast<__gm__ float *>(x_tensor->buffer.addr) + x_tensor->start_offset;
  __gm__ ChipTensor *y_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[1]);
  __gm__ float *y = reinterpret_cast<__gm__ float *>(y_tensor->buffer.addr) + y_tensor->start_offset;
)";

std::string fileOf(const std::string &body, const std::string &behind = "") {
  return kKernel + std::string("extern \"C\" __aicore__ void kernel_entry(__gm__ int64_t *args) {") + body + "}\n" +
         behind;
}

/// The kernel that the file is analysed as.
std::string analysed(const std::string &text, bool argumentsApart = true) {
  FrontendOptions options = frontendOptions(machineOf("a3"));
  options.argumentsApart = argumentsApart;
  llvm::Expected<Module> module = liftModule(SourceText("k.cpp", text), options);
  if (!module)
    return llvm::toString(module.takeError());
  std::string names;
  for (const Kernel &kernel : module->kernels)
    if (kernel.name == "kern" || kernel.name == "kernel_entry")
      names += (names.empty() ? "" : " ") + kernel.name;
  return names;
}

/// With `lines` in front of the call.
std::string analysedWith(const std::string &lines, const std::string &call = "kern(x, y, 3);") {
  return analysed(fileOf(kTensors + lines + call));
}

} // namespace

TEST_CASE("a function that only unpacks its list is a wrapper of the kernel that it calls", "[entry-wrapper]") {
  CHECK(analysedWith("") == "kern");
  CHECK(analysedWith("int32_t block = get_block_idx(args);", "kern(x, y, block);") == "kern");
  CHECK(analysedWith("int64_t n = static_cast<int64_t>(x_tensor->shapes[0]) / 32; if (n > 8) n = 8;",
                     "kern(x, y, n);") == "kern");
  CHECK(analysedWith("union { uint64_t u64; int64_t val; } c; c.u64 = args[3]; int64_t n = c.val;", "kern(x, y, n);") ==
        "kern");
  CHECK(analysedWith("lane = get_sub_block_id(args);") == "kern");
  // A tensor that it reads itself and does not pass on.
  CHECK(analysedWith("__gm__ ChipTensor *s_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[2]);"
                     "__gm__ int32_t *s = reinterpret_cast<__gm__ int32_t *>(s_tensor->buffer.addr);",
                     "kern(x, y, s[0]);") == "kern");
  // The list may hold the tensors themselves.
  CHECK(analysed(fileOf("__gm__ float *x = reinterpret_cast<__gm__ float *>(args[0]);"
                        "__gm__ float *y = reinterpret_cast<__gm__ float *>(args[1]); kern(x, y, 3);")) == "kern");
  // What the host's build does is another program.
  CHECK(analysedWith("\n#if !defined(__CPU_SIM)\nlane = get_sub_block_id(args);\n#endif\n") == "kern");
}

TEST_CASE("two pointers of one entry may be the same memory", "[entry-wrapper]") {
  CHECK(analysedWith("", "kern(x, x, 3);") == "kernel_entry");
  CHECK(analysedWith("__gm__ float *z = x + 512;", "kern(x, z, 3);") == "kernel_entry");
  CHECK(analysedWith("__gm__ float *z = reinterpret_cast<__gm__ float *>(x_tensor->buffer.addr);", "kern(x, z, 3);") ==
        "kernel_entry");
  CHECK(analysedWith("uint64_t at = y_tensor->buffer.addr; if (args[2] > 3) at = x_tensor->buffer.addr;"
                     "__gm__ float *z = reinterpret_cast<__gm__ float *>(at);",
                     "kern(x, z, 3);") == "kernel_entry");
  CHECK(analysedWith("union { uint64_t u64; int64_t val; } c; c.u64 = args[0];"
                     "__gm__ float *z = reinterpret_cast<__gm__ float *>(c.val);",
                     "kern(x, z, 3);") == "kernel_entry");
  CHECK(analysedWith("int64_t k = get_block_idx(args); __gm__ float *z = reinterpret_cast<__gm__ float *>(args[k]);",
                     "kern(x, z, 3);") == "kernel_entry");
  CHECK(analysedWith("__gm__ float *z = reinterpret_cast<__gm__ float *>(lane);", "kern(x, z, 3);") == "kernel_entry");
  CHECK(analysedWith("__gm__ float *z = reinterpret_cast<__gm__ float *>(4096);", "kern(x, z, 3);") == "kernel_entry");
}

TEST_CASE("where arguments may overlap there are no wrappers", "[entry-wrapper]") {
  CHECK(analysed(fileOf(kTensors + "kern(x, y, 3);"), false) == "kernel_entry");
}

TEST_CASE("a wrapper reads nothing that its kernel may write", "[entry-wrapper]") {
  CHECK(analysedWith("int64_t n = static_cast<int64_t>(x[0]);", "kern(x, y, n);") == "kernel_entry");
  CHECK(analysedWith("__gm__ int64_t *n = reinterpret_cast<__gm__ int64_t *>(x_tensor->buffer.addr);",
                     "kern(x, y, n[0]);") == "kernel_entry");
  CHECK(
      analysedWith("__gm__ float *z = reinterpret_cast<__gm__ float *>(*reinterpret_cast<__gm__ int64_t *>(args[2]));",
                   "kern(x, z, 3);") == "kernel_entry");
}

TEST_CASE("a function that does anything else is no wrapper", "[entry-wrapper]") {
  for (const char *line : {"pipe_barrier(PIPE_ALL);",
                           "set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);",
                           "other();",
                           "x[0] = 1.0f;",
                           "*x = 1.0f;",
                           "args[0] = 3;",
                           "x_tensor->start_offset = 4;",
                           "for (int i = 0; i < 3; ++i) lane = i;",
                           "if (args[2] > 3) return;",
                           "int64_t n = doubled(3);",
                           "static int64_t n = 3;",
                           "lane++;",
                           "invented(args);",
                           "int64_t n = invented(args);",
                           "int64_t &n = *reinterpret_cast<int64_t *>(args);",
                           "dcci(x, 0);",
                           "Tile<TileType::Vec, float, 8, 64> a;",
                           "x = y;",
                           "auto f = [&] { lane = 3; }; f();",
                           "\n#ifdef OTHER\nother();\n#endif\n"}) {
    INFO(line);
    CHECK(analysedWith(line) == "kernel_entry");
  }
  CHECK(analysedWith("", "kern(x, y, 3); lane = 4;") == "kernel_entry");
  CHECK(analysedWith("", "kern(x, y, 3); pipe_barrier(PIPE_ALL);") == "kernel_entry");
  CHECK(analysedWith("", "kern(x, y, 3); kern(x, y, 4);") == "kernel_entry");
  CHECK(analysedWith("", "if (args[2] > 3) kern(x, y, 3);") == "kernel_entry");
  CHECK(analysedWith("", "kern(x, y, lane = 3);") == "kern");
}

TEST_CASE("a kernel that another function calls too is analysed in both", "[entry-wrapper]") {
  CHECK(analysed(fileOf(kTensors + "kern(x, y, 3);",
                        "extern \"C\" __global__ AICORE void second(__gm__ float *v1) { kern(v1, v1, 3); }\n")) ==
        "kern");
}
