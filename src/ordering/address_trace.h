// Whose addresses are in a number.
//
//   (uint64_t)q + 4 * n                    q's address once, and a number: a place in what q points to
//   (uint64_t)q + (p - q) / 4 * 4          the difference went through a division: any place
//   (uint32_t)(uint64_t)p                  less than p's address: any place
//   q + (c ? 0 : p - q)                    one of several: any place
//
// A sum (scalar_value.h) has addresses as terms, and these say exactly where it leads. What an address leaves in a
// number in any other way is its trace: the arguments that the number may have been made from. A number without terms
// or trace is an index wherever it is added. Traces only grow, as values are joined and combined, and end where a
// comparison makes a truth value of them: that one says little, and what it says is looked at where it is compared
// (ScalarAnalysis). Tested by tests/ordering/scalar_value_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ptosync {

/// Pointer arguments of a kernel, one bit each by number. Some bits stand for several things (argumentBit).
using ArgumentSet = std::uint64_t;

/// Addresses that come from outside, or out of memory, and are no argument's.
inline constexpr ArgumentSet kOutside = ArgumentSet{1} << 63;

/// The bit of an argument; those from number 62 on share one.
inline ArgumentSet argumentBit(std::uint32_t number) { return ArgumentSet{1} << std::min<std::uint32_t>(number, 62); }

struct AddressTrace {
  ArgumentSet made = 0;  // whose addresses may be in it beside the terms
  bool whole = false;    // it is one of them and a number, or null: a choice between pointers is such a value
  bool relative = false; // it was made from differences of them: it says how they lie to each other, and no more
  bool operator==(const AddressTrace &) const = default;
};

} // namespace ptosync
