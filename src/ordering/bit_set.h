// Sets of small numbers of one fixed size: the pending sets of the ordering engine.
//
//   BitSet a      chunks:  [0..4095] -> 0110..   [4096..8191] -> none   [8192..] -> 1100..
//   BitSet b = a  shares them all; b.insert(7) gives b a first chunk of its own
//
// A set is a list of chunks of 4096 bits. Copies share chunks, and an operation on two sets looks at a chunk only where
// they do not share it: of what two states of the dataflow have in common, which is nearly all, nothing is copied and
// nothing is compared. So an operation costs a step for each 4096 bits, and 64 for each chunk that differs. A chunk
// without members is not kept (null).
// Sound: a chunk that several sets share is never written (`own` copies it first). Sets that share are for one thread
// at a time: whether a chunk is shared is asked without a lock. Two sets that meet in an operation have one size
// (asserted: a shorter one would silently lose members). It does not shrink by runs of ones.
// Tested by tests/ordering/bit_set_test.cpp.
#pragma once

#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/ADT/SmallVector.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace ptosync {

class BitSet {
public:
  BitSet() = default;
  explicit BitSet(std::uint32_t bits) : wordCount((bits + 63) / 64) {}

  void insert(std::uint32_t bit) { own(bit / kChunkBits)[wordIn(bit)] |= std::uint64_t{1} << (bit % 64); }
  void erase(std::uint32_t bit) {
    if (!contains(bit))
      return;
    const std::size_t i = bit / kChunkBits;
    own(i)[wordIn(bit)] &= ~(std::uint64_t{1} << (bit % 64));
    dropIfEmpty(i);
  }
  void clear() { chunks.clear(); }

  /// Returns true if the set grew.
  bool unite(const BitSet &other) {
    assert(wordCount == other.wordCount);
    bool grown = false;
    for (std::size_t i = 0; i < other.chunks.size(); ++i) {
      const Chunk *theirs = other.chunks[i].get(), *mine = at(i);
      if (!theirs || theirs == mine)
        continue;
      if (!mine) {
        room(i) = other.chunks[i];
        grown = true;
        continue;
      }
      if (isSubset(i, *theirs, *mine))
        continue;
      std::uint64_t *words = own(i);
      for (std::size_t word = 0; word < wordsOf(i); ++word)
        words[word] |= theirs->words()[word];
      grown = true;
    }
    return grown;
  }

  void intersect(const BitSet &other) {
    assert(wordCount == other.wordCount);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Chunk *theirs = other.at(i), *mine = chunks[i].get();
      if (!mine || theirs == mine)
        continue;
      if (!theirs) {
        chunks[i].reset();
        continue;
      }
      if (isSubset(i, *mine, *theirs))
        continue;
      std::uint64_t *words = own(i);
      for (std::size_t word = 0; word < wordsOf(i); ++word)
        words[word] &= theirs->words()[word];
      dropIfEmpty(i);
    }
  }

  void subtract(const BitSet &other) {
    assert(wordCount == other.wordCount);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Chunk *theirs = other.at(i), *mine = chunks[i].get();
      if (!mine || !theirs)
        continue;
      if (theirs == mine) {
        chunks[i].reset();
        continue;
      }
      if (!meet(i, *mine, *theirs))
        continue;
      std::uint64_t *words = own(i);
      for (std::size_t word = 0; word < wordsOf(i); ++word)
        words[word] &= ~theirs->words()[word];
      dropIfEmpty(i);
    }
  }

  bool contains(std::uint32_t bit) const {
    const Chunk *chunk = at(bit / kChunkBits);
    return chunk && ((chunk->words()[wordIn(bit)] >> (bit % 64)) & 1);
  }
  bool empty() const {
    return std::all_of(chunks.begin(), chunks.end(), [](const ChunkRef &chunk) { return !chunk; });
  }
  bool subsetOf(const BitSet &other) const {
    assert(wordCount == other.wordCount);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Chunk *theirs = other.at(i), *mine = chunks[i].get();
      if (mine && mine != theirs && (!theirs || !isSubset(i, *mine, *theirs)))
        return false;
    }
    return true;
  }
  bool intersects(const BitSet &other) const {
    assert(wordCount == other.wordCount);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Chunk *theirs = other.at(i), *mine = chunks[i].get();
      if (mine && theirs && (mine == theirs || meet(i, *mine, *theirs)))
        return true;
    }
    return false;
  }

  /// Calls `visit(bit)` for each member, ascending.
  template <typename Visit> void forEach(Visit visit) const {
    for (std::size_t i = 0; i < chunks.size(); ++i)
      for (std::size_t word = 0; chunks[i] && word < wordsOf(i); ++word)
        for (std::uint64_t left = chunks[i]->words()[word]; left; left &= left - 1)
          visit(bitOf(i, word, left));
  }
  /// The same for members of both sets, until `visit` returns false; false if it did.
  template <typename Visit> bool forEachShared(const BitSet &other, Visit visit) const {
    assert(wordCount == other.wordCount);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const Chunk *theirs = other.at(i), *mine = chunks[i].get();
      for (std::size_t word = 0; mine && theirs && word < wordsOf(i); ++word)
        for (std::uint64_t left = mine->words()[word] & theirs->words()[word]; left; left &= left - 1)
          if (!visit(bitOf(i, word, left)))
            return false;
    }
    return true;
  }
  /// Returns at most `most` of the members: those below `from` first, from there downwards, then the others, from the
  /// greatest one downwards.
  BitSet nearestBelow(std::uint32_t from, std::size_t most) const {
    BitSet kept;
    kept.wordCount = wordCount;
    auto keepDown = [&](std::uint32_t first, std::uint32_t end) {
      for (std::uint32_t word = (end + 63) / 64; word > first / 64 && most > 0; --word) {
        const Chunk *chunk = at((word - 1) / kChunkWords);
        if (!chunk) // on to the last word of the chunk before
          word = (word - 1) / kChunkWords * kChunkWords + 1;
        for (std::uint64_t left = chunk ? chunk->words()[(word - 1) % kChunkWords] : 0; left && most > 0;) {
          const std::uint32_t bit = (word - 1) * 64 + 63 - static_cast<std::uint32_t>(std::countl_zero(left));
          left &= ~(std::uint64_t{1} << (bit % 64));
          if (bit < first || bit >= end)
            continue;
          kept.insert(bit);
          --most;
        }
      }
    };
    keepDown(0, from);
    keepDown(from, static_cast<std::uint32_t>(wordCount * 64));
    return kept;
  }
  /// Takes the members from `first` on, below `end`, out of the set and calls `visit(bit)` for each, ascending.
  template <typename Visit> void takeOut(std::uint32_t first, std::uint32_t end, Visit visit) {
    llvm::SmallVector<std::uint32_t, 32> taken;
    for (std::size_t i = first / kChunkBits; i < chunks.size() && i * kChunkBits < end; ++i)
      for (std::size_t word = 0; chunks[i] && word < wordsOf(i); ++word)
        for (std::uint64_t left = chunks[i]->words()[word]; left; left &= left - 1)
          if (const std::uint32_t bit = bitOf(i, word, left); bit >= first && bit < end)
            taken.push_back(bit);
    for (std::uint32_t bit : taken)
      erase(bit);
    for (std::uint32_t bit : taken)
      visit(bit);
  }

  /// Some order of sets of one size.
  std::strong_ordering operator<=>(const BitSet &other) const {
    if (auto order = wordCount <=> other.wordCount; order != 0)
      return order;
    for (std::size_t i = 0; i < std::max(chunks.size(), other.chunks.size()); ++i) {
      const Chunk *theirs = other.at(i), *mine = at(i);
      if (mine == theirs)
        continue;
      if (!mine || !theirs)
        return !mine ? std::strong_ordering::less : std::strong_ordering::greater;
      if (int order = std::memcmp(mine->words(), theirs->words(), wordsOf(i) * sizeof(std::uint64_t)))
        return order <=> 0;
    }
    return std::strong_ordering::equal;
  }
  bool operator==(const BitSet &other) const { return (*this <=> other) == 0; }

