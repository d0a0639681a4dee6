// Conditions of random kernels that hardly any argument fulfils, and syncs that stand under them.
//
// An argument's digits decide (FuzzKernel::rareVariable): the judge runs a kernel with values for which they hold, for
// which they hold in one trip of a loop, and for which they do not, while a replay that draws its arguments hardly ever
// meets them. So an order that only such a path has, and that an edit takes away, is seen by the simulator alone.
// Beside plain branches there are gotos, switches that fall through, `continue` in front of the end of a loop, helpers
// that are called with and without the condition, and event ids that it decides.
#include "fuzz/kernel_generator.h"

namespace ptosync::fuzz {
namespace {

Scalar twoOf(Scalar::Kind kind, Scalar left, Scalar right) {
  return Scalar::make(kind, {std::move(left), std::move(right)});
}

Scalar hasValue(Scalar left, std::int64_t right) {
  return twoOf(Scalar::Kind::Equal, std::move(left), Scalar::of(right));
}

Scalar rareDigitOf(Scalar value, std::int64_t number) {
  if (number == 0)
    return twoOf(Scalar::Kind::Remainder, std::move(value), Scalar::of(kRareModuli[0]));
  return twoOf(Scalar::Kind::Remainder, twoOf(Scalar::Kind::Divide, std::move(value), Scalar::of(kRareModuli[0])),
               Scalar::of(kRareModuli[1]));
}

Statement wayOut(Statement::Kind how) {
  Statement statement;
  statement.kind = how;
  return statement;
}

} // namespace

/// Few syncs beside those that are rare: most orders are to be open on the common path.
void KernelGenerator::chooseRareStyle() {
  if (random.chance(90)) {
    kernel.cube = false;
    pipes = {Pipe::V};
    for (auto [pipe, chance] : {std::pair(Pipe::MTE2, 80), std::pair(Pipe::MTE3, 80), std::pair(Pipe::S, 30)})
      if (random.chance(chance))
        pipes.push_back(pipe);
  }
  withFifos = false;
  density.barrier = random.pick(std::vector<int>{0, 0, 20, 50, 90});
  density.flags = random.pick(std::vector<int>{0, 0, 10, 30, 60});
  density.all = random.pick(std::vector<int>{0, 0, 0, 5, 20});
  density.helperFlags = random.pick(std::vector<int>{0, 0, 20, 50});
  unknownCalls = random.chance(10);
  loopBudget = static_cast<int>(random.between(1, small ? 1 : 3));
  kernel.tail = random.chance(80);
}

Scalar KernelGenerator::rareDigit(std::int64_t number) const {
  return rareDigitOf(Scalar::read(kernel.rareVariable), number);
}

/// Holds for few arguments, or for few of them in one trip of a loop.
Scalar KernelGenerator::rareCondition(const Scope &scope) {
  if (scope.inHelper)
    return hasValue(Scalar::read(scope.rareParameter), kRareDigits[random.below(2)]);
  std::int64_t dice = random.below(100);
  if (dice < 30 && !scope.counters.empty())
    return hasValue(
        rareDigitOf(
            twoOf(Scalar::Kind::Add, Scalar::read(kernel.rareVariable), Scalar::read(random.pick(scope.counters))), 0),
        kRareDigits[0]);
  if (dice < 65)
    return hasValue(rareDigit(0), kRareDigits[0]);
  if (dice < 92)
    return hasValue(rareDigit(1), kRareDigits[1]);
  return twoOf(Scalar::Kind::And, hasValue(rareDigit(0), kRareDigits[0]), hasValue(rareDigit(1), kRareDigits[1]));
}

Pipe KernelGenerator::anyPipe() {
  static const std::vector<Pipe> vector = {Pipe::V, Pipe::MTE2, Pipe::MTE3, Pipe::S};
  static const std::vector<Pipe> cube = {Pipe::MTE2, Pipe::MTE1, Pipe::M, Pipe::FIX};
  return random.pick(random.chance(50) ? pipes : kernel.cube ? cube : vector);
}

void KernelGenerator::addRareStep(List &list, Scope &scope) {
  std::int64_t dice = random.below(100);
  const bool nested = scope.depth < 3;
  if (dice < 38)
    return addRareSyncs(list, scope);
  if (dice < 68)
    return scope.inHelper ? addRareSyncs(list, scope) : addFence(list, scope);
  if (dice < 76 && nested)
    return addRareArm(list, scope);
  if (dice < 81 && nested && !scope.inHelper)
    return addRareSwitch(list, scope);
  if (dice < 89 && !scope.inHelper)
    return addRareExit(list, scope);
  if (dice < 93 && scope.mayContinue)
    return addLateContinue(list, scope);
  if (dice < 96 && !scope.inHelper)
    return addRuntimeId(list, scope);
  addInstruction(list, scope);
}

/// Barriers and pairs of a set and its wait, one behind the other.
void KernelGenerator::addSyncs(List &list, const Scope &scope, std::int64_t count) {
  for (; count > 0; --count) {
    std::int64_t dice = random.below(100);
    if (dice < 50) {
      list.push_back(sync(Statement::Kind::Barrier, dice < 25 ? Pipe::All : anyPipe(), Pipe::All, {}));
      continue;
    }
    FlagName flag{anyPipe(), anyPipe(), scope.inHelper ? 3 : random.below(3)};
    if (flag.from == flag.to)
      continue;
    list.push_back(set(flag));
    list.push_back(wait(flag));
    if (Pipe third = anyPipe(); random.chance(30) && third != flag.to) { // a chain
      FlagName next{flag.to, third, flag.id};
      list.push_back(set(next));
      list.push_back(wait(next));
    }
  }
}

void KernelGenerator::addRareSyncs(List &list, const Scope &scope) {
  Statement branch;
  branch.kind = Statement::Kind::If;
  branch.value = rareCondition(scope);
  branch.skips = random.chance(15) && !scope.inHelper;
  addSyncs(branch.body, scope, random.between(1, 2));
  if (!branch.skips && random.chance(10))
    addSyncs(branch.otherwise, scope, 1);
  list.push_back(std::move(branch));
}

/// Work and syncs that hardly any run reaches.
void KernelGenerator::addRareArm(List &list, Scope &scope) {
  Statement branch;
  branch.kind = Statement::Kind::If;
  branch.value = rareCondition(scope);
  branch.skips = random.chance(20) && !scope.inHelper;
  Scope inner = scope;
  ++inner.depth;
  for (std::int64_t steps = random.between(1, 4); steps > 0; --steps) {
    if (random.chance(50))
      addSyncs(branch.body, inner, 1);
    fill(branch.body, inner, 1);
  }
  list.push_back(std::move(branch));
}

void KernelGenerator::addRareSwitch(List &list, Scope &scope) {
  Statement choice;
  choice.kind = Statement::Kind::Switch;
  const std::int64_t digit = random.below(2);
  choice.value = rareDigit(digit);
  choice.constant = kRareDigits[digit];
  choice.falls = random.chance(50);
  Scope arm = scope;
  ++arm.depth;
  arm.inLoop = false; // a break would be the switch's
  addSyncs(choice.body, arm, random.between(1, 2));
  Scope own = arm;
  fillSome(choice.body, own, 1);
  if (random.chance(50))
    addSyncs(choice.otherwise, arm, 1);
  own = arm;
  fillSome(choice.otherwise, own, 2);
  list.push_back(std::move(choice));
}

/// Leaves the kernel or a loop, perhaps behind syncs of its own.
void KernelGenerator::addRareExit(List &list, Scope &scope) {
  Statement branch;
  branch.kind = Statement::Kind::If;
  branch.value = random.chance(60) ? rareCondition(scope) : condition(scope);
  if (random.chance(40))
    addSyncs(branch.body, scope, 1);
  bool stays = scope.inLoop && random.chance(60);
  branch.body.push_back(wayOut(!stays                                   ? Statement::Kind::Return
                               : scope.mayContinue && random.chance(50) ? Statement::Kind::Continue
                                                                        : Statement::Kind::Break));
  // A loop that is left at the end of its body alone must get there in its last trip.
  if (branch.body.back().kind == Statement::Kind::Continue)
    return addLateContinue(list, scope);
  list.push_back(std::move(branch));
}

/// Goes on to the next trip, if there is one: what stands behind runs less often than what stands in front.
void KernelGenerator::addLateContinue(List &list, Scope &scope) {
  Statement branch;
  branch.kind = Statement::Kind::If;
  Scalar next = twoOf(Scalar::Kind::Add, Scalar::read(scope.counters.back()), Scalar::of(2));
  branch.value = twoOf(Scalar::Kind::And, twoOf(Scalar::Kind::Less, next, scope.upper), rareCondition(scope));
  if (random.chance(30))
    branch.value = twoOf(Scalar::Kind::And, twoOf(Scalar::Kind::Less, next, scope.upper), condition(scope));
  if (random.chance(40))
    addSyncs(branch.body, scope, 1);
  branch.body.push_back(wayOut(Statement::Kind::Continue));
  list.push_back(std::move(branch));
}

/// A flag whose id the rare condition decides.
void KernelGenerator::addRuntimeId(List &list, Scope &scope) {
  std::optional<std::pair<Pipe, Pipe>> between = twoPipes();
  if (!between)
    return;
  std::int64_t first = random.below(3), second = random.below(4);
  Scalar id = Scalar::make(Scalar::Kind::Select, {rareCondition(scope), Scalar::of(first), Scalar::of(second)});
  list.push_back(sync(Statement::Kind::SetFlag, between->first, between->second, id));
  Scope inner = scope;
  ++inner.depth;
  fillSome(list, inner, 1);
  list.push_back(sync(Statement::Kind::WaitFlag, between->first, between->second, id));
}

} // namespace ptosync::fuzz
