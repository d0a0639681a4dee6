// Calls of random kernels that talk to other cores and ranks, and calls that use flags inside.
//
// The other side is not there: a kernel pops what nobody pushes. What the calls hold is stated a second time in
// trace_calls.cpp; FIFO calls are those in tensor form, and pushes of tiles.
#include "fuzz/kernel_generator.h"

namespace ptosync::fuzz {

void KernelGenerator::declareFences(List &list) {
  auto verbatim = [&](const std::string &text) {
    Statement declaration;
    declaration.kind = Statement::Kind::Verbatim;
    declaration.opcode = text;
    list.push_back(std::move(declaration));
  };
  const std::string type = "GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, 1>, pto::Stride<1, 1, 1, 1, 1>, "
                           "pto::Layout::ND>";
  verbatim(type + " signal(data + 64);");
  if (kernel.cube || !random.chance(45))
    return;
  kernel.pointerArguments = 4; // the one before the last is the memory of the rings
  std::int64_t first = random.below(2);
  for (std::int64_t number = 0; number < random.between(1, 2); ++number) {
    FuzzFifo fifo;
    fifo.consumes = (number + first) % 2 == 0;
    fifo.flagBase = fifo.consumes ? 0 : 2;
    std::string id = std::to_string(kernel.fifos.size());
    fifo.object = "fifo" + id;
    fifo.tensor = "slot" + id;
    fifo.type = "TPipe<" + std::to_string(fifo.flagBase) + ", Direction::" + (fifo.consumes ? "DIR_C2V" : "DIR_V2C") +
                ", 2048, 8, 8, false>";
    fifo.tensorType = "GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, "
                      "pto::Layout::ND>";
    const std::string ring = std::to_string(131072 + 16384 * number);
    verbatim("auto " + fifo.object + " = " + fifo.type + "(p2, " + ring + ", " + ring + ");");
    verbatim(fifo.tensorType + " " + fifo.tensor + "(nullptr);");
    kernel.fifos.push_back(std::move(fifo));
  }
}

void KernelGenerator::addFence(List &list, Scope &scope) {
  auto literal = [](const std::string &text) {
    Operand operand;
    operand.literal = text;
    return operand;
  };
  auto global = [&](bool load) {
    Operand operand;
    operand.kind = Operand::Kind::Tensor;
    operand.tensor = tensor(scope, load);
    return operand;
  };
  const std::int64_t dice = random.below(100);
  if (!kernel.fifos.empty() && dice < 55)
    return addFifoEntry(list, scope);
  if (dice < 65)
    return emit(list, scope, Pipe::S, "TNOTIFY", {literal("signal"), literal("1"), literal("NotifyOp::Set")});
  if (dice < 72)
    return emit(list, scope, Pipe::S, "SYNCALL", {});
  if (dice < 76)
    return emit(list, scope, Pipe::S, "dcci", {literal("(__gm__ void*) data"), literal("SINGLE_CACHE_LINE")});
  if (dice < 80)
    return emit(list, scope, Pipe::S, "dsb", {literal("(mem_dsb_t) 0")});
  if (kernel.cube)
    return addCubeInstruction(list, scope);
  if (dice < 93)
    return emit(
        list, scope, Pipe::MTE2, "TPUT",
        {global(false), global(true), tileOperand(random.pick(scope.wide)), tileOperand(random.pick(scope.wide))});
  const std::vector<std::uint32_t> &sources = scope.column.empty() ? scope.wide : scope.column;
  emit(list, scope, Pipe::V, "TROWEXPAND", {tileOperand(target(scope.wide)), tileOperand(source(sources))});
}

/// A call and work that nothing orders in one trip of a loop, and syncs that on some paths order the one before the
/// other of the next trip.
void KernelGenerator::addFenceRound(List &list, Scope &scope) {
  const Density usual = density;
  density = Density();
  density.barrier = density.flags = density.keep = 0;
  bool workFirst = random.chance(40);
  if (workFirst)
    addInstruction(list, scope);
  addFence(list, scope);
  if (!workFirst)
    addInstruction(list, scope);
  density = usual;
  addRareSyncs(list, scope);
}

/// An entry of a FIFO from its pop to its free, or from its allocation to its push, or some of these calls.
void KernelGenerator::addFifoEntry(List &list, Scope &scope) {
  const FuzzFifo fifo = random.pick(kernel.fifos);
  const Pipe pipe = fifo.consumes ? Pipe::MTE2 : Pipe::MTE3;
  auto call = [&](const std::string &name) {
    Operand object, tensor;
    object.literal = fifo.object;
    tensor.literal = fifo.tensor;
    emit(list, scope, pipe, name + "<" + fifo.type + ", " + fifo.tensorType + ", TileSplitAxis::TILE_UP_DOWN>",
         {object, tensor});
  };
  auto between = [&] {
    Scope inner = scope;
    ++inner.depth;
    if (random.chance(30))
      addRareSyncs(list, scope);
    if (random.chance(30))
      addInstruction(list, inner);
  };
  Operand slot, object;
  slot.literal = fifo.tensor;
  object.literal = fifo.object;
  if (!fifo.consumes && random.chance(30)) {
    const std::uint32_t tile = random.pick(scope.wide);
    emit(list, scope, pipe,
         "TPUSH<" + fifo.type + ", " + tileTypeName(kernel.tiles[tile]) + ", TileSplitAxis::TILE_UP_DOWN>",
         {object, tileOperand(tile)});
    return;
  }
  call(fifo.consumes ? "TPOP" : "TALLOC");
  between();
  if (random.chance(70)) {
    if (fifo.consumes)
      emit(list, scope, pipe, "TLOAD", {tileOperand(target(scope.wide)), slot});
    else
      emit(list, scope, pipe, "TSTORE", {slot, tileOperand(source(scope.wide))});
    between();
  }
  if (random.chance(85))
    call(fifo.consumes ? "TFREE" : "TPUSH");
}

} // namespace ptosync::fuzz
