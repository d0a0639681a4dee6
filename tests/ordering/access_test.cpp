#include "ordering/access.h"

#include "ordering/access_model.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("access: constants are compared byte by byte", "[access]") {
  Loops loops;
  ScalarAlgebra algebra;
  AccessComparer comparer(algebra, loops.graph, {});
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    Footprint a = randomFootprint(random), b = randomFootprint(random);
    std::int64_t first = random() % 20, second = random() % 20;
    INFO(a.rows << "x" << a.rowBytes << "/" << a.stride << " at " << first << ", " << b.rows << "x" << b.rowBytes << "/"
                << b.stride << " at " << second);
    REQUIRE(comparer.mayOverlap(accessAt(algebra.constant(first, kAddress), a), kNone,
                                accessAt(algebra.constant(second, kAddress), b), kNone,
                                {}) == sharesByte(a, first, b, second));
  }
}

TEST_CASE("access: rotating buffers are compared phase by phase", "[access]") {
  Loops loops;
  ScalarAlgebra algebra;
  AccessComparer comparer(algebra, loops.graph, {});
  Atom table;
  table.kind = Atom::Kind::Table;
  table.scope = loops.outer;
  table.table = {0, 4096, 8192};
  table.interval = {0, 8192};
  table.key = "ring";
  ScalarValue ring = algebra.ofAtom(algebra.atom(table), kAddress);
  Access buffer = accessAt(ring, {1, 4096, 4096});
  auto overlapsAt = [&](std::uint32_t count, bool atLeast = false) {
    return comparer.mayOverlap(buffer, loops.outer, buffer, loops.outer, {loops.outer, count, atLeast});
  };
  CHECK_FALSE(overlapsAt(1));
  CHECK_FALSE(overlapsAt(2));
  CHECK(overlapsAt(3)); // round once
  CHECK_FALSE(overlapsAt(4));
  CHECK(overlapsAt(1, true)); // or more
  CHECK(comparer.mayOverlap(buffer, loops.outer, buffer, loops.outer, {}));
  CHECK(comparer.sameAccess(buffer, loops.outer, buffer, loops.outer, {}) == false); // no tile: nothing is certain
}

TEST_CASE("access: what certainly overlaps also may, and holds at every phase", "[access]") {
  Loops loops;
  ScalarAlgebra algebra;
  AccessComparer comparer(algebra, loops.graph, {});
  Atom table;
  table.kind = Atom::Kind::Table;
  table.scope = loops.outer;
  table.table = {0, 4096};
  table.interval = {0, 4096};
  table.key = "two slots";
  Access slot = accessAt(algebra.ofAtom(algebra.atom(table), kAddress), {1, 4096, 4096});
  Access first = accessAt(algebra.constant(0, kAddress), {1, 4096, 4096});
  auto must = [&](const Access &a, const Access &b, IterationDistance distance) {
    bool certain = comparer.mustOverlap(a, loops.outer, b, loops.outer, distance);
    if (certain)
      CHECK(comparer.mayOverlap(a, loops.outer, b, loops.outer, distance));
    return certain;
  };
  CHECK(must(slot, slot, {}));
  CHECK_FALSE(must(slot, slot, {loops.outer, 1, false}));
  CHECK(must(slot, slot, {loops.outer, 2, false}));
  CHECK_FALSE(must(slot, first, {})); // in every second iteration only
  CHECK(must(first, accessAt(algebra.constant(4095, kAddress), {1, 32, 32}), {}));
  CHECK_FALSE(must(first, accessAt(algebra.constant(4096, kAddress), {1, 32, 32}), {}));
  CHECK_FALSE(must(first, accessAt(algebra.opaque("x", kNone, kAddress, {0, 64}), {1, 32, 32}), {}));
  Access unknown = first;
  unknown.bytes.reset();
  CHECK_FALSE(must(first, unknown, {}));
}

