// Every loop that counts from here to there, and a test behind it: all that the static engine says of it against all of
// its runs.
//
//   for (T j = init; cast(j) cmp bound; step) touch(j);  if (cast(j) cmp bound) touch(j);
//
// T is narrower than int, with and without sign. Of three bits, and four up to what an argument says, all are tried:
// what three bits do at their ends, eight do at theirs. Of eight bits a part is tried here, each with all 256 values of
// an argument; "[.every]" tries the whole, which takes an hour. Types of 32 and 64 bits count in eighths of their
// range.
#include "ordering/kernel_maker.h"
#include "ordering/scalar_claims.h"
#include "support/corpus.h"

#include "kernel/kernel.h"

#include <catch2/catch.hpp>

#include <array>

namespace ptosync::test::counted_loops {
namespace {

constexpr std::array<Operator, 6> kComparisons = {Operator::Equal,     Operator::NotEqual, Operator::Less,
                                                  Operator::LessEqual, Operator::Greater,  Operator::GreaterEqual};

enum class Shape : std::uint8_t { For, Do, Goto, Middle };
constexpr std::array<Shape, 4> kShapes = {Shape::For, Shape::Do, Shape::Goto, Shape::Middle};

/// How a variable goes on: by as many times `unit`, doubled, or halved.
enum class Step : std::uint8_t { Up, Down, UpTwo, DownTwo, UpThree, DownThree, Double, Halve };
constexpr std::array<Step, 8> kSteps = {Step::Up,      Step::Down,      Step::UpTwo,  Step::DownTwo,
                                        Step::UpThree, Step::DownThree, Step::Double, Step::Halve};

using Values = std::vector<std::int64_t>;

/// All numbers of a narrow type.
Values allOf(IntegerType type) {
  Values values;
  Interval range = intervalOf(type);
  for (std::int64_t value = range.lowest; value <= range.highest; ++value)
    values.push_back(value);
  return values;
}

void stepOn(KernelMaker &maker, VariableId variable, Step step, std::int64_t unit = 1) {
  constexpr std::array<std::int64_t, 6> kBy = {1, -1, 2, -2, 3, -3};
  if (step == Step::Double)
    maker.assign(variable, maker.binary(Operator::Multiply, maker.read(variable), maker.constant(2, kInt32)));
  else if (step == Step::Halve)
    maker.assign(variable, maker.binary(Operator::Divide, maker.read(variable), maker.constant(2, kInt32)));
  else
    maker.assign(variable, maker.moved(variable, wrappedProduct(kBy[static_cast<std::size_t>(step)], unit)));
}

/// The loop with a test in its place, and the same test behind it.
void addLoop(KernelMaker &maker, Shape shape, const KernelMaker::Condition &test, const KernelMaker::Body &body,
             const KernelMaker::Body &step) {
  switch (shape) {
  case Shape::For: return maker.loop(test, body, step);
  case Shape::Do:
  case Shape::Goto:
    return maker.doLoop(
        [&] {
          body();
          step();
        },
        test, shape == Shape::Goto);
  case Shape::Middle:
    return maker.loop([&] { return maker.constant(1, kBoolean); },
                      [&] {
                        body();
                        maker.branch(maker.negated(test()), [&] { maker.breakOut(); });
                        body();
                      },
                      step);
  }
}

struct CountingLoop {
  IntegerType type;
  Shape shape = Shape::For;
  Step step = Step::Up;
  Operator comparison = Operator::Less;
  IntegerType cast; // of the counter, before it is compared
  std::int64_t unit = 1;

  using Number = std::function<ExpressionId(KernelMaker &)>;
  Kernel kernel(const Number &init, const Number &bound) const {
    KernelMaker maker;
    VariableId j = maker.variable("j", type);
    maker.assign(j, init(maker));
    ExpressionId limit = bound(maker);
    auto test = [&] { return maker.binary(comparison, maker.cast(maker.read(j), cast), limit); };
    auto touch = [&] { maker.touch(maker.read(j)); };
    addLoop(maker, shape, test, touch, [&] { stepOn(maker, j, step, unit); });
    maker.branch(test(), touch);
    return maker.finish();
  }
};

/// The casts that change what a counter of the type is compared as; the type itself is none.
std::vector<IntegerType> castsOf(IntegerType type) {
  std::vector<IntegerType> casts = {type, {type.bits, !type.isSigned}, {32, false}, {64, false}};
  if (type.bits > 16)
    casts = {type, {type.bits, !type.isSigned}, {static_cast<std::uint8_t>(type.bits == 32 ? 64 : 32), true}};
  return casts;
}

/// Kernels and runs that were held against what is said of them.
struct Tally {
  std::size_t kernels = 0, runs = 0, ended = 0;

