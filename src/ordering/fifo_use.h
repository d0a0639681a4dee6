// How long the tiles that a FIFO's pops fill are used: what its local slots must hold.
//
//   pops, copies of a tile's address --forward dataflow--> entries in use at once, by FIFO
//
// A pop gives its tile the next slot of the consumer's ring, so with n slots an entry is overwritten by the n-th
// pop behind it. Entries are followed by their address, not by the tile's name: through re-declared tiles, reshapes and
// subviews, round loops and over branches. A use is any operand whose address comes from the entry; a FIFO that is
// constructed anew begins at slot 0 again, so no use of an older entry is bounded behind that. This is about values,
// not about order: whether a pop may start while an entry is still being read is for the pending sets to say.
// Sound: `inUse` is an upper bound over all paths; 64 pops and more count as unbounded.
// Tested by tests/ordering/fifo_use_test.cpp.
#pragma once

#include "ordering/program.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

/// An operand, as spelled, that an instruction reads or writes in an entry.
struct FifoTouch {
  const Statement *statement = nullptr;
  std::string operand;
  bool operator==(const FifoTouch &) const = default;
};

struct FifoUse {
  bool popsTiles = false;         // some pop fills a tile
  std::uint32_t inUse = 0;        // the entry of a use and those popped behind it up to there, the most of all
  bool bounded = true;            // false: no number of pops was found that `inUse` stays below
  const Statement *pop = nullptr; // of the use that decides `inUse`
  const Statement *use = nullptr;
  std::uint32_t certainlyInUse = 0; // the same, but for each use the fewest over the paths to it
  const Statement *certainPop = nullptr, *certainUse = nullptr;
  const Statement *mixed = nullptr;    // a use of a tile that may lie in the ring or elsewhere
  const Statement *shifted = nullptr;  // a use of an address that was computed from an entry's, and may lie behind it
  std::int64_t slots = -1;             // that pops go round in, the most of them; -1: not known
  std::vector<const Statement *> pops; // those that fill a tile
  std::vector<FifoTouch> touches;      // by position, pops included
  std::optional<std::string> location; // of the tiles; empty: none, or several
  std::optional<std::int64_t> ring;    // byte address of slot 0; empty: not one constant

  /// Returns true if some operand of the statement is an entry.
  bool usedBy(const Statement *statement) const {
    return std::any_of(touches.begin(), touches.end(),
                       [&](const FifoTouch &touch) { return touch.statement == statement; });
  }
};

/// By FifoId.
std::vector<FifoUse> fifoUses(const Program &program);

} // namespace ptosync
