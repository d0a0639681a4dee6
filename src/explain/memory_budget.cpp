#include "explain/memory_budget.h"

#include "base/messages.h"
#include "explain/explain.h"
#include "kernel/column_table.h"
#include "optimize/json_parts.h"
#include "optimize/library_use.h"
#include "ordering/kernel_analysis.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
namespace {

class Liveness {
public:
  Liveness(const Program &program, const std::vector<std::vector<StorageUse>> &uses) : program(program) {
    cut(uses);
    masks.resize(uses.size());
    for (NodeId node = 0; node < uses.size(); ++node)
      for (const StorageUse &use : uses[node])
        addMask(use, masks[node]);
  }

  LivePeak run() {
    solveForward();
    solveBackward();
    LivePeak peak;
    for (StepId step : program.order)
      measure(step, peak);
    return peak;
  }

private:
  /// What a node does to segments.
  struct Mask {
    BitSet touches, reads, writes, overwrites;
  };

  void cut(const std::vector<std::vector<StorageUse>> &uses) {
    std::set<std::int64_t> bounds;
    for (const std::vector<StorageUse> &ofNode : uses)
      for (const StorageUse &use : ofNode)
        for (const ByteRange &range : use.ranges) {
          bounds.insert(range.begin);
          bounds.insert(range.end);
        }
    for (std::int64_t bound : bounds) {
      if (!starts.empty())
        sizes.push_back(bound - starts.back());
      numbers[bound] = static_cast<std::uint32_t>(starts.size());
      starts.push_back(bound);
    }
    sizes.push_back(0);
  }

  BitSet none() const { return BitSet(static_cast<std::uint32_t>(starts.size())); }

  void addMask(const StorageUse &use, Mask &mask) const {
    if (mask.touches.empty())
      mask = {none(), none(), none(), none()};
    for (const ByteRange &range : use.ranges)
      for (std::uint32_t segment = numbers.at(range.begin); segment < numbers.at(range.end); ++segment) {
        mask.touches.insert(segment);
        if (use.scratch)
          continue;
        if (use.reads)
          mask.reads.insert(segment);
        if (use.writes)
          mask.writes.insert(segment);
        if (use.certain && use.writes && !use.reads)
          mask.overwrites.insert(segment);
      }
  }

  const Mask *maskOf(const Event &event) const {
    if (event.kind != Event::Kind::Access || masks[event.node].touches.empty())
      return nullptr;
    return &masks[event.node];
  }

  /// What may have been written before each step.
  void solveForward() {
    written.assign(program.steps.size(), none());
    for (bool again = true; again;) {
      again = false;
      for (StepId step : program.order) {
        BitSet state = written[step];
        for (const Event &event : program.steps[step])
          if (const Mask *mask = maskOf(event))
            state.unite(mask->writes);
        for (const Edge &edge : program.edges[step])
          again |= written[edge.to].unite(state);
      }
    }
  }

  /// What may be read behind each step.
  void solveBackward() {
    needed.assign(program.steps.size(), none());
    std::vector<BitSet> atEntry(program.steps.size(), none());
    for (bool again = true; again;) {
      again = false;
      for (auto step = program.order.rbegin(); step != program.order.rend(); ++step) {
        for (const Edge &edge : program.edges[*step])
          needed[*step].unite(atEntry[edge.to]);
        BitSet state = needed[*step];
        const std::vector<Event> &events = program.steps[*step];
        for (auto event = events.rbegin(); event != events.rend(); ++event)
          if (const Mask *mask = maskOf(*event)) {
            state.subtract(mask->overwrites);
            state.unite(mask->reads);
          }
        again |= atEntry[*step].unite(state);
      }
    }
  }

  void measure(StepId step, LivePeak &peak) const {
    const std::vector<Event> &events = program.steps[step];
    std::vector<BitSet> behind(events.size(), none()); // needed behind each event
    BitSet state = needed[step];
    for (std::size_t i = events.size(); i-- > 0;) {
      behind[i] = state;
      if (const Mask *mask = maskOf(events[i])) {
        state.subtract(mask->overwrites);
        state.unite(mask->reads);
      }
    }
    BitSet before = written[step];
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Mask *mask = maskOf(events[i]);
      if (!mask)
        continue;
      before.unite(mask->writes);
      BitSet live = behind[i];
      live.intersect(before);
      live.unite(mask->touches);
      std::int64_t bytes = 0;
      live.forEach([&](std::uint32_t segment) { bytes += sizes[segment]; });
      if (bytes > peak.bytes)
        peak = {bytes, events[i].node};
    }
  }

