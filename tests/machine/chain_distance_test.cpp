#include "machine/chain_distance.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace ptosync;

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
