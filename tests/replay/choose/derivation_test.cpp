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

TEST_CASE("derivation: bounds of the larger and the smaller of two numbers, and of what adds up to nothing") {
  Derivation derivation;
  Source argument;
  argument.type = kInt32;
  const Derived x = derivation.source(argument, 5);
  Source digit;
  digit.number = 1;
  digit.type = {3, false};
  const Derived some =
      derivation.binary(Operator::Add, kInt32, kInt32, // from 3 to 10
                        derivation.converted(derivation.source(digit, 1), digit.type, kInt32), {3, 0}, 0);
  auto chosen = [&](Operator op, const Derived &left, const Derived &right, const Derived &yes, const Derived &no) {
    const Derived test = derivation.binary(op, kInt32, kBoolean, left, right, 0);
    const Derived number = derivation.select(test, yes, no);
    return Cone(derivation, {number}).boundsOf(number);
  };
  const Range all = rangeOf(kInt32);
  CHECK(chosen(Operator::Less, x, some, some, x) == Range{3, all.high}); // the larger one
  CHECK(chosen(Operator::Greater, x, some, x, some) == Range{3, all.high});
  CHECK(chosen(Operator::Less, x, some, x, some) == Range{all.low, 10}); // the smaller one
  CHECK(chosen(Operator::GreaterEqual, x, some, some, x) == Range{all.low, 10});
  const Derived wide = derivation.converted(x, kInt32, kInt64);
  const Derived more = derivation.binary(Operator::Add, kInt64, kInt64, wide, {7, 0}, 0);
  const Derived apart = derivation.binary(Operator::Subtract, kInt64, kInt64, more, wide, 0);
  CHECK(Cone(derivation, {apart}).boundsOf(apart) == Range{7, 7});
  const Derived twice = derivation.binary(Operator::Add, kInt64, kInt64, more, wide, 0);
  CHECK_FALSE(Cone(derivation, {twice}).boundsOf(twice).single());
}

TEST_CASE("contraction: no bound is drawn in by one too many") {
  Derivation derivation;
  Source argument;
  argument.type = kInt32;
  const Derived x = derivation.source(argument, 0);
  auto may = [&](Operator op, std::int64_t by, Range result, Range input) {
    const Derived number = derivation.binary(op, kInt32, isComparison(op) ? kBoolean : kInt32, x, {by, 0}, 0);
    return mayHold(derivation, {{number, result}, {x, input}}, {});
  };
  for (std::int64_t by : {1, 3, 4})
    for (std::int64_t low = -9; low <= 9; ++low)
      for (std::int64_t high = low; high <= low + 2; ++high)
        for (std::int64_t value = -40; value <= 40; ++value) {
          const Range result{low, high}, input{value, value};
          auto holds = [&](std::int64_t number) { return low <= number && number <= high; };
          INFO(value << " by " << by << " from " << low << " to " << high);
          CHECK(may(Operator::Divide, by, result, input) == holds(value / by));
          CHECK((may(Operator::Remainder, by, result, input) || !holds(value % by))); // its quotient is forgotten
          CHECK(may(Operator::Multiply, by, result, input) == holds(value * by));
          CHECK(may(Operator::Subtract, by, result, input) == holds(value - by));
          CHECK(may(Operator::Add, by, result, input) == holds(value + by));
        }
  for (std::int64_t value = -3; value <= 3; ++value) {
    const Range input{value, value};
    CHECK(may(Operator::Less, 1, {1, 1}, input) == (value < 1));
    CHECK(may(Operator::Less, 1, {0, 0}, input) == (value >= 1));
    CHECK(may(Operator::LessEqual, 1, {1, 1}, input) == (value <= 1));
    CHECK(may(Operator::LessEqual, 1, {0, 0}, input) == (value > 1));
    CHECK(may(Operator::Greater, 1, {1, 1}, input) == (value > 1));
    CHECK(may(Operator::GreaterEqual, 1, {0, 0}, input) == (value < 1));
  }
  // Backwards alone: the input is bounded by the result, and two facts about it have nothing in common.
  auto apart = [&](Operator op, std::int64_t by, Range result, Operator other, std::int64_t of, Range second) {
    const Derived one = derivation.binary(op, kInt32, kInt32, x, {by, 0}, 0);
    const Derived two = derivation.binary(other, kInt32, kInt32, x, {of, 0}, 0);
    return !mayHold(derivation, {{one, result}, {two, second}, {x, {-1000, 1000}}}, {});
  };
  CHECK(apart(Operator::Multiply, 4, {13, 100}, Operator::Multiply, 3, {-100, 11})); // x >= 4, x <= 3
  CHECK_FALSE(apart(Operator::Multiply, 4, {12, 100}, Operator::Multiply, 3, {-100, 11}));
  CHECK(apart(Operator::Multiply, 4, {-100, -13}, Operator::Multiply, 3, {-11, 100})); // x <= -4, x >= -3
  CHECK_FALSE(apart(Operator::Multiply, 4, {-100, -12}, Operator::Multiply, 3, {-11, 100}));
  CHECK(apart(Operator::Divide, 4, {0, 0}, Operator::Divide, 2, {2, 9})); // x <= 3, x >= 4
  CHECK_FALSE(apart(Operator::Divide, 4, {0, 0}, Operator::Divide, 2, {-1, -1}));
  CHECK(apart(Operator::Divide, 4, {0, 0}, Operator::Divide, 2, {-9, -2}));    // x >= -3, x <= -4
  CHECK(apart(Operator::Subtract, 3, {2, 9}, Operator::Subtract, 1, {-9, 3})); // x >= 5, x <= 4
  CHECK_FALSE(apart(Operator::Subtract, 3, {2, 9}, Operator::Subtract, 1, {-9, 4}));
}

