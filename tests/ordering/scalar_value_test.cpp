#include "ordering/scalar_value.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace ptosync;

namespace {

constexpr IntegerType kInt8{8, true}, kUnsigned8{8, false}, kInt16{16, true}, kUnsigned16{16, false};
constexpr IntegerType kUnsigned32{32, false}, kUnsigned64{64, false};
constexpr std::array<IntegerType, 8> kTypes = {kInt8,  kUnsigned8,  kInt16, kUnsigned16,
                                               kInt32, kUnsigned32, kInt64, kUnsigned64};

using Assignment = std::map<AtomId, std::int64_t>;

/// Whether `concrete` is one of the values that `value` describes when its atoms are as assigned.
bool describes(const ScalarValue &value, const Assignment &atoms, std::int64_t concrete) {
  if (concrete < value.interval.lowest || concrete > value.interval.highest)
    return false;
  auto rest = static_cast<std::uint64_t>(value.constant) - static_cast<std::uint64_t>(concrete);
  for (const Term &term : value.terms)
    rest += static_cast<std::uint64_t>(term.coefficient) * static_cast<std::uint64_t>(atoms.at(term.atom));
  return value.modulus == 0 ? rest == 0 : rest % value.modulus == 0 || (0 - rest) % value.modulus == 0;
}

/// A counter of loop `loop` that begins `trips` iterations.
AtomId counter(ScalarAlgebra &algebra, LoopId loop, std::int64_t trips) {
  Atom atom;
  atom.kind = Atom::Kind::Counter;
  atom.scope = loop;
  atom.interval = {0, trips};
  atom.key = "iteration" + std::to_string(loop);
  return algebra.atom(atom);
}

/// Random straight-line programs of integer code, described symbolically and run with numbers.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random(seed) {
    first = counter(algebra, 0, 12);
    second = counter(algebra, 1, 5);
    nodes.push_back({Node::Kind::Atom, {}, {}, {}, 0, {}, kInt64});
    values.push_back(algebra.ofAtom(first, kInt64));
    nodes.push_back({Node::Kind::Atom, {}, {}, {}, 1, {}, kInt64});
    values.push_back(algebra.ofAtom(second, kInt64));
    unknown = algebra.opaque("x", 0, kInt64, {-300, 300});
    nodes.push_back({Node::Kind::Atom, {}, {}, {}, 2, {}, kInt64});
    values.push_back(unknown);
    chosen = algebra.choice("c", 0, kInt32, {-7, 0, 4, 200});
    nodes.push_back({Node::Kind::Atom, {}, {}, {}, 3, {}, kInt32});
    values.push_back(chosen);
    for (int i = 0; i < 14; ++i)
      grow();
  }

  /// Runs with one choice of the free atoms; false if some described value does not hold.
  bool run(std::int64_t i, std::int64_t j, std::int64_t x, std::int64_t c, std::string &failure) {
    Assignment atoms = {{first, i}, {second, j}, {unknown.terms[0].atom, x}, {chosen.terms[0].atom, c}};
    std::vector<std::optional<std::int64_t>> results;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      results.push_back(evaluate(nodes[n], results, {i, j, x, c}));
      if (!results[n])
        continue;
      const ScalarValue &value = values[n];
      for (const Term &term : value.terms)
        if (!atoms.count(term.atom) && !define(term.atom, value, *results[n], atoms)) {
          failure = "atom " + algebra[term.atom].key + " cannot be what it stands for";
          return false;
        }
      if (!describes(value, atoms, *results[n])) {
        failure = "node " + std::to_string(n) + " = " + std::to_string(*results[n]) + ", described as " +
                  algebra.describe(value) + " in [" + std::to_string(value.interval.lowest) + ", " +
                  std::to_string(value.interval.highest) + "]";
        return false;
      }
      std::vector<std::int64_t> few = algebra.possibleValues(value);
      if (!few.empty() && std::find(few.begin(), few.end(), *results[n]) == few.end()) {
        failure = "node " + std::to_string(n) + " is none of its possible values";
        return false;
      }
      if (value.type == kBoolean)
        if (std::optional<bool> truth = algebra.decided(value); truth && *truth != (*results[n] != 0)) {
          failure = "node " + std::to_string(n) + " decided wrongly";
          return false;
        }
    }
    return true;
  }

