#include "timing/cost_report.h"

#include "report/json_report.h"
#include "report/report.h"
#include "report/sample.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

timing::KernelEstimate estimate(const std::string &kernel, Section section, double cycles, double limit) {
  timing::KernelEstimate made;
  made.kernel = kernel;
  made.section = section;
  made.run = "n=9";
  made.cycles = cycles;
  made.limit = limit;
  made.busy[index(Pipe::V)] = cycles / 2;
  return made;
}

CostReport sampleCosts() {
  CostReport report;
  report.clockMHz = 1850;
  KernelCost vec{estimate("attention", Section::Vec, 61100, 52600),
                 estimate("attention", Section::Vec, 57300, 52600),
                 {{0, 1200, 10, kNone}},
                 {{1, 0.2, 10, kNone}, {2, 340, 10, kNone}}};
  vec.before.loops.push_back({0, 30, 0, 64, 60000, 51000});
  vec.after.loops.push_back({0, 30, 0, 64, 56000, 51000});
  report.kernels.push_back(vec);
  report.kernels.push_back(
      {estimate("attention", Section::Cube, 40000, 39000), estimate("attention", Section::Cube, 40000, 39000), {}, {}});
  return report;
}

} // namespace

TEST_CASE("cost: cycles are short") {
  CHECK(cyclesText(0) == "0");
  CHECK(cyclesText(812.4) == "812");
  CHECK(cyclesText(999.6) == "1.0k");
  CHECK(cyclesText(61132) == "61.1k");
  CHECK(cyclesText(999949) == "999.9k");
  CHECK(cyclesText(1234567) == "1.23M");
}

TEST_CASE("cost: the slower core is the file's time, kernels add up") {
  CostReport report = sampleCosts();
  CHECK(costLine(report) == "estimate: 61.1k -> 57.3k cycles, limit 52.6k (1.16 -> 1.09)");
  report.kernels.push_back(
      {estimate("other", Section::Vec, 1000, 1000), estimate("other", Section::Vec, 1000, 1000), {}, {}});
  CHECK(costLine(report) == "estimate: 62.1k -> 58.3k cycles, limit 53.6k (1.16 -> 1.09)");
  CHECK(costLine({}) == "estimate: 0 -> 0 cycles, limit 0 (1.00 -> 1.00)");
}

TEST_CASE("cost: what a kernel that lacks orders seems to take is no time of a right one") {
  CostReport report = sampleCosts();
  report.kernels[1].openBefore = true;
  CHECK(costLine(report) ==
        "estimate: 61.1k -> 57.3k cycles, limit 52.6k (1.16 -> 1.09); as it came it lacks orders, so "
        "only the second figure is of a right kernel");
  report.kernels[1].openAfter = true;
  CHECK(costLine(report).find("; it lacks orders, so no right kernel takes that little") != std::string::npos);
  CHECK(costText(Module(), {{report.kernels[1]}, 1850}, false).find("    it lacks orders") != std::string::npos);
}

TEST_CASE("cost: both cores together come first where they meet") {
  CostReport report = sampleCosts();
  timing::CoresEstimate before, after;
  before.cycles = 80000;
  after.cycles = 79000;
  before.limit = after.limit = 70000;
  report.cores = {{"attention", "", before, after, {"attention"}}};
  CHECK(costLine(report) ==
        "estimate: 80.0k -> 79.0k cycles, limit 70.0k (1.14 -> 1.13), both cores together; each core "
        "alone: 61.1k -> 57.3k cycles, limit 52.6k (1.16 -> 1.09)");
  CHECK(estimateLines(report).size() == 2);
  // A kernel that does not meet another core is added to both.
  report.kernels.push_back(
      {estimate("other", Section::Vec, 1000, 1000), estimate("other", Section::Vec, 1000, 1000), {}, {}});
  CHECK(fileCost(report).before == 81000);
  CHECK(coresAlone(report).before == 62100);
  // Cores that are timed apart count as ever, and the header says why.
  report.cores = {{"attention", "FIFO v9: it is not known", {}, {}}};
  CHECK(fileCost(report).before == 62100);
  CHECK(estimateLines(report) ==
        std::vector<std::string>{"estimate: 62.1k -> 58.3k cycles, limit 53.6k (1.16 -> 1.09)",
                                 "both cores of attention: each core timed alone: FIFO v9: it is not known"});
}

TEST_CASE("cost: the text ends with the estimate, and has none of it unless asked") {
  sample::Sample sample = sample::rich();
  ReportInput input = sample.input();
  std::string plain = textReport(input);
  CHECK(plain.find("estimate") == std::string::npos);
  CostReport costs = sampleCosts();
  input.costs = &costs;
  std::string text = textReport(input);
  CHECK(text.substr(text.rfind('\n', text.size() - 2) + 1) ==
        "estimate: 61.1k -> 57.3k cycles, limit 52.6k (1.16 -> 1.09)\n");
  CHECK(text.find("  attention (vec): 61.1k -> 57.3k cycles, limit 52.6k (1.16 -> 1.09)\n") != std::string::npos);
  CHECK(text.find("    loop     iterations  before  after  limit          over\n"
                  "    line 30          64   60.0k  56.0k  51.0k  1.18 -> 1.10\n") != std::string::npos);
  CHECK(text.find("    340  line " + std::to_string(sample.module.sites[2].line) + " ") != std::string::npos);
  CHECK(text.find("    0  line") == std::string::npos); // less than a cycle is not worth a line
}

TEST_CASE("cost: the JSON report has them with the sites, if asked") {
  sample::Sample sample = sample::rich();
  ReportInput input = sample.input();
  CHECK_FALSE(jsonReport(input).contains("cost"));
  CostReport costs = sampleCosts();
  input.costs = &costs;
  nlohmann::ordered_json cost = jsonReport(input)["cost"];
  CHECK(cost["before"] == 61100);
  CHECK(cost["after"] == 57300);
  CHECK(cost["limit"] == 52600);
  CHECK(cost["kernels"][0]["loops"][0]["after"] == 56000);
  CHECK(cost["kernels"][0]["removed"][0]["gain"] == 1200);
  CHECK(cost["kernels"][0]["removed"][0]["line"] == sample.module.sites[0].line);
  CHECK(cost["kernels"][0]["kept"].size() == 1);
  CHECK(cost["kernels"][0]["before"]["busy"]["PIPE_V"] == 30550);
}
