#include "profile/profile_report.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using timing::ProfileFormat;
using timing::ProfileKind;

namespace {

struct SampleProfile {
  explicit SampleProfile(ProfileFormat format) {
    profile.core = "core0.veccore0";
    profile.file = "f";
    profile.format = format;
    if (format != ProfileFormat::InstrExe) {
      profile.events.resize(1);
      profile.cycles = 1500;
    }
    kernel.kernel = "k";
    kernel.run = "n=3";
    kernel.section = Section::Vec;
    kernel.profile = &profile;
    kernel.comparison.estimateCycles = 1000;
    timing::PipeComparison pipe;
    pipe.pipe = Pipe::V;
    pipe.work = {20, 800, 10, 400};
    pipe.profileBusy = format == ProfileFormat::InstrExe ? 0 : 600;
    pipe.estimateBusy = 300;
    for (int i = 0; i < 6; ++i)
      pipe.profileNames["HW_" + std::to_string(i)] = 6 - i;
    pipe.estimateNames["TADD"] = 10;
    kernel.comparison.pipes.push_back(pipe);
    timing::SyncComparisonRow row;
    row.sync = {ProfileKind::Barrier, Pipe::V, Pipe::V, std::nullopt};
    row.figures = {4, 40, 2, 20};
    row.costKnown = profile.knowsCost(ProfileKind::Barrier);
    kernel.comparison.syncs.push_back(row);
    kernel.comparison.unmatched["SCALAR"] = 99;
  }
  timing::CoreProfile profile;
  ProfiledKernel kernel;
};

bool shows(const std::string &text, const std::string &part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("profile report: totals, pipes, syncs and what is left") {
  SampleProfile sample(ProfileFormat::RawLogs);
  sample.kernel.otherCores = {"core1.veccore0", "core2.veccore0", "core3.veccore0", "core4.veccore0", "core5.veccore0"};
  std::string text = profileText({sample.kernel});
  CHECK(shows(text, "k (vec): 1.5k cycles in the profile, 1.0k estimated (1.50), run with n=3\n"));
  CHECK(shows(text, "core1.veccore0, core2.veccore0, core3.veccore0, core4.veccore0 and 1 more\n"));
  CHECK(shows(text, "2.00  HW_0 6, HW_1 5, HW_2 4, HW_3 3 and 2 others / TADD 10\n"));
  CHECK(shows(text, "2.00  pipe_barrier(PIPE_V)\n"));
  CHECK(shows(text, "the estimate has none of them: SCALAR 99\n"));
}

TEST_CASE("profile report: no figure that the format does not have") {
  SampleProfile trace(ProfileFormat::Trace), csv(ProfileFormat::InstrExe);
  CHECK(shows(profileText({trace.kernel}), "-  pipe_barrier(PIPE_V)\n"));
  CHECK(shows(profileText({trace.kernel}), "its last cycle alone"));
  CHECK(shows(profileText({csv.kernel}), "work, by pipe (ratio of cycles)"));
  CHECK(shows(profileText({csv.kernel}), "no total in the profile"));
  CHECK_FALSE(shows(profileText({csv.kernel}), "its last cycle alone"));
}

TEST_CASE("profile report: why a profile is refused") {
  SampleProfile sample(ProfileFormat::RawLogs);
  timing::KernelEstimate estimate;
  estimate.kernel = "k";
  estimate.section = Section::Vec;
  estimate.run = "n=3";
  CHECK(shows(otherKernelText(sample.profile, estimate, {}, {"n"}), "the profile has no flags at all"));
  sample.profile.rows.push_back({ProfileKind::Set, Pipe::V, "VECTOR", "SET_FLAG", Pipe::V, Pipe::MTE3, 0, 9, 9});
  std::vector<timing::SyncDifference> differences(8, {{ProfileKind::Set, Pipe::V, Pipe::MTE3, 0}, 9, 4});
  std::string text = otherKernelText(sample.profile, estimate, differences, {"n", "m"});
  CHECK(shows(text, "f: core0.veccore0 is not of k (vec) run with n=3\n"));
  CHECK(shows(text, "9           4  set_flag(PIPE_V, PIPE_MTE3, 0)\n"));
  CHECK(shows(text, "and 2 more that differ\n"));
  CHECK(shows(text, "--arg NAME=VALUE (n, m)"));
}
