// Which bytes a tile or tensor covers, as a strided range.
//
// `rows` runs of `rowBytes` bytes, `stride` bytes apart, from a base address. Over-approximate:
// a footprint may cover bytes that are never touched (padding up to the 32-byte block, boxed and
// compact layouts, the union of 4-bit readings), never the reverse.
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
  /// So many bytes, one behind the other.
  static Footprint run(std::int64_t bytes) { return {1, bytes, bytes}; }
  /// Distance from the first to one past the last byte.
  std::int64_t extent() const { return (rows - 1) * stride + rowBytes; }
  bool operator==(const Footprint &) const = default;
};

/// True if some byte of `a` at base `distance` is a byte of `b` at base 0. Exact.
bool overlaps(const Footprint &a, const Footprint &b, std::int64_t distance);

enum class Extent : std::uint8_t {
  Valid, // the valid region, where it is static and the layout is plain
  Whole, // everything the tile may hold (scratch operands, padded tiles)
};

/// Empty if the tile's type is unknown.
std::optional<Footprint> tileFootprint(const Tile &tile, Extent extent);

/// The bytes that an access to `region` of the tile may touch. Empty if the tile's type is unknown.
std::optional<Footprint> regionFootprint(const Tile &tile, AccessRegion region);

/// The same for an access that goes over `rows` x `cols` elements, which may be more than the tile has: what lies
/// behind the tile is touched then.
std::optional<Footprint> walkedFootprint(const Tile &tile, std::int64_t rows, std::int64_t cols, AccessRegion region);

/// Bytes that such an access touches for certain, by what the tile's type says.
std::optional<Footprint> certainFootprint(const Tile &tile, AccessRegion region);

struct PaddingPiece {
  std::int64_t offset = 0; // bytes from the tile's start
  Footprint bytes;
};

/// What of the tile lies outside of its first `rows` x `cols` elements: the ends of those lines, and the lines behind
/// them. Of a tile in columns of fractals the columns count as lines. Empty for other layouts, and if nothing does.
std::vector<PaddingPiece> paddingOf(const Tile &tile, std::int64_t rows, std::int64_t cols);

/// Bytes of one element of the tile, at least one.
std::int64_t bytesOfElement(const Tile &tile);

/// True if the valid region of a tile is static and one unbroken run of bytes.
bool contiguousValidRegion(const Tile &tile);

/// Number of 256-byte repeats that a vector instruction needs for the tile's valid region,
/// `repeatBytes` apart; empty if the region is run-time or the element width unknown.
std::optional<std::int64_t> vectorRepeats(const Tile &tile, std::int64_t repeatBytes);

/// Empty if shape or strides are not all static: then only its argument bounds it.
std::optional<Footprint> tensorFootprint(const Tensor &tensor);

/// The farthest from the start of the FIFO's ring in GM, bytes, at which a call may let an entry of the tensor's shape
/// begin. An entry begins at its slot's start or, where a tile is split over two sub-cores, up to one entry behind it.
/// Empty if that is not known: of a FIFO of both directions, whose second ring lies nobody knows where, and of a shape
/// that is not static. Source: `getSubAIVOffset` and `getPopSubAIVOffset` of the library (TAlloc.hpp, TPop.hpp).
std::optional<std::int64_t> farthestEntry(const Fifo &fifo, const Tensor &tensor);

} // namespace ptosync
