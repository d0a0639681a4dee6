// Two versions of a kernel whose on-chip data lie at different places: do both compute the same, as well ordered?
//
//   Module, Module --same instructions, other addresses?--> Traces --shadow memory, Schedule--> findings
//
// `verify` compares versions that touch the same bytes. Here the bytes differ, as when a FIFO has another number of
// local slots. Of concrete runs, instruction by instruction:
//   values  every byte that is read was last written by the same instruction at the same place in its result; what
//   nobody
//           wrote before is nobody's loss;
//   order   two instructions that meet in the second version and not in the first are ordered by the schedule.
// A FIFO whose local slots differ is held against what a FIFO means: in the first version each entry has storage of its
// own, so that the number of slots it has there, and what else lies in its ring, is nothing to go by. The syncs have to
// be the same ones. No iteration is left out, and a run is followed up to the budget; what was not run is not judged.
// It shares nothing with the ordering engine. Tested by tests/replay/relayout_test.cpp.
#pragma once

#include "replay/run/work.h"
#include "replay/verify.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ptosync::replay {

/// Bytes [begin, begin + bytes) of a read, from its own start, come from `writer`, from `source` bytes behind the start
/// of what that wrote.
struct Origins {
  std::int64_t begin = 0, bytes = 0;
  std::uint32_t writer = kNone; // kNone: nobody
  std::int64_t source = 0;
  bool operator==(const Origins &) const = default;
};

/// Who wrote each byte of the on-chip memories last, as a run goes on. A write of unknown place is everywhere.
class Shadow {
public:
  void write(const Extents &bytes, std::uint32_t writer);
  /// Returns the origins of the bytes by position, neighbours of one origin joined; none for a place that is not known.
  std::vector<Origins> read(const Extents &bytes) const;

private:
  struct Cell {
    std::int64_t end = 0;
    std::uint32_t writer = kNone;
    std::int64_t base = 0; // address of the first byte of what it wrote
  };
  using Memory = std::map<std::int64_t, Cell>; // by first byte; disjoint
  static void clear(Memory &memory, std::int64_t begin, std::int64_t end);
  static void append(std::vector<Origins> &origins, Origins next);

  std::map<std::size_t, Memory> spaces;
};

struct Relayout {
  std::vector<Finding> findings; // Streams, or Order: what is wrong in the second version
  std::size_t runs = 0;
  std::uint64_t instructions = 0; // compared
  std::uint64_t moved = 0;        // of those: that touch what lies elsewhere
};

/// Returns the kernel with storage of its own for each entry of the FIFO: a ring that never comes round, behind all
/// memories.
Kernel withPrivateEntries(Kernel kernel, FifoId fifo);

/// Compares the analysable kernels of both modules by name and section.
llvm::Expected<Relayout> verifyRelayout(const Module &before, const Module &after, const Machine &machine,
                                        const Options &options);

} // namespace ptosync::replay
