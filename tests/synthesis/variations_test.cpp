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
