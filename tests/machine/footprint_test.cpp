#include "machine/footprint.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

using namespace ptosync;

namespace {

std::set<std::int64_t> bytesOf(const Footprint &footprint, std::int64_t base) {
  std::set<std::int64_t> bytes;
  for (std::int64_t row = 0; row < footprint.rows; ++row)
    for (std::int64_t i = 0; i < footprint.rowBytes; ++i)
      bytes.insert(base + row * footprint.stride + i);
  return bytes;
}

bool share(const Footprint &a, const Footprint &b, std::int64_t distance) {
  std::set<std::int64_t> bytes = bytesOf(b, 0);
  for (std::int64_t byte : bytesOf(a, distance))
    if (bytes.count(byte))
      return true;
  return false;
}

Footprint randomFootprint(std::mt19937 &random) {
  auto upTo = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(1, most)(random); };
  Footprint footprint;
  footprint.rows = upTo(5);
  footprint.rowBytes = upTo(6);
  footprint.stride = footprint.rowBytes + upTo(8) - 1;
  return footprint;
}

/// A plain float tile, everything valid.
Tile plain(std::uint32_t rows, std::uint32_t cols) {
  Tile tile;
  tile.location = "Vec";
  tile.element = "float";
  tile.elementBits = 32;
  tile.rows = rows;
  tile.cols = cols;
  tile.staticValidRows = rows;
  tile.staticValidCols = cols;
  return tile;
}

Tile valid(Tile tile, std::int64_t rows, std::int64_t cols) {
  tile.staticValidRows = rows;
  tile.staticValidCols = cols;
  return tile;
}

Tile column(Tile tile) {
  tile.blockLayout = BlockLayout::ColMajor;
  return tile;
}

Tile boxed(Tile tile) {
  tile.innerLayout = InnerLayout::RowMajor;
  return tile;
}

/// "rows x rowBytes / stride"; a single row has no stride to speak of.
std::string describe(const std::optional<Footprint> &footprint) {
  if (!footprint)
    return "unknown";
  if (footprint->rows == 1)
    return std::to_string(footprint->rowBytes);
  return std::to_string(footprint->rows) + "x" + std::to_string(footprint->rowBytes) + "/" +
         std::to_string(footprint->stride);
}

std::string validOf(const Tile &tile) { return describe(tileFootprint(tile, Extent::Valid)); }
std::string wholeOf(const Tile &tile) { return describe(tileFootprint(tile, Extent::Whole)); }

std::string tensorOf(std::array<std::int64_t, 5> shape, std::array<std::int64_t, 5> stride, std::uint32_t bits = 32) {
  Tensor tensor;
  tensor.elementBits = bits;
  tensor.shape = shape;
  tensor.stride = stride;
  return describe(tensorFootprint(tensor));
}

} // namespace

TEST_CASE("footprints overlap exactly when their byte sets do, at every distance") {
  std::mt19937 random(20260821);
  int overlapping = 0, apart = 0;
  for (int round = 0; round < 600; ++round) {
    Footprint a = randomFootprint(random), b = randomFootprint(random);
    for (std::int64_t distance = -a.extent() - 2; distance <= b.extent() + 2; ++distance) {
      bool expected = share(a, b, distance);
      if (overlaps(a, b, distance) != expected) {
        CAPTURE(describe(a), describe(b), distance, expected);
        FAIL("overlaps disagrees with the byte sets");
      }
      if (overlaps(b, a, -distance) != expected)
        FAIL("overlaps depends on the order of its arguments");
      ++(expected ? overlapping : apart);
    }
  }
  // The sample must hold both answers, or it would test nothing.
  CHECK(overlapping > 1000);
  CHECK(apart > 1000);
}

TEST_CASE("interleaved columns of one matrix do not overlap") {
  Footprint left{16, 32, 64};
  CHECK(overlaps(left, left, 0));
  CHECK_FALSE(overlaps(left, left, 32));
  CHECK(overlaps(left, left, 33));
  CHECK(overlaps(left, left, 64));
  CHECK_FALSE(overlaps(left, left, 16 * 64));
}

TEST_CASE("the extent reaches from the first to the last byte") {
  CHECK(Footprint{1, 7, 7}.extent() == 7);
  CHECK(Footprint{3, 7, 10}.extent() == 27);
}

