#include "base/parallel.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

using namespace ptosync;

TEST_CASE("parallel: each job runs once, and all are done at the end", "[parallel]") {
  for (std::size_t count : {0u, 1u, 2u, 3u, 100u}) {
    std::vector<int> runs(count, 0);
    runInParallel(count, [&](std::size_t i) { ++runs[i]; });
    CHECK(runs == std::vector<int>(count, 1));
  }
}

TEST_CASE("parallel: no more jobs at a time than asked for", "[parallel]") {
  std::atomic<int> running = 0, most = 0;
  runInParallel(
      40,
      [&](std::size_t) {
        int now = ++running;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);)
          continue;
        std::this_thread::yield();
        --running;
      },
      3);
  CHECK(most >= 1);
  CHECK(most <= 3);
}

TEST_CASE("parallel: a single job runs where it is called", "[parallel]") {
  std::thread::id where;
  runInParallel(1, [&](std::size_t) { where = std::this_thread::get_id(); });
  CHECK(where == std::this_thread::get_id());
}

TEST_CASE("parallel: jobs may start others", "[parallel]") {
  std::vector<std::vector<int>> runs(5, std::vector<int>(7, 0));
  runInParallel(5, [&](std::size_t i) { runInParallel(7, [&, i](std::size_t j) { ++runs[i][j]; }); });
  CHECK(runs == std::vector<std::vector<int>>(5, std::vector<int>(7, 1)));
}