private:
  struct Node {
    enum class Kind { Atom, Constant, Cast, Binary, Select };
    Kind kind;
    std::size_t a, b, c;
    std::int64_t number;
    Operator op;
    IntegerType type;
  };

  std::size_t pick() { return random() % nodes.size(); }

  void add(Node node, ScalarValue value) {
    nodes.push_back(node);
    values.push_back(std::move(value));
  }

  std::size_t cast(std::size_t from, IntegerType type) {
    if (values[from].type == type)
      return from;
    ScalarValue value = type == kBoolean ? algebra.apply(Operator::NotEqual, kBoolean, values[from],
                                                         algebra.constant(0, values[from].type), 0)
                                         : algebra.convert(values[from], type);
    add({Node::Kind::Cast, from, 0, 0, 0, {}, type}, std::move(value));
    return nodes.size() - 1;
  }

  std::size_t constant(IntegerType type) {
    static constexpr std::array<std::int64_t, 12> numbers = {0, 1, 2, 3, 4, 7, 16, 255, 256, -1, -5, 1024};
    std::int64_t number = wrapTo(type, numbers[random() % numbers.size()]);
    add({Node::Kind::Constant, 0, 0, 0, number, {}, type}, algebra.constant(number, type));
    return nodes.size() - 1;
  }

  void grow() {
    switch (random() % 5) {
    case 0: cast(pick(), kTypes[random() % kTypes.size()]); return;
    case 1: {
      std::size_t condition = cast(pick(), kBoolean), a = pick(), b = cast(pick(), values[a].type);
      add({Node::Kind::Select, condition, a, b, 0, {}, values[a].type},
          algebra.select(values[condition], values[a], values[b], 0));
      return;
    }
    default: {
      static constexpr std::array<Operator, 16> operators = {
          Operator::Add,       Operator::Subtract,  Operator::Multiply,   Operator::Divide,
          Operator::Remainder, Operator::ShiftLeft, Operator::ShiftRight, Operator::BitAnd,
          Operator::BitOr,     Operator::BitXor,    Operator::Equal,      Operator::NotEqual,
          Operator::Less,      Operator::LessEqual, Operator::Greater,    Operator::GreaterEqual};
      // Arithmetic runs in int or wider, as C++ promotes.
      static constexpr std::array<IntegerType, 4> wide = {kInt32, kUnsigned32, kInt64, kUnsigned64};
      Operator op = operators[random() % operators.size()];
      IntegerType type = wide[random() % wide.size()];
      std::size_t a = cast(pick(), type), b = random() % 2 ? constant(type) : cast(pick(), type);
      bool compares = op >= Operator::Equal;
      IntegerType result = compares ? kBoolean : type;
      add({Node::Kind::Binary, a, b, 0, 0, op, result}, algebra.apply(op, result, values[a], values[b], 0));
    }
    }
  }

  std::optional<std::int64_t> evaluate(const Node &node, const std::vector<std::optional<std::int64_t>> &results,
                                       const std::array<std::int64_t, 4> &free) const {
    switch (node.kind) {
    case Node::Kind::Atom: return free[static_cast<std::size_t>(node.number)];
    case Node::Kind::Constant: return node.number;
    case Node::Kind::Cast: return results[node.a] ? std::optional(wrapTo(node.type, *results[node.a])) : std::nullopt;
    case Node::Kind::Select: {
      if (!results[node.a] || !results[node.b] || !results[node.c])
        return std::nullopt;
      return *results[node.a] ? results[node.b] : results[node.c];
    }
    case Node::Kind::Binary: break;
    }
    if (!results[node.a] || !results[node.b])
      return std::nullopt;
    std::int64_t left = *results[node.a], right = *results[node.b], result = 0;
    IntegerType type = values[node.a].type;
    if (!applyOperator(node.op, type, left, right, result) || overflows(node.op, type, left, right))
      return std::nullopt;
    return result;
  }

  /// Signed overflow and numbers near 2^63 are no part of the promise.
  static bool overflows(Operator op, IntegerType type, std::int64_t left, std::int64_t right) {
    __int128 exact = 0;
    switch (op) {
    case Operator::Add: exact = __int128(left) + right; break;
    case Operator::Subtract: exact = __int128(left) - right; break;
    case Operator::Multiply: exact = __int128(left) * right; break;
    case Operator::ShiftLeft: exact = __int128(left) << right; break;
    default: return false;
    }
    if (type.bits == 64)
      return exact > (__int128(1) << 61) || exact < -(__int128(1) << 61);
    return type.isSigned && wrapTo(type, static_cast<std::int64_t>(exact)) != exact;
  }

  /// Gives an atom that the algebra made the value it stands for; false if it cannot have it.
  bool define(AtomId id, const ScalarValue &value, std::int64_t concrete, Assignment &atoms) const {
    const Atom &atom = algebra[id];
    if (atom.kind == Atom::Kind::Table) {
      std::int64_t count = atoms.at(atom.scope == 0 ? first : second);
      atoms[id] = atom.table[static_cast<std::size_t>(count) % atom.table.size()];
      return true;
    }
    if (value.terms.size() != 1 || value.constant != 0 || value.terms[0].coefficient != 1 || value.modulus != 0)
      return false; // made inside something larger, and never alone before
    if (atom.kind == Atom::Kind::Choice &&
        std::find(atom.table.begin(), atom.table.end(), concrete) == atom.table.end())
      return false;
    atoms[id] = concrete;
    return true;
  }

  std::mt19937 random;
  ScalarAlgebra algebra;
  AtomId first = 0, second = 0;
  ScalarValue unknown, chosen;
  std::vector<Node> nodes;
  std::vector<ScalarValue> values;
};

} // namespace

