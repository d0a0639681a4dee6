#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kKernel = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n__global__ AICORE void k() {\n"
                            "  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, "
                            "PadValue::Null> a;\n  TASSIGN(a, 0);\n  TEXP(a, a);\n}\n";

} // namespace

TEST_CASE("model: every call of a file") {
  Workshop workshop;
  workshop.write("k.cpp", kKernel);
  Run text = workshop.ptosync("model --calls=k.cpp");
  CHECK(text.exitCode == 0);
  CHECK(text.out.find("k.cpp:6 TEXP form 0\n    tile: PIPE_V writes a UB [0, 4096); reads a UB [0, 4096)\n") !=
        std::string::npos);
  CHECK(workshop.ptosync("model --calls=k.cpp --format=json").out.find("\"name\": \"TEXP\"") != std::string::npos);
}

TEST_CASE("model: one question at a time, and a library where one is needed") {
  Workshop workshop;
  CHECK(workshop.ptosync("model").exitCode == 2);
  CHECK(workshop.ptosync("model --check").err.find("--pto-include=DIR") != std::string::npos);
  workshop.write("empty.txt", "");
  Run run = workshop.ptosync("model --check --pto-include=.");
  CHECK(run.exitCode == 2);
  CHECK(run.err.find("holds no pto/common") != std::string::npos);
}

TEST_CASE("model: a library that is not the one read is named, instruction by instruction") {
  Workshop workshop;
  std::filesystem::create_directories(workshop.path("lib/pto/npu/a2a3"));
  workshop.write("lib/pto/npu/a2a3/TAdd.hpp", "inline void TADD_IMPL() { other(); }\n");
  Run run = workshop.ptosync("model --check --arch=a3 --pto-include=lib");
  CHECK(run.exitCode == 1);
  CHECK(run.out.find("changed since pto-isa 3186c381 (2026-08-21): TADD; absent:") != std::string::npos);
}
