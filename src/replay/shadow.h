// Who wrote each byte of the on-chip memories last, as a run goes on.
//
//   writes, in program order --> intervals of bytes --> what a read finds: writer and place in its result
//
// A write of unknown place is everywhere. Exact for the footprints it is given; those over-approximate.
// Tested by tests/replay/shadow_test.cpp.
#pragma once

#include "replay/work.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ptosync::replay {

/// Bytes [begin, begin + bytes) of a read, from its own start, come from `writer`, from `source` bytes behind the start
/// of what that wrote.
struct Origins {
  std::int64_t begin = 0, bytes = 0;
  std::uint32_t writer = kNone; // kNone: nobody
  std::int64_t source = 0;
  bool operator==(const Origins &) const = default;
};

class Shadow {
public:
  void write(const Extents &bytes, std::uint32_t writer);
  /// By position, neighbours of one origin joined. Of a place that is not known: empty.
  std::vector<Origins> read(const Extents &bytes) const;

private:
  struct Cell {
    std::int64_t end = 0;
    std::uint32_t writer = kNone;
    std::int64_t base = 0; // address of the first byte of what it wrote
  };
  using Memory = std::map<std::int64_t, Cell>; // by first byte; disjoint
  static void clear(Memory &memory, std::int64_t begin, std::int64_t end);
  static void append(std::vector<Origins> &origins, Origins next);

  std::map<std::size_t, Memory> spaces;
};

} // namespace ptosync::replay
