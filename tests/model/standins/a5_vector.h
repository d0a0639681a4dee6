// Stand-ins for the intrinsics of the a5's vector functions: loads, stores, masks, and what goes from register to register.
//
// Not seen: addresses that depend on data (gathers, scatters, squeezed stores).
#pragma once

#include "a5_register.h"

#include <map>

/// Inside a vector function the unit's own scalar accesses count as the vector pipe's.
#define __VEC_SCOPE__ if (recorder::VectorScope scope; true)

// How loads and stores lay a register out. Each name is a type of its own: the library chooses among them by decltype.
#define LAYOUTS(ONE)                                                                                                   \
  ONE(NORM) ONE(BRC_B8) ONE(BRC_B16) ONE(BRC_B32) ONE(BLK) ONE(UNPK_B8) ONE(UNPK_B16) ONE(UNPK_B32) ONE(UNPK4_B8)      \
  ONE(DINTLV_B8) ONE(DINTLV_B16) ONE(DINTLV_B32) ONE(E2B_B16) ONE(E2B_B32) ONE(US) ONE(US_B8) ONE(US_B16) ONE(DS)      \
  ONE(DS_B8) ONE(DS_B16) ONE(PK) ONE(NORM_B8) ONE(NORM_B16) ONE(NORM_B32) ONE(ONEPT_B8) ONE(ONEPT_B16) ONE(ONEPT_B32)  \
  ONE(PK_B16) ONE(PK_B32) ONE(PK_B64) ONE(PK4_B32) ONE(INTLV_B8) ONE(INTLV_B16) ONE(INTLV_B32)
namespace a5 {
#define ONE(name) name,
enum Literal { LAYOUTS(ONE) };
#undef ONE
template <Literal Name> struct Layout {
  constexpr operator Literal() const { return Name; }
};
} // namespace a5
#define ONE(name) inline constexpr a5::Layout<a5::name> name{};
LAYOUTS(ONE)
#undef ONE
#undef LAYOUTS
// Numbered as the library numbers its own; standins/library.h compares.
enum class DistVST {
  DIST_NORM_B8, DIST_NORM_B16, DIST_NORM_B32, DIST_ONEPT_B8, DIST_ONEPT_B16, DIST_ONEPT_B32, DIST_PK_B16, DIST_PK_B32, DIST_INTLV_B8,
  DIST_INTLV_B16, DIST_PK_B64, DIST_INTLV_B32, DIST_PK4_B32, DIST_MRG4CHN_B8, DIST_MRG2CHN_B8, DIST_MRG2CHN_B16, DIST_NORM, DIST_ONEPT
};
enum class Dist { DIST_NORM, DIST_US, DIST_DS, DIST_PK };
enum class Spr { AR = 74 };
enum Bins { Bin_N0, Bin_N1 };
enum PostUpdate { POST_UPDATE };
enum Pattern { PAT_ALL, PAT_ALLF, PAT_H, PAT_Q, PAT_M3, PAT_M4, PAT_VL1, PAT_VL2, PAT_VL3, PAT_VL4, PAT_VL8, PAT_VL16, PAT_VL32, PAT_VL64, PAT_VL128 };
enum Mode { MODE_ZEROING, MODE_MERGING, MODE_STORED, MODE_NO_STORED };
enum Part { PART_EVEN, PART_ODD, PART_P0 = 0, PART_P1 = 1, PART_P2, PART_P3 };
enum Half { LOWER, HIGHER, LOWEST = 0, HIGHEST = 1 };
enum Rounding { ROUND_R, ROUND_A, ROUND_F, ROUND_C, ROUND_Z, ROUND_O, ROUND_H };
enum Lowest { POS_LOWEST, POS_HIGHEST };
enum Saturation { RS_ENABLE, RS_DISABLE };
enum IndexOrder { INC_ORDER, DEC_ORDER };
enum Sprs { SPR_AR };
enum MemoryBarrier { VST_VLD, VLD_VST, VST_VST, VV_ALL, VST_LD, VST_ST, VLD_ST, ST_VLD, ST_VST, LD_VST, SS_ALL, ST_LD, LD_ST, ST_ST, VS_ALL, SV_ALL };
constexpr unsigned ELE_CNT_B8 = 256, ELE_CNT_B16 = 128, ELE_CNT_B32 = 64;

