// How the numbers of a run are derived from its inputs, and which inputs would make them others.
//
//   the run has n = 64 and asks (n + 63) / 64 > 3; wanted is the other answer
//
//   forwards     node 1: n = 64    node 2: n + 63 = 127    node 3: / 64 = 1    node 4: > 3, false
//   backwards    node 4 must be true: node 3 must be 4
//                node 3 = 4: node 2 is from 256 to 319, proposed are both ends
//                node 2 = 256: node 1 = 193
//   proposed     n = 193 (and 256): evaluated forwards, node 4 is true
//
// A number carries a node of a graph of what it was computed from; one that no input has a part in carries none. A
// graph is of one run, of the way that it went: other inputs may lead another way. Whatever the inputs, a number that
// is derived like that lies within its bounds (Cone::boundsOf). A comparison is undone operand by operand, up to an
// input; where one input has a part in both of its sides, the way back misses, and numbers at growing distances are
// tried, and halved back to where the answer turns. Every proposal is evaluated before it is returned; only a run shows
// whether it takes the way. Tested by tests/replay/choose/derivation_test.cpp.
#pragma once

#include "kernel/expression.h"
#include "replay/number/range.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace ptosync::replay {

/// An input of a run.
struct Source {
  enum class Kind : std::uint8_t { Argument, Query, Loaded };
  Kind kind = Kind::Argument;
  std::uint64_t number = 0; // of the argument; the key of what was loaded
  std::string query = {};   // the name
  IntegerType type = {};
};

/// Returns what it may be: any number of its type, or one that the place of a core may have.
Range rangeOf(const Source &source);

struct Derived {
  std::int64_t bits = 0;
  std::uint32_t node = 0; // 0: no input has a part in it
};

struct DerivationNode {
  enum class Kind : std::uint8_t { Source, Unary, Binary, Cast, Select };
  Kind kind = Kind::Source;
  Operator op = Operator::Add;
  IntegerType operands, type;   // of the first operand; of the result
  std::uint32_t source = 0;     // Source: its number
  Derived first, second, third; // Select: the condition, and what it is if that holds, and if not
  std::int64_t bits = 0;        // in the run
  std::int64_t undefined = 0;   // what it is where C++ says nothing
};

class Derivation {
public:
  Derivation() : nodes(1) {}

  Derived source(const Source &source, std::int64_t bits);
  Derived unary(Operator op, IntegerType type, const Derived &value);
  Derived binary(Operator op, IntegerType operands, IntegerType type, const Derived &left, const Derived &right,
                 std::int64_t undefined);
  Derived converted(const Derived &value, IntegerType from, IntegerType to);
  Derived select(const Derived &condition, const Derived &whenTrue, const Derived &whenFalse);

  const DerivationNode &operator[](std::uint32_t node) const { return nodes[node]; }
  std::size_t size() const { return nodes.size(); }
  const std::vector<Source> &sources() const { return all; }
  /// Returns the number of a source in the run.
  std::int64_t bitsOf(std::uint32_t source) const { return bits[source]; }

private:
  Derived add(DerivationNode node);

  std::vector<DerivationNode> nodes; // operands before what is made of them; the first is none
  std::vector<Source> all;
  std::vector<std::int64_t> bits; // by source
  std::map<std::tuple<Source::Kind, std::uint64_t, std::string>, std::uint32_t> known;
};

/// Values for some of the sources, by number; the others keep theirs.
using SourceChanges = std::map<std::uint32_t, std::int64_t>;

/// Bounds of some nodes, whatever the inputs are.
using NodeBounds = std::map<std::uint32_t, Range>;

Range boundsOf(const Derived &number, const NodeBounds &bounds);
/// Returns the bounds of a node by those of its operands, which `bounds` has.
Range boundsOf(const Derivation &derivation, std::uint32_t node, const NodeBounds &bounds);

/// A number of 64 bits as a sum, modulo 2^64: a constant, and nodes that are no sums, each so many times.
struct LinearForm {
  std::map<std::uint32_t, std::int64_t> terms;
  std::int64_t constant = 0;
  void add(const Derivation &derivation, const Derived &number, std::int64_t times);
};

/// All that one number, or some, are computed from.
class Cone {
public:
  /// Larger cones are given up: then it is empty.
  static constexpr std::size_t kLargest = 4000;

  Cone(const Derivation &derivation, const std::vector<Derived> &numbers);

  bool empty() const { return nodes.empty(); }
  /// Operands before what is made of them.
  const std::vector<std::uint32_t> &all() const { return nodes; }
  /// Returns the sources that have a part in it.
  std::vector<std::uint32_t> sources() const;
  /// Computes all of it with these changes.
  void evaluate(const SourceChanges &changes);
  /// Returns the number as last evaluated.
  std::int64_t bitsOf(const Derived &number) const { return number.node == 0 ? number.bits : bits.at(number.node); }
  /// Returns bounds that hold whatever the inputs are.
  Range boundsOf(const Derived &number) const;

private:
  std::int64_t compute(const DerivationNode &node, const SourceChanges &changes) const;

  const Derivation &derivation;
  std::vector<std::uint32_t> nodes; // ascending
  std::map<std::uint32_t, std::int64_t> bits;
};

enum class Preferred : std::uint8_t {
  Small, // numbers near 0
  Near,  // numbers near what the run has
};

/// Returns at most `most` changes that make the condition what is wanted, those of few inputs and of preferred numbers
/// first. `numbers`: constants that may be worth a try.
std::vector<SourceChanges> proposalsFor(const Derivation &derivation, const Derived &condition, bool wanted,
                                        const std::vector<std::int64_t> &numbers, Preferred preferred,
                                        std::size_t most);

} // namespace ptosync::replay
