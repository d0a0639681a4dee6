// The flags of random kernels: pairs that stand too early or too late, nests, arms, rings, lanes.
//
// Ids by use, so that forms may stand inside one another: 0 to 2 pairs, 3 helpers and nests, 4 and 5
// nests, arms and rings, 6 and 7 lanes. Some clash all the same; such kernels have unbalanced flags.
#include "fuzz/kernel_generator.h"

#include <algorithm>

namespace ptosync::fuzz {

bool KernelGenerator::mentions(const Statement &statement, const FlagName &flag) {
  auto between = [&](Pipe one, Pipe other) {
    return (flag.from == one && flag.to == other) || (flag.from == other && flag.to == one);
  };
  if (statement.kind == Statement::Kind::Instruction &&
      ((statement.opcode == "TPUT" && flag.id < 2 && between(Pipe::MTE2, Pipe::MTE3)) ||
       (statement.opcode == "TROWEXPAND" && flag.id == 0 && between(Pipe::V, Pipe::S))))
    return true;
  bool sync = statement.kind == Statement::Kind::SetFlag || statement.kind == Statement::Kind::WaitFlag;
  if (sync && statement.source == flag.from && statement.destination == flag.to &&
      (!statement.value.isConstant() || statement.value.constant == flag.id))
    return true;
  auto inside = [&](const List &list) {
    return std::any_of(list.begin(), list.end(), [&](const Statement &s) { return mentions(s, flag); });
  };
  return inside(statement.body) || inside(statement.otherwise);
}

bool KernelGenerator::leaves(const Statement &statement) {
  return statement.kind == Statement::Kind::Break || statement.kind == Statement::Kind::Return ||
         statement.kind == Statement::Kind::Continue ||
         std::any_of(statement.body.begin(), statement.body.end(), leaves) ||
         std::any_of(statement.otherwise.begin(), statement.otherwise.end(), leaves);
}

bool KernelGenerator::runsOn(const Statement &statement, Pipe pipe) {
  auto inside = [&](const List &list) {
    return std::any_of(list.begin(), list.end(), [&](const Statement &s) { return runsOn(s, pipe); });
  };
  return (statement.kind == Statement::Kind::Instruction && statement.source == pipe) ||
         statement.kind == Statement::Kind::Call || inside(statement.body) || inside(statement.otherwise);
}

/// set and wait, adjacent or with the set moved up towards what it is about; perhaps the set not as
/// far up as it could be, and the wait in front of instructions that need not wait.
void KernelGenerator::addFlagPair(List &list, const Scope &scope, Pipe from, Pipe to) {
  FlagName flag{from, to, scope.inHelper && random.chance(85) ? 3 : random.below(3)};
  auto end = static_cast<std::int64_t>(list.size());
  std::int64_t earliest = end;
  auto passes = [&](const Statement &statement, int overWork) {
    return !mentions(statement, flag) && !leaves(statement) && statement.kind != Statement::Kind::DeclareTile &&
           (!runsOn(statement, from) || random.chance(statement.kind == Statement::Kind::Call ? 30 : overWork));
  };
  if (random.chance(density.spread))
    while (earliest > 0 && passes(list[static_cast<std::size_t>(earliest - 1)], 2))
      --earliest;
  std::int64_t waits = random.chance(density.early) ? random.between(earliest, end) : end;
  std::int64_t sets = random.chance(density.late) ? random.between(earliest, waits) : earliest;
  Statement wait = this->wait(flag), set = this->set(flag);
  wait.keep = random.chance(density.keep / 2);
  set.keep = random.chance(density.keep / 2);
  list.insert(list.begin() + waits, std::move(wait));
  list.insert(list.begin() + sets, std::move(set));
}

void KernelGenerator::dropOneFlag() {
  std::vector<List *> lists = {&kernel.body};
  forEachStatement(kernel.body, [&](Statement &statement) {
    lists.push_back(&statement.body);
    lists.push_back(&statement.otherwise);
  });
  List &list = *random.pick(lists);
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].kind == Statement::Kind::SetFlag || list[i].kind == Statement::Kind::WaitFlag) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
}

std::optional<std::pair<Pipe, Pipe>> KernelGenerator::twoPipes() {
  Pipe from = random.pick(pipes), to = random.pick(pipes);
  return from == to ? std::nullopt : std::optional(std::pair(from, to));
}

void KernelGenerator::fillSome(List &list, Scope &scope, int most) {
  fill(list, scope, static_cast<int>(random.between(0, most)));
}

void KernelGenerator::addFlagForm(List &list, Scope &scope) {
  if (random.chance(15))
    return addTriangle(list, scope);
  if (random.chance(density.phases / 2))
    return addTwice(list, scope);
  std::optional<std::pair<Pipe, Pipe>> between = twoPipes();
  if (!between)
    return;
  FlagName flag{between->first, between->second, random.between(3, 5)};
  FlagName other = flag;
  other.id = flag.id == 5 ? 3 : flag.id + 1;
  Scope inner = scope; // what is declared inside is not seen behind
  ++inner.depth;
  switch (random.below(3)) {
  case 0: return addNest(list, inner, flag, other);
  case 1: return addArms(list, inner, flag);
  default: return addArmGeneration(list, inner, flag);
  }
}

