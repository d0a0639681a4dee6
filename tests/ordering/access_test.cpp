#include "ordering/access.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ptosync;

namespace {

/// Loops: outer { middle { inner {} } sibling {} }.
Kernel nestedLoops() {
  Kernel kernel;
  auto branch = [&](BlockId whenTrue, BlockId whenFalse) {
    Block block;
    block.terminator.kind = Terminator::Kind::Branch;
    block.terminator.condition = kernel.expressions.opaque(kBoolean);
    block.terminator.whenTrue = whenTrue;
    block.terminator.whenFalse = whenFalse;
    kernel.blocks.push_back(block);
  };
  auto jump = [&](BlockId to) {
    Block block;
    block.terminator.kind = Terminator::Kind::Jump;
    block.terminator.whenTrue = to;
    kernel.blocks.push_back(block);
  };
  jump(1);      // 0
  branch(2, 7); // 1: header of outer
  branch(3, 5); // 2: header of middle
  branch(3, 4); // 3: inner, one block
  jump(2);      // 4
  branch(5, 6); // 5: sibling, one block
  jump(1);      // 6
  kernel.blocks.push_back(Block{});
  return kernel;
}

class Loops {
public:
  Loops() : kernel(nestedLoops()), graph(kernel) {
    outer = graph.loopOf(1);
    middle = graph.loopOf(2);
    inner = graph.loopOf(3);
    sibling = graph.loopOf(5);
  }
  /// Outermost first.
  std::vector<LoopId> path(LoopId loop) const {
    std::vector<LoopId> result;
    for (; loop != kNone; loop = graph.loops()[loop].parent)
      result.insert(result.begin(), loop);
    return result;
  }
  Kernel kernel;
  FlowGraph graph;
  LoopId outer, middle, inner, sibling;
};

Access accessAt(ScalarValue base, Footprint bytes, std::uint32_t space = 0) {
  Access access;
  access.space = space;
  access.base = std::move(base);
  access.bytes = bytes;
  access.reads = access.writes = true;
  return access;
}

std::set<std::int64_t> bytesAt(const Footprint &footprint, std::int64_t base) {
  std::set<std::int64_t> bytes;
  for (std::int64_t row = 0; row < footprint.rows; ++row)
    for (std::int64_t byte = 0; byte < footprint.rowBytes; ++byte)
      bytes.insert(base + row * footprint.stride + byte);
  return bytes;
}

bool sharesByte(const Footprint &a, std::int64_t baseA, const Footprint &b, std::int64_t baseB) {
  std::set<std::int64_t> first = bytesAt(a, baseA);
  for (std::int64_t byte : bytesAt(b, baseB))
    if (first.count(byte))
      return true;
  return false;
}

Footprint randomFootprint(std::mt19937 &random) {
  std::int64_t bytes = 1 + random() % 4, rows = 1 + random() % 3;
  return rows == 1 ? Footprint{1, bytes, bytes} : Footprint{rows, bytes, bytes + 1 + static_cast<std::int64_t>(random() % 4)};
}

constexpr std::int64_t kTrips = 3;

/// Index in each loop around an instance.
using Iterations = std::map<LoopId, std::int64_t>;

/// The iteration of `scope` that an instance sees: its own, or the last one of loops it stands outside of.
Iterations seenIn(const Loops &loops, LoopId scope, const Iterations &own) {
  Iterations seen;
  for (LoopId loop : loops.path(scope))
    seen[loop] = own.count(loop) ? own.at(loop) : kTrips - 1;
  return seen;
}

/// Every pair of iterations that a distance stands for, in a kernel whose loops all run kTrips times.
std::vector<std::pair<Iterations, Iterations>> pairsAt(const Loops &loops, LoopId earlierLoop, LoopId laterLoop,
                                                       IterationDistance distance) {
  std::vector<LoopId> around = loops.path(earlierLoop), aroundLater = loops.path(laterLoop);
  std::vector<std::pair<Iterations, Iterations>> result = {{{}, {}}};
  auto expand = [&](auto choices) {
    std::vector<std::pair<Iterations, Iterations>> grown;
    for (const auto &pair : result)
      choices(pair, grown);
    result = std::move(grown);
  };
  bool inside = false; // of the distance's loop: nothing is known
  for (LoopId loop : around) {
    bool common = std::find(aroundLater.begin(), aroundLater.end(), loop) != aroundLater.end();
    expand([&](const auto &pair, auto &grown) {
      for (std::int64_t a = 0; a < kTrips; ++a)
        for (std::int64_t b = 0; b < kTrips; ++b) {
          if (!common && b > 0)
            continue;
          std::int64_t last = common ? b : kTrips - 1;
          bool fits = inside ? true
                      : loop == distance.loop
                          ? (distance.atLeast ? last - a >= distance.count : last - a == distance.count)
                          : last == a;
          if (!fits)
            continue;
          auto next = pair;
          next.first[loop] = a;
          if (common)
            next.second[loop] = b;
          grown.push_back(next);
        }
    });
    inside = inside || loop == distance.loop;
  }
  for (LoopId loop : aroundLater)
    if (std::find(around.begin(), around.end(), loop) == around.end())
      expand([&](const auto &pair, auto &grown) {
        for (std::int64_t b = 0; b < kTrips; ++b) {
          auto next = pair;
          next.second[loop] = b;
          grown.push_back(next);
        }
      });
  return result;
}

/// One kernel's worth of atoms over the loops, and concrete values for them.
class Values {
public:
  Values(const Loops &loops, std::mt19937 &random) : loops(loops), random(random) {
    for (LoopId loop : {loops.outer, loops.middle, loops.inner, loops.sibling}) {
      Atom counted;
      counted.kind = Atom::Kind::Counter;
      counted.scope = loop;
      counted.interval = {0, kTrips};
      counted.key = "iteration" + std::to_string(loop);
      ids.push_back(algebra.atom(counted));
      std::string name = std::to_string(loop);
      ids.push_back(algebra.opaque("opaque" + name, loop, kInt64, {0, 9}).terms[0].atom);
      ids.push_back(algebra.choice("choice" + name, loop, kInt64, {0, 6, 14}).terms[0].atom);
      Atom table;
      table.kind = Atom::Kind::Table;
      table.scope = loop;
      table.table = {0, 5, 11};
      table.interval = {0, 11};
      table.key = "table" + name;
      ids.push_back(algebra.atom(table));
    }
    Atom fixed;
    fixed.kind = Atom::Kind::Argument;
    fixed.interval = {0, 20};
    fixed.key = "argument";
    ids.push_back(algebra.atom(fixed));
  }

