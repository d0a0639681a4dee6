// Vector registers, masks and unaligned stores of the a5, as the recorder needs them: not values, but where each byte came from.
//
// A load reads a whole register, often past the end of a row, and a mask decides at the store which of it counts. What no
// store, comparison or address uses is no access that anybody could miss: so a register holds the addresses that each of its
// bytes was made of, an operation joins those of its inputs, and a read is recorded where a result is stored, compared or used
// as an address. Masks that depend on data are known in part: what they may and what they must contain.
#pragma once

#include "recorder.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <memory>
#include <type_traits>

namespace a5 {

using recorder::Pieces;
using recorder::Space;

constexpr unsigned kBytes = 256; // of a register
using Lanes = std::bitset<kBytes>;
using Addresses = std::array<std::uint32_t, kBytes>; // of the byte that each byte of a register was made of; 0: none

/// One load that a register's bytes were made of.
struct Source {
  std::shared_ptr<const Addresses> addresses;
  Lanes lanes;       // bytes of the register that hang on it; at least one: all of its addresses count
  bool each = true;  // byte by byte; otherwise every byte of the register hangs on all of the lanes (a sum of all elements)
};

struct Register {
  std::vector<Source> sources;
};

/// Bit i is byte i of a register: an element is active if the bit of its first byte is set.
struct Mask {
  Lanes may, must;
  static Mask known(const Lanes &lanes) { return {lanes, lanes}; }
};

inline Lanes elements(unsigned count, unsigned size) {
  Lanes lanes;
  for (unsigned i = 0; i < count && i * size < kBytes; ++i)
    lanes.set(i * size);
  return lanes;
}

/// All bytes of the elements whose first byte is set.
inline Lanes whole(const Lanes &first, unsigned size) {
  Lanes lanes;
  for (unsigned i = 0; i < kBytes; i += size)
    if (first[i])
      for (unsigned j = 0; j < size; ++j)
        lanes.set(i + j);
  return lanes;
}

inline std::vector<std::uint32_t> &pendingReads() {
  static std::vector<std::uint32_t> addresses;
  return addresses;
}

/// The bytes of the register in `lanes` are used: their addresses are read.
inline void use(const Register &value, const Lanes &lanes) {
  for (const Source &source : value.sources) {
    Lanes used = source.each ? source.lanes & lanes : lanes.any() ? source.lanes : Lanes{};
    for (unsigned i = 0; i < kBytes; ++i)
      if (used[i] && (*source.addresses)[i])
        pendingReads().push_back((*source.addresses)[i]);
  }
}

inline void addSorted(Pieces &pieces, bool write, std::vector<std::uint32_t> &addresses) {
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  for (std::uint32_t at : addresses)
    recorder::add(pieces, write, Space::UB, at, at + 1);
  addresses.clear();
}

/// Records what was used since, and the bytes written.
inline void record(const char *name, std::vector<std::uint32_t> written = {}) {
  Pieces pieces;
  addSorted(pieces, false, pendingReads());
  addSorted(pieces, true, written);
  if (!pieces.empty())
    recorder::access("PIPE_V", name, pieces);
}

/// A long sum holds many loads: what has been loaded for it is read.
inline void settle(Register &value) {
  if (value.sources.size() <= 64)
    return;
  use(value, Lanes{}.set());
  record("vector function");
  value.sources.clear();
}

template <typename Place> Register loaded(std::uint64_t base, Place place) {
  auto addresses = std::make_shared<Addresses>();
  for (unsigned i = 0; i < kBytes; ++i) {
    std::int64_t offset = place(i);
    (*addresses)[i] = offset < 0 ? 0 : static_cast<std::uint32_t>(base + offset);
  }
  return {{Source{addresses, Lanes{}.set(), true}}};
}

/// Byte i of the result is made of byte `from(i)` of the input; -1: of none.
template <typename From> void permute(Register &result, const Register &input, const Lanes &lanes, From from) {
  for (const Source &source : input.sources) {
    Source moved{nullptr, {}, source.each};
    if (!source.each) {
      moved = source;
    } else {
      auto addresses = std::make_shared<Addresses>();
      addresses->fill(0);
      for (int i = 0; i < static_cast<int>(kBytes); ++i) {
        int old = from(i);
        if (old < 0 || !source.lanes[old] || !lanes[old])
          continue;
        (*addresses)[i] = (*source.addresses)[old];
        moved.lanes.set(i);
      }
      moved.addresses = std::move(addresses);
    }
    if (moved.lanes.any())
      result.sources.push_back(std::move(moved));
  }
}

/// The result hangs on the input's bytes in `lanes`, byte by byte.
inline void join(Register &result, const Register &input, const Lanes &lanes) {
  for (const Source &source : input.sources) {
    Source part = source;
    if (part.each)
      part.lanes &= lanes;
    else if (lanes.none())
      continue;
    if (part.lanes.none())
      continue;
    bool known = std::any_of(result.sources.begin(), result.sources.end(), [&](Source &other) {
      if (other.addresses != part.addresses || other.each != part.each)
        return false;
      other.lanes |= part.lanes;
      return true;
    });
    if (!known)
      result.sources.push_back(std::move(part));
  }
}

/// Every byte of the result hangs on all of the input's bytes in `lanes`.
inline void gather(Register &result, const Register &input, const Lanes &lanes) {
  for (const Source &source : input.sources) {
    Source part{source.addresses, source.each ? source.lanes & lanes : lanes.any() ? source.lanes : Lanes{}, false};
    if (part.lanes.any())
      result.sources.push_back(std::move(part));
  }
}

/// A store that is not aligned: bytes follow one another from the first address on.
struct Unaligned {
  std::uint64_t next = 0;
};

} // namespace a5

#define VECTOR(name, bytes)                                                                                            \
  struct name : a5::Register {                                                                                         \
    static constexpr unsigned size = bytes;                                                                            \
  };
VECTOR(vector_f32, 4) VECTOR(vector_f16, 2) VECTOR(vector_bf16, 2) VECTOR(vector_u8, 1) VECTOR(vector_s8, 1)
VECTOR(vector_u16, 2) VECTOR(vector_s16, 2) VECTOR(vector_u32, 4) VECTOR(vector_s32, 4) VECTOR(vector_u64, 8)
VECTOR(vector_s64, 8) VECTOR(vector_f8e5m2, 1) VECTOR(vector_f8e4m3, 1) VECTOR(vector_hif8, 1) VECTOR(vector_f8e8m0, 1)
VECTOR(vector_f4e1m2x2, 1) VECTOR(vector_f4e2m1x2, 1)
#undef VECTOR
struct vector_bool : a5::Mask {
  vector_bool() = default;
  vector_bool(const a5::Mask &mask) : a5::Mask(mask) {}
};
struct vector_address {};
using vector_align = a5::Unaligned;

namespace a5 {

/// The library wraps registers into a class of its own.
template <typename T> auto &bare(T &&value) {
  if constexpr (requires { value.reg; })
    return value.reg;
  else
    return value;
}
template <typename T> using Bare = std::remove_cvref_t<decltype(bare(std::declval<T &>()))>;
template <typename T> concept IsRegister = std::is_base_of_v<Register, Bare<T>>;
template <typename T> concept IsMask = std::is_base_of_v<Mask, Bare<T>>;
template <typename T> constexpr unsigned sizeOf() { return Bare<T>::size; }

} // namespace a5
