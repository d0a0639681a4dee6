// The instructions of random kernels and the synchronisation in front of them.
#include "fuzz/kernel_generator.h"

#include <algorithm>

namespace ptosync::fuzz {

Statement KernelGenerator::sync(Statement::Kind kind, Pipe from, Pipe to, Scalar id) {
  Statement statement;
  statement.kind = kind;
  statement.source = from;
  statement.destination = to;
  statement.value = std::move(id);
  return statement;
}

Operand KernelGenerator::tileOperand(std::uint32_t tile) {
  Operand operand;
  operand.kind = Operand::Kind::Tile;
  operand.tile = tile;
  return operand;
}

/// Often what was written last: dependent chains are what barriers are for.
std::uint32_t KernelGenerator::source(const std::vector<std::uint32_t> &tiles) {
  if (random.chance(40) && std::find(tiles.begin(), tiles.end(), lastWritten) != tiles.end())
    return lastWritten;
  return random.pick(tiles);
}

std::uint32_t KernelGenerator::target(const std::vector<std::uint32_t> &tiles) {
  lastWritten = source(tiles);
  return lastWritten;
}

FuzzTensor KernelGenerator::tensor(const Scope &scope, bool load) {
  static const std::vector<std::int64_t> rows = {1, 8, 16, 16, 32};
  FuzzTensor tensor;
  tensor.argument = sharedArguments ? static_cast<std::uint32_t>(random.below(2)) : load ? 0 : 1;
  tensor.rows = random.pick(rows);
  tensor.columns = 64;
  tensor.rowStride = random.chance(75) ? 64 : 128;
  tensor.offset = offset(scope, random.pick(std::vector<std::int64_t>{32, 64, 512, 1024, 2048}));
  return tensor;
}

void KernelGenerator::synchronise(List &list, const Scope &scope, Pipe pipe) {
  auto barrier = [&](Pipe which) {
    Statement statement = sync(Statement::Kind::Barrier, which, Pipe::All, {});
    statement.keep = random.chance(density.keep);
    list.push_back(std::move(statement));
  };
  if (random.chance(density.all))
    barrier(Pipe::All);
  bool early = random.chance(50), barriers = random.chance(density.barrier);
  if (barriers && early)
    barrier(pipe);
  for (Pipe other : pipes)
    if (other != pipe && random.chance(scope.inHelper ? density.helperFlags : density.flags))
      addFlagPair(list, scope, other, pipe);
  if (barriers && !early)
    barrier(pipe);
}

void KernelGenerator::emit(List &list, const Scope &scope, Pipe pipe, const std::string &opcode,
                           std::vector<Operand> operands) {
  synchronise(list, scope, pipe);
  Statement statement;
  statement.kind = Statement::Kind::Instruction;
  statement.opcode = opcode;
  statement.operands = std::move(operands);
  statement.source = pipe;
  if (bracketed)
    return addBracketed(list, scope, std::move(statement));
  list.push_back(std::move(statement));
}

void KernelGenerator::addInstruction(List &list, Scope &scope) {
  if (kernel.cube)
    return addCubeInstruction(list, scope);
  std::int64_t dice = random.below(100);
  auto uses = [&](Pipe pipe) { return std::find(pipes.begin(), pipes.end(), pipe) != pipes.end(); };
  if (!scope.inHelper && dice < 15 && uses(Pipe::MTE2))
    return addTransfer(list, scope, true);
  if (!scope.inHelper && dice < 30 && uses(Pipe::MTE3))
    return addTransfer(list, scope, false);
  if (!scope.inHelper && dice < 38 && uses(Pipe::S))
    return addScalarAccess(list, scope);
  addVectorInstruction(list, scope);
}

void KernelGenerator::addTransfer(List &list, Scope &scope, bool load) {
  Operand global;
  global.kind = Operand::Kind::Tensor;
  global.tensor = tensor(scope, load);
  const std::vector<std::uint32_t> &tiles = !scope.column.empty() && random.chance(15) ? scope.column : scope.wide;
  Operand tile = tileOperand(load ? target(tiles) : source(tiles));
  if (load)
    emit(list, scope, Pipe::MTE2, "TLOAD", {tile, global});
  else
    emit(list, scope, Pipe::MTE3, "TSTORE", {global, tile});
}

void KernelGenerator::addScalarAccess(List &list, Scope &scope) {
  Operand place, value;
  place.literal = std::to_string(random.below(16));
  value.literal = "1.0f";
  if (random.chance(50))
    emit(list, scope, Pipe::S, "SetValue", {tileOperand(target(scope.wide)), place, value});
  else
    emit(list, scope, Pipe::S, "GetValue", {tileOperand(source(scope.wide)), place});
}

void KernelGenerator::addVectorInstruction(List &list, Scope &scope) {
  Operand literal;
  literal.literal = "2.0f";
  std::int64_t dice = random.below(100);
  auto from = [&](const std::vector<std::uint32_t> &tiles) { return tileOperand(source(tiles)); };
  bool columns = !scope.column.empty();
  std::string opcode;
  std::vector<Operand> operands;
  if (dice < 14 && columns) {
    opcode = random.chance(50) ? "TROWSUM" : "TROWMAX";
    Operand input = from(scope.wide), temporary = tileOperand(random.pick(scope.wide));
    operands = {tileOperand(target(scope.column)), input, temporary};
  } else if (dice < 30 && columns) {
    opcode = random.pick(std::vector<std::string>{"TROWEXPANDMUL", "TROWEXPANDDIV", "TROWEXPANDSUB"});
    Operand factor = from(random.chance(90) ? scope.column : scope.wide), input = from(scope.wide);
    operands = {tileOperand(target(scope.wide)), input, factor};
    if (random.chance(12))
      operands.push_back(tileOperand(random.pick(scope.wide)));
  } else if (dice < 50) {
    opcode = random.chance(50) ? "TADDS" : "TMULS";
    Operand input = from(scope.wide);
    operands = {tileOperand(target(scope.wide)), input, literal};
  } else if (dice < 80) {
    opcode = random.pick(std::vector<std::string>{"TADD", "TMUL", "TSUB", "TMAX"});
    Operand first = from(scope.wide), second = from(scope.wide);
    operands = {tileOperand(target(scope.wide)), first, second};
  } else if (dice < 88) {
    opcode = "TEXPANDS";
    operands = {tileOperand(target(columns && random.chance(30) ? scope.column : scope.wide)), literal};
  } else {
    opcode = random.chance(60) ? "TEXP" : "TMOV";
    Operand input = from(scope.wide);
    operands = {tileOperand(target(scope.wide)), input};
  }
  emit(list, scope, Pipe::V, opcode, std::move(operands));
}

void KernelGenerator::addCubeInstruction(List &list, Scope &scope) {
  std::int64_t dice = random.below(100);
  Operand global, zero;
  global.kind = Operand::Kind::Tensor;
  zero.literal = "0";
  auto any = [&](const std::vector<std::uint32_t> &tiles) { return tileOperand(random.pick(tiles)); };
  if (dice < 25) {
    global.tensor = tensor(scope, true);
    return emit(list, scope, Pipe::MTE2, "TLOAD", {any(scope.matrix), global});
  }
  if (dice < 50) {
    Operand target = any(random.chance(50) ? scope.left : scope.right), input = any(scope.matrix);
    if (random.chance(50))
      return emit(list, scope, Pipe::MTE1, "TMOV", {target, input});
    return emit(list, scope, Pipe::MTE1, "TEXTRACT", {target, input, zero, zero});
  }
  if (dice < 78) {
    Operand sum = any(scope.accumulators), left = any(scope.left), right = any(scope.right);
    if (random.chance(45))
      return emit(list, scope, Pipe::M, "TMATMUL", {sum, left, right});
    Operand input = random.chance(85) ? sum : any(scope.accumulators);
    return emit(list, scope, Pipe::M, "TMATMUL_ACC", {sum, input, left, right});
  }
  if (dice < 94) {
    global.tensor = tensor(scope, false);
    return emit(list, scope, Pipe::FIX, "TSTORE", {global, any(scope.accumulators)});
  }
  emit(list, scope, Pipe::FIX, "TMOV", {any(scope.matrix), any(scope.accumulators)});
}

} // namespace ptosync::fuzz
