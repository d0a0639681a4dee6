#include "tool/calibrate_step.h"

#include "report/calibration_report.h"

#include <algorithm>

namespace ptosync {
namespace {

/// A run of every iteration may be as long as this.
constexpr std::uint64_t kLongestCalibration = 1'000'000;

/// Empty, or why nothing can be fitted to it.
std::string unfitProfile(const timing::CoreProfile &profile) {
  switch (profile.format) {
  case timing::ProfileFormat::RawLogs:
    return profile.timed() ? ""
                           : "more than " + std::to_string(timing::kMostProfileEvents) +
                                 " executions are not matched one by one; record a shorter run";
  case timing::ProfileFormat::InstrExe: return profile.addresses.empty() ? "--calibrate needs the column 'addr'" : "";
  case timing::ProfileFormat::Trace: break;
  }
  return "--calibrate does not go by a trace.json, which has of barriers and set_flag the last cycle alone and clips "
         "waits; record the raw logs with --dump=on, or take the folder with the instr_exe csv";
}

} // namespace

llvm::Expected<CalibratedProfile> calibrateProfile(const LaidProfile &laid, const Machine &machine,
                                                   const replay::Options &replay, const timing::CostTable &costs) {
  replay::Options whole = replay;
  whole.budget.instructions = kLongestCalibration;
  whole.budget.statements = std::max(whole.budget.statements, 50 * kLongestCalibration);
  std::vector<std::unique_ptr<timing::KernelTiming>> timings;
  std::vector<timing::CalibrationCore> cores;
  std::string source;
  for (std::size_t i = 0; i < laid.kernels.size(); ++i) {
    const ProfiledKernel &kernel = laid.kernels[i];
    if (std::string wrong = unfitProfile(*kernel.profile); !wrong.empty())
      return llvm::createStringError(kernel.profile->file + ": " + wrong);
    const timing::KernelTiming &timed = laid.timings[laid.timed[i]];
    auto subject = std::make_unique<replay::Subject>(timed.subject().kernel, machine, whole);
    timings.push_back(std::make_unique<timing::KernelTiming>(std::move(subject), timed.inputs(), machine, whole, costs,
                                                             replay::Skipping::Forbidden));
    if (timings.back()->trace().ending != replay::Ending::Returned)
      return llvm::createStringError(kernel.profile->file + ": the run has more than " +
                                     std::to_string(kLongestCalibration) + " instructions; record a shorter one");
    cores.push_back({kernel.profile, timings.back().get()});
    source += (source.empty() ? "" : "; ") + kernel.profile->core + " of " + kernel.kernel + " with " + kernel.run;
  }
  timing::Calibration calibration = timing::calibrate(cores, machine, costs);
  std::string report = calibrationReport(calibration);
  if (!calibration.anything())
    return llvm::createStringError(
        laid.kernels.front().profile->file +
        ": nothing of the table can be fitted to it better than it is, and nothing was written\n" + report);
  return CalibratedProfile{timing::calibrationText(calibration, costs, source), report};
}

} // namespace ptosync
