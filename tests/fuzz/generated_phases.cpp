// Branches of random kernels that follow a loop's iterations, with flags in their arms.
//
// Rings whose slots take turns every few trips, loops whose first trip loads for itself and whose others load for the
// next one, and conditions that are tested twice. Ids 4 to 7, like the other forms of loops; such a kernel runs for
// more trips than others (FuzzKernel::longRuns).
#include "fuzz/kernel_generator.h"

#include <algorithm>

namespace ptosync::fuzz {
namespace {

Scalar binary(Scalar::Kind kind, Scalar left, Scalar right) {
  return Scalar::make(kind, {std::move(left), std::move(right)});
}

Scalar isEqual(Scalar left, std::int64_t right) {
  return binary(Scalar::Kind::Equal, std::move(left), Scalar::of(right));
}

Statement branchOn(Scalar value) {
  Statement branch;
  branch.kind = Statement::Kind::If;
  branch.value = std::move(value);
  return branch;
}

} // namespace

/// What is the same in every few iterations, in the first ones, or before the last.
Scalar KernelGenerator::phaseCondition(std::uint32_t counter, bool inHelper) {
  Scalar k = Scalar::read(counter);
  auto divided = [&](std::int64_t by) { return binary(Scalar::Kind::Divide, k, Scalar::of(by)); };
  auto rest = [](Scalar value, std::int64_t by) {
    return binary(Scalar::Kind::Remainder, std::move(value), Scalar::of(by));
  };
  switch (random.below(inHelper ? 5 : 7)) {
  case 0: return isEqual(rest(k, 4), random.below(4));
  case 1: return isEqual(rest(divided(2), 2), random.below(2));
  case 2: return isEqual(rest(k, 3), random.below(3));
  case 3: return isEqual(k, random.below(3));
  case 4: return binary(Scalar::Kind::And, isEqual(rest(k, 2), 0), isEqual(rest(divided(2), 2), random.below(2)));
  case 5:
    return binary(Scalar::Kind::Less, binary(Scalar::Kind::Add, k, Scalar::of(random.between(1, 2))),
                  Scalar::read(kernel.lengthVariable));
  default: return isEqual(binary(Scalar::Kind::Subtract, Scalar::read(kernel.lengthVariable), k), 1);
  }
}

/// A form of branches by phase around what the loop holds already.
void KernelGenerator::addPhases(List &list, Statement &loop, Scope &inner, List &drains) {
  std::optional<std::pair<Pipe, Pipe>> between = twoPipes();
  if (!between || leaves(loop) || loop.step != 1 || !loop.lower.isConstant() || loop.lower.constant != 0)
    return;
  FlagName flag{between->first, between->second, 4}, back{between->second, between->first, 6};
  for (std::int64_t id : {4, 5, 6, 7})
    for (FlagName used : {flag, back}) {
      used.id = id;
      if (mentions(loop, used))
        return;
    }
  kernel.longRuns = true;
  if (random.chance(50))
    addSlots(list, loop, inner, drains, flag, back);
  else
    addPrefetch(list, loop, inner, drains, flag, back);
}

/// Every few trips the one side fills a slot; each trip the other uses it, and gives it back on the last one.
void KernelGenerator::addSlots(List &list, Statement &loop, Scope &inner, List &drains, FlagName full, FlagName free) {
  std::int64_t trips = random.between(1, 3);
  Scalar k = Scalar::read(loop.variable);
  Scalar inSlot = binary(Scalar::Kind::Remainder, k, Scalar::of(trips));
  Scalar slot = binary(Scalar::Kind::Remainder, binary(Scalar::Kind::Divide, k, Scalar::of(trips)), Scalar::of(2));
  auto byTurn = [&](auto make) {
    Statement turn = branchOn(isEqual(slot, 0));
    make(turn.body, 0);
    make(turn.otherwise, 1);
    return turn;
  };
  auto atTrip = [&](std::int64_t trip, Statement inside) {
    if (trips == 1)
      return inside;
    Statement when = branchOn(isEqual(inSlot, trip));
    when.body.push_back(std::move(inside));
    return when;
  };
  Statement fillSlot = byTurn([&](List &arm, std::int64_t turn) {
    Scope own = inner;
    own.depth = 3;
    FlagName taken = free, given = full;
    taken.id += turn;
    given.id += turn;
    arm.push_back(wait(taken));
    fillSome(arm, own, 2);
    arm.push_back(set(given));
    arm.push_back(wait(given));
  });
  Statement giveBack = byTurn([&](List &arm, std::int64_t turn) {
    FlagName given = free;
    given.id += turn;
    arm.push_back(set(given));
  });
  loop.body.push_back(atTrip(0, std::move(fillSlot)));
  fillSome(loop.body, inner, 2);
  // Given back when a slot's last trip ends; a loop that ends before leaves it taken.
  loop.body.push_back(atTrip(trips - 1, std::move(giveBack)));
  if (trips > 1 && random.chance(70))
    loop.upper = Scalar::of(2 * trips * random.between(1, 2));
  for (std::int64_t turn : {0, 1}) {
    FlagName prime = free;
    prime.id += turn;
    list.push_back(set(prime));
    drains.push_back(wait(prime));
  }
}

/// The first trip fills its own slot, every trip but the last the one of the next.
void KernelGenerator::addPrefetch(List &list, Statement &loop, Scope &inner, List &drains, FlagName full,
                                  FlagName free) {
  Scalar k = Scalar::read(loop.variable);
  Scalar even = isEqual(binary(Scalar::Kind::Remainder, k, Scalar::of(2)), 0);
  auto fillSlot = [&](List &arm, std::int64_t turn) {
    Scope own = inner;
    own.depth = 3;
    FlagName taken = free, given = full;
    taken.id += turn;
    given.id += turn;
    arm.push_back(wait(taken));
    fillSome(arm, own, 2);
    arm.push_back(set(given));
  };
  auto useSlot = [&](List &arm, std::int64_t turn) {
    Scope own = inner;
    own.depth = 3;
    FlagName taken = full, given = free;
    taken.id += turn;
    given.id += turn;
    arm.push_back(wait(taken));
    fillSome(arm, own, 2);
    arm.push_back(set(given));
  };
  Statement first = branchOn(isEqual(k, 0));
  fillSlot(first.body, 0);
  Statement ahead = branchOn(binary(Scalar::Kind::Less, binary(Scalar::Kind::Add, k, Scalar::of(1)), loop.upper));
  Statement turn = branchOn(even);
  fillSlot(turn.body, 1);
  fillSlot(turn.otherwise, 0);
  ahead.body.push_back(std::move(turn));
  Statement use = branchOn(even);
  useSlot(use.body, 0);
  useSlot(use.otherwise, 1);
  fillSome(loop.body, inner, 1);
  loop.body.push_back(std::move(first));
  loop.body.push_back(std::move(ahead));
  fillSome(loop.body, inner, 1);
  loop.body.push_back(std::move(use));
  for (std::int64_t turn : {0, 1}) {
    FlagName prime = free;
    prime.id += turn;
    list.push_back(set(prime));
    drains.push_back(wait(prime));
  }
}

/// Set and waited for under one condition, tested twice, or nearly the same one.
void KernelGenerator::addTwice(List &list, Scope &scope) {
  std::optional<std::pair<Pipe, Pipe>> between = twoPipes();
  if (!between)
    return;
  FlagName flag{between->first, between->second, random.between(3, 5)};
  auto fillArm = [&](List &arm, int most) {
    Scope own = scope; // what one arm declares no other sees
    ++own.depth;
    fillSome(arm, own, most);
  };
  Statement first = branchOn(condition(scope));
  Statement second = branchOn(random.chance(90) ? first.value : condition(scope));
  fillArm(first.body, 2);
  first.body.push_back(set(flag));
  if (random.chance(30))
    fillArm(first.otherwise, 1);
  second.body.push_back(wait(flag));
  fillArm(second.body, 2);
  list.push_back(std::move(first));
  fillSome(list, scope, 2);
  list.push_back(std::move(second));
}

} // namespace ptosync::fuzz
