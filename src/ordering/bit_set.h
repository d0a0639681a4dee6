// Sets of small numbers of one fixed size: the pending sets of the ordering engine.
//
//   BitSet owns its words; BitView and BitRow are a set that somebody else owns, to read and to write: a row of a
//   PendingState. Two sets that meet in an operation have one size (asserted: a shorter one would silently lose
//   members).
//
// Tested by tests/ordering/bit_set_test.cpp.
#pragma once

#include <llvm/ADT/SmallVector.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <compare>
#include <cstdint>

namespace ptosync {

class BitView {
public:
  BitView(const std::uint64_t *words, std::size_t count) : words(words), count(count) {}

  bool contains(std::uint32_t bit) const { return (words[bit / 64] >> (bit % 64)) & 1; }
  bool empty() const {
    return std::all_of(words, words + count, [](std::uint64_t word) { return word == 0; });
  }
  bool subsetOf(BitView other) const {
    assert(count == other.count);
    for (std::size_t i = 0; i < count; ++i)
      if (words[i] & ~other.words[i])
        return false;
    return true;
  }
  bool intersects(BitView other) const {
    assert(count == other.count);
    for (std::size_t i = 0; i < count; ++i)
      if (words[i] & other.words[i])
        return true;
    return false;
  }
  /// Calls `visit(bit)` for each member, ascending.
  template <typename Visit> void forEach(Visit visit) const {
    for (std::size_t i = 0; i < count; ++i)
      for (std::uint64_t word = words[i]; word; word &= word - 1)
        visit(static_cast<std::uint32_t>(i * 64 + std::countr_zero(word)));
  }
  /// The same for members of both sets, until `visit` returns false; false if it did.
  template <typename Visit> bool forEachShared(BitView other, Visit visit) const {
    assert(count == other.count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::uint64_t word = words[i] & other.words[i]; word; word &= word - 1)
        if (!visit(static_cast<std::uint32_t>(i * 64 + std::countr_zero(word))))
          return false;
    return true;
  }
  bool operator==(BitView other) const { return count == other.count && std::equal(words, words + count, other.words); }

protected:
  friend class BitRow;
  friend class BitSet;
  const std::uint64_t *words;
  std::size_t count;
};

class BitRow : public BitView {
public:
  BitRow(std::uint64_t *words, std::size_t count) : BitView(words, count), own(words) {}

  void insert(std::uint32_t bit) { own[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  void erase(std::uint32_t bit) { own[bit / 64] &= ~(std::uint64_t{1} << (bit % 64)); }
  void clear() { std::fill(own, own + count, 0); }
  void assign(BitView other) {
    assert(count == other.count);
    std::copy(other.words, other.words + count, own);
  }
  /// Returns true if the set grew.
  bool unite(BitView other) {
    assert(count == other.count);
    std::uint64_t grown = 0;
    for (std::size_t i = 0; i < count; ++i) {
      grown |= other.words[i] & ~own[i];
      own[i] |= other.words[i];
    }
    return grown != 0;
  }
  void intersect(BitView other) {
    assert(count == other.count);
    for (std::size_t i = 0; i < count; ++i)
      own[i] &= other.words[i];
  }
  void subtract(BitView other) {
    assert(count == other.count);
    for (std::size_t i = 0; i < count; ++i)
      own[i] &= ~other.words[i];
  }

private:
  std::uint64_t *own;
};

class BitSet {
public:
  BitSet() = default;
  explicit BitSet(std::uint32_t bits) : words((bits + 63) / 64, 0) {}
  explicit BitSet(BitView view) : words(view.words, view.words + view.count) {}

  operator BitView() const { return {words.data(), words.size()}; }

  void insert(std::uint32_t bit) { row().insert(bit); }
  void erase(std::uint32_t bit) { row().erase(bit); }
  void clear() { row().clear(); }
  /// Returns true if the set grew.
  bool unite(BitView other) { return row().unite(other); }
  void intersect(BitView other) { row().intersect(other); }
  void subtract(BitView other) { row().subtract(other); }

  bool contains(std::uint32_t bit) const { return view().contains(bit); }
  bool empty() const { return view().empty(); }
  bool subsetOf(BitView other) const { return view().subsetOf(other); }
  bool intersects(BitView other) const { return view().intersects(other); }
  template <typename Visit> void forEach(Visit visit) const { view().forEach(visit); }
  template <typename Visit> bool forEachShared(BitView other, Visit visit) const {
    return view().forEachShared(other, visit);
  }
  /// Some order of sets of one size.
  std::strong_ordering operator<=>(const BitSet &) const = default;

  BitRow row() { return {words.data(), words.size()}; }

private:
  BitView view() const { return *this; }

  llvm::SmallVector<std::uint64_t, 4> words;
};

} // namespace ptosync
