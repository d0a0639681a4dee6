// A fixed-size set of small numbers: the pending sets of the ordering engine.
// Tested by tests/ordering/bit_set_test.cpp.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <vector>

namespace ptosync {

class BitSet {
public:
  BitSet() = default;
  explicit BitSet(std::uint32_t bits) : words((bits + 63) / 64, 0) {}

  void insert(std::uint32_t bit) { words[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  void erase(std::uint32_t bit) { words[bit / 64] &= ~(std::uint64_t{1} << (bit % 64)); }
  bool contains(std::uint32_t bit) const { return (words[bit / 64] >> (bit % 64)) & 1; }
  bool empty() const {
    for (std::uint64_t word : words)
      if (word)
        return false;
    return true;
  }
  void clear() {
    for (std::uint64_t &word : words)
      word = 0;
  }
  /// True if the set grew.
  bool unite(const BitSet &other) {
    std::uint64_t grown = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      grown |= other.words[i] & ~words[i];
      words[i] |= other.words[i];
    }
    return grown != 0;
  }
  void intersect(const BitSet &other) {
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] &= other.words[i];
  }
  void subtract(const BitSet &other) {
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] &= ~other.words[i];
  }
  bool subsetOf(const BitSet &other) const {
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] & ~other.words[i])
        return false;
    return true;
  }
  bool intersects(const BitSet &other) const {
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] & other.words[i])
        return true;
    return false;
  }
  /// Calls `visit(bit)` for each member, ascending.
  template <typename Visit> void forEach(Visit visit) const {
    for (std::size_t i = 0; i < words.size(); ++i)
      for (std::uint64_t word = words[i]; word; word &= word - 1)
        visit(static_cast<std::uint32_t>(i * 64 + std::countr_zero(word)));
  }
  /// The same for members of both sets, until `visit` returns false; false if it did.
  template <typename Visit> bool forEachShared(const BitSet &other, Visit visit) const {
    for (std::size_t i = 0; i < words.size(); ++i)
      for (std::uint64_t word = words[i] & other.words[i]; word; word &= word - 1)
        if (!visit(static_cast<std::uint32_t>(i * 64 + std::countr_zero(word))))
          return false;
    return true;
  }
  auto operator<=>(const BitSet &) const = default;

private:
  std::vector<std::uint64_t> words;
};

} // namespace ptosync
