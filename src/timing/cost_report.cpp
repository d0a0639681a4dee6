#include "timing/cost_report.h"

#include "base/messages.h"
#include "kernel/column_table.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ptosync {

// Kernels.

namespace {

using Json = nlohmann::ordered_json;
using timing::KernelEstimate;
using timing::SyncCost;

constexpr std::size_t kShownCosts = 8;

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string ratio(double cycles, double limit) { return limit > 0 ? fixed(cycles / limit, 2) : "1.00"; }

std::string nameOf(const KernelEstimate &estimate) {
  std::string name = printable(estimate.kernel);
  return estimate.section == Section::Both ? name : name + " (" + std::string(sectionName(estimate.section)) + ")";
}

/// Of a time that is no time of a right kernel; empty for one that is.
std::string openText(bool before, bool after) {
  if (!before)
    return "";
  return after ? "it lacks orders, so no right kernel takes that little"
               : "as it came it lacks orders, so only the second figure is of a right kernel";
}

std::string busyText(const KernelEstimate &estimate) {
  std::string text;
  for (Pipe pipe : kPipes)
    if (double share = estimate.cycles > 0 ? estimate.busy[index(pipe)] / estimate.cycles : 0; share >= 0.005)
      text += (text.empty() ? "" : ", ") + std::string(pipeName(pipe)) + " " + fixed(share * 100, 0) + " %";
  return text.empty() ? "no pipe" : text;
}

std::string kernelPart(const KernelCost &cost) {
  std::string text = "  " + nameOf(cost.before) + ": " +
                     changeText(cost.before.cycles, cost.after.cycles, cost.before.limit) + "\n    run with " +
                     printable(cost.before.run) + ", " + fixed(cost.before.instructions, 0) + " instructions";
  if (cost.before.extrapolated)
    text += ", iterations that repeat counted and not run";
  if (cost.before.cut)
    text += ", cut";
  if (const std::string open = openText(cost.openBefore, cost.openAfter); !open.empty())
    text += "\n    " + open;
  return text + "\n    before: " + busyText(cost.before) + "\n    after: " + busyText(cost.after) + "\n";
}

/// The figures of the same loop after the edits.
const timing::LoopEstimate *sameLoop(const KernelEstimate &after, std::size_t position) {
  return position < after.loops.size() ? &after.loops[position] : nullptr;
}

std::string loopPart(const KernelCost &cost) {
  if (cost.before.loops.empty())
    return "";
  using Align = ColumnTable::Align;
  ColumnTable table(4, {Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right});
  table.add({"loop", "iterations", "before", "after", "limit", "over"});
  for (std::size_t i = 0; i < cost.before.loops.size(); ++i) {
    const timing::LoopEstimate &loop = cost.before.loops[i];
    const timing::LoopEstimate *after = sameLoop(cost.after, i);
    double cycles = after ? after->cycles : loop.cycles;
    table.add({std::string(std::size_t{2} * loop.depth, ' ') + "line " + std::to_string(loop.line),
               fixed(loop.iterations, 0), cyclesText(loop.cycles), cyclesText(cycles), cyclesText(loop.limit),
               ratio(loop.cycles, loop.limit) + " -> " + ratio(cycles, loop.limit)});
  }
  return table.format();
}

/// Gains of at least a cycle, the largest first.
std::vector<SyncCost> largest(std::vector<SyncCost> costs) {
  costs.erase(std::remove_if(costs.begin(), costs.end(), [](const SyncCost &cost) { return cost.gain < 1; }),
              costs.end());
  std::stable_sort(costs.begin(), costs.end(),
                   [](const SyncCost &a, const SyncCost &b) { return std::round(a.gain) > std::round(b.gain); });
  return costs;
}

std::string syncPart(const Module &module, const std::string &title, const std::vector<SyncCost> &costs, bool all) {
  std::vector<SyncCost> sorted = largest(costs);
  if (sorted.empty())
    return "";
  std::size_t shown = all || sorted.size() <= kShownCosts + 1 ? sorted.size() : kShownCosts;
  using Align = ColumnTable::Align;
  ColumnTable table(4, {Align::Right, Align::Plain});
  for (std::size_t i = 0; i < shown; ++i) {
    const SyncSite &site = module.sites[sorted[i].site];
    table.add({cyclesText(sorted[i].gain), "line " + std::to_string(site.line) + " " + printable(site.text)});
  }
  std::string text = "  " + title + "\n" + table.format();
  if (shown < sorted.size()) {
    double rest = 0;
    for (std::size_t i = shown; i < sorted.size(); ++i)
      rest = std::max(rest, sorted[i].gain);
    text += "    and " + std::to_string(sorted.size() - shown) + " more of at most " + cyclesText(rest) + " each\n";
  }
  return text;
}

Json estimateJson(const KernelEstimate &estimate) {
  Json busy = Json::object();
  for (Pipe pipe : kPipes)
    busy[std::string(pipeName(pipe))] = std::llround(estimate.busy[index(pipe)]);
  return {{"cycles", std::llround(estimate.cycles)}, {"busy", std::move(busy)}};
}

Json syncsJson(const Module &module, const std::vector<SyncCost> &costs) {
  Json list = Json::array();
  for (const SyncCost &cost : largest(costs)) {
    const SyncSite &site = module.sites[cost.site];
    list.push_back({{"line", site.line},
                    {"column", site.column},
                    {"statement", site.text},
                    {"gain", std::llround(cost.gain)},
                    {"executions", std::llround(cost.executions)}});
  }
  return list;
}

Json kernelJson(const Module &module, const KernelCost &cost) {
  Json loops = Json::array();
  for (std::size_t i = 0; i < cost.before.loops.size(); ++i) {
    const timing::LoopEstimate &loop = cost.before.loops[i];
    const timing::LoopEstimate *after = sameLoop(cost.after, i);
    loops.push_back({{"line", loop.line},
                     {"depth", loop.depth},
                     {"iterations", std::llround(loop.iterations)},
                     {"before", std::llround(loop.cycles)},
                     {"after", std::llround(after ? after->cycles : loop.cycles)},
                     {"limit", std::llround(loop.limit)}});
  }
  return {{"kernel", cost.before.kernel},
          {"section", sectionName(cost.before.section)},
          {"line", cost.before.line},
          {"run", cost.before.run},
          {"extrapolated", cost.before.extrapolated},
          {"cut", cost.before.cut},
          {"instructions", std::llround(cost.before.instructions)},
          {"limit", std::llround(cost.before.limit)},
          {"lacksOrders", {{"before", cost.openBefore}, {"after", cost.openAfter}}},
          {"before", estimateJson(cost.before)},
          {"after", estimateJson(cost.after)},
          {"loops", std::move(loops)},
          {"removed", syncsJson(module, cost.removed)},
          {"kept", syncsJson(module, cost.kept)}};
}

} // namespace

