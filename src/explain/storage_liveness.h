// Counts the bytes of a memory that hold something that is still needed, at each instruction.
//
//   byte ranges --cut at every boundary--> segments --may be written before, may be read later--> live
//
// A segment is live at an instruction if on some path something may have been written there before and on some path
// something may read it before it is certainly overwritten; the instruction's own bytes, scratch included, count too.
// Over-approximate in program order. Pipes run ahead of one another, so this is what a kernel needs at the least if its
// storage were laid out anew with syncs to match, not what may be in flight at one moment.
// Tested by tests/explain/storage_liveness_test.cpp.
#pragma once

#include "ordering/program.h"

#include <vector>

namespace ptosync {

/// The bytes [begin, end) of one memory that an access may touch.
struct ByteRange {
  std::int64_t begin = 0, end = 0;
  auto operator<=>(const ByteRange &) const = default;
};

struct StorageUse {
  std::vector<ByteRange> ranges; // several: one of them
  bool reads = false, writes = false;
  bool scratch = false; // neither needs nor leaves anything
  bool certain = false; // writes every byte of its only range
};

struct LivePeak {
  std::int64_t bytes = 0;
  NodeId node = kNone; // where; the first of several
};

/// Returns the largest number of live bytes and where it is. `uses` holds for each node its uses of the memory in
/// question.
LivePeak livePeak(const Program &program, const std::vector<std::vector<StorageUse>> &uses);

} // namespace ptosync
