#include "ordering/scalar_value.h"

#include <catch2/catch.hpp>

#include <array>
#include <map>
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
    ScalarValue value = type == kBoolean
                            ? algebra.apply(Operator::NotEqual, kBoolean, values[from],
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
    case 0:
      cast(pick(), kTypes[random() % kTypes.size()]);
      return;
    case 1: {
      std::size_t condition = cast(pick(), kBoolean), a = pick(), b = cast(pick(), values[a].type);
      add({Node::Kind::Select, condition, a, b, 0, {}, values[a].type},
          algebra.select(values[condition], values[a], values[b], 0));
      return;
    }
    default: {
      static constexpr std::array<Operator, 16> operators = {
          Operator::Add,    Operator::Subtract, Operator::Multiply, Operator::Divide,  Operator::Remainder,
          Operator::ShiftLeft, Operator::ShiftRight, Operator::BitAnd, Operator::BitOr, Operator::BitXor,
          Operator::Equal,  Operator::NotEqual, Operator::Less,     Operator::LessEqual, Operator::Greater,
          Operator::GreaterEqual};
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
    case Node::Kind::Atom:
      return free[static_cast<std::size_t>(node.number)];
    case Node::Kind::Constant:
      return node.number;
    case Node::Kind::Cast:
      return results[node.a] ? std::optional(wrapTo(node.type, *results[node.a])) : std::nullopt;
    case Node::Kind::Select: {
      if (!results[node.a] || !results[node.b] || !results[node.c])
        return std::nullopt;
      return *results[node.a] ? results[node.b] : results[node.c];
    }
    case Node::Kind::Binary:
      break;
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
    if (atom.kind == Atom::Kind::Choice && std::find(atom.table.begin(), atom.table.end(), concrete) == atom.table.end())
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