template <typename T> void mem_bar(T) {}
template <typename T> void sprclr(T) {}
template <typename D, typename A, typename... Rest> void chistv2(D &&to, const A &from, const Rest &...rest);

namespace a5 {

template <typename... A> constexpr bool updates = (std::is_same_v<std::remove_cvref_t<A>, PostUpdate> || ...);

/// The base of an access; with `update` it is the pointer itself, which then moves on by the offset.
template <typename T, typename Offset> std::uint64_t addressed(T *&pointer, Offset offset, bool update) {
  T *base = update ? pointer : pointer + offset;
  if (update)
    pointer += offset;
  return recorder::at(base);
}
template <typename T, typename Offset> std::uint64_t addressed(T *&&pointer, Offset offset, bool update) {
  return recorder::at(update ? pointer : pointer + offset);
}

/// Where byte i of a register lies in memory, behind the base.
inline std::int64_t placeOf(Literal distribution, int i) {
  switch (distribution) {
  case BRC_B8: return 0;
  case BRC_B16: return i % 2;
  case BRC_B32: return i % 4;
  case BLK: return i % 32;
  case UNPK_B8: return i % 2 < 1 ? i / 2 : -1;
  case UNPK_B16: return i % 4 < 2 ? i / 4 * 2 + i % 4 : -1;
  case UNPK_B32: return i % 8 < 4 ? i / 8 * 4 + i % 8 : -1;
  case UNPK4_B8: return i % 4 < 1 ? i / 4 : -1;
  case E2B_B16: return i / 32 * 2 + i % 2;
  case E2B_B32: return i / 32 * 4 + i % 4;
  case US_B8: return i / 2;
  case US_B16: return i / 4 * 2 + i % 2;
  case DS_B8: return i * 2;
  case DS_B16: return i / 2 * 4 + i % 2;
  default: return i;
  }
}

inline const Table &placesOf(Literal distribution) {
  static std::map<Literal, Table> known;
  auto [place, fresh] = known.try_emplace(distribution);
  if (fresh)
    place->second = tableOf([&](int i) { return placeOf(distribution, i); });
  return place->second;
}

inline unsigned apart(Literal distribution) {
  return distribution == DINTLV_B8 || distribution == INTLV_B8 ? 1 : distribution == DINTLV_B16 || distribution == INTLV_B16 ? 2 : 4;
}

} // namespace a5

template <typename R, typename T, typename Offset, typename... Update>
  requires(a5::IsRegister<R> && std::is_pointer_v<std::remove_reference_t<T>>)
void vlds(R &&to, T &&pointer, Offset offset, a5::Literal distribution, Update...) {
  std::uint64_t base = a5::addressed(std::forward<T>(pointer), offset, a5::updates<Update...>);
  static_cast<a5::Register &>(a5::bare(to)) = a5::loaded(base, a5::placesOf(distribution));
}
/// Two registers, element by element in turn.
template <typename R, typename S, typename T, typename Offset, typename... Update>
  requires(a5::IsRegister<R> && a5::IsRegister<S> && std::is_pointer_v<std::remove_reference_t<T>>)
void vlds(R &&even, S &&odd, T &&pointer, Offset offset, a5::Literal distribution, Update...) {
  std::uint64_t base = a5::addressed(std::forward<T>(pointer), offset, a5::updates<Update...>);
  int size = a5::apart(distribution);
  auto half = [&](int which) { return a5::tableOf([=](int i) { return i / size * 2 * size + which * size + i % size; }); };
  static_cast<a5::Register &>(a5::bare(even)) = a5::loaded(base, half(0));
  static_cast<a5::Register &>(a5::bare(odd)) = a5::loaded(base, half(1));
}

