// Whether two phases have to be ordered: overlapping bytes, opaque fences, machine rules.
//
//   TADD(v1, v2, v3) on V, then TSTORE(g, v1) on MTE3      RAW on the bytes of v1
//   TADD(v1, v2, v3), then TMUL(v1, v1, v3), both on V     RAW on v1, unless the rule same-access-chain excuses the
//   pair TNOTIFY(...), then TLOAD(v1, g)                        fence: what another core sees of the first comes first
//
// Only rules that may justify taking a sync out excuse a pair, and the contested ones that the user chose to rely on. A
// rule that merely silences findings excuses nothing here, because what is asked is always whether an order may be
// lost. Rules are applied to the two executions at hand. Over-approximates wherever an address is not known
// (number/value.h). Tested by tests/replay/judge/conflict_test.cpp.
#pragma once

#include "machine/machine.h"
#include "replay/options.h"
#include "replay/run/work.h"

#include <optional>
#include <string>

namespace ptosync::replay {

enum class ConflictKind : std::uint8_t {
  ReadAfterWrite,
  WriteAfterRead,
  WriteAfterWrite,
  ReadRead, // two pipes on one L0C range
  Fence,    // the order relative to an opaque call
};

/// "RAW", "WAR", "WAW", "RAR", "fence".
const char *conflictName(ConflictKind kind);

struct Conflict {
  ConflictKind kind = ConflictKind::Fence;
  Extents bytes; // of the later access
  Extents earlierBytes;
};

/// One phase of one execution.
struct PhaseView {
  const Work &work;
  const Phase &phase;
};

/// When two accesses are taken to have a byte in common.
enum class Meeting : std::uint8_t {
  Possible, // wherever it cannot be ruled out: over-approximates
  Shown,    // where both addresses are known, and the memory: of runs whose numbers are RunRequest::asDrawn
};

class ConflictRules {
public:
  ConflictRules(const Machine &machine, const Options &options, Meeting meeting = Meeting::Possible);

  /// Returns nothing if the two may run in any order and at the same time. `carried`: a loop around both
  /// went to another iteration in between. `decided`: in runs that are alike in that; in all runs without.
  std::optional<Conflict> between(const PhaseView &earlier, const PhaseView &later, bool carried,
                                  const Decided *decided = nullptr) const;
  /// Scalar work is in program order.
  bool scalarInOrder() const { return scalarOrder; }
  /// Returns true for bytes of global memory, and for bytes of any memory.
  bool global(const Extents &bytes) const { return !bytes.space || bytes.space == globalMemory; }
  /// Returns true if some byte may be common, or with Meeting::Shown is. An address that one of the decided numbers
  /// decides is the one that it is in the run.
  bool overlap(const Extents &a, const Extents &b, const Decided *decided = nullptr) const;
  /// "UB [4096, 8192)", "GM of argument 2, 512 bytes from offset 64", "any memory".
  std::string describe(const Extents &bytes) const;

private:
  bool isShared(const Work &work) const;
  bool fenceHolds(const PhaseView &earlier, const PhaseView &later) const;
  std::optional<ConflictKind> kindOf(const PhaseView &earlier, const Access &first, const PhaseView &later,
                                     const Access &second) const;
  bool excused(const PhaseView &earlier, const Access &first, const PhaseView &later, const Access &second,
               bool carried) const;
  bool sameAccessChain(const PhaseView &earlier, const Access &first, const PhaseView &later,
                       const Access &second) const;
  bool lateEnough(const Access &written, const Access &read) const;
  bool accumulation(const PhaseView &earlier, const Access &first, const PhaseView &later, const Access &second) const;
  bool addsEnough(const Work &work) const;

  static bool overlapShown(const Extents &a, const Extents &b);

  const Machine &machine;
  const Meeting meeting;
  std::optional<std::size_t> globalMemory, accumulator;
  std::optional<Pipe> orderedPipe, accumulatePipe;
  std::optional<ChainRule> chain; // only if it may justify, like the next
  std::optional<AccumulateFractalsRule> fractals;
  bool assemblerChain = false;
  bool fences = true, argumentsDistinct = false, scalarOrder = false, scratchOrder = false, readReadConflicts = false;
};

} // namespace ptosync::replay