TEST_CASE("scalar value: what a description says holds for every run of random programs", "[scalar_value]") {
  for (unsigned seed = 0; seed < 2500; ++seed) {
    RandomProgram program(seed);
    for (std::int64_t i : {0, 1, 5, 12})
      for (std::int64_t j : {0, 3, 5})
        for (std::int64_t x : {-300, -129, -1, 0, 2, 200, 256, 300})
          for (std::int64_t c : {-7, 0, 4, 200}) {
            std::string failure;
            bool holds = program.run(i, j, x, c, failure);
            if (!holds) {
              INFO("seed " << seed << " i " << i << " j " << j << " x " << x << " c " << c << ": " << failure);
              REQUIRE(holds);
            }
          }
  }
}

TEST_CASE("scalar value: constants wrap when converted", "[scalar_value]") {
  ScalarAlgebra algebra;
  struct Case {
    std::int64_t value;
    IntegerType type;
    std::int64_t expected;
  };
  for (const Case &c : {Case{200, kInt8, -56}, Case{-1, kUnsigned8, 255}, Case{256, kUnsigned8, 0},
                        Case{40000, kInt16, -25536}, Case{-1, kUnsigned16, 65535}, Case{-1, kUnsigned32, 4294967295},
                        Case{std::int64_t{1} << 31, kInt32, -2147483648}, Case{-1, kUnsigned64, -1}}) {
    ScalarValue value = algebra.convert(algebra.constant(c.value, kInt64), c.type);
    INFO(c.value << " to " << int(c.type.bits));
    CHECK(value.isConstant());
    CHECK(value.constant == c.expected);
    CHECK(value.type == c.type);
  }
}

TEST_CASE("scalar value: a value that may not fit is known modulo the type's size", "[scalar_value]") {
  ScalarAlgebra algebra;
  ScalarValue x = algebra.opaque("x", kNone, kInt64, {0, 1000});
  ScalarValue narrow = algebra.convert(x, kUnsigned8);
  CHECK(narrow.modulus == 256);
  CHECK(narrow.interval == Interval{0, 255});
  CHECK(algebra.convert(x, kInt16).modulus == 0); // 1000 fits
  // A 32-bit product may wrap; its difference to itself is still 0.
  ScalarValue n = algebra.opaque("n", kNone, kUnsigned32, intervalOf(kUnsigned32));
  ScalarValue product = algebra.apply(Operator::Multiply, kUnsigned32, n, algebra.constant(4096, kUnsigned32), kNone);
  CHECK(product.modulus == std::uint64_t{1} << 32);
  ScalarValue gap = algebra.add(product, product, true);
  CHECK(gap.terms.empty());
  CHECK(gap.constant == 0);
}

TEST_CASE("scalar value: equal keys stand for equal values only", "[scalar_value]") {
  // The low byte of x as a signed and as an unsigned number differ for 200: 100 and -28 after halving.
  ScalarAlgebra algebra;
  ScalarValue x = algebra.opaque("x", kNone, kInt32, intervalOf(kInt32));
  auto half = [&](IntegerType byte) {
    ScalarValue low = algebra.convert(algebra.convert(x, byte), kInt32);
    return algebra.apply(Operator::Divide, kInt32, low, algebra.constant(2, kInt32), kNone);
  };
  CHECK_FALSE(half(kUnsigned8) == half(kInt8));
}

