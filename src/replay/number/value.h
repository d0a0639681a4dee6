// What is known of a number that a run has drawn, whatever memory holds: the one door to the abstract numbers.
//
//   corpus/few_places, a run in which memory holds zeros; each tile has 4096 bytes
//
//   int32_t v11 = v1[0];            0, Unknown: sums { r + 0 mod 2^64 }, any int32_t
//   int32_t v12 = (v11 & 3) * 4096; 0, Sampled: by the residue of r modulo 4 it is one of 0, 4096, 8192, 12288
//   TEXPANDS(v13 at v12)
//   pipe_barrier(PIPE_V)
//   TEXPANDS(v15 at 12288)          may meet v13, where the residue is 3: the barrier has to stay
//   pipe_barrier(PIPE_V)
//   TEXPANDS(v17 at 16384)          meets v13 for no residue: this barrier may go
//   uint8_t v19 = v2[0];            0, Unknown: sums { s + 0 mod 2^64 }, between 0 and 255
//   int32_t v20 = v19 * 64;         0, Unknown: sums { 64 s + 0 mod 2^64 }, between 0 and 16320 in steps of 64, a
//   multiple of 64 TEXPANDS(v21 at v20)            may meet v17, whose 16384 is in reach of 16320 + 4096 TEXPANDS(v23
//   at 65536)          meets v21 nowhere within its bounds: the barrier between them may go
//
// A run computes with the one number that it has drawn (`Value::bits`), as C++ does. Its control flow is that of those
// numbers, and other runs are there for other ways. Its addresses stand for all that memory may hold, so beside the
// bits a Value carries an abstract number: bounds and steps (range.h), a power of two up to which it is known
// (Residue), sums of unknown numbers (Congruence), and, where they are few, all its values (Choices). Why sound: every
// part over-approximates by itself, so that whatever one of them leaves out is out. Two hashes of 64 bits are taken to
// differ. Where a count is no power of two, sums are taken not to wrap. What it does not do: narrow a number behind a
// branch, relate x / 2 to x, or follow products of two unknown numbers. Who runs and who judges uses what this header
// declares, and nothing behind it. Tested by tests/replay/number/value_test.cpp.
#pragma once

#include "kernel/expression.h"
#include "machine/footprint.h"
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

/// Returns a well-mixed hash of both numbers.
std::uint64_t mix(std::uint64_t a, std::uint64_t b);

// ---- one of a few

/// The values of a number that a remainder, a mask or a comparison of what memory holds makes one of a few. The value
/// follows from a residue of one unknown number: two choices of one root never take residues that differ.
struct Choices {
  std::uint64_t root = 0; // the base (Abstract::base) that the residue is of; 0: of a number of its own each time
  std::vector<std::int64_t> values; // by residue modulo their number; a single one whatever the root is
  auto operator<=>(const Choices &) const = default;
};

/// What the control flow and the event ids of a run have depended on, and what it has asked of addresses.
struct Decided {
  std::set<std::uint64_t> roots; // of choices
  bool everything = false;       // all roots that there are
  // Arguments that the text compares, or of whose addresses it makes one number, the lower one first: they may be one
  // buffer.
  std::set<std::pair<std::uint32_t, std::uint32_t>> related = {};
  bool mayMeet(std::uint32_t one, std::uint32_t other) const {
    return related.count({std::min(one, other), std::max(one, other)}) != 0;
  }
  bool has(const Choices &choices) const { return everything || roots.count(choices.root) != 0; }
};

/// So many numbers are followed one by one, and so many of either sign.
inline constexpr std::int64_t kFewNumbers = 64;
inline constexpr std::size_t kMostChoices = 2 * kFewNumbers;

/// Returns the residues of `root` + `offset` modulo `count`, for both signs where the number may be negative and the
/// remainder keeps its sign. Empty if they are too many.
std::optional<Choices> remainders(std::uint64_t root, std::int64_t offset, std::int64_t count, bool bothSigns);

/// Applies `change` to each value.
Choices changed(const Choices &choices, const std::function<std::int64_t(std::int64_t)> &change);

/// Joins two choices of one root, residue by residue. Empty if the values are too many, the roots differ, or `join`
/// fails.
std::optional<Choices> joined(const Choices &a, const Choices &b,
                              const std::function<std::optional<std::int64_t>(std::int64_t, std::int64_t)> &join);

/// Takes `whenTrue` where the condition is not 0, else `whenFalse`. Empty as above.
std::optional<Choices> picked(const Choices &condition, const Choices &whenTrue, const Choices &whenFalse);

/// Returns true if `meet` holds for some pair of values that may occur at the same time.
bool anyPair(const Choices &a, const Choices &b, const std::function<bool(std::int64_t, std::int64_t)> &meet);

// ---- the abstract number

/// A number is a whole number of times 2^bits away from what `root` stands for plus `offset`. A root is a hash of 64
/// bits: of the execution that drew a number, of the computation that made one, or a sum of such; 0: `offset` alone.
struct Congruence {
  std::uint64_t root = 0;
  std::int64_t offset = 0;
  std::uint8_t bits = 0; // as Residue::bits
  Terms terms = {};      // of `root`
  bool operator==(const Congruence &) const = default;
};