namespace {

/// Kernels of one name are one kernel's cores and run at once; those of `leftOut` are not counted.
FileCost slowerCores(const CostReport &report, const std::set<std::string> &leftOut) {
  struct Core {
    FileCost cost;
    void slower(const KernelCost &other) {
      if (other.before.cycles > cost.before)
        cost = {other.before.cycles, other.after.cycles, other.before.limit};
    }
  };
  std::map<std::string, Core> cores;
  for (const KernelCost &kernel : report.kernels)
    if (!leftOut.count(kernel.before.kernel))
      cores[kernel.before.kernel].slower(kernel);
  FileCost whole;
  for (const auto &[name, core] : cores) {
    whole.before += core.cost.before;
    whole.after += core.cost.after;
    whole.limit += core.cost.limit;
  }
  return whole;
}

bool anyTogether(const CostReport &report) {
  return std::any_of(report.cores.begin(), report.cores.end(),
                     [](const CoresCost &kernel) { return kernel.apart.empty(); });
}

std::string fileChange(const FileCost &cost) { return changeText(cost.before, cost.after, cost.limit); }

} // namespace

FileCost fileCost(const CostReport &report) {
  std::set<std::string> together;
  for (const CoresCost &kernel : report.cores)
    together.insert(kernel.functions.begin(), kernel.functions.end());
  FileCost whole = slowerCores(report, together);
  for (const CoresCost &kernel : report.cores)
    if (kernel.apart.empty()) {
      whole.before += kernel.before.cycles;
      whole.after += kernel.after.cycles;
      whole.limit += kernel.before.limit;
    }
  return whole;
}

