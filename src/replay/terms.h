// A number that memory decides as a sum: unknown numbers, each so many times.
//
// `x * 1536` and `x * 32 + 192` are as far apart as 1504 times `x` minus 192 says: what the bounds and steps of `x`
// leave of that is what keeps them apart. A sum of more than a few unknown numbers counts as one unknown number of its
// own. Sound whatever the sum does in registers: bounds are given up where it may wrap, powers of two are not. Tested
// by tests/replay/terms_test.cpp.
#pragma once

#include "replay/range.h"

#include <cstdint>
#include <set>
#include <vector>

namespace ptosync::replay {

/// `factor`, not 0, times an unknown number that is in `range`.
struct Multiple {
  std::uint64_t unknown = 0; // which number it is, a base (value.h)
  std::int64_t factor = 1;
  Range range;
  bool operator==(const Multiple &) const = default;
};

/// Their sum modulo 2^64; ordered by `unknown`, each once.
using Terms = std::vector<Multiple>;

/// `terms` and `times` the `others`. Where they are too many, `whole` stands for all of it.
Terms sumOf(const Terms &terms, std::int64_t times, const Terms &others, std::uint64_t whole);

/// `one` minus `other`, however many terms that are.
Terms differenceOf(const Terms &one, const Terms &other);

/// Of the terms plus `offset`, up to a whole number of times 2^bits; `bits` from 1 to 64. A term whose values are such
/// numbers apart counts as one of them. All numbers where the others may leave 64 bits.
Range rangeOf(const Terms &terms, std::int64_t offset, std::uint8_t bits);

/// The numbers of bits up to which some term counts as one number, as far as they are less than `most`; and `most`.
std::set<std::uint8_t> bitsThatLeaveOut(const Terms &terms, std::uint8_t most);

} // namespace ptosync::replay
