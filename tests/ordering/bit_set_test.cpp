#include "ordering/bit_set.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

using ptosync::BitSet;

namespace {

std::set<std::uint32_t> members(const BitSet &bits) {
  std::set<std::uint32_t> result;
  bits.forEach([&](std::uint32_t bit) { result.insert(bit); });
  return result;
}

struct Pair {
  BitSet bits;
  std::set<std::uint32_t> set;
};

Pair randomPair(std::mt19937 &random, std::uint32_t size) {
  Pair pair{BitSet(size), {}};
  // Of a large set some chunks stay empty.
  std::uint32_t count = random() % (std::min(size, 300u) + 1);
  const std::uint32_t end = random() % 2 ? size : std::max(1u, size / 3);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t bit = random() % end;
    pair.bits.insert(bit);
    pair.set.insert(bit);
  }
  return pair;
}

} // namespace

TEST_CASE("bit set: every operation agrees with std::set", "[bit_set]") {
  std::mt19937 random(1);
  for (std::uint32_t size : {1u, 2u, 63u, 64u, 65u, 128u, 130u, 200u, 4096u, 4097u, 9000u})
    for (int round = 0; round < (size > 1000 ? 12 : 40); ++round) {
      Pair a = randomPair(random, size), b = randomPair(random, size);
      if (round % 3 == 0) { // one is a copy of the other that was changed
        b = a;
        b.bits.insert(size - 1);
        b.set.insert(size - 1);
      }
      INFO("size " << size << " round " << round);
      REQUIRE(members(a.bits) == a.set);
      CHECK(a.bits.empty() == a.set.empty());
      for (std::uint32_t bit = 0; bit < size; ++bit)
        REQUIRE(a.bits.contains(bit) == (a.set.count(bit) == 1));

      std::set<std::uint32_t> both, either = a.set, without = a.set;
      for (std::uint32_t bit : b.set) {
        if (a.set.count(bit))
          both.insert(bit);
        either.insert(bit);
        without.erase(bit);
      }
      CHECK(a.bits.intersects(b.bits) == !both.empty());

      BitSet united = a.bits;
      CHECK(united.unite(b.bits) == (either != a.set)); // true if it grew
      CHECK(members(united) == either);
      CHECK_FALSE(united.unite(b.bits)); // a second time nothing is new

      BitSet shared = a.bits;
      shared.intersect(b.bits);
      CHECK(members(shared) == both);

      BitSet rest = a.bits;
      rest.subtract(b.bits);
      CHECK(members(rest) == without);

      CHECK((a.bits == b.bits) == (a.set == b.set));
      BitSet copy = a.bits;
      copy.clear();
      CHECK(copy.empty());
      CHECK(copy == BitSet(size));
    }
}

TEST_CASE("bit set: a copy and what it was copied from leave each other alone", "[bit_set]") {
  std::mt19937 random(5);
  constexpr std::uint32_t kSize = 13000;
  std::vector<Pair> pairs = {randomPair(random, kSize)};
  for (int round = 0; round < 3000; ++round) {
    Pair &one = pairs[random() % pairs.size()];
    const std::uint32_t bit = random() % kSize, end = bit + random() % 5000;
    switch (random() % 7) {
    case 0:
      if (pairs.size() < 6) {
        pairs.push_back(Pair(one));
        break;
      }
      [[fallthrough]];
    case 1:
      one.bits.erase(bit);
      one.set.erase(bit);
      break;
    case 2: {
      std::vector<std::uint32_t> taken;
      one.bits.takeOut(bit, end, [&](std::uint32_t each) { taken.push_back(each); });
      const auto first = one.set.lower_bound(bit), last = one.set.lower_bound(end);
      CHECK(taken == std::vector<std::uint32_t>(first, last));
      one.set.erase(first, last);
      break;
    }
    case 3: {
      const Pair other = pairs[random() % pairs.size()];
      one.bits.unite(other.bits);
      one.set.insert(other.set.begin(), other.set.end());
      break;
    }
    case 4: {
      const Pair other = pairs[random() % pairs.size()];
      if (&one.bits == &other.bits)
        break;
      one.bits.subtract(other.bits);
      for (std::uint32_t each : other.set)
        one.set.erase(each);
      break;
    }
    default: one.bits.insert(bit); one.set.insert(bit);
    }
    if (round % 50 == 0)
      for (const Pair &each : pairs) {
        REQUIRE(members(each.bits) == each.set);
        CHECK(each.bits.empty() == each.set.empty());
      }
  }
}

TEST_CASE("bit set: the nearest below a bit, downwards, then those from the greatest one downwards", "[bit_set]") {
  std::mt19937 random(3);
  for (std::uint32_t size : {1u, 64u, 65u, 200u, 4097u, 20000u})
    for (int round = 0; round < 30; ++round) {
      const Pair pair = randomPair(random, size);
      const std::uint32_t from = random() % (size + 1);
      const std::size_t most = random() % 40;
      std::vector<std::uint32_t> down(pair.set.rbegin(), pair.set.rend());
      std::stable_partition(down.begin(), down.end(), [&](std::uint32_t bit) { return bit < from; });
      down.resize(std::min(down.size(), most));
      INFO("size " << size << " round " << round << " from " << from << " most " << most);
      CHECK(members(pair.bits.nearestBelow(from, most)) == std::set<std::uint32_t>(down.begin(), down.end()));
    }
}

TEST_CASE("bit set: erase takes out one member", "[bit_set]") {
  BitSet bits(130);
  bits.insert(0);
  bits.insert(64);
  bits.insert(129);
  bits.erase(64);
  bits.erase(65); // not in it
  CHECK(members(bits) == std::set<std::uint32_t>{0, 129});
}

TEST_CASE("bit set: forEach goes up", "[bit_set]") {
  BitSet bits(200);
  for (std::uint32_t bit : {199u, 3u, 64u, 63u, 128u})
    bits.insert(bit);
  std::vector<std::uint32_t> order;
  bits.forEach([&](std::uint32_t bit) { order.push_back(bit); });
  CHECK(order == std::vector<std::uint32_t>{3, 63, 64, 128, 199});
}

TEST_CASE("bit set: forEachShared visits common members until told to stop", "[bit_set]") {
  BitSet a(100), b(100);
  for (std::uint32_t bit : {1u, 5u, 70u, 99u})
    a.insert(bit);
  for (std::uint32_t bit : {2u, 5u, 70u, 99u})
    b.insert(bit);
  std::vector<std::uint32_t> seen;
  CHECK(a.forEachShared(b, [&](std::uint32_t bit) {
    seen.push_back(bit);
    return true;
  }));
  CHECK(seen == std::vector<std::uint32_t>{5, 70, 99});
  seen.clear();
  CHECK_FALSE(a.forEachShared(b, [&](std::uint32_t bit) {
    seen.push_back(bit);
    return bit != 70;
  }));
  CHECK(seen == std::vector<std::uint32_t>{5, 70});
}

TEST_CASE("bit set: a set of no bits", "[bit_set]") {
  BitSet none(0), other(0);
  CHECK(none.empty());
  CHECK_FALSE(none.unite(other));
  CHECK_FALSE(none.intersects(other));
  CHECK(members(none).empty());
}