/// Two flags of one pair whose spans nest, cross or follow one another.
void KernelGenerator::addNest(List &list, Scope &scope, FlagName outer, FlagName inner) {
  bool crossed = random.chance(30), apart = random.chance(20);
  list.push_back(set(outer));
  fillSome(list, scope, 2);
  if (apart)
    list.push_back(wait(outer));
  list.push_back(set(inner));
  fillSome(list, scope, 2);
  list.push_back(wait(crossed && !apart ? outer : inner));
  if (apart)
    return;
  fillSome(list, scope, 2);
  list.push_back(wait(crossed ? inner : outer));
}

/// Set in both arms and waited for behind the join, or the other way round.
void KernelGenerator::addArms(List &list, Scope &scope, FlagName flag) {
  Statement branch;
  branch.kind = Statement::Kind::If;
  branch.value = condition(scope);
  bool setInArms = random.chance(50);
  if (!setInArms) {
    list.push_back(set(flag));
    fillSome(list, scope, 1);
  }
  for (List *arm : {&branch.body, &branch.otherwise}) {
    Scope own = scope;
    fillSome(*arm, own, 2);
    arm->push_back(setInArms ? set(flag) : wait(flag));
    fillSome(*arm, own, 2);
  }
  list.push_back(std::move(branch));
  if (setInArms) {
    fillSome(list, scope, 2);
    list.push_back(wait(flag));
  }
}

/// One arm waits and sets again: one generation or two.
void KernelGenerator::addArmGeneration(List &list, Scope &scope, FlagName flag) {
  list.push_back(set(flag));
  fillSome(list, scope, 2);
  Statement branch;
  branch.kind = Statement::Kind::If;
  branch.value = condition(scope);
  Scope own = scope;
  fillSome(branch.body, own, 1);
  branch.body.push_back(wait(flag));
  fillSome(branch.body, own, 2);
  branch.body.push_back(set(flag));
  if (random.chance(50))
    std::swap(branch.body, branch.otherwise);
  list.push_back(std::move(branch));
  fillSome(list, scope, 2);
  list.push_back(wait(flag));
}

/// A flag from the first pipe to the third beside flags over a second one.
void KernelGenerator::addTriangle(List &list, Scope &scope) {
  std::optional<std::pair<Pipe, Pipe>> ends = twoPipes();
  Pipe middle = random.pick(pipes);
  if (!ends || middle == ends->first || middle == ends->second)
    return;
  FlagName direct{ends->first, ends->second, random.between(3, 5)};
  FlagName in{ends->first, middle, random.between(3, 5)}, out{middle, ends->second, random.between(3, 5)};
  bool directFirst = random.chance(50);
  list.push_back(set(directFirst ? direct : in));
  if (random.chance(30))
    fillSome(list, scope, 1);
  list.push_back(set(directFirst ? in : direct));
  bool broken = random.chance(25); // the way over the middle is set before it knows
  if (broken)
    list.push_back(set(out));
  list.push_back(wait(in));
  fillSome(list, scope, 1);
  if (!broken)
    list.push_back(set(out));
  bool directLast = random.chance(50);
  list.push_back(wait(directLast ? out : direct));
  fillSome(list, scope, 1);
  list.push_back(wait(directLast ? direct : out));
}

/// A flag that one trip of the loop leaves set for the next.
void KernelGenerator::addCarriedFlag(List &list, Statement &loop, Scope &inner, List &drains) {
  std::optional<std::pair<Pipe, Pipe>> between = twoPipes();
  if (!between || random.chance(leaves(loop) ? 80 : 0))
    return;
  std::int64_t form = random.below(10);
  FlagName flag{between->first, between->second, form < 6 ? random.between(4, 5) : 6};
  FlagName second = flag;
  second.id = 7;
  if (mentions(loop, flag) || (form >= 6 && mentions(loop, second)))
    return;
  if (form < 2)
    addGuardedRing(list, loop, inner, drains, flag);
  else if (form < 6)
    addRing(list, loop, drains, flag);
  else if (form < 8)
    addLanes(list, loop, drains, flag);
  else
    addPingPong(list, loop, inner, drains, flag);
}

/// Primed before the loop, waited for and set in it, perhaps twice, drained behind it.
void KernelGenerator::addRing(List &list, Statement &loop, List &drains, FlagName flag) {
  auto end = static_cast<std::int64_t>(loop.body.size());
  bool setFirst = random.chance(15); // then the prime is waited for in front of the loop
  std::vector<std::int64_t> places;
  for (int i = random.chance(25) ? 4 : 2; i > 0; --i)
    places.push_back(random.below(end + 1));
  std::sort(places.begin(), places.end());
  if (random.chance(60))
    places.front() = 0;
  if (random.chance(60))
    places.back() = end;
  for (std::size_t i = places.size(); i-- > 0;)
    loop.body.insert(loop.body.begin() + places[i], (i % 2 == 0) == setFirst ? set(flag) : wait(flag));
  if (setFirst)
    return;
  list.push_back(set(flag));
  if (random.chance(15)) // a generation in front of the loop, or behind it
    list.insert(list.end(), {wait(flag), set(flag)});
  if (random.chance(15))
    drains.insert(drains.end(), {wait(flag), set(flag)});
  drains.push_back(wait(flag));
}

