// Bounds of a number that memory decides, the steps between what it may be, and sums of such numbers.
//
//   uint8_t x; x * 32 + 192         x is between 0 and 255; the sum between 192 and 8352 in steps of 32
//   x * 1536 against x * 32 + 192   the difference is 1504 x - 192: between -192 and 383328 in steps of 1504, so never
//   0
//
// Numbers of 64 bits are bounded as if they were signed; bounds hold for what registers hold, so that sums may wrap and
// then have none but those of the type. Signed sums and products of 64 bits do not wrap: in C++ that is undefined.
// Terms say which unknown numbers are in a number, each so many times. A sum of more than a few counts as one unknown
// number of its own. Bounds are given up where it may wrap, powers of two are not. Over-approximates; branches narrow
// nothing. Tested by tests/replay/number/range_test.cpp.
#pragma once

#include "kernel/expression.h"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace ptosync::replay {

struct Range {
  std::int64_t low = INT64_MIN, high = INT64_MAX; // inclusive
  std::int64_t step = 1;                          // it is `low` plus a whole number of these
  bool operator==(const Range &) const = default;
  bool single() const { return low == high; }
};

/// Returns all numbers of the type.
Range rangeOf(IntegerType type);

/// Returns true if no number in the range is changed by conversion to the type.
bool fits(const Range &range, IntegerType type);

/// Returns what of the range is from `low` to `high`; all of it if nothing is.
Range within(const Range &range, std::int64_t low, std::int64_t high);

/// Returns what a comparison says of any two numbers in the ranges; empty if that depends on the numbers.
std::optional<bool> compared(Operator op, IntegerType operands, const Range &left, const Range &right);

/// Returns a range of both: a number is in one of the two.
Range spanOf(const Range &one, const Range &other);

/// A number is `offset` plus a whole number of times 2^bits.
struct Residue {
  std::int64_t offset = 0;
  std::uint8_t bits = 0; // 0: nothing is said; 64: it is `offset`, as registers of 64 bits count
  bool operator==(const Residue &) const = default;
};

/// Returns what agrees with both, or with the one of them that says more.
Range aligned(const Range &range, const Residue &residue);

/// Returns false if no two numbers in these ranges are from `low` to `high` apart, `to` minus `from`.
bool mayBeApart(const Range &from, const Range &to, std::int64_t low, std::int64_t high);

/// Returns what conversion to the type leaves.
Range converted(const Range &range, IntegerType type);

/// Returns the range of a binary operator on numbers of `operands`, with a result of `type`.
Range rangeOf(Operator op, IntegerType operands, const Range &left, const Range &right, IntegerType type);

/// `factor`, not 0, times an unknown number that is in `range`.
struct Multiple {
  std::uint64_t unknown = 0; // which number it is, a base (value.h)
  std::int64_t factor = 1;
  Range range;
  bool operator==(const Multiple &) const = default;
};

/// Their sum modulo 2^64; ordered by `unknown`, each once.
using Terms = std::vector<Multiple>;

/// Returns `terms` and `times` the `others`. Where they are too many, `whole` stands for all of it.
Terms sumOf(const Terms &terms, std::int64_t times, const Terms &others, std::uint64_t whole);

/// Returns `one` minus `other`, however many terms that are.
Terms differenceOf(const Terms &one, const Terms &other);

/// Returns the range of the terms plus `offset`, up to a whole number of times 2^bits; `bits` from 1 to 64. A term
/// whose values are such numbers apart counts as one of them. All numbers where the others may leave 64 bits.
Range rangeOf(const Terms &terms, std::int64_t offset, std::uint8_t bits);

/// Returns the numbers of bits up to which some term counts as one number, as far as they are less than `most`; and
/// `most`.
std::set<std::uint8_t> bitsThatLeaveOut(const Terms &terms, std::uint8_t most);

} // namespace ptosync::replay