  const Program &program;
  std::vector<std::int64_t> starts, sizes; // of segments, by address
  std::map<std::int64_t, std::uint32_t> numbers;
  std::vector<Mask> masks;             // by node
  std::vector<BitSet> written, needed; // by step
};

} // namespace

LivePeak livePeak(const Program &program, const std::vector<std::vector<StorageUse>> &uses) {
  return Liveness(program, uses).run();
}

namespace {

class BudgetFinder {
public:
  explicit BudgetFinder(const Program &program)
      : program(program), model(program), found(program.machine->spaces().size()) {}

  std::vector<SpaceBudget> run() {
    for (NodeId node = 0; node < program.nodes.size(); ++node)
      for (const Access &access : program.nodes[node].accesses)
        if (access.space != program.globalMemory)
          place(node, access);
    std::vector<SpaceBudget> budgets;
    for (std::size_t space = 0; space < found.size(); ++space)
      if (!found[space].placed.empty() || !found[space].unplaced.empty())
        budgets.push_back(budgetOf(space));
    return budgets;
  }

private:
  struct Placed {
    NodeId node;
    const Access *access;
    std::string name;
    std::vector<ByteRange> ranges; // several: one of them
    std::int64_t valid;            // bytes from the start to the end of what is touched
  };
  struct Found {
    std::vector<Placed> placed;                   // in program order
    std::map<std::string, UnplacedTile> unplaced; // by name
  };

  /// What a tile may hold, whatever part of it is valid; of anything else what the access says.
  static std::optional<Footprint> extentOf(const Access &access) {
    return access.tile ? tileFootprint(*access.tile, Extent::Whole) : access.bytes;
  }

  std::string nameOf(const Node &node, const Access &access) const {
    const auto *instruction = std::get_if<Instruction>(&node.statement->action);
    if (node.unknown)
      return instruction ? instruction->name : access.name;
    return access.hidden && instruction ? "hidden scratch of " + instruction->name : access.name;
  }

  void place(NodeId id, const Access &access) {
    const Node &node = program.nodes[id];
    Found &space = found[access.space];
    std::optional<Footprint> bytes = extentOf(access);
    std::vector<std::int64_t> bases;
    if (access.base.modulus != 1)
      bases = program.scalars->algebra().possibleValues(access.base);
    std::string name = nameOf(node, access);
    if (!bytes || bases.empty() || node.unknown) {
      std::string why = accessText(program, model, node, access).detail;
      space.unplaced.try_emplace(name, UnplacedTile{name, node.statement->line, std::move(why)});
      return;
    }
    Placed placed{id, &access, std::move(name), {}, access.bytes ? access.bytes->extent() : bytes->extent()};
    for (std::int64_t base : bases)
      placed.ranges.push_back({base, base + bytes->extent()});
    space.placed.push_back(std::move(placed));
  }

  /// A view of a part of another tile has that one's row length: what it touches ends with the other, what its type
  /// could hold does not.
  static void trimViews(std::vector<Placed> &placed) {
    std::set<ByteRange> whole;
    for (const Placed &entry : placed)
      whole.insert(entry.ranges.begin(), entry.ranges.end());
    std::map<ByteRange, std::int64_t> ends; // of what is touched
    for (const Placed &entry : placed)
      for (const ByteRange &range : entry.ranges) {
        std::int64_t &end = ends.try_emplace(range, range.begin).first->second;
        end = std::max(end, range.begin + entry.valid);
      }
    auto isView = [&](const ByteRange &range) {
      return std::any_of(whole.begin(), whole.end(), [&](const ByteRange &parent) {
        return parent.begin < range.begin && range.begin < parent.end && ends.at(range) <= parent.end &&
               range.end > parent.end;
      });
    };
    for (Placed &entry : placed)
      for (ByteRange &range : entry.ranges)
        if (isView(range))
          range.end = ends.at(range);
  }

  StorageUse useOf(const Placed &placed) const {
    const Access &access = *placed.access;
    StorageUse use{placed.ranges, access.reads, access.writes, access.scratch, false};
    use.certain = placed.ranges.size() == 1 && access.tile && access.tile->elementBits >= 8 &&
                  access.tile->staticValidRows == access.tile->rows &&
                  access.tile->staticValidCols == access.tile->cols;
    return use;
  }

