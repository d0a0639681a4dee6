// The checker's integers: linear forms over unknown numbers, with bounds and remainders, in C++'s arithmetic.
//
//   int64_t v9 (a counter)            v9                      bounds [0, max], any remainder
//   v9 * 512 + 64                     512 * v9 + 64           remainder 64 of 512
//   (uint64_t) v9 % 2                 an unknown of [0, 1]; 0 where v9 is known to be even
//   v9 < n                            the unknown "n - v9 - 1 >= 0", a truth value
//
// An unknown is a name for a value that the text computes; the same name is the same value, as long as the loops that
// it changes with (`loops`) are in the same iteration. Every operation is exact where bounds show that the type holds
// its result, and makes a new unknown otherwise: so forms are equal only if the values are, and bounds and remainders
// are over-approximations. Signed arithmetic of 64 bits does not overflow, as C++ says; that of fewer bits may wrap.
// Tested by tests/check/number_test.cpp: every operator on every pair of small values and edges of the types.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync::check {

using Wide = __int128; // room for sums and products of bounds

struct Range {
  Wide low, high; // inclusive
};

/// Of an integer type.
struct IntegerType {
  int bits = 32;
  bool isSigned = true;
  Range range() const;
  bool operator==(const IntegerType &) const = default;
};

struct Number {
  std::map<int, std::int64_t> terms; // factor, by unknown
  std::int64_t constant = 0;
  IntegerType type;
  bool isConstant() const { return terms.empty(); }
  bool operator==(const Number &) const = default;
  bool sameValue(const Number &other) const { return terms == other.terms && constant == other.constant; }
};

struct Unknown {
  std::string name; // does not depend on what else was named
  Range range;
  std::int64_t modulus = 1, remainder = 0; // the value is remainder + modulus * k
  std::set<int> loops;                     // that it changes with
  std::string test; // of a truth value: ">=", "==", "&&", "||"; what it tells of `parts`; "wrap":
                    // it is what is left of parts[0] in its type
  std::vector<Number> parts;
};

/// Sixteen hexadecimal digits (FNV-1a, 64 bits).
std::string hashOf(const std::string &text);

/// The unknowns of one walk, by number.
class Numbers {
public:
  const Unknown &operator[](int number) const { return list[number]; }
  /// The unknown of that name, range and remainder; made if it is new.
  int named(const std::string &name, Range range, const std::set<int> &loops, std::int64_t modulus = 1,
            std::int64_t remainder = 0);
  Number constant(std::int64_t value, IntegerType type = {64, true}) const;
  Number of(int unknown, IntegerType type) const;

  Number convert(const Number &value, IntegerType type);
  Number binary(const std::string &by, Number a, Number b);
  Number choose(const Number &condition, const Number &yes, const Number &no);
  Number negate(const Number &truth) const;                                // of a truth value
  Number add(const Number &a, const Number &b, std::int64_t factor) const; // a + factor * b, not reduced to a type
  Number scale(const Number &a, std::int64_t factor) const;

  Range bounds(const Number &value) const;
  /// The modulus and remainder of the value; a modulus of 0: it is constant.
  std::pair<std::int64_t, std::int64_t> congruence(const Number &value) const;
  /// The modulus and remainder, of 1 and 0 at least, of what is one of both.
  std::pair<std::int64_t, std::int64_t> congruence(const Number &one, const Number &other) const;
  std::set<int> loopsOf(const Number &value) const;
  std::string show(const Number &value) const;

private:
  Number opaque(const std::string &name, const std::vector<Number> &of, Range range, IntegerType type,
                std::int64_t modulus = 1, std::int64_t remainder = 0);
  Number divide(const Number &a, const Number &b, bool rest);
  Number compare(const std::string &by, const Number &a, const Number &b);
  Number bits(const std::string &by, const Number &a, const Number &b);
  Number truth(const std::string &test, const std::vector<Number> &parts);

  std::vector<Unknown> list;
  std::map<std::string, int> byKey;
  std::set<std::string> names; // no two unknowns have one
};

} // namespace ptosync::check