TEST_CASE("a full row-major tile is one run") {
  CHECK(validOf(plain(32, 128)) == "16384");
  CHECK(wholeOf(plain(32, 128)) == "16384");
}

TEST_CASE("a narrower valid region leaves gaps between rows, in whole blocks of 32 bytes") {
  CHECK(validOf(valid(plain(32, 128), 32, 64)) == "32x256/512");
  CHECK(validOf(valid(plain(32, 128), 32, 3)) == "32x32/512");
  CHECK(validOf(valid(plain(32, 128), 32, 121)) == "16384"); // the last block of a row reaches the next row
  CHECK(validOf(valid(plain(32, 128), 4, 128)) == "2048");
  CHECK(validOf(valid(plain(32, 128), 1, 64)) == "256");
  CHECK(wholeOf(valid(plain(32, 128), 1, 64)) == "16384");
}

TEST_CASE("rows shorter than a block overlap one another") {
  CHECK(validOf(valid(plain(8, 4), 8, 1)) == "144"); // seven strides of 16 bytes and one block
}

TEST_CASE("a column-major tile has its columns as runs") {
  CHECK(validOf(column(plain(128, 1))) == "512");
  CHECK(validOf(valid(column(plain(128, 1)), 60, 1)) == "256"); // 240 bytes in blocks
  CHECK(validOf(valid(column(plain(128, 4)), 16, 3)) == "3x64/512");
  CHECK(validOf(column(plain(128, 4))) == "2048");
}

TEST_CASE("without a static valid region everything is touched") {
  CHECK(validOf(valid(plain(32, 128), -1, 64)) == "16384");
  CHECK(validOf(valid(plain(32, 128), 32, -1)) == "16384");
  CHECK(validOf(valid(plain(32, 128), 0, 64)) == "16384"); // rather a misreading than no access
}

TEST_CASE("boxed, compact and padded tiles count in full") {
  Tile narrow = valid(plain(32, 128), 32, 64);
  CHECK(validOf(boxed(narrow)) == "16384");
  Tile compact = narrow;
  compact.compactMode = CompactMode::Normal;
  CHECK(validOf(compact) == "16384");
  Tile padded = narrow;
  padded.padded = true;
  CHECK(validOf(padded) == "16384");
}

TEST_CASE("a tile with one row more per column block reaches past its declared size") {
  Tile tile = boxed(column(plain(16, 64)));
  tile.compactMode = CompactMode::RowPlusOne;
  // 64 columns of 4 bytes are 8 blocks, each 17 rows of 32 bytes.
  CHECK(wholeOf(tile) == "4352");
  CHECK(validOf(tile) == "4352");
  tile.rows = 15;
  CHECK(wholeOf(tile) == "4352"); // rows are aligned to 16 first
  tile.rows = 17;
  CHECK(wholeOf(tile) == "8448");
}

TEST_CASE("4-bit elements count as a byte each, the larger reading") {
  Tile tile = plain(16, 64);
  tile.elementBits = 4;
  CHECK(wholeOf(tile) == "1024");
  CHECK(validOf(valid(tile, 16, 32)) == "1024");
}

TEST_CASE("a tile of unknown type has no footprint") {
  CHECK(wholeOf(plain(0, 64)) == "unknown");
  CHECK(wholeOf(plain(16, 0)) == "unknown");
  Tile tile = plain(16, 64);
  tile.elementBits = 0;
  CHECK(validOf(tile) == "unknown");
}

TEST_CASE("the valid footprint is never outside the whole one for full blocks") {
  for (std::uint32_t rows : {1u, 3u, 8u})
    for (std::uint32_t cols : {8u, 16u, 64u})
      for (std::int64_t validRows = 1; validRows <= rows; ++validRows)
        for (std::int64_t validCols = 1; validCols <= cols; ++validCols) {
          Tile tile = valid(plain(rows, cols), validRows, validCols);
          std::int64_t used = tileFootprint(tile, Extent::Valid)->extent();
          CHECK(used <= tileFootprint(tile, Extent::Whole)->extent());
          CHECK(used >= ((validRows - 1) * cols + validCols) * 4); // covers the last valid element
        }
}

