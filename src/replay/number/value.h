// Where arithmetic on what memory holds leaves one of a few values.
//
// Remainders and masks of few values, comparisons, and what is computed from one of them and known numbers. Empty
// where the values are too many or depend on two loaded numbers: then the value is of unknown origin, with
// bounds (range.h).
// Tested by tests/replay/number/value_test.cpp.
#pragma once

#include "kernel/expression.h"
#include "replay/number/range.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ptosync::replay {

// A number that is one of a few, because a remainder, a mask or a comparison of what memory holds decides it.
//
// One run has one of them; an address made from it stands for all. Which one it is follows from a residue: of one
// unknown number, so that `(x & 3) * 512` and `((x + 1) & 3) * 512` never meet, whatever is loaded. Sound for two
// numbers of one root as far as sums do not wrap where the count is no power of two. What a run's control flow depends
// on is what it is in that run (Decided): other runs are there for other paths. Tested by
// tests/replay/number/value_test.cpp.

/// A well-mixed function of both.
std::uint64_t mix(std::uint64_t a, std::uint64_t b);

struct Choices {
  std::uint64_t root = 0;           // what the residue is of, a base (value.h); 0: of a number of its own each time
  std::vector<std::int64_t> values; // by residue modulo their number; a single one whatever the root is
  auto operator<=>(const Choices &) const = default;
};

/// Roots of what a run's control flow and event ids have depended on, and what it has asked of addresses.
struct Decided {
  std::set<std::uint64_t> roots;
  bool everything = false; // all that there are
  // Arguments that the text compares, or of whose addresses it makes one number, the lower one first: they may be one
  // buffer.
  std::set<std::pair<std::uint32_t, std::uint32_t>> related = {};
  bool mayMeet(std::uint32_t one, std::uint32_t other) const {
    return related.count({std::min(one, other), std::max(one, other)}) != 0;
  }
  bool has(const Choices &choices) const { return everything || roots.count(choices.root) != 0; }
};

/// Most numbers that are followed one by one, and so many of either sign.
inline constexpr std::int64_t kFewNumbers = 64;
inline constexpr std::size_t kMostChoices = 2 * kFewNumbers;

/// The residues of `root` + `offset` modulo `count`; for both signs where the number may be negative and the
/// remainder keeps its sign. Empty if they are too many.
std::optional<Choices> remainders(std::uint64_t root, std::int64_t offset, std::int64_t count, bool bothSigns);

/// Applies `change` to each value.
Choices changed(const Choices &choices, const std::function<std::int64_t(std::int64_t)> &change);

/// What comes of two choices of one root; empty if their values are too many, or their roots two, or `join` fails.
std::optional<Choices> joined(const Choices &a, const Choices &b,
                              const std::function<std::optional<std::int64_t>(std::int64_t, std::int64_t)> &join);

/// `whenTrue` where the condition is not 0, else `whenFalse`; empty as above.
std::optional<Choices> picked(const Choices &condition, const Choices &whenTrue, const Choices &whenFalse);

/// True if `meet` holds for some pair that may be at the same time.
bool anyPair(const Choices &a, const Choices &b, const std::function<bool(std::int64_t, std::int64_t)> &meet);

// A scalar while a kernel is replayed: its bits, and how far they can be relied on.
//
// The bits are always concrete and computed as C++ does. The origin says what else they could
// have been: a value made from memory contents is one sample of many, so an address made from
// it stands for any address, but for its distance from others made from the same contents:
// `sums` say what it is made of. Where it is one of a few, all of them are known (choices.h);
// where it is not, its bounds. The region remembers which memory a pointer points into, the form
// (address_form.h) which addresses of arguments a number was made from.
// Tested by tests/replay/run/evaluator_test.cpp.

enum class Origin : std::uint8_t {
  Fixed,    // the same in every run
  Argument, // made from kernel arguments or the place of the core: the same in every run with these
  Sampled,  // one of a few values: `choices`
  Unknown,  // made from memory contents, from an argument that may be any, or from what the frontend does not follow
};

/// The memory a pointer points into: a kernel argument's, an on-chip space, or not known.
class Region {
public:
  Region() = default;
  static Region argument(std::uint32_t number) { return Region(static_cast<std::int32_t>(number)); }
  static Region space(std::size_t space) { return Region(-2 - static_cast<std::int32_t>(space)); }
  bool known() const { return code != -1; }
  bool isArgument() const { return code >= 0; }
  bool isSpace() const { return code < -1; }
  std::uint32_t argumentNumber() const { return static_cast<std::uint32_t>(code); }
  std::size_t spaceIndex() const { return static_cast<std::size_t>(-2 - code); }
  /// The same memory, inside the ring of the FIFO with this flag base.
  Region inRing(std::int64_t flagBase) const {
    Region region = *this;
    region.ringFlagBase = flagBase;
    return region;
  }
  /// Flag base of the FIFO in whose ring it lies; -1: in none that is known.
  std::int64_t ring() const { return ringFlagBase; }
  bool operator==(const Region &) const = default;

private:
  explicit Region(std::int32_t code) : code(code) {}
  std::int32_t code = -1;
  std::int64_t ringFlagBase = -1;
};