  std::map<ByteRange, MemoryHolder> holdersOf(const std::vector<Placed> &placed) const {
    std::map<ByteRange, MemoryHolder> holders;
    std::map<ByteRange, std::set<const Statement *>> users;
    for (const Placed &entry : placed)
      for (const ByteRange &range : entry.ranges) {
        const Statement *statement = program.nodes[entry.node].statement;
        auto [known, inserted] = holders.try_emplace(range);
        MemoryHolder &holder = known->second;
        if (inserted) {
          holder.begin = range.begin;
          holder.end = range.end;
          holder.scratch = true;
          holder.firstLine = statement->line;
        }
        holder.scratch = holder.scratch && entry.access->scratch;
        holder.lastLine = statement->line;
        if (std::find(holder.names.begin(), holder.names.end(), entry.name) == holder.names.end())
          holder.names.push_back(entry.name);
        holder.uses += users[range].insert(statement).second;
      }
    return holders;
  }

  SpaceBudget budgetOf(std::size_t number) {
    Found &space = found[number];
    SpaceBudget budget;
    budget.space = program.machine->spaces()[number].name;
    budget.bytes = static_cast<std::int64_t>(program.machine->spaces()[number].bytes);
    trimViews(space.placed);
    for (const Placed &placed : space.placed)
      for (const ByteRange &range : placed.ranges) {
        if (placed.access->hidden)
          budget.hiddenAt = std::min(budget.hiddenAt.value_or(range.begin), range.begin);
        else
          budget.tileExtent = std::max(budget.tileExtent, range.end);
      }
    std::int64_t reached = INT64_MIN;
    for (auto &[range, holder] : holdersOf(space.placed)) {
      budget.peakExtent = std::max(budget.peakExtent, range.end);
      budget.covered += std::max<std::int64_t>(0, range.end - std::max(range.begin, reached));
      reached = std::max(reached, range.end);
      budget.holders.push_back(std::move(holder));
    }
    for (auto &[name, tile] : space.unplaced)
      budget.unplaced.push_back(std::move(tile));
    findOverlaps(space.placed, budget);
    std::vector<std::vector<StorageUse>> uses(program.nodes.size());
    for (const Placed &placed : space.placed)
      uses[placed.node].push_back(useOf(placed));
    LivePeak peak = livePeak(program, uses);
    budget.peakLive = peak.bytes;
    if (peak.node != kNone)
      budget.peakLiveLine = program.nodes[peak.node].statement->line;
    return budget;
  }

  /// True if some access to the one range may touch a byte of the other: views may lie row between row.
  bool meet(const std::vector<Placed> &placed, const MemoryHolder &a, const MemoryHolder &b) const {
    auto at = [](const MemoryHolder &holder) { return ByteRange{holder.begin, holder.end}; };
    auto lies = [](const Placed &entry, const ByteRange &range) {
      return std::find(entry.ranges.begin(), entry.ranges.end(), range) != entry.ranges.end();
    };
    auto loop = [&](const Placed &entry) { return program.nodes[entry.node].loop; };
    for (const Placed &x : placed)
      for (const Placed &y : placed)
        if (lies(x, at(a)) && lies(y, at(b)) &&
            (x.ranges.size() > 1 || y.ranges.size() > 1 ||
             model.comparison().mayOverlap(*x.access, loop(x), *y.access, loop(y), {})))
          return true;
    return false;
  }

  void findOverlaps(const std::vector<Placed> &placed, SpaceBudget &budget) const {
    const std::vector<MemoryHolder> &holders = budget.holders;
    for (std::size_t a = 0; a < holders.size(); ++a)
      for (std::size_t b = a + 1; b < holders.size() && holders[b].begin < holders[a].end; ++b)
        if (meet(placed, holders[a], holders[b]))
          budget.overlaps.push_back({a, b, holders[b].begin, std::min(holders[a].end, holders[b].end)});
  }

  const Program &program;
  HazardModel model;
  std::vector<Found> found; // by space
};

} // namespace

std::vector<KernelBudget> memoryBudgets(const Module &module, const Machine &machine, const OrderingOptions &options) {
  std::vector<KernelBudget> budgets;
  for (const Kernel &kernel : module.kernels) {
    KernelBudget budget{kernel.name, kernel.section, {}, kernel.reason};
    if (llvm::Expected<Analysis> analysis = Analysis::of(kernel, machine, options))
      budget.spaces = BudgetFinder(analysis->program()).run();
    else
      budget.reason = llvm::toString(analysis.takeError());
    budgets.push_back(std::move(budget));
  }
  return budgets;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownNames = 6;
constexpr std::size_t kShownOverlaps = 12;

std::string range(std::int64_t begin, std::int64_t end) {
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

std::string namesOf(const MemoryHolder &holder) {
  std::vector<std::string> names;
  names.reserve(holder.names.size());
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
  for (const std::string &line : report.assumed)
    text += assumedLine(line) + "\n";
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
  if (!report.assumed.empty())
    json["assumed"] = report.assumed;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ptosync
