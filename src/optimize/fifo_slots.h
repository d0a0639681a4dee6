// The local slot count of FIFO pipes: TPipe<id, direction, bytes, 8, 8, nosplit> -> 8, 2.
//
//   FIFO types of a file, a rewrite pattern, a count or "auto" --proof--> one decision per type
//
// The consumer of a FIFO keeps the tiles it has popped in a ring of `local slots` slots; pop number i fills slot
// i % slots. With another count the tiles lie elsewhere, and everything else stays. That is right if
//   values  every entry is used for the last time before the pop that overwrites it (fifo_use.h), and no tile but the
//           FIFO's own lies in the ring;
//   order   with the tiles at their new places nothing that touches the ring is open: each pop comes after the
//           reads of the entry that it overwrites, by the syncs that are there, on every path (pending.h);
//   memory  the ring lies within its memory.
// All kernels of the file that use the type must agree, for its name is spelled in all of them. A contested rule
// excuses nothing. Where no kernel pops a tile the local ring holds nothing, and any count will do.
// `auto` takes the fewest slots that are proved and within the pattern's bounds, never more than there are. The syncs
// stay as they are, so a kernel waits for no more than before.
// It does not move the ring or anything else, and only counts: the edits are in rewrite/sync_edits.h.
// Tested by tests/optimize/fifo_slots_test.cpp.
#pragma once

#include "machine/machine.h"
#include "ordering/program.h"
#include "patterns/pattern.h"

#include <llvm/Support/Error.h>

#include <compare>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

/// The template arguments of a TPipe; two FIFOs with equal ones share a spelling.
struct FifoType {
  std::int64_t flagBase = -1;
  std::string direction;
  std::int64_t slotBytes = -1, slots = -1, localSlots = -1; // -1 unknown
  auto operator<=>(const FifoType &) const = default;
};

FifoType typeOf(const Fifo &fifo);
/// "TPipe<0, DIR_C2V, 4096, 8, 8>".
std::string fifoTypeText(const FifoType &type);

/// One rewrite that the user asked for.
struct RewriteRequest {
  Pattern pattern;
  std::optional<std::int64_t> localSlots; // empty: auto
};

struct FifoDecision {
  FifoType type; // as it is in the input
  std::string pattern;
  std::int64_t localSlots = -1; // as it is to be
  std::uint32_t line = 0;       // of the first FIFO of the type
  std::vector<std::string> kernels;
  bool changed() const { return localSlots != type.localSlots; }

  bool popsTiles = false;
  std::uint32_t inUse = 0;     // entries in use at once, of the kernel with the most
  std::string space;           // "UB"; empty if no tile is popped
  std::int64_t ringBegin = -1; // bytes; -1: none, or not known
  std::int64_t spaceBytes = 0;
  std::vector<std::string> evidence; // changed: one sentence each
  std::string reason;                // not changed: why
  std::int64_t ringBytes() const { return localSlots * type.slotBytes; }
};

/// A decision for every FIFO type that the pattern matches, in order. With a count given, a type that cannot have it
/// is an error that says why, in numbers.
llvm::Expected<std::vector<FifoDecision>> decideFifoSlots(const Module &module, const Machine &machine,
                                                          const RewriteRequest &request,
                                                          const OrderingOptions &options);

} // namespace ptosync
