// A number that memory decides as a sum: unknown numbers, each so many times.
//
// `x * 1536` and `x * 32 + 192` are as far apart as 1504 times `x` minus 192 says: what the bounds and steps of `x`
// leave of that is what keeps them apart. A sum of more than a few unknown numbers counts as one unknown number of its
// own. Sound whatever the sum does in registers: bounds are given up where it may wrap, powers of two are not. Tested
// by tests/replay/terms_test.cpp.
#pragma once

#include "replay/range.h"

#include <cstdint>
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

/// A number is `offset` plus a whole number of times 2^bits.
struct Residue {
  std::int64_t offset = 0;
  std::uint8_t bits = 0; // 0: nothing is said; 64: it is `offset`, as registers of 64 bits count
  bool operator==(const Residue &) const = default;
};

/// `terms` and `times` the `others`. Where they are too many, `whole` stands for all of it.
Terms sumOf(const Terms &terms, std::int64_t times, const Terms &others, std::uint64_t whole);

/// `one` minus `other`, however many terms that are.
Terms differenceOf(const Terms &one, const Terms &other);

/// Of the terms plus `offset`, as registers hold it; all numbers where it may wrap.
Range rangeOf(const Terms &terms, std::int64_t offset);

/// What is left of the terms plus `offset` whatever the unknown numbers are, and if it wraps.
Residue residueOf(const Terms &terms, std::int64_t offset);

} // namespace ptosync::replay
