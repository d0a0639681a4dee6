// Which bytes a tile or a tensor covers, as a strided range, and in which order an instruction goes over them.
//
// A footprint is `rows` runs of `rowBytes` bytes, `stride` bytes apart, from a base address. It over-approximates: it
// may cover bytes that are never touched (padding up to the 32-byte block, boxed and compact layouts, the union of
// 4-bit readings), never the reverse.
//
// The same-access chain rule speaks of a distance in repeats between the write of a byte and its read by the next
// instruction. That the first instruction has so many repeats is not enough: one that goes down the columns of a tile
// reads bytes early that a sequential one writes late. `chainDistance` under-approximates: it is the smallest distance
// over all bytes and over all orders that an instruction may have, and 0 where the order is not known.
// Facts: docs/machine.md. Tested by tests/machine/footprint_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ptosync {

struct Footprint {
  std::int64_t rows = 1;
  std::int64_t rowBytes = 0; // > 0
  std::int64_t stride = 0;   // bytes between row starts, >= rowBytes when rows > 1
  /// Returns so many bytes, one behind the other.
  static Footprint run(std::int64_t bytes) { return {1, bytes, bytes}; }
  /// Returns the distance from the first byte to one past the last.
  std::int64_t extent() const { return (rows - 1) * stride + rowBytes; }
  bool operator==(const Footprint &) const = default;
};

/// Returns true if some byte of `a` at base `distance` is a byte of `b` at base 0. Exact.
bool overlaps(const Footprint &a, const Footprint &b, std::int64_t distance);

enum class Extent : std::uint8_t {
  Valid, // the valid region, where it is static and the layout is plain
  Whole, // everything the tile may hold (scratch operands, padded tiles)
};

/// Returns nothing if the tile's type is unknown.
std::optional<Footprint> tileFootprint(const Tile &tile, Extent extent);

/// Returns the bytes that an access to `region` of the tile may touch; nothing if the tile's type is unknown.
std::optional<Footprint> regionFootprint(const Tile &tile, AccessRegion region);

/// Returns the same for an access that goes over `rows` x `cols` elements, which may be more than the tile has: what
/// lies behind the tile is touched then.
std::optional<Footprint> walkedFootprint(const Tile &tile, std::int64_t rows, std::int64_t cols, AccessRegion region);

/// Returns the bytes that such an access touches for certain, by what the tile's type says.
std::optional<Footprint> certainFootprint(const Tile &tile, AccessRegion region);

struct PaddingPiece {
  std::int64_t offset = 0; // bytes from the tile's start
  Footprint bytes;
};

/// Returns the bytes of the tile outside of its first `rows` x `cols` elements: the ends of those lines, and the lines
/// behind them. Of a tile in columns of fractals the columns count as lines. Empty for other layouts, and if nothing
/// does.
std::vector<PaddingPiece> paddingOf(const Tile &tile, std::int64_t rows, std::int64_t cols);

/// Returns the bytes of one element of the tile, at least one.
std::int64_t bytesOfElement(const Tile &tile);

/// Returns true if the valid region of a tile is static and one unbroken run of bytes.
bool contiguousValidRegion(const Tile &tile);

/// Returns the number of 256-byte repeats that a vector instruction needs for the tile's valid region,
/// `repeatBytes` apart; nothing if the region is run-time or the element width unknown.
std::optional<std::int64_t> vectorRepeats(const Tile &tile, std::int64_t repeatBytes);

/// Returns nothing if shape or strides are not all static: then only its argument bounds it.
std::optional<Footprint> tensorFootprint(const Tensor &tensor);

/// Returns the farthest from the start of the FIFO's ring in GM, in bytes, at which a call may let an entry of the
/// tensor's shape begin. An entry begins at its slot's start or, where a tile is split over two sub-cores, up to one
/// entry behind it. Returns nothing if that is not known: of a FIFO of both directions, whose second ring lies nobody
/// knows where, and of a shape that is not static. Source: `getSubAIVOffset` and `getPopSubAIVOffset` of the library
/// (TAlloc.hpp, TPop.hpp).
std::optional<std::int64_t> farthestEntry(const Fifo &fifo, const Tensor &tensor);

/// A region without gaps: lines of bytes, one behind the other. In a row-major tile a line is a row.
struct LineShape {
  std::int64_t lines = 0, bytes = 0; // bytes of one line
  bool rows = true;                  // the lines are rows; otherwise columns, of which only Sequential is known
  bool operator==(const LineShape &) const = default;
};

/// Returns the lines of the tile's static valid region; no lines if it is not static.
LineShape lineShape(const Tile &tile);

/// Returns the smallest distance, in repeats of `repeatBytes` bytes, between a byte's write and its read.
std::int64_t chainDistance(const LineShape &shape, AccessOrder writes, AccessOrder reads, std::int64_t repeatBytes);

} // namespace ptosync
