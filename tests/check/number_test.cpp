#include "check/number.h"
#include "check/text.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace ptosync::check;

namespace {

const std::vector<std::string> kOperators = {
    "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "<<", ">>"};

/// What C++ makes of it; false where it is undefined.
#pragma GCC diagnostic ignored "-Wsign-compare" // of the two types as C++ takes them
template <typename A, typename B> bool native(const std::string &by, A a, B b, std::int64_t &value) {
  const auto promoted = +a;
  const std::int64_t whole = static_cast<std::int64_t>(promoted), other = static_cast<std::int64_t>(+b);
  if ((by == "/" || by == "%") && b == 0)
    return false;
  if ((by == "<<" || by == ">>") && (other < 0 || other > 20 || whole < 0))
    return false;
  auto is = [&](auto result) { return value = static_cast<std::int64_t>(result), true; };
  using Common = decltype(a + b);
  if constexpr (std::is_signed_v<Common>) // no overflow that is undefined
    if ((by == "*" && whole != 0 && std::abs(whole) > (std::int64_t{1} << 31) / std::abs(whole)) ||
        (by == "<<" && whole >= (1 << 10)))
      return false;
  if (by == "+")
    return is(a + b);
  if (by == "-")
    return is(a - b);
  if (by == "*")
    return is(a * b);
  if (by == "/")
    return is(a / b);
  if (by == "%")
    return is(a % b);
  if (by == "<")
    return is(a < b);
  if (by == ">")
    return is(a > b);
  if (by == "<=")
    return is(a <= b);
  if (by == ">=")
    return is(a >= b);
  if (by == "==")
    return is(a == b);
  if (by == "!=")
    return is(a != b);
  if (by == "&")
    return is(a & b);
  if (by == "|")
    return is(a | b);
  if (by == "^")
    return is(a ^ b);
  if (by == "<<")
    return is(a << b);
  return is(a >> b);
}

template <typename T> IntegerType typeOf() { return {static_cast<int>(sizeof(T) * 8), std::is_signed_v<T>}; }

/// The value lies within what is known of the form.
bool contains(const Numbers &numbers, const Number &form, std::int64_t value) {
  const Range range = numbers.bounds(form);
  const auto [modulus, remainder] = numbers.congruence(form);
  const Wide exact = form.type.isSigned || value >= 0 ? Wide{value} : Wide{value} + (Wide{1} << 64);
  if (exact < range.low || exact > range.high)
    return false;
  return modulus == 0 ? exact == form.constant : ((exact - remainder) % modulus) == 0;
}

/// Refusing is no mistake.
bool holds(Numbers &numbers, const std::string &by, const Number &x, const Number &y, std::int64_t value) {
  try {
    return contains(numbers, numbers.binary(by, x, y), value);
  } catch (const Refused &) {
    return true;
  }
}

template <typename A, typename B> void compare() {
  const std::vector<A> as = {0, 1, 2, 3, 7, 8, 12, 100, static_cast<A>(-1), static_cast<A>(-2), static_cast<A>(-8)};
  const std::vector<B> bs = {0, 1, 2, 3, 4, 8, 16, static_cast<B>(-1), static_cast<B>(-4)};
  for (const std::string &by : kOperators)
    for (A a : as)
      for (B b : bs) {
        std::int64_t value = 0;
        if (!native(by, a, b, value))
          continue;
        Numbers numbers;
        auto constant = [&](auto number, IntegerType type) {
          return numbers.constant(static_cast<std::int64_t>(number), type);
        };
        // Both known, and each of them one of a range that holds it.
        const Number x = constant(a, typeOf<A>()), y = constant(b, typeOf<B>());
        const Wide wa = a, wb = b;
        if (wa > INT64_MAX || wb > INT64_MAX)
          continue;
        const Number rx = numbers.of(numbers.named("x",
                                                   {std::max<Wide>(wa - 3, typeOf<A>().range().low),
                                                    std::min<Wide>(wa + 5, typeOf<A>().range().high)},
                                                   {}),
                                     typeOf<A>());
        const Number ry = numbers.of(numbers.named("y",
                                                   {std::max<Wide>(wb - 1, typeOf<B>().range().low),
                                                    std::min<Wide>(wb + 1, typeOf<B>().range().high)},
                                                   {}),
                                     typeOf<B>());
        const Number even = numbers.of(numbers.named("z", typeOf<A>().range(), {}, 4, ((a % 4) + 4) % 4), typeOf<A>());
        INFO(static_cast<std::int64_t>(a)
             << " " << by << " " << static_cast<std::int64_t>(b) << " bits " << sizeof(A) * 8 << " " << sizeof(B) * 8);
        CHECK(holds(numbers, by, x, y, value));
        CHECK(holds(numbers, by, rx, y, value));
        CHECK(holds(numbers, by, x, ry, value));
        CHECK(holds(numbers, by, rx, ry, value));
        if (wa >= 0)
          CHECK(holds(numbers, by, even, y, value));
      }
}

} // namespace

TEST_CASE("every operator holds what C++ makes of small values and of the edges of types") {
  compare<std::int32_t, std::int32_t>();
  compare<std::uint32_t, std::uint32_t>();
  compare<std::int64_t, std::int64_t>();
  compare<std::uint64_t, std::uint64_t>();
  compare<std::int8_t, std::uint8_t>();
  compare<std::uint16_t, std::int32_t>();
  compare<std::int32_t, std::uint32_t>();
  compare<std::int32_t, std::int64_t>();
  compare<std::uint32_t, std::int64_t>();
  compare<std::int64_t, std::uint32_t>();
}

TEST_CASE("a conversion holds what C++ makes of it") {
  for (std::int64_t value : {0L, 1L, -1L, 127L, 128L, 255L, 256L, -128L, -129L, 65535L, 65536L, 2147483647L,
                             2147483648L, 4294967295L, 4294967296L, -2147483649L}) {
    Numbers numbers;
    const Number constant = numbers.constant(value),
                 near = numbers.of(numbers.named("v", {Wide{value} - 2, Wide{value} + 2}, {}), {64, true});
    auto check = [&](auto made) {
      const IntegerType type = typeOf<decltype(made)>();
      CHECK(contains(numbers, numbers.convert(constant, type), static_cast<std::int64_t>(made)));
      CHECK(contains(numbers, numbers.convert(near, type), static_cast<std::int64_t>(made)));
    };
    check(static_cast<std::int8_t>(value));
    check(static_cast<std::uint8_t>(value));
    check(static_cast<std::int16_t>(value));
    check(static_cast<std::uint16_t>(value));
    check(static_cast<std::int32_t>(value));
    check(static_cast<std::uint32_t>(value));
  }
}

TEST_CASE("what a loop steps through keeps its remainder") {
  Numbers numbers;
  const IntegerType type{64, true};
  const Number rounds = numbers.of(numbers.named("rounds", {0, 100}, {1}), type);
  const Number even = numbers.scale(rounds, 2);
  CHECK(numbers.binary("%", even, numbers.constant(2)).sameValue(numbers.constant(0)));
  CHECK(numbers.binary("%", numbers.add(even, numbers.constant(1), 1), numbers.constant(2))
            .sameValue(numbers.constant(1)));
  CHECK(numbers.binary("/", numbers.scale(rounds, 4), numbers.constant(2)).sameValue(numbers.scale(rounds, 2)));
}

TEST_CASE("a number beyond 64 bits is refused") {
  const Numbers numbers;
  const Number most = numbers.constant(INT64_MAX), least = numbers.constant(INT64_MIN), one = numbers.constant(1);
  CHECK(numbers.add(most, one, -1).constant == INT64_MAX - 1);
  CHECK_THROWS_AS(numbers.add(most, one, 1), Refused);
  CHECK_THROWS_AS(numbers.add(least, one, -1), Refused);
  CHECK_THROWS_AS(numbers.scale(numbers.constant(std::int64_t{1} << 40), std::int64_t{1} << 40), Refused);
}

TEST_CASE("products and choices keep no more of a remainder than both numbers have") {
  // x is one of xOf, xOf + 4, .., and y one of yOf, yOf + 4, ..
  for (std::int64_t xOf : {0, 1, 2, 3})
    for (std::int64_t yOf : {0, 1, 2, 3}) {
      Numbers numbers;
      const IntegerType type{64, true};
      const Number x = numbers.of(numbers.named("x", {0, 100}, {}, 4, xOf), type);
      const Number y = numbers.of(numbers.named("y", {0, 100}, {}, 4, yOf), type);
      const Number test = numbers.of(numbers.named("test", {0, 1}, {}), {1, false});
      const Number product = numbers.binary("*", x, y), choice = numbers.choose(test, x, y);
      const Number even = numbers.choose(test, numbers.constant(xOf), numbers.constant(yOf + 8));
      INFO(xOf << " " << yOf);
      CHECK(contains(numbers, even, xOf));
      CHECK(contains(numbers, even, yOf + 8));
      for (std::int64_t times : {0, 1, 2, 5}) {
        CHECK(contains(numbers, choice, xOf + 4 * times));
        CHECK(contains(numbers, choice, yOf + 4 * times));
        for (std::int64_t others : {0, 1, 3})
          CHECK(contains(numbers, product, (xOf + 4 * times) * (yOf + 4 * others)));
      }
    }
}

TEST_CASE("a product that wraps keeps no more of a remainder than its type has") {
  for (const IntegerType type : {IntegerType{32, false}, IntegerType{32, true}}) {
    Numbers numbers; // 65536, or a number beyond the type
    const Number x = numbers.of(numbers.named("x", {0, INT32_MAX}, {}, std::int64_t{1} << 36, 65536), type);
    CHECK(contains(numbers, x, 65536));
    CHECK(contains(numbers, numbers.binary("*", x, x), 0));
  }
}
