// Loads of memory that nothing writes have one value; anything that may change the memory ends that.
#include "ordering/steady_loads.h"

#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// A kernel with a list `d` of numbers and another argument `e`, in which a flag is set where `first` holds and waited
/// for where `second` does, with `between` in between.
std::string twoTests(const std::string &first, const std::string &between, const std::string &second) {
  return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
         "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out, __gm__ int32_t *d, __gm__ int32_t "
         "*e, "
         "int32_t n) {\n" +
         rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + tensorAt("g", "in") + tensorAt("h", "out") +
         "  TLOAD(a, g);\n  if (" + first + ") {\n  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);\n  }\n" + between +
         "  if (" + second + ") {\n  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);\n  TSTORE(h, a);\n  }\n}\n";
}

bool isSilent(const std::string &text) { return Audited(text, "a3", Severity::Warning).result.findings.empty(); }
bool isOne(const std::string &between, const std::string &first = "d[1] > 1", const std::string &second = "d[1] > 1") {
  return isSilent(twoTests(first, between, second));
}

} // namespace

TEST_CASE("steady loads: two tests of one load of what nothing writes") {
  CHECK(isOne(""));
  CHECK(isOne("", "d[n] > 1", "d[n] > 1"));
  CHECK(isOne("", "d[e[0]] > 1", "d[e[0]] > 1"));
  CHECK(isOne("", "d[1] > d[2]", "d[1] > d[2]"));
  CHECK(isOne("  pipe_barrier(PIPE_ALL);\n"));
  CHECK(isOne("  for (int32_t i = 0; i < d[0]; ++i) {\n  TADDS(b, b, 1.0f);\n  pipe_barrier(PIPE_V);\n  }\n"));
  CHECK(isOne("  int32_t sum = 0;\n  for (int32_t i = 0; i < n; ++i) {\n  sum += d[i];\n  }\n"));
  CHECK_FALSE(isOne("", "d[1] > 1", "d[2] > 1"));
  CHECK_FALSE(isOne("", "d[1] > 1", "e[1] > 1"));
  CHECK_FALSE(isOne("  n += 1;\n", "d[n] > 1", "d[n] > 1"));
}

TEST_CASE("steady loads: whoever may write ends it") {
  const std::string store = "  d[7] = n;\n";
  CHECK_FALSE(isOne(store));
  CHECK_FALSE(isSilent(twoTests("d[1] > 1", "", "d[1] > 1")
                           .insert(twoTests("d[1] > 1", "", "d[1] > 1").find("  TLOAD"),
                                   store))); // in front of both, and not over for certain
  CHECK(isOne("  e[7] = n;\n"));             // another argument
  CHECK_FALSE(isOne("  __gm__ int32_t *p = n > 3 ? d : e;\n  p[7] = n;\n"));
  // A tile's store, wherever in the argument.
  std::string tensor = "  GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, "
                       "pto::Layout::ND> w((__gm__ float *) d + 4096);\n  TSTORE(w, a);\n";
  CHECK_FALSE(isOne(tensor));
}

TEST_CASE("steady loads: others may have written where the kernel deals with them") {
  for (const char *between :
       {"  dsb((mem_dsb_t) 0);\n", "  dcci((__gm__ void *) d, cache_line_t::ENTIRE_DATA_CACHE);\n",
        "  ffts_cross_core_sync(PIPE_MTE3, 0x21);\n", "  unknown_call(d);\n",
        "  volatile __gm__ int32_t *v = e;\n  int32_t seen = v[0];\n", "  while (e[0] == 0) {\n  }\n",
        "  int32_t seen = 0;\n  while (seen == 0) {\n  seen = e[0];\n  }\n"}) {
    INFO(between);
    CHECK_FALSE(isOne(between));
  }
  CHECK_FALSE(isOne("  if (n > 3) {\n  dsb((mem_dsb_t) 0);\n  }\n")); // on one path
}

TEST_CASE("steady loads: a volatile load is no load like another") {
  CHECK_FALSE(isOne("", "((volatile __gm__ int32_t *) d)[1] > 1", "((volatile __gm__ int32_t *) d)[1] > 1"));
}

TEST_CASE("steady loads: in a loop the memory is one as long as nobody is dealt with in it") {
  auto loop = [](const std::string &index, const std::string &between, const std::string &end) {
    return isSilent("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
                    "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out, __gm__ int32_t *d, "
                    "int32_t n) {\n" +
                    rowsAt("a", 4, "0") + tensorAt("g", "in") + tensorAt("h", "out") +
                    "  for (int32_t i = 0; i < n; ++i) {\n  if (d[" + index +
                    "] > 1) {\n  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);\n  }\n" + between +
                    "  if (d[" + index +
                    "] > 1) {\n  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);\n  TSTORE(h, a);\n  }\n" +
                    "  pipe_barrier(PIPE_ALL);\n" + end + "  }\n}\n");
  };
  CHECK(loop("i", "", ""));
  CHECK(loop("1", "", ""));
  CHECK(loop("i", "", "  dsb((mem_dsb_t) 0);\n")); // between two iterations
  CHECK_FALSE(loop("i", "  dsb((mem_dsb_t) 0);\n", ""));
  CHECK_FALSE(loop("i", "  ++i;\n", ""));
}

TEST_CASE("steady loads: pointers that may overlap are one argument") {
  OrderingOptions options;
  options.followConditions = options.argumentsMayAlias = true;
  Module module = lift(twoTests("d[1] > 1", "  e[7] = n;\n", "d[1] > 1"));
  for (const Kernel &kernel : module.kernels) {
    Program program = llvm::cantFail(buildProgram(kernel, machineOf("a3"), options));
    CHECK(steadyLoads(program).empty());
  }
}