TEST_CASE("access: what overlaps for certain in the first iteration of a loop", "[access]") {
  ScalarAlgebra algebra;
  Loops loops;
  AccessComparer comparer(algebra, loops.graph, {});
  Footprint bytes{1, 32, 32};
  Access fixed = accessAt(algebra.constant(4096, kAddress), bytes);
  Access slot = accessAt(algebra.table(loops.inner, kAddress, {4096, 0}), bytes);
  Access other = accessAt(algebra.table(loops.inner, kAddress, {0, 4096}), bytes);
  Atom counter;
  counter.kind = Atom::Kind::Counter;
  counter.scope = loops.inner;
  counter.interval = {0, 100};
  counter.key = "i";
  ScalarValue stepping = algebra.scale(algebra.ofAtom(algebra.atom(counter), kAddress), 64);
  Access behind = accessAt(algebra.add(stepping, algebra.constant(4096, kAddress), false), bytes);
  auto atEntry = [&](const Access &a, LoopId outside, const Access &b, IterationDistance distance) {
    bool certain = comparer.mustOverlapAtEntry(a, outside, b, loops.inner, distance);
    if (certain)
      CHECK(comparer.mayOverlap(a, outside, b, loops.inner, distance));
    return certain;
  };
  CHECK_FALSE(comparer.mustOverlap(fixed, loops.outer, slot, loops.inner, {}));
  CHECK(atEntry(fixed, loops.outer, slot, {}));
  CHECK(atEntry(fixed, kNone, slot, {}));
  CHECK(atEntry(fixed, loops.middle, slot, {loops.outer, 1, false}));
  CHECK_FALSE(atEntry(fixed, loops.outer, other, {}));
  CHECK(atEntry(fixed, loops.outer, behind, {}));
  // Around both the loop may be in any iteration.
  CHECK_FALSE(atEntry(fixed, loops.inner, slot, {}));
  CHECK_FALSE(atEntry(fixed, loops.inner, behind, {}));
  // What the earlier one saw of another run of the loop is not its first iteration.
  CHECK_FALSE(atEntry(slot, loops.sibling, slot, {loops.outer, 1, false}));
  // A table of the loop around both goes on turning.
  Access outer = accessAt(algebra.table(loops.outer, kAddress, {4096, 0}), bytes);
  CHECK_FALSE(atEntry(fixed, loops.outer, outer, {}));
}

TEST_CASE("access: values known modulo a power of two", "[access]") {
  // Two bases that are known modulo 16 only, of footprints up to 14 bytes: every multiple of 16 may lie between.
  Loops loops;
  ScalarAlgebra algebra;
  AccessComparer comparer(algebra, loops.graph, {});
  int apart = 0;
  std::string wrong;
  for (std::int64_t gap = 0; gap < 16; ++gap)
    for (std::int64_t first = 1; first < 15; ++first)
      for (std::int64_t second = 1; second < 15; ++second) {
        ScalarValue base = algebra.constant(0, kAddress), other = algebra.constant(gap, kAddress);
        base.modulus = other.modulus = 16;
        Footprint a{1, first, first}, b{1, second, second};
        if (comparer.mayOverlap(accessAt(base, a), kNone, accessAt(other, b), kNone, {}))
          continue;
        ++apart;
        for (std::int64_t turns = -2; turns <= 2; ++turns)
          if (sharesByte(a, 0, b, gap + 16 * turns) && wrong.empty())
            wrong = std::to_string(first) + " bytes, then " + std::to_string(second) + " bytes " + std::to_string(gap) +
                    " further (mod 16)";
      }
  CHECK(wrong == "");
  CHECK(apart > 100);
}

