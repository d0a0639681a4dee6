#include "optimize/reference.h"

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

/// By statement of a kernel without some syncs: the one of the whole kernel.
std::map<const Statement *, const Statement *> originsOf(const Kernel &without, const Kernel &whole,
                                                         const std::set<SiteId> &absent) {
  std::map<const Statement *, const Statement *> origins;
  for (BlockId block = 0; block < whole.blocks.size(); ++block) {
    auto left = without.blocks[block].statements.begin();
    for (const Statement &statement : whole.blocks[block].statements)
      if (const auto *sync = std::get_if<Sync>(&statement.action); !sync || !absent.count(sync->site))
        origins[&*left++] = &statement;
  }
  return origins;
}

} // namespace

llvm::Expected<Reference> referenceOf(const Kernel &kernel, std::set<SiteId> absent, const Machine &machine,
                                      const OrderingOptions &options) {
  const Kernel without = withoutSites(kernel, absent);
  llvm::Expected<Analysis> analysis = Analysis::of(without, machine, options);
  if (!analysis)
    return analysis.takeError();
  const Program &program = analysis->program();
  const Pending &pending = analysis->pending();
  const std::map<const Statement *, const Statement *> origins = originsOf(without, kernel, absent);
  Reference reference{std::move(absent), {}, false};
  reference.seenButReuses = pending.tokenFaults().empty() && !pending.tooManyOpen();
  for (const OpenObligation &open : pending.open()) {
    const bool conflict = open.kind() == ObligationKind::Conflict, end = open.kind() == ObligationKind::End;
    // A conflict that not even a contested rule orders is let through by nobody.
    if (open.kind() != ObligationKind::FlagReuse && (!conflict || open.silenced == Excuse::Silenced))
      reference.seenButReuses = false;
    if (!conflict && !end)
      reference.open.emplace(origins.at(program.nodes[program.nodeOfBit[open.pair.bit]].statement),
                             origins.at(program.nodes[open.pair.later].statement), open.pair.kind);
  }
  return reference;
}

std::vector<ConflictPair> openPairs(const Reference &reference, const Program &program) {
  // What a call does to flags is one thing, what else it does another.
  auto takesPart = [&](NodeId node, HazardKind kind) {
    return program.nodes[node].isFlag() == (kind == HazardKind::FlagReuse);
  };
  std::map<const Statement *, std::vector<NodeId>> nodes;
  for (NodeId node = 0; node < program.nodes.size(); ++node)
    nodes[program.nodes[node].statement].push_back(node);
  std::map<const Statement *, std::vector<std::uint32_t>> bits;
  for (std::uint32_t bit = 0; bit < program.nodeOfBit.size(); ++bit)
    bits[program.nodes[program.nodeOfBit[bit]].statement].push_back(bit);
  std::vector<ConflictPair> pairs;
  for (const auto &[earlier, later, kind] : reference.open)
    for (std::uint32_t bit : bits[earlier])
      for (NodeId node : nodes[later])
        if (takesPart(program.nodeOfBit[bit], kind) && takesPart(node, kind))
          pairs.push_back({bit, node, kind, kNone, kNone});
  // The set is in the order of addresses.
  std::sort(pairs.begin(), pairs.end(), [](const ConflictPair &a, const ConflictPair &b) {
    return std::make_tuple(a.bit, a.later, a.kind) < std::make_tuple(b.bit, b.later, b.kind);
  });
  return pairs;
}

} // namespace ptosync
