#include "tool/timeline_command.h"

#include "patterns/version.h"
#include "report/timeline_report.h"
#include "tool/cost_step.h"
#include "tool/files.h"
#include "tool/session.h"
#include "tool/subject.h"

#include <llvm/Support/raw_ostream.h>

#include <vector>

namespace ptosync {
namespace {

int usage(const std::string &message) {
  llvm::errs() << "ptosync: " << message << "\n";
  return kExitUsage;
}

int report(const ToolOptions &options, const Module &module, const Machine &machine, const timing::CostTable &costs) {
  const TimelineCommandOptions &asked = options.timeline;
  replay::Options replay = timingOptions(options);
  llvm::Expected<std::vector<timing::KernelTiming>> timings = timeModule(module, machine, replay, costs);
  if (!timings)
    return failTiming(timings.takeError());
  replay::ConflictRules rules(machine, replay);
  TimelineReport report{&module, machine.arch(), std::string(toolVersion()), costs.clockMHz(), &rules, {}};
  for (const timing::KernelTiming &timing : *timings)
    report.kernels.push_back({&timing, timing.estimate(), timing::makeTimeline(timing.plan(), {}, asked.limit)});
  if (!asked.trace.empty())
    if (llvm::Error error = writeFiles({{asked.trace, timelineTrace(report)}}))
      return fail(std::move(error), kExitUsage);
  llvm::outs() << timelineText(report);
  return kExitDone;
}

} // namespace

int runTimeline(const ToolOptions &options) {
  const TimelineCommandOptions &asked = options.timeline;
  if (!asked.trace.empty() && sameFile(asked.input, asked.trace))
    return usage(asked.trace + ": is the input itself; choose another name, nothing was written");
  llvm::Expected<Subject> subject = readSubject(options, {asked.input});
  if (!subject)
    return failSubject(subject.takeError());
  llvm::Expected<timing::CostTable> costs = timing::CostTable::builtIn(subject->machine->arch());
  if (!costs)
    return fail(costs.takeError(), kExitUsage);
  return report(subject->options, subject->modules[0], *subject->machine, *costs);
}

} // namespace ptosync
