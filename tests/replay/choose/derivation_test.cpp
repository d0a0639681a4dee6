// Graphs of numbers, tried with every input: two numbers of four bits, and what random arithmetic makes of them. What
// is said of all inputs must hold for each that C++ gives a meaning.
#include "replay/choose/derivation.h"

#include "replay/choose/impossible_ways.h"

#include <catch2/catch.hpp>

#include <functional>
#include <random>

using namespace ptosync;
using namespace ptosync::replay;

namespace {

constexpr IntegerType kNarrow{4, true}, kNarrowUnsigned{4, false};
constexpr unsigned kGraphs = 400, kNodes = 12;

/// The same arithmetic for one seed, whatever the inputs are.
struct RandomGraph {
  RandomGraph(unsigned seed, std::int64_t first, std::int64_t second) : random(seed) {
    const IntegerType type = pick(2) ? kNarrow : kNarrowUnsigned;
    for (std::int64_t bits : {first, second}) {
      Source source;
      source.number = numbers.size();
      source.type = type;
      add(derivation.source(source, wrapTo(type, bits)), type);
    }
    for (unsigned i = 0; i < kNodes; ++i)
      addSome();
  }

  std::size_t pick(std::size_t count) { return random() % count; }

  void add(const Derived &number, IntegerType type) {
    numbers.push_back(number);
    types.push_back(type);
  }

  void addSome() {
    const std::size_t one = pick(numbers.size());
    switch (pick(9)) {
    case 0: { // promoted, as it is lowered
      const Operator op = pick(2) ? Operator::Negate : Operator::BitNot;
      const Derived number = derivation.converted(numbers[one], types[one], kInt32);
      meaningless = meaningless || overflows(Operator::Subtract, kInt32, 0, number.bits);
      return add(derivation.unary(op, kInt32, number), kInt32);
    }
    case 1: {
      const IntegerType to =
          std::array<IntegerType, 6>{{{8, true}, {8, false}, kBoolean, kInt32, kInt64, {32, false}}}[pick(6)];
      return add(to == kBoolean ? truth(one) : derivation.converted(numbers[one], types[one], to), to);
    }
    case 2: {
      const std::size_t yes = pick(numbers.size()), no = pick(numbers.size());
      const IntegerType type = types[yes];
      const Derived other = derivation.converted(numbers[no], types[no], type);
      return add(derivation.select(truth(one), numbers[yes], other), type);
    }
    case 3: return add(derivation.unary(Operator::LogicalNot, kBoolean, truth(one)), kBoolean);
    default: return addBinary(one);
    }
  }

  /// As it is lowered: what is not 0 is 1.
  Derived truth(std::size_t number) {
    return derivation.binary(Operator::NotEqual, types[number], kBoolean, numbers[number], {0, 0}, 0);
  }

  void addBinary(std::size_t one) {
    static constexpr std::array kOperators = {
        Operator::Add,       Operator::Subtract,  Operator::Multiply,   Operator::Divide,
        Operator::Remainder, Operator::ShiftLeft, Operator::ShiftRight, Operator::BitAnd,
        Operator::BitOr,     Operator::BitXor,    Operator::Equal,      Operator::NotEqual,
        Operator::Less,      Operator::LessEqual, Operator::Greater,    Operator::GreaterEqual};
    const Operator op = kOperators[pick(kOperators.size())];
    const IntegerType type = std::array<IntegerType, 3>{{kInt32, {32, false}, kInt64}}[pick(3)];
    const Derived left = derivation.converted(numbers[one], types[one], type);
    const std::size_t other = pick(numbers.size() + 6);
    const Derived right = other < numbers.size()
                              ? derivation.converted(numbers[other], types[other], type)
                              : Derived{static_cast<std::int64_t>(pick(12)) - (type.isSigned ? 3 : 0), 0};
    const Derived second{wrapTo(type, right.bits), right.node};
    std::int64_t result = 0;
    if (!applyOperator(op, type, left.bits, second.bits, result) || overflows(op, type, left.bits, second.bits))
      meaningless = true;
    const IntegerType made = isComparison(op) ? kBoolean : type;
    add(derivation.binary(op, type, made, left, second, 0), made);
  }

  static bool overflows(Operator op, IntegerType type, std::int64_t left, std::int64_t right) {
    if (!type.isSigned)
      return false;
    const __int128 a = left, b = right;
    const __int128 exact = op == Operator::Add        ? a + b
                           : op == Operator::Subtract ? a - b
                           : op == Operator::Multiply ? a * b
                                                      : 0;
    return exact != wrapTo(type, static_cast<std::int64_t>(exact)) || exact > INT64_MAX || exact < INT64_MIN;
  }

  std::mt19937 random;
  Derivation derivation;
  std::vector<Derived> numbers;
  std::vector<IntegerType> types;
  bool meaningless = false; // C++ says nothing of some part
};

void forEachInput(const std::function<void(std::int64_t, std::int64_t)> &visit) {
  for (std::int64_t first = 0; first < 16; ++first)
    for (std::int64_t second = 0; second < 16; ++second)
      visit(first, second);
}

} // namespace