/// The trips that a test lets through: at one end, all or none, or any.
Scalar KernelGenerator::guard(std::uint32_t counter, const Scope &inner) {
  Scalar k = Scalar::read(counter), limit = Scalar::read(kernel.limitVariable);
  switch (random.below(5)) {
  case 0: return Scalar::make(Scalar::Kind::Less, {k, limit});
  case 1: return Scalar::make(Scalar::Kind::Greater, {k, limit});
  case 2:
    return Scalar::make(Scalar::Kind::Less,
                        {Scalar::make(Scalar::Kind::Add, {limit, k}), Scalar::of(random.between(1, 5))});
  case 3: return Scalar::make(Scalar::Kind::Greater, {limit, Scalar::of(random.below(3))});
  default: return condition(inner);
  }
}

/// Primed in front of a loop, waited for and set again in an arm of a branch inside, drained behind it.
void KernelGenerator::carryThrough(List &arm, Scope own, int most, List &list, List &drains, FlagName flag) {
  ++own.depth;
  arm.push_back(wait(flag));
  fillSome(arm, own, most);
  arm.push_back(set(flag));
  list.push_back(set(flag));
  drains.push_back(wait(flag));
}

/// A flag for the trips that a test lets through.
void KernelGenerator::addGuardedRing(List &list, Statement &loop, Scope &inner, List &drains, FlagName flag) {
  Statement branch;
  branch.kind = Statement::Kind::If;
  branch.value = guard(loop.variable, inner);
  carryThrough(branch.body, inner, 3, list, drains, flag);
  if (random.chance(30))
    std::swap(branch.body, branch.otherwise);
  loop.body.push_back(std::move(branch));
}

/// The same with two or three lanes that take turns.
void KernelGenerator::addLanes(List &list, Statement &loop, List &drains, FlagName flag) {
  auto end = static_cast<std::int64_t>(loop.body.size());
  std::int64_t waits = random.below(end + 1), sets = random.between(waits, end);
  std::int64_t ways = random.chance(70) ? 2 : 3, base = ways == 2 ? 6 : 5;
  Scalar phase = Scalar::make(Scalar::Kind::Remainder, {Scalar::read(loop.variable), Scalar::of(ways)});
  Scalar lane = Scalar::make(Scalar::Kind::Add, {phase, Scalar::of(base)});
  if (random.chance(60)) { // a table
    lane = Scalar::of(base);
    for (std::int64_t way = 1; way < ways; ++way)
      lane = Scalar::make(Scalar::Kind::Select,
                          {Scalar::make(Scalar::Kind::Equal, {phase, Scalar::of(way)}), Scalar::of(base + way), lane});
  } else if (random.chance(50)) { // an array of ids, perhaps not in order
    std::vector<std::int64_t> ids;
    for (std::int64_t way = 0; way < ways; ++way)
      ids.insert(random.chance(70) ? ids.end() : ids.begin(), base + way);
    Statement declaration;
    declaration.kind = Statement::Kind::DeclareArray;
    declaration.variable = static_cast<std::uint32_t>(kernel.arrays.size());
    list.push_back(declaration);
    lane = Scalar::make(Scalar::Kind::Element, {phase});
    lane.variable = declaration.variable;
    kernel.arrays.push_back(std::move(ids));
  }
  loop.body.insert(loop.body.begin() + sets, sync(Statement::Kind::SetFlag, flag.from, flag.to, lane));
  loop.body.insert(loop.body.begin() + waits, sync(Statement::Kind::WaitFlag, flag.from, flag.to, lane));
  for (flag.id = base; flag.id < base + ways; ++flag.id) {
    list.push_back(set(flag));
    drains.push_back(wait(flag));
  }
}

/// Two flags, one for each arm of a branch on the counter's parity.
void KernelGenerator::addPingPong(List &list, Statement &loop, Scope &inner, List &drains, FlagName flag) {
  Statement branch;
  branch.kind = Statement::Kind::If;
  Scalar phase = Scalar::make(Scalar::Kind::Remainder, {Scalar::read(loop.variable), Scalar::of(2)});
  branch.value = random.chance(85) ? Scalar::make(Scalar::Kind::Equal, {phase, Scalar::of(0)}) : condition(inner);
  for (List *arm : {&branch.body, &branch.otherwise}) {
    carryThrough(*arm, inner, 2, list, drains, flag);
    ++flag.id;
  }
  loop.body.push_back(std::move(branch));
}

} // namespace ptosync::fuzz