  ScalarValue randomBase() {
    ScalarValue base = algebra.constant(static_cast<std::int64_t>(random() % 24), kInt64);
    for (unsigned count = random() % 3; count > 0; --count) {
      static constexpr std::int64_t coefficients[] = {1, 2, -1, 4, 8, 6};
      ScalarValue term = algebra.scale(algebra.ofAtom(ids[random() % ids.size()], kInt64), coefficients[random() % 6]);
      base = algebra.add(base, term, false);
    }
    return base;
  }

  /// The base in one instance; what is not decided by the loops is drawn once per iteration seen.
  std::int64_t concrete(const ScalarValue &base, const Iterations &own) {
    std::int64_t value = base.constant;
    for (const Term &term : base.terms) {
      const Atom &atom = algebra[term.atom];
      Iterations seen = seenIn(loops, atom.scope, own);
      std::int64_t number = 0;
      if (atom.kind == Atom::Kind::Counter) {
        number = seen.at(atom.scope);
      } else if (atom.kind == Atom::Kind::Table) {
        number = atom.table[static_cast<std::size_t>(seen.at(atom.scope)) % atom.table.size()];
      } else {
        auto [entry, inserted] = drawn.try_emplace({term.atom, seen}, 0);
        if (inserted)
          entry->second = atom.kind == Atom::Kind::Choice
                              ? atom.table[random() % atom.table.size()]
                              : static_cast<std::int64_t>(random() % (atom.interval.highest + 1));
        number = entry->second;
      }
      value += term.coefficient * number;
    }
    return value;
  }
  void redraw() { drawn.clear(); }