TEST_CASE("access: bounded values modulo a power of two", "[access]") {
  // base = x + constant (mod 64), x between two bounds: the arc of gaps against the arc that meets.
  Loops loops;
  std::mt19937 random(9);
  int apart = 0;
  for (int round = 0; round < 4000; ++round) {
    ScalarAlgebra algebra;
    AccessComparer comparer(algebra, loops.graph, {});
    std::int64_t lowest = random() % 40, highest = lowest + random() % 30;
    static constexpr std::int64_t coefficients[] = {1, 2, 4, -1, 8};
    std::int64_t coefficient = coefficients[random() % 5], gap = static_cast<std::int64_t>(random() % 128) - 64;
    ScalarValue x = algebra.scale(algebra.opaque("x", kNone, kInt64, {lowest, highest}), coefficient);
    ScalarValue base = algebra.constant(0, kInt64), other = algebra.add(x, algebra.constant(gap, kInt64), false);
    std::int64_t modulus = random() % 2 ? 64 : 0;
    base.modulus = other.modulus = static_cast<std::uint64_t>(modulus);
    Footprint a = randomFootprint(random), b = randomFootprint(random);
    if (comparer.mayOverlap(accessAt(base, a), kNone, accessAt(other, b), kNone, {}))
      continue;
    ++apart;
    for (std::int64_t value = lowest; value <= highest; ++value)
      for (std::int64_t turns = -6; turns <= 6; ++turns) {
        if (modulus == 0 && turns != 0)
          continue;
        INFO("x = " << value << " times " << coefficient << ", gap " << gap << ", modulus " << modulus);
        REQUIRE_FALSE(sharesByte(a, 0, b, coefficient * value + gap + modulus * turns));
      }
  }
  CHECK(apart > 500);
}

TEST_CASE("access: spaces and unknown bytes", "[access]") {
  Loops loops;
  ScalarAlgebra algebra;
  OverlapOptions options;
  options.globalMemory = 7;
  AccessComparer comparer(algebra, loops.graph, options);
  Footprint bytes{1, 32, 32};
  Access here = accessAt(algebra.constant(0, kAddress), bytes);
  CHECK_FALSE(comparer.mayOverlap(here, kNone, accessAt(algebra.constant(0, kAddress), bytes, 1), kNone, {}));
  CHECK_FALSE(comparer.mayOverlap(here, kNone, accessAt(algebra.constant(32, kAddress), bytes), kNone, {}));
  Access unknown = accessAt(algebra.constant(4096, kAddress), bytes);
  unknown.bytes.reset();
  CHECK(comparer.mayOverlap(here, kNone, unknown, kNone, {}));    // anywhere in its space
  CHECK_FALSE(comparer.sameAccess(here, kNone, here, kNone, {})); // no tile
}

TEST_CASE("access: global memory is split by argument", "[access]") {
  Loops loops;
  ScalarAlgebra algebra;
  auto argument = [&](const std::string &name) {
    Atom atom;
    atom.kind = Atom::Kind::Argument;
    atom.pointer = true;
    atom.key = name;
    return algebra.ofAtom(algebra.atom(atom), kAddress);
  };
  ScalarValue p = argument("argument 0 p"), q = argument("argument 1 q");
  ScalarValue condition = algebra.opaque("c", kNone, kBoolean, {0, 1});
  Footprint bytes{1, 64, 64};
  for (bool mayAlias : {false, true}) {
    OverlapOptions options;
    options.globalMemory = 7;
    options.argumentsMayAlias = mayAlias;
    AccessComparer comparer(algebra, loops.graph, options);
    auto meet = [&](const ScalarValue &a, const ScalarValue &b) {
      return comparer.mayOverlap(accessAt(a, bytes, 7), kNone, accessAt(b, bytes, 7), kNone, {});
    };
    CHECK(meet(p, q) == mayAlias);
    CHECK(meet(p, p));
    CHECK_FALSE(meet(p, algebra.add(p, algebra.constant(64, kAddress), false)));
    CHECK(meet(p, algebra.select(condition, p, q, kNone))); // either of them
    CHECK(meet(p, algebra.constant(64, kAddress)));         // of no argument: anywhere
    Access whole = accessAt(p, bytes, 7);
    whole.bytes.reset();
    CHECK(comparer.mayOverlap(whole, kNone, accessAt(algebra.add(p, algebra.constant(4096, kAddress), false), bytes, 7),
                              kNone, {})); // unknown extent, same argument
    CHECK(comparer.mayOverlap(whole, kNone, accessAt(q, bytes, 7), kNone, {}) == mayAlias);
    // Of unknown extents the first byte is certain, and nothing else.
    auto must = [&](const Access &a, const Access &b) { return comparer.mustOverlap(a, kNone, b, kNone, {}); };
    Access further = whole;
    further.base = algebra.add(p, algebra.constant(32, kAddress), false);
    CHECK(must(whole, whole));
    CHECK(must(whole, accessAt(p, bytes, 7)));
    CHECK_FALSE(must(whole, further));
    CHECK_FALSE(must(whole, accessAt(further.base, bytes, 7)));
  }
}

