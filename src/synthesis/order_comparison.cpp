#include "synthesis/order_comparison.h"

#include "synthesis/merged_versions.h"

namespace ptosync::synthesis {
namespace {

// One comparison, where an edit takes thousands of trials.
constexpr PathCheck::Limits kLimits = {4096, 50'000'000, 16384};

const char *whatIsLost(ObligationKind kind) {
  switch (kind) {
  case ObligationKind::Conflict: return "a pair that was ordered no longer is";
  case ObligationKind::Fence: return "an order relative to an opaque call is lost";
  case ObligationKind::FlagReuse: return "a flag may be set again before its wait";
  case ObligationKind::End: return "work may still be running at the kernel's end";
  }
  return "";
}

LostOrder lostOf(const HazardModel &model, const ConflictPair &pair) {
  const ObligationKind kind = obligationKind(pair);
  std::string where = kind == ObligationKind::End ? std::string() : " (" + pairText(model, pair) + ")";
  return {kind, whatIsLost(kind) + where};
}

/// Those that only one version has are out.
SyncLayout layoutWithout(const std::set<SiteId> &sites) {
  SyncLayout layout;
  layout.apply({sites, {}});
  layout.settle();
  return layout;
}

/// The pairs that `before` is asked about.
class Asked {
public:
  Asked(const Program &program, const SyncLayout &before, const std::set<std::uint32_t> &mended)
      : program(program), before(before), mended(mended) {}

  std::vector<ConflictPair> of(const std::vector<OpenObligation> &open) const {
    std::vector<ConflictPair> pairs;
    for (const OpenObligation &one : open)
      if (!(one.kind() == ObligationKind::End && isNew(program.nodeOfBit[one.pair.bit])) &&
          !(one.kind() == ObligationKind::FlagReuse && isMended(one.pair.later)))
        pairs.push_back(one.pair);
    return pairs;
  }

private:
  bool isNew(NodeId node) const {
    const auto *sync = std::get_if<Sync>(&program.nodes[node].statement->action);
    return sync && before.removed(sync->site);
  }

  bool isMended(NodeId set) const {
    if (program.nodes[set].libraryFlag != kNone)
      return mended.count(program.nodes[set].libraryFlag) != 0;
    for (const std::vector<Event> &events : program.steps)
      for (const Event &event : events)
        for (std::uint32_t lane : event.lanes)
          if (event.node == set && mended.count(lane))
            return true;
    return false;
  }

  const Program &program;
  const SyncLayout &before;
  const std::set<std::uint32_t> &mended; // flags
};

llvm::Expected<std::optional<LostOrder>> lostIn(const MergedVersions &merged, const Machine &machine,
                                                const OrderingOptions &options, PathCheck::FaultyFlags faultyFlags) {
  llvm::Expected<Program> program = buildProgram(merged.kernel, machine, options);
  if (!program)
    return program.takeError();
  const SyncLayout before = layoutWithout(merged.onlyAfter), after = layoutWithout(merged.onlyBefore);
  const Pending pending(*program, after);
  std::vector<TokenEvent> faults = TokenStates(*program, before).faults();
  std::set<std::uint32_t> mended;
  for (const TokenEvent &fault : faults)
    if (faultyFlags == PathCheck::FaultyFlags::OrderNothing)
      mended.insert(fault.flag);
  faults.insert(faults.end(), pending.tokenFaults().begin(), pending.tokenFaults().end());
  PathCheck check(*program, pending.hazards(), before, after, faults, faultyFlags);
  check.setLimits(kLimits);
  if (std::optional<ConflictPair> lost = check.firstLoss(Asked(*program, before, mended).of(pending.open())))
    return lostOf(pending.hazards(), *lost);
  return std::nullopt;
}

} // namespace

std::string pairText(const HazardModel &model, const ConflictPair &pair) {
  const Conflict conflict = model.describe(pair);
  return std::string(hazardKindName(pair.kind)) + " between lines " + std::to_string(conflict.earlier.line) + " and " +
         std::to_string(conflict.later.line);
}

llvm::Expected<std::optional<LostOrder>> lostOrder(const Kernel &before, const Kernel &after, const Machine &machine,
                                                   const OrderingOptions &options, PathCheck::FaultyFlags faultyFlags) {
  llvm::Expected<Program> program = buildProgram(after, machine, options);
  if (!program)
    return program.takeError();
  const Pending pending(*program);
  if (pending.open().empty())
    return std::nullopt;
  if (std::optional<MergedVersions> merged = mergeVersions(before, after))
    return lostIn(*merged, machine, options, faultyFlags);
  return lostOf(pending.hazards(), pending.open().front().pair);
}

} // namespace ptosync::synthesis