  void check(const Kernel &kernel, const std::vector<Values> &arguments) {
    Program program = llvm::cantFail(buildProgram(kernel, machineOf("a3"), {}));
    ScalarClaims claims(program);
    ++kernels;
    for (const Values &values : arguments) {
      std::string wrong = claims.check(values);
      ++runs;
      ended += claims.ended();
      if (wrong.empty())
        continue;
      CAPTURE(values);
      FAIL_CHECK(wrong << "\n" << printKernel(kernel));
      return;
    }
  }
};

CountingLoop::Number constantOf(std::int64_t value, IntegerType type = kInt32) {
  return [=](KernelMaker &maker) { return maker.constant(value, type); };
}
CountingLoop::Number argumentOf(const char *name, IntegerType type) {
  return [=](KernelMaker &maker) { return maker.argument(name, type); };
}

/// All values of one argument, or none.
std::vector<Values> each(const Values &values) {
  std::vector<Values> all;
  for (std::int64_t value : values)
    all.push_back({value});
  return all;
}

template <typename Visit> void forEachLoop(IntegerType type, Shape shape, const Visit &visit) {
  for (Step step : kSteps)
    for (Operator comparison : kComparisons)
      for (IntegerType cast : castsOf(type))
        visit(CountingLoop{type, shape, step, comparison, cast});
}

void checkBetweenConstants(Shape shape) {
  Tally tally;
  for (bool isSigned : {false, true}) {
    IntegerType type{3, isSigned};
    forEachLoop(type, shape, [&](const CountingLoop &loop) {
      for (std::int64_t init : allOf(type))
        for (std::int64_t bound : allOf(type))
          tally.check(loop.kernel(constantOf(init), constantOf(bound)), {{}});
    });
  }
  CHECK(tally.kernels == 2 * 8 * 6 * 4 * 64);
  CHECK(tally.ended > tally.kernels / 3);
}

} // namespace

TEST_CASE("scalar loops: every `for` of three bits between constants", "[scalar_loops]") {
  checkBetweenConstants(Shape::For);
}

TEST_CASE("scalar loops: every `do` of three bits between constants", "[scalar_loops]") {
  checkBetweenConstants(Shape::Do);
}

TEST_CASE("scalar loops: every `goto` of three bits between constants", "[scalar_loops]") {
  checkBetweenConstants(Shape::Goto);
}

TEST_CASE("scalar loops: every loop of three bits that is left in its middle", "[scalar_loops]") {
  checkBetweenConstants(Shape::Middle);
}

TEST_CASE("scalar loops: every loop up to an argument, of three bits and of four", "[scalar_loops]") {
  Tally tally;
  for (bool isSigned : {false, true})
    for (Shape shape : kShapes) {
      IntegerType type{static_cast<std::uint8_t>(shape == Shape::For ? 4 : 3), isSigned};
      forEachLoop(type, shape, [&](const CountingLoop &loop) {
        for (std::int64_t init : allOf(type))
          tally.check(loop.kernel(constantOf(init), argumentOf("n", type)), each(allOf(type)));
      });
    }
  CHECK(tally.kernels == 2 * 8 * 6 * 4 * (16 + 3 * 8));
  CHECK(tally.runs == 2 * 8 * 6 * 4 * (16 * 16 + 3 * 8 * 8));
}

TEST_CASE("scalar loops: every loop of three bits from an argument", "[scalar_loops]") {
  Tally tally;
  for (bool isSigned : {false, true})
    for (Shape shape : kShapes) {
      IntegerType type{3, isSigned};
      forEachLoop(type, shape, [&](const CountingLoop &loop) {
        for (std::int64_t bound : {-5, -4, -1, 0, 2, 3, 4, 7, 8})
          tally.check(loop.kernel(argumentOf("n", type), constantOf(bound)), each(allOf(type)));
      });
    }
  CHECK(tally.ended > tally.runs / 2);
}

/// One in `every` of all loops of eight bits, up to or from an argument, with all of its values.
static void checkEightBits(std::size_t every) {
  Tally tally;
  std::size_t number = 0;
  for (bool isSigned : {false, true})
    for (Shape shape : kShapes) {
      IntegerType type{8, isSigned};
      const Values all = allOf(type);
      forEachLoop(type, shape, [&](const CountingLoop &loop) {
        for (std::int64_t value : all) {
          number += 7919; // no common divisor with the numbers of anything that is gone through
          if (number % every == 0)
            tally.check(loop.kernel(constantOf(value), argumentOf("n", type)), each(all));
          if (number % (2 * every) == 1)
            tally.check(loop.kernel(argumentOf("n", type), constantOf(value)), each(all));
        }
      });
    }
  WARN(tally.kernels << " loops of eight bits, " << tally.runs << " runs, of which " << tally.ended << " end");
  CHECK(tally.ended > tally.runs / 2);
}

TEST_CASE("scalar loops: loops of eight bits, all values of an argument", "[scalar_loops]") { checkEightBits(997); }

TEST_CASE("scalar loops: every loop of eight bits, all values of an argument", "[.every]") { checkEightBits(1); }

TEST_CASE("scalar loops: 32 and 64 bits in eighths of their range", "[scalar_loops]") {
  Tally tally;
  for (IntegerType type : {kInt32, IntegerType{32, false}, kInt64, IntegerType{64, false}}) {
    std::int64_t eighth = std::int64_t{1} << (type.bits - 3);
    Values numbers;
    for (std::int64_t i = 0; i < 8; ++i)
      numbers.push_back(wrapTo(type, wrappedProduct(i, eighth)));
    Values near = numbers;
    for (std::int64_t number : numbers)
      near.insert(near.end(), {wrapTo(type, wrappedSum(number, 1)), wrapTo(type, wrappedSum(number, -1))});
    for (Shape shape : {Shape::For, Shape::Goto})
      forEachLoop(type, shape, [&](CountingLoop loop) {
        loop.unit = eighth;
        for (std::int64_t init : {numbers[0], numbers[3], numbers[6]}) {
          tally.check(loop.kernel(constantOf(init, type), argumentOf("n", type)), each(near));
          for (std::int64_t bound : {numbers[1], near[9]})
            tally.check(loop.kernel(constantOf(init + 1, type), constantOf(bound, type)), {{}});
        }
      });
  }
  CHECK(tally.ended > tally.runs / 4);
}

TEST_CASE("scalar loops: a bound of 32 bits that is compared as one without sign", "[scalar_loops]") {
  // What is negative becomes large, and a counter with large steps gets there.
  Tally tally;
  for (IntegerType counter : {IntegerType{32, false}, IntegerType{64, false}})
    for (IntegerType bound : {kInt32, kInt64, IntegerType{32, false}})
      for (std::int64_t step : {std::int64_t{1}, std::int64_t{1} << 28, std::int64_t{1} << 30, std::int64_t{1} << 60})
        for (bool leaves : {false, true}) {
          if (counter.bits == 32 && step > INT32_MAX)
            continue;
          KernelMaker maker;
          VariableId j = maker.variable("j", counter);
          ExpressionId n = maker.argument("n", bound);
          maker.assign(j, maker.constant(0, kInt32));
          maker.loop([&] { return maker.binary(Operator::Less, maker.read(j), maker.cast(n, counter)); },
                     [&] {
                       maker.touch(maker.read(j));
                       if (leaves)
                         maker.branch(maker.binary(Operator::Equal, maker.read(j), maker.constant(5 * step, kInt64)),
                                      [&] { maker.breakOut(); });
                       maker.branch(
                           maker.binary(Operator::Less, maker.cast(maker.read(j), kInt64), maker.constant(0, kInt32)),
                           [&] { maker.touch(maker.constant(9, kInt32)); });
                     },
                     [&] { maker.assign(j, maker.moved(j, step)); });
          maker.touch(maker.read(j));
          Values values = {0, 1, 2, 3, 9, -1, -2, -9, INT32_MAX, INT32_MIN, INT32_MIN + 1};
          for (std::int64_t &value : values)
            value = wrapTo(bound, value);
          tally.check(maker.finish(), each(values));
        }
  CHECK(tally.ended > tally.runs / 3);
}

TEST_CASE("scalar loops: a bound that changes in the loop", "[scalar_loops]") {
  Tally tally;
  for (bool isSigned : {false, true})
    for (Shape shape : {Shape::For, Shape::Do, Shape::Middle})
      for (Step up : {Step::Up, Step::Down, Step::UpTwo})
        for (Step moves : {Step::Up, Step::Down, Step::DownThree, Step::Halve})
          for (Operator comparison : kComparisons)
            for (std::int64_t init : allOf({3, isSigned}))
              for (bool unknown : {false, true}) {
                IntegerType type{3, isSigned};
                KernelMaker maker;
                VariableId j = maker.variable("j", type), bound = maker.variable("bound", type);
                maker.assign(j, maker.constant(init, kInt32));
                maker.assign(bound, unknown ? maker.argument("n", type) : maker.constant(init ^ 3, kInt32));
                auto test = [&] { return maker.binary(comparison, maker.read(j), maker.read(bound)); };
                addLoop(
                    maker, shape, test, [&] { maker.touch(maker.read(j)); },
                    [&] {
                      stepOn(maker, j, up);
                      stepOn(maker, bound, moves);
                    });
                maker.branch(test(), [&] { maker.touch(maker.read(bound)); });
                tally.check(maker.finish(), unknown ? each(allOf(type)) : std::vector<Values>{{}});
              }
  CHECK(tally.ended > tally.runs / 2);
}

TEST_CASE("scalar loops: what is carried round a loop, tested in it and behind it", "[scalar_loops]") {
  Tally tally;
  IntegerType counter{4, false};
  for (bool isSigned : {false, true})
    for (Step step : kSteps)
      for (std::int64_t start : allOf({3, isSigned}))
        for (std::int64_t trips : {0, 1, 2, 3, 5, 9, -1})
          for (bool always : {false, true})
            for (Operator comparison : {Operator::Equal, Operator::Less, Operator::Greater}) {
              KernelMaker maker;
              VariableId j = maker.variable("j", counter), c = maker.variable("c", {3, isSigned});
              maker.assign(c, maker.constant(start, kInt32));
              maker.assign(j, maker.constant(0, kInt32));
              ExpressionId bound = trips < 0 ? maker.argument("n", counter) : maker.constant(trips, kInt32);
              auto test = [&] { return maker.binary(comparison, maker.read(c), maker.constant(2, kInt32)); };
              auto mark = [&] { maker.touch(maker.read(c)); };
              maker.loop([&] { return maker.binary(Operator::Less, maker.read(j), bound); },
                         [&] {
                           if (always)
                             stepOn(maker, c, step);
                           maker.branch(test(), mark, [&] { stepOn(maker, c, step); });
                         },
                         [&] { stepOn(maker, j, Step::Up); });
              maker.branch(test(), mark);
              tally.check(maker.finish(), trips < 0 ? each(allOf(counter)) : std::vector<Values>{{}});
            }
  CHECK(tally.ended == tally.runs);
}

TEST_CASE("scalar loops: a loop in a loop", "[scalar_loops]") {
  Tally tally;
  for (bool isSigned : {false, true})
    for (Operator outer : kComparisons)
      for (Operator inner : kComparisons)
        for (Step step : {Step::Up, Step::Down, Step::DownTwo, Step::Double})
          for (int from : {0, 1, 2})
            for (std::int64_t bound : allOf({3, isSigned})) {
              IntegerType type{3, isSigned};
              KernelMaker maker;
              VariableId i = maker.variable("i", type), j = maker.variable("j", type);
              ExpressionId n = maker.argument("n", type);
              maker.assign(i, maker.constant(1, kInt32));
              auto limit = [&] { return maker.constant(bound, kInt32); };
              maker.loop([&] { return maker.binary(outer, maker.read(i), from == 2 ? limit() : n); },
                         [&] {
                           maker.assign(j, from == 0 ? maker.constant(2, kInt32) : maker.read(i));
                           maker.loop([&] { return maker.binary(inner, maker.read(j), from == 1 ? n : limit()); },
                                      [&] { maker.touch(maker.read(j)); }, [&] { stepOn(maker, j, step); });
                           maker.touch(maker.read(j));
                         },
                         [&] { stepOn(maker, i, Step::Up); });
              maker.branch(maker.binary(inner, maker.read(i), limit()), [&] { maker.touch(maker.read(i)); });
              tally.check(maker.finish(), each(allOf(type)));
            }
  CHECK(tally.ended > tally.runs / 4);
}

} // namespace ptosync::test::counted_loops
