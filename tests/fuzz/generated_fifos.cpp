// The FIFOs of random kernels: entries popped as tensors and as tiles, filled, pushed, freed, in and out of loops.
//
// The other core is not there: a kernel pops what nobody pushes. What the calls wait for and who waits for them is the
// replay's to know; the simulator of the fuzzer has no FIFOs, so that these kernels are judged by the replay alone.
#include "fuzz/kernel_generator.h"

namespace ptosync::fuzz {

void KernelGenerator::declareFifos(List &list) {
  kernel.simulated = false;
  kernel.pointerArguments = 4; // their memory is nobody else's: how far the replay sees a ring reach is its argument
  std::int64_t first = random.below(2);
  for (std::int64_t number = 0; number < random.between(1, 2); ++number) {
    FifoName fifo;
    fifo.consumes = (number + first) % 2 == 0;
    std::string base = fifo.consumes ? "0" : "2", direction = fifo.consumes ? "DIR_C2V" : "DIR_V2C";
    std::string id = std::to_string(fifos.size());
    fifo.object = "fifo" + id;
    fifo.tensor = "slot" + id;
    std::string local = random.chance(50) ? "2" : "8";
    fifo.type = "TPipe<" + base + ", Direction::" + direction + ", 2048, 8, " + local + ", false>";
    fifo.tensorType = "GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, "
                      "pto::Layout::ND>";
    auto declare = [&](const std::string &spelling, const std::vector<std::string> &arguments) {
      Statement declaration;
      declaration.opcode = spelling;
      for (const std::string &argument : arguments) {
        declaration.operands.emplace_back();
        declaration.operands.back().literal = argument;
      }
      list.push_back(std::move(declaration));
    };
    std::string ring = std::to_string(131072 + 16384 * random.below(2));
    declare("auto " + fifo.object + " = " + fifo.type, {"p2", ring, ring});
    declare(fifo.tensorType + " " + fifo.tensor, {"nullptr"});
    fifos.push_back(std::move(fifo));
  }
}

void KernelGenerator::addFifoCall(List &list, const Scope &scope, const FifoName &fifo, const std::string &name,
                                  bool withTensor) {
  Operand object, tensor;
  object.literal = fifo.object;
  tensor.literal = fifo.tensor;
  std::string types =
      "<" + fifo.type + ", " + (withTensor ? fifo.tensorType + ", " : "") + "TileSplitAxis::TILE_UP_DOWN>";
  std::vector<Operand> operands = {object};
  if (withTensor)
    operands.push_back(tensor);
  emit(list, scope, fifo.consumes ? Pipe::MTE2 : Pipe::MTE3, name + types, operands);
}

/// Popped into a tile that only the FIFO gives a place.
void KernelGenerator::addPoppedTile(List &list, Scope &scope, const FifoName &fifo) {
  Statement declaration;
  declaration.kind = Statement::Kind::DeclareTile;
  FuzzTile tile;
  tile.rows = 8;
  tile.columns = 64;
  tile.validRows = Scalar::of(8);
  tile.validColumns = Scalar::of(64);
  tile.popped = true;
  declaration.tile = newTile(tile);
  list.push_back(declaration);
  Operand object;
  object.literal = fifo.object;
  std::string types = "<" + fifo.type + ", " + tileTypeName(tile) + ", TileSplitAxis::TILE_UP_DOWN>";
  emit(list, scope, Pipe::MTE2, "TPOP" + types, {object, tileOperand(declaration.tile)});
  Scope inner = scope;
  inner.wide.insert(inner.wide.end(), 3, declaration.tile); // named more often than the others
  ++inner.depth;
  for (std::int64_t count = random.between(1, 3); count > 0; --count)
    addVectorInstruction(list, inner);
  if (random.chance(90))
    addFifoCall(list, scope, fifo, "TFREE", false);
}

void KernelGenerator::addFifoStep(List &list, Scope &scope) {
  const FifoName &fifo = random.pick(fifos);
  if (fifo.consumes && random.chance(40))
    return addPoppedTile(list, scope, fifo);
  Scope inner = scope;
  ++inner.depth;
  Operand slot;
  slot.literal = fifo.tensor;
  addFifoCall(list, scope, fifo, fifo.consumes ? "TPOP" : "TALLOC", true);
  if (random.chance(30))
    addVectorInstruction(list, inner);
  if (fifo.consumes)
    emit(list, scope, Pipe::MTE2, "TLOAD", {tileOperand(target(scope.wide)), slot});
  else
    emit(list, scope, Pipe::MTE3, "TSTORE", {slot, tileOperand(source(scope.wide))});
  if (random.chance(30))
    addVectorInstruction(list, inner);
  addFifoCall(list, scope, fifo, fifo.consumes ? "TFREE" : "TPUSH", true);
}

} // namespace ptosync::fuzz
