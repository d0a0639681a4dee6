// What is known about a scalar value of a kernel: a sum of atoms, modulo a power of two.
//
//   value = constant + sum(coefficient * atom)   (mod modulus),   lowest <= value <= highest
//
//   for (i = 0; i < n; ++i) {                i      counter of the loop, in [0, n)
//     uint64_t x = base + (i % 2) * 1024;    x      base + table {0, 1024}, of period 2
//     uint64_t y = x + 512;                  y - x  512: both are of one iteration, so the atoms cancel
//   }                                        x of this iteration and x of the next are 1024 apart, or -1024
//
// Atoms are what makes two values differ: a loop's iteration counter, a kernel argument, one of a few constants
// (`c ? a : b`), a table that a loop steps through (`i % 3`), or something opaque. An atom has one value per iteration
// of its scope, so two instructions of the same iteration may cancel it and two of different iterations may not.
// A term may be the address of a kernel argument's memory; whatever else of addresses is in a value is its
// AddressTrace. Wrap-around is kept: a value that went through 32-bit arithmetic is only known modulo 2^32, which is
// enough to compare two of them. Bounds are those of what may wrap; only signed sums and products of 64 bits do not
// overflow, as C++ has it.
//
// Sound: every run-time value satisfies its description. Tested by tests/ordering/scalar_value_test.cpp.
#pragma once

#include "kernel/expression.h"
#include "ordering/flow_graph.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// Pointer arguments of a kernel, one bit each by number. Some bits stand for several things (argumentBit).
using ArgumentSet = std::uint64_t;

/// Addresses that come from outside, or out of memory, and are no argument's.
inline constexpr ArgumentSet kOutside = ArgumentSet{1} << 63;

/// The bit of an argument; those from number 62 on share one.
inline ArgumentSet argumentBit(std::uint32_t number) { return ArgumentSet{1} << std::min<std::uint32_t>(number, 62); }

/// Says whose addresses are in a number.
///
///   (uint64_t)q + 4 * n                    q's address once, and a number: a place in what q points to
///   (uint64_t)q + (p - q) / 4 * 4          the difference went through a division: any place
///   (uint32_t)(uint64_t)p                  less than p's address: any place
///   q + (c ? 0 : p - q)                    one of several: any place
///
/// A sum has addresses as terms, and these say exactly where it leads. What an address leaves in a number in any other
/// way is its trace: the arguments that the number may have been made from. A number without terms or trace is an index
/// wherever it is added. Traces only grow as values are joined and combined. They end where a comparison makes a truth
/// value of them: that one says little, and what it says is looked at where it is compared (ScalarAnalysis).
struct AddressTrace {
  ArgumentSet made = 0;  // whose addresses may be in it beside the terms
  bool whole = false;    // it is one of them and a number, or null: a choice between pointers is such a value
  bool relative = false; // it was made from differences of them: it says how they lie to each other, and no more
  bool operator==(const AddressTrace &) const = default;
};

using AtomId = std::uint32_t;

/// No loop of a kernel that ends goes round more often: at one iteration a nanosecond that takes eighteen minutes.
inline constexpr std::int64_t kMostTrips = std::int64_t{1} << 40;

/// Inclusive bounds, as signed 64-bit numbers.
struct Interval {
  std::int64_t lowest = INT64_MIN, highest = INT64_MAX;
  bool operator==(const Interval &) const = default;
  bool bounded() const { return lowest > INT64_MIN / 4 && highest < INT64_MAX / 4; }
};

/// All values of a type; 64-bit unsigned values are not bounded.
Interval intervalOf(IntegerType type);
/// The same bounds, or those of the type where they need more than 64 bits.
Interval clip(__int128 lowest, __int128 highest, IntegerType type);

struct Term {
  AtomId atom;
  std::int64_t coefficient;
  bool operator==(const Term &) const = default;
};

struct ScalarValue {
  std::int64_t constant = 0;
  std::vector<Term> terms;   // by atom, coefficients never 0
  std::uint64_t modulus = 0; // 0: exact (modulo 2^64)
  Interval interval;
  IntegerType type;
  AddressTrace trace;
  bool addressed = false; // some term may be an argument's address, or there is a trace
  bool far = false;       // it may take an address out of every tensor
  bool isConstant() const { return terms.empty() && modulus == 0; }
  bool operator==(const ScalarValue &) const = default;
};

