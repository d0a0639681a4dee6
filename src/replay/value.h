// A scalar while a kernel is replayed: its bits, and how far they can be relied on.
//
// The bits are always concrete and computed as C++ does. The origin says what else they could
// have been: a value made from memory contents is one sample of many, so an address made from
// it stands for any address, but for its distance from others made from the same contents:
// `sums` say what it is made of. Where it is one of a few, all of them are known (choices.h);
// where it is not, its bounds. The region remembers which memory a pointer points into, the form
// (address_form.h) which addresses of arguments a number was made from.
// Tested by tests/replay/evaluator_test.cpp.
#pragma once

#include "replay/choices.h"
#include "replay/range.h"
#include "replay/terms.h"

#include <cstddef>
#include <cstdint>

namespace ptosync::replay {

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

} // namespace ptosync::replay
