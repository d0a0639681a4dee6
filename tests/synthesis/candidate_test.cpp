#include "synthesis/candidate.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::synthesis;

static Candidate candidate(double cycles, std::size_t statements, std::size_t added = 0) {
  Candidate result;
  result.cycles = cycles;
  result.statements = statements;
  result.result.added.resize(added);
  return result;
}

TEST_CASE("candidates: what is slower is worth nothing, however short") {
  CHECK_FALSE(isWorthwhile(candidate(1001, 2), candidate(1000, 40)));
  CHECK_FALSE(isWorthwhile(candidate(1000, 40), candidate(1000, 40)));
}

TEST_CASE("candidates: half a percent is worth a few statements, and each one more a twentieth") {
  const Candidate base = candidate(1000, 40);
  CHECK(isWorthwhile(candidate(994, 40), base));
  CHECK(isWorthwhile(candidate(994, 50), base));
  CHECK_FALSE(isWorthwhile(candidate(996, 41), base));
  CHECK_FALSE(isWorthwhile(candidate(994, 66), base)); // 1.3 % for 26
  CHECK(isWorthwhile(candidate(986, 66), base));
  CHECK(isWorthwhile(candidate(994, 30), base));
}

TEST_CASE("candidates: as fast and shorter, unless much would be new") {
  const Candidate base = candidate(1000, 40);
  CHECK(isWorthwhile(candidate(1000, 38, 8), base));
  CHECK_FALSE(isWorthwhile(candidate(1000, 38, 9), base));
  CHECK_FALSE(isWorthwhile(candidate(1000, 41), base));
}

TEST_CASE("candidates: in order of time, and in order of statements") {
  CHECK(isFaster(candidate(10, 9), candidate(11, 2)));
  CHECK(isFaster(candidate(10, 2), candidate(10, 3)));
  CHECK_FALSE(isFaster(candidate(10, 2), candidate(10, 2)));
}

TEST_CASE("candidates: in order of statements, but for what is much faster than what there is") {
  CHECK(isShorter(candidate(1000, 2), candidate(996, 9), 1000));
  CHECK(isShorter(candidate(996, 2), candidate(1000, 2), 1000));
  CHECK(isShorter(candidate(994, 9), candidate(1000, 2), 1000));
  CHECK(isShorter(candidate(990, 9), candidate(994, 2), 1000));
  CHECK_FALSE(isShorter(candidate(1000, 2), candidate(1000, 2), 1000));
}