TEST_CASE("access: two arguments that the text relates may meet, others not", "[access]") {
  Loops loops;
  ScalarAlgebra algebra;
  std::uint32_t number = 0;
  auto argument = [&](const std::string &name) {
    Atom atom;
    atom.kind = Atom::Kind::Argument;
    atom.pointer = true;
    atom.number = number++;
    atom.key = name;
    return accessAt(algebra.ofAtom(algebra.atom(atom), kAddress), Footprint{1, 64, 64}, 7);
  };
  const Access p = argument("argument 0 p"), q = argument("argument 1 q"), r = argument("argument 2 r");
  OverlapOptions options;
  options.globalMemory = 7;
  options.related.relate(argumentBit(0), argumentBit(1));
  AccessComparer comparer(algebra, loops.graph, options);
  CHECK(comparer.mayOverlap(p, kNone, q, kNone, {}));
  CHECK(comparer.mayOverlap(q, kNone, p, kNone, {}));
  CHECK_FALSE(comparer.mustOverlap(p, kNone, q, kNone, {}));
  CHECK_FALSE(comparer.mayOverlap(p, kNone, r, kNone, {}));
  CHECK(comparer.describeRelation(p, q) == " (by the text it may be p)");
  CHECK(comparer.describeRelation(p, p).empty());
}

TEST_CASE("access: the same access needs the same bytes in the same shape", "[access]") {
  Loops loops;
  ScalarAlgebra algebra;
  AccessComparer comparer(algebra, loops.graph, {});
  Tile tile;
  tile.location = "Vec";
  tile.element = "float";
  tile.elementBits = 32;
  tile.rows = 16;
  tile.cols = 64;
  tile.staticValidRows = 16;
  tile.staticValidCols = 64;
  auto withTile = [&](Tile shape, std::int64_t base) {
    Access access = accessAt(algebra.constant(base, kAddress), {1, 4096, 4096});
    access.tile = std::move(shape);
    return access;
  };
  auto same = [&](const Access &a, const Access &b) { return comparer.sameAccess(a, kNone, b, kNone, {}); };
  Access plain = withTile(tile, 4096);
  CHECK(same(plain, withTile(tile, 4096)));
  CHECK_FALSE(same(plain, withTile(tile, 4128)));
  auto changed = [&](auto change) {
    Tile other = tile;
    change(other);
    return withTile(other, 4096);
  };
  CHECK_FALSE(same(plain, changed([](Tile &t) { t.staticValidRows = 15; })));
  CHECK_FALSE(same(plain, changed([](Tile &t) { t.staticValidCols = 63; })));
  CHECK_FALSE(same(plain, changed([](Tile &t) { t.elementBits = 16; })));
  CHECK_FALSE(same(plain, changed([](Tile &t) { t.rows = 32; })));
  CHECK_FALSE(same(plain, changed([](Tile &t) { t.blockLayout = BlockLayout::ColMajor; })));
  CHECK_FALSE(same(plain, changed([](Tile &t) { t.innerLayout = InnerLayout::RowMajor; })));
  CHECK_FALSE(same(plain, changed([](Tile &t) { t.padded = true; })));
  CHECK_FALSE(same(plain, changed([](Tile &t) { t.location = "Mat"; })));
  // A run-time region is never the same, not even as itself.
  Access dynamic = changed([](Tile &t) { t.staticValidRows = -1; });
  CHECK_FALSE(same(dynamic, dynamic));
  // A base of several possible values is itself in one iteration only.
  Access chosen = plain;
  chosen.base = algebra.choice("base", loops.outer, kAddress, {0, 4096});
  CHECK(comparer.sameAccess(chosen, loops.outer, chosen, loops.outer, {}));
  CHECK_FALSE(comparer.sameAccess(chosen, loops.outer, chosen, loops.outer, {loops.outer, 1, false}));
  // Known modulo 2^32 is enough on chip, modulo 2^16 is not.
  Access wide = plain, narrow = plain;
  wide.base.modulus = std::uint64_t{1} << 32;
  narrow.base.modulus = 1 << 16;
  CHECK(same(wide, wide));
  CHECK_FALSE(same(narrow, narrow));
}