namespace a5 {


inline Store storeOf(DistVST distribution) {
  switch (distribution) {
  case DistVST::DIST_NORM_B8: return {1, 1};
  case DistVST::DIST_NORM_B16: return {2, 2};
  case DistVST::DIST_ONEPT_B8: return {1, 1, true};
  case DistVST::DIST_ONEPT_B16: return {2, 2, true};
  case DistVST::DIST_ONEPT_B32: return {4, 4, true};
  case DistVST::DIST_PK_B16: return {2, 1};
  case DistVST::DIST_PK_B32: return {4, 2};
  case DistVST::DIST_PK_B64: return {8, 4};
  case DistVST::DIST_PK4_B32: return {4, 1};
  default: return {4, 4};
  }
}
inline DistVST named(Literal distribution) {
  switch (distribution) {
  case NORM_B8: return DistVST::DIST_NORM_B8;
  case NORM_B16: return DistVST::DIST_NORM_B16;
  case ONEPT_B8: return DistVST::DIST_ONEPT_B8;
  case ONEPT_B16: return DistVST::DIST_ONEPT_B16;
  case ONEPT_B32: return DistVST::DIST_ONEPT_B32;
  case PK_B16: return DistVST::DIST_PK_B16;
  case PK_B32: return DistVST::DIST_PK_B32;
  case PK_B64: return DistVST::DIST_PK_B64;
  case PK4_B32: return DistVST::DIST_PK4_B32;
  default: return DistVST::DIST_NORM_B32;
  }
}
inline DistVST named(DistVST distribution) { return distribution; }
template <typename D, D Value> DistVST named(std::integral_constant<D, Value>) { return static_cast<DistVST>(static_cast<int>(Value)); }

} // namespace a5

template <typename R, typename T, typename Offset, typename D, typename M, typename... Update>
  requires(a5::IsRegister<R> && std::is_pointer_v<std::remove_reference_t<T>> && a5::IsMask<M>)
void vsts(R &&value, T &&pointer, Offset offset, D distribution, M &&mask, Update...) {
  a5::store(a5::bare(value), a5::addressed(std::forward<T>(pointer), offset, a5::updates<Update...>), a5::storeOf(a5::named(distribution)), a5::bare(mask));
}
/// Two registers, element by element in turn; the mask is that of both.
template <typename R, typename S, typename T, typename Offset, typename D, typename M, typename... Update>
  requires(a5::IsRegister<R> && a5::IsRegister<S> && std::is_pointer_v<std::remove_reference_t<T>>)
void vsts(R &&even, S &&odd, T &&pointer, Offset offset, D distribution, M &&mask, Update...) {
  std::uint64_t base = a5::addressed(std::forward<T>(pointer), offset, a5::updates<Update...>);
  unsigned size = 4;
  if constexpr (std::is_convertible_v<D, a5::Literal>)
    size = a5::apart(distribution);
  else
    size = a5::named(distribution) == DistVST::DIST_INTLV_B8 ? 1 : a5::named(distribution) == DistVST::DIST_INTLV_B16 ? 2 : 4;
  std::vector<std::uint32_t> written;
  a5::Lanes used = a5::whole(a5::bare(mask).may, size);
  for (unsigned i = 0; i < a5::kBytes; ++i)
    if (used[i])
      for (unsigned which : {0u, 1u})
        written.push_back(static_cast<std::uint32_t>(base + i / size * 2 * size + which * size + i % size));
  a5::use(a5::bare(even), used);
  a5::use(a5::bare(odd), used);
  a5::record("vsts", std::move(written));
}
/// Eight blocks of 32 bytes; the upper half of the word is the step between them, the lower one that to the next store, in blocks.
template <typename R, typename T, typename M, typename... Update>
void vsstb(R &&value, T &&pointer, std::uint32_t steps, M &&mask, Update...) {
  std::uint64_t base = recorder::at(pointer);
  a5::Lanes used = a5::whole(a5::bare(mask).may, a5::sizeOf<R>());
  std::vector<std::uint32_t> written;
  for (unsigned i = 0; i < a5::kBytes; ++i)
    if (used[i])
      written.push_back(static_cast<std::uint32_t>(base + i / 32 * (steps >> 16) * 32 + i % 32));
  a5::use(a5::bare(value), used);
  a5::record("vsstb", std::move(written));
  if constexpr (a5::updates<Update...> && std::is_lvalue_reference_v<T>)
    pointer += (steps & 0xffff) * 32 / sizeof(*pointer);
}