TEST_CASE("a valid region is contiguous if its rows follow one another") {
  CHECK(contiguousValidRegion(plain(16, 64)));
  CHECK(contiguousValidRegion(valid(plain(16, 64), 4, 64)));
  CHECK(contiguousValidRegion(valid(plain(16, 64), 1, 3)));
  CHECK_FALSE(contiguousValidRegion(valid(plain(16, 64), 2, 63)));
  CHECK_FALSE(contiguousValidRegion(valid(plain(16, 64), -1, 64)));
  CHECK_FALSE(contiguousValidRegion(valid(plain(16, 64), 16, -1)));
  CHECK_FALSE(contiguousValidRegion(boxed(plain(16, 64))));
  Tile compact = plain(16, 64);
  compact.compactMode = CompactMode::Normal;
  CHECK_FALSE(contiguousValidRegion(compact));
}

TEST_CASE("a column-major valid region is contiguous if its columns follow one another") {
  CHECK(contiguousValidRegion(column(plain(16, 4))));
  CHECK(contiguousValidRegion(valid(column(plain(16, 4)), 16, 2)));
  CHECK(contiguousValidRegion(valid(column(plain(16, 4)), 3, 1)));
  CHECK_FALSE(contiguousValidRegion(valid(column(plain(16, 4)), 15, 2)));
}

TEST_CASE("repeats count the valid elements, rounded up") {
  CHECK(vectorRepeats(plain(16, 64), 256) == 16);
  CHECK(vectorRepeats(valid(plain(16, 64), 16, 60), 256) == 15);
  CHECK(vectorRepeats(valid(plain(16, 64), 16, 61), 256) == 16);
  CHECK(vectorRepeats(valid(plain(16, 64), 1, 1), 256) == 1);
  Tile half = plain(16, 64);
  half.elementBits = 16;
  CHECK(vectorRepeats(half, 256) == 8);
  Tile byte = plain(16, 64);
  byte.elementBits = 8;
  CHECK(vectorRepeats(byte, 256) == 4);
}

TEST_CASE("repeats are unknown for run-time regions and elements under a byte") {
  CHECK_FALSE(vectorRepeats(valid(plain(16, 64), -1, 64), 256));
  CHECK_FALSE(vectorRepeats(valid(plain(16, 64), 16, -1), 256));
  CHECK_FALSE(vectorRepeats(plain(16, 64), 0));
  Tile packed = plain(16, 64);
  packed.elementBits = 4;
  CHECK_FALSE(vectorRepeats(packed, 256));
}

TEST_CASE("a dense tensor is one run, whatever its dimensions") {
  CHECK(tensorOf({1, 1, 1, 32, 256}, {8192, 8192, 8192, 256, 1}) == "32768");
  CHECK(tensorOf({2, 3, 4, 5, 6}, {360, 120, 30, 6, 1}) == "2880");
  CHECK(tensorOf({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}) == "4");
  CHECK(tensorOf({1, 1, 1, 32, 256}, {8192, 8192, 8192, 256, 1}, 16) == "16384");
}

TEST_CASE("strides of dimensions with one entry do not matter") {
  CHECK(tensorOf({1, 1, 1, 8, 64}, {-1, -1, -1, 64, 1}) == "2048");
  CHECK(tensorOf({1, 1, 1, 1, 64}, {0, 0, 0, 7, 1}) == "256");
}

TEST_CASE("a part of a wider matrix is strided") {
  CHECK(tensorOf({1, 1, 1, 32, 64}, {1, 1, 1, 256, 1}) == "32x256/1024");
  CHECK(tensorOf({1, 1, 4, 32, 64}, {1, 1, 64, 256, 1}) == "32768"); // four parts fill the rows
}

TEST_CASE("a column-major (DN) tensor is found by its strides") {
  CHECK(tensorOf({1, 1, 1, 64, 16}, {1, 1, 1, 1, 64}) == "4096");
  CHECK(tensorOf({1, 1, 1, 64, 16}, {1, 1, 1, 1, 128}) == "16x256/512");
}

TEST_CASE("more than one gap widens to the hull") {
  // Rows of 64 elements 256 apart, in 2 planes 8192 apart: from the first to the last element.
  CHECK(tensorOf({1, 1, 2, 8, 64}, {1, 1, 8192, 256, 1}) == std::to_string((8192 + 7 * 256 + 64) * 4));
}

