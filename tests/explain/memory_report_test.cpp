#include "explain/memory_report.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ptosync;

namespace {

MemoryReport memorySample() {
  SpaceBudget space;
  space.space = "UB";
  space.bytes = 4096;
  space.holders = {{0, 1024, {"a", "b"}, false, 10, 40, 7}, {512, 2048, {"t"}, true, 12, 12, 1}};
  space.overlaps = {{0, 1, 512, 1024}};
  space.peakExtent = space.covered = 2048;
  space.peakLive = 1536;
  space.peakLiveLine = 12;
  MemoryReport report{"k.cpp", "a3", "0.1.0", {}};
  report.kernels.push_back({"k", Section::Vec, {space}, ""});
  report.kernels.push_back({"idle", Section::Both, {}, ""});
  report.kernels.push_back({"bad", Section::Both, {}, "for a reason"});
  return report;
}

} // namespace

TEST_CASE("memory report: text, literally") {
  CHECK(memoryText(memorySample()) ==
        "k.cpp: kernel k (vec)\n"
        "  UB: 2048 bytes by address of 4096, slack 2048; 2048 of them used; most live at once in program order: 1536, "
        "at line 12\n"
        "          bytes  size     lines  uses  held by\n"
        "      [0, 1024)  1024  10 to 40     7  a, b\n"
        "    [512, 2048)  1536  12 to 12     1  t (scratch)\n"
        "    overlap [512, 1024): a, b with t (scratch)\n"
        "\n"
        "k.cpp: kernel idle: uses no on-chip memory\n"
        "\n"
        "k.cpp: kernel bad: not analysed: for a reason\n");
}

TEST_CASE("memory report: beyond the memory, and what is not placed") {
  MemoryReport report = memorySample();
  SpaceBudget &space = report.kernels[0].spaces[0];
  space.bytes = 1536;
  space.unplaced = {{"m", 14, "address depends on a kernel argument"}};
  std::string text = memoryText(report);
  CHECK(text.find("UB: at least 2048 bytes by address of 1536, 512 BEYOND the memory; ") != std::string::npos);
  CHECK(text.find("in program order: at least 1536") != std::string::npos);
  CHECK(text.find("    not placed: m, first used at line 14: address depends on a kernel argument\n") !=
        std::string::npos);
}

TEST_CASE("memory report: the library's hidden scratch is told apart from tiles") {
  MemoryReport report = memorySample();
  SpaceBudget &space = report.kernels[0].spaces[0];
  space.tileExtent = 1024;
  space.hiddenAt = 1536;
  CHECK(memoryText(report).find("slack 2048 (tiles end at 1024, 512 below the library's hidden scratch at 1536); ") !=
        std::string::npos);
  space.tileExtent = 2048;
  CHECK(memoryText(report).find("(tiles end at 2048, 512 INSIDE the library's hidden scratch at 1536)") !=
        std::string::npos);
}

TEST_CASE("memory report: JSON") {
  nlohmann::json json = nlohmann::json::parse(memoryJson(memorySample()));
  CHECK(json.at("schema") == kMemoryJsonSchema);
  const nlohmann::json &space = json.at("kernels")[0].at("spaces")[0];
  CHECK(space.at("slack") == 2048);
  CHECK(space.at("peakLive") == 1536);
  CHECK(space.at("lowerBounds") == false);
  CHECK(space.at("holders")[0].at("names") == nlohmann::json::array({"a", "b"}));
  CHECK(space.at("overlaps")[0].at("holders") == nlohmann::json::array({0, 1}));
  CHECK(json.at("kernels")[2].at("notAnalysed") == "for a reason");
}
