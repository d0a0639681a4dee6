#include "profile/profile_report.h"

#include "base/messages.h"
#include "kernel/column_table.h"
#include "replay/choose/run_choice.h"
#include "replay/run/evaluator.h"
#include "timing/cost_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

namespace ptosync {

// The profile beside the estimate.

namespace {

using timing::CoreProfile;
using timing::ProfileFigures;

constexpr std::size_t kNamesOfPipe = 4, kMisfitsShown = 6, kCoresShown = 4;

std::string profileRatio(double profile, double estimate) {
  if (estimate <= 0 || profile <= 0)
    return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", profile / estimate);
  return text;
}

std::string profileCountText(double count) { return std::to_string(std::llround(count)); }

/// "VADD 40, VMUL 20 and 3 others", the most frequent first.
std::string recordedNames(const std::map<std::string, double> &counts) {
  std::vector<std::pair<std::string, double>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kNamesOfPipe); ++i)
    text += (i ? ", " : "") + printable(sorted[i].first) + " " + profileCountText(sorted[i].second);
  if (sorted.size() > kNamesOfPipe)
    text += " and " + std::to_string(sorted.size() - kNamesOfPipe) +
            (sorted.size() == kNamesOfPipe + 1 ? " other" : " others");
  return text.empty() ? "nothing" : text;
}

std::string profiledSection(const std::string &kernel, Section section) {
  return printable(kernel) + (section == Section::Both ? "" : " (" + std::string(sectionName(section)) + ")");
}

using Align = ColumnTable::Align;

std::string profiledPipes(const timing::ProfileComparison &comparison, bool timed) {
  ColumnTable table(4, {Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
                        Align::Right, Align::Plain});
  table.add({"", "profile", "", "", "estimate", "", "", "", ""});
  table.add({"pipe", "count", "cycles", "busy", "count", "cycles", "busy", "ratio", "instructions / calls"});
  for (const timing::PipeComparison &pipe : comparison.pipes) {
    double profile = timed ? pipe.profileBusy : pipe.work.profileCycles;
    double estimate = timed ? pipe.estimateBusy : pipe.work.estimateCycles;
    table.add({std::string(pipeName(pipe.pipe)), profileCountText(pipe.work.profileCount),
               cyclesText(pipe.work.profileCycles), timed ? cyclesText(pipe.profileBusy) : "-",
               profileCountText(pipe.work.estimateCount), cyclesText(pipe.work.estimateCycles),
               cyclesText(pipe.estimateBusy), profileRatio(profile, estimate),
               recordedNames(pipe.profileNames) + " / " + recordedNames(pipe.estimateNames)});
  }
  return "  work, by pipe (ratio of " + std::string(timed ? "busy" : "cycles") + ")\n" + table.format();
}

std::string profiledSyncs(const timing::ProfileComparison &comparison) {
  if (comparison.syncs.empty())
    return "";
  ColumnTable table(4, {Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Plain});
  table.add({"profile", "", "estimate", "", "", ""});
  table.add({"count", "cycles", "count", "cycles", "ratio", "sync"});
  for (const timing::SyncComparisonRow &row : comparison.syncs) {
    const ProfileFigures &figures = row.figures;
    bool known = row.costKnown && figures.profileCount > 0;
    table.add({profileCountText(figures.profileCount), known ? cyclesText(figures.profileCycles) : "-",
               profileCountText(figures.estimateCount),
               figures.estimateCount > 0 ? cyclesText(figures.estimateCycles) : "-",
               known ? profileRatio(figures.profileCycles, figures.estimateCycles) : "-", timing::syncText(row.sync)});
  }
  return "  barriers and flags\n" + table.format();
}

std::string profileNotes(const ProfiledKernel &kernel) {
  const CoreProfile &profile = *kernel.profile;
  std::string text;
  if (profile.format == timing::ProfileFormat::Trace)
    text += "  a trace.json holds of each barrier and set_flag its last cycle alone, so what they cost is not in it: "
            "take the instr_exe csv or the raw logs (--dump=on)\n";
  if (profile.format == timing::ProfileFormat::InstrExe)
    text += "  an instr_exe csv has sums and no times: cycles of instructions that overlap count twice, and there is "
            "nothing to draw\n";
  if (profile.format != timing::ProfileFormat::InstrExe && !profile.timed())
    text +=
        "  more than " + std::to_string(timing::kMostProfileEvents) + " executions: counted and added up, not drawn\n";
  std::string others;
  for (const auto &[queue, count] : kernel.comparison.unmatched)
    others += (others.empty() ? "" : ", ") + printable(queue) + " " + profileCountText(count);
  if (!others.empty())
    text += "  in the profile alone, the estimate has none of them: " + others + "\n";
  return text;
}

} // namespace

std::string profileText(const std::vector<ProfiledKernel> &kernels) {
  std::string text;
  for (const ProfiledKernel &kernel : kernels) {
    const CoreProfile &profile = *kernel.profile;
    const timing::ProfileComparison &comparison = kernel.comparison;
    text += profiledSection(kernel.kernel, kernel.section) + ": " +
            (profile.cycles > 0 ? cyclesText(profile.cycles) + " cycles in the profile, "
                                : std::string("no total in the profile, ")) +
            cyclesText(comparison.estimateCycles) + " estimated" +
            (profile.cycles > 0 ? " (" + profileRatio(profile.cycles, comparison.estimateCycles) + ")" : "") +
            ", run with " + printable(kernel.run) + (kernel.runFound ? ", found by the profile's flags" : "") + "\n";
    text += "  profile: " + profile.core + ", " + std::string(timing::formatName(profile.format)) + " " +
            printable(profile.file) + "\n";
    if (!kernel.otherCores.empty())
      text += "  other cores of its kind, with --profile-core: " + firstOf(kernel.otherCores, kCoresShown) + "\n";
    text += profiledPipes(comparison, profile.timed()) + profiledSyncs(comparison) + profileNotes(kernel);
  }
  return text;
}

