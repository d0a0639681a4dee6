#include "profile/profile_report.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("calibration report: what was fitted, how well, and what stays") {
  timing::Calibration calibration;
  calibration.calls = 24;
  calibration.unmatched = 3;
  calibration.disordered = {Pipe::MTE3};
  timing::FittedEntry path;
  path.shape.group = timing::CostShape::Group::Path;
  path.shape.from = "GM";
  path.shape.to = "UB";
  path.executions = 20;
  path.sizes = 2;
  path.residualBefore = 0.351;
  path.residualAfter = 0.004;
  path.parameters = {{"bytesPerCycle", 58.6, 61.25, 0.31, true}, {"latency", 213.6, 213.6, 0, false}};
  path.reason = "latency: why";
  timing::FittedEntry issue;
  issue.shape.group = timing::CostShape::Group::Other;
  issue.executions = 24;
  issue.parameters = {{"sync", 1, 1, 0, false}};
  calibration.entries = {path, issue};
  CHECK(calibrationReport(calibration) ==
        "calibration: 24 calls with their instructions, 3 of which it is not known which are theirs\n"
        "  PIPE_MTE3: its syncs stand in another order than in the run, nothing is fitted\n"
        "  GM -> UB: 20 executions of 2 sizes, residual 35.1 % -> 0.4 %\n"
        "    bytesPerCycle 58.6 -> 61.25 +- 0.31\n"
        "    stays: latency: why\n"
        "  scalar unit: from the starts of 24 calls, residual 0.0 % -> 0.0 %\n");
  CHECK(calibration.anything());
}
