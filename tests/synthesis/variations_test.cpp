#include "synthesis/variations.h"

#include <catch2/catch.hpp>

#include <tuple>

using namespace ptosync;
using namespace ptosync::synthesis;

TEST_CASE("variations: no two of a list are alike, and none withholds anything to begin with") {
  for (bool slots : {false, true}) {
    std::set<std::tuple<Preference, double, bool, bool>> seen;
    for (const Variation &variation : variationsFor(slots)) {
      CHECK(variation.withheld.empty());
      CHECK(variation.slotsLast == slots);
      CHECK(seen.insert({variation.preference, variation.sameTime, variation.slotsLast, variation.inPlace}).second);
    }
    CHECK(seen.size() > 1);
  }
}

TEST_CASE("variations: the three first, which the default effort tries, differ in what they prefer or in place") {
  for (bool slots : {false, true}) {
    std::set<std::pair<Preference, bool>> seen;
    for (const Variation &variation : variationsFor(slots).take_front(3))
      seen.insert({variation.preference, variation.inPlace});
    CHECK(seen.size() >= 2);
  }
}

TEST_CASE("variations: a large reduction is tried in fewer ways, one in which every trial is long in none") {
  CHECK(waysWithin(3, {}) == 3);
  CHECK(waysWithin(3, {100, 1000, 10'000}) == 3);
  CHECK(waysWithin(3, {500, 2000, 10'000}) == 1); // a million events: at least one way
  CHECK(waysWithin(9, {500, 2000, 10'000}) == 4);
  CHECK(waysWithin(3, {200, 1000, 1'000'000}) == 1); // 200 million words
  CHECK(waysWithin(6, {200, 1000, 1'000'000}) == 3);
  CHECK(waysWithin(3, {200, 1000, 7'000'000}) == 0);
}
