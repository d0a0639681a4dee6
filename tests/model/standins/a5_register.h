// Vector registers, masks and unaligned stores of the a5, as the recorder needs them: not values, but where each byte came from.
// Compiled by itself (a5_register.cpp), with optimisation and without the compiler's hooks.
//
// A load reads a whole register, often past the end of a row, and a mask decides at the store which of it counts. What no
// store, comparison or address uses is no access that anybody could miss: so a register holds the addresses that each of its
// bytes was made of, an operation joins those of its inputs, and a read is recorded where a result is stored, compared or used
// as an address. Masks that depend on data are known in part: what they may and what they must contain.
#pragma once

#include "recorder.h"

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

/// The first bytes of `count` elements.
Lanes elements(unsigned count, unsigned size);
/// All bytes of the elements whose first byte is set.
Lanes whole(const Lanes &first, unsigned size);

/// The bytes of the register in `lanes` are used: the next record has their addresses as reads.
void use(const Register &value, const Lanes &lanes);
/// Records what was used since, and the bytes written.
void record(const char *name, std::vector<std::uint32_t> written = {});
/// A long sum holds many loads: what has been loaded for it is read.
void settle(Register &value);

/// For each byte of a register another number; -1: none.
using Table = std::array<int, kBytes>;
template <typename Place> Table tableOf(Place place) {
  Table table;
  for (int i = 0; i < static_cast<int>(kBytes); ++i)
    table[i] = static_cast<int>(place(i));
  return table;
}

/// Byte i of the register comes from the base and table[i].
Register loaded(std::uint64_t base, const Table &table);
/// Byte i of the result is made of byte table[i] of the input, if that is in `lanes`.
void permute(Register &result, const Register &input, const Table &table);
/// The result hangs on the input's bytes in `lanes`, byte by byte.
void join(Register &result, const Register &input, const Lanes &lanes);
/// Every byte of the result hangs on all of the input's bytes in `lanes`.
void gather(Register &result, const Register &input, const Lanes &lanes);

/// How a store takes a register apart.
struct Store {
  unsigned element; // bytes of the element that one bit of the mask stands for
  unsigned kept;    // of which so many are stored
  bool one = false; // only the first
};
void store(const Register &value, std::uint64_t base, const Store &how, const Mask &mask);

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
