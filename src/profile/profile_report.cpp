#include "profile/profile_report.h"

#include "kernel/column_table.h"
#include "optimize/wording.h"
#include "timing/cost_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace ptosync {

// The profile beside the estimate.

namespace {

using timing::CoreProfile;
using timing::ProfileFigures;
using timing::ProfileKind;

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

} // namespace ptosync