TEST_CASE("access: how a reader sees it", "[access]") {
  Loops loops;
  ScalarAlgebra algebra;
  AccessComparer comparer(algebra, loops.graph, {});
  Access access = accessAt(algebra.constant(98304, kAddress), {1, 128, 128});
  CHECK(comparer.describe(access, "UB") == "UB [98304, 98432)");
  access.base = algebra.choice("base", kNone, kAddress, {0, 4096});
  CHECK(comparer.describe(access, "UB") == "UB [0, 128) or [4096, 4224)");
  access.base = algebra.opaque("x", kNone, kAddress, {});
  CHECK(comparer.describe(access, "L1") == "L1, unknown bytes");
  Atom pointer;
  pointer.kind = Atom::Kind::Argument;
  pointer.pointer = true;
  pointer.key = "argument 0 v1";
  access.base = algebra.ofAtom(algebra.atom(pointer), kAddress);
  CHECK(comparer.describe(access, "GM") == "GM argument v1");
  access.bytes.reset();
  CHECK(comparer.describe(access, "GM") == "GM argument v1, unknown bytes");
}

TEST_CASE("access: addresses wrap at 2^64", "[access]") {
  Loops loops;
  std::mt19937 random(11);
  constexpr std::int64_t kEnds[] = {INT64_MIN,      INT64_MIN + 40, -64, 0, 64, std::int64_t{1} << 62,
                                    INT64_MAX - 40, INT64_MAX};
  constexpr std::int64_t kFactors[] = {1, 48, -96, std::int64_t{1} << 61, std::int64_t{3} << 60, INT64_MIN, INT64_MAX};
  int apart = 0, meeting = 0;
  for (int round = 0; round < 4000; ++round) {
    ScalarAlgebra algebra;
    AccessComparer comparer(algebra, loops.graph, {});
    Footprint bytes[2] = {randomFootprint(random), randomFootprint(random)};
    std::int64_t begins[2], factors[2];
    constexpr std::int64_t kHighest = 5; // of the unknown numbers
    ScalarValue bases[2];
    for (int i = 0; i < 2; ++i) {
      begins[i] = wrappedSum(kEnds[random() % 8], static_cast<std::int64_t>(random() % 16));
      factors[i] = random() % 3 ? 0 : kFactors[random() % 7];
      bases[i] = algebra.add(
          algebra.constant(begins[i], kAddress),
          algebra.scale(algebra.opaque("x" + std::to_string(i), kNone, kAddress, {0, kHighest}), factors[i]), false);
    }
    bool shares = false;
    for (std::int64_t x = 0; x <= kHighest; ++x)
      for (std::int64_t y = 0; y <= kHighest; ++y) {
        std::int64_t distance = wrappedDifference(wrappedSum(begins[0], wrappedProduct(factors[0], x)),
                                                  wrappedSum(begins[1], wrappedProduct(factors[1], y)));
        bool near = distance > -10000 && distance < 10000;
        shares = shares || (near && sharesByte(bytes[0], distance, bytes[1], 0));
      }
    bool may = comparer.mayOverlap(accessAt(bases[0], bytes[0]), kNone, accessAt(bases[1], bytes[1]), kNone, {});
    INFO(begins[0] << " + " << factors[0] << "x, " << begins[1] << " + " << factors[1] << "y");
    CHECK((may || !shares));
    if (factors[0] == 0 && factors[1] == 0)
      CHECK(may == shares);
    ++(may ? meeting : apart);
  }
  CHECK(apart > 500);
  CHECK(meeting > 500);
}
