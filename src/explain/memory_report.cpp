#include "explain/memory_report.h"

#include "kernel/column_table.h"
#include "optimize/json_parts.h"
#include "optimize/wording.h"

#include <nlohmann/json.hpp>

namespace ptosync {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownNames = 6;
constexpr std::size_t kShownOverlaps = 12;

std::string range(std::int64_t begin, std::int64_t end) {
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

std::string namesOf(const MemoryHolder &holder) {
  std::vector<std::string> names;
  for (const std::string &name : holder.names)
    names.push_back(printable(name));
  std::string text = firstOf(names, names.size() <= kShownNames + 1 ? names.size() : kShownNames);
  return holder.scratch ? text + " (scratch)" : text;
}

std::string peakText(const SpaceBudget &space) {
  std::string least = space.unplaced.empty() ? "" : "at least ";
  std::string text = "  " + space.space + ": " + least + std::to_string(space.peakExtent) + " bytes by address";
  if (space.bytes > 0) {
    std::int64_t slack = space.bytes - space.peakExtent;
    text += " of " + std::to_string(space.bytes);
    text += slack < 0 ? ", " + std::to_string(-slack) + " BEYOND the memory" : ", slack " + std::to_string(slack);
  }
  if (space.hiddenAt) {
    std::int64_t between = *space.hiddenAt - space.tileExtent;
    text += " (tiles end at " + std::to_string(space.tileExtent) + ", ";
    text += (between < 0 ? std::to_string(-between) + " INSIDE" : std::to_string(between) + " below") +
            std::string(" the library's hidden scratch at ") + std::to_string(*space.hiddenAt) + ")";
  }
  text += "; " + std::to_string(space.covered) + " of them used; most live at once in program order: " + least +
          std::to_string(space.peakLive);
  return text + (space.peakLiveLine ? ", at line " + std::to_string(space.peakLiveLine) : "") + "\n";
}

std::string spaceText(const SpaceBudget &space) {
  std::string text = peakText(space);
  using Align = ColumnTable::Align;
  ColumnTable table(4, {Align::Right, Align::Right, Align::Right, Align::Right, Align::Plain});
  table.add({"bytes", "size", "lines", "uses", "held by"});
  for (const MemoryHolder &holder : space.holders)
    table.add({range(holder.begin, holder.end), std::to_string(holder.end - holder.begin),
               std::to_string(holder.firstLine) + " to " + std::to_string(holder.lastLine), std::to_string(holder.uses),
               namesOf(holder)});
  if (!space.holders.empty())
    text += table.format();
  for (const UnplacedTile &tile : space.unplaced)
    text += "    not placed: " + printable(tile.name) + ", first used at line " + std::to_string(tile.line) +
            (tile.why.empty() ? "" : ": " + tile.why) + "\n";
  std::size_t shown = space.overlaps.size() <= kShownOverlaps + 1 ? space.overlaps.size() : kShownOverlaps;
  for (std::size_t i = 0; i < shown; ++i) {
    const MemoryOverlap &overlap = space.overlaps[i];
    text += "    overlap " + range(overlap.begin, overlap.end) + ": " + namesOf(space.holders[overlap.first]) +
            " with " + namesOf(space.holders[overlap.second]) + "\n";
  }
  if (shown < space.overlaps.size())
    text += "    and " + std::to_string(space.overlaps.size() - shown) + " more overlaps (all with --format=json)\n";
  return text;
}

Json spaceJson(const SpaceBudget &space) {
  Json holders = Json::array(), overlaps = Json::array(), unplaced = Json::array();
  for (const MemoryHolder &holder : space.holders)
    holders.push_back({{"begin", holder.begin},
                       {"end", holder.end},
                       {"names", holder.names},
                       {"scratch", holder.scratch},
                       {"firstLine", holder.firstLine},
                       {"lastLine", holder.lastLine},
                       {"uses", holder.uses}});
  for (const MemoryOverlap &overlap : space.overlaps)
    overlaps.push_back({{"holders", {overlap.first, overlap.second}}, {"begin", overlap.begin}, {"end", overlap.end}});
  for (const UnplacedTile &tile : space.unplaced)
    unplaced.push_back({{"name", tile.name}, {"line", tile.line}, {"why", tile.why}});
  return {{"space", space.space},
          {"bytes", space.bytes > 0 ? Json(space.bytes) : Json(nullptr)},
          {"peakExtent", space.peakExtent},
          {"slack", space.bytes > 0 ? Json(space.bytes - space.peakExtent) : Json(nullptr)},
          {"tileExtent", space.tileExtent},
          {"hiddenScratchAt", space.hiddenAt ? Json(*space.hiddenAt) : Json(nullptr)},
          {"covered", space.covered},
          {"peakLive", space.peakLive},
          {"peakLiveLine", space.peakLiveLine ? Json(space.peakLiveLine) : Json(nullptr)},
          {"lowerBounds", !space.unplaced.empty()},
          {"holders", std::move(holders)},
          {"overlaps", std::move(overlaps)},
          {"unplaced", std::move(unplaced)}};
}

} // namespace

std::string memoryText(const MemoryReport &report) {
  std::string text;
  for (const KernelBudget &kernel : report.kernels) {
    text += (text.empty() ? "" : "\n") + printable(report.file) + ": kernel " + printable(kernel.kernel);
    if (kernel.section != Section::Both)
      text += " (" + std::string(sectionName(kernel.section)) + ")";
    if (!kernel.reason.empty())
      text += ": not analysed: " + printable(kernel.reason);
    else if (kernel.spaces.empty())
      text += ": uses no on-chip memory";
    text += "\n";
    for (const SpaceBudget &space : kernel.spaces)
      text += spaceText(space);
  }
  if (text.empty())
    return printable(report.file) + ": no kernel\n";
  return text + (report.archChoice.empty() ? "" : "arch " + printable(report.archChoice) + "\n");
}

std::string memoryJson(const MemoryReport &report) {
  Json kernels = Json::array();
  for (const KernelBudget &kernel : report.kernels) {
    Json spaces = Json::array();
    for (const SpaceBudget &space : kernel.spaces)
      spaces.push_back(spaceJson(space));
    kernels.push_back({{"kernel", kernel.kernel},
                       {"section", sectionName(kernel.section)},
                       {"notAnalysed", orNull(kernel.reason)},
                       {"spaces", std::move(spaces)}});
  }
  Json json = {{"schema", kMemoryJsonSchema},  {"tool", "ptosync"},   {"version", report.toolVersion},
               {"file", report.file},          {"arch", report.arch}, {"archChoice", report.archChoice},
               {"kernels", std::move(kernels)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ptosync
