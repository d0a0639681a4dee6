#include "machine/chain_distance.h"

#include <algorithm>

namespace ptosync {
namespace {

/// Repeats of one instruction, counted from 0, over a shape cut into chunks of a repeat per line.
class Repeats {
public:
  Repeats(const LineShape &shape, std::int64_t repeatBytes)
      : shape(shape), unit(repeatBytes), chunks((shape.bytes + repeatBytes - 1) / repeatBytes) {}

  std::int64_t chunksOfLine() const { return chunks; }
  std::int64_t sequentialTotal() const { return (shape.lines * shape.bytes + unit - 1) / unit; }

  /// Repeats from the last write of the chunk to the end, that one included.
  std::int64_t left(AccessOrder order, std::int64_t line, std::int64_t chunk) const {
    std::int64_t end = line * shape.bytes + std::min((chunk + 1) * unit, shape.bytes);
    std::int64_t sequential = sequentialTotal() - (end - 1) / unit;
    if (order != AccessOrder::Columns)
      return sequential;
    return std::min(sequential, shape.lines * chunks - (chunk * shape.lines + line));
  }

  /// Repeats before the first read of the chunk.
  std::int64_t before(AccessOrder order, std::int64_t line, std::int64_t chunk) const {
    std::int64_t sequential = (line * shape.bytes + chunk * unit) / unit;
    if (order == AccessOrder::Columns)
      return std::min(sequential, chunk * shape.lines + line);
    if (order == AccessOrder::Reduce)
      return std::min(sequential, beforeInReduction(line, chunk));
    return sequential;
  }

private:
  /// The first two repeats of a row go together, then what is left over at the ends, then the third, ...
  std::int64_t beforeInReduction(std::int64_t line, std::int64_t chunk) const {
    bool leftOver = chunk == chunks - 1 && shape.bytes % unit != 0;
    if (leftOver)
      return chunks == 1 ? line : shape.lines + line;
    return (std::max<std::int64_t>(chunk, 1) - 1) * shape.lines + line;
  }

  const LineShape &shape;
  std::int64_t unit, chunks;
};

/// True if something is known of the order for this shape.
bool known(AccessOrder order, const LineShape &shape, std::int64_t unit) {
  if (order == AccessOrder::Unknown || order == AccessOrder::Elementwise)
    return false;
  if (order == AccessOrder::Sequential || shape.lines == 1)
    return true;
  if (!shape.rows)
    return false;
  if (order == AccessOrder::Rows)
    return shape.bytes % unit == 0 || shape.bytes < unit;
  // Between one and two repeats the first is copied by other means.
  return order != AccessOrder::Reduce || shape.bytes <= unit || shape.bytes >= 2 * unit;
}

} // namespace

LineShape lineShape(const Tile &tile) {
  if (tile.staticValidRows <= 0 || tile.staticValidCols <= 0 || tile.elementBits < 8)
    return {};
  std::int64_t size = tile.elementBits / 8;
  if (tile.blockLayout == BlockLayout::RowMajor || tile.cols == 1)
    return tile.blockLayout == BlockLayout::RowMajor
               ? LineShape{tile.staticValidRows, tile.staticValidCols * size, true}
               : LineShape{1, tile.staticValidRows * size, false};
  return {tile.staticValidCols, tile.staticValidRows * size, false};
}

std::int64_t chainDistance(const LineShape &shape, AccessOrder writes, AccessOrder reads, std::int64_t repeatBytes) {
  if (shape.lines <= 0 || shape.bytes <= 0 || repeatBytes <= 0 || writes == AccessOrder::Reduce ||
      !known(writes, shape, repeatBytes) || !known(reads, shape, repeatBytes))
    return 0;
  Repeats repeats(shape, repeatBytes);
  auto plain = [&](AccessOrder order) { return order == AccessOrder::Sequential || order == AccessOrder::Rows; };
  if ((plain(writes) && plain(reads)) || (shape.lines == 1 && reads != AccessOrder::Reduce))
    return repeats.sequentialTotal();
  std::int64_t smallest = repeats.sequentialTotal();
  // In lines of whole repeats both terms are the lesser of two that are linear in the line: the smallest sum is that of
  // the first line or of the last.
  std::int64_t step = shape.bytes % repeatBytes == 0 ? std::max<std::int64_t>(shape.lines - 1, 1) : 1;
  for (std::int64_t line = 0; line < shape.lines; line += step)
    for (std::int64_t chunk = 0; chunk < repeats.chunksOfLine(); ++chunk)
      smallest = std::min(smallest, repeats.left(writes, line, chunk) + repeats.before(reads, line, chunk));
  return smallest;
}

} // namespace ptosync