FileCost coresAlone(const CostReport &report) { return slowerCores(report, {}); }

std::string cyclesText(double cycles) {
  if (cycles < 999.5)
    return fixed(cycles, 0);
  if (cycles < 999950)
    return fixed(cycles / 1000, 1) + "k";
  return fixed(cycles / 1e6, 2) + "M";
}

std::string changeText(double before, double after, double limit) {
  return cyclesText(before) + " -> " + cyclesText(after) + " cycles, limit " + cyclesText(limit) + " (" +
         ratio(before, limit) + " -> " + ratio(after, limit) + ")";
}

std::vector<std::string> estimateLines(const CostReport &report) {
  const std::string whole = fileChange(fileCost(report));
  std::vector<std::string> lines;
  if (anyTogether(report))
    lines = {"estimate: " + whole + ", both cores together", "each core alone: " + fileChange(coresAlone(report))};
  else
    lines = {"estimate: " + whole};
  const auto anyOpen = [&](bool KernelCost::*open) {
    return std::any_of(report.kernels.begin(), report.kernels.end(), [&](const KernelCost &one) { return one.*open; });
  };
  if (const std::string open = openText(anyOpen(&KernelCost::openBefore), anyOpen(&KernelCost::openAfter));
      !open.empty())
    lines.front() += "; " + open;
  if (!report.durations.empty())
    lines.front() += ", with " + printable(report.durations);
  for (const CoresCost &kernel : report.cores)
    if (!kernel.apart.empty())
      lines.push_back("both cores of " + apartLine(kernel.kernel, kernel.apart));
  return lines;
}

std::string costLine(const CostReport &report) {
  const std::vector<std::string> lines = estimateLines(report);
  return anyTogether(report) ? lines[0] + "; " + lines[1] : lines[0];
}

std::string costText(const Module &module, const CostReport &report, bool all) {
  std::string text = "\nwhat it costs (estimated cycles: for comparing, not for predicting)\n";
  for (const KernelCost &cost : report.kernels)
    text +=
        kernelPart(cost) + loopPart(cost) + syncPart(module, "removed, by what each gains alone", cost.removed, all) +
        syncPart(module, "kept, by what the kernel would gain without each alone, data still in order", cost.kept, all);
  return text + coresText(report.cores, all);
}

Json costJson(const Module &module, const CostReport &report) {
  FileCost whole = coresAlone(report);
  Json kernels = Json::array();
  for (const KernelCost &cost : report.kernels)
    kernels.push_back(kernelJson(module, cost));
  Json json = {{"unit", "cycles"},
               {"clockMHz", report.clockMHz},
               {"before", std::llround(whole.before)},
               {"after", std::llround(whole.after)},
               {"limit", std::llround(whole.limit)},
               {"kernels", std::move(kernels)}};
  if (!report.cores.empty())
    json["bothCores"] = coresJson(report.cores);
  if (!report.durations.empty())
    json["durations"] = report.durations;
  return json;
}

// Both cores together.