TEST_CASE("scalar value: the same operation on the same operands is one atom", "[scalar_value]") {
  ScalarAlgebra algebra;
  ScalarValue x = algebra.opaque("x", 0, kInt32, {0, 100}), y = algebra.opaque("y", 0, kInt32, {0, 100});
  auto product = [&](const ScalarValue &a, const ScalarValue &b) {
    return algebra.apply(Operator::Multiply, kInt32, a, b, 0);
  };
  CHECK(product(x, y) == product(x, y));
  CHECK_FALSE(product(x, y) == product(x, x));
  // An atom made from two loops' atoms changes as often as the evaluating statement runs.
  ScalarValue z = algebra.opaque("z", 1, kInt32, {0, 100});
  ScalarValue mixed = algebra.apply(Operator::Multiply, kInt32, x, z, 2);
  REQUIRE(mixed.terms.size() == 1);
  CHECK(algebra[mixed.terms[0].atom].scope == 2);
  CHECK(algebra[product(x, y).terms[0].atom].scope == 0);
}

TEST_CASE("scalar value: remainders of counted values step through tables", "[scalar_value]") {
  ScalarAlgebra algebra;
  ScalarValue i = algebra.ofAtom(counter(algebra, 3, 100), kInt64);
  auto remainder = [&](const ScalarValue &value, std::int64_t divisor) {
    return algebra.apply(Operator::Remainder, kInt64, value, algebra.constant(divisor, kInt64), 3);
  };
  auto tableOf = [&](const ScalarValue &value) {
    REQUIRE(value.terms.size() == 1);
    REQUIRE(algebra[value.terms[0].atom].kind == Atom::Kind::Table);
    CHECK(algebra[value.terms[0].atom].scope == 3);
    return algebra[value.terms[0].atom].table;
  };
  using Numbers = std::vector<std::int64_t>;
  CHECK(tableOf(remainder(i, 3)) == Numbers{0, 1, 2});
  ScalarValue odd = algebra.add(algebra.scale(i, 2), algebra.constant(1, kInt64), false);
  CHECK(tableOf(remainder(odd, 6)) == Numbers{1, 3, 5});
  CHECK(tableOf(remainder(algebra.scale(i, 4), 6)) == Numbers{0, 4, 2});
  CHECK(remainder(algebra.scale(i, 6), 6).isConstant()); // every step the same
  CHECK(remainder(algebra.scale(i, 6), 6).constant == 0);
  // Steps on: a table of a table, a comparison, a choice by it.
  ScalarValue isOne = algebra.apply(Operator::Equal, kBoolean, remainder(i, 3), algebra.constant(1, kInt64), 3);
  CHECK(tableOf(isOne) == Numbers{0, 1, 0});
  ScalarValue address = algebra.select(isOne, algebra.constant(4096, kInt64), algebra.constant(0, kInt64), 3);
  CHECK(tableOf(address) == Numbers{0, 4096, 0});
  CHECK(tableOf(remainder(remainder(i, 4), 2)) == Numbers{0, 1});
}

TEST_CASE("scalar value: a remainder that does not repeat in step is only bounded", "[scalar_value]") {
  ScalarAlgebra algebra;
  ScalarValue i = algebra.ofAtom(counter(algebra, 0, 100), kInt64),
              j = algebra.ofAtom(counter(algebra, 1, 100), kInt64);
  auto remainder = [&](const ScalarValue &value, std::int64_t divisor) {
    return algebra.apply(Operator::Remainder, value.type, value, algebra.constant(divisor, value.type), 1);
  };
  auto isOpaque = [&](const ScalarValue &value) {
    return value.terms.size() == 1 && algebra[value.terms[0].atom].kind == Atom::Kind::Opaque;
  };
  CHECK(isOpaque(remainder(algebra.add(i, j, false), 3)));                            // two loops
  CHECK(isOpaque(remainder(algebra.add(i, algebra.constant(-1, kInt64), false), 3))); // may be negative
  CHECK(remainder(algebra.add(i, algebra.constant(-1, kInt64), false), 3).interval == Interval{-2, 2});
  CHECK(remainder(algebra.add(i, j, false), 3).interval == Interval{0, 2});
  CHECK(isOpaque(remainder(i, 65))); // longer than tables get
  // Modulo 2^32 the remainder by 8 is still known, the one by 3 is not.
  ScalarValue wrapped = algebra.convert(algebra.scale(i, std::int64_t{1} << 26), kUnsigned32);
  REQUIRE(wrapped.modulus == std::uint64_t{1} << 32);
  ScalarValue plusOne =
      algebra.convert(algebra.add(algebra.scale(i, 2147483647), algebra.constant(0, kInt64), false), kUnsigned32);
  REQUIRE(plusOne.modulus != 0);
  CHECK_FALSE(isOpaque(remainder(plusOne, 8)));
  CHECK(isOpaque(remainder(plusOne, 3)));
}

