#include "run/timeline.h"

#include "patterns/version.h"
#include "replay/inputs.h"
#include "replay/run_choice.h"
#include "report/calibration_report.h"
#include "report/html_report.h"
#include "report/profile_report.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace ptosync {
namespace {

using timing::CoreProfile;
using timing::KernelTiming;

/// Fails if --arg names what no kernel has.
llvm::Error checkRunArguments(const std::map<std::string, std::vector<const Kernel *>> &byName, const Machine &machine,
                              const replay::Options &options) {
  if (options.arguments.empty())
    return llvm::Error::success();
  std::vector<std::unique_ptr<replay::Subject>> subjects;
  std::vector<const replay::Subject *> all;
  for (const auto &[name, cores] : byName)
    for (const Kernel *core : cores) {
      subjects.push_back(std::make_unique<replay::Subject>(*core, machine, options));
      all.push_back(subjects.back().get());
    }
  return replay::checkArguments(all, options);
}

} // namespace

llvm::Expected<timing::CostTable> loadCosts(const Machine &machine, const RunChoices &choices) {
  llvm::Expected<timing::CostTable> table = timing::CostTable::builtIn(machine.arch());
  if (!table || !choices.durationsText)
    return table;
  if (llvm::Error error = table->overlay(choices.durationsText->text(), choices.durationsText->name(), machine))
    return asSetting(std::move(error));
  return table;
}

llvm::Expected<std::vector<KernelTiming>> timeModule(const Module &module, const Machine &machine,
                                                     const replay::Options &options, const timing::CostTable &costs) {
  std::map<std::string, std::vector<const Kernel *>> byName;
  for (const Kernel &kernel : module.kernels)
    if (kernel.analysable)
      byName[kernel.name].push_back(&kernel);
  if (llvm::Error error = checkRunArguments(byName, machine, options))
    return std::move(error);
  std::vector<KernelTiming> timings;
  for (const auto &[name, cores] : byName)
    for (KernelTiming &timing : timing::timeCores(cores, machine, options, costs))
      if (timing.works())
        timings.push_back(std::move(timing));
  return timings;
}

// Both cores together.

std::vector<timing::JoinedCores> joinModule(const Module &module, const std::vector<timing::KernelTiming> &timings,
                                            const Machine &machine, const replay::Options &options,
                                            const timing::CostTable &costs) {
  auto timingOf = [&](const Kernel *kernel) -> const timing::KernelTiming * {
    for (const timing::KernelTiming &timing : timings)
      if (&timing.subject().kernel == kernel)
        return &timing;
    return nullptr;
  };
  std::vector<timing::JoinedCores> joined;
  for (const timing::CorePair &pair : timing::corePairs(module.kernels, machine))
    joined.emplace_back(pair, std::array{timingOf(pair.cube), timingOf(pair.vec)}, machine, options, costs);
  return joined;
}

std::vector<TimedKernel> timeTogether(const timing::JoinedCores &joined, const timing::Sites &leftOut, bool dataFlow) {
  auto run = [&](bool withoutSyncs, bool record) {
    timing::EngineOptions options;
    options.ignored = leftOut;
    options.dataFlow = withoutSyncs;
    options.record = record;
    return joined.run(options);
  };
  timing::CoresRun drawn = run(dataFlow, true), other = run(!dataFlow, false);
  const timing::CoresRun &limit = dataFlow ? drawn : other, &estimated = dataFlow ? other : drawn;
  std::vector<TimedKernel> cores;
  for (std::size_t core = 0; core < drawn.cores.size(); ++core) {
    const timing::KernelTiming &timing = joined.core(core);
    TimedKernel timed{&timing, {}, timing::makeTimeline(timing.plan(), drawn, core), true};
    timed.estimate.kernel = timing.subject().kernel.name;
    timed.estimate.section = timing.subject().kernel.section;
    timed.estimate.run = replay::describe(joined.inputs(), timing.subject().kernel);
    timed.estimate.cycles = estimated.cores[core].cycles;
    timed.estimate.limit = limit.cores[core].cycles;
    cores.push_back(std::move(timed));
  }
  return cores;
}

// A recorded profile.

