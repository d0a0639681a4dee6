#include "replay/run/work.h"

#include <algorithm>
#include <functional>

namespace ptosync::replay {

namespace {

bool isCertain(const Value &value) { return value.origin == Origin::Fixed; }

/// The tile with a valid region that its variables hold for certain written into its type.
Tile withValidRegion(Tile tile, const Evaluator &values) {
  auto settle = [&](std::int64_t &entry, VariableId variable) {
    if (entry >= 0 || variable == kNone)
      return;
    const Value &value = values.variable(variable);
    if (isCertain(value) && value.bits >= 0)
      entry = value.bits;
  };
  settle(tile.staticValidRows, tile.validRows);
  settle(tile.staticValidCols, tile.validCols);
  return tile;
}

/// Bounds of what the number is in every run that goes the same way.
std::optional<ArgumentRange> argumentRange(const Value &value) {
  switch (value.origin) {
  case Origin::Fixed: return ArgumentRange{value.bits, value.bits};
  case Origin::Argument: return std::nullopt;
  case Origin::Sampled: {
    if (!value.choices || value.choices->values.empty())
      return std::nullopt;
    auto [low, high] = std::minmax_element(value.choices->values.begin(), value.choices->values.end());
    return ArgumentRange{*low, *high};
  }
  case Origin::Unknown: return ArgumentRange{value.range.low, value.range.high};
  }
  return std::nullopt;
}

/// Returns false if nothing is known of the address: the access stays one to the whole memory.
bool placeAt(Access &access, const Value &address) {
  const bool known = settleAddress(access.bytes, address);
  access.bytes.whole = access.bytes.whole && !known;
  return known;
}

bool isLiteral(const std::string &spelling) {
  return !spelling.empty() &&
         (std::isdigit(static_cast<unsigned char>(spelling[0])) || spelling[0] == '-' || spelling[0] == '.');
}

std::string textOf(const Instruction &instruction) {
  std::string text = instruction.name;
  for (const std::string &argument : instruction.templateArguments)
    text += "<" + argument + ">";
  for (const Operand &operand : instruction.operands)
    if (operand.kind == Operand::Kind::Scalar && isLiteral(operand.spelling))
      text += "," + operand.spelling;
  return text;
}

/// Everything on every pipe: what an opaque fence is taken for.
void makeFence(Effects &effects) {
  std::vector<EffectAccess> accesses;
  for (const EffectPhase &phase : effects.phases)
    if (phase.accesses.size() > accesses.size())
      accesses = phase.accesses;
  effects.fence = FenceKind::All;
  effects.phases.clear();
  for (Pipe pipe : kPipes)
    effects.phases.push_back({pipe, false, true, accesses});
}

std::uint64_t signatureOf(const Work &work, std::optional<std::size_t> globalMemory) {
  std::uint64_t hash = mix(std::hash<std::string>{}(work.text), work.phases.size());
  auto add = [&](std::int64_t value) { hash = mix(hash, static_cast<std::uint64_t>(value)); };
  for (const Phase &phase : work.phases)
    for (const Access &access : phase.accesses) {
      const Extents &bytes = access.bytes;
      add(bytes.space ? static_cast<std::int64_t>(*bytes.space) : -1);
      add(bytes.argument ? *bytes.argument : -1);
      add(bytes.whole);
      hash = signatureOf(bytes, bytes.space != globalMemory || bytes.base() != 0, hash);
    }
  return hash;
}

} // namespace

bool sameWork(const Work &a, const Work &b) {
  return a.text == b.text && a.known == b.known && a.fence == b.fence && a.signal == b.signal &&
         a.betweenCores == b.betweenCores && a.phases == b.phases && a.product == b.product && a.scalars == b.scalars &&
         a.flags.size() == b.flags.size();
}

std::uint32_t WorkTable::execute(const Instruction &instruction, Evaluator &values) {
  place(instruction, values);
  Execution execution{instruction, values, {}};
  for (const Operand &operand : instruction.operands)
    execution.operands.push_back(operand.kind == Operand::Kind::Scalar || operand.kind == Operand::Kind::Pointer
                                     ? values.evaluate(operand.value)
                                     : Value{});
  auto [known, inserted] = byInstruction[&instruction].try_emplace(keyOf(execution), 0);
  if (inserted) {
    known->second = static_cast<std::uint32_t>(works.size());
    works.push_back(build(execution));
  }
  return known->second;
}

/// After a call that may do anything with them.
void WorkTable::placeAnywhere(const Instruction &instruction, Evaluator &values) {
  const Value unknown{0, Origin::Unknown, {}};
  for (const Operand &operand : instruction.operands)
    if (const VariableId place = placeVariable(kernel, operand); place != kNone)
      values.assign(place, unknown);
}

/// Some place in the FIFO's ring in GM, another one each time. Where that is not bounded, only in which memory.
static Value entryOf(const Fifo &fifo, const Tensor &tensor, Evaluator &values) {
  const Value &memory = values.variable(fifo.memory);
  const Region ring = memory.region.inRing(fifo.flagBase);
  const std::optional<std::int64_t> farthest = farthestEntry(fifo, tensor);
  if (!farthest || memory.origin >= Origin::Sampled || memory.far)
    return {0, Origin::Unknown, ring};
  Value entry = values.unknown(kAddress);
  entry.origin = Origin::Unknown; // another core chose it, whatever is taken of memory
  entry.bits = memory.bits;
  entry.region = ring;
  entry.form = memory.form;
  entry.range = {memory.bits, memory.bits + *farthest, 1};
  return entry;
}

/// A pop gives its tile the next slot of the consumer's ring, and a tensor an entry of the ring in GM.
void WorkTable::place(const Instruction &instruction, Evaluator &values) {
  const Assigns assigns = assignsOf(kernel, instruction, machine);
  if (assigns == Assigns::Nothing)
    return;
  if (assigns == Assigns::Unknown)
    return placeAnywhere(instruction, values);
  const auto [fifo, tile, tensor] = objectsOf(kernel, instruction);
  if (!placesTile(assigns) && tensor)
    values.assign(tensor->pointer, fifo ? entryOf(*fifo, *tensor, values) : Value{0, Origin::Unknown, {}});
  Value pops{0, Origin::Unknown, {}};
  if (fifo && countsPop(assigns)) {
    pops = values.variable(fifo->pops);
    values.assign(fifo->pops, {pops.bits + 1, pops.origin, {}});
  }
  if (!placesTile(assigns) || !tile)
    return;
  Value address{0, Origin::Unknown, {}};
  if (fifo) {
    const Value &base = values.variable(tile->location == "Vec" ? fifo->cubeToVec : fifo->vecToCube);
    const std::int64_t slots = slotsOf(*fifo, assigns);
    if (slots > 0 && fifo->slotBytes > 0 && base.origin < Origin::Sampled && pops.origin < Origin::Sampled &&
        pops.bits >= 0)
      address = {base.bits + pops.bits % slots * fifo->slotBytes, base.origin, {}};
  }
  values.assign(tile->address, address);
}

/// Everything that `build` reads from the run.
WorkTable::Key WorkTable::keyOf(const Execution &execution) const {
  Key key;
  auto addVariable = [&](VariableId variable) {
    if (variable != kNone)
      appendKey(execution.values.variable(variable), key);
  };
  for (std::size_t i = 0; i < execution.operands.size(); ++i) {
    const Operand &operand = execution.instruction.operands[i];
    if (operand.kind == Operand::Kind::Tile) {
      const Tile &tile = kernel.tiles[operand.index];
      addVariable(tile.address);
      if (tile.staticValidRows < 0)
        addVariable(tile.validRows);
      if (tile.staticValidCols < 0)
        addVariable(tile.validCols);
    } else if (operand.kind == Operand::Kind::Tensor) {
      const Tensor &tensor = kernel.tensors[operand.index];
      addVariable(tensor.pointer);
      for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
        if (tensor.shape[d] < 0)
          addVariable(tensor.shapeVariables[d]);
        if (tensor.stride[d] < 0)
          addVariable(tensor.strideVariables[d]);
      }
    } else {
      appendKey(execution.operands[i], key);
    }
  }
  return key;
}