/// Returns true if residue and bounds leave one value for each choice of the atoms.
bool isDetermined(const ScalarValue &value);
/// Returns the one number within the bounds that the sum of the terms stands for where it is `sum`; empty if there is
/// none or there are several.
std::optional<std::int64_t> onlyValue(const ScalarValue &value, __int128 sum);
/// Returns true if the terms are what the value is, but for wrap-around at that many bits.
bool wrapsAt(const ScalarValue &value, unsigned bits);

struct Atom {
  enum class Kind : std::uint8_t {
    Counter,  // iterations of loop `scope` begun before this one: 0, 1, 2, ...
    Argument, // a kernel argument or core query: fixed for the run
    Choice,   // one of `table`
    Table,    // table[counter of `scope` % table.size()]
    Opaque,
  };
  Kind kind = Kind::Opaque;
  LoopId scope = kNone; // innermost loop in which it may change; kNone: fixed
  Interval interval;
  Interval inLoop;          // Counter: what instructions in the loop see, without the visit that leaves it
  bool pointer = false;     // Argument: the start of that argument's memory
  bool wide = false;        // Argument: an unsigned integer as wide as an address, which may be one
  std::uint32_t number = 0; // Argument: which
  std::vector<std::int64_t> table;
  /// Opaque results of an operator: `operands[0] op operands[1]`, evaluated in the type of the first; else empty.
  Operator op = Operator::Add;
  std::vector<ScalarValue> operands;
  bool iterations = false; // the operands are exact and depend on counters and tables of loops alone
  std::string key;         // equal keys in one kernel are the same atom
};

/// `left op right`; the operator is Equal, NotEqual, Less or LessEqual.
struct ScalarComparison {
  Operator op;
  ScalarValue left, right;
};

/// Makes and combines values; owns the atoms of one kernel.
class ScalarAlgebra {
public:
  static constexpr std::size_t kMostChoices = 16;
  static constexpr std::size_t kLongestTable = 64;

  /// No tensor is longer than so many bytes.
  void setLargestTensor(std::int64_t bytes) { largestTensor = bytes; }

  /// Takes for true that a sum of arguments, which no bounds of theirs let wrap, is between these.
  void assume(ScalarValue sum, Interval bounds) { assumed.emplace_back(std::move(sum), bounds); }

  AtomId atom(Atom description);
  const Atom &operator[](AtomId id) const { return atoms[id]; }

  ScalarValue constant(std::int64_t value, IntegerType type) const;
  ScalarValue ofAtom(AtomId atom, IntegerType type) const;
  ScalarValue opaque(std::string key, LoopId scope, IntegerType type, Interval interval);
  ScalarValue choice(std::string key, LoopId scope, IntegerType type, std::vector<std::int64_t> values);

  /// values[iteration of `scope` % size]. Without a scope: an unknown but fixed entry, the same for
  /// every such table of the kernel.
  ScalarValue table(LoopId scope, IntegerType type, std::vector<std::int64_t> values);

  /// The value converted to `type`.
  ScalarValue convert(ScalarValue value, IntegerType type) const;
  ScalarValue add(const ScalarValue &a, const ScalarValue &b, bool subtract) const;
  ScalarValue scale(const ScalarValue &a, std::int64_t factor) const;
  /// Any operator; `scope` is the loop of the evaluating statement.
  ScalarValue apply(Operator op, IntegerType type, const ScalarValue &a, const ScalarValue &b, LoopId scope);
  ScalarValue select(const ScalarValue &condition, const ScalarValue &whenTrue, const ScalarValue &whenFalse,
                     LoopId scope);

