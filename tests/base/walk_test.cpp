#include "base/walk.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

using namespace ptosync;

TEST_CASE("a walk visits everything that can be reached, once, the last reached first") {
  const std::vector<std::vector<std::uint32_t>> next = {{1, 2}, {3}, {3, 0}, {1}, {0}};
  Walk<std::uint32_t> walk({0});
  std::vector<std::uint32_t> visited;
  while (std::optional<std::uint32_t> node = walk.next()) {
    visited.push_back(*node);
    for (std::uint32_t to : next[*node])
      walk.reach(to);
  }
  CHECK(visited == std::vector<std::uint32_t>{0, 2, 3, 1});
  CHECK(walk.count() == 4);
  CHECK(walk.reached(3));
  CHECK_FALSE(walk.reached(4));
  CHECK_FALSE(walk.reached(400));
}

TEST_CASE("what a walk has closed it neither visits nor reaches") {
  Walk<std::string> walk;
  walk.close("wall");
  CHECK_FALSE(walk.reach("wall"));
  CHECK(walk.reach("way"));
  CHECK_FALSE(walk.reach("way"));
  CHECK(walk.next() == "way");
  CHECK(walk.next() == std::nullopt);
  CHECK(walk.count() == 1);
}

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