// Unaligned loads: what is prepared is read with the load.
template <typename Align, typename T> void vldas(Align &, T) {}
template <typename R, typename Align, typename T, typename... Rest> void vldus(R &&to, Align &, T &&pointer, Rest... rest) {
  static_cast<a5::Register &>(a5::bare(to)) = a5::loaded(recorder::at(pointer), a5::placesOf(NORM));
  if constexpr (a5::updates<Rest...> && std::is_lvalue_reference_v<T>)
    pointer += (0 + ... + (std::is_integral_v<Rest> ? static_cast<int>(rest) : 0));
}
/// Stores `count` elements from the pointer on.
template <typename Align, typename Count, typename R, typename T, typename... Update>
void vstus(Align &, Count count, R &&value, T &&pointer, Update...) {
  std::vector<std::uint32_t> written;
  a5::Lanes used;
  unsigned size = a5::sizeOf<R>();
  std::uint64_t base = recorder::at(pointer);
  for (unsigned i = 0; i < static_cast<unsigned>(count) * size && i < a5::kBytes; ++i) {
    used.set(i);
    written.push_back(static_cast<std::uint32_t>(base + i));
  }
  a5::use(a5::bare(value), used);
  a5::record("vstus", std::move(written));
  if constexpr (a5::updates<Update...> && std::is_lvalue_reference_v<T>)
    pointer += count * size / sizeof(*pointer);
}
template <typename Align, typename T, typename... Rest> void vstas(Align &, T, Rest...) {}
/// As many elements as an earlier squeeze left: at most all of them, from the pointer on.
template <typename Align, typename R, typename T, typename... Update> void vstur(Align &, R &&value, T &&, Update...) {
  a5::use(a5::bare(value), a5::Lanes{}.set());
  a5::record("vstur");
}
template <typename Align, typename T, typename... Rest> void vstar(Align &, T, Rest...) {}

// What lies where depends on data: only the offsets are seen.
template <typename R, typename T, typename I, typename M> void vgather2(R &&to, T, I &&index, M &&mask) {
  a5::use(a5::bare(index), a5::whole(a5::bare(mask).may, a5::sizeOf<I>()));
  a5::record("vgather2");
  a5::bare(to).sources.clear();
}
template <typename R, typename T, typename I, typename M> void vgather2_bc(R &&to, T base, I &&index, M &&mask) {
  vgather2(to, base, index, mask);
}
/// One offset a block of 32 bytes.
template <typename R, typename T, typename I, typename M> void vgatherb(R &&to, T, I &&offsets, M &&mask) {
  a5::Lanes used;
  for (unsigned i = 0; i < a5::kBytes; ++i)
    if (a5::bare(mask).may[i])
      for (unsigned byte = 0; byte < 4; ++byte)
        used.set(i / 32 * 4 + byte);
  a5::use(a5::bare(offsets), used);
  a5::record("vgatherb");
  a5::bare(to).sources.clear();
}
template <typename R, typename T, typename I, typename M> void vscatter(R &&value, T, I &&index, M &&mask) {
  a5::use(a5::bare(value), a5::whole(a5::bare(mask).may, a5::sizeOf<R>()));
  a5::use(a5::bare(index), a5::whole(a5::bare(mask).may, a5::sizeOf<I>()));
  a5::record("vscatter");
}

// Masks.
namespace a5 {

template <typename Count> Mask counted(Count &count, unsigned size) {
  auto all = kBytes / size;
  auto some = static_cast<unsigned>(count) < all ? static_cast<unsigned>(count) : all;
  count = static_cast<Count>(count - some);
  return Mask::known(elements(some, size));
}
inline Mask patterned(Pattern pattern, unsigned size) {
  unsigned all = kBytes / size;
  switch (pattern) {
  case PAT_ALL: return Mask::known(elements(all, size));
  case PAT_H: return Mask::known(elements(all / 2, size));
  case PAT_Q: return Mask::known(elements(all / 4, size));
  case PAT_VL1: return Mask::known(elements(1, size));
  case PAT_VL2: return Mask::known(elements(2, size));
  case PAT_VL3: return Mask::known(elements(3, size));
  case PAT_VL4: return Mask::known(elements(4, size));
  case PAT_VL8: return Mask::known(elements(8, size));
  case PAT_VL16: return Mask::known(elements(16, size));
  case PAT_VL32: return Mask::known(elements(32, size));
  case PAT_VL64: return Mask::known(elements(64, size));
  case PAT_VL128: return Mask::known(elements(128, size));
  case PAT_ALLF: return {};
  case PAT_M3:
  case PAT_M4: break;
  }
  return {elements(all, size), {}};
}

} // namespace a5