TEST_CASE("derivation: with other inputs numbers are what a run with those inputs computes, and within their bounds") {
  std::size_t compared = 0;
  for (unsigned seed = 0; seed < kGraphs; ++seed) {
    RandomGraph graph(seed, 3, 5);
    Cone cone(graph.derivation, graph.numbers);
    REQUIRE((cone.empty() || !cone.sources().empty()));
    if (cone.empty() || cone.sources().size() < 2)
      continue;
    forEachInput([&](std::int64_t first, std::int64_t second) {
      RandomGraph other(seed, first, second);
      if (other.meaningless)
        return;
      cone.evaluate({{0, first}, {1, second}});
      for (std::size_t i = 0; i < graph.numbers.size(); ++i) {
        const std::int64_t bits = other.numbers[i].bits;
        const Range bounds = cone.boundsOf(graph.numbers[i]);
        if (cone.bitsOf(graph.numbers[i]) != bits || bits < bounds.low || bits > bounds.high)
          FAIL_CHECK("seed " << seed << ", number " << i << " with " << first << ", " << second << ": " << bits
                             << " is evaluated to " << cone.bitsOf(graph.numbers[i]) << ", from " << bounds.low
                             << " to " << bounds.high);
        ++compared;
      }
    });
  }
  CHECK(compared > 100000);
}

TEST_CASE("contraction: what some inputs meet is never said to be impossible") {
  std::size_t met = 0, impossible = 0;
  for (unsigned seed = 0; seed < kGraphs; ++seed) {
    RandomGraph graph(seed, 3, 5);
    std::vector<std::vector<std::int64_t>> runs; // by input: all numbers
    forEachInput([&](std::int64_t first, std::int64_t second) {
      RandomGraph other(seed, first, second);
      if (other.meaningless)
        return;
      runs.emplace_back();
      for (const Derived &number : other.numbers)
        runs.back().push_back(number.bits);
    });
    for (unsigned trial = 0; trial < 20; ++trial) {
      std::vector<std::pair<std::size_t, Range>> asked;
      std::vector<Fact> facts;
      for (std::size_t i = 0, count = 1 + graph.pick(3); i < count; ++i) {
        const std::size_t number = graph.pick(graph.numbers.size());
        const std::int64_t low = static_cast<std::int64_t>(graph.pick(20)) - 8;
        asked.push_back({number, {low, low + static_cast<std::int64_t>(graph.pick(4))}});
        facts.push_back({graph.numbers[number], asked.back().second});
      }
      const bool some = std::any_of(runs.begin(), runs.end(), [&](const std::vector<std::int64_t> &numbers) {
        return std::all_of(asked.begin(), asked.end(), [&](const auto &fact) {
          return fact.second.low <= numbers[fact.first] && numbers[fact.first] <= fact.second.high;
        });
      });
      const bool may = mayHold(graph.derivation, facts, {});
      if (some && !may)
        FAIL_CHECK("seed " << seed << ", trial " << trial);
      met += some;
      impossible += !may;
    }
  }
  CHECK(met > 1000);
  CHECK(impossible > 1000);
}

TEST_CASE("contraction: bounds are drawn together backwards") {
  Derivation derivation;
  Source argument;
  argument.type = kInt32;
  const Derived x = derivation.source(argument, 0);
  const Derived quarter = derivation.binary(Operator::Divide, kInt32, kInt32, x, {4, 0}, 0);
  CHECK_FALSE(mayHold(derivation, {{quarter, {3, 100}}, {x, {0, 10}}}, {}));
  CHECK(mayHold(derivation, {{quarter, {3, 100}}, {x, {0, 12}}}, {}));
  CHECK_FALSE(mayHold(derivation, {{quarter, {3, 100}}}, {{x.node, {0, 11}}})); // bounds of an input
}

TEST_CASE("input proposals: each makes the number what is wanted") {
  std::size_t made = 0;
  for (unsigned seed = 0; seed < kGraphs; ++seed) {
    RandomGraph graph(seed, 3, 5);
    for (std::size_t i = 0; i < graph.numbers.size(); ++i) {
      if (!(graph.types[i] == kBoolean) || graph.numbers[i].node == 0)
        continue;
      const bool wanted = graph.numbers[i].bits == 0;
      Cone cone(graph.derivation, {graph.numbers[i]});
      for (Preferred preferred : {Preferred::Small, Preferred::Near})
        for (const SourceChanges &changes :
             proposalsFor(graph.derivation, graph.numbers[i], wanted, {7, 100}, preferred, 8)) {
          cone.evaluate(changes);
          if ((cone.bitsOf(graph.numbers[i]) != 0) != wanted)
            FAIL_CHECK("seed " << seed << ", number " << i);
          ++made;
        }
    }
  }
  CHECK(made > 300);
}

TEST_CASE("input proposals: a comparison is undone up to an input") {
  Derivation derivation;
  Source argument;
  argument.type = kInt32;
  const Derived n = derivation.source(argument, 64);
  const Derived sum = derivation.binary(Operator::Add, kInt32, kInt32, n, {63, 0}, 0);
  const Derived blocks = derivation.binary(Operator::Divide, kInt32, kInt32, sum, {64, 0}, 0);
  const Derived many = derivation.binary(Operator::Greater, kInt32, kBoolean, blocks, {3, 0}, 0);
  std::vector<SourceChanges> changes = proposalsFor(derivation, many, true, {}, Preferred::Small, 4);
  REQUIRE_FALSE(changes.empty());
  CHECK(changes.front() == SourceChanges{{0, 193}});
}
