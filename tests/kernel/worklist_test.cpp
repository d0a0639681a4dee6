#include "kernel/worklist.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("a worklist hands out the first in its order, each as often as it was added in between") {
  const std::vector<std::uint32_t> order = {4, 1, 3};
  Worklist work(order);
  CHECK(work.next() == std::nullopt);
  work.add(3);
  work.add(1);
  work.add(1);
  CHECK(work.next() == 1u);
  work.add(4); // in front of where it is
  CHECK(work.next() == 4u);
  CHECK(work.next() == 3u);
  work.add(3);
  CHECK(work.next() == 3u);
  CHECK(work.next() == std::nullopt);
}

TEST_CASE("a worklist does not know what is not in its order") {
  const std::vector<std::uint32_t> order = {2};
  Worklist work(order);
  work.add(0);
  work.add(77);
  CHECK(work.next() == std::nullopt);
  work.add(2);
  CHECK(work.next() == 2u);
}
