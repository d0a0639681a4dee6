// What somebody who knows a kernel's launches says of its arguments: `assume`.
//
//   // ptosync: assume(v6 >= 0 && v6 < 48 && v7 <= v6 + 1)
//
//     v6          from 0 to 47               a bound of one number
//     v7 - v6     at most 1                  a relation of several
//
// An assumption is taken for true by everything that decides: it is not proved, and nothing here asks whether it holds
// on the device. Every report lists those that were made, and no run of the replay breaks one. Each side of a
// comparison is a sum of numbers, arguments and core queries (`get_block_idx()`), each as it is or times a constant;
// comparisons are joined by `&&`. Not for pointers, memory, or what the kernel computes. Tested by
// tests/kernel/assumption_test.cpp.
#pragma once

#include "kernel/expression.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

/// A sum of numbers that do not change during a run is between two bounds.
struct Assumption {
  enum class Origin : std::uint8_t {
    Comment, // of the kernel's text
    Option,  // --assume
    Machine, // what the machine's data says of a core query
  };
  struct Term {
    std::string name;                      // of an argument or a query
    std::optional<std::uint32_t> argument; // its number; empty: a query
    IntegerType type = {};
    std::int64_t factor = 1; // never 0; of a single term 1
  };
  std::vector<Term> terms; // at least one, by name, each once
  std::int64_t lowest = INT64_MIN, highest = INT64_MAX;
  std::string text;       // the comparison as written
  std::uint32_t line = 0; // of the comment; 0: none
  Origin origin = Origin::Comment;
};

/// Returns one for each comparison, with names but neither numbers nor types. The error says in one clause what cannot
/// be read, and what to write.
llvm::Expected<std::vector<Assumption>> readAssumptions(llvm::StringRef text);

/// Inclusive, as signed numbers.
struct NumberBounds {
  std::int64_t lowest = INT64_MIN, highest = INT64_MAX;
  bool empty() const { return lowest > highest; }
  bool operator==(const NumberBounds &) const = default;
};

/// Returns the bounds of an argument or a query by those of its type and the assumptions of it alone. A bound of an
/// unsigned number of 64 bits counts only where there is an upper one; then it is not negative.
NumberBounds boundsOf(const std::vector<Assumption> &assumptions, const Expression &number);
NumberBounds boundsOf(const std::vector<Assumption> &assumptions, const Assumption::Term &number);

/// Returns the first relation that does not hold for these numbers; null if all do. `valueOf` returns what a term is.
const Assumption *firstBroken(const std::vector<Assumption> &assumptions,
                              const std::function<std::int64_t(const Assumption::Term &)> &valueOf);

/// "v6 >= 0 (line 12)", "v6 < 48 (--assume)", "0 <= get_block_idx() (machine model)".
std::string describe(const Assumption &assumption);
/// The same with one for all that come from one place: "v6 >= 0 && v6 < 48 (line 12)".
std::vector<std::string> describe(const std::vector<Assumption> &assumptions);

} // namespace ptosync