#define MASKS(suffix, bytes)                                                                                           \
  template <typename Count> vector_bool plt_##suffix(Count &count, PostUpdate) { return a5::counted(count, bytes); }   \
  inline vector_bool pset_##suffix(Pattern pattern) { return a5::patterned(pattern, bytes); }                          \
  inline vector_bool pge_##suffix(Pattern pattern) { return a5::patterned(pattern, bytes); }                           \
  template <typename D, typename E, typename A, typename B> void pintlv_##suffix(D &d, E &e, A a, B b) {               \
    a5::Mask low, high;                                                                                                \
    for (unsigned i = 0; i < a5::kBytes; ++i) {                                                                        \
      unsigned from = i / (2 * bytes) * bytes + i % bytes, half = a5::kBytes / 2;                                      \
      const a5::Mask &side = i / bytes % 2 ? static_cast<const a5::Mask &>(b) : static_cast<const a5::Mask &>(a);      \
      low.may[i] = side.may[from], low.must[i] = side.must[from];                                                      \
      high.may[i] = side.may[from + half], high.must[i] = side.must[from + half];                                      \
    }                                                                                                                  \
    d = low, e = high;                                                                                                 \
  }                                                                                                                    \
  template <typename D, typename E, typename A, typename B> void pdintlv_##suffix(D &d, E &e, A a, B b) {              \
    a5::Mask even, odd;                                                                                                \
    for (unsigned i = 0; i < 2 * a5::kBytes; ++i) {                                                                    \
      const a5::Mask &side = i < a5::kBytes ? static_cast<const a5::Mask &>(a) : static_cast<const a5::Mask &>(b);     \
      a5::Mask &to = i / bytes % 2 ? odd : even;                                                                       \
      unsigned at = i / (2 * bytes) * bytes + i % bytes;                                                               \
      to.may[at] = side.may[i % a5::kBytes], to.must[at] = side.must[i % a5::kBytes];                                  \
    }                                                                                                                  \
    d = even, e = odd;                                                                                                 \
  }
MASKS(b8, 1) MASKS(b16, 2) MASKS(b32, 4)
#undef MASKS

template <typename D, typename A, typename B, typename M> void pand(D &d, A a, B b, M m) { d = a5::Mask{a.may & b.may & m.may, a.must & b.must & m.must}; }
template <typename D, typename A, typename B, typename M> void por(D &d, A a, B b, M m) { d = a5::Mask{(a.may | b.may) & m.may, (a.must | b.must) & m.must}; }
template <typename D, typename A, typename B, typename M> void pxor(D &d, A a, B b, M m) {
  d = a5::Mask{((a.may & ~b.must) | (b.may & ~a.must)) & m.may, ((a.must & ~b.may) | (b.must & ~a.may)) & m.must};
}
template <typename D, typename A, typename M> void pnot(D &d, A a, M m) { d = a5::Mask{m.may & ~a.must, m.must & ~a.may}; }
template <typename D, typename A> void pmov(D &d, A a) { d = a; }
template <typename D, typename A, typename M> void pmov(D &d, A a, M m) { d = a5::Mask{a.may & m.may, a.must & m.must}; }
template <typename D, typename A, typename B, typename M> void psel(D &d, A a, B b, M m) {
  d = a5::Mask{(a.may & m.may) | (b.may & ~m.must), (a.must & m.must) | (b.must & ~m.may)};
}
template <typename D, typename A> void ppack(D &d, A a, Half half) {
  a5::Mask packed;
  for (unsigned i = 0; i < a5::kBytes / 2; ++i) {
    unsigned to = i + (half == LOWER ? 0 : a5::kBytes / 2);
    packed.may[to] = a.may[2 * i], packed.must[to] = a.must[2 * i];
  }
  d = packed;
}
template <typename D, typename A> void punpack(D &d, A a, Half half) {
  a5::Mask wide;
  for (unsigned i = 0; i < a5::kBytes / 2; ++i) {
    unsigned from = i + (half == LOWER ? 0 : a5::kBytes / 2);
    wide.may[2 * i] = a.may[from], wide.must[2 * i] = a.must[from];
  }
  d = wide;
}
namespace a5 {
inline unsigned maskBytes(Literal distribution) { return distribution == US || distribution == PK ? 16 : distribution == DS ? 64 : 32; }
inline unsigned maskBytes(Dist distribution) {
  return distribution == Dist::DIST_US || distribution == Dist::DIST_PK ? 16 : distribution == Dist::DIST_DS ? 64 : 32;
}
template <typename D, D Value> unsigned maskBytes(std::integral_constant<D, Value>) { return maskBytes(Value); }
} // namespace a5

