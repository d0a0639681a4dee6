#include "synthesis/work_limit.h"

#include <catch2/catch.hpp>

using namespace ptosync::synthesis;

TEST_CASE("work limit: what is spent is gone, and no more than there is") {
  WorkLimit limit(100);
  CHECK_FALSE(limit.exhausted());
  CHECK_FALSE(limit.exceededBy(99));
  CHECK(limit.exceededBy(100));
  limit.spend(60);
  CHECK(limit.share(4).exceededBy(10));
  CHECK_FALSE(limit.share(4).exceededBy(9));
  limit.spend(60);
  CHECK(limit.exhausted());
  CHECK(limit.spent() == 120);
  CHECK(limit.share(2).spent() == 0);
}

TEST_CASE("work limit: a time that is over ends every search") {
  WorkLimit limit(100, WorkLimit::Clock::now());
  CHECK(limit.exhausted());
  CHECK(limit.exceededBy(0));
  CHECK(limit.share(2).exhausted());
}
