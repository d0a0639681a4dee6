#include "frontend/frontend.h"
#include "frontend/lifted.h"
#include "frontend/read/headers.h"
#include "frontend/tokens_of.h"
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace ptosync;
using namespace ptosync::test;

// Headers that are served where they are not found, and for whom.
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
  CHECK(hasRuntimeEntry(tokensOf("void kernel_entry(__gm__ int64_t *args) {")));
  CHECK(hasRuntimeEntry(tokensOf("my_kernel_entry(); void kernel_entry ( __gm__  int64_t* args) {")));
  CHECK_FALSE(hasRuntimeEntry(tokensOf("void kernel_entry(__gm__ float *x) {")));
  CHECK_FALSE(hasRuntimeEntry(tokensOf("void kernel_entry()")));
  CHECK_FALSE(hasRuntimeEntry(tokensOf("kernel_entry")));
  CHECK_FALSE(hasRuntimeEntry(tokensOf("")));
  CHECK(runtimeHeaders(tokensOf("void k(__gm__ int64_t *args) {"), "cstdint").empty());
  CHECK(runtimeHeaders(tokensOf("void kernel_entry(__gm__ int64_t *args) {"), "cstdint").size() == 2);
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

namespace {

/// A machine of its own, gone at the end.
struct Root {
  Root() {
    std::string name = (std::filesystem::temp_directory_path() / "ptosync-root-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw std::runtime_error("no temporary directory");
    path = name;
  }
  ~Root() { std::filesystem::remove_all(path); }
  void file(const std::string &name) const {
    std::filesystem::create_directories(std::filesystem::path(path + "/" + name).parent_path());
    std::ofstream(path + "/" + name) << "\n";
  }
  std::string found() const {
    llvm::Expected<std::vector<std::string>> list = systemHeaders(path);
    if (!list)
      return llvm::toString(list.takeError());
    std::string text;
    for (const std::string &directory : *list)
      text += directory.substr(path.size()) + "\n";
    return text;
  }
  std::string path;
};

} // namespace

TEST_CASE("a machine like Debian: C++, its machine's part, Clang's, C") {
  Root root;
  for (const char *name : {"usr/include/c++/12/type_traits", "usr/include/x86_64-linux-gnu/c++/12/bits/c++config.h",
                           "usr/lib/llvm-19/lib/clang/19/include/stddef.h",
                           "usr/include/x86_64-linux-gnu/bits/wordsize.h", "usr/include/stdint.h"})
    root.file(name);
  CHECK(root.found() ==
        "/usr/include/c++/12\n/usr/include/x86_64-linux-gnu/c++/12\n/usr/lib/llvm-19/lib/clang/19/include\n"
        "/usr/include/x86_64-linux-gnu\n/usr/include\n");
}

TEST_CASE("a machine like Fedora, without Clang's headers: GCC's serve") {
  Root root;
  for (const char *name : {"usr/include/c++/14/type_traits", "usr/include/c++/14/x86_64-redhat-linux/bits/c++config.h",
                           "usr/lib/gcc/x86_64-redhat-linux/14/include/stddef.h", "usr/include/stdint.h"})
    root.file(name);
  CHECK(root.found() == "/usr/include/c++/14\n/usr/include/c++/14/x86_64-redhat-linux\n"
                        "/usr/lib/gcc/x86_64-redhat-linux/14/include\n/usr/include\n");
}

TEST_CASE("the newest C++ that is whole is taken") {
  Root root;
  for (const char *name :
       {"usr/include/c++/9/type_traits", "usr/include/x/c++/9/bits/c++config.h", "usr/include/c++/12/type_traits",
        "usr/include/x/c++/12/bits/c++config.h", "usr/include/c++/13/type_traits", "usr/include/stdint.h"})
    root.file(name);
  CHECK(root.found() == "/usr/include/c++/12\n/usr/include/x/c++/12\n/usr/include\n");
}

TEST_CASE("a machine without headers is told what to install") {
  Root root;
  CHECK(root.found().find("the headers of C++ are not installed") == 0);
  root.file("usr/include/c++/12/type_traits");
  root.file("usr/include/x/c++/12/bits/c++config.h");
  CHECK(root.found().find("the headers of C are not installed") == 0);
}
