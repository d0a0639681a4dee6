// Finds rings of buffers that are too short for the distance of their users.
//
// What stands here recognises a ring; the rules are in ring_rules.cpp.
//
// Recognises storage that goes round: which entry of a ring an access means, and how far the ring's users are apart.
//
//   `(i + 3) % 4` in an address, or in the branch around an instruction --expressions--> entry i + 3 of 4
//
// The numbers are read off the expressions as written, before the remainder makes 3 and 7 the same: an entry
// written as number i + 3 and read as number i is read three iterations later, whatever the ring's length. Only
// counters that step by one, and remainders by a constant, count; everything else is no ring.
// Tested by tests/audit/ring_rules_test.cpp.
#pragma once

#include "ordering/pending.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

/// An entry of a ring: `variable + offset` modulo `length`, counted in iterations of `loop`.
struct RingIndex {
  VariableId variable = kNone;
  LoopId loop = kNone;
  std::int64_t offset = 0, length = 0;
  std::optional<std::int64_t> slot; // the remainder, where a branch says so
};

class RingStorage {
public:
  explicit RingStorage(const Program &program);

  /// Returns the ring through which the remainder in the address of an access, or in a branch around it, steps; empty
  /// if it is no ring or is not recognised as one.
  std::optional<RingIndex> indexOf(const Node &node, const Access &access) const;

private:
  std::optional<RingIndex> indexIn(ExpressionId id, LoopId loop) const;
  std::optional<RingIndex> counterPlus(ExpressionId id, LoopId loop) const;
  std::optional<RingIndex> guardOf(const Node &node) const;
  std::optional<std::int64_t> constantOf(ExpressionId id) const;
  ExpressionId settled(ExpressionId id) const;

  const Program &program;
  const Kernel &kernel;
  std::vector<std::vector<std::pair<BlockId, ExpressionId>>> definitions; // by variable; kNone: of another kind
  std::map<std::string, VariableId> addressOfTile;                        // by name; kNone: several tiles have it
  bool remainders = false;                                                // there are any at all
};

/// Says of an open pair on rotating storage that the ring is too short for how far the earlier instruction may lag.
struct ShortRing {
  std::size_t length = 0; // entries
  std::uint32_t lag = 0;  // iterations after which the earlier one is certain to be over
};

/// Returns the ring that is too short; empty unless both accesses step through a ring round one loop and a longer ring
/// would order the pair.
std::optional<ShortRing> shortRing(const Program &program, const Pending &pending, const ConflictPair &pair);

} // namespace ptosync