  /// Returns true if the value is the sum of its terms as it stands: no bounds of the atoms let that wrap at 64 bits.
  bool isExactSum(const ScalarValue &value) const;
  /// Returns the comparison that a condition is, itself or its opposite; nothing for any other condition.
  std::optional<ScalarComparison> comparisonOf(const ScalarValue &condition) const;
  /// Returns true or false if the condition always holds or never does; nothing if that is not decided.
  std::optional<bool> decided(const ScalarValue &condition) const;
  std::optional<bool> decided(const ScalarComparison &comparison) const;
  /// Returns the few values it may have, without repeats; none if they are too many or unknown.
  std::vector<std::int64_t> possibleValues(const ScalarValue &value) const;
  /// Returns the one argument whose memory a pointer points into; nothing if that is not certain, and then it may be
  /// any place. A pointer is such a place if it is an argument's address and a number that may be an index: no address
  /// went into the number, and it does not take the sum farther away than a tensor is long, or in front of its begin
  /// for certain.
  std::optional<AtomId> pointerRoot(const ScalarValue &value) const;
  /// Returns true for one argument's address and a number that no address went into, near or far.
  bool leadsToArgument(const ScalarValue &value) const { return rootOf(value).has_value(); }
  /// Returns all arguments whose addresses may be in the value in any way.
  ArgumentSet addressesIn(const ScalarValue &value) const;
  /// Returns the arguments whose addresses are terms of the value.
  ArgumentSet addressTerms(const ScalarValue &value) const;
  ArgumentSet pointsInto(const ScalarValue &value) const;
  /// Returns true if the value says nothing of addresses but how they lie to each other.
  bool isRelative(const ScalarValue &value) const;
  /// Notes that the value is one of these: it is made from what they are made from.
  void traceChoice(ScalarValue &value, const std::vector<const ScalarValue *> &among) const;
  /// Notes that the value has been made from these addresses, nobody knows how.
  static void traceFrom(ScalarValue &value, ArgumentSet addresses, bool relative = false);
  /// Returns true if an unknown number of 64 bits is added to an address as it is, by integer arithmetic: it counts
  /// bytes, and need not be an index.
  bool addsDistance(const ScalarValue &a, const ScalarValue &b) const;
  std::string describe(const ScalarValue &value) const;

private:
  ScalarValue computed(Operator op, IntegerType type, const ScalarValue &a, const ScalarValue &b, LoopId scope);
  ScalarValue normalised(ScalarValue value, IntegerType type) const;
  void traceSum(ScalarValue &sum, const ScalarValue &a, const ScalarValue &b, bool subtract) const;
  void traceResult(ScalarValue &result, Operator op, const ScalarValue &a, const ScalarValue &b) const;
  ScalarValue chosen(const ScalarValue &condition, const ScalarValue &whenTrue, const ScalarValue &whenFalse,
                     LoopId scope);
  std::optional<AtomId> rootOf(const ScalarValue &value) const;
  bool isFar(const ScalarValue &value) const;
  bool isFar(Interval interval) const;
  std::optional<Interval> textBounds(const Atom &atom) const;
  bool staysNear(const ScalarValue &value, AtomId root) const;
  std::optional<ScalarValue> tabulate(Operator op, IntegerType type, const ScalarValue &a, const ScalarValue &b);
  std::optional<ScalarValue> enumerateChoice(Operator op, IntegerType type, const ScalarValue &a, const ScalarValue &b,
                                             LoopId scope);
  struct Gap;
  Gap gapBetween(const ScalarValue &a, const ScalarValue &b) const;
  std::optional<ScalarValue> compare(Operator op, const ScalarValue &a, const ScalarValue &b) const;
  std::optional<ScalarValue> ofBoolean(Operator op, const ScalarValue &a, const ScalarValue &b) const;
  std::optional<ScalarValue> stepped(Operator op, IntegerType type, const ScalarValue &a, const ScalarValue &b);
  bool followsIterations(const ScalarValue &value) const;
  Interval chosenBounds(const ScalarValue &condition, const ScalarValue &whenTrue, const ScalarValue &whenFalse) const;
  ScalarValue result(Operator op, IntegerType type, const ScalarValue &a, const ScalarValue &b, LoopId scope,
                     Interval interval);
  ScalarValue remainder(IntegerType type, const ScalarValue &a, std::int64_t divisor, LoopId scope);
  std::string keyOf(const ScalarValue &value) const;
  LoopId scopeOf(const ScalarValue &value, LoopId otherwise) const;

  std::vector<Atom> atoms;
  std::map<std::string, AtomId> byKey;
  std::int64_t largestTensor = INT64_MAX;
  std::vector<std::pair<ScalarValue, Interval>> assumed;
};

/// The rest of a division that rounds down, in [0, divisor).
std::int64_t floorModulo(__int128 value, std::int64_t divisor);
/// `value` in (-modulus/2, modulus/2]; unchanged for modulus 0.
std::int64_t centred(std::int64_t value, std::uint64_t modulus);

} // namespace ptosync