Effects WorkTable::effects(const Execution &execution) const {
  const Instruction &instruction = execution.instruction;
  const CallState atCall([&](const Tile &tile) { return withValidRegion(tile, execution.values); },
                         [&](const Operand &operand) {
                           const std::ptrdiff_t index = &operand - instruction.operands.data();
                           return argumentRange(execution.operands[static_cast<std::size_t>(index)]);
                         });
  if (machine.rules().opaqueCopy(instruction.name, options.strictCopies)) {
    Effects tile = effectsOf(kernel, instruction, machine, Trust::Tile, atCall);
    bool onVector = std::any_of(tile.phases.begin(), tile.phases.end(),
                                [](const EffectPhase &phase) { return phase.pipe == Pipe::V; });
    if (onVector) {
      makeFence(tile);
      return tile;
    }
  }
  return effectsOf(kernel, instruction, machine, options.trust, atCall);
}

Work WorkTable::build(const Execution &execution) const {
  Effects found = effects(execution);
  Work work;
  work.instruction = &execution.instruction;
  work.known = found.known;
  work.fence = found.fence;
  work.flags = found.flags;
  work.product = found.product;
  work.text = textOf(execution.instruction);
  for (std::size_t i = 0; i < execution.operands.size(); ++i)
    if (execution.instruction.operands[i].kind == Operand::Kind::Scalar)
      work.scalars.push_back(execution.operands[i].bits);
  for (const EffectPhase &described : found.phases) {
    Phase phase{described.pipe, described.barrier, {}};
    for (const EffectAccess &effect : described.accesses)
      phase.accesses.push_back(accessOf(execution, effect));
    work.phases.push_back(std::move(phase));
  }
  work.signal = signalOf(work, execution.instruction);
  const bool onePipe = found.form && found.form->pipes.size() == 1;
  work.betweenCores = isFifoFence(work) && onePipe && !work.signal;
  if (work.fence == FenceKind::None && mayPublish(work, found.publishes)) {
    work.fence = FenceKind::Release;
    work.betweenCores = true;
  }
  work.signature = signatureOf(work, machine.spaceByName("GM"));
  return work;
}

