#include "run/timeline.h"

#include "patterns/version.h"
#include "replay/choose/run_choice.h"
#include "report/html_report.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace ptosync {
namespace {

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

// The page.

namespace {

/// Draws each kernel as it is and without any sync.
std::string page(const TimelineReport &report, const std::vector<timing::JoinedCores> &joined) {
  HtmlInput page;
  page.source = &report.module->source;
  page.verdict = "timelines, estimated (arch: " + report.arch + ")";
  for (const std::string &line : assumedOf(*report.module))
    page.estimate.push_back(assumedLine(line));
  std::vector<std::string> together;
  for (const TimedKernel &kernel : report.kernels) {
    if (kernel.together)
      continue;
    std::string name = kernel.estimate.kernel + " (" + std::string(sectionName(kernel.estimate.section)) + ")";
    TimedKernel as{kernel.timing, kernel.estimate, timing::makeTimeline(kernel.timing->plan(), {})};
    TimedKernel limit{kernel.timing, kernel.estimate, timing::makeTimeline(kernel.timing->plan(), {}, true)};
    page.kernels.push_back({name, {drawRun("as it is", report, as), drawRun("data-flow limit", report, limit)}});
    page.estimate.push_back(name + ": " + cyclesText(kernel.estimate.cycles) + " cycles, limit " +
                            cyclesText(kernel.estimate.limit));
  }
  for (const timing::JoinedCores &cores : joined)
    if (cores.apart().empty()) {
      page.kernels.push_back({cores.name() + ", both cores together", {}, true});
      double cycles = 0, limit = 0;
      for (bool dataFlow : {false, true})
        for (const TimedKernel &core : timeTogether(cores, {}, dataFlow)) {
          page.kernels.back().runs.push_back(drawRun(dataFlow ? "data-flow limit" : "as it is", report, core));
          cycles = std::max(cycles, core.estimate.cycles);
          limit = std::max(limit, core.estimate.limit);
        }
      together.push_back(cores.name() + ", both cores together: " + cyclesText(cycles) + " cycles, limit " +
                         cyclesText(limit));
    }
  page.estimate.insert(page.estimate.begin(), together.begin(), together.end());
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
    std::vector<nlohmann::ordered_json> events =
        profileEvents(drawn == profiles.drawn.end() ? profile : drawn->second, report.clockMHz);
    std::move(events.begin(), events.end(), std::back_inserter(report.recorded));
  }
}

} // namespace

static llvm::Expected<Timelines> timed(const RunInput &input, const TimelineRequest &request) {
  input.choices.allowance.stage("reading");
  llvm::Expected<Subject> subject = liftSubject(input, Shapes::LeftOut);
  if (!subject)
    return subject.takeError();
  const Module &module = subject->modules.front();
  const Machine &machine = *subject->machine;
  llvm::Expected<timing::CostTable> costs = loadCosts(machine, subject->choices);
  if (!costs)
    return costs.takeError();
  input.choices.allowance.stage("timing");
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
  for (const std::string &line : assumedOf(module))
    result.summary += assumedLine(line) + "\n";
  if (request.trace)
    result.trace = timelineTrace(report);
  if (request.page)
    result.page = page(report, joined);
  result.durations = std::move(calibrated.file);
  return result;
}

llvm::Expected<Timelines> timeFile(const RunInput &input, const TimelineRequest &request) {
  return within(input, timed(input, request));
}

} // namespace ptosync