TEST_CASE("run-time entries that matter leave a tensor without a footprint") {
  CHECK(tensorOf({1, 1, 1, -1, 64}, {1, 1, 1, 64, 1}) == "unknown");
  CHECK(tensorOf({1, 1, 1, 8, 64}, {1, 1, 1, -1, 1}) == "unknown");
  CHECK(tensorOf({1, 1, 1, 8, 64}, {1, 1, 1, 64, 1}, 0) == "unknown");
}

TEST_CASE("a tensor's footprint covers every element, and no byte set is missed") {
  std::mt19937 random(7);
  auto upTo = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(1, most)(random); };
  for (int round = 0; round < 400; ++round) {
    Tensor tensor;
    tensor.elementBits = 16;
    for (std::size_t i = 0; i < 5; ++i) {
      tensor.shape[i] = upTo(3);
      tensor.stride[i] = upTo(20);
    }
    Footprint footprint = tensorFootprint(tensor).value();
    std::set<std::int64_t> covered = bytesOf(footprint, 0);
    auto &shape = tensor.shape;
    for (std::int64_t n = 0; n < shape[0] * shape[1] * shape[2] * shape[3] * shape[4]; ++n) {
      std::int64_t rest = n, element = 0;
      for (std::size_t i = 5; i-- > 0; rest /= shape[i])
        element += rest % shape[i] * tensor.stride[i];
      if (!covered.count(element * 2) || !covered.count(element * 2 + 1)) {
        CAPTURE(describe(footprint), shape, tensor.stride, element);
        FAIL("an element lies outside the footprint");
      }
    }
  }
}

TEST_CASE("an entry of a ring begins up to one entry behind its slot's start") {
  Fifo fifo;
  fifo.direction = "DIR_V2C";
  fifo.slotBytes = 4096;
  fifo.slots = 4;
  Tensor half;
  half.elementBits = 32;
  half.shape = {1, 1, 1, 8, 64};
  CHECK(farthestEntry(fifo, half) == 3 * 4096 + 2048);
  half.shape[3] = -1;
  CHECK(!farthestEntry(fifo, half));
  half.shape[3] = 8;
  fifo.direction = "DIR_BOTH";
  CHECK(!farthestEntry(fifo, half));
}

namespace {

constexpr std::int64_t kRepeat = 256;

using Order = AccessOrder;

std::int64_t distance(std::int64_t lines, std::int64_t bytes, Order writes, Order reads, bool rows = true) {
  return chainDistance({lines, bytes, rows}, writes, reads, kRepeat);
}

/// Line and repeat of the line, in the order in which an instruction goes over them, for whole repeats only.
std::vector<std::pair<std::int64_t, std::int64_t>> walk(std::int64_t lines, std::int64_t chunks, Order order) {
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  if (order == Order::Columns) {
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
      for (std::int64_t line = 0; line < lines; ++line)
        steps.push_back({line, chunk});
  } else {
    for (std::int64_t line = 0; line < lines; ++line)
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
        steps.push_back({line, chunk});
  }
  return steps;
}

/// The smallest distance, counted.
std::int64_t counted(std::int64_t lines, std::int64_t chunks, Order writes, Order reads) {
  auto written = walk(lines, chunks, writes), read = walk(lines, chunks, reads);
  auto at = [](const auto &steps, const auto &step) {
    return static_cast<std::int64_t>(std::find(steps.begin(), steps.end(), step) - steps.begin());
  };
  std::int64_t smallest = lines * chunks;
  for (const auto &step : written)
    smallest = std::min(smallest, lines * chunks - at(written, step) + at(read, step));
  return smallest;
}

} // namespace

TEST_CASE("chain distance: sequential after sequential is the number of repeats") {
  CHECK(distance(16, 256, Order::Sequential, Order::Sequential) == 16);
  CHECK(distance(64, 512, Order::Sequential, Order::Sequential) == 128);
  CHECK(distance(16, 384, Order::Sequential, Order::Sequential) == 24);
  CHECK(distance(1, 4096, Order::Sequential, Order::Sequential) == 16);
  CHECK(distance(1, 3844, Order::Sequential, Order::Sequential) == 16); // the last repeat is not full
}

