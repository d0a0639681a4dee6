#include "ordering/random_scalar_kernel.h"

#include "ordering/kernel_maker.h"
#include "ordering/scalar_value.h"

#include <array>
#include <random>

namespace ptosync::test {
namespace {

constexpr std::array<Operator, 6> kCompare = {Operator::Equal,     Operator::NotEqual, Operator::Less,
                                              Operator::LessEqual, Operator::Greater,  Operator::GreaterEqual};

/// What both generators are made of.
class RandomMaker {
protected:
  explicit RandomMaker(std::uint32_t seed) : random(seed) {}

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); }
  bool oneIn(std::uint32_t many) { return pick(many) == 0; }
  template <std::size_t size> std::int64_t among(const std::array<std::int64_t, size> &numbers) {
    return numbers[pick(size)];
  }
  ExpressionId number(std::int64_t value) { return maker.constant(value, kInt32); }
  ExpressionId comparison(ExpressionId a, ExpressionId b) { return maker.binary(kCompare[pick(6)], a, b); }
  IntegerType wideEnough(ExpressionId value) { return maker.typeOf(value).bits < 32 ? kInt32 : maker.typeOf(value); }
  void addArgument(IntegerType type) {
    types.push_back(type);
    arguments.push_back(maker.argument("n" + std::to_string(arguments.size()), type));
  }
  ExpressionId argument() { return arguments[pick(static_cast<std::uint32_t>(arguments.size()))]; }

  /// `most` runs with the given values of each argument, not all combinations.
  RandomKernel finish(const std::function<std::vector<std::int64_t>(IntegerType)> &valuesOf, std::size_t most) {
    RandomKernel result;
    result.kernel = maker.finish();
    std::vector<std::vector<std::int64_t>> values;
    for (IntegerType type : types)
      values.push_back(valuesOf(type));
    for (std::size_t i = 0; i < most; ++i) {
      std::vector<std::int64_t> run;
      for (std::size_t number = 0; number < values.size(); ++number)
        run.push_back(number == 0 ? values[0][i % values[0].size()]
                                  : values[number][pick(static_cast<std::uint32_t>(values[number].size()))]);
      result.runs.push_back(std::move(run));
    }
    return result;
  }

  KernelMaker maker;
  std::vector<IntegerType> types;
  std::vector<ExpressionId> arguments;

private:
  std::mt19937 random;
};

class ScalarKernelMaker : RandomMaker {
public:
  explicit ScalarKernelMaker(std::uint32_t seed) : RandomMaker(seed), wide(seed % 2 != 0) {}

