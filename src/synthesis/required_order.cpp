#include "synthesis/required_order.h"

#include "ordering/pending.h"

#include <tuple>

namespace ptosync::synthesis {
namespace {

using PairKey = std::tuple<TreePath, TreePath, Pipe, Pipe, bool>;

std::string accessText(const Node &node, std::uint32_t access, const char *what) {
  if (access == kNone || access >= node.accesses.size() || node.accesses[access].name.empty())
    return std::string("the ") + what;
  return std::string("the ") + what + " of " + node.accesses[access].name;
}

OrderReason reasonOf(const Program &program, const ConflictPair &pair) {
  const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
  OrderReason reason;
  reason.earlierLine = earlier.statement->line;
  reason.laterLine = later.statement->line;
  bool writesFirst = pair.kind == HazardKind::ReadAfterWrite || pair.kind == HazardKind::WriteAfterWrite;
  bool writesLast = pair.kind == HazardKind::WriteAfterRead || pair.kind == HazardKind::WriteAfterWrite;
  bool memory = writesFirst || writesLast;
  reason.earlier = memory ? accessText(earlier, pair.earlierAccess, writesFirst ? "write" : "read") : "the call";
  reason.later = memory ? (writesLast ? "the write" : "the read") : "the call";
  return reason;
}

class Collector {
public:
  Collector(const Program &program, const KernelText &text, RequiredOrder &order)
      : program(program), text(text), order(order) {}

  void add(const ConflictPair &pair, bool silenced) {
    const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
    RequiredPair found;
    found.earlier = text.pathOf(*earlier.statement);
    found.later = text.pathOf(*later.statement);
    if (found.earlier.empty() || found.later.empty()) {
      ++order.unplaced;
      return;
    }
    found.source = earlier.pipe;
    found.destination = later.pipe;
    found.carried = !program.distanceOf(pair.bit).sameIteration();
    found.silenced = silenced;
    found.reason = reasonOf(program, pair);
    PairKey key{found.later, found.earlier, found.source, found.destination, found.carried};
    auto [known, inserted] = pairs.try_emplace(key, std::move(found));
    if (!inserted)
      known->second.silenced = known->second.silenced && silenced;
  }

  void finish() {
    for (auto &[key, pair] : pairs)
      order.pairs.push_back(std::move(pair));
  }

private:
  const Program &program;
  const KernelText &text;
  RequiredOrder &order;
  std::map<PairKey, RequiredPair> pairs;
};

} // namespace

Kernel stripped(const Kernel &kernel, const std::vector<SyncSite> &sites) {
  Kernel bare = kernel;
  for (Block &block : bare.blocks)
    std::erase_if(block.statements, [&](const Statement &statement) {
      const auto *sync = std::get_if<Sync>(&statement.action);
      return sync && sync->kind != SyncKind::Tail && sites[sync->site].protection == Protection::None;
    });
  return bare;
}

llvm::Expected<RequiredOrder> requiredOrder(const Module &module, std::size_t kernel, const KernelText &text,
                                            const Machine &machine, const OrderingOptions &options) {
  Kernel bare = stripped(module.kernels[kernel], module.sites);
  llvm::Expected<Program> program = buildProgram(bare, machine, options);
  if (!program)
    return program.takeError();
  Pending pending(*program);
  RequiredOrder order;
  order.complete = !pending.tooManyOpen();
  Collector collector(*program, text, order);
  for (const OpenConflict &open : pending.open())
    collector.add(open.pair, open.silenced == Excuse::Silenced);
  for (const ConflictPair &pair : pending.openFenceOrders())
    collector.add(pair, false);
  collector.finish();
  return order;
}

} // namespace ptosync::synthesis
