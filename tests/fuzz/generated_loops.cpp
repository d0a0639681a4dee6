// The loops of random kernels, and storage that follows a counter.
#include "fuzz/kernel_generator.h"

namespace ptosync::fuzz {

void KernelGenerator::addLoop(List &list, Scope &scope) {
  --loopBudget;
  using Form = Statement::LoopForm;
  Statement loop;
  loop.kind = Statement::Kind::Loop;
  std::vector<Form> forms = {Form::For, Form::SizeFor, Form::SizeFor, Form::SizeFor, Form::While};
  if (!scope.inHelper && random.chance(30))
    forms = {Form::Goto, Form::DoWhile};
  loop.form = random.pick(forms);
  if (rare && !scope.inHelper && random.chance(15))
    loop.form = Form::Forever;
  loop.variable = newVariable(loop.form == Form::SizeFor ? "size_t" : "int32_t");
  loop.lower = Scalar::of(random.chance(75) ? 0 : 1);
  loop.upper = Scalar::of(random.below(6));
  if (!scope.inHelper && random.chance(60))
    loop.upper = Scalar::read(random.chance(80) ? kernel.lengthVariable : kernel.limitVariable);
  if (!scope.counters.empty() && random.chance(15)) {
    bool lower = random.chance(50);
    (lower ? loop.lower : loop.upper) = Scalar::read(scope.counters.back());
  }
  loop.step = random.chance(80) ? 1 : 2;
  Scope inner = scope;
  ++inner.depth;
  inner.inLoop = loop.form != Form::Goto;
  inner.upper = loop.upper;
  inner.mayContinue = loop.form == Form::For || loop.form == Form::SizeFor || loop.form == Form::Forever;
  inner.counters.push_back(loop.variable);
  List ending;
  // Nothing but what follows the counter: then only some distances conflict.
  bool pure = slotBytes && random.chance(60);
  if (pure) {
    inner.wide.clear();
    inner.column.clear();
  }
  if (!kernel.cube)
    addLoopStorage(loop.body, inner, loop.variable);
  if (!kernel.cube && random.chance(20))
    addCarriedTile(list, loop.body, ending, inner);
  fill(loop.body, inner, static_cast<int>(random.between(1, pure || small ? 3 : 6)));
  if (rare && !scope.inHelper && random.chance(35))
    addFenceRound(loop.body, inner);
  List drains; // what stands behind the loop
  for (int rings = scope.inHelper ? 0 : 2; rings > 0; --rings)
    if (random.chance(density.ring))
      addCarriedFlag(list, loop, inner, drains);
  if (!scope.inHelper && random.chance(density.phases))
    addPhases(list, loop, inner, drains);
  loop.body.insert(loop.body.end(), ending.begin(), ending.end());
  list.push_back(std::move(loop));
  list.insert(list.end(), drains.begin(), drains.end());
}

/// Rotating over two or three slots, perhaps a phase ahead, or affine.
Scalar KernelGenerator::loopAddress(std::uint32_t counter) {
  Scalar i = Scalar::read(counter);
  std::int64_t bytes = slotBytes ? slotBytes : random.pick(std::vector<std::int64_t>{256, 2048, 4096, 8192});
  std::int64_t base = slotBytes ? random.below(5) * slotBytes : random.below(slots) * 4096;
  if (random.chance(50)) {
    std::int64_t ways = random.chance(65) ? 2 : 3;
    if (random.chance(40))
      i = Scalar::make(Scalar::Kind::Add, {i, Scalar::of(random.between(1, 2))});
    Scalar phase = Scalar::make(Scalar::Kind::Remainder, {i, Scalar::of(ways)});
    Scalar address = Scalar::of(base);
    for (std::int64_t way = 1; way < ways; ++way)
      address = Scalar::make(Scalar::Kind::Select, {Scalar::make(Scalar::Kind::Equal, {phase, Scalar::of(way)}),
                                                    Scalar::of(base + way * bytes), address});
    return address;
  }
  if (random.chance(25))
    i = Scalar::make(Scalar::Kind::Remainder, {i, Scalar::of(3)});
  else if (random.chance(15))
    i = Scalar::make(Scalar::Kind::Divide, {i, Scalar::of(2)});
  if (random.chance(15)) // downwards
    return Scalar::make(Scalar::Kind::Subtract,
                        {Scalar::of(base + 8 * bytes), Scalar::make(Scalar::Kind::Multiply, {i, Scalar::of(bytes)})});
  return Scalar::make(Scalar::Kind::Add,
                      {Scalar::of(base), Scalar::make(Scalar::Kind::Multiply, {i, Scalar::of(bytes)})});
}

/// Tiles whose address follows a counter, mostly the loop's own.
void KernelGenerator::addLoopStorage(List &body, Scope &inner, std::uint32_t counter) {
  for (std::int64_t count = slotBytes ? random.between(2, 4) : random.below(3); count > 0; --count) {
    Statement declaration;
    declaration.kind = Statement::Kind::DeclareTile;
    declaration.tile = newTile(vectorTile(false));
    declaration.value = loopAddress(random.chance(80) ? counter : random.pick(inner.counters));
    for (int weight = slotBytes ? 3 : 2; weight > 0; --weight) // named more often than the others
      inner.wide.push_back(declaration.tile);
    body.push_back(declaration);
  }
}

/// Two addresses that change places at the end of each iteration.
void KernelGenerator::addCarriedTile(List &outer, List &body, List &ending, Scope &inner) {
  std::uint32_t current = newVariable("int64_t"), other = newVariable("int64_t"), spare = newVariable("int64_t");
  auto assign = [](std::uint32_t variable, Scalar value, bool declares) {
    Statement statement;
    statement.kind = Statement::Kind::Assign;
    statement.variable = variable;
    statement.value = std::move(value);
    statement.declares = declares;
    return statement;
  };
  std::int64_t base = random.below(slots) * 4096;
  outer.push_back(assign(current, Scalar::of(base), true));
  outer.push_back(assign(other, Scalar::of(base + random.pick(std::vector<std::int64_t>{2048, 4096})), true));
  for (std::uint32_t variable : {current, other}) {
    Statement declaration;
    declaration.kind = Statement::Kind::DeclareTile;
    declaration.tile = newTile(vectorTile(false));
    declaration.value = Scalar::read(variable);
    inner.wide.push_back(declaration.tile);
    body.push_back(declaration);
  }
  ending.push_back(assign(spare, Scalar::read(current), true));
  ending.push_back(assign(current, Scalar::read(other), false));
  ending.push_back(assign(other, Scalar::read(spare), false));
}

} // namespace ptosync::fuzz
