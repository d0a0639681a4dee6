#include "base/shared_list.h"

#include <catch2/catch.hpp>

#include <random>

using namespace ptosync;

TEST_CASE("shared list: copies that change leave each other alone") {
  std::mt19937 random(7);
  for (std::size_t size : {0u, 1u, 32u, 33u, 100u}) {
    std::vector<SharedList<int>> lists = {SharedList<int>(size)};
    std::vector<std::vector<int>> known = {std::vector<int>(size, 0)};
    for (int round = 0; round < 300; ++round) {
      const std::size_t one = random() % lists.size();
      if (random() % 4 == 0 && lists.size() < 8) {
        lists.push_back(lists[one]);
        known.push_back(known[one]);
      } else if (size > 0) {
        const std::size_t at = random() % size;
        const int value = static_cast<int>(random() % 3);
        lists[one].set(at, value);
        known[one][at] = value;
      }
    }
    for (std::size_t a = 0; a < lists.size(); ++a) {
      REQUIRE(lists[a].size() == size);
      for (std::size_t i = 0; i < size; ++i)
        REQUIRE(lists[a][i] == known[a][i]);
      for (std::size_t b = 0; b < lists.size(); ++b) {
        CHECK((lists[a] == lists[b]) == (known[a] == known[b]));
        for (std::size_t chunk = 0; chunk < lists[a].chunkCount(); ++chunk)
          for (std::size_t i = chunk * SharedList<int>::kChunk;
               lists[a].shares(lists[b], chunk) && i < std::min(size, (chunk + 1) * SharedList<int>::kChunk); ++i)
            REQUIRE(known[a][i] == known[b][i]);
      }
    }
  }
  CHECK_FALSE(SharedList<int>(3) == SharedList<int>(4));
}

TEST_CASE("shared list: a copy shares until one of the two is changed, and then the rest") {
  SharedList<int> a(70);
  SharedList<int> b = a;
  CHECK((a.shares(b, 0) && a.shares(b, 1) && a.shares(b, 2)));
  b.set(40, 1);
  CHECK((a.shares(b, 0) && !a.shares(b, 1) && a.shares(b, 2)));
  CHECK(a[40] == 0);
}