TEST_CASE("scalar value: a table of the whole run does not step with a loop", "[scalar_value]") {
  // `fixed` is 1 or 2 for the run, `stepping` 0, 1, 0, 1 by iteration: 1 * 1 is as possible as 2 * 1.
  ScalarAlgebra algebra;
  ScalarValue fixed = algebra.table(kNone, kInt64, {1, 2}), stepping = algebra.table(3, kInt64, {0, 1});
  auto isTable = [&](const ScalarValue &value) {
    return std::any_of(value.terms.begin(), value.terms.end(), [&](const Term &term) {
      return algebra[term.atom].kind == Atom::Kind::Table && algebra[term.atom].scope == 3 &&
             algebra[term.atom].key != algebra[stepping.terms[0].atom].key;
    });
  };
  CHECK_FALSE(isTable(algebra.apply(Operator::Multiply, kInt64, fixed, stepping, 3)));
  CHECK_FALSE(isTable(algebra.apply(Operator::Multiply, kInt64, stepping, fixed, 3)));
  ScalarValue i = algebra.ofAtom(counter(algebra, 3, 100), kInt64);
  CHECK_FALSE(isTable(
      algebra.apply(Operator::Remainder, kInt64, algebra.add(fixed, i, false), algebra.constant(3, kInt64), 3)));
}

TEST_CASE("scalar value: choices", "[scalar_value]") {
  ScalarAlgebra algebra;
  using Numbers = std::vector<std::int64_t>;
  ScalarValue c = algebra.opaque("c", 0, kBoolean, {0, 1});
  ScalarValue a = algebra.constant(0, kInt64), b = algebra.constant(4096, kInt64), d = algebra.constant(8192, kInt64);
  ScalarValue two = algebra.select(c, b, a, 0);
  CHECK(algebra.possibleValues(two) == Numbers{0, 4096});
  CHECK(algebra.select(c, a, a, 0) == a); // nothing to choose
  CHECK(algebra.select(algebra.constant(1, kBoolean), a, b, 0) == a);
  CHECK(algebra.select(algebra.constant(0, kBoolean), a, b, 0) == b);
  // The same condition twice is the same choice; another condition is not.
  CHECK(two == algebra.select(c, b, a, 0));
  ScalarValue e = algebra.opaque("e", 0, kBoolean, {0, 1});
  CHECK_FALSE(two == algebra.select(e, b, a, 0));
  ScalarValue three = algebra.select(e, two, d, 0);
  CHECK(algebra.possibleValues(three) == Numbers{0, 4096, 8192});
  CHECK(algebra.possibleValues(algebra.add(two, algebra.constant(64, kInt64), false)) == Numbers{64, 4160});
  CHECK(algebra.possibleValues(algebra.add(two, two, true)) == Numbers{0}); // itself cancels
  CHECK(algebra.choice("one", 0, kInt64, {5, 5}).isConstant());
  // An unknown side leaves the hull.
  ScalarValue x = algebra.opaque("x", 0, kInt64, {-10, 10});
  CHECK(algebra.select(c, x, algebra.constant(50, kInt64), 0).interval == Interval{-10, 50});
  CHECK(algebra.possibleValues(algebra.select(c, x, b, 0)).empty());
}

TEST_CASE("scalar value: too many possible values are none", "[scalar_value]") {
  ScalarAlgebra algebra;
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < 16; ++i)
    numbers.push_back(i * 64);
  ScalarValue sixteen = algebra.choice("many", 0, kInt64, numbers);
  CHECK(algebra.possibleValues(sixteen).size() == 16);
  ScalarValue other = algebra.choice("two", 0, kInt64, {0, 1});
  CHECK(algebra.possibleValues(algebra.add(sixteen, other, false)).empty());
  ScalarValue known = sixteen;
  known.modulus = 256;
  CHECK(algebra.possibleValues(known).empty()); // known modulo something only
}

