#include "machine/footprint.h"

#include <algorithm>
#include <vector>

namespace ptosync {

namespace {

constexpr std::int64_t kRepeatBytes = 256; // what one repeat of a vector instruction covers
constexpr std::int64_t kBlockBytes = 32;   // the unit in which rows of UB and L1 are accessed

std::int64_t alignUp(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

/// Bytes of one element; 4-bit types are packed two to a byte by one source and counted as one
/// byte each by the other: the larger is taken.
std::int64_t elementBytes(std::uint32_t bits) { return std::max<std::int64_t>(1, bits / 8); }

std::int64_t wholeBytes(const Tile &tile) {
  std::int64_t size = elementBytes(tile.elementBits);
  std::int64_t plain = std::int64_t{tile.rows} * tile.cols * size;
  if (tile.compactMode != CompactMode::RowPlusOne)
    return plain;
  // Column blocks of 32 bytes, each one row longer than the aligned row count.
  std::int64_t blocks = alignUp(tile.cols * size, kBlockBytes) / kBlockBytes;
  return std::max(plain, blocks * (alignUp(tile.rows, 16) + 1) * kBlockBytes);
}

/// Rows or columns one behind the other, each element where its index says.
bool isPlain(const Tile &tile) {
  return tile.innerLayout == InnerLayout::NoneBox && tile.compactMode == CompactMode::Null && tile.elementBits >= 8;
}

/// Columns of blocks of 32 bytes, one block a row.
bool isFractalColumns(const Tile &tile) {
  return tile.innerLayout == InnerLayout::RowMajor && tile.blockLayout == BlockLayout::ColMajor &&
         tile.fractalBytes == 512 && tile.compactMode == CompactMode::Null && tile.elementBits >= 8 && tile.rows > 0 &&
         tile.cols > 0;
}

} // namespace

bool overlaps(const Footprint &a, const Footprint &b, std::int64_t distance) {
  if (distance >= b.extent() || distance + a.extent() <= 0)
    return false;
  if (a.rows == 1 && b.rows == 1)
    return true;
  // Walk the side with fewer rows; for each row, the rows of the other that could touch it.
  const bool walkA = a.rows <= b.rows;
  const Footprint &walked = walkA ? a : b;
  const Footprint &other = walkA ? b : a;
  std::int64_t offset = walkA ? distance : -distance;
  for (std::int64_t row = 0; row < walked.rows; ++row) {
    std::int64_t begin = offset + row * walked.stride, end = begin + walked.rowBytes;
    if (end <= 0 || begin >= other.extent())
      continue;
    if (other.rows == 1)
      return true;
    std::int64_t first = std::max<std::int64_t>(0, (begin - other.rowBytes) / other.stride);
    for (std::int64_t k = first; k < other.rows && k * other.stride < end; ++k)
      if (k * other.stride + other.rowBytes > begin)
        return true;
  }
  return false;
}

std::optional<Footprint> tileFootprint(const Tile &tile, Extent extent) {
  if (tile.rows == 0 || tile.cols == 0 || tile.elementBits == 0)
    return std::nullopt;
  Footprint whole{1, wholeBytes(tile), wholeBytes(tile)};
  bool staticRegion = tile.staticValidRows >= 0 && tile.staticValidCols >= 0;
  if (extent == Extent::Whole || !staticRegion || tile.padded || !isPlain(tile))
    return whole;
  bool rowMajor = tile.blockLayout == BlockLayout::RowMajor;
  std::int64_t size = elementBytes(tile.elementBits);
  std::int64_t lines = rowMajor ? tile.staticValidRows : tile.staticValidCols;
  std::int64_t used = (rowMajor ? tile.staticValidCols : tile.staticValidRows) * size;
  std::int64_t stride = (rowMajor ? std::int64_t{tile.cols} : std::int64_t{tile.rows}) * size;
  if (lines <= 0 || used <= 0)
    return whole; // an empty region is more likely a value we misread than no access
  std::int64_t touched = alignUp(used, kBlockBytes);
  if (lines == 1)
    return Footprint::run(touched);
  if (touched >= stride)
    return Footprint::run((lines - 1) * stride + touched);
  return Footprint{lines, touched, stride};
}

std::int64_t bytesOfElement(const Tile &tile) { return elementBytes(tile.elementBits); }

std::optional<Footprint> regionFootprint(const Tile &tile, AccessRegion region) {
  std::optional<Footprint> valid = tileFootprint(tile, Extent::Valid), whole = tileFootprint(tile, Extent::Whole);
  if (!valid || region == AccessRegion::Valid)
    return valid;
  if (region == AccessRegion::Whole)
    return whole;
  const bool rowMajor = tile.blockLayout == BlockLayout::RowMajor;
  const std::int64_t size = bytesOfElement(tile);
  const std::int64_t stride = (rowMajor ? std::int64_t{tile.cols} : std::int64_t{tile.rows}) * size;
  const std::int64_t allLines = rowMajor ? tile.rows : tile.cols;
  // Where the region is not known line by line, its bytes are those of the whole tile.
  const bool plain = valid != whole || (tile.staticValidRows > 0 && tile.staticValidCols > 0);
  const std::int64_t lines = !plain ? allLines : rowMajor ? tile.staticValidRows : tile.staticValidCols;
  std::int64_t end = valid->extent(); // of the lines of the region, and so of a run of as many elements
  if (region == AccessRegion::Rows)
    end = std::max(end, lines * stride);
  if (region == AccessRegion::Repeats) {
    std::int64_t used = (!plain ? stride : (rowMajor ? tile.staticValidCols : tile.staticValidRows) * size);
    end = std::max(end, (lines - 1) * stride + alignUp(used, kRepeatBytes));
  }
  return end == valid->extent() && valid->rows == 1 ? *valid : Footprint::run(end);
}

std::optional<Footprint> walkedFootprint(const Tile &tile, std::int64_t rows, std::int64_t cols, AccessRegion region) {
  Tile walked = tile;
  walked.staticValidRows = rows;
  walked.staticValidCols = cols;
  std::optional<Footprint> bytes = regionFootprint(walked, region);
  if (std::optional<Footprint> valid = tileFootprint(walked, Extent::Valid);
      bytes && region == AccessRegion::Whole && valid->extent() > bytes->extent())
    bytes = Footprint::run(valid->extent());
  if (!bytes || (isPlain(tile) && !tile.padded) || (rows <= tile.rows && cols <= tile.cols))
    return bytes;
  // Where the place of an element is not known, each tile's size more of rows or columns is a tile more.
  auto times = [](std::int64_t count, std::int64_t of) { return std::max<std::int64_t>(1, (count + of - 1) / of); };
  std::int64_t end = bytes->extent() * times(rows, tile.rows) * times(cols, tile.cols);
  return Footprint::run(end);
}

std::optional<Footprint> certainFootprint(const Tile &given, AccessRegion region) {
  Tile tile = given;
  tile.padded = false; // what it is padded with may be there already
  std::optional<Footprint> valid = tileFootprint(tile, Extent::Valid);
  if (valid && isFractalColumns(tile) && tile.staticValidRows > 0 && tile.staticValidCols > 0) {
    std::int64_t lines = alignUp(tile.staticValidCols * bytesOfElement(tile), kBlockBytes) / kBlockBytes;
    Footprint used{lines, tile.staticValidRows * kBlockBytes, tile.rows * kBlockBytes};
    return used.rows == 1 || used.rowBytes >= used.stride ? Footprint::run(used.extent()) : used;
  }
  if (region != AccessRegion::Run || !valid)
    return valid;
  return Footprint::run(valid->rowBytes); // the first line belongs to both readings
}

std::vector<PaddingPiece> paddingOf(const Tile &tile, std::int64_t rows, std::int64_t cols) {
  const std::int64_t size = bytesOfElement(tile);
  std::int64_t lines = 0, used = 0, line = 0, allLines = 0;
  if (isPlain(tile) && tile.rows > 0 && tile.cols > 0) {
    const bool rowMajor = tile.blockLayout == BlockLayout::RowMajor;
    lines = rowMajor ? rows : cols;
    used = (rowMajor ? cols : rows) * size;
    line = (rowMajor ? std::int64_t{tile.cols} : std::int64_t{tile.rows}) * size;
    allLines = rowMajor ? tile.rows : tile.cols;
  } else if (isFractalColumns(tile)) {
    lines = alignUp(cols * size, kBlockBytes) / kBlockBytes;
    used = rows * kBlockBytes;
    line = tile.rows * kBlockBytes;
    allLines = alignUp(tile.cols * size, kBlockBytes) / kBlockBytes;
  }
  std::vector<PaddingPiece> pieces;
  if (lines > 0 && used < line)
    pieces.push_back({used, lines == 1 ? Footprint::run(line - used) : Footprint{lines, line - used, line}});
  if (lines < allLines)
    pieces.push_back({lines * line, {1, (allLines - lines) * line, (allLines - lines) * line}});
  return pieces;
}

bool contiguousValidRegion(const Tile &tile) {
  if (tile.staticValidRows < 0 || tile.staticValidCols < 0 || tile.compactMode != CompactMode::Null)
    return false;
  if (tile.innerLayout != InnerLayout::NoneBox)
    return false; // the rule's source speaks of plain layouts only
  bool rowMajor = tile.blockLayout == BlockLayout::RowMajor;
  if (rowMajor)
    return tile.staticValidCols == tile.cols || tile.staticValidRows == 1;
  return tile.staticValidRows == tile.rows || tile.staticValidCols == 1;
}

std::optional<std::int64_t> vectorRepeats(const Tile &tile, std::int64_t repeatBytes) {
  if (tile.staticValidRows < 0 || tile.staticValidCols < 0 || tile.elementBits < 8 || repeatBytes <= 0)
    return std::nullopt;
  std::int64_t perRepeat = std::max<std::int64_t>(repeatBytes / elementBytes(tile.elementBits), 1);
  return (tile.staticValidRows * tile.staticValidCols + perRepeat - 1) / perRepeat;
}

std::optional<Footprint> tensorFootprint(const Tensor &tensor) {
  if (tensor.elementBits == 0)
    return std::nullopt;
  struct Dimension {
    std::int64_t count, stride;
  };
  std::vector<Dimension> dimensions;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] < 0)
      return std::nullopt;
    if (tensor.shape[i] <= 1)
      continue;
    if (tensor.stride[i] < 0)
      return std::nullopt;
    dimensions.push_back({tensor.shape[i], tensor.stride[i]});
  }
  std::sort(dimensions.begin(), dimensions.end(),
            [](const Dimension &a, const Dimension &b) { return a.stride < b.stride; });
  std::int64_t size = elementBytes(tensor.elementBits);
  // Merge dimensions that continue the run; the first that does not becomes the row stride, and
  // whatever lies outside that widens to the hull.
  Footprint run{1, size, size};
  std::int64_t next = 1;
  std::size_t i = 0;
  for (; i < dimensions.size() && dimensions[i].stride <= next; ++i) {
    next = (dimensions[i].count - 1) * dimensions[i].stride + next;
    run.rowBytes = next * size;
  }
  run.stride = run.rowBytes;
  if (i < dimensions.size()) {
    run.rows = dimensions[i].count;
    run.stride = dimensions[i].stride * size;
    ++i;
  }
  for (; i < dimensions.size(); ++i) {
    std::int64_t reach = run.extent() + (dimensions[i].count - 1) * dimensions[i].stride * size;
    run = {1, reach, reach};
  }
  return run;
}

std::optional<std::int64_t> farthestEntry(const Fifo &fifo, const Tensor &tensor) {
  const std::int64_t rows = tensor.shape[3], columns = tensor.shape[4];
  const bool oneRing =
      fifo.slots > 0 && fifo.slotBytes > 0 && (fifo.direction == "DIR_C2V" || fifo.direction == "DIR_V2C");
  if (!oneRing || tensor.elementBits == 0 || rows < 0 || columns < 0)
    return std::nullopt;
  return (fifo.slots - 1) * fifo.slotBytes + rows * columns * elementBytes(tensor.elementBits);
}

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
