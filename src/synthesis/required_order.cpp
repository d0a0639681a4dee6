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

class Collector {
public:
  Collector(const Program &program, const PlaceOf &placeOf, RequiredOrder &order)
      : program(program), placeOf(placeOf), order(order) {}

  void add(const ConflictPair &pair, bool silenced) {
    const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
    RequiredPair found;
    found.earlier = placeOf(*earlier.statement).path;
    found.later = placeOf(*later.statement).path;
    if (found.earlier.empty() || found.later.empty()) {
      ++order.unplaced;
      return;
    }
    found.source = earlier.pipe;
    found.destination = later.pipe;
    found.carried = !program.distanceOf(pair.bit).sameIteration();
    found.silenced = silenced;
    found.reason = reasonOf(program, pair, placeOf);
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
  const PlaceOf &placeOf;
  RequiredOrder &order;
  std::map<PairKey, RequiredPair> pairs;
};

} // namespace

OrderReason reasonOf(const Program &program, const ConflictPair &pair, const PlaceOf &placeOf) {
  const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
  OrderReason reason;
  reason.earlierLine = placeOf(*earlier.statement).line;
  reason.laterLine = placeOf(*later.statement).line;
  bool writesFirst = pair.kind == HazardKind::ReadAfterWrite || pair.kind == HazardKind::WriteAfterWrite;
  bool writesLast = pair.kind == HazardKind::WriteAfterRead || pair.kind == HazardKind::WriteAfterWrite;
  bool memory = writesFirst || writesLast;
  reason.earlier = memory ? accessText(earlier, pair.earlierAccess, writesFirst ? "write" : "read") : "the call";
  reason.later = memory ? (writesLast ? "the write" : "the read") : "the call";
  return reason;
}

RequiredOrder orderAmong(const Program &program, const std::vector<OpenConflict> &pairs, const PlaceOf &placeOf) {
  RequiredOrder order;
  Collector collector(program, placeOf, order);
  for (const OpenConflict &open : pairs)
    collector.add(open.pair, open.silenced == Excuse::Silenced);
  collector.finish();
  return order;
}

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
  std::vector<OpenConflict> pairs = pending.open();
  for (const ConflictPair &pair : pending.openFenceOrders())
    pairs.push_back({pair, Excuse::None, {}});
  RequiredOrder order = orderAmong(*program, pairs, [&](const Statement &statement) {
    return StatementPlace{text.pathOf(statement), statement.line};
  });
  order.complete = !pending.tooManyOpen();
  return order;
}

} // namespace ptosync::synthesis