/// A mask from memory: 32 bytes, or half as many. What it holds is data.
template <typename D, typename T, typename Offset, typename Distribution, typename... Update>
void plds(D &d, T &&pointer, Offset offset, Distribution distribution, Update...) {
  std::uint64_t base = recorder::at(pointer) + (a5::updates<Update...> ? 0 : offset); // the offset is one of bytes
  recorder::access("PIPE_V", "plds", {{false, recorder::Space::UB, base, base + a5::maskBytes(distribution)}});
  d = a5::Mask{a5::Lanes{}.set(), {}};
  if constexpr (a5::updates<Update...> && std::is_lvalue_reference_v<T>)
    pointer += offset / sizeof(*pointer);
}
template <typename D, typename T, typename Offset, typename Distribution, typename... Update>
void psts(D &&, T &&pointer, Offset offset, Distribution distribution, Update...) {
  std::uint64_t base = recorder::at(pointer) + (a5::updates<Update...> ? 0 : offset);
  recorder::access("PIPE_V", "psts", {{true, recorder::Space::UB, base, base + a5::maskBytes(distribution)}});
  if constexpr (a5::updates<Update...> && std::is_lvalue_reference_v<T>)
    pointer += offset / sizeof(*pointer);
}

// From register to register.
namespace a5 {

/// The lanes that the masks among the arguments leave; all without a mask.
template <typename... A> Lanes maskedLanes(unsigned size, const A &...arguments) {
  Lanes lanes = Lanes{}.set();
  auto narrow = [&](const auto &argument) {
    if constexpr (IsMask<decltype(argument)>)
      lanes &= whole(bare(argument).may, size);
  };
  (narrow(arguments), ...);
  return lanes;
}
template <typename... A> constexpr bool merges(const A &...arguments) {
  bool result = false;
  auto look = [&](const auto &argument) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(argument)>, Mode>)
      result = result || argument == MODE_MERGING;
  };
  (look(arguments), ...);
  return result;
}

/// Byte by byte; `keeps`: the result was an input too.
template <typename D, typename... A> void each(bool keeps, D &&to, const A &...inputs) {
  Register result;
  Lanes lanes = maskedLanes(sizeOf<D>(), inputs...);
  auto take = [&](const auto &input) {
    if constexpr (IsRegister<decltype(input)>)
      join(result, bare(input), lanes);
  };
  (take(inputs), ...);
  if (keeps || merges(inputs...))
    join(result, bare(to), Lanes{}.set());
  settle(result);
  static_cast<Register &>(bare(to)) = std::move(result);
}

/// Each byte of the result hangs on all active bytes of the inputs.
template <typename D, typename... A> void all(D &&to, const A &...inputs) {
  Register result;
  auto take = [&](const auto &input) {
    if constexpr (IsRegister<decltype(input)>)
      gather(result, bare(input), maskedLanes(sizeOf<decltype(input)>(), inputs...));
  };
  (take(inputs), ...);
  if (merges(inputs...))
    join(result, bare(to), Lanes{}.set());
  settle(result);
  static_cast<Register &>(bare(to)) = std::move(result);
}