TEST_CASE("scalar value: comparisons are decided only where every run agrees", "[scalar_value]") {
  ScalarAlgebra algebra;
  ScalarValue x = algebra.opaque("x", 0, kInt64, {0, 10});
  auto compare = [&](Operator op, const ScalarValue &a, const ScalarValue &b) {
    return algebra.decided(algebra.apply(op, kBoolean, a, b, 0));
  };
  auto number = [&](std::int64_t value, IntegerType type = kInt64) { return algebra.constant(value, type); };
  CHECK(compare(Operator::Less, x, number(11)) == true);
  CHECK(compare(Operator::Less, x, number(10)) == std::nullopt);
  CHECK(compare(Operator::LessEqual, x, number(10)) == true);
  CHECK(compare(Operator::Less, x, number(0)) == false);
  CHECK(compare(Operator::Greater, x, number(0)) == std::nullopt);
  CHECK(compare(Operator::GreaterEqual, x, number(0)) == true);
  CHECK(compare(Operator::Equal, x, number(11)) == false);
  CHECK(compare(Operator::NotEqual, x, number(11)) == true);
  CHECK(compare(Operator::Equal, x, number(5)) == std::nullopt);
  CHECK(compare(Operator::Equal, x, x) == true);
  CHECK(compare(Operator::Less, x, algebra.add(x, number(1), false)) == true);
  // Unsigned 64-bit numbers that may be huge are not compared as signed ones.
  ScalarValue huge = algebra.opaque("h", 0, kUnsigned64, {});
  CHECK(compare(Operator::Less, huge, number(5, kUnsigned64)) == std::nullopt);
  // Modulo 256 equal is not equal.
  ScalarValue low = algebra.convert(algebra.convert(algebra.opaque("w", 0, kInt64, {0, 9999}), kUnsigned8), kInt64);
  ScalarValue wide = algebra.opaque("w", 0, kInt64, {0, 9999});
  CHECK(compare(Operator::Equal, low, wide) == std::nullopt);
  CHECK(compare(Operator::Equal, low, algebra.add(wide, number(1), false)) == false); // differ modulo 256
}

TEST_CASE("scalar value: the larger or the smaller of two, and sums that do not overflow", "[scalar_value]") {
  ScalarAlgebra algebra;
  ScalarValue any = algebra.opaque("n", kNone, kInt64, {}), zero = algebra.constant(0, kInt64);
  auto test = [&](Operator op, const ScalarValue &a, const ScalarValue &b) {
    return algebra.apply(op, kBoolean, a, b, kNone);
  };
  ScalarValue larger = algebra.select(test(Operator::Less, any, zero), zero, any, kNone);
  CHECK(larger.interval == Interval{0, INT64_MAX});
  CHECK(algebra.select(test(Operator::GreaterEqual, any, zero), any, zero, kNone).interval == Interval{0, INT64_MAX});
  CHECK(algebra.select(test(Operator::Less, any, zero), any, zero, kNone).interval == Interval{INT64_MIN, 0});
  CHECK(algebra.select(test(Operator::NotEqual, any, zero), any, zero, kNone).interval == Interval{});
  ScalarValue huge = algebra.opaque("h", kNone, kUnsigned64, {}), seven = algebra.constant(7, kUnsigned64);
  CHECK(algebra.select(test(Operator::Less, huge, seven), seven, huge, kNone).interval == Interval{});
  auto compute = [&](Operator op, const ScalarValue &a, std::int64_t b, IntegerType type = kInt64) {
    return algebra.apply(op, type, algebra.convert(a, type), algebra.constant(b, type), kNone);
  };
  ScalarValue place = compute(Operator::Add, compute(Operator::Multiply, larger, 24576), 128);
  CHECK(place.interval == Interval{128, INT64_MAX});
  CHECK(algebra.decided(test(Operator::Less, place, zero)) == false);
  CHECK(compute(Operator::Multiply, larger, -3).interval == Interval{INT64_MIN, 0});
  CHECK(compute(Operator::Subtract, any, 5).interval == Interval{INT64_MIN, INT64_MAX - 5});
  CHECK(compute(Operator::Add, any, 5).interval == Interval{INT64_MIN + 5, INT64_MAX});
  // Without a sign, and in fewer bits, it may.
  CHECK(compute(Operator::Add, larger, 128, kUnsigned64).interval == Interval{});
  CHECK(compute(Operator::Add, algebra.opaque("i", kNone, kInt32, intervalOf(kInt32)), 128, kInt32).interval ==
        intervalOf(kInt32));
}

