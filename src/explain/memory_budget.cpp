#include "explain/memory_budget.h"

#include "explain/access_text.h"
#include "explain/storage_liveness.h"
#include "ordering/kernel_analysis.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
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

} // namespace ptosync