/// A mask from data: at most the mask that was given.
template <typename D, typename... A> void compare(D &to, const A &...inputs) {
  Mask result{Lanes{}.set(), {}};
  auto take = [&](const auto &input) {
    if constexpr (IsRegister<decltype(input)>)
      use(bare(input), maskedLanes(sizeOf<decltype(input)>(), inputs...));
    if constexpr (IsMask<decltype(input)>)
      result.may &= bare(input).may;
  };
  (take(inputs), ...);
  record("vector function");
  to = result;
}

} // namespace a5

#define EACH(name) template <typename D, typename... A> void name(D &&to, const A &...inputs) { a5::each(false, to, inputs...); }
EACH(vadd) EACH(vsub) EACH(vmul) EACH(vdiv) EACH(vmax) EACH(vmin) EACH(vabs) EACH(vexp) EACH(vln) EACH(vsqrt) EACH(vrelu) EACH(vnot)
EACH(vand) EACH(vor) EACH(vxor) EACH(vshl) EACH(vshr) EACH(vadds) EACH(vmuls) EACH(vmaxs) EACH(vmins) EACH(vshls) EACH(vshrs)
EACH(vlrelu) EACH(vprelu) EACH(vneg) EACH(vmod) EACH(vmov) EACH(vtrc) EACH(vci) EACH(vbr) EACH(vrsqrt) EACH(vrec) EACH(vrnd) EACH(vexpdif)
EACH(vsubs) EACH(vdivs) EACH(vands) EACH(vors) EACH(vxors)
#undef EACH
#define ACCUMULATE(name) template <typename D, typename... A> void name(D &&to, const A &...inputs) { a5::each(true, to, inputs...); }
ACCUMULATE(vmula) ACCUMULATE(vmadd) ACCUMULATE(vaxpy) ACCUMULATE(vmulas)
#undef ACCUMULATE
#define ALL(name) template <typename D, typename... A> void name(D &&to, const A &...inputs) { a5::all(to, inputs...); }
ALL(vcadd) ALL(vcmax) ALL(vcmin) ALL(vcgadd) ALL(vcgmax) ALL(vcgmin) ALL(vcpadd) ALL(vselr) ALL(vsqz) ALL(vusqz) ALL(vpack) ALL(vunpack)
ALL(vsunpack) ALL(vzunpack) ALL(vslide) ALL(vsort32)
#undef ALL
#define COMPARE(name)                                                                                                  \
  template <typename D, typename... A> void vcmp_##name(D &to, const A &...inputs) { a5::compare(to, inputs...); }     \
  template <typename D, typename... A> void vcmps_##name(D &to, const A &...inputs) { a5::compare(to, inputs...); }
COMPARE(eq) COMPARE(ne) COMPARE(lt) COMPARE(le) COMPARE(gt) COMPARE(ge)
#undef COMPARE

template <typename D, typename A, typename... Rest> void chistv2(D &&to, const A &from, const Rest &...rest) { a5::all(to, from, rest...); }
/// A scalar to all elements, or one element of a register: the lowest where that is known to be the first, else any.
template <typename D, typename A, typename... Rest> void vdup(D &&to, const A &from, const Rest &...rest) {
  a5::Register result;
  if constexpr (a5::IsRegister<A>) {
    bool lowest = false, first = true;
    auto look = [&](const auto &argument) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(argument)>, Lowest>)
        lowest = argument == POS_LOWEST;
      if constexpr (a5::IsMask<decltype(argument)>)
        first = first && a5::bare(argument).must[0];
    };
    (look(rest), ...);
    a5::gather(result, a5::bare(from), lowest && first ? a5::whole(a5::elements(1, 1), a5::sizeOf<A>()) : a5::Lanes{}.set());
  }
  if (a5::merges(rest...))
    a5::join(result, a5::bare(to), a5::Lanes{}.set());
  static_cast<a5::Register &>(a5::bare(to)) = std::move(result);
}
/// Where the mask is set the first, elsewhere the second.
template <typename D, typename A, typename B, typename M> void vsel(D &&to, const A &first, const B &second, const M &mask) {
  a5::Register result;
  a5::join(result, a5::bare(first), a5::whole(a5::bare(mask).may, a5::sizeOf<D>()));
  a5::join(result, a5::bare(second), ~a5::whole(a5::bare(mask).must, a5::sizeOf<D>()));
  static_cast<a5::Register &>(a5::bare(to)) = std::move(result);
}
// With a carry, or in two halves.
template <typename C, typename D, typename... A> void vaddc(C &carry, D &&to, const A &...inputs) { a5::compare(carry, inputs...); a5::each(false, to, inputs...); }
template <typename C, typename D, typename... A> void vsubc(C &carry, D &&to, const A &...inputs) { a5::compare(carry, inputs...); a5::each(false, to, inputs...); }
template <typename C, typename D, typename A, typename B, typename In, typename M>
void vaddcs(C &carry, D &&to, const A &a, const B &b, const In &, const M &mask) { vaddc(carry, to, a, b, mask); }
template <typename C, typename D, typename A, typename B, typename In, typename M>
void vsubcs(C &carry, D &&to, const A &a, const B &b, const In &, const M &mask) { vsubc(carry, to, a, b, mask); }
template <typename D, typename E, typename A, typename B, typename... Rest>
void vmull(D &&low, E &&high, const A &a, const B &b, const Rest &...rest) {
  a5::Register result;
  a5::Lanes lanes = a5::maskedLanes(a5::sizeOf<D>(), rest...);
  a5::join(result, a5::bare(a), lanes);
  a5::join(result, a5::bare(b), lanes);
  static_cast<a5::Register &>(a5::bare(low)) = result;
  static_cast<a5::Register &>(a5::bare(high)) = result;
}