/// A number is a whole number of times 2^bits away from what `root` stands for plus `offset`. A root is a hash of 64
/// bits: of the execution that drew a number, of the computation that made one, or a sum of such; 0: `offset` alone.
struct Congruence {
  std::uint64_t root = 0;
  std::int64_t offset = 0;
  std::uint8_t bits = 0; // as Residue::bits
  Terms terms = {};      // of `root`
  bool operator==(const Congruence &) const = default;
};

struct Value {
  std::int64_t bits = 0;
  Origin origin = Origin::Fixed;
  Region region;
  // Of unknown origin: what it is whatever memory holds. The first one has all 64 bits: two values of one base differ
  // by the difference of their offsets. The others are by other roots and of fewer bits, the more bits the earlier:
  // what arithmetic that may wrap leaves. Empty: nothing is said of it, not even beside itself.
  std::vector<Congruence> sums = {};
  Residue residue = {}; // twice whatever memory holds is even
  Range range = {};
  // Of sampled origin, and only then: owned by the evaluator, one object for equal choices.
  const Choices *choices = nullptr;
  std::uint32_t form = 0; // of the evaluator's AddressForms; 0: no address is in it
  bool far = false;       // it may take an address out of every tensor
  bool wide = false;      // a whole number of 64 bits from outside, as it is: it may count bytes and be no index
  bool operator==(const Value &) const = default;
  std::uint64_t base() const { return sums.empty() ? 0 : sums.front().root; }
  std::int64_t offset() const { return sums.empty() ? 0 : sums.front().offset; }
};

// How far apart two numbers are that memory decides, whatever it holds.
//
// A base stands for a loaded number, or for what was computed from some; sums and products with known factors say how
// often each is in them (terms.h). Arithmetic of fewer than 64 bits keeps that up to its wraps, if anything may wrap:
// then a number is also one of its own, and a few such roots are kept (value.h). Sound as far as two hashes of 64 bits
// differ. What two numbers have in common beyond that is not seen: x / 2 and x are unrelated.
// Tested by tests/replay/number/value_test.cpp.

/// True if nothing is known of it, not even that it is equal to itself.
inline bool isUnrelated(const Value &value) { return value.origin == Origin::Unknown && value.sums.empty(); }

/// The value is what `base` stands for, a number of its own between the value's bounds; 0: nothing is known of it but
/// those.
void relateToItself(Value &value, std::uint64_t base);

/// A value of unknown origin that may not fit in the type, converted to it.
void narrow(Value &value, IntegerType type);

/// Equal for values that are equal whatever memory holds. Of a value that is known or of unknown origin.
std::uint64_t keyOf(const Value &value);

/// The value as one of unknown origin with bounds, if it is one of a few; a known one with bounds.
Value described(Value value);

/// What is known of `condition` ? `whenTrue` : `whenFalse` whichever it is, with the bits that it has.
Value eitherOf(const Value &condition, const Value &whenTrue, const Value &whenFalse);

std::uint64_t drawnBase(std::uint64_t instance, std::uint64_t number);
std::uint64_t argumentBase(std::uint32_t number);
/// Of a number as one of those between its bounds.
std::uint64_t boundedBase(const Value &value);
/// Of a comparison that is true or false.
std::uint64_t comparedBase(Operator op, bool isSigned, std::uint64_t left, std::uint64_t right);

/// Sums, and products with a factor that does not come from memory, keep distances in 64 bits, and in fewer where the
/// bounds of the operands let nothing wrap, else up to the wraps; anything else is a base of its own, the same one
/// whenever it is computed from the same values. The operands are as `described` gives them; the result has its bounds.
void relateResult(Value &result, Operator op, IntegerType type, const Value &left, const Value &right);

/// Of a known value, or one of a few; empty for one of unknown origin.
std::optional<Choices> choicesOf(const Value &value);

/// 1 where the value is not 0, else 0.
Choices nonzero(const Value &value);

/// The residues of a number of unknown origin modulo `count`, as far as what is known of it tells them from those of
/// others. `bothSigns` as for `remainders`.
std::optional<Choices> residuesOf(const Value &value, std::int64_t count, bool bothSigns);

/// Of a binary operator on numbers of the type `operands`, of which one at least is not known.
std::optional<Choices> binaryChoices(Operator op, IntegerType operands, const Value &left, const Value &right);

} // namespace ptosync::replay