namespace {

using Json = nlohmann::ordered_json;
using timing::CallWaits;
using timing::CoresEstimate;

constexpr std::size_t kShownWaits = 6;

std::string arrow(double before, double after) { return cyclesText(before) + " -> " + cyclesText(after); }

std::string coreWord(std::size_t core) { return std::string(sectionName(timing::coreSection(core))); }

std::string waitPart(const std::vector<CallWaits> &waits, bool all) {
  if (waits.empty())
    return "";
  std::size_t shown = all || waits.size() <= kShownWaits + 1 ? waits.size() : kShownWaits;
  using Align = ColumnTable::Align;
  ColumnTable table(4, {Align::Right, Align::Right, Align::Left, Align::Plain});
  table.add({"cycles", "times", "core", "idle for the other core, after, at"});
  for (std::size_t i = 0; i < shown; ++i)
    table.add({cyclesText(waits[i].cycles), std::to_string(std::llround(waits[i].times)), coreWord(waits[i].core),
               "line " + std::to_string(waits[i].line) + " " + printable(waits[i].call) + ", FIFO " +
                   printable(waits[i].fifo)});
  std::string text = table.format();
  if (shown < waits.size())
    text += "    and " + std::to_string(waits.size() - shown) + " more\n";
  return text;
}

std::string kernelText(const CoresCost &kernel, bool all) {
  if (!kernel.apart.empty())
    return "  both cores of " + apartLine(kernel.kernel, kernel.apart) + "\n";
  std::string text = "  " + printable(kernel.kernel) + ", both cores together: " +
                     changeText(kernel.before.cycles, kernel.after.cycles, kernel.before.limit) + "\n    run with " +
                     printable(kernel.before.run) + ", every iteration of it\n";
  for (std::size_t core = 0; core < kernel.before.cores.size(); ++core) {
    const timing::CoreEstimate &before = kernel.before.cores[core], &after = kernel.after.cores[core];
    text += "    " + coreWord(core) + ": alone " + arrow(before.alone, after.alone) + ", together " +
            arrow(before.together, after.together) + ", of these idle for the other " + arrow(before.idle, after.idle) +
            "\n";
  }
  return text + waitPart(kernel.after.waits, all);
}

Json estimateJson(const CoresEstimate &estimate) {
  Json json = {{"cycles", std::llround(estimate.cycles)}};
  for (std::size_t core = 0; core < estimate.cores.size(); ++core)
    json[coreWord(core)] = {{"alone", std::llround(estimate.cores[core].alone)},
                            {"together", std::llround(estimate.cores[core].together)},
                            {"idle", std::llround(estimate.cores[core].idle)}};
  json["waits"] = Json::array();
  for (const CallWaits &wait : estimate.waits)
    json["waits"].push_back({{"section", coreWord(wait.core)},
                             {"line", wait.line},
                             {"call", wait.call},
                             {"fifo", wait.fifo},
                             {"cycles", std::llround(wait.cycles)},
                             {"times", std::llround(wait.times)}});
  return json;
}

} // namespace

std::string apartLine(const std::string &kernel, const std::string &why) {
  return printable(kernel) + ": each core timed alone: " + printable(why);
}

std::string coresLines(const std::vector<CoresCost> &kernels) {
  std::string text;
  for (const CoresCost &kernel : kernels) {
    text += "both cores together: ";
    if (kernel.apart.empty())
      text += printable(kernel.kernel) + " " +
              changeText(kernel.before.cycles, kernel.after.cycles, kernel.before.limit) + "; cube idle for vec " +
              arrow(kernel.before.cores[timing::kCubeCore].idle, kernel.after.cores[timing::kCubeCore].idle) +
              ", vec for cube " +
              arrow(kernel.before.cores[timing::kVecCore].idle, kernel.after.cores[timing::kVecCore].idle) + "\n";
    else
      text += apartLine(kernel.kernel, kernel.apart) + "\n";
  }
  return text;
}

std::string coresText(const std::vector<CoresCost> &kernels, bool all) {
  std::string text;
  for (const CoresCost &kernel : kernels)
    text += kernelText(kernel, all);
  return text;
}

Json coresJson(const std::vector<CoresCost> &kernels) {
  Json list = Json::array();
  for (const CoresCost &kernel : kernels) {
    Json json = {{"kernel", kernel.kernel}, {"apart", nullptr}};
    if (kernel.apart.empty()) {
      json["run"] = kernel.before.run;
      json["limit"] = std::llround(kernel.before.limit);
      json["before"] = estimateJson(kernel.before);
      json["after"] = estimateJson(kernel.after);
    } else {
      json["apart"] = kernel.apart;
    }
    list.push_back(std::move(json));
  }
  return list;
}

} // namespace ptosync