/// Elements of a type become those of another: the wider one sets the places, the part says which of the narrow ones.
template <typename D, typename A, typename... Rest> void vcvt(D &&to, const A &from, const Rest &...rest) {
  constexpr int d = a5::sizeOf<D>(), a = a5::sizeOf<A>(), wide = d > a ? d : a, narrow = d > a ? a : d;
  int part = 0;
  auto look = [&](const auto &argument) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(argument)>, Part>)
      part = static_cast<int>(argument);
  };
  (look(rest), ...);
  a5::Lanes lanes = a5::maskedLanes(wide, rest...);
  a5::Register result;
  if (d == a)
    a5::join(result, a5::bare(from), lanes);
  else if (d > a) // every byte of a result hangs on its element
    a5::permute(result, a5::bare(from), a5::tableOf([&](int i) { return lanes[i] ? i / wide * wide + part * narrow + i % narrow : -1; }));
  else // and the other bytes of the wide element on it too
    for (int byte = 0; byte < wide; byte += narrow)
      a5::permute(result, a5::bare(from), a5::tableOf([&](int i) {
        return i % wide / narrow == part && lanes[i / wide * wide] ? i / wide * wide + byte + i % narrow : -1;
      }));
  if (a5::merges(rest...))
    a5::join(result, a5::bare(to), a5::Lanes{}.set());
  static_cast<a5::Register &>(a5::bare(to)) = std::move(result);
}

template <typename D, typename E, typename A, typename B> void vintlv(D &&low, E &&high, const A &a, const B &b) {
  const int size = a5::sizeOf<A>();
  a5::Register first, second;
  for (int half : {0, 1})
    for (int side : {0, 1})
      a5::permute(half ? second : first, side ? a5::bare(b) : a5::bare(a), a5::tableOf([&](int i) {
        return i / size % 2 == side ? half * 128 + i / (2 * size) * size + i % size : -1;
      }));
  static_cast<a5::Register &>(a5::bare(low)) = std::move(first);
  static_cast<a5::Register &>(a5::bare(high)) = std::move(second);
}
template <typename D, typename E, typename A, typename B> void vdintlv(D &&even, E &&odd, const A &a, const B &b) {
  const int size = a5::sizeOf<A>();
  a5::Register first, second;
  for (int which : {0, 1})
    for (int side : {0, 1})
      a5::permute(which ? second : first, side ? a5::bare(b) : a5::bare(a), a5::tableOf([&](int i) {
        return i / 128 == side ? i % 128 / size * 2 * size + which * size + i % size : -1;
      }));
  static_cast<a5::Register &>(a5::bare(even)) = std::move(first);
  static_cast<a5::Register &>(a5::bare(odd)) = std::move(second);
}
