#include "fuzz/trace_builder.h"

#include "fuzz/random_source.h"

namespace ptosync::fuzz {
namespace {

constexpr std::int64_t kScratchBegin = 184 * 1024, kScratchBytes = 8 * 1024;

int spaceNumber(Space space, std::uint32_t argument = 0) {
  return static_cast<int>(space) + (space == Space::Global ? static_cast<int>(argument) : 0);
}

} // namespace

TraceBuilder::TraceBuilder(TraceSimulator &trace, const FuzzKernel &kernel, LibraryTrust trust, const Run &run)
    : trace(trace), kernel(kernel), trust(trust), run(run), variables(kernel.variables.size(), 0),
      tiles(kernel.tiles.size()) {
  variables[kernel.lengthVariable] = run.length;
  variables[kernel.limitVariable] = run.limit;
  if (kernel.rareVariable != FuzzKernel::kNone)
    variables[kernel.rareVariable] = run.rare;
}

void TraceBuilder::build() {
  Flow flow = runList(kernel.body);
  trace.leftEarly = (flow == Flow::Return || !kernel.tail) && !trace.truncated;
}

std::int64_t TraceBuilder::evaluate(const Scalar &scalar) const {
  auto operand = [&](std::size_t i) { return evaluate(scalar.operands[i]); };
  switch (scalar.kind) {
  case Scalar::Kind::Constant: return scalar.constant;
  case Scalar::Kind::Variable: return variables[scalar.variable];
  case Scalar::Kind::Add: return operand(0) + operand(1);
  case Scalar::Kind::Subtract: return operand(0) - operand(1);
  case Scalar::Kind::Multiply: return operand(0) * operand(1);
  case Scalar::Kind::Remainder: return operand(0) % operand(1);
  case Scalar::Kind::Divide: return operand(0) / operand(1);
  case Scalar::Kind::Equal: return operand(0) == operand(1);
  case Scalar::Kind::Less: return operand(0) < operand(1);
  case Scalar::Kind::Greater: return operand(0) > operand(1);
  case Scalar::Kind::And: return operand(0) & operand(1);
  case Scalar::Kind::Element: return kernel.arrays[scalar.variable][static_cast<std::size_t>(operand(0))];
  case Scalar::Kind::Select: return operand(0) ? operand(1) : operand(2);
  }
  return 0;
}

TraceBuilder::Flow TraceBuilder::runList(const std::vector<Statement> &list) {
  for (const Statement &statement : list) {
    if (full()) {
      trace.truncated = true;
      return Flow::Return; // the rest of the run is not looked at
    }
    Flow flow = runStatement(statement);
    if (flow != Flow::Next)
      return flow;
  }
  return Flow::Next;
}

TraceBuilder::Flow TraceBuilder::runStatement(const Statement &statement) {
  switch (statement.kind) {
  case Statement::Kind::Instruction: runInstruction(statement); break;
  case Statement::Kind::UnknownCall: runUnknown(statement); break;
  case Statement::Kind::Barrier:
  case Statement::Kind::SetFlag:
  case Statement::Kind::WaitFlag: runSync(statement); break;
  case Statement::Kind::GetBuffer:
  case Statement::Kind::ReleaseBuffer: runBuffer(statement); break;
  case Statement::Kind::Loop: return runLoop(statement);
  case Statement::Kind::If: return runList(evaluate(statement.value) ? statement.body : statement.otherwise);
  case Statement::Kind::Call: runCall(statement); break;
  case Statement::Kind::DeclareTile:
  case Statement::Kind::MoveTile:
  case Statement::Kind::ReshapeTile: runTile(statement); break;
  case Statement::Kind::Assign: variables[statement.variable] = evaluate(statement.value); break;
  case Statement::Kind::LoadData: runLoad(statement); break;
  case Statement::Kind::DeclareArray:
  case Statement::Kind::Verbatim:
  case Statement::Kind::Nothing: break;
  case Statement::Kind::Switch: {
    if (evaluate(statement.value) != statement.constant)
      return runList(statement.otherwise);
    Flow flow = runList(statement.body);
    return flow == Flow::Next && statement.falls ? runList(statement.otherwise) : flow;
  }
  case Statement::Kind::Break: return Flow::Break;
  case Statement::Kind::Continue: return Flow::Continue;
  case Statement::Kind::Return: return Flow::Return;
  }
  return Flow::Next;
}

TraceBuilder::Flow TraceBuilder::runLoop(const Statement &loop) {
  auto [entry, unused] =
      loopNumbers.try_emplace({currentCall, loop.line}, static_cast<std::uint32_t>(loopNumbers.size()));
  std::uint32_t number = entry->second;
  std::int64_t &counter = variables[loop.variable];
  counter = evaluate(loop.lower);
  bool first = loop.form == Statement::LoopForm::DoWhile || loop.form == Statement::LoopForm::Forever;
  Flow flow = Flow::Next;
  while (first || counter < evaluate(loop.upper)) {
    first = false;
    iterations[number] = ++iterationCount;
    flow = runList(loop.body);
    if (flow == Flow::Break || flow == Flow::Return)
      break;
    counter += loop.step;
  }
  iterations.erase(number);
  return flow == Flow::Return ? flow : Flow::Next;
}

void TraceBuilder::runCall(const Statement &call) {
  const Helper &helper = kernel.helpers[call.helper];
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    variables[helper.parameters[i]] = evaluate(call.arguments[i]);
  for (std::size_t i = 0; i < call.tileArguments.size(); ++i)
    tiles[helper.tileParameters[i]] = tiles[call.tileArguments[i]];
  std::uint32_t outer = currentCall;
  auto [entry, unused] =
      callNumbers.try_emplace({outer, call.line}, static_cast<std::uint32_t>(callNumbers.size() + 1));
  currentCall = entry->second;
  runList(helper.body);
  currentCall = outer;
}

void TraceBuilder::runTile(const Statement &statement) {
  const FuzzTile &tile = kernel.tiles[statement.tile];
  TileState &state = tiles[statement.tile];
  state.address =
      statement.kind == Statement::Kind::ReshapeTile ? tiles[statement.sourceTile].address : evaluate(statement.value);
  if (statement.kind == Statement::Kind::MoveTile)
    return;
  state.validRows = evaluate(tile.validRows);
  state.validColumns = evaluate(tile.validColumns);
}

TraceNode &TraceBuilder::addNode(Pipe pipe, std::uint32_t line, std::vector<TraceAccess> accesses,
                                 TraceNode::Role role) {
  TraceNode node;
  node.instance = instanceCount;
  node.line = line;
  node.pipe = pipe;
  node.role = role;
  node.accesses = std::move(accesses);
  if (trace.iterationStacks.empty() || trace.iterationStacks.back() != iterations)
    trace.iterationStacks.push_back(iterations);
  node.iterations = static_cast<std::uint32_t>(trace.iterationStacks.size() - 1);
  auto &column = trace.nodesOfPipe[index(pipe)];
  column.push_back(static_cast<std::uint32_t>(trace.nodes.size()));
  node.number = static_cast<std::uint32_t>(column.size());
  bool works = role == TraceNode::Role::Work;
  trace.workNumbers[index(pipe)].push_back(trace.workNumbers[index(pipe)].back() + works);
  if (works) {
    trace.work.push_back(column.back());
    trace.workOfPipe[index(pipe)].push_back(column.back());
  }
  TraceSimulator::Event event;
  event.source = pipe;
  event.node = column.back();
  trace.events.push_back(event);
  return trace.nodes.emplace_back(std::move(node));
}

void TraceBuilder::addLibraryBarrier(Pipe pipe) {
  TraceSimulator::Event event;
  event.kind = TraceSimulator::Event::Kind::Barrier;
  event.source = pipe;
  trace.events.push_back(event);
}

void TraceBuilder::runSync(const Statement &statement) {
  TraceSimulator::Event event;
  event.kind = statement.kind == Statement::Kind::Barrier   ? TraceSimulator::Event::Kind::Barrier
               : statement.kind == Statement::Kind::SetFlag ? TraceSimulator::Event::Kind::Set
                                                            : TraceSimulator::Event::Kind::Wait;
  event.source = statement.source;
  event.destination = statement.destination;
  event.id = evaluate(statement.value);
  event.line = statement.line;
  if (statement.kind != Statement::Kind::Barrier) {
    // A place in the queue, so that others can wait for the flag to be set or taken.
    bool set = statement.kind == Statement::Kind::SetFlag;
    addNode(set ? event.source : event.destination, statement.line, {},
            set ? TraceNode::Role::Set : TraceNode::Role::Wait);
    trace.nodes.back().flag = {event.source, event.destination, event.id};
    trace.nodes.back().occurrence = occurrences[statement.line]++;
    trace.nodes.back().moved = statement.arrived;
  }
  trace.events.push_back(event);
}

/// No place in the queue: nobody can wait for a bracket but by another one.
void TraceBuilder::runBuffer(const Statement &statement) {
  TraceSimulator::Event event;
  event.kind = statement.kind == Statement::Kind::GetBuffer ? TraceSimulator::Event::Kind::Get
                                                            : TraceSimulator::Event::Kind::Release;
  event.source = statement.source;
  event.id = evaluate(statement.value);
  event.mode = statement.constant;
  event.line = statement.line;
  event.occurrence = occurrences[statement.line]++;
  trace.events.push_back(event);
}

void TraceBuilder::runLoad(const Statement &statement) {
  ++instanceCount;
  TraceAccess access;
  access.space = spaceNumber(Space::Global, kernel.pointerArguments - 1);
  access.base = 4 * evaluate(statement.value);
  access.rowBytes = access.stride = 4;
  access.reads = true;
  addNode(Pipe::S, statement.line, {access});
  variables[statement.variable] =
      static_cast<std::int64_t>(RandomSource::mix(run.dataSeed + 0x51ed27 * ++loadCount) % 4);
}

void TraceBuilder::runUnknown(const Statement &statement) {
  ++instanceCount;
  for (Pipe pipe : kPipes)
    addNode(pipe, statement.line, {}).fence = TraceFence::All;
}

void TraceBuilder::runInstruction(const Statement &statement) {
  ++instanceCount;
  if (runSpecial(statement))
    return;
  Effect effect = effectOf(statement);
  if (trace.chip == Chip::A5) { // its library leaves scratch alone, and needs no barrier of its own
    effect.scratch.clear();
    effect.hiddenScratch = effect.closingBarrier = false;
  }
  addPhases(statement, effect);
}

TraceBuilder::Effect TraceBuilder::effectOf(const Statement &statement) const {
  const std::string &opcode = statement.opcode;
  auto tile = [&](std::size_t i) -> const FuzzTile & { return kernel.tiles[statement.operands[i].tile]; };
  Effect effect;
  effect.writes = {0};
  if (opcode == "TLOAD")
    return {Pipe::MTE2, {0}, {1}, {}, false, false};
  if (opcode == "TSTORE")
    return {tile(1).space == Space::Accumulator ? Pipe::FIX : Pipe::MTE3, {0}, {1}, {}, false, false};
  if (opcode == "TMATMUL")
    return {Pipe::M, {0}, {1, 2}, {}, false, false};
  if (opcode == "TMATMUL_ACC")
    return {Pipe::M, {0}, {0, 1, 2, 3}, {}, false, false};
  if (opcode == "TEXTRACT")
    return {Pipe::MTE1, {0}, {1}, {}, false, false};
  if (opcode == "SetValue")
    return {Pipe::S, {0}, {0}, {}, false, false};
  if (opcode == "GetValue")
    return {Pipe::S, {}, {0}, {}, false, false};
  if (opcode == "TMOV")
    return {tile(1).space == Space::UnifiedBuffer ? Pipe::V
            : tile(1).space == Space::L1          ? Pipe::MTE1
                                                  : Pipe::FIX,
            {0},
            {1},
            {},
            false,
            false};
  if (opcode == "TROWSUM" || opcode == "TROWMAX")
    return {Pipe::V, {0}, {1}, {2}, false, true};
  if (opcode == "TROWEXPAND") // a3: trace_calls.cpp
    return {Pipe::V, {0}, {1}, {}, false, false};
  if (opcode.rfind("TROWEXPAND", 0) == 0) {
    if (statement.operands.size() == 4)
      return {Pipe::V, {0}, {1, 2}, {3}, false, false};
    return {Pipe::V, {0}, {1, 2}, {}, tile(2).columnMajor, false};
  }
  for (std::size_t i = 1; i < statement.operands.size(); ++i)
    if (statement.operands[i].kind == Operand::Kind::Tile)
      effect.reads.push_back(i);
  return effect;
}

TraceAccess TraceBuilder::accessOf(const Operand &operand, bool scratch) const {
  TraceAccess access;
  if (operand.kind == Operand::Kind::Literal) {
    // An entry of a FIFO's ring: bytes that nobody else touches, as far as is asked here.
    access.space = spaceNumber(Space::Global, kernel.pointerArguments - 2);
    access.base = static_cast<std::int64_t>(instanceCount) * 4;
    access.rowBytes = access.stride = 4;
    for (const FuzzFifo &fifo : kernel.fifos)
      if (fifo.tensor == operand.literal)
        access.ring = fifo.flagBase;
    return access;
  }
  if (operand.kind == Operand::Kind::Tensor) {
    const FuzzTensor &tensor = operand.tensor;
    std::int64_t size = kernel.cube ? 2 : 4;
    access.space = spaceNumber(Space::Global, tensor.argument);
    access.base = evaluate(tensor.offset) * size;
    access.rows = tensor.rows;
    access.rowBytes = tensor.columns * size;
    access.stride = tensor.rowStride * size;
    return access;
  }
  const FuzzTile &tile = kernel.tiles[operand.tile];
  const TileState &state = tiles[operand.tile];
  bool boxed = tile.space != Space::UnifiedBuffer;
  access.space = spaceNumber(tile.space);
  access.base = state.address;
  if (scratch || boxed) {
    access.rowBytes = access.stride = tile.rows * tile.columns * tile.elementBytes;
  } else {
    access.rows = tile.columnMajor ? state.validColumns : state.validRows;
    access.rowBytes = (tile.columnMajor ? state.validRows : state.validColumns) * tile.elementBytes;
    access.stride = (tile.columnMajor ? tile.rows : tile.columns) * tile.elementBytes;
  }
  bool known = tile.validRows.isConstant() && tile.validColumns.isConstant();
  access.tile = {state.address,      tile.rows,         tile.columns,     state.validRows,
                 state.validColumns, tile.elementBytes, tile.columnMajor, known && !scratch && !boxed};
  return access;
}

/// Squares of 16 x 16 elements that a product's result consists of: the left input's rows by the right one's columns.
std::int64_t TraceBuilder::fractalsOf(const Statement &statement) const {
  if (statement.opcode.rfind("TMATMUL", 0) != 0)
    return 0;
  auto sixteens = [](std::int64_t elements) { return (elements + 15) / 16; };
  std::size_t right = statement.operands.size() - 1;
  return sixteens(tiles[statement.operands[right - 1].tile].validRows) *
         sixteens(tiles[statement.operands[right].tile].validColumns);
}

TraceAccess TraceBuilder::hiddenScratch(bool reads, bool writes) const {
  TraceAccess access;
  access.space = spaceNumber(Space::UnifiedBuffer);
  access.base = kScratchBegin;
  access.rowBytes = access.stride = kScratchBytes;
  access.reads = reads;
  access.writes = writes;
  access.hidden = true;
  return access;
}

void TraceBuilder::addPhases(const Statement &statement, const Effect &effect) {
  std::vector<TraceAccess> accesses;
  auto add = [&](std::size_t operand, bool reads, bool writes, bool scratch) {
    TraceAccess access = accessOf(statement.operands[operand], scratch);
    access.reads = reads;
    access.writes = writes;
    if (effect.pipe == Pipe::S) { // one element
      access.base += std::stoll(statement.operands[1].literal) * 4;
      access.rows = 1;
      access.rowBytes = 4;
    }
    if (access.rows > 0 && access.rowBytes > 0)
      accesses.push_back(access);
  };
  bool library = trust == LibraryTrust::Library;
  if (library && effect.hiddenScratch) { // broadcast, barrier, the work
    add(2, true, false, false);
    accesses.push_back(hiddenScratch(false, true));
    addNode(effect.pipe, statement.line, std::move(accesses));
    addLibraryBarrier(effect.pipe);
    accesses.clear();
    add(1, true, false, false);
    accesses.push_back(hiddenScratch(true, false));
    add(0, false, true, false);
    addNode(effect.pipe, statement.line, std::move(accesses));
    return;
  }
  for (std::size_t operand : effect.writes)
    add(operand, false, true, false);
  for (std::size_t operand : effect.reads)
    add(operand, true, false, false);
  for (std::size_t operand : effect.scratch)
    add(operand, true, true, true);
  if (effect.hiddenScratch)
    accesses.push_back(hiddenScratch(true, true));
  addNode(effect.pipe, statement.line, std::move(accesses));
  trace.nodes.back().fractals = fractalsOf(statement);
  if (library && effect.closingBarrier)
    addLibraryBarrier(effect.pipe);
}

} // namespace ptosync::fuzz