  RandomKernel make() {
    for (std::uint32_t i = 1 + pick(2); i > 0; --i)
      addArgument(anyType());
    for (std::uint32_t i = pick(3); i > 0; --i)
      declare(anyType());
    while (budget > 0)
      statement(3);
    maker.touch(expression(1));
    return finish(
        [](IntegerType type) {
          std::vector<std::int64_t> values;
          for (std::int64_t i = 0; i < 8; ++i) {
            values.push_back(wrapTo(type, i - 3));
            if (type.bits >= 32) {
              std::int64_t part = wrappedProduct(i, std::int64_t{1} << (type.bits - 3));
              values.insert(values.end(), {wrapTo(type, part), wrapTo(type, wrappedSum(part, -1))});
            }
          }
          return values;
        },
        24);
  }

private:
  IntegerType anyType() {
    constexpr std::array<IntegerType, 8> kTypes = {
        {{3, false}, {3, true}, {3, false}, {3, true}, {32, false}, {32, true}, {64, false}, {64, true}}};
    return kTypes[pick(wide ? 8 : 5)];
  }
  std::int64_t numberOf(IntegerType type) {
    std::int64_t small = static_cast<std::int64_t>(pick(10)) - 2;
    if (type.bits < 32 || !wide || oneIn(2))
      return small;
    std::int64_t part = wrappedProduct(small, std::int64_t{1} << (type.bits - 3));
    return wrapTo(type, wrappedSum(part, static_cast<std::int64_t>(pick(3)) - 1));
  }
  void declare(IntegerType type) {
    VariableId variable = maker.variable("v" + std::to_string(variables.size()), type);
    maker.assign(variable, oneIn(3) ? expression(1) : maker.constant(numberOf(type), type));
    variables.push_back(variable);
  }
  VariableId anyVariable() { return variables[pick(static_cast<std::uint32_t>(variables.size()))]; }
  ExpressionId leaf() {
    std::uint32_t kind = pick(8);
    if (kind < 4 && !variables.empty())
      return maker.read(anyVariable());
    if (kind < 6)
      return argument();
    IntegerType type = anyType();
    return maker.constant(numberOf(type), type.bits < 32 ? kInt32 : type);
  }
  ExpressionId expression(int depth) {
    if (depth == 0 || oneIn(3))
      return leaf();
    constexpr std::array<Operator, 5> kBits = {Operator::BitAnd, Operator::BitOr, Operator::BitXor, Operator::ShiftLeft,
                                               Operator::ShiftRight};
    ExpressionId left = expression(depth - 1);
    switch (pick(9)) {
    case 0: return maker.cast(left, anyType());
    case 1: return maker.binary(Operator::Multiply, left, number(1 + pick(4)));
    case 2: return maker.binary(oneIn(2) ? Operator::Remainder : Operator::Divide, left, number(1 + pick(4)));
    case 3: return maker.binary(kBits[pick(5)], left, number(pick(4)));
    case 4: return maker.select(condition(1), left, maker.cast(expression(depth - 1), maker.typeOf(left)));
    case 5: return maker.binary(Operator::Multiply, left, expression(depth - 1));
    default: return maker.binary(oneIn(2) ? Operator::Add : Operator::Subtract, left, expression(depth - 1));
    }
  }
  ExpressionId condition(int depth) {
    switch (pick(12)) {
    case 0: return maker.negated(condition(depth));
    case 1: return maker.cast(leaf(), kBoolean);
    case 2:
      if (depth > 0) {
        ExpressionId left = condition(depth - 1);
        return maker.cast(maker.binary(oneIn(2) ? Operator::BitAnd : Operator::BitOr, left, condition(depth - 1)),
                          kBoolean);
      }
      [[fallthrough]];
    default: {
      ExpressionId left = expression(depth);
      return comparison(left, expression(static_cast<int>(pick(2))));
    }
    }
  }
  void list(int depth) {
    std::size_t outside = variables.size();
    for (std::uint32_t i = 1 + pick(3); i > 0 && budget > 0; --i)
      statement(depth);
    variables.resize(outside);
  }
  void simple() {
    if (variables.empty() || oneIn(4))
      return maker.touch(expression(1));
    VariableId variable = anyVariable();
    if (oneIn(2))
      maker.assign(variable, maker.moved(variable, static_cast<std::int64_t>(pick(7)) - 3));
    else
      maker.assign(variable, expression(2));
  }
  void statement(int depth) {
    --budget;
    std::uint32_t kind = pick(10);
    if (depth == 0 || kind < 4)
      return simple();
    if (kind >= 6)
      return loop(depth);
    maker.branch(
        condition(1),
        [&] {
          list(depth - 1);
          if (loops > 0 && oneIn(4))
            oneIn(2) ? maker.breakOut() : maker.goOn();
        },
        [&] {
          if (oneIn(2))
            list(depth - 1);
        });
  }
  void stepOn(VariableId variable) {
    IntegerType type = maker.typeOf(maker.read(variable));
    std::int64_t by = among<7>({1, 1, -1, 2, -2, 3, -3});
    if (oneIn(6))
      return maker.assign(
          variable, maker.binary(oneIn(2) ? Operator::Multiply : Operator::Divide, maker.read(variable), number(2)));
    if (type.bits >= 32 && wide && oneIn(2))
      by = wrappedProduct(by, std::int64_t{1} << (type.bits - 3));
    maker.assign(variable, maker.moved(variable, by));
  }
  void loop(int depth) {
    if (variables.empty() || !oneIn(3))
      declare(anyType());
    VariableId counter = oneIn(3) ? anyVariable() : variables.back();
    auto test = [&] {
      ExpressionId left = maker.read(counter);
      if (oneIn(3))
        left = maker.cast(left, anyType());
      return comparison(left, expression(static_cast<int>(pick(2))));
    };
    auto some = [&] {
      if (oneIn(2))
        list(depth - 1);
    };
    ++loops;
    switch (pick(4)) {
    case 0:
      maker.doLoop(
          [&] {
            list(depth - 1);
            stepOn(counter);
          },
          test);
      break;
    case 1:
      maker.loop([&] { return maker.constant(1, kBoolean); },
                 [&] {
                   some();
                   maker.branch(maker.negated(test()), [&] { maker.breakOut(); });
                   some();
                 },
                 [&] { stepOn(counter); });
      break;
    default: maker.loop(test, [&] { list(depth - 1); }, [&] { stepOn(counter); });
    }
    --loops;
  }

  bool wide;
  int budget = 10, loops = 0;
  std::vector<VariableId> variables;
};

class PhaseKernelMaker : RandomMaker {
public:
  explicit PhaseKernelMaker(std::uint32_t seed) : RandomMaker(seed) {}