/// Returns true if the work may write a memory in which others see at once what it writes.
bool WorkTable::mayPublish(const Work &work, const std::set<std::size_t> &spaces) {
  if (spaces.empty())
    return false;
  for (const Phase &phase : work.phases)
    for (const Access &access : phase.accesses)
      if (access.writes && (!access.bytes.space || spaces.count(*access.bytes.space) != 0))
        return true;
  return false;
}

/// True for a call on a FIFO that is a fence, and none for everything.
bool WorkTable::isFifoFence(const Work &work) {
  return work.fence != FenceKind::None && work.fence != FenceKind::All &&
         firstOf(*work.instruction, Operand::Kind::Fifo);
}

/// Empty for anything but a FIFO call that touches no memory and is handed a tensor: its data is in global memory.
std::optional<std::int64_t> WorkTable::signalOf(const Work &work, const Instruction &instruction) const {
  bool moves =
      std::any_of(work.phases.begin(), work.phases.end(), [](const Phase &phase) { return !phase.accesses.empty(); });
  bool tensor = std::any_of(instruction.operands.begin(), instruction.operands.end(),
                            [](const Operand &operand) { return operand.kind == Operand::Kind::Tensor; });
  if (moves || !tensor || !isFifoFence(work))
    return std::nullopt;
  return kernel.fifos[*firstOf(instruction, Operand::Kind::Fifo)].flagBase;
}

Access WorkTable::accessOf(const Execution &execution, const EffectAccess &effect) const {
  Access access;
  access.reads = effect.reads;
  access.writes = effect.writes;
  access.scratch = effect.scratch;
  if (effect.hidden)
    fillHidden(access, *effect.hidden);
  if (!effect.operand)
    return access;
  const Operand &operand = execution.instruction.operands[*effect.operand];
  if (operand.kind == Operand::Kind::Tile)
    fillTile(access, kernel.tiles[operand.index], effect, execution.values);
  else if (operand.kind == Operand::Kind::Tensor)
    fillTensor(access, withLines(kernel.tensors[operand.index], effect), execution.values);
  else if (operand.kind == Operand::Kind::Pointer)
    fillPointer(access, execution.operands[*effect.operand], operand.bytes);
  if (operand.kind == Operand::Kind::Pointer && access.bytes.whole)
    fillFirstByte(access, execution.operands[*effect.operand], execution.values);
  return access;
}

