#include "frontend/guard/file_refusal.h"

#include "frontend/lifted.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kWork = "AICORE inline int64_t work(int64_t n) { TADD(); return n; }\n";

std::string reasonOf(const std::string &body, const std::string &helpers = kWork) {
  const Module module = liftBody(body, helpers);
  const Kernel &kernel = kernelNamed(module, "k");
  return kernel.analysable ? "" : kernel.reason;
}

} // namespace

TEST_CASE("a bound that is computed when the kernel runs refuses the file, wherever the type stands") {
  const std::string expected = "line 5: the size of an array is computed when the kernel runs: what that runs is not "
                               "followed; make it a constant";
  CHECK(reasonOf("int64_t m = (int64_t) (float (*)[work(3)]) in;") == expected);
  CHECK(reasonOf("float (*p)[work(3)] = nullptr;") == expected);
  CHECK(reasonOf("SHOW((int64_t) (float (*)[work(3)]) in);") == expected);
  CHECK(reasonOf("int64_t m = sizeof(float[work(3)]);") == expected);
  CHECK(reasonOf("int64_t m = (int64_t) (__typeof__(float[work(3)]) *) in;") == expected);
  CHECK(reasonOf("typedef float row[n];") == expected);
}

TEST_CASE("a bound outside of the kernel's body refuses it too") {
  CHECK(reasonOf("helper();", kWork + "AICORE inline void helper(int64_t n = (int64_t) (float (*)[work(3)]) 0) {}\n")
            .find("line 4: the size of an array is computed") == 0);
}

TEST_CASE("bounds that the parser computes refuse nothing") {
  CHECK(reasonOf("constexpr int m = 3; float row[m * 2]; SHOW((int64_t) (float (*)[m]) in);") == "");
  CHECK(reasonOf("decltype(work(3)) m = 3; SHOW(m);") == "");
  CHECK(reasonOf("rows<3>(in);", "template <int m> AICORE inline void rows(__gm__ float *p) { float row[m]; }\n") ==
        "");
}

TEST_CASE("a second name for the linker refuses the file") {
  const std::string other = "line 3: other has another name for the linker: what it stands for is not followed";
  CHECK(reasonOf("TADD();", "extern \"C\" AICORE void other(int n) __asm__(\"k\");\n") == other);
  CHECK(reasonOf("TADD();", "#pragma redefine_extname other k\nextern \"C\" AICORE void other(int n);\n")
            .find("line 4: other has another name") == 0);
  CHECK(reasonOf("TADD();", "extern \"C\" AICORE void first() {}\n"
                            "extern \"C\" AICORE void other() __attribute__((alias(\"first\")));\n")
            .find("line 4: other has another name") == 0);
  CHECK(reasonOf("TADD();", "asm(\".set other, k\");\n") ==
        "line 3: what assembler text at file scope does is not followed");
}

TEST_CASE("a function that runs by itself refuses the file") {
  CHECK(reasonOf("TADD();", "__attribute__((constructor)) AICORE void first() {}\n") ==
        "line 3: first runs by itself, before or behind the kernels: when is not followed");
  CHECK(reasonOf("TADD();", "AICORE void first() {}\n") == "");
}

TEST_CASE("a directive that no search by line finds refuses the file") {
  CHECK(reasonOf("%:ifdef FAST\nTSUB();\n%:endif\nTADD();")
            .find("line 5: a directive of the preprocessor is spelled in a way that is not followed") == 0);
  CHECK(reasonOf("#ifdef __DAV_VEC__\nTSUB();\n#endif\nTADD();") == "");
}
