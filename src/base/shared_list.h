// A list of fixed length whose copies share what they have in common.
//
//   SharedList a(100)   [0..31] -> c0   [32..63] -> c1   ..
//   SharedList b = a    shares them all; b.set(40, x) gives b a [32..63] of its own
//
// For dataflow over many variables, of which a block changes few: a copy costs a step for each 32 elements, and two
// lists are compared only where they do not share. Elements are changed by `set` alone, so nothing that is shared is
// written. Lists that share are for one thread at a time: whether a chunk is shared is asked without a lock. Tested by
// tests/base/shared_list_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace ptosync {

template <typename T> class SharedList {
public:
  static constexpr std::size_t kChunk = 32; // elements

  SharedList() = default;
  explicit SharedList(std::size_t size)
      : count(size), chunks((size + kChunk - 1) / kChunk, std::make_shared<Chunk>()) {}

  std::size_t size() const { return count; }
  std::size_t chunkCount() const { return chunks.size(); }
  const T &operator[](std::size_t i) const { return (*chunks[i / kChunk])[i % kChunk]; }
  void set(std::size_t i, T value) {
    std::shared_ptr<Chunk> &chunk = chunks[i / kChunk];
    if (chunk.use_count() > 1)
      chunk = std::make_shared<Chunk>(*chunk);
    (*chunk)[i % kChunk] = std::move(value);
  }

  /// Returns true if the two have the elements from `chunk` * kChunk on in common, as far as a chunk goes, because one
  /// is a copy of the other; false if they may differ.
  bool shares(const SharedList &other, std::size_t chunk) const { return chunks[chunk] == other.chunks[chunk]; }

  bool operator==(const SharedList &other) const {
    return count == other.count && std::equal(chunks.begin(), chunks.end(), other.chunks.begin(),
                                              [](const auto &a, const auto &b) { return a == b || *a == *b; });
  }

private:
  using Chunk = std::array<T, kChunk>;

  std::size_t count = 0;
  std::vector<std::shared_ptr<Chunk>> chunks;
};

} // namespace ptosync
