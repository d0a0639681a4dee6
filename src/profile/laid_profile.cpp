#include "profile/laid_profile.h"

#include "replay/run/evaluator.h"
#include "replay/choose/run_choice.h"

#include <algorithm>
#include <optional>

namespace ptosync {
namespace {

using timing::CoreProfile;
using timing::KernelTiming;

/// The kind of core whose profile goes with a core's program, if there is one; a text without sections runs on
/// whichever was recorded.
std::optional<Section> recordedSection(const ReadProfiles &profiles, const KernelTiming &timing) {
  Section section = timing.subject().kernel.section;
  for (Section each : {Section::Vec, Section::Cube})
    if ((section == each || section == Section::Both) && profiles.profiles.count(each))
      return each;
  return std::nullopt;
}

const CoreProfile *profileOf(const ReadProfiles &profiles, const KernelTiming &timing) {
  std::optional<Section> section = recordedSection(profiles, timing);
  return section ? &profiles.profiles.at(*section) : nullptr;
}

/// What of the cores of one kernel does not fit; empty: nothing, or there is no profile of any.
struct Misfit {
  const KernelTiming *timing = nullptr;
  std::vector<timing::SyncDifference> differences;
};

std::optional<Misfit> misfit(const ReadProfiles &profiles, const std::vector<KernelTiming> &cores, bool &any) {
  for (const KernelTiming &core : cores)
    if (const CoreProfile *profile = profileOf(profiles, core)) {
      any = true;
      std::vector<timing::SyncDifference> differences = timing::syncDifferences(*profile, core);
      if (!differences.empty())
        return Misfit{&core, std::move(differences)};
    }
  return std::nullopt;
}

std::vector<std::string> argumentNames(const KernelTiming &timing) {
  std::vector<std::string> names;
  for (const replay::NamedArgument &argument : replay::argumentsOf(timing.subject()))
    if (!argument.pointer)
      names.push_back(argument.name);
  return names;
}

class ProfileLayer {
public:
  ProfileLayer(LaidProfile &laid, const Machine &machine, const replay::Options &replay, const timing::CostTable &costs)
      : laid(laid), machine(machine), replay(replay), costs(costs) {}

  /// The cores of one kernel.
  void add(std::vector<KernelTiming> cores) {
    bool any = false, found = false;
    std::optional<Misfit> wrong = misfit(laid.profiles, cores, any);
    if (wrong && replay.arguments.empty() && !timing::hasNoFlags(*profileOf(laid.profiles, *wrong->timing)))
      if (std::optional<std::vector<KernelTiming>> other = otherRun(cores)) {
        wrong.reset();
        found = true;
        cores = std::move(*other);
      }
    if (!any)
      return;
    if (wrong) {
      const KernelTiming &timing = *wrong->timing;
      if (reason.empty() || wrong->differences.size() < fewest) {
        fewest = wrong->differences.size();
        reason = otherKernelText(*profileOf(laid.profiles, timing), timing.estimate(), wrong->differences,
                                 argumentNames(timing));
      }
      return;
    }
    for (KernelTiming &core : cores) {
      runFound.push_back(found);
      laid.timings.push_back(std::move(core));
    }
  }

  llvm::Error finish() {
    for (std::size_t i = 0; i < laid.timings.size(); ++i) {
      const KernelTiming &timing = laid.timings[i];
      std::optional<Section> section = recordedSection(laid.profiles, timing);
      if (!section)
        continue;
      const Kernel &kernel = timing.subject().kernel;
      const CoreProfile &profile = laid.profiles.profiles.at(*section);
      laid.timed.push_back(i);
      laid.kernels.push_back({kernel.name, replay::describe(timing.inputs(), kernel), kernel.section, runFound[i],
                              &profile, laid.profiles.others[*section], timing::compareProfile(profile, timing)});
    }
    if (!laid.kernels.empty())
      return llvm::Error::success();
    return llvm::createStringError(reason.empty() ? "--profile: none of its cores goes with a section of the kernel"
                                                  : reason);
  }

private:
  std::optional<std::vector<KernelTiming>> otherRun(const std::vector<KernelTiming> &cores) {
    std::vector<std::pair<const Kernel *, const CoreProfile *>> recorded;
    std::vector<const Kernel *> kernels;
    for (const KernelTiming &core : cores) {
      kernels.push_back(&core.subject().kernel);
      if (const CoreProfile *profile = profileOf(laid.profiles, core))
        recorded.emplace_back(&core.subject().kernel, profile);
    }
    std::optional<replay::Inputs> inputs = timing::findRun(recorded, machine, replay, costs);
    if (!inputs)
      return std::nullopt;
    return timing::timeCores(kernels, machine, replay, costs, inputs);
  }

  LaidProfile &laid;
  const Machine &machine;
  const replay::Options &replay;
  const timing::CostTable &costs;
  std::vector<bool> runFound; // by timing
  std::string reason;
  std::size_t fewest = 0;
};

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

llvm::Expected<std::unique_ptr<LaidProfile>> layProfile(ReadProfiles profiles, std::vector<KernelTiming> timings,
                                                        const Machine &machine, const replay::Options &replay,
                                                        const timing::CostTable &costs) {
  auto laid = std::make_unique<LaidProfile>();
  laid->profiles = std::move(profiles);
  ProfileLayer layer(*laid, machine, replay, costs);
  for (std::size_t begin = 0, end = 0; begin < timings.size(); begin = end) { // the cores of a kernel stand together
    std::vector<KernelTiming> cores;
    const std::string name = timings[begin].subject().kernel.name;
    for (end = begin; end < timings.size() && timings[end].subject().kernel.name == name; ++end)
      cores.push_back(std::move(timings[end]));
    layer.add(std::move(cores));
  }
  if (llvm::Error error = layer.finish())
    return std::move(error);
  return laid;
}

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
