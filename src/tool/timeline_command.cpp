#include "tool/timeline_command.h"

#include "patterns/version.h"
#include "pipeline/cores_step.h"
#include "pipeline/cost_step.h"
#include "report/html_report.h"
#include "tool/calibrate_step.h"
#include "tool/durations.h"
#include "tool/files.h"
#include "tool/profile_step.h"
#include "tool/progress.h"
#include "tool/session.h"
#include "tool/subject.h"

#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <vector>

namespace ptosync {
namespace {

/// As it is, and without any sync.
std::string page(const Module &module, const TimelineReport &report, const std::vector<timing::JoinedCores> &joined) {
  HtmlInput page;
  page.source = &module.source;
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

/// What is reported, once it is known of which runs.
int publish(const ToolOptions &options, TimelineReport &report, const std::vector<timing::KernelTiming> &timings,
            const std::vector<timing::JoinedCores> &joined, const LaidProfile *laid,
            const CalibratedProfile &calibrated) {
  const TimelineCommandOptions &asked = options.timeline;
  for (const timing::KernelTiming &timing : timings)
    report.kernels.push_back({&timing, timing.estimate(), timing::makeTimeline(timing.plan(), {}, asked.limit)});
  for (const timing::JoinedCores &cores : joined) {
    if (!cores.apart().empty())
      report.apart.push_back(apartLine(cores.name(), cores.apart()));
    else
      for (TimedKernel &core : timeTogether(cores, {}, asked.limit))
        report.kernels.push_back(std::move(core));
  }
  if (laid)
    for (const auto &[section, profile] : laid->profiles.profiles) {
      auto drawn = laid->profiles.drawn.find(section);
      report.profiles.push_back(drawn == laid->profiles.drawn.end() ? &profile : &drawn->second);
    }
  std::vector<std::pair<std::string, std::string>> files;
  if (!asked.trace.empty())
    files.emplace_back(asked.trace, timelineTrace(report));
  if (!options.timeline.html.empty())
    files.emplace_back(options.timeline.html, page(*report.module, report, joined));
  if (!asked.calibrate.empty())
    files.emplace_back(asked.calibrate, calibrated.file);
  if (llvm::Error error = writeFiles(files))
    return fail(std::move(error), kExitUsage);
  if (!options.quiet)
    llvm::outs() << (options.timingFile.empty() ? "" : "durations: " + options.timingFile + " over the built-in ones\n")
                 << (laid ? profileText(laid->kernels) : timelineText(report)) << calibrated.report;
  return kExitDone;
}

int report(const ToolOptions &options, const Module &module, const Machine &machine, const timing::CostTable &costs) {
  replay::Options replay = timingOptions(options);
  llvm::Expected<std::vector<timing::KernelTiming>> timings = timeModule(module, machine, replay, costs);
  if (!timings)
    return failTiming(timings.takeError());
  replay::ConflictRules rules(machine, replay);
  TimelineReport report{&module, machine.arch(), std::string(toolVersion()), costs.clockMHz(), &rules, {}, {}};
  if (options.timeline.profile.empty())
    return publish(options, report, *timings, joinModule(module, *timings, machine, replay, costs), nullptr, {});
  Progress progress("timeline", options.quiet);
  progress.stage("reading the profile");
  llvm::Expected<std::unique_ptr<LaidProfile>> laid =
      layProfile(options.timeline, std::move(*timings), machine, replay, costs);
  progress.finish();
  if (!laid)
    return fail(laid.takeError(), kExitUsage);
  CalibratedProfile calibrated;
  if (!options.timeline.calibrate.empty()) {
    llvm::Expected<CalibratedProfile> fitted = calibrateProfile(**laid, machine, replay, costs);
    if (!fitted)
      return fail(fitted.takeError(), kExitUsage);
    calibrated = std::move(*fitted);
  }
  const std::vector<timing::KernelTiming> &timed = (*laid)->timings;
  return publish(options, report, timed, joinModule(module, timed, machine, replay, costs), laid->get(), calibrated);
}

} // namespace

int runTimeline(const ToolOptions &options) {
  const TimelineCommandOptions &asked = options.timeline;
  const std::vector<std::string> targets = {asked.trace, options.timeline.html, asked.calibrate};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!targets[i].empty() && (sameFile(asked.input, targets[i]) ||
                                (!options.timingFile.empty() && sameFile(options.timingFile, targets[i]))))
      return usage(targets[i] + ": is the input itself; choose another name, nothing was written");
    for (std::size_t j = 0; j < i; ++j)
      if (!targets[i].empty() && !targets[j].empty() && sameFile(targets[i], targets[j]))
        return usage(targets[i] + ": is asked for twice; nothing was written");
  }
  llvm::Expected<Subject> subject = readSubject(options, {asked.input});
  if (!subject)
    return failSubject(subject.takeError());
  llvm::Expected<timing::CostTable> costs = loadCosts(*subject->machine, subject->options);
  if (!costs)
    return fail(costs.takeError(), kExitUsage);
  return report(subject->options, subject->modules[0], *subject->machine, *costs);
}

} // namespace ptosync