TEST_CASE("scalar value: the argument that a pointer comes from", "[scalar_value]") {
  ScalarAlgebra algebra;
  auto argument = [&](const std::string &key) {
    Atom atom;
    atom.kind = Atom::Kind::Argument;
    atom.pointer = true;
    atom.key = key;
    return algebra.ofAtom(algebra.atom(atom), kAddress);
  };
  ScalarValue p = argument("argument 0 p"), q = argument("argument 1 q");
  ScalarValue n = algebra.opaque("n", kNone, kInt32, intervalOf(kInt32));
  CHECK(algebra.pointerRoot(p) == p.terms[0].atom);
  CHECK(algebra.pointerRoot(algebra.add(p, algebra.scale(n, 4), false)) == p.terms[0].atom);
  CHECK(algebra.pointerRoot(n) == std::nullopt);
  CHECK(algebra.pointerRoot(algebra.constant(64, kAddress)) == std::nullopt);
  CHECK(algebra.pointerRoot(algebra.add(p, q, false)) == std::nullopt); // two of them
  CHECK(algebra.pointerRoot(algebra.add(p, q, true)) == std::nullopt);
  CHECK(algebra.pointerRoot(algebra.add(q, p, true)) == std::nullopt);
  CHECK(algebra.pointerRoot(algebra.scale(p, 2)) == std::nullopt);
  ScalarValue c = algebra.opaque("c", kNone, kBoolean, {0, 1});
  CHECK(algebra.pointerRoot(algebra.select(c, p, q, kNone)) == std::nullopt); // either of them
  CHECK(algebra.pointerRoot(algebra.select(c, p, p, kNone)) == p.terms[0].atom);
}

