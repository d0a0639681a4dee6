#include "fuzz/kernel_generator.h"

#include <algorithm>

namespace ptosync::fuzz {

FuzzKernel KernelGenerator::generate() {
  chooseStyle();
  if (rare)
    chooseRareStyle();
  if (bracketed)
    chooseBufferStyle();
  kernel.lengthVariable = newVariable("int32_t");
  kernel.limitVariable = newVariable("int32_t");
  if (rare)
    kernel.rareVariable = newVariable("int32_t");
  Scope scope;
  List body;
  if (kernel.cube)
    declareCubeStorage(body, scope);
  else
    declareVectorStorage(body, scope);
  if (!kernel.cube)
    makeHelpers(scope);
  if (withFifos)
    declareFifos(body);
  if (rare)
    declareFences(body);
  int steps = static_cast<int>(small ? random.between(1, 4) : random.between(6, 22));
  fill(body, scope, steps);
  kernel.body = std::move(body);
  if (random.chance(density.unbalanced))
    dropOneFlag();
  if (bracketed)
    finishBrackets();
  return std::move(kernel);
}

void KernelGenerator::chooseStyle() {
  kernel.cube = random.chance(25);
  std::vector<Pipe> all = kernel.cube ? std::vector<Pipe>{Pipe::MTE2, Pipe::MTE1, Pipe::M, Pipe::FIX}
                                      : std::vector<Pipe>{Pipe::V, Pipe::MTE2, Pipe::MTE3, Pipe::S};
  if (kernel.cube) {
    pipes = all;
  } else {
    pipes = {Pipe::V};
    for (std::size_t i = 1; i < all.size(); ++i)
      if (random.chance(i == 3 ? 15 : 55))
        pipes.push_back(all[i]);
  }
  static const std::vector<int> dense = {100, 100, 100, 100, 95, 80, 50, 20};
  density.barrier = random.pick(dense);
  density.flags = random.pick(dense);
  density.all = random.pick(std::vector<int>{0, 0, 0, 5, 10, 40, 100});
  if (density.all == 100 && random.chance(60)) // nothing but PIPE_ALL
    density.barrier = density.flags = 0;
  density.keep = random.chance(20) ? 10 : 0;
  density.spread = static_cast<int>(random.below(90));
  density.ring = random.pick(std::vector<int>{0, 30, 50, 70});
  density.unbalanced = random.chance(10) ? 100 : 0;
  slots = static_cast<int>(random.between(2, 10));
  sharedArguments = random.chance(30);
  runTimeRegions = random.chance(25);
  highTiles = random.chance(25);
  earlyExits = random.chance(12);
  unknownCalls = random.chance(20);
  loopBudget = static_cast<int>(random.between(0, 4));
  density.stray = random.chance(20) ? 40 : 0;
  density.early = random.pick(std::vector<int>{0, 0, 20, 50});
  density.late = random.pick(std::vector<int>{0, 0, 20, 50});
  density.forms = random.pick(std::vector<int>{0, 5, 10, 20});
  density.helperFlags = random.pick(std::vector<int>{0, 0, 40, 80});
  density.phases = random.pick(std::vector<int>{0, 0, 30, 70});
  kernel.tensorLines = random.chance(50);
  withFifos = !kernel.cube && random.chance(12);
  if (!kernel.cube && random.chance(40)) {
    slotBytes = random.pick(std::vector<std::int64_t>{2048, 2048, 4096, 8192});
    slots = static_cast<int>(random.between(2, 4));
    loopBudget = static_cast<int>(random.between(1, 3));
    runTimeRegions = highTiles = false;
    if (random.chance(80))
      density.barrier = 100;
  }
  if (small)
    loopBudget = std::min(loopBudget, random.chance(30) ? 2 : 1);
}

std::uint32_t KernelGenerator::newVariable(const std::string &type) {
  auto id = static_cast<std::uint32_t>(kernel.variables.size());
  kernel.variables.push_back({"v" + std::to_string(id), type});
  return id;
}

std::uint32_t KernelGenerator::newTile(FuzzTile tile) {
  auto id = static_cast<std::uint32_t>(kernel.tiles.size());
  tile.name = "t" + std::to_string(id);
  kernel.tiles.push_back(std::move(tile));
  return id;
}

FuzzTile KernelGenerator::slotTile() {
  FuzzTile tile;
  tile.columns = 64;
  tile.rows = slotBytes / 256;
  if (random.chance(15))
    tile.rows /= 2;
  tile.validRows = Scalar::of(tile.rows);
  tile.validColumns = Scalar::of(tile.columns);
  return tile;
}

FuzzTile KernelGenerator::vectorTile(bool column) {
  if (slotBytes && !column && random.chance(90))
    return slotTile();
  struct Shape {
    std::int64_t rows, columns, validRows, validColumns;
  };
  static const std::vector<Shape> wide = {{16, 64, 16, 64},  {16, 64, 16, 64},   {32, 64, 32, 64},   {8, 64, 8, 64},
                                          {4, 64, 4, 64},    {1, 1024, 1, 1024}, {1, 64, 1, 64},     {16, 64, 15, 64},
                                          {32, 128, 32, 64}, {32, 128, 32, 32},  {16, 128, 16, 128}, {64, 32, 64, 32},
                                          {8, 128, 8, 128}};
  static const std::vector<Shape> narrow = {
      {8, 1, 8, 1}, {16, 1, 16, 1}, {32, 1, 32, 1}, {64, 1, 64, 1}, {1024, 1, 1024, 1}};
  Shape shape = random.pick(column ? narrow : wide);
  FuzzTile tile;
  tile.rows = shape.rows;
  tile.columns = shape.columns;
  tile.columnMajor = column;
  tile.validRows = Scalar::of(shape.validRows);
  tile.validColumns = Scalar::of(shape.validColumns);
  if (runTimeRegions && !column && random.chance(35)) {
    tile.runTimeRegion = true;
    Scalar n = Scalar::read(kernel.lengthVariable);
    Scalar most = Scalar::of(tile.rows);
    if (random.chance(70))
      tile.validRows = Scalar::make(Scalar::Kind::Select, {Scalar::make(Scalar::Kind::Less, {n, most}), n, most});
  }
  return tile;
}

Scalar KernelGenerator::vectorAddress(bool column) {
  if (highTiles && random.chance(25))
    return Scalar::of(188416 + random.between(-2, 3) * 2048);
  if (slotBytes && !column)
    return Scalar::of(random.below(2 * slots) * slotBytes);
  std::int64_t base = random.below(slots) * (random.chance(80) ? 4096 : 2048);
  if (column)
    base = 98304 + random.below(slots) * 128;
  if (random.chance(12))
    base += random.pick(std::vector<std::int64_t>{64, 128, 256, 1024, 2048});
  return Scalar::of(base);
}

void KernelGenerator::declareVectorStorage(List &list, Scope &scope) {
  std::int64_t wide = slotBytes || small ? random.between(2, 4) : random.between(3, 8);
  std::int64_t columns = random.between(1, slotBytes || small ? 1 : 3);
  for (std::int64_t i = 0; i < wide + columns; ++i) {
    bool column = i >= wide;
    Statement declaration;
    declaration.kind = Statement::Kind::DeclareTile;
    declaration.tile = newTile(vectorTile(column));
    declaration.value = vectorAddress(column && random.chance(85));
    (column ? scope.column : scope.wide).push_back(declaration.tile);
    list.push_back(declaration);
    if (column && random.chance(60)) { // the same column seen as a row
      FuzzTile view = kernel.tiles[declaration.tile];
      std::swap(view.rows, view.columns);
      std::swap(view.validRows, view.validColumns);
      view.columnMajor = false;
      Statement reshape;
      reshape.kind = Statement::Kind::ReshapeTile;
      reshape.sourceTile = declaration.tile;
      reshape.tile = newTile(view);
      scope.wide.push_back(reshape.tile);
      list.push_back(reshape);
    }
  }
}

void KernelGenerator::declareCubeTiles(List &list, Space space, std::vector<std::uint32_t> &tiles) {
  std::int64_t count = random.between(small ? 1 : 2, small ? 2 : space == Space::L1 ? 5 : 3);
  for (std::int64_t i = 0; i < count; ++i) {
    FuzzTile tile;
    tile.space = space;
    tile.elementBytes = space == Space::Accumulator ? 4 : 2;
    tile.rows = 64;
    tile.columns = random.pick(std::vector<std::int64_t>{32, 64, 64, 128});
    tile.columnMajor = space == Space::L1 || space == Space::Accumulator;
    tile.validRows = Scalar::of(tile.rows);
    tile.validColumns = Scalar::of(tile.columns);
    Statement declaration;
    declaration.kind = Statement::Kind::DeclareTile;
    std::int64_t bytes = tile.rows * tile.columns * tile.elementBytes;
    declaration.tile = newTile(tile);
    declaration.value = Scalar::of(random.below(slots) * (random.chance(80) ? 16384 : bytes / 2));
    tiles.push_back(declaration.tile);
    list.push_back(declaration);
  }
}

void KernelGenerator::declareCubeStorage(List &list, Scope &scope) {
  declareCubeTiles(list, Space::L1, scope.matrix);
  declareCubeTiles(list, Space::Left, scope.left);
  declareCubeTiles(list, Space::Right, scope.right);
  declareCubeTiles(list, Space::Accumulator, scope.accumulators);
}

void KernelGenerator::makeHelpers(const Scope &outer) {
  std::int64_t count = random.chance(35) ? random.between(1, 2) : 0;
  bool regions = runTimeRegions;
  runTimeRegions = false; // the kernel's arguments are not visible in a helper
  for (std::int64_t i = 0; i < count; ++i) {
    Helper helper;
    helper.name = "helper" + std::to_string(i);
    Scope scope;
    scope.inHelper = true;
    scope.depth = 1;
    if (rare) {
      helper.parameters.push_back(newVariable("int64_t"));
      scope.rareParameter = helper.parameters.back();
    }
    bool takesTiles = random.chance(40);
    for (std::int64_t p = random.between(1, 2); p > 0; --p) {
      std::uint32_t example = random.pick(outer.wide);
      if (takesTiles && !kernel.tiles[example].runTimeRegion) {
        helper.tileExamples.push_back(example);
        helper.tileParameters.push_back(newTile(kernel.tiles[example]));
        scope.wide.push_back(helper.tileParameters.back());
        continue;
      }
      helper.parameters.push_back(newVariable("int64_t"));
      Statement declaration;
      declaration.kind = Statement::Kind::DeclareTile;
      declaration.tile = newTile(vectorTile(false));
      declaration.value = Scalar::read(helper.parameters.back());
      scope.wide.push_back(declaration.tile);
      helper.body.push_back(declaration);
    }
    fill(helper.body, scope, static_cast<int>(random.between(1, small ? 2 : 4)));
    kernel.helpers.push_back(std::move(helper));
  }
  runTimeRegions = regions;
}

void KernelGenerator::fill(List &list, Scope &scope, int count) {
  for (int i = 0; i < count; ++i)
    addStep(list, scope);
}

void KernelGenerator::addStep(List &list, Scope &scope) {
  if (rare && random.chance(30))
    return addRareStep(list, scope);
  if (bracketed && random.chance(buffers.empty))
    return addEmptyBracket(list, scope);
  std::int64_t dice = random.below(100);
  bool nested = scope.depth < 3;
  if (dice < (slotBytes ? 16 : 9) && scope.depth < 2 && loopBudget > 0)
    return addLoop(list, scope);
  if (dice < 17 && nested)
    return addBranch(list, scope);
  if (dice < 23 && !scope.inHelper && !kernel.helpers.empty())
    return addCall(list, scope);
  if (random.chance(density.forms) && nested && !scope.inHelper)
    return addFlagForm(list, scope);
  if (!fifos.empty() && !scope.inHelper && random.chance(20))
    return addFifoStep(list, scope);
  if (dice < 25 && unknownCalls && !scope.inHelper)
    return addUnknown(list, scope);
  if (dice < 27 && !scope.inHelper)
    return addMove(list, scope);
  if (dice < 29 && !scope.inHelper) {
    Statement load;
    load.kind = Statement::Kind::LoadData;
    load.variable = newVariable("int32_t");
    load.value = offset(scope, 1);
    list.push_back(load);
    scope.values.push_back(load.variable);
    return;
  }
  if (dice < 31 && earlyExits && !scope.inHelper) {
    Statement leave, exit;
    leave.kind = Statement::Kind::If;
    leave.value = condition(scope);
    exit.kind = scope.inLoop && random.chance(70) ? Statement::Kind::Break : Statement::Kind::Return;
    leave.body.push_back(exit);
    list.push_back(leave);
    return;
  }
  addInstruction(list, scope);
}

Scalar KernelGenerator::offset(const Scope &scope, std::int64_t unit) {
  Scalar value = Scalar::of(random.below(4) * unit);
  for (std::uint32_t counter : scope.counters)
    if (random.chance(45))
      value = Scalar::make(Scalar::Kind::Add,
                           {value, Scalar::make(Scalar::Kind::Multiply,
                                                {Scalar::read(counter), Scalar::of(random.between(1, 4) * unit)})});
  return value;
}

Scalar KernelGenerator::condition(const Scope &scope) {
  if (rare && random.chance(30))
    return rareCondition(scope);
  auto read = [](std::uint32_t variable) { return Scalar::read(variable); };
  std::int64_t dice = random.below(100);
  if (!scope.values.empty() && dice < 30)
    return Scalar::make(Scalar::Kind::Greater, {read(random.pick(scope.values)), Scalar::of(1)});
  if (!scope.counters.empty() && dice < 75) {
    std::uint32_t chosen = random.pick(scope.counters);
    Scalar counter = read(chosen);
    if (random.chance(density.phases))
      return phaseCondition(chosen, scope.inHelper);
    switch (random.below(4)) {
    case 0: return Scalar::make(Scalar::Kind::Equal, {counter, Scalar::of(random.below(3))});
    case 1:
      return Scalar::make(Scalar::Kind::Equal, {Scalar::make(Scalar::Kind::Remainder, {counter, Scalar::of(2)}),
                                                Scalar::of(random.below(2))});
    case 2: return Scalar::make(Scalar::Kind::Less, {counter, Scalar::of(random.between(1, 3))});
    default:
      return Scalar::make(Scalar::Kind::Less, {Scalar::make(Scalar::Kind::Add, {counter, Scalar::of(1)}),
                                               scope.inHelper ? Scalar::of(2) : read(kernel.lengthVariable)});
    }
  }
  if (scope.inHelper) // only its own parameters are visible there
    return Scalar::make(Scalar::Kind::Equal, {Scalar::of(random.below(2)), Scalar::of(random.below(2))});
  if (random.chance(10))
    return Scalar::make(Scalar::Kind::Less, {Scalar::of(random.below(3)), Scalar::of(1)});
  return Scalar::make(
      Scalar::Kind::Greater,
      {read(kernel.lengthVariable), random.chance(50) ? read(kernel.limitVariable) : Scalar::of(random.below(4))});
}

void KernelGenerator::addBranch(List &list, Scope &scope) {
  Statement branch;
  branch.kind = Statement::Kind::If;
  branch.value = condition(scope);
  Scope inner = scope;
  ++inner.depth;
  Scope other = inner; // what one arm declares the other does not see
  fill(branch.body, inner, static_cast<int>(random.between(1, 3)));
  if (random.chance(50))
    fill(branch.otherwise, other, static_cast<int>(random.between(1, 3)));
  Pipe from = random.pick(pipes), to = random.pick(pipes);
  if (scope.inHelper || from == to || !random.chance(density.stray)) {
    list.push_back(std::move(branch));
    return;
  }
  // Set in an arm (perhaps in both), waited for behind the join or under the same condition.
  Statement set = sync(Statement::Kind::SetFlag, from, to, Scalar::of(random.below(3)));
  Statement wait = set;
  wait.kind = Statement::Kind::WaitFlag;
  branch.body.push_back(set);
  if (random.chance(30))
    branch.otherwise.push_back(set);
  Statement again;
  again.kind = Statement::Kind::If;
  again.value = branch.value;
  list.push_back(std::move(branch));
  if (random.chance(50)) {
    list.push_back(std::move(wait));
    return;
  }
  again.body.push_back(std::move(wait));
  list.push_back(std::move(again));
}

void KernelGenerator::addCall(List &list, Scope &scope) {
  for (std::int64_t count = random.between(1, 2); count > 0; --count) {
    Statement call;
    call.kind = Statement::Kind::Call;
    call.helper = static_cast<std::uint32_t>(random.below(static_cast<std::int64_t>(kernel.helpers.size())));
    for (std::size_t i = 0; i < kernel.helpers[call.helper].parameters.size(); ++i)
      call.arguments.push_back(
          rare && i == 0 && !random.chance(25) ? rareDigit(random.below(2))
          : scope.counters.empty() || random.chance(60)
              ? Scalar::of(random.below(slots) * 4096)
              : Scalar::make(Scalar::Kind::Multiply, {Scalar::read(scope.counters.back()), Scalar::of(4096)}));
    for (std::uint32_t example : kernel.helpers[call.helper].tileExamples) {
      std::vector<std::uint32_t> fitting = {example};
      for (std::uint32_t tile : scope.wide)
        if (tileTypeName(kernel.tiles[tile]) == tileTypeName(kernel.tiles[example]) && !kernel.tiles[tile].popped)
          fitting.push_back(tile);
      call.tileArguments.push_back(random.pick(fitting));
    }
    list.push_back(std::move(call));
  }
}

void KernelGenerator::addUnknown(List &list, Scope &scope) {
  bool fenced = random.chance(60);
  if (fenced)
    list.push_back(sync(Statement::Kind::Barrier, Pipe::All, Pipe::All, {}));
  Statement call;
  call.kind = Statement::Kind::UnknownCall;
  call.opcode = "TFROBNICATE";
  call.operands.push_back(tileOperand(random.pick(kernel.cube ? scope.matrix : scope.wide)));
  list.push_back(std::move(call));
  if (fenced)
    list.push_back(sync(Statement::Kind::Barrier, random.chance(70) ? Pipe::All : pipes[0], Pipe::All, {}));
}

void KernelGenerator::addMove(List &list, Scope &scope) {
  Statement move;
  move.kind = Statement::Kind::MoveTile;
  if (kernel.cube) {
    move.tile = random.pick(random.chance(50) ? scope.matrix : scope.left);
    move.value = Scalar::of(random.below(slots) * 16384);
  } else {
    move.tile = random.pick(scope.wide);
    move.value = Scalar::of(random.below(slots) * 4096);
    if (kernel.tiles[move.tile].popped)
      return;
  }
  list.push_back(std::move(move));
}

} // namespace ptosync::fuzz
