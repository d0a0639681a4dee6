// Seeded numbers that are the same on every platform.
//
// splitmix64 with explicit mappings to small integers; the standard library's distributions are
// free to differ between implementations, so none is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptosync::fuzz {

class RandomSource {
public:
  explicit RandomSource(std::uint64_t seed) : state(seed) {}

  std::uint64_t next() { return mix(state += 0x9e3779b97f4a7c15ull); }
  /// A number in [0, bound).
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }
  /// A number in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T> const T &pick(const std::vector<T> &values) {
    return values[static_cast<std::size_t>(below(static_cast<std::int64_t>(values.size())))];
  }

  /// A hash step: equal inputs, equal outputs.
  static std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
    return value ^ (value >> 31);
  }

private:
  std::uint64_t state;
};

} // namespace ptosync::fuzz