void WorkTable::fillHidden(Access &access, const HiddenMemory &hidden) const {
  access.hidden = true;
  access.bytes.space = machine.spaceByName(hidden.space);
  access.bytes.whole = false;
  access.bytes.address = static_cast<std::int64_t>(hidden.offset);
  auto bytes = static_cast<std::int64_t>(hidden.bytes);
  access.bytes.footprint = {1, bytes, bytes};
}

void WorkTable::fillTile(Access &access, const Tile &declared, const EffectAccess &effect,
                         const Evaluator &values) const {
  Tile tile = withValidRegion(declared, values);
  access.bytes.space = machine.spaceOfTile(tile.location);
  const std::optional<Footprint> &footprint = effect.bytes;
  const Value &address = values.variable(tile.address);
  if (!footprint || !placeAt(access, address))
    return;
  access.bytes.footprint = *footprint;
  access.exact = contiguousValidRegion(tile) && !effect.widened;
  access.validRows = tile.staticValidRows;
  access.validCols = tile.staticValidCols;
  access.shape = lineShape(tile);
  access.order = effect.order;
  if (const std::optional<ChainRule> &chain = machine.rules().chain)
    access.repeats = vectorRepeats(tile, chain->repeatBytes).value_or(0);
}

void WorkTable::fillTensor(Access &access, const Tensor &declared, const Evaluator &values) const {
  Tensor tensor = declared;
  bool certain = true;
  auto settle = [&](std::int64_t &entry, VariableId variable, bool largest) {
    if (entry >= 0)
      return;
    const Value value = variable == kNone ? Value{0, Origin::Unknown, {}} : values.variable(variable);
    if (value.origin == Origin::Unknown || (value.choices && !largest))
      certain = false;
    else
      entry =
          value.choices ? *std::max_element(value.choices->values.begin(), value.choices->values.end()) : value.bits;
  };
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    settle(tensor.shape[d], tensor.shapeVariables[d], /*largest=*/true);
    settle(tensor.stride[d], tensor.strideVariables[d], /*largest=*/false);
  }
  fillPointer(access, values.variable(tensor.pointer), 0);
  if (!access.bytes.space)
    access.bytes.space = machine.spaceByName("GM");
  std::optional<Footprint> footprint = certain ? tensorFootprint(tensor) : std::nullopt;
  const bool empty =
      certain && std::any_of(tensor.shape.begin(), tensor.shape.end(), [](auto size) { return size <= 0; });
  if (!footprint && !empty)
    fillFirstByte(access, values.variable(tensor.pointer), values);
  if (!footprint || !placeAt(access, values.variable(tensor.pointer)))
    return;
  access.bytes.footprint = *footprint;
}

/// Of what a pointer leads to, however much that is, a run whose numbers are as drawn touches the first byte for
/// certain.
void WorkTable::fillFirstByte(Access &access, const Value &pointer, const Evaluator &values) {
  if (values.isAsDrawn() && settleAddress(access.bytes, pointer))
    access.bytes.footprint = Footprint::run(1);
}

/// True for an address that is farther from where the argument's memory begins than a tensor is long.
bool WorkTable::isBeyond(const Value &pointer) const {
  auto beyond = [&](std::int64_t address) {
    const std::int64_t away = wrappedDifference(address, addressOfArgument(pointer.region.argumentNumber()));
    return away >= machine.largestTensor() || away <= -machine.largestTensor();
  };
  if (pointer.choices)
    return pointer.far || std::any_of(pointer.choices->values.begin(), pointer.choices->values.end(), beyond);
  return pointer.far || (pointer.origin == Origin::Fixed && beyond(pointer.bits));
}

/// A pointer that comes from no argument and no tile may lead to any memory, one that goes far from its argument to
/// any place of global memory.
void WorkTable::fillPointer(Access &access, const Value &pointer, std::uint32_t bytes) const {
  if (pointer.region.isArgument() && isBeyond(pointer)) {
    access.bytes.space = machine.spaceByName("GM");
  } else if (pointer.region.isArgument()) {
    access.bytes.space = machine.spaceByName("GM");
    access.bytes.argument = pointer.region.argumentNumber();
    access.bytes.ring = pointer.region.ring();
  } else if (pointer.region.isSpace()) {
    access.bytes.space = pointer.region.spaceIndex();
  }
  if (bytes == 0 || !placeAt(access, pointer))
    return;
  access.bytes.footprint = {1, bytes, bytes};
}

} // namespace ptosync::replay