private:
  static constexpr std::uint32_t kChunkWords = 64, kChunkBits = kChunkWords * 64;

  /// As many words as its set has there, behind it.
  class alignas(std::uint64_t) Chunk : public llvm::ThreadSafeRefCountedBase<Chunk> {
  public:
    static Chunk *zeros(std::size_t count) {
      Chunk *chunk = make(count);
      std::fill_n(chunk->words(), count, 0);
      return chunk;
    }
    static Chunk *copy(const Chunk &from, std::size_t count) {
      Chunk *chunk = make(count);
      std::copy_n(from.words(), count, chunk->words());
      return chunk;
    }
    std::uint64_t *words() { return reinterpret_cast<std::uint64_t *>(this + 1); }
    const std::uint64_t *words() const { return reinterpret_cast<const std::uint64_t *>(this + 1); }
    void operator delete(void *memory) { ::operator delete(memory); }

  private:
    static Chunk *make(std::size_t count) {
      return ::new (::operator new(sizeof(Chunk) + count * sizeof(std::uint64_t))) Chunk;
    }
  };
  using ChunkRef = llvm::IntrusiveRefCntPtr<Chunk>;

  static std::size_t wordIn(std::uint32_t bit) { return bit / 64 % kChunkWords; }
  static std::uint32_t bitOf(std::size_t chunk, std::size_t word, std::uint64_t left) {
    return static_cast<std::uint32_t>(chunk * kChunkBits + word * 64 + std::countr_zero(left));
  }
  std::size_t wordsOf(std::size_t chunk) const {
    return std::min<std::size_t>(kChunkWords, wordCount - chunk * kChunkWords);
  }
  const Chunk *at(std::size_t i) const { return i < chunks.size() ? chunks[i].get() : nullptr; }

  bool isSubset(std::size_t i, const Chunk &a, const Chunk &b) const {
    std::uint64_t beyond = 0;
    for (std::size_t word = 0; word < wordsOf(i); ++word)
      beyond |= a.words()[word] & ~b.words()[word];
    return beyond == 0;
  }
  bool meet(std::size_t i, const Chunk &a, const Chunk &b) const {
    std::uint64_t shared = 0;
    for (std::size_t word = 0; word < wordsOf(i); ++word)
      shared |= a.words()[word] & b.words()[word];
    return shared != 0;
  }

  ChunkRef &room(std::size_t i) {
    if (i >= chunks.size())
      chunks.resize(i + 1);
    return chunks[i];
  }
  /// The words of a chunk that no other set has.
  std::uint64_t *own(std::size_t i) {
    ChunkRef &chunk = room(i);
    if (!chunk)
      chunk = Chunk::zeros(wordsOf(i));
    else if (chunk->UseCount() > 1)
      chunk = Chunk::copy(*chunk, wordsOf(i));
    return chunk->words();
  }
  void dropIfEmpty(std::size_t i) {
    const std::uint64_t *words = chunks[i]->words();
    if (std::all_of(words, words + wordsOf(i), [](std::uint64_t word) { return word == 0; }))
      chunks[i].reset();
  }

  std::uint32_t wordCount = 0;
  llvm::SmallVector<ChunkRef, 1> chunks; // as far as there are members; null: none
};

} // namespace ptosync
