// Computes the bytes that a tile or tensor covers, as a strided range.
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
  /// Returns a footprint of so many bytes, one behind the other.
  static Footprint run(std::int64_t bytes) { return {1, bytes, bytes}; }
  /// Returns the distance in bytes from the first byte to one past the last.
  std::int64_t extent() const { return (rows - 1) * stride + rowBytes; }
  bool operator==(const Footprint &) const = default;
};

/// Returns true if some byte of `a` at base `distance` is a byte of `b` at base 0. The answer is exact.
bool overlaps(const Footprint &a, const Footprint &b, std::int64_t distance);

enum class Extent : std::uint8_t {
  Valid, // the valid region, where it is static and the layout is plain
  Whole, // everything the tile may hold (scratch operands, padded tiles)
};

/// Returns the bytes of the whole tile or of its valid region; empty if the tile's type is unknown.
std::optional<Footprint> tileFootprint(const Tile &tile, Extent extent);

/// Returns the bytes that an access to `region` of the tile may touch; empty if the tile's type is unknown.
std::optional<Footprint> regionFootprint(const Tile &tile, AccessRegion region);

/// Returns the same for an access that goes over `rows` x `cols` elements. These may be more than the tile has; then
/// the bytes behind the tile are touched, too.
std::optional<Footprint> walkedFootprint(const Tile &tile, std::int64_t rows, std::int64_t cols, AccessRegion region);

/// Returns bytes that such an access touches for certain, by what the tile's type says. Under-approximate; empty if
/// none are certain.
std::optional<Footprint> certainFootprint(const Tile &tile, AccessRegion region);

struct PaddingPiece {
  std::int64_t offset = 0; // bytes from the tile's start
  Footprint bytes;
};

/// Returns the pieces of the tile outside of its first `rows` x `cols` elements: the ends of those lines, and the lines
/// behind them. In a tile of columns of fractals the columns count as lines. The list is empty for other layouts, and
/// if nothing lies outside.
std::vector<PaddingPiece> paddingOf(const Tile &tile, std::int64_t rows, std::int64_t cols);

/// Returns the bytes of one element of the tile, at least one.
std::int64_t bytesOfElement(const Tile &tile);

/// Returns true if the valid region of a tile is static and one unbroken run of bytes.
bool contiguousValidRegion(const Tile &tile);

/// Returns the number of repeats of `repeatBytes` bytes that a vector instruction needs for the tile's valid region;
/// empty if the region is known only at run time or the element's width is unknown.
std::optional<std::int64_t> vectorRepeats(const Tile &tile, std::int64_t repeatBytes);

/// Returns the bytes of a tensor; empty if its shape or strides are not all static. Then only its argument bounds it.
std::optional<Footprint> tensorFootprint(const Tensor &tensor);

/// Returns the farthest distance in bytes from the start of the FIFO's ring in GM at which a call may let an entry of
/// the tensor's shape begin. An entry begins at its slot's start or, where a tile is split over two sub-cores, up to
/// one entry behind it. It is empty if that is not known: for a FIFO of both directions, since nobody knows where its
/// second ring lies, and for a shape that is not static. Source: `getSubAIVOffset` and `getPopSubAIVOffset` of the
/// library (TAlloc.hpp, TPop.hpp).
std::optional<std::int64_t> farthestEntry(const Fifo &fifo, const Tensor &tensor);

} // namespace ptosync