  ScalarAlgebra algebra;

private:
  const Loops &loops;
  std::mt19937 &random;
  std::vector<AtomId> ids;
  std::map<std::pair<AtomId, Iterations>, std::int64_t> drawn;
};

/// False if the earlier instance would see an atom before its loop ever ran: it stands outside that loop, and the
/// later one inside without having gone round a loop that encloses both.
bool possible(const Loops &loops, const Values &values, const Access &access, LoopId earlierLoop, LoopId laterLoop,
              IterationDistance distance) {
  for (const Term &term : access.base.terms)
    for (LoopId loop : loops.path(values.algebra[term.atom].scope)) {
      if (loops.graph.encloses(loop, earlierLoop))
        continue;
      bool wentRound = distance.loop != kNone && loops.graph.encloses(distance.loop, loop) &&
                       loops.graph.encloses(distance.loop, laterLoop);
      if (loops.graph.encloses(loop, laterLoop) && !wentRound)
        return false;
    }
  return true;
}

std::string describe(const Values &values, const Access &earlier, LoopId earlierLoop, const Access &later,
                     LoopId laterLoop, IterationDistance distance) {
  auto loop = [](LoopId id) { return id == kNone ? std::string("no loop") : "loop " + std::to_string(id); };
  return values.algebra.describe(earlier.base) + " in " + loop(earlierLoop) + ", then " +
         values.algebra.describe(later.base) + " in " + loop(laterLoop) + ", " + std::to_string(distance.count) +
         (distance.atLeast ? " or more" : "") + " apart in " + loop(distance.loop);
}

/// Draws pairs of accesses and checks that neither verdict is wrong about some run; returns how many were wrong.
struct Tally {
  int unsoundOverlap = 0, unsoundSame = 0, apart = 0, same = 0;
  std::string example;
};

Tally compareWithRuns(bool aroundLeftLoops) {
  Loops loops;
  std::mt19937 random(11);
  Tally tally;
  Tile tile;
  tile.location = "Vec";
  tile.rows = tile.cols = 1;
  tile.elementBits = 8;
  tile.staticValidRows = tile.staticValidCols = 1;
  const std::vector<LoopId> places = {kNone, loops.outer, loops.middle, loops.inner, loops.sibling};
  for (int round = 0; round < 12000; ++round) {
    Values values(loops, random);
    AccessComparer comparer(values.algebra, loops.graph, {});
    LoopId earlierLoop = places[random() % places.size()], laterLoop = places[random() % places.size()];
    IterationDistance distance;
    std::vector<LoopId> around = loops.path(earlierLoop);
    if (!around.empty() && random() % 2) {
      distance.loop = around[random() % around.size()];
      distance.count = 1 + random() % 2;
      distance.atLeast = distance.count == 2;
    }
    // The earlier instance ran in a loop that has ended since, and not in its last iteration.
    bool leftEarly = distance.loop != kNone && !loops.graph.encloses(distance.loop, laterLoop);
    if (leftEarly != aroundLeftLoops)
      continue;
    ScalarValue base = values.randomBase();
    Access earlier = accessAt(base, randomFootprint(random));
    ScalarValue shifted = values.algebra.add(base, values.algebra.constant(random() % 9, kInt64), false);
    Access later = accessAt(random() % 2 ? shifted : values.randomBase(), randomFootprint(random));
    earlier.tile = later.tile = tile;
    if (!possible(loops, values, earlier, earlierLoop, laterLoop, distance) ||
        !possible(loops, values, later, earlierLoop, laterLoop, distance))
      continue;
    bool may = comparer.mayOverlap(earlier, earlierLoop, later, laterLoop, distance);
    bool same = comparer.sameAccess(earlier, earlierLoop, later, laterLoop, distance);
    tally.apart += !may;
    tally.same += same;
    if (may && !same)
      continue;
    bool wrong = false;
    for (int draw = 0; draw < 6 && !wrong; ++draw) {
      values.redraw();
      for (const auto &[first, second] : pairsAt(loops, earlierLoop, laterLoop, distance)) {
        std::int64_t a = values.concrete(earlier.base, first), b = values.concrete(later.base, second);
        bool overlap = !may && sharesByte(*earlier.bytes, a, *later.bytes, b);
        tally.unsoundOverlap += overlap;
        tally.unsoundSame += same && a != b;
        if (overlap || (same && a != b)) {
          wrong = true;
          if (tally.example.empty())
            tally.example = describe(values, earlier, earlierLoop, later, laterLoop, distance);
        }
      }
    }
  }
  return tally;
}

} // namespace

