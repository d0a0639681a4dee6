#include "report/profile_report.h"

#include "report/column_table.h"
#include "report/cost_report.h"
#include "report/wording.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ptosync {
namespace {

using timing::CoreProfile;
using timing::ProfileFigures;
using timing::ProfileKind;

constexpr std::size_t kShownNames = 4, kShownDifferences = 6, kShownCores = 4;

std::string ratioText(double profile, double estimate) {
  if (estimate <= 0 || profile <= 0)
    return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", profile / estimate);
  return text;
}

std::string countText(double count) { return std::to_string(std::llround(count)); }

/// "VADD 40, VMUL 20 and 3 others", the most frequent first.
std::string namesText(const std::map<std::string, double> &counts) {
  std::vector<std::pair<std::string, double>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kShownNames); ++i)
    text += (i ? ", " : "") + printable(sorted[i].first) + " " + countText(sorted[i].second);
  if (sorted.size() > kShownNames)
    text += " and " + std::to_string(sorted.size() - kShownNames) + " others";
  return text.empty() ? "nothing" : text;
}

std::string sectionPart(const std::string &kernel, Section section) {
  return printable(kernel) + (section == Section::Both ? "" : " (" + std::string(sectionName(section)) + ")");
}

using Align = ColumnTable::Align;

std::string pipeTable(const timing::ProfileComparison &comparison, bool timed) {
  ColumnTable table(4, {Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
                        Align::Right, Align::Plain});
  table.add({"", "profile", "", "", "estimate", "", "", "", ""});
  table.add({"pipe", "count", "cycles", "busy", "count", "cycles", "busy", "ratio", "instructions / calls"});
  for (const timing::PipeComparison &pipe : comparison.pipes) {
    double profile = timed ? pipe.profileBusy : pipe.work.profileCycles;
    double estimate = timed ? pipe.estimateBusy : pipe.work.estimateCycles;
    table.add({std::string(pipeName(pipe.pipe)), countText(pipe.work.profileCount),
               cyclesText(pipe.work.profileCycles), timed ? cyclesText(pipe.profileBusy) : "-",
               countText(pipe.work.estimateCount), cyclesText(pipe.work.estimateCycles), cyclesText(pipe.estimateBusy),
               ratioText(profile, estimate), namesText(pipe.profileNames) + " / " + namesText(pipe.estimateNames)});
  }
  return "  work, by pipe (ratio of " + std::string(timed ? "busy" : "cycles") + ")\n" + table.format();
}

std::string syncTable(const timing::ProfileComparison &comparison) {
  if (comparison.syncs.empty())
    return "";
  ColumnTable table(4, {Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Plain});
  table.add({"profile", "", "estimate", "", "", ""});
  table.add({"count", "cycles", "count", "cycles", "ratio", "sync"});
  for (const timing::SyncComparisonRow &row : comparison.syncs) {
    const ProfileFigures &figures = row.figures;
    bool known = row.costKnown && figures.profileCount > 0;
    table.add({countText(figures.profileCount), known ? cyclesText(figures.profileCycles) : "-",
               countText(figures.estimateCount), figures.estimateCount > 0 ? cyclesText(figures.estimateCycles) : "-",
               known ? ratioText(figures.profileCycles, figures.estimateCycles) : "-", timing::syncText(row.sync)});
  }
  return "  barriers and flags\n" + table.format();
}

std::string notesText(const ProfiledKernel &kernel) {
  const CoreProfile &profile = *kernel.profile;
  std::string text;
  if (profile.format == timing::ProfileFormat::Trace)
    text += "  a trace.json holds of each barrier and set_flag its last cycle alone, so what they cost is not in it: "
            "take the instr_exe csv or the raw logs (--dump=on)\n";
  if (profile.format == timing::ProfileFormat::InstrExe)
    text += "  an instr_exe csv has sums and no times: cycles of instructions that overlap count twice, and there is "
            "nothing to draw\n";
  if (profile.format != timing::ProfileFormat::InstrExe && !profile.timed())
    text += "  more than " + std::to_string(timing::kMostProfileEvents) +
            " executions: counted and added up, not drawn\n";
  std::string others;
  for (const auto &[queue, count] : kernel.comparison.unmatched)
    others += (others.empty() ? "" : ", ") + printable(queue) + " " + countText(count);
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
    text += sectionPart(kernel.kernel, kernel.section) + ": " +
            (profile.cycles > 0 ? cyclesText(profile.cycles) + " cycles in the profile, "
                                : std::string("no total in the profile, ")) +
            cyclesText(comparison.estimateCycles) + " estimated" +
            (profile.cycles > 0 ? " (" + ratioText(profile.cycles, comparison.estimateCycles) + ")" : "") +
            ", run with " + printable(kernel.run) +
            (kernel.runFound ? ", found by the profile's flags" : "") + "\n";
    text += "  profile: " + profile.core + ", " + std::string(timing::formatName(profile.format)) + " " +
            printable(profile.file) + "\n";
    std::string others;
    for (std::size_t i = 0; i < std::min(kernel.otherCores.size(), kShownCores); ++i)
      others += (i ? ", " : "") + kernel.otherCores[i];
    if (!others.empty())
      text += "  other cores of its kind, with --profile-core: " + others +
              (kernel.otherCores.size() > kShownCores
                   ? " and " + std::to_string(kernel.otherCores.size() - kShownCores) + " more"
                   : "") +
              "\n";
    text += pipeTable(comparison, profile.timed()) + syncTable(comparison) + notesText(kernel);
  }
  return text;
}

std::string otherKernelText(const CoreProfile &profile, const timing::KernelEstimate &estimate,
                            const std::vector<timing::SyncDifference> &differences,
                            const std::vector<std::string> &arguments) {
  std::string text = profile.file + ": " + profile.core + " is not of " +
                     sectionPart(estimate.kernel, estimate.section) + " run with " + printable(estimate.run) + ": ";
  if (timing::hasNoFlags(profile))
    return text + "the profile has no flags at all, and the kernel does: it was recorded without them; record it again "
                  "with the metrics of resource conflicts";
  std::size_t shown = std::min(differences.size(), kShownDifferences);
  for (std::size_t i = 0; i < shown; ++i)
    text += (i ? "; " : "") + timing::syncText(differences[i].sync) + " " + countText(differences[i].profile) +
            " times in the profile, " + countText(differences[i].run) + " in the run";
  if (shown < differences.size())
    text += "; and " + std::to_string(differences.size() - shown) + " more that differ";
  text += ". Either it is of another kernel or cut short, or the run is another: ";
  std::string names;
  for (const std::string &name : arguments)
    names += (names.empty() ? "" : ", ") + printable(name);
  return text + (names.empty() ? "choose the core with --profile-core"
                               : "give its arguments with --arg NAME=VALUE (" + names +
                                     "), or choose the core with --profile-core");
}

} // namespace ptosync
