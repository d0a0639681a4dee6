#include "frontend/frontend.h"
#include "frontend/guard/kernel_functions.h"
#include "frontend/lifted.h"
#include "frontend/vendor_header.h"
#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

// Which functions of a file are analysed from their first statement.
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

// Which functions count as wrappers of a kernel: what is analysed, the kernel or the wrapper with the kernel in it.
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
  CHECK(analysedWith(
            "__gm__ ChipTensor *s_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[2]);"
            "__gm__ int32_t *s = reinterpret_cast<__gm__ int32_t *>(s_tensor->buffer.addr) + s_tensor->start_offset;",
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
                           "int64_t n = (int64_t)(float (*)[doubled(3)])args[2];",
                           "float (*q)[doubled(3)] = nullptr;",
                           "struct { int a; } s;",
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

TEST_CASE("a kernel that other text can run is no wrapper's", "[entry-wrapper]") {
  const std::string call = kTensors + "kern(x, y, 3);";
  CHECK(analysed(fileOf(call, "extern \"C\" __global__ AICORE void second(__gm__ float *v1) { kern(v1, v1, 3); }\n")) ==
        "kernel_entry");
  CHECK(analysed(fileOf(call, "#ifdef OTHER\nAICORE void second(__gm__ float *v1) { kern(v1, v1, 3); }\n#endif\n")) ==
        "kernel_entry");
  CHECK(analysed(fileOf(call, "#define RUN kern(x, x, 3)\n")) == "kernel_entry");
  CHECK(analysed(fileOf(call, "// kern\n")) == "kern");
  std::string text = fileOf(call);
  std::size_t at = text.find("static __aicore__ void kern(");
  CHECK(analysed(text.erase(at, std::string("static ").size())) == "kernel_entry");
}

TEST_CASE("a function of another name or list is no wrapper", "[entry-wrapper]") {
  const std::string text = fileOf(kTensors + "kern(x, y, 3);");
  auto with = [&](const std::string &from, const std::string &to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  CHECK(analysed(text) == "kern");
  CHECK(analysed(with("kernel_entry(__gm__ int64_t *args)", "kernel_entry(__gm__ int64_t *args, int n)")) ==
        "kernel_entry");
  CHECK(analysed(with("__gm__ int64_t *args", "__gm__ int8_t *args") + "// kernel_entry(__gm__ int64_t *)\n")
            .find("kern") != 0);
  CHECK(analysed(with("void kernel_entry", "void entry")).find("kern") != 0);
}

TEST_CASE("a wrapper that only one core has is none", "[entry-wrapper]") {
  const std::string call = kTensors + "kern(x, y, 3);";
  CHECK(analysed(fileOf("\n#ifdef __DAV_CUBE__\nlane = 3;\n#endif\n" + call)).find("kernel_entry") == 0);
  CHECK(analysed(fileOf(call, "#define __DAV_CUBE__X 1\n#ifdef __DAV_CUBE__\n"
                              "AICORE void second(__gm__ float *v1) { kern(v1, v1, 3); }\n#endif\n"))
            .find("kernel_entry") == 0);
  // By a macro that differs.
  std::string text = fileOf("STEP\n" + call);
  text.insert(0, "#ifdef __DAV_CUBE__\n#define STEP lane++;\n#else\n#define STEP\n#endif\n");
  CHECK(analysed(text) == "kernel_entry kernel_entry");
}

TEST_CASE("the host's build is another program unless the file says which it is", "[entry-wrapper]") {
  const std::string body = kTensors + "\n#if !defined(__CPU_SIM)\nlane = 3;\n#endif\nkern(x, y, 3);";
  CHECK(analysed(fileOf(body)) == "kern");
  CHECK(analysed(fileOf(body, "#ifdef X\n#define __CPU_SIM\n#endif\n")) == "kernel_entry");
  for (const char *condition : {"#if !defined(__CPU_SIM) /* host */ || defined(X)", "#ifdef __CPU_SIM", "#if X",
                                "%:ifdef X", "#ifndef __CPU_SIM_FAST"})
    CHECK(analysed(fileOf(kTensors + "\n" + condition + "\nlane = 3;\n#endif\nkern(x, y, 3);")) == "kernel_entry");
}

TEST_CASE("what tells where a tensor is tells nothing else", "[entry-wrapper]") {
  // One entry as a tensor and as what describes one.
  CHECK(analysed(fileOf("__gm__ ChipTensor *t = reinterpret_cast<__gm__ ChipTensor *>(args[0]);"
                        "int64_t n = t->shapes[0];"
                        "__gm__ float *x = reinterpret_cast<__gm__ float *>(args[0]);"
                        "__gm__ float *y = reinterpret_cast<__gm__ float *>(args[1]); kern(x, y, n);")) ==
        "kernel_entry");
  for (const char *pointer :
       {"reinterpret_cast<__gm__ float *>(args[2] ? args[2] : 4096)",
        "reinterpret_cast<__gm__ float *>(get_block_idx(args))", "reinterpret_cast<__gm__ float *>(args[2] + args[0])",
        "x_tensor ? x : y", "reinterpret_cast<__gm__ float *>(get_coreid())",
        "reinterpret_cast<__gm__ float *>(x_tensor)"}) {
    INFO(pointer);
    CHECK(analysedWith("__gm__ float *z = " + std::string(pointer) + ";", "kern(y, z, 3);") == "kernel_entry");
  }
  CHECK(analysedWith("__gm__ float *z = 16 + reinterpret_cast<__gm__ float *>(args[2]) - 4;", "kern(y, z, 3);") ==
        "kern");
  CHECK(analysedWith("__attribute__((cleanup(late))) int64_t n = 3;", "kern(x, y, n);") != "kern");
}

TEST_CASE("syncs that keep a function from being a wrapper stay where they are", "[entry-wrapper]") {
  for (std::string lines :
       {"pipe_barrier(PIPE_ALL); kern(x, y, 3);", "kern(x, y, 3); pipe_barrier(PIPE_ALL);",
        "if (args[2] > 3) pipe_barrier(PIPE_ALL); kern(x, y, 3);", "pipe_barrier(PIPE_V); kern(x, y, 3);"}) {
    INFO(lines);
    const std::string text = fileOf(kTensors + lines);
    CHECK(analysed(text) == "kernel_entry");
    Module module = llvm::cantFail(liftModule(SourceText("k.cpp", text), frontendOptions(machineOf("a3"))));
    unsigned kept = 0;
    for (const SyncSite &site : module.sites)
      kept += site.keepReason == "without syncs kernel_entry would be a wrapper of its kernel";
    CHECK(kept == 1);
  }
  // No wrapper with or without them.
  Module module =
      llvm::cantFail(liftModule(SourceText("k.cpp", fileOf(kTensors + "lane++; pipe_barrier(PIPE_V); kern(x, y, 3);")),
                                frontendOptions(machineOf("a3"))));
  for (const SyncSite &site : module.sites)
    CHECK(site.keepReason.empty());
}

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
