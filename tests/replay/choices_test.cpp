#include "replay/choices.h"

#include <catch2/catch.hpp>

using namespace ptosync::replay;

namespace {

using Values = std::vector<std::int64_t>;

Choices choicesOfRoot(std::uint64_t root, Values values) { return {root, std::move(values)}; }

bool equalNumbers(std::int64_t a, std::int64_t b) { return a == b; }

std::optional<std::int64_t> sumOfTwo(std::int64_t a, std::int64_t b) { return a + b; }

} // namespace

TEST_CASE("choices: remainders of a number and of its neighbours") {
  CHECK(remainders(7, 0, 4, false)->values == Values{0, 1, 2, 3});
  CHECK(remainders(7, 1, 4, false)->values == Values{1, 2, 3, 0});
  CHECK(remainders(7, -1, 4, false)->values == Values{3, 0, 1, 2});
  CHECK(remainders(7, 0, 3, true)->values == Values{0, 1, 2, 0, -2, -1});
  CHECK(remainders(7, 0, 3, false)->root == 7);
  CHECK(remainders(7, 0, 3, true)->root != 7);
  CHECK(remainders(7, 0, 3, true)->root != remainders(7, 1, 3, true)->root);
  CHECK_FALSE(remainders(7, 0, 1, false));
  CHECK_FALSE(remainders(7, 0, 200, false));
}

TEST_CASE("choices: two of one root are compared where they are at the same time") {
  const Choices here = *remainders(7, 0, 2, false), next = *remainders(7, 1, 2, false);
  CHECK_FALSE(anyPair(here, next, equalNumbers));
  CHECK(anyPair(here, *remainders(8, 1, 2, false), equalNumbers));
  CHECK(anyPair(here, *remainders(7, 2, 2, false), equalNumbers));
  // Of other counts: even in four is even in two.
  CHECK_FALSE(anyPair(choicesOfRoot(7, {0, 100}), choicesOfRoot(7, {100, 0, 100, 0}), equalNumbers));
  CHECK(anyPair(choicesOfRoot(7, {0, 100, 200}), choicesOfRoot(7, {100, 0}), equalNumbers));
  // No root: not even to itself.
  CHECK(anyPair(choicesOfRoot(0, {0, 100}), choicesOfRoot(0, {100, 0}), equalNumbers));
  CHECK(anyPair(choicesOfRoot(7, {0, 100}), choicesOfRoot(0, {100}), equalNumbers));
  CHECK_FALSE(anyPair(choicesOfRoot(7, {0, 100}), choicesOfRoot(0, {50}), equalNumbers));
}

TEST_CASE("choices: what is computed of two") {
  const Choices two = choicesOfRoot(7, {0, 10}), three = choicesOfRoot(7, {1, 2, 3});
  CHECK(joined(two, three, sumOfTwo)->values == Values{1, 12, 3, 11, 2, 13});
  CHECK(joined(two, three, sumOfTwo)->root == 7);
  CHECK(joined(two, choicesOfRoot(0, {5}), sumOfTwo) == choicesOfRoot(7, {5, 15}));
  CHECK(joined(choicesOfRoot(0, {5}), two, sumOfTwo) == choicesOfRoot(7, {5, 15}));
  CHECK_FALSE(joined(two, choicesOfRoot(8, {1, 2}), sumOfTwo));
  CHECK_FALSE(joined(choicesOfRoot(0, {1, 2}), choicesOfRoot(0, {1, 2}), sumOfTwo));
  CHECK_FALSE(joined(two, three, [](std::int64_t, std::int64_t) -> std::optional<std::int64_t> { return {}; }));
  CHECK_FALSE(joined(choicesOfRoot(7, Values(100, 1)), choicesOfRoot(7, Values(99, 1)), sumOfTwo)); // too many
  CHECK(changed(three, [](std::int64_t value) { return value * 4; }).values == Values{4, 8, 12});
}

TEST_CASE("choices: one of two arms") {
  const Choices odd = choicesOfRoot(7, {0, 1});
  CHECK(picked(odd, choicesOfRoot(0, {64}), choicesOfRoot(0, {128}))->values == Values{128, 64});
  CHECK(picked(odd, choicesOfRoot(7, {1, 2, 3}), choicesOfRoot(0, {9}))->values == Values{9, 2, 9, 1, 9, 3});
  CHECK_FALSE(picked(odd, choicesOfRoot(8, {1, 2}), choicesOfRoot(0, {9})));
}

TEST_CASE("choices: what a run has decided on") {
  Decided decided;
  CHECK_FALSE(decided.has(choicesOfRoot(7, {0, 1})));
  decided.roots.insert(7);
  CHECK(decided.has(choicesOfRoot(7, {0, 1})));
  CHECK_FALSE(decided.has(choicesOfRoot(8, {0, 1})));
  decided.everything = true;
  CHECK(decided.has(choicesOfRoot(8, {0, 1})));
}