  RandomKernel make() {
    for (std::uint32_t i = 1 + pick(2); i > 0; --i)
      addArgument(anyType());
    loop(1);
    if (oneIn(3))
      loop(0);
    return finish(
        [](IntegerType type) {
          std::vector<std::int64_t> values;
          for (std::int64_t i = -3; i < 14; ++i)
            values.push_back(wrapTo(type, i));
          Interval range = intervalOf(type);
          for (std::int64_t i = 0; i < 6; ++i)
            values.insert(values.end(), {wrapTo(type, range.highest - i), wrapTo(type, range.lowest + i)});
          return values;
        },
        29);
  }

private:
  struct Counting {
    VariableId variable;
    ExpressionId bound;
    std::int64_t step;
  };

  IntegerType anyType() {
    constexpr std::array<IntegerType, 8> kTypes = {
        {{32, true}, {32, false}, {64, true}, {64, false}, {8, false}, {8, true}, {16, false}, {16, true}}};
    return kTypes[pick(oneIn(3) ? 8 : 4)];
  }
  /// A number near an end of the type.
  std::int64_t edge(IntegerType type) {
    Interval range = intervalOf(type);
    std::int64_t inside = pick(9);
    if (type.bits == 64 && !type.isSigned)
      return oneIn(2) ? -1 - inside : inside;
    return oneIn(2) ? range.highest - inside : range.lowest + inside;
  }
  const Counting &anyCounting() { return counting[pick(static_cast<std::uint32_t>(counting.size()))]; }