TEST_CASE("chain distance: going down the columns reads early what is written late") {
  // As measured on the library's code: sixteen repeats, and seven between a byte's write and its read.
  CHECK(distance(4, 1024, Order::Sequential, Order::Columns) == 7);
  CHECK(distance(4, 1024, Order::Columns, Order::Sequential) == 7);
  CHECK(distance(64, 512, Order::Columns, Order::Sequential) == 65);
  for (std::int64_t lines : {1, 2, 3, 8, 17})
    for (std::int64_t chunks : {1, 2, 5}) {
      CAPTURE(lines, chunks);
      CHECK(distance(lines, chunks * kRepeat, Order::Sequential, Order::Columns) ==
            counted(lines, chunks, Order::Sequential, Order::Columns));
      CHECK(distance(lines, chunks * kRepeat, Order::Columns, Order::Sequential) ==
            counted(lines, chunks, Order::Columns, Order::Sequential));
    }
}

TEST_CASE("chain distance: an order that may also be sequential counts as the worse of both") {
  // Columns after columns would be all repeats; but one of the two may go row by row.
  CHECK(distance(8, 1024, Order::Columns, Order::Columns) < 32);
  CHECK(distance(8, 1024, Order::Columns, Order::Columns) ==
        std::min(counted(8, 4, Order::Columns, Order::Sequential), counted(8, 4, Order::Sequential, Order::Columns)));
}

TEST_CASE("chain distance: row reductions take the first two repeats of a row together") {
  CHECK(distance(4, 1024, Order::Sequential, Order::Reduce) == 6); // as measured
  CHECK(distance(64, 512, Order::Sequential, Order::Reduce) == 64);
  CHECK(distance(32, 256, Order::Sequential, Order::Reduce) == 32);
  CHECK(distance(32, 64, Order::Sequential, Order::Reduce) == 8);
  // In one row too: its second repeat is read at once.
  CHECK(distance(1, 4096, Order::Sequential, Order::Reduce) == 15);
  CHECK(distance(1, 16384, Order::Sequential, Order::Reduce) == 63);
  // Rows between one and two repeats are copied by other means: nothing is known.
  CHECK(distance(64, 384, Order::Sequential, Order::Reduce) == 0);
}

TEST_CASE("chain distance: whole repeats before the ends of rows is sequential only for whole repeats") {
  CHECK(distance(16, 512, Order::Sequential, Order::Rows) == 32);
  CHECK(distance(64, 128, Order::Rows, Order::Sequential) == 32);
  CHECK(distance(16, 384, Order::Sequential, Order::Rows) == 0);
  CHECK(distance(1, 4608, Order::Rows, Order::Rows) == 18);
}

TEST_CASE("chain distance: nothing is known of unknown orders, of columns as lines and of empty shapes") {
  CHECK(distance(64, 512, Order::Unknown, Order::Sequential) == 0);
  CHECK(distance(64, 512, Order::Sequential, Order::Unknown) == 0);
  CHECK(distance(64, 512, Order::Sequential, Order::Elementwise) == 0); // resolved before
  CHECK(distance(64, 512, Order::Reduce, Order::Sequential) == 0);      // nobody writes so
  CHECK(distance(64, 512, Order::Sequential, Order::Columns, /*rows=*/false) == 0);
  CHECK(distance(64, 512, Order::Sequential, Order::Sequential, /*rows=*/false) == 128);
  CHECK(distance(0, 0, Order::Sequential, Order::Sequential) == 0);
}

TEST_CASE("chain distance: the lines of a tile are its rows, or its columns") {
  Tile tile;
  tile.elementBits = 32;
  tile.rows = tile.staticValidRows = 16;
  tile.cols = tile.staticValidCols = 64;
  CHECK(lineShape(tile) == LineShape{16, 256, true});
  tile.blockLayout = BlockLayout::ColMajor;
  CHECK(lineShape(tile) == LineShape{64, 64, false});
  tile.cols = tile.staticValidCols = 1;
  CHECK(lineShape(tile) == LineShape{1, 64, false});
  tile.staticValidRows = -1;
  CHECK(lineShape(tile) == LineShape{});
}
