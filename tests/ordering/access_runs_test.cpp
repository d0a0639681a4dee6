// The verdicts of access.h against runs: random bases and footprints, and concrete values for what they are made of.
#include "ordering/access.h"

#include "ordering/access_model.h"

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <string>
#include <vector>

using namespace ptosync;
using namespace ptosync::test;

namespace {

constexpr std::int64_t kTrips = 3;

/// Index in each loop around an instance.
using Iterations = std::map<LoopId, std::int64_t>;

/// The iteration of `scope` that an instance sees: its own, or where the count of a loop that it stands outside of
/// ended, in the last iterations of those around it.
Iterations seenIn(const Loops &loops, LoopId scope, const Iterations &own) {
  Iterations seen;
  for (LoopId loop : loops.path(scope))
    seen[loop] = own.count(loop) ? own.at(loop) : loop == scope ? kTrips : kTrips - 1;
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
      counted.inLoop = {0, kTrips - 1};
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