  /// What goes round with a counter.
  ExpressionId phase() {
    ExpressionId c = maker.read(anyCounting().variable);
    if (oneIn(5))
      c = maker.cast(c, anyType());
    if (oneIn(4))
      c = maker.binary(Operator::Add, c, number(pick(4)));
    if (oneIn(8))
      c = maker.binary(Operator::Multiply, c, number(1 + pick(3)));
    if (oneIn(8))
      c = maker.binary(Operator::Subtract, c, number(pick(4)));
    switch (pick(6)) {
    case 0: return maker.binary(Operator::Remainder, c, number(2 + pick(3)));
    case 1: return maker.binary(Operator::Remainder, maker.binary(Operator::Divide, c, number(2 + pick(2))), number(2));
    case 2: return maker.binary(Operator::BitAnd, c, number(1 + 2 * pick(2)));
    case 3: return maker.binary(Operator::BitAnd, maker.binary(Operator::ShiftRight, c, number(1)), number(1));
    case 4: return c;
    default: return maker.binary(Operator::BitAnd, maker.binary(Operator::BitXor, c, number(pick(4))), number(3));
    }
  }
  /// About how many iterations are left.
  ExpressionId nearEnd() {
    const Counting &loop = anyCounting();
    ExpressionId c = maker.read(loop.variable);
    std::int64_t size = loop.step < 0 ? -loop.step : loop.step;
    std::int64_t ahead = oneIn(4) ? std::int64_t{pick(5)} : size * (1 + pick(3));
    ExpressionId by = maker.constant(ahead, wideEnough(c));
    ExpressionId bound = maker.typeOf(c).bits >= 32 && oneIn(2) ? maker.cast(loop.bound, maker.typeOf(c)) : loop.bound;
    switch (pick(5)) {
    case 0: return comparison(c, maker.binary(Operator::Subtract, bound, by));
    case 1: return comparison(maker.binary(Operator::Subtract, bound, c), by);
    case 2: return comparison(bound, maker.binary(Operator::Add, c, by));
    default: return comparison(maker.binary(Operator::Add, c, by), bound);
    }
  }
  ExpressionId condition(bool alone = false) {
    std::uint32_t kind = pick(10);
    if (!alone && kind == 0)
      return maker.negated(condition(true));
    if (!alone && kind == 1) {
      ExpressionId left = condition(true);
      return maker.cast(maker.binary(oneIn(2) ? Operator::BitAnd : Operator::BitOr, left, condition(true)), kBoolean);
    }
    if (kind < 6)
      return comparison(phase(), number(pick(4)));
    return kind < 9 ? nearEnd() : comparison(argument(), number(pick(5)));
  }
  void work() {
    switch (pick(4)) {
    case 0: return maker.touch(phase());
    case 1: return maker.touch(maker.select(condition(), number(3), number(5)));
    case 2: return maker.flag(oneIn(2) ? SyncKind::SetFlag : SyncKind::WaitFlag, pick(2));
    default: return maker.touch(maker.read(anyCounting().variable));
    }
  }
  void body(int depth) {
    for (std::uint32_t i = 1 + pick(3); i > 0; --i) {
      // The same test once more, now and then.
      if (last == kNone || !oneIn(3))
        last = condition();
      maker.branch(
          last,
          [&] {
            work();
            if (oneIn(6))
              oneIn(2) ? maker.breakOut() : maker.goOn();
          },
          [&] {
            if (oneIn(2))
              work();
          });
    }
    if (depth > 0 && oneIn(3))
      loop(depth - 1);
    if (oneIn(3))
      work();
  }
  void loop(int depth) {
    IntegerType type = anyType();
    VariableId counter = maker.variable("i" + std::to_string(counting.size()), type);
    bool atEdge = oneIn(4);
    ExpressionId start = maker.constant(atEdge ? edge(type) : pick(4), type);
    if (oneIn(8))
      start = argument();
    else if (!counting.empty() && oneIn(8))
      start = maker.read(anyCounting().variable);
    maker.assign(counter, start);
    ExpressionId bound = oneIn(3) ? maker.constant(atEdge ? edge(type) : pick(14), type) : argument();
    std::int64_t step = among<8>({1, 1, 1, 2, 3, 4, -1, -2});
    Operator op = oneIn(4) ? Operator::LessEqual : oneIn(4) ? Operator::NotEqual : Operator::Less;
    if (step < 0)
      op = oneIn(3) ? Operator::GreaterEqual : Operator::Greater;
    counting.push_back({counter, bound, step});
    guarded(counting.back(), op, [&] { addLoop(depth, counting.back(), op); });
    last = kNone;
    if (oneIn(2))
      maker.branch(condition(), [&] { maker.touch(number(1)); });
    counting.pop_back();
  }
  /// The loop, with a test in front of it now and then that asks what the loop asks first, or nearly; and with what
  /// that test has found out, in a variable, behind it.
  void guarded(Counting loop, Operator op, const KernelMaker::Body &body) {
    std::uint32_t kind = pick(8);
    if (kind > 3)
      return body();
    ExpressionId left = maker.read(loop.variable);
    if (kind == 0)
      left = maker.binary(Operator::Add, left, number(pick(2)));
    ExpressionId asked = maker.binary(oneIn(4) ? kCompare[pick(6)] : op, left, loop.bound);
    if (oneIn(3))
      asked = maker.negated(asked);
    VariableId found = maker.variable("found" + std::to_string(pick(3)), oneIn(2) ? kBoolean : kInt32);
    auto note = [&](std::int64_t value) { maker.assign(found, maker.constant(value, kInt32)); };
    auto useFlag = [&] { maker.flag(oneIn(2) ? SyncKind::SetFlag : SyncKind::WaitFlag, pick(2)); };
    note(0);
    maker.branch(
        asked,
        [&] {
          useFlag();
          note(1);
          if (kind == 3)
            body();
        },
        [&] {
          if (oneIn(3))
            note(oneIn(2) ? 1 : 2);
          if (oneIn(4))
            maker.leaveKernel();
        });
    if (kind != 3)
      body();
    maker.branch(oneIn(2) ? maker.cast(maker.read(found), kBoolean) : comparison(maker.read(found), number(pick(3))),
                 useFlag);
    if (oneIn(2))
      maker.branch(asked, useFlag, [&] { maker.touch(number(2)); });
  }
  void addLoop(int depth, Counting loop, Operator op) {
    auto test = [&] {
      ExpressionId left = maker.read(loop.variable), right = loop.bound;
      if (maker.typeOf(left).bits >= 32 && oneIn(2))
        right = maker.cast(right, maker.typeOf(left));
      else if (oneIn(6))
        left = maker.cast(left, anyType());
      return maker.binary(op, left, right);
    };
    auto step = [&] { maker.assign(loop.variable, maker.moved(loop.variable, loop.step)); };
    last = kNone;
    switch (pick(6)) {
    case 0:
      return maker.doLoop(
          [&] {
            body(depth);
            step();
          },
          test);
    case 1:
      return maker.loop([&] { return maker.constant(1, kBoolean); },
                        [&] {
                          body(depth);
                          maker.branch(maker.negated(test()), [&] { maker.breakOut(); });
                        },
                        step);
    default: return maker.loop(test, [&] { body(depth); }, step);
    }
  }

  std::vector<Counting> counting;
  ExpressionId last = kNone; // the condition of the branch before
};

} // namespace

RandomKernel randomScalarKernel(std::uint32_t seed) { return ScalarKernelMaker(seed).make(); }
RandomKernel randomPhaseKernel(std::uint32_t seed) { return PhaseKernelMaker(seed).make(); }

} // namespace ptosync::test
