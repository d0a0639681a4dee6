#include "replay/judge/conflict.h"

#include <algorithm>
#include <set>
#include <vector>

namespace ptosync::replay {

namespace {

/// The rule, if the model has it and lets it justify a removal.
template <typename Rule> std::optional<Rule> justifying(const std::optional<Rule> &rule) {
  return rule && rule->use == RuleUse::Justify ? rule : std::nullopt;
}

std::optional<Pipe> pipeOf(const std::optional<PipeOrderRule> &rule) {
  return rule ? std::optional<Pipe>(rule->pipe) : std::nullopt;
}

bool sameBytes(const Extents &a, const Extents &b) {
  const bool sameChoice = a.choices == b.choices && (!a.choices || a.choices->root != 0);
  return !a.whole && !b.whole && a.space && a.space == b.space && a.base() == b.base() && a.address == b.address &&
         a.footprint == b.footprint && sameChoice;
}

/// One unbroken valid region, the same for both.
bool sameExactAccess(const Access &a, const Access &b) {
  return a.exact && b.exact && !a.scratch && !b.scratch && sameBytes(a.bytes, b.bytes) && a.validRows == b.validRows &&
         a.validCols == b.validCols;
}

/// The accesses of the phase that are exactly `like` and write (or read).
std::vector<const Access *> exactly(const Phase &phase, const Access &like, bool writes) {
  std::vector<const Access *> found;
  for (const Access &access : phase.accesses)
    if ((writes ? access.writes : access.reads) && sameExactAccess(access, like))
      found.push_back(&access);
  return found;
}

/// What precedes a fence stays before it and what follows stays behind it: a mere release lets what
/// follows overtake it, an acquire does not wait for what precedes. Two fences keep their order, but for a
/// release and an acquire behind it: the signal is on its way whatever waits behind it.
bool fenceBetween(FenceKind earlier, FenceKind later) {
  if (earlier == FenceKind::Release && later == FenceKind::Acquire)
    return false;
  if (earlier != FenceKind::None && later != FenceKind::None)
    return true;
  bool holdsLater = earlier != FenceKind::None && earlier != FenceKind::Release;
  bool waitsForEarlier = later != FenceKind::None && later != FenceKind::Acquire;
  return holdsLater || waitsForEarlier;
}

} // namespace

const char *conflictName(ConflictKind kind) {
  switch (kind) {
  case ConflictKind::ReadAfterWrite: return "RAW";
  case ConflictKind::WriteAfterRead: return "WAR";
  case ConflictKind::WriteAfterWrite: return "WAW";
  case ConflictKind::ReadRead: return "RAR";
  case ConflictKind::Fence: return "fence";
  }
  return "?";
}

ConflictRules::ConflictRules(const Machine &machine, const Options &options, Meeting meeting)
    : machine(machine), meeting(meeting), globalMemory(machine.spaceByName("GM")),
      accumulator(machine.spaceByName("L0C")) {
  const OrderingRules &rules = machine.rules();
  chain = justifying(rules.chain);
  assemblerChain = options.assemblerChain;
  fences = options.fences;
  if (options.vectorOrder)
    orderedPipe = pipeOf(justifying(rules.vectorOrder));
  argumentsDistinct = rules.argumentsApart() && !options.argumentsMayAlias;
  scalarOrder = rules.scalarInOrder();
  scratchOrder = rules.scratchInOrder();
  readReadConflicts = rules.readsConflict();
  fractals = justifying(rules.accumulateFractals);
  accumulatePipe = pipeOf(options.accumulateOrder ? rules.accumulateOrder : justifying(rules.accumulateOrder));
}

/// Of addresses that are known, or a known distance apart. Where a tensor lies in global memory its address says.
bool ConflictRules::overlapShown(const Extents &a, const Extents &b) {
  auto isKnown = [](const Extents &bytes) { return bytes.footprint.rowBytes > 0 && !bytes.choices; };
  return a.space && a.space == b.space && isKnown(a) && isKnown(b) && a.base() == b.base() &&
         overlaps(a.footprint, b.footprint, wrappedDifference(a.address, b.address));
}

bool ConflictRules::overlap(const Extents &a, const Extents &b, const Decided *decided) const {
  if (meeting == Meeting::Shown)
    return overlapShown(a, b);
  if (!a.space || !b.space)
    return true;
  if (a.space != b.space)
    return false;
  if (a.space == globalMemory) {
    if (!a.argument || !b.argument)
      return true;
    if (a.argument != b.argument)
      return !argumentsDistinct || (decided && decided->mayMeet(*a.argument, *b.argument));
  }
  return a.whole || b.whole || mayMeet(a, b, decided);
}

std::optional<Conflict> ConflictRules::between(const PhaseView &earlier, const PhaseView &later, bool carried,
                                               const Decided *decided) const {
  Pipe from = earlier.phase.pipe, to = later.phase.pipe;
  if (scalarOrder && from == Pipe::S && to == Pipe::S)
    return std::nullopt;
  if (fences && fenceBetween(earlier.work.fence, later.work.fence) && fenceHolds(earlier, later))
    return Conflict{ConflictKind::Fence, {}, {}};
  std::optional<Conflict> found;
  for (const Access &first : earlier.phase.accesses)
    for (const Access &second : later.phase.accesses) {
      std::optional<ConflictKind> kind = kindOf(earlier, first, later, second);
      if (!kind || !overlap(first.bytes, second.bytes, decided) || excused(earlier, first, later, second, carried))
        continue;
      if (!found || *kind == ConflictKind::ReadAfterWrite) // the plainest witness
        found = Conflict{*kind, second.bytes, first.bytes};
      if (*kind == ConflictKind::ReadAfterWrite)
        return found;
    }
  return found;
}

/// Returns true if the work may read or write a memory that other cores reach.
bool ConflictRules::isShared(const Work &work) const {
  for (const Phase &phase : work.phases)
    for (const Access &access : phase.accesses)
      if (!access.bytes.space || machine.spaces()[*access.bytes.space].sharedBetweenCores)
        return true;
  return false;
}

/// A FIFO call that moves no data is an entry of its pipe's queue without duration: what is queued behind it
/// there starts behind it anyway. Across pipes it is no fence for work inside the core, and one that moves data is none
/// for work that no other core can see.
bool ConflictRules::fenceHolds(const PhaseView &earlier, const PhaseView &later) const {
  const std::optional<std::int64_t> first = earlier.work.signal, second = later.work.signal;
  if (!first && !second) {
    const Work &one = earlier.work.fence != FenceKind::None ? earlier.work : later.work;
    const Work &other = &one == &earlier.work ? later.work : earlier.work;
    return !one.betweenCores || other.fence != FenceKind::None || earlier.phase.pipe == later.phase.pipe ||
           isShared(other);
  }
  if (earlier.phase.pipe == later.phase.pipe)
    return !first;
  if (first && second)
    return *first < 0 || *second < 0 || *first == *second;
  const Work &other = first ? later.work : earlier.work;
  std::int64_t own = first ? *first : *second;
  if (other.fence != FenceKind::None)
    return true;
  for (const Phase &phase : other.phases)
    for (const Access &access : phase.accesses) {
      bool global = !access.bytes.space || access.bytes.space == globalMemory;
      bool otherRing = own >= 0 && access.bytes.ring >= 0 && access.bytes.ring != own;
      if (global && !otherRing)
        return true;
    }
  return false;
}

std::optional<ConflictKind> ConflictRules::kindOf(const PhaseView &earlier, const Access &first, const PhaseView &later,
                                                  const Access &second) const {
  if (first.writes && second.reads)
    return ConflictKind::ReadAfterWrite;
  if (first.writes && second.writes)
    return ConflictKind::WriteAfterWrite;
  if (first.reads && second.writes)
    return ConflictKind::WriteAfterRead;
  bool both = first.reads && second.reads && earlier.phase.pipe != later.phase.pipe;
  bool inAccumulator = accumulator && (first.bytes.space == accumulator || !first.bytes.space) &&
                       (second.bytes.space == accumulator || !second.bytes.space);
  if (readReadConflicts && both && inAccumulator)
    return ConflictKind::ReadRead;
  return std::nullopt;
}

bool ConflictRules::excused(const PhaseView &earlier, const Access &first, const PhaseView &later, const Access &second,
                            bool carried) const {
  Pipe pipe = earlier.phase.pipe;
  if (pipe != later.phase.pipe || !earlier.work.known || !later.work.known)
    return false;
  if (scratchOrder && first.hidden && second.hidden)
    return true;
  if (orderedPipe == pipe)
    return true;
  bool large = fractals && fractals->pipe == pipe && addsEnough(earlier.work) && addsEnough(later.work);
  if ((accumulatePipe == pipe || large) && accumulation(earlier, first, later, second))
    return true;
  return chain && chain->pipe == pipe && !carried && sameAccessChain(earlier, first, later, second);
}

/// A long result followed by its exact reader; and the WAR and WAW on that very access.
bool ConflictRules::sameAccessChain(const PhaseView &earlier, const Access &first, const PhaseView &later,
                                    const Access &second) const {
  if (!sameExactAccess(first, second))
    return false;
  std::vector<const Access *> written = exactly(earlier.phase, first, true), read = exactly(later.phase, first, false);
  for (const Access *writer : written)
    for (const Access *reader : read)
      if (!lateEnough(*writer, *reader))
        return false;
  return !written.empty() && !read.empty();
}

/// Every byte is read so many repeats after it was written as the rule asks for.
bool ConflictRules::lateEnough(const Access &written, const Access &read) const {
  return written.repeats >= chain->minRepeats &&
         (assemblerChain ||
          chainDistance(written.shape, written.order, read.order, chain->repeatBytes) >= chain->minRepeats);
}

/// The later one adds to exactly what the earlier one left in L0C.
bool ConflictRules::accumulation(const PhaseView &earlier, const Access &first, const PhaseView &later,
                                 const Access &second) const {
  if (first.bytes.space != accumulator || !sameBytes(first.bytes, second.bytes))
    return false;
  auto has = [&](const Phase &phase, bool writes) {
    return std::any_of(phase.accesses.begin(), phase.accesses.end(), [&](const Access &access) {
      return (writes ? access.writes : access.reads) && sameBytes(access.bytes, first.bytes);
    });
  };
  return has(earlier.phase, true) && has(later.phase, true) && has(later.phase, false);
}

/// A product of so many fractals, from such inputs, as the rule asks for.
bool ConflictRules::addsEnough(const Work &work) const {
  return work.product && fractals->inputBits.count(work.product->inputBits) != 0 &&
         work.product->fractals(fractals->fractalSide) >= fractals->minFractals;
}

std::string ConflictRules::describe(const Extents &bytes) const {
  if (!bytes.space)
    return "any memory";
  std::string name = machine.spaces()[*bytes.space].name;
  if (bytes.space == globalMemory && bytes.argument)
    name += " of argument " + std::to_string(*bytes.argument + 1);
  if (bytes.whole)
    return "all of " + name;
  if (bytes.base() != 0)
    return std::to_string(bytes.footprint.extent()) + " bytes of " + name +
           " at a place that memory or an argument decides";
  const char *more = bytes.choices ? ", or elsewhere as memory says" : "";
  constexpr std::int64_t kArgumentBits = (std::int64_t{1} << 40) - 1;
  std::int64_t begin = bytes.space == globalMemory ? bytes.address & kArgumentBits : bytes.address;
  if (bytes.space == globalMemory && bytes.argument && begin > kArgumentBits / 2) // in front of where it points to
    begin -= kArgumentBits + 1;
  return name + " [" + std::to_string(begin) + ", " + std::to_string(wrappedSum(begin, bytes.footprint.extent())) +
         ")" + more;
}

} // namespace ptosync::replay