TEST_CASE("scalar value: an address that went through anything but a sum leads to no argument", "[scalar_value]") {
  ScalarAlgebra algebra;
  algebra.setLargestTensor(std::int64_t{1} << 37);
  std::uint32_t number = 0;
  auto argument = [&](const std::string &key, IntegerType type, bool pointer) {
    Atom atom;
    atom.kind = Atom::Kind::Argument;
    atom.pointer = pointer;
    atom.wide = !pointer && type == kAddress;
    atom.number = number++;
    atom.interval = intervalOf(type);
    atom.key = key;
    return algebra.ofAtom(algebra.atom(atom), type);
  };
  const ScalarValue p = argument("argument 0 p", kAddress, true), q = argument("argument 1 q", kAddress, true);
  const ScalarValue n = argument("argument 2 n", kInt64, false), wide = argument("argument 3 u", kAddress, false);
  auto compute = [&](Operator op, const ScalarValue &a, const ScalarValue &b) {
    return algebra.apply(op, kAddress, a, b, kNone);
  };
  auto number64 = [&](std::int64_t value) { return algebra.constant(value, kAddress); };
  auto plus = [&](const ScalarValue &a, const ScalarValue &b) { return compute(Operator::Add, a, b); };
  auto minus = [&](const ScalarValue &a, const ScalarValue &b) { return compute(Operator::Subtract, a, b); };
  auto rooted = [&](const ScalarValue &value) { return algebra.pointerRoot(value).has_value(); };

  CHECK(rooted(plus(p, algebra.scale(n, 4))));
  CHECK(rooted(plus(q, minus(p, q)))); // p itself
  const ScalarValue apart = compute(Operator::Divide, minus(p, q), number64(4));
  CHECK(algebra.addressesIn(apart) == (argumentBit(0) | argumentBit(1)));
  CHECK_FALSE(rooted(plus(q, algebra.scale(apart, 4))));
  for (Operator op : {Operator::Divide, Operator::Remainder, Operator::ShiftRight, Operator::BitAnd, Operator::BitOr,
                      Operator::BitXor}) {
    CHECK(algebra.addressesIn(compute(op, p, number64(8))) == argumentBit(0));
    CHECK_FALSE(rooted(plus(q, compute(op, p, number64(8)))));
    CHECK(rooted(plus(q, compute(op, n, number64(8)))));
  }
  CHECK(algebra.addressesIn(compute(Operator::Less, p, q)) == 0); // a truth value
  CHECK_FALSE(rooted(algebra.convert(plus(p, number64(2048)), IntegerType{32, false})));
  CHECK(rooted(algebra.convert(algebra.convert(p, kInt64), kAddress)));
  const ScalarValue c = algebra.opaque("c", kNone, kBoolean, {0, 1});
  const ScalarValue chosen = algebra.select(c, minus(p, q), number64(0), kNone);
  CHECK_FALSE(rooted(plus(q, chosen)));
  CHECK(algebra.select(c, p, q, kNone).trace.whole);
  CHECK_FALSE(chosen.trace.whole);
  CHECK_FALSE(rooted(plus(p, wide))); // it may be an address
  CHECK_FALSE(rooted(wide));

  // Beyond every tensor.
  const ScalarValue far = number64(std::int64_t{1} << 43);
  CHECK_FALSE(rooted(plus(p, far)));
  CHECK_FALSE(rooted(minus(p, far)));
  CHECK(rooted(plus(p, number64((std::int64_t{1} << 37) - 1))));
  CHECK_FALSE(rooted(plus(p, number64(std::int64_t{1} << 37))));
  CHECK(rooted(minus(plus(p, far), far)));
  CHECK_FALSE(rooted(plus(p, algebra.scale(n, std::int64_t{1} << 43))));
  CHECK_FALSE(rooted(plus(plus(p, far), algebra.scale(n, 4))));
  CHECK_FALSE(rooted(plus(p, compute(Operator::BitOr, n, far))));
  CHECK_FALSE(rooted(plus(p, algebra.select(c, far, n, kNone))));
  CHECK_FALSE(rooted(plus(p, compute(Operator::ShiftLeft, n, number64(43)))));
  CHECK_FALSE(rooted(plus(p, algebra.choice("either", kNone, kAddress, {0, std::int64_t{1} << 43}))));
  CHECK(rooted(plus(p, compute(Operator::Remainder, compute(Operator::BitOr, n, far), number64(64)))));
  // In front of where it begins.
  CHECK_FALSE(rooted(minus(p, number64(4))));
  CHECK(rooted(minus(plus(p, algebra.scale(n, 4)), number64(4))));
  // By integer arithmetic an unknown number of 64 bits counts bytes.
  CHECK(algebra.addsDistance(p, n));
  CHECK(algebra.addsDistance(n, p));
  CHECK_FALSE(algebra.addsDistance(p, algebra.scale(n, 4)));
  CHECK_FALSE(algebra.addsDistance(n, n));
}

TEST_CASE("scalar value: centred and interval helpers", "[scalar_value]") {
  CHECK(centred(5, 0) == 5);
  CHECK(centred(5, 8) == -3);
  CHECK(centred(4, 8) == 4);
  CHECK(centred(-4, 8) == 4);
  CHECK(centred(-3, 8) == -3);
  CHECK(centred(17, 8) == 1);
  ScalarValue value;
  value.modulus = 256;
  CHECK(wrapsAt(value, 8));
  CHECK_FALSE(wrapsAt(value, 16));
  CHECK_FALSE(wrapsAt(value, 64));
  value.modulus = 0;
  CHECK(wrapsAt(value, 64));
  CHECK(intervalOf(kBoolean) == Interval{0, 1});
  CHECK(intervalOf(kInt8) == Interval{-128, 127});
  CHECK(intervalOf(kUnsigned16) == Interval{0, 65535});
  CHECK_FALSE(intervalOf(kUnsigned64).bounded());
}

TEST_CASE("scalar value: a difference that wraps compares nothing", "[scalar_value]") {
  ScalarAlgebra algebra;
  ScalarValue x = algebra.opaque("x", kNone, kInt64, {-8, 8});
  ScalarValue high = algebra.add(x, algebra.constant(INT64_MAX - 8, kInt64), false),
              low = algebra.add(x, algebra.constant(INT64_MIN + 8, kInt64), false);
  // The two constants are 2^64 - 17 apart: as a signed number -17.
  CHECK(algebra.decided(algebra.apply(Operator::Greater, kBoolean, high, low, kNone)) != false);
  CHECK(algebra.decided(algebra.apply(Operator::Less, kBoolean, high, low, kNone)) != true);
  CHECK(algebra.decided(algebra.apply(Operator::Less, kBoolean, low, high, kNone)) != false);
}