/// What a number of unknown origin is, whatever memory holds.
struct Abstract {
  // The first one has all 64 bits: two numbers of one base differ by the difference of their offsets. The others are by
  // other roots and of fewer bits, the more bits the earlier: what arithmetic that may wrap leaves. Empty: nothing is
  // known of it, not even beside itself.
  std::vector<Congruence> sums = {};
  Residue residue = {}; // twice whatever memory holds is even
  Range range = {};
  bool operator==(const Abstract &) const = default;
  std::uint64_t base() const { return sums.empty() ? 0 : sums.front().root; }
  std::int64_t offset() const { return sums.empty() ? 0 : sums.front().offset; }
};

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

/// A scalar of a run: its bits, and how far they can be relied on. The abstract number is that of values of unknown
/// origin, and empty for others.
struct Value : Abstract {
  Value() = default;
  Value(std::int64_t bits, Origin origin, Region region) : bits(bits), origin(origin), region(region) {}
  std::int64_t bits = 0;
  Origin origin = Origin::Fixed;
  Region region;
  const Choices *choices =
      nullptr;            // of sampled origin, and only then: owned by the evaluator, one object for equal choices
  std::uint32_t form = 0; // of the evaluator's AddressForms; 0: no address is in it
  bool far = false;       // it may take an address out of every tensor
  bool wide = false;      // a whole number of 64 bits from outside, as it is: it may count bytes and be no index
  bool operator==(const Value &) const = default;
};

/// Returns true if nothing is known of it, not even that it is equal to itself.
inline bool isUnrelated(const Value &value) { return value.origin == Origin::Unknown && value.sums.empty(); }

/// Makes the value what `base` stands for, a number of its own between the value's bounds; 0: nothing is known of it
/// but those.
void relateToItself(Value &value, std::uint64_t base);

/// Converts to the type a value of unknown origin that may not fit in it.
void narrow(Value &value, IntegerType type);

/// Returns a hash that is equal for values that are equal whatever memory holds. The value is known or of unknown
/// origin.
std::uint64_t keyOf(const Value &value);

/// Returns the value as one of unknown origin with bounds, if it is one of a few; a known one with bounds.
Value described(Value value);

/// Returns what is known of `condition` ? `whenTrue` : `whenFalse` whichever it is, with the bits that it has.
Value eitherOf(const Value &condition, const Value &whenTrue, const Value &whenFalse);

std::uint64_t drawnBase(std::uint64_t instance, std::uint64_t number);
std::uint64_t argumentBase(std::uint32_t number);
/// The base of a number as one of those between its bounds.
std::uint64_t boundedBase(const Value &value);
/// The base of a comparison that is true or false.
std::uint64_t comparedBase(Operator op, bool isSigned, std::uint64_t left, std::uint64_t right);

/// Relates the result of an operator to its operands. Sums, and products with a factor that does not come from memory,
/// keep distances in 64 bits, and in fewer where the bounds of the operands let nothing wrap, else up to the wraps;
/// anything else is a base of its own, the same one whenever it is computed from the same values. The operands are as
/// `described` gives them; the result has its bounds.
void relateResult(Value &result, Operator op, IntegerType type, const Value &left, const Value &right);

/// Returns the values of a known number, or of one of a few; empty for one of unknown origin.
std::optional<Choices> choicesOf(const Value &value);

/// Returns 1 where the value is not 0, else 0.
Choices nonzero(const Value &value);

/// Returns all numbers between close bounds of a number of unknown origin.
std::optional<Choices> fewBetweenBounds(const Value &value);

/// Returns the residues of a number of unknown origin modulo `count`, as far as what is known of it tells them from
/// those of others. `bothSigns` as for `remainders`.
std::optional<Choices> residuesOf(const Value &value, std::int64_t count, bool bothSigns);

/// Returns the values of a binary operator on numbers of the type `operands`, of which one at least is not known. Empty
/// where they are too many or depend on two loaded numbers: then the result is of unknown origin, with bounds.
std::optional<Choices> binaryChoices(Operator op, IntegerType operands, const Value &left, const Value &right);

/// Appends all that the value says, so that equal keys are equal values.
void appendKey(const Value &value, std::vector<std::int64_t> &key);

// ---- do two addresses meet?

/// Bytes at an address of one memory, as far as it is known.
struct Bytes : Abstract {
  std::int64_t address = 0; // with a base: counted from an unknown place
  std::optional<Choices>
      choices; // all addresses that it may be, `address` is one of them; none: that one, or it has a base
  Footprint footprint;
  bool operator==(const Bytes &) const = default;
};

/// Puts the bytes at the address. Returns false if nothing is known of it.
bool settleAddress(Bytes &bytes, const Value &address);

/// Returns false if no byte is common to both, whatever memory holds. Over-approximates. An address that one of the
/// decided numbers decides is the one that it is in the run.
bool mayMeet(const Bytes &a, const Bytes &b, const Decided *decided);

/// Returns a hash that is equal in two iterations of a loop whose addresses are known alike. `withAddress`: and equal.
std::uint64_t signatureOf(const Bytes &bytes, bool withAddress, std::uint64_t hash);

} // namespace ptosync::replay
