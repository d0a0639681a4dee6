#include "replay/shadow.h"

#include <algorithm>

namespace ptosync::replay {
namespace {

constexpr std::int64_t kEverywhere = std::int64_t{1} << 60; // no on-chip memory is larger

} // namespace

void Shadow::clear(Memory &memory, std::int64_t begin, std::int64_t end) {
  auto cell = memory.upper_bound(begin);
  if (cell != memory.begin() && std::prev(cell)->second.end > begin)
    --cell;
  while (cell != memory.end() && cell->first < end) {
    auto [first, known] = *cell;
    cell = memory.erase(cell);
    if (first < begin) {
      Cell left = known;
      left.end = begin;
      memory[first] = left;
    }
    if (known.end > end)
      memory[end] = known;
  }
}

void Shadow::write(const Extents &bytes, std::uint32_t writer) {
  if (!bytes.space)
    return;
  Memory &memory = spaces[*bytes.space];
  if (bytes.whole || bytes.base != 0) {
    memory.clear();
    memory[-kEverywhere] = {kEverywhere, writer, 0};
    return;
  }
  for (std::int64_t row = 0; row < bytes.footprint.rows; ++row) {
    std::int64_t begin = bytes.address + row * bytes.footprint.stride, end = begin + bytes.footprint.rowBytes;
    clear(memory, begin, end);
    memory[begin] = {end, writer, bytes.address};
  }
}

void Shadow::append(std::vector<Origins> &origins, Origins next) {
  if (next.bytes <= 0)
    return;
  if (next.writer == kNone)
    next.source = 0;
  if (!origins.empty()) {
    Origins &last = origins.back();
    bool follows = next.writer == kNone || last.source + last.bytes == next.source;
    if (last.begin + last.bytes == next.begin && last.writer == next.writer && follows) {
      last.bytes += next.bytes;
      return;
    }
  }
  origins.push_back(next);
}

std::vector<Origins> Shadow::read(const Extents &bytes) const {
  std::vector<Origins> origins;
  if (!bytes.space || bytes.whole || bytes.base != 0)
    return origins;
  auto known = spaces.find(*bytes.space);
  static const Memory empty;
  const Memory &memory = known == spaces.end() ? empty : known->second;
  for (std::int64_t row = 0; row < bytes.footprint.rows; ++row) {
    std::int64_t at = bytes.address + row * bytes.footprint.stride, end = at + bytes.footprint.rowBytes;
    auto cell = memory.upper_bound(at);
    if (cell != memory.begin() && std::prev(cell)->second.end > at)
      --cell;
    for (; at < end && cell != memory.end() && cell->first < end; ++cell) {
      append(origins, {at - bytes.address, std::max<std::int64_t>(0, cell->first - at), kNone, 0});
      std::int64_t from = std::max(at, cell->first), to = std::min(end, cell->second.end);
      append(origins, {from - bytes.address, to - from, cell->second.writer, from - cell->second.base});
      at = to;
    }
    append(origins, {at - bytes.address, end - at, kNone, 0});
  }
  return origins;
}

} // namespace ptosync::replay
