// Headers that are served where they are not found, and for whom.
#include "frontend/read/served_headers.h"

#include "frontend/frontend.h"
#include "frontend/lifted.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string liftErrorOf(const std::string &text) {
  llvm::Expected<Module> module = liftModule(SourceText("k.cpp", text), frontendOptions(machineOf("a3")));
  return module ? "" : llvm::toString(module.takeError());
}

const std::string kEnd = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
                         "extern \"C\" __global__ AICORE void k(__gm__ float *v1) { pipe_barrier(PIPE_V); }\n";

} // namespace

TEST_CASE("the integer types of the standard need no headers on the machine", "[served-headers]") {
  for (const char *header : {"<cstdint>", "<stdint.h>", "<cstddef>", "<stddef.h>", "\"stdint.h\""}) {
    INFO(header);
    CHECK(liftErrorOf("#include " + std::string(header) + "\n" + kEnd) == "");
  }
  CHECK(liftErrorOf("#include <cstdint>\n#include <stdint.h>\n" + kEnd +
                    "static_assert(INT32_MIN < 0 && UINT64_MAX > INT64_MAX && sizeof(int_least16_t) == 2);\n"
                    "std::uint32_t a = UINT32_MAX; std::size_t b = sizeof(std::int64_t); std::nullptr_t c = nullptr;\n"
                    "static_assert(INT64_MIN == -INT64_MAX - 1 && INT16_MIN == -32768 && UINT8_MAX == 255);\n") == "");
}

TEST_CASE("any other header must be there", "[served-headers]") {
  CHECK(liftErrorOf("#include <vector>\n" + kEnd).find("'vector' file not found") != std::string::npos);
  CHECK(liftErrorOf("#include \"tensor.h\"\n" + kEnd).find("'tensor.h' file not found") != std::string::npos);
  CHECK(liftErrorOf("#include \"intrinsic.h\"\n" + kEnd).find("'intrinsic.h' file not found") != std::string::npos);
}

TEST_CASE("the runtime's headers are served for a file with the runtime's entry", "[served-headers]") {
  CHECK(hasRuntimeEntry("void kernel_entry(__gm__ int64_t *args) {"));
  CHECK(hasRuntimeEntry("my_kernel_entry(); void kernel_entry ( __gm__  int64_t* args) {"));
  CHECK_FALSE(hasRuntimeEntry("void kernel_entry(__gm__ float *x) {"));
  CHECK_FALSE(hasRuntimeEntry("void kernel_entry()"));
  CHECK_FALSE(hasRuntimeEntry("kernel_entry"));
  CHECK_FALSE(hasRuntimeEntry(""));
  CHECK(runtimeHeaders("void k(__gm__ int64_t *args) {", "cstdint").empty());
  CHECK(runtimeHeaders("void kernel_entry(__gm__ int64_t *args) {", "cstdint").size() == 2);
  CHECK(liftErrorOf(
            "#include \"tensor.h\"\n#include \"intrinsic.h\"\n" + kEnd +
            "extern \"C\" __aicore__ void kernel_entry(__gm__ int64_t *args) {\n"
            "  __gm__ Tensor *x = reinterpret_cast<__gm__ Tensor *>(args[0]);\n"
            "  k(reinterpret_cast<__gm__ float *>(x->buffer.addr) + x->start_offset + x->shapes[0] * x->strides[0]);\n"
            "}\n") == "");
}

TEST_CASE("headers of the host's runtime are read as empty", "[served-headers]") {
  CHECK(liftErrorOf("#ifndef __CPU_SIM\n#include \"acl/acl.h\"\n#endif\n" + kEnd) == "");
}