std::string otherKernelText(const CoreProfile &profile, const timing::KernelEstimate &estimate,
                            const std::vector<timing::SyncDifference> &differences,
                            const std::vector<std::string> &arguments) {
  std::string text = profile.file + ": " + profile.core + " is not of " +
                     profiledSection(estimate.kernel, estimate.section) + " run with " + printable(estimate.run);
  if (timing::hasNoFlags(profile))
    return text +
           ": the profile has no flags at all, and the kernel does; it was recorded without them: record it again "
           "with the metrics of resource conflicts";
  ColumnTable table(2, {Align::Right, Align::Right, Align::Plain});
  table.add({"in the profile", "in the run", ""});
  for (std::size_t i = 0; i < std::min(differences.size(), kMisfitsShown); ++i)
    table.add({profileCountText(differences[i].profile), profileCountText(differences[i].run),
               timing::syncText(differences[i].sync)});
  text += "\n" + table.format();
  if (differences.size() > kMisfitsShown)
    text += "  and " + std::to_string(differences.size() - kMisfitsShown) + " more that differ\n";
  std::string names;
  for (const std::string &name : arguments)
    names += (names.empty() ? "" : ", ") + printable(name);
  return text + "Either it is of another kernel or cut short, or the run is another: " +
         (names.empty() ? "" : "give the recorded arguments with --arg NAME=VALUE (" + names + "), or ") +
         "choose the core with --profile-core";
}

// The executions as events of a trace.

std::vector<nlohmann::ordered_json> profileEvents(const timing::CoreProfile &profile, double clockMHz) {
  auto rounded = [](double microseconds) { return std::round(microseconds * 1e6) / 1e6; };
  auto microseconds = [&](double cycles) { return rounded(cycles / clockMHz); };
  std::vector<nlohmann::ordered_json> events;
  std::map<std::string, std::vector<double>> lanes;
  for (std::size_t i = 0; i < std::min(profile.events.size(), kMostDrawnEvents); ++i) {
    const timing::ProfileEvent &event = profile.events[i];
    const timing::ProfileRow &row = profile.rows[event.row];
    std::vector<double> &ends = lanes[row.queue];
    std::size_t lane = 0;
    while (lane < ends.size() && ends[lane] > event.start)
      ++lane;
    ends.resize(std::max(ends.size(), lane + 1));
    ends[lane] = event.end;
    bool work = row.kind == timing::ProfileKind::Work;
    nlohmann::ordered_json arguments = {{"cycles", std::llround(event.end - event.start)}};
    if (!profile.knowsCost(row.kind))
      arguments["note"] = "cut down to its last cycle by the recording";
    events.push_back({{"name", printable(row.name)},
                      {"cat", work ? "instruction" : "sync"},
                      {"cname", work ? "good" : "grey"},
                      {"ph", "X"},
                      {"pid", "profile " + profile.core},
                      {"tid", printable(row.queue) + (lane ? " " + std::to_string(lane + 1) : "")},
                      {"ts", microseconds(event.start)},
                      {"dur", rounded(microseconds(event.end) - microseconds(event.start))},
                      {"args", std::move(arguments)}});
  }
  return events;
}

// Calibration.

namespace {

std::string percentOf(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string parameterLine(const timing::FittedParameter &parameter) {
  char text[128];
  std::snprintf(text, sizeof text, "%.5g -> %.5g +- %.2g", parameter.before, parameter.after, parameter.error);
  return "    " + parameter.name + " " + text + "\n";
}

} // namespace

std::string calibrationReport(const timing::Calibration &calibration) {
  std::string text = "calibration: " + std::to_string(std::llround(calibration.calls)) +
                     " calls with their instructions, " + std::to_string(std::llround(calibration.unmatched)) +
                     " of which it is not known which are theirs\n";
  for (Pipe pipe : calibration.disordered)
    text +=
        "  " + std::string(pipeName(pipe)) + ": its syncs stand in another order than in the run, nothing is fitted\n";
  for (const timing::FittedEntry &entry : calibration.entries) {
    bool scalar = entry.shape.group == timing::CostShape::Group::Other;
    text += "  " + printable(timing::entryName(entry)) + ": " + (scalar ? "from the starts of " : "") +
            std::to_string(std::llround(entry.executions)) +
            (scalar ? " calls"
                    : " executions of " + std::to_string(entry.sizes) + (entry.sizes == 1 ? " size" : " sizes")) +
            ", residual " + percentOf(entry.residualBefore) + " -> " + percentOf(entry.residualAfter) + "\n";
    for (const timing::FittedParameter &parameter : entry.parameters)
      if (parameter.fitted)
        text += parameterLine(parameter);
    if (!entry.reason.empty())
      text += "    stays: " + printable(entry.reason) + "\n";
  }
  return text;
}

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
