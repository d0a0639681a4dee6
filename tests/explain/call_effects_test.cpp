#include "explain/call_effects.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kText = R"(#include "pto/pto-inst.hpp"
using namespace pto;
__global__ AICORE void k(__gm__ float *in) {
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 32, SLayout::NoneBox, 512, PadValue::Null> a, s;
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, 16, 1, SLayout::NoneBox, 512, PadValue::Null> r;
  TASSIGN(a, 4096);
  TASSIGN(s, 16384);
  TASSIGN(r, 0);
  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 32>, pto::Stride<512, 512, 512, 32, 1>> g(in + 16);
  TLOAD(a, g);
  TROWSUM(r, a, s);
}
)";

KernelCalls calls() {
  Module module = lift(kText);
  std::vector<KernelCalls> kernels = callEffects(module, machineOf("a3"), {});
  REQUIRE(kernels.size() == 1);
  return kernels[0];
}

} // namespace

TEST_CASE("call effects: bytes of tiles and tensors, on which pipe") {
  CallEffects load = calls().calls.at(0);
  CHECK(load.name == "TLOAD");
  CHECK(load.line == 10);
  REQUIRE(load.tile.size() == 1);
  CHECK(load.tile[0].pipe == Pipe::MTE2);
  REQUIRE(load.tile[0].accesses.size() == 2);
  const CallAccess &tile = load.tile[0].accesses[0], &tensor = load.tile[0].accesses[1];
  CHECK(tile.space == "UB");
  CHECK(tile.begin == 4096);
  CHECK(tile.bytes == Footprint{16, 128, 256});
  CHECK((tile.writes && !tile.reads));
  CHECK(tensor.space == "GM");
  CHECK(tensor.argument == "argument 0 in");
  CHECK(tensor.begin == 64);
  CHECK_FALSE(load.inside);
}

TEST_CASE("call effects: phases inside a library call are listed beside the opaque access") {
  CallEffects sum = calls().calls.at(1);
  CHECK(sum.name == "TROWSUM");
  CHECK(sum.form == 0);
  CHECK(sum.inside);
  REQUIRE(sum.tile.size() == 1);
  REQUIRE(sum.library.size() == 2);
  CHECK_FALSE(sum.library[0].barrier);
  CHECK(sum.library[1].barrier);
}

TEST_CASE("call report: the JSON holds what the text says") {
  CallReport report{"k.cpp", "a3", "pto-isa", "1.0", {calls()}};
  nlohmann::json json = nlohmann::json::parse(callJson(report));
  CHECK(json["schema"] == kCallJsonSchema);
  CHECK(json["kernels"][0]["calls"][0]["tile"][0]["accesses"][1]["argument"] == "argument 0 in");
  std::string text = callText(report);
  CHECK(text.find("k.cpp:10 TLOAD form 0\n") != std::string::npos);
  CHECK(text.find("writes a UB [4096, 4224) x 16 rows, 256 apart") != std::string::npos);
  CHECK(text.find("library: PIPE_V barrier\n") != std::string::npos);
}

TEST_CASE("call effects: what the a5's library touches beyond the valid region") {
  auto written = [](const std::string &element, const std::string &call) {
    Module module = lift(
        "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n__global__ AICORE void k() {\n  Tile<TileType::Vec, " +
            element +
            ", 4, 64, BLayout::RowMajor, 4, 40, SLayout::NoneBox, 512, PadValue::Null> a, b;\n"
            "  Tile<TileType::Vec, int8_t, 4, 64, BLayout::RowMajor, 4, 40, SLayout::NoneBox, 512, PadValue::Null> q;\n"
            "  Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 4, 1, SLayout::NoneBox, 512, PadValue::Null> s;\n"
            "  TASSIGN(a, 0);\n  TASSIGN(b, 8192);\n  TASSIGN(q, 16384);\n  TASSIGN(s, 20480);\n  " +
            call + ";\n}\n",
        "a5");
    std::vector<KernelCalls> kernels = callEffects(module, machineOf("a5"), {});
    REQUIRE(kernels.size() == 1);
    REQUIRE(kernels[0].calls.size() == 1);
    for (const CallAccess &access : kernels[0].calls[0].tile.at(0).accesses)
      if (access.writes)
        return access.bytes.value();
    return Footprint{};
  };
  CHECK(written("float", "TADD(a, b, b)") == Footprint{4, 160, 256});
  CHECK(written("int64_t", "TADD(a, b, b)") ==
        Footprint{1, 3 * 512 + 512, 3 * 512 + 512}); // to the end of the second repeat
  CHECK(written("float", "TDEQUANT(a, q, s, s)") == Footprint{1, 3 * 256 + 256, 3 * 256 + 256});
}
