#include "report/cores_report.h"

#include "report/column_table.h"
#include "report/cost_report.h"
#include "report/wording.h"

#include <cmath>

namespace ptosync {
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