TEST_CASE("input proposals: what the way back finds and numbers at growing distances do not") {
  auto proposed = [](const std::function<Derived(Derivation &, const Derived &)> &condition) {
    Derivation derivation;
    Source argument;
    argument.type = kInt32;
    const Derived made = condition(derivation, derivation.source(argument, 100));
    REQUIRE(made.bits == 0);
    return !proposalsFor(derivation, made, true, {}, Preferred::Small, 4).empty();
  };
  auto binary = [](Derivation &derivation, Operator op, const Derived &left, std::int64_t right) {
    return derivation.binary(op, kInt32, isComparison(op) ? kBoolean : kInt32, left, {right, 0}, 0);
  };
  // A remainder that few numbers have.
  auto rest = [&](Derivation &derivation, const Derived &number) {
    return binary(derivation, Operator::Remainder, number, 4096);
  };
  CHECK(proposed([&](Derivation &d, const Derived &n) { // n = -57: below 1, not 1
    return binary(d, Operator::Less, rest(d, binary(d, Operator::Add, n, 12345)), -4080);
  }));
  CHECK(proposed([&](Derivation &d, const Derived &n) { // 585 * 7 = 4095: a factor is rounded up
    return binary(d, Operator::Greater, rest(d, binary(d, Operator::Multiply, n, 7)), 4090);
  }));
  CHECK(proposed([&](Derivation &d, const Derived &n) { // (8 * 4093) / 8: any of 8 numbers
    return binary(d, Operator::Equal, rest(d, binary(d, Operator::Divide, n, 8)), 4093);
  }));
  CHECK(proposed([&](Derivation &d, const Derived &n) {
    return binary(d, Operator::Equal, rest(d, binary(d, Operator::Subtract, n, 977)), 2022);
  }));
  CHECK(proposed([&](Derivation &d, const Derived &n) {
    return binary(d, Operator::Equal, rest(d, binary(d, Operator::BitXor, n, 0x155)), 2731);
  }));
}
