// Computes how many repeats lie between the write of a byte by one vector instruction and its read by the next.
//
// The same-access chain rule speaks of a distance in repeats. That the first instruction has so many repeats is not
// enough: an instruction that goes down the columns of a tile reads bytes early that a sequential one writes late.
// Under-approximate: the smallest distance over all bytes and over all orders that an instruction may have; 0 where the
// order is not known. Tested by tests/machine/chain_distance_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/rules.h"

#include <cstdint>

namespace ptosync {

/// A region without gaps: lines of bytes, one behind the other. In a row-major tile a line is a row.
struct LineShape {
  std::int64_t lines = 0, bytes = 0; // bytes of one line
  bool rows = true;                  // the lines are rows; otherwise columns, of which only Sequential is known
  bool operator==(const LineShape &) const = default;
};

/// Returns the lines of the tile's static valid region; no lines if the region is not static.
LineShape lineShape(const Tile &tile);

/// Returns the smallest distance, in repeats of `repeatBytes` bytes, over all bytes of the region. Returns 0 if one of
/// the orders is not known, which excuses nothing.
std::int64_t chainDistance(const LineShape &shape, AccessOrder writes, AccessOrder reads, std::int64_t repeatBytes);

} // namespace ptosync