namespace {

/// A recorded run and the runs that it fits. The parts refer to one another, so that nothing moves once it is made.
struct LaidProfile {
  ReadProfiles profiles;
  std::vector<KernelTiming> timings; // of the kernels that the profile fits, in the run that it fits
  std::vector<std::size_t> timed;    // by kernel: which of `timings`
  std::vector<ProfiledKernel> kernels;
};

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

/// `timings`: of the whole file.
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

struct CalibratedProfile {
  std::string file, report; // to write, to print
};

/// Fits the parameters of the table to the profile. Fails if the profile does not say when each instruction ran, or
/// determines nothing.
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

// The page.

/// Draws each kernel as it is and without any sync.
std::string page(const TimelineReport &report, const std::vector<timing::JoinedCores> &joined) {
  HtmlInput page;
  page.source = &report.module->source;
  page.verdict = "timelines, estimated (arch: " + report.arch + ")";
  for (const TimedKernel &kernel : report.kernels) {
    if (kernel.together)
      continue;
    std::string name = kernel.estimate.kernel + " (" + std::string(sectionName(kernel.estimate.section)) + ")";
    TimedKernel as{kernel.timing, kernel.estimate, timing::makeTimeline(kernel.timing->plan(), {})};
    TimedKernel limit{kernel.timing, kernel.estimate, timing::makeTimeline(kernel.timing->plan(), {}, true)};
    page.kernels.push_back({name, {drawRun("as it is", report, as), drawRun("data-flow limit", report, limit)}});
    page.estimate += (page.estimate.empty() ? "" : "; ") + name + ": " + cyclesText(kernel.estimate.cycles) +
                     " cycles, limit " + cyclesText(kernel.estimate.limit);
  }
  for (const timing::JoinedCores &cores : joined)
    if (cores.apart().empty()) {
      page.kernels.push_back({cores.name() + ", both cores together", {}});
      for (bool dataFlow : {false, true})
        for (const TimedKernel &core : timeTogether(cores, {}, dataFlow))
          page.kernels.back().runs.push_back(drawRun(dataFlow ? "data-flow limit" : "as it is", report, core));
    }
  return htmlReport(page);
}

/// The rows of the report: each kernel alone, then the cores that meet together.
void addKernels(TimelineReport &report, const std::vector<KernelTiming> &timings,
                const std::vector<timing::JoinedCores> &joined, bool limit) {
  for (const KernelTiming &timing : timings)
    report.kernels.push_back({&timing, timing.estimate(), timing::makeTimeline(timing.plan(), {}, limit)});
  for (const timing::JoinedCores &cores : joined) {
    if (!cores.apart().empty())
      report.apart.push_back(apartLine(cores.name(), cores.apart()));
    else
      for (TimedKernel &core : timeTogether(cores, {}, limit))
        report.kernels.push_back(std::move(core));
  }
}

void addProfiles(TimelineReport &report, const ReadProfiles &profiles) {
  for (const auto &[section, profile] : profiles.profiles) {
    auto drawn = profiles.drawn.find(section);
    report.profiles.push_back(drawn == profiles.drawn.end() ? &profile : &drawn->second);
  }
}

} // namespace

llvm::Expected<Timelines> timeFile(const RunInput &input, const TimelineRequest &request) {
  llvm::Expected<Subject> subject = liftSubject(input, Shapes::LeftOut);
  if (!subject)
    return subject.takeError();
  const Module &module = subject->modules.front();
  const Machine &machine = *subject->machine;
  llvm::Expected<timing::CostTable> costs = loadCosts(machine, subject->choices);
  if (!costs)
    return costs.takeError();
  const replay::Options replay = timingOptions(subject->choices);
  llvm::Expected<std::vector<KernelTiming>> timings = timeModule(module, machine, replay, *costs);
  if (!timings)
    return timings.takeError();
  replay::ConflictRules rules(machine, replay);
  TimelineReport report{&module, machine.arch(), std::string(toolVersion()), costs->clockMHz(), &rules, {}, {}};

  std::unique_ptr<LaidProfile> laid;
  CalibratedProfile calibrated;
  if (request.profile) {
    llvm::Expected<ReadProfiles> profiles = request.profile(costs->clockMHz());
    if (!profiles)
      return asSetting(profiles.takeError());
    llvm::Expected<std::unique_ptr<LaidProfile>> fitting =
        layProfile(std::move(*profiles), std::move(*timings), machine, replay, *costs);
    if (!fitting)
      return asSetting(fitting.takeError());
    laid = std::move(*fitting);
    addProfiles(report, laid->profiles);
    if (request.calibrate) {
      llvm::Expected<CalibratedProfile> fitted = calibrateProfile(*laid, machine, replay, *costs);
      if (!fitted)
        return asSetting(fitted.takeError());
      calibrated = std::move(*fitted);
    }
  }

  const std::vector<KernelTiming> &timed = laid ? laid->timings : *timings;
  const std::vector<timing::JoinedCores> joined = joinModule(module, timed, machine, replay, *costs);
  addKernels(report, timed, joined, request.limit);
  Timelines result;
  result.summary =
      (costs->overlaidBy().empty() ? "" : "durations: " + costs->overlaidBy() + " over the built-in ones\n") +
      (laid ? profileText(laid->kernels) : timelineText(report)) + calibrated.report;
  if (request.trace)
    result.trace = timelineTrace(report);
  if (request.page)
    result.page = page(report, joined);
  result.durations = std::move(calibrated.file);
  return result;
}

} // namespace ptosync
