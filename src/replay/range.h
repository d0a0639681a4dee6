// Bounds of a number that memory decides, and the steps between what it may be: what its types and the arithmetic
// leave of them.
//
// Numbers of 64 bits are bounded as if they were signed; bounds hold for what registers hold, so that sums may wrap
// and then have none but those of the type. Signed sums and products of 64 bits do not: in C++ that is undefined.
// Over-approximate; branches narrow nothing.
// Tested by tests/replay/range_test.cpp.
#pragma once

#include "kernel/expression.h"

#include <cstdint>
#include <optional>

namespace ptosync::replay {

struct Range {
  std::int64_t low = INT64_MIN, high = INT64_MAX; // inclusive
  std::int64_t step = 1;                          // it is `low` plus a whole number of these
  bool operator==(const Range &) const = default;
  bool single() const { return low == high; }
};

/// All numbers of the type.
Range rangeOf(IntegerType type);

/// True if no number in the range is changed by conversion to the type.
bool fits(const Range &range, IntegerType type);

/// What of the range is from `low` to `high`; all of it if nothing is.
Range within(const Range &range, std::int64_t low, std::int64_t high);

/// What a comparison says of any two numbers in the ranges; empty if that depends on the numbers.
std::optional<bool> compared(Operator op, IntegerType operands, const Range &left, const Range &right);

/// Of a number that is in one of the two.
Range spanOf(const Range &one, const Range &other);

/// A number is `offset` plus a whole number of times 2^bits.
struct Residue {
  std::int64_t offset = 0;
  std::uint8_t bits = 0; // 0: nothing is said; 64: it is `offset`, as registers of 64 bits count
  bool operator==(const Residue &) const = default;
};

/// What agrees with both, or with the one of them that says more.
Range aligned(const Range &range, const Residue &residue);

/// False if no two numbers in these ranges are from `low` to `high` apart, `to` minus `from`.
bool mayBeApart(const Range &from, const Range &to, std::int64_t low, std::int64_t high);

/// What conversion to the type leaves.
Range converted(const Range &range, IntegerType type);

/// Of a binary operator on numbers of `operands`, with a result of `type`.
Range rangeOf(Operator op, IntegerType operands, const Range &left, const Range &right, IntegerType type);

} // namespace ptosync::replay