TEST_CASE("access: neither verdict is contradicted by a run", "[access]") {
  Tally tally = compareWithRuns(false);
  INFO(tally.example);
  CHECK(tally.unsoundOverlap == 0); // said apart, and shares a byte
  CHECK(tally.unsoundSame == 0);    // said the same, and starts elsewhere
  CHECK(tally.apart > 500);         // the test has something to test
  CHECK(tally.same > 50);
}

TEST_CASE("access: nor after an earlier iteration of a loop that has ended", "[access]") {
  // An atom of the innermost loop, seen from the middle loop and from outside it, is not one value when the
  // earlier instance stood in an earlier iteration of the middle loop.
  Tally tally = compareWithRuns(true);
  INFO(tally.example);
  CHECK(tally.unsoundOverlap == 0);
  CHECK(tally.unsoundSame == 0);
  CHECK(tally.apart > 100);
}

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
                                accessAt(algebra.constant(second, kAddress), b), kNone, {}) ==
            sharesByte(a, first, b, second));
  }
}

TEST_CASE("access: tiles of a counted loop are told apart exactly", "[access]") {
  // base = start + step * counter, an exact number of iterations apart: one gap, decided either way.
  Loops loops;
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    Values values(loops, random);
    ScalarAlgebra &algebra = values.algebra;
    AccessComparer comparer(algebra, loops.graph, {});
    std::int64_t step = static_cast<std::int64_t>(random() % 9) - 4;
    ScalarValue moving = algebra.scale(algebra.ofAtom(0, kInt64), step); // atom 0: the outer counter
    Footprint a = randomFootprint(random), b = randomFootprint(random);
    std::int64_t first = random() % 20, second = random() % 20;
    Access earlier = accessAt(algebra.add(moving, algebra.constant(first, kInt64), false), a);
    Access later = accessAt(algebra.add(moving, algebra.constant(second, kInt64), false), b);
    std::uint32_t count = random() % 3;
    IterationDistance distance = count ? IterationDistance{loops.outer, count, false} : IterationDistance{};
    INFO("step " << step << " starts " << first << " " << second << " count " << count);
    REQUIRE(comparer.mayOverlap(earlier, loops.outer, later, loops.outer, distance) ==
            sharesByte(a, first, b, second + step * count));
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
            wrong = std::to_string(first) + " bytes, then " + std::to_string(second) + " bytes " +
                    std::to_string(gap) + " further (mod 16)";
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
    CHECK(meet(p, algebra.select(condition, p, q, kNone)));        // either of them
    CHECK(meet(p, algebra.constant(64, kAddress)));                // of no argument: anywhere
    Access whole = accessAt(p, bytes, 7);
    whole.bytes.reset();
    CHECK(comparer.mayOverlap(whole, kNone, accessAt(algebra.add(p, algebra.constant(4096, kAddress), false), bytes, 7),
                              kNone, {}));                         // unknown extent, same argument
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
