#include "timing/cost_report.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

timing::CoresEstimate coresEstimate(double cycles, double cubeIdle, double vecIdle) {
  timing::CoresEstimate estimate;
  estimate.run = "n=9";
  estimate.cycles = cycles;
  estimate.limit = 20000;
  estimate.cores = {timing::CoreEstimate{15000, cycles - 100, cubeIdle}, timing::CoreEstimate{18000, cycles, vecIdle}};
  estimate.waits = {{timing::kVecCore, "v25", "TPOP", 62, vecIdle, 9},
                    {timing::kCubeCore, "v22", "TALLOC", 40, cubeIdle, 3}};
  return estimate;
}

std::vector<CoresCost> coresSample() {
  return {{"attention", "", coresEstimate(24100, 7000, 5000), coresEstimate(22000, 6000, 4000)},
          {"k_aic and k_aiv", "FIFO v9 (cube, line 3): entries pushed: 1, popped: 5", {}, {}}};
}

} // namespace

TEST_CASE("cores report: a line for each kernel, joined or apart") {
  CHECK(coresLines({}) == "");
  CHECK(coresLines(coresSample()) ==
        "both cores together: attention 24.1k -> 22.0k cycles, limit 20.0k (1.21 -> 1.10); cube idle for vec 7.0k -> "
        "6.0k, vec for cube 5.0k -> 4.0k\n"
        "both cores together: k_aic and k_aiv: each core timed alone: FIFO v9 (cube, line 3): entries pushed: 1, "
        "popped: 5\n");
}

TEST_CASE("cores report: each core alone and together, and what it waits for") {
  std::string text = coresText(coresSample(), false);
  for (const char *line :
       {"  attention, both cores together: 24.1k -> 22.0k cycles, limit 20.0k (1.21 -> 1.10)\n"
        "    run with n=9, every iteration of it\n",
        "    cube: alone 15.0k -> 15.0k, together 24.0k -> 21.9k, of these idle for the other 7.0k -> 6.0k\n",
        "    cycles  times  core  idle for the other core, after, at\n"
        "      4.0k      9  vec   line 62 TPOP, FIFO v25\n"
        "      6.0k      3  cube  line 40 TALLOC, FIFO v22\n",
        "  both cores of k_aic and k_aiv: each core timed alone: FIFO v9"}) {
    INFO(text);
    CHECK(text.find(line) != std::string::npos);
  }
}

TEST_CASE("cores report: JSON has the figures, or the reason") {
  nlohmann::ordered_json json = coresJson(coresSample());
  REQUIRE(json.size() == 2);
  CHECK(json[0]["apart"].is_null());
  CHECK(json[0]["limit"] == 20000);
  CHECK(json[0]["before"]["cycles"] == 24100);
  CHECK(json[0]["before"]["cube"]["idle"] == 7000);
  CHECK(json[0]["after"]["vec"]["together"] == 22000);
  CHECK(json[0]["after"]["waits"][0] ==
        nlohmann::ordered_json(
            {{"section", "vec"}, {"line", 62}, {"call", "TPOP"}, {"fifo", "v25"}, {"cycles", 4000}, {"times", 9}}));
  CHECK(json[1]["apart"] == "FIFO v9 (cube, line 3): entries pushed: 1, popped: 5");
  CHECK_FALSE(json[1].contains("before"));
}
