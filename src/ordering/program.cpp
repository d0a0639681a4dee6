#include "ordering/program.h"

#include "base/walk.h"
#include "ordering/branch_plan.h"
#include "ordering/buffers.h"
#include "ordering/condition.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ptosync {
namespace {

// Distances told apart per loop: enough for the deepest ring, and never more than this.
constexpr std::uint32_t kFewestDistances = 2;
constexpr std::uint32_t kMostDistances = 9;
// Copies of a block, over all loops around it.
constexpr std::uint32_t kLongestPeriod = 16; // of the ids of one loop, in iterations
constexpr std::uint64_t kMostCopies = 64;    // of a block, for the ids of all loops around it

class ProgramBuilder {
public:
  ProgramBuilder(Program &program, const Machine &machine) : program(program), machine(machine) {}

  void run() {
    globalMemory = machine.spaceByName("GM");
    program.globalMemory = static_cast<std::uint32_t>(globalMemory.value_or(kNone));
    program.steps.resize(program.kernel->blocks.size());
    program.edges.resize(program.kernel->blocks.size());
    named.resize(program.kernel->blocks.size());
    program.conditions.resize(program.kernel->blocks.size());
    findFlagPipes();
    program.scalars->forEachStatement([&](BlockId block, std::size_t index) {
      const std::vector<Statement> &statements = program.kernel->blocks[block].statements;
      if (index < statements.size())
        addStatement(block, statements[index]);
      else
        addEdges(block);
    });
    findRings();
    certainFirstTrips();
    expandPhases();
    connectBuffers(program);
    numberBits();
  }

private:
  void findRings() {
    for (const Fifo &fifo : program.kernel->fifos)
      if (fifo.memory != kNone)
        if (std::optional<AtomId> root = program.scalars->algebra().pointerRoot(program.scalars->variable(fifo.memory)))
          program.rings.insert(*root);
  }

  /// Between which pipes the kernel sets and waits for flags of its own.
  void findFlagPipes() {
    for (const Block &block : program.kernel->blocks)
      for (const Statement &statement : block.statements)
        if (const auto *sync = std::get_if<Sync>(&statement.action); sync && isFlag(sync->kind))
          flagPipes.emplace(sync->source, sync->destination);
  }

  void addStatement(BlockId block, const Statement &statement) {
    if (const auto *instruction = std::get_if<Instruction>(&statement.action))
      addInstruction(block, statement, *instruction);
    else if (const auto *sync = std::get_if<Sync>(&statement.action))
      addSync(block, statement, *sync);
  }

  void addInstruction(BlockId block, const Statement &statement, const Instruction &instruction) {
    Effects effects =
        effectsOf(*program.kernel, instruction, machine, program.options.trust,
                  CallState([&](const Tile &tile) { return settled(tile); },
                            [&](const Operand &operand) { return rangeOf(operand, program.graph->loopOf(block)); }));
    bool opaque = effects.fence != FenceKind::None || isStrictCopy(instruction);
    std::vector<std::uint32_t> inside;
    inside.reserve(effects.flags.size());
    for (const HiddenFlag &flag : effects.flags)
      inside.push_back(flagNumber({flag.source, flag.destination, flag.id}));
    // The first set may come as soon as the call is handed out, the last wait may be the last of the call. Where the
    // call has no barrier inside, the sets may as well stand behind what it touches, of which more is to be told.
    const bool barriers = std::any_of(effects.phases.begin(), effects.phases.end(),
                                      [](const EffectPhase &phase) { return phase.barrier; });
    if (barriers)
      addLibraryFlags(block, statement, inside, true);
    bool first = true;
    for (const EffectPhase &phase : effects.phases) {
      Event event;
      event.statement = &statement;
      if (phase.barrier) {
        event.kind = Event::Kind::Barrier;
        event.source = phase.pipe;
        program.steps[block].push_back(std::move(event));
        continue;
      }
      Node node;
      node.pipe = phase.pipe;
      node.block = block;
      node.event = static_cast<std::uint32_t>(program.steps[block].size());
      node.statement = &statement;
      node.loop = program.graph->loopOf(block);
      node.fence = opaque;
      node.release = effects.fence == FenceKind::Release;
      node.acquire = effects.fence == FenceKind::Acquire;
      node.unknown = !effects.known;
      node.product = effects.product;
      node.fifo = fifoWithoutData(instruction);
      node.betweenCores = isBetweenCores(instruction, effects);
      if (node.unknown)
        addEverything(node);
      for (const EffectAccess &access : phase.accesses)
        addAccess(node, instruction, access);
      if (!node.fence && mayPublish(node, effects))
        node.fence = node.release = node.betweenCores = node.publishes = true;
      // The call waits on its pipe or on the scalar unit, which hands out nothing meanwhile. Of several
      // pipes it may be another one that waits.
      node.holdsPipe = node.acquire && node.accesses.empty() && effects.form->pipes.size() == 1;
      if (std::exchange(first, false))
        node.inside = inside;
      event.node = static_cast<NodeId>(program.nodes.size());
      program.nodes.push_back(std::move(node));
      program.steps[block].push_back(std::move(event));
    }
    if (!barriers)
      addLibraryFlags(block, statement, inside, true);
    addLibraryFlags(block, statement, inside, false);
  }

  /// The sets, or the waits, of flags inside a call that the kernel may use as well.
  void addLibraryFlags(BlockId block, const Statement &statement, const std::vector<std::uint32_t> &flags, bool sets) {
    for (std::uint32_t number : flags) {
      const Flag &flag = program.flags[number];
      if (!flagPipes.count({flag.source, flag.destination}))
        continue;
      Event event;
      event.kind = Event::Kind::Inside;
      event.source = flag.source;
      event.destination = flag.destination;
      event.statement = &statement;
      event.node = addFlagNode(block, statement, event, sets);
      program.nodes[event.node].libraryFlag = number;
      program.steps[block].push_back(std::move(event));
    }
  }

  /// The FIFO of a call that names it and a tensor, and no tile that data could come from or go to.
  static FifoId fifoWithoutData(const Instruction &instruction) {
    FifoId fifo = kNone;
    bool tensor = false;
    for (const Operand &operand : instruction.operands) {
      if (operand.kind == Operand::Kind::Fifo)
        fifo = operand.index;
      else if (operand.kind == Operand::Kind::Tensor)
        tensor = true;
      else if (operand.kind != Operand::Kind::Scalar)
        return kNone;
    }
    return tensor ? fifo : kNone;
  }

  /// A call on a FIFO that runs on one pipe, for certain: what it waits or signals for is another core's doing. Of
  /// several pipes it may be any that touches the data.
  bool isBetweenCores(const Instruction &instruction, const Effects &effects) const {
    return firstOf(instruction, Operand::Kind::Fifo) && effects.form && effects.form->pipes.size() == 1 &&
           effects.fence != FenceKind::None && effects.fence != FenceKind::All && !isStrictCopy(instruction);
  }

  /// True if the call may write where others see it at once. What another core makes of that can only concern memories
  /// that it reaches.
  static bool mayPublish(const Node &node, const Effects &effects) {
    return std::any_of(node.accesses.begin(), node.accesses.end(), [&](const Access &access) {
      return access.writes && effects.publishes.count(access.space) != 0;
    });
  }

  bool isStrictCopy(const Instruction &instruction) const {
    return machine.rules().opaqueCopy(instruction.name, program.options.strictCopies);
  }

  /// An unknown call reads and writes all of every memory.
  void addEverything(Node &node) {
    for (std::uint32_t space = 0; space < machine.spaces().size(); ++space) {
      Access access;
      access.space = space;
      access.base = anywhere();
      access.reads = access.writes = true;
      access.name = "anything";
      node.accesses.push_back(std::move(access));
    }
  }

  ScalarValue anywhere() const {
    ScalarValue value;
    value.type = kAddress;
    value.modulus = 1;
    return value;
  }

  void addAccess(Node &node, const Instruction &instruction, const EffectAccess &effect) {
    Access access;
    access.reads = effect.reads;
    access.writes = effect.writes;
    access.scratch = effect.scratch;
    access.base = anywhere();
    if (effect.hidden) {
      std::optional<std::size_t> space = machine.spaceByName(effect.hidden->space);
      access.space = static_cast<std::uint32_t>(space.value_or(0));
      access.hidden = true;
      access.base = program.scalars->algebra().constant(static_cast<std::int64_t>(effect.hidden->offset), kAddress);
      auto bytes = static_cast<std::int64_t>(effect.hidden->bytes);
      access.bytes = Footprint::run(bytes);
      access.name = "hidden scratch";
      node.accesses.push_back(std::move(access));
      return;
    }
    const Operand &operand = instruction.operands[*effect.operand];
    access.name = operand.spelling;
    switch (operand.kind) {
    case Operand::Kind::Tile: return addTile(node, std::move(access), program.kernel->tiles[operand.index], effect);
    case Operand::Kind::Tensor: {
      const Tensor &tensor = program.kernel->tensors[operand.index];
      access.space = static_cast<std::uint32_t>(globalMemory.value_or(0));
      access.base = program.scalars->variable(tensor.pointer);
      access.bytes = tensorFootprint(withLines(tensor, effect));
      node.accesses.push_back(std::move(access));
      return;
    }
    case Operand::Kind::Pointer: return addPointer(node, std::move(access), operand);
    default:
      // An object nothing is known about: every memory.
      for (std::uint32_t space = 0; space < machine.spaces().size(); ++space) {
        access.space = space;
        node.accesses.push_back(access);
      }
    }
  }

  /// A run-time valid region that is the same constant on every path counts as static.
  Tile settled(Tile tile) const {
    auto settle = [&](std::int64_t &entry, VariableId variable) {
      if (entry >= 0)
        return;
      ScalarValue value = program.scalars->variable(variable);
      if (value.isConstant() && value.constant > 0)
        entry = value.constant;
    };
    settle(tile.staticValidRows, tile.validRows);
    settle(tile.staticValidCols, tile.validCols);
    return tile;
  }

  /// What an instruction in the loop sees of its argument: of counters, not the visit that leaves their loop.
  std::optional<ArgumentRange> rangeOf(const Operand &operand, LoopId loop) const {
    if (operand.kind != Operand::Kind::Scalar || operand.value == kNone)
      return std::nullopt;
    const ScalarValue value = program.scalars->value(operand.value);
    if (value.isConstant())
      return ArgumentRange{value.constant, value.constant};
    __int128 lowest = value.constant, highest = value.constant;
    for (const Term &term : value.terms) {
      const Atom &atom = program.scalars->algebra()[term.atom];
      const bool inside = atom.kind == Atom::Kind::Counter && program.graph->encloses(atom.scope, loop);
      const Interval of = inside ? atom.inLoop : atom.interval;
      const __int128 a = __int128(term.coefficient) * of.lowest, b = __int128(term.coefficient) * of.highest;
      lowest += std::min(a, b), highest += std::max(a, b);
    }
    // A sum that may have wrapped is known by the bounds of its type alone.
    const Interval sum = value.modulus == 0 ? clip(lowest, highest, value.type) : intervalOf(value.type);
    return ArgumentRange{std::max(sum.lowest, value.interval.lowest), std::min(sum.highest, value.interval.highest)};
  }

  void addTile(Node &node, Access access, const Tile &declared, const EffectAccess &effect) {
    Tile tile = settled(declared);
    std::optional<std::size_t> space = machine.spaceOfTile(tile.location);
    access.base = program.scalars->variable(tile.address);
    access.bytes = effect.bytes;
    access.certain = effect.certain;
    access.certainOffset = effect.certainOffset;
    access.doubtful = effect.bytes && !effect.certain;
    access.widened = effect.widened;
    access.order = effect.order;
    access.tile = std::move(tile);
    if (space) {
      access.space = static_cast<std::uint32_t>(*space);
      node.accesses.push_back(std::move(access));
      return;
    }
    for (std::uint32_t any = 0; any < machine.spaces().size(); ++any) {
      access.space = any;
      access.base = anywhere();
      node.accesses.push_back(access);
    }
  }

  /// A raw pointer is global memory if it comes from a kernel argument, however far from it; otherwise it may also
  /// be the address of a tile.
  void addPointer(Node &node, Access access, const Operand &operand) {
    access.base = operand.value == kNone ? anywhere() : program.scalars->value(operand.value);
    if (operand.bytes)
      access.bytes = Footprint::run(operand.bytes);
    if (program.scalars->algebra().leadsToArgument(access.base)) {
      access.space = static_cast<std::uint32_t>(globalMemory.value_or(0));
      node.accesses.push_back(std::move(access));
      return;
    }
    for (std::uint32_t space = 0; space < machine.spaces().size(); ++space) {
      access.space = space;
      node.accesses.push_back(access);
    }
  }

  void addSync(BlockId block, const Statement &statement, const Sync &sync) {
    Event event;
    event.statement = &statement;
    event.site = sync.site;
    event.source = sync.source;
    event.destination = sync.destination;
    switch (sync.kind) {
    case SyncKind::Tail:
      if (sync.source != Pipe::All)
        return; // the flag form orders nothing that runs after it
      [[fallthrough]];
    case SyncKind::Barrier: event.kind = Event::Kind::Barrier; break;
    case SyncKind::SetFlag:
    case SyncKind::WaitFlag:
      event.kind = sync.kind == SyncKind::SetFlag ? Event::Kind::Set : Event::Kind::Wait;
      event.lanes = lanesOf(sync, program.scalars->value(sync.event));
      event.holdsDispatch = sync.kind == SyncKind::WaitFlag && sync.destination == Pipe::S && holdsDispatch();
      if (event.lanes.size() > 1)
        dynamicIds[{block, static_cast<std::uint32_t>(program.steps[block].size())}] =
            program.scalars->value(sync.event);
      event.node = addFlagNode(block, statement, event, sync.kind == SyncKind::SetFlag);
      break;
    case SyncKind::GetBuffer:
    case SyncKind::ReleaseBuffer: addBuffer(block, sync, event); break;
    }
    program.steps[block].push_back(std::move(event));
  }

  void addBuffer(BlockId block, const Sync &sync, Event &event) {
    const bool gets = sync.kind == SyncKind::GetBuffer;
    const ScalarValue id = program.scalars->value(sync.event);
    event.kind = gets ? Event::Kind::Get : Event::Kind::Release;
    event.mode = sync.mode;
    event.ids = program.scalars->algebra().possibleValues(id);
    event.holdsDispatch = gets && sync.source == Pipe::S && holdsDispatch();
    for (const Term &term : id.terms)
      noteTable(term.atom);
    if (event.ids.size() != 1)
      dynamicIds[{block, static_cast<std::uint32_t>(program.steps[block].size())}] = id;
  }

  /// True if what the scalar pipe waits for holds back what every pipe starts later.
  bool holdsDispatch() const {
    return program.options.scalarWaitsHoldDispatch && machine.rules().scalarWaitDispatch.has_value();
  }

  NodeId addFlagNode(BlockId block, const Statement &statement, const Event &event, bool sets) {
    Node node;
    node.sets = sets;
    node.pipe = node.sets ? event.source : event.destination;
    node.holdsPipe = !node.sets;
    node.block = block;
    node.event = static_cast<std::uint32_t>(program.steps[block].size());
    node.statement = &statement;
    node.loop = program.graph->loopOf(block);
    program.nodes.push_back(std::move(node));
    return static_cast<NodeId>(program.nodes.size() - 1);
  }

  std::vector<std::uint32_t> lanesOf(const Sync &sync, const ScalarValue &id) {
    std::vector<std::int64_t> ids = program.scalars->algebra().possibleValues(id);
    for (const Term &term : id.terms)
      noteTable(term.atom);
    if (ids.empty())
      for (unsigned any = 0; any < machine.flagIds(); ++any)
        ids.push_back(any);
    std::vector<std::uint32_t> lanes;
    for (std::int64_t lane : ids)
      addLanes(lanes, sync.source, sync.destination, lane);
    return lanes;
  }

  /// The flags that an event id may name: an id above the last may stand for a lower one.
  void addLanes(std::vector<std::uint32_t> &lanes, Pipe source, Pipe destination, std::int64_t id) {
    for (std::int64_t named : machine.eventIds(id)) {
      std::uint32_t lane = flagNumber({source, destination, named});
      if (std::find(lanes.begin(), lanes.end(), lane) == lanes.end())
        lanes.push_back(lane);
    }
  }

  std::uint32_t flagNumber(const Flag &flag) {
    auto [entry, inserted] = flagNumbers.try_emplace(flag, static_cast<std::uint32_t>(program.flags.size()));
    if (inserted)
      program.flags.push_back(flag);
    return entry->second;
  }

  /// The period of each loop whose table decides an event id; 1 for the others.
  std::vector<std::uint32_t> phasesOfLoops() {
    const ScalarAlgebra &scalars = program.scalars->algebra();
    std::vector<std::uint32_t> periods(program.graph->loops().size(), 1);
    for (const auto &[place, id] : dynamicIds)
      for (const Term &term : id.terms)
        if (const Atom &atom = scalars[term.atom]; atom.kind == Atom::Kind::Table) {
          auto size = static_cast<std::uint32_t>(atom.table.size());
          program.idSteps.push_back({atom.scope, program.steps[place.first][place.second].site, size});
          auto period = std::lcm<std::uint64_t>(periods[atom.scope], size);
          if (period <= kLongestPeriod)
            periods[atom.scope] = static_cast<std::uint32_t>(period);
        }
    // A loop inside an expanded one multiplies: stop where the copies get too many.
    for (LoopId loop = 0; loop < periods.size(); ++loop) {
      std::uint64_t copies = periods[loop];
      for (LoopId outer = program.graph->loops()[loop].parent; outer != kNone;
           outer = program.graph->loops()[outer].parent)
        copies *= periods[outer];
      if (copies > kMostCopies)
        periods[loop] = 1;
    }
    return periods;
  }

  void expandPhases() {
    std::vector<std::uint32_t> idPeriods = phasesOfLoops();
    BranchPlan plan(program, idPeriods);
    PhaseExpansion expansion(program, plan, std::move(named));
    expansion.run(idPeriods, [&](StepId step, std::uint32_t at, const std::map<LoopId, std::uint32_t> &phases) {
      auto dynamic = dynamicIds.find({program.blockOf[step], at});
      if (dynamic == dynamicIds.end())
        return;
      if (std::optional<std::int64_t> lane = idInPhase(dynamic->second, phases, plan)) {
        Event &event = program.steps[step][at];
        if (event.isBuffer()) {
          event.ids = {*lane};
          return;
        }
        event.lanes.clear();
        addLanes(event.lanes, event.source, event.destination, *lane);
        // What consumed another id need not be over before a set of this one.
        if (event.kind == Event::Kind::Wait)
          event.node = expansion.ownNode(event.node, {*lane}, Node(program.nodes[event.node]));
      }
    });
    program.undecidedBranches = plan.undecided();
    program.placedByIds = expansion.placedByIds();
  }

  std::optional<std::int64_t> idInPhase(const ScalarValue &id, const std::map<LoopId, std::uint32_t> &phases,
                                        const BranchPlan &plan) const {
    if (id.modulus)
      return std::nullopt;
    std::int64_t lane = id.constant;
    for (const Term &term : id.terms) {
      const Atom &atom = program.scalars->algebra()[term.atom];
      auto phase = phases.find(atom.scope);
      if (atom.kind != Atom::Kind::Table || phase == phases.end())
        return std::nullopt;
      // Of two tables whose common period is too long one alone is followed.
      if (plan.loops()[atom.scope].period % static_cast<std::int64_t>(atom.table.size()) != 0)
        return std::nullopt;
      lane = wrappedSum(lane, term.coefficient, atom.table[phase->second % atom.table.size()]);
    }
    return lane;
  }

  void noteTable(AtomId id) {
    const Atom &atom = program.scalars->algebra()[id];
    if (atom.kind == Atom::Kind::Table)
      deepest = std::max<std::uint32_t>(deepest, static_cast<std::uint32_t>(atom.table.size()) + 1);
  }

  void addEdges(BlockId block) {
    const Terminator &end = program.kernel->blocks[block].terminator;
    std::optional<bool> decided;
    if (end.kind == Terminator::Kind::Branch) {
      ScalarValue condition = program.scalars->value(end.condition);
      decided = program.scalars->algebra().decided(condition);
      if (!decided)
        decided = implied().at(condition, block);
      if (!decided)
        program.conditions[block] = std::move(condition);
    }
    for (BlockId target : program.graph->successors(block)) {
      if (decided && target != (*decided ? end.whenTrue : end.whenFalse))
        continue;
      program.edges[block].push_back({target, program.graph->backEdge(block, target)});
      named[block].push_back(target);
    }
  }

  ImpliedConditions implied() const {
    return {*program.kernel, *program.graph, program.scalars->algebra(), program.conditions};
  }

  /// True if whoever comes to the loop from there goes round at least once.
  bool isCertainFrom(LoopId loop, BlockId from) const {
    const std::optional<ScalarValue> &test = program.conditions[program.graph->loops()[loop].header];
    return program.scalars->trips(loop).firstTripCertain == true ||
           (test && implied().atFirst(*test, loop, from) == true);
  }

  /// A loop whose first trip is certain is entered behind its test: what its body orders holds
  /// after the loop too. Only for headers that test and do nothing else. Its test still leads round
  /// once more, even where the bounds allow one trip only: a verdict that hangs on that would take
  /// the prime and the drain of a loop apart, and fall with the next choice of bounds.
  void certainFirstTrips() {
    for (LoopId loop = 0; loop < program.graph->loops().size(); ++loop) {
      const Loop &around = program.graph->loops()[loop];
      const Terminator &end = program.kernel->blocks[around.header].terminator;
      if (!program.steps[around.header].empty() || end.kind != Terminator::Kind::Branch ||
          !program.graph->loopContains(loop, end.whenTrue))
        continue;
      for (BlockId from : program.graph->predecessors(around.header))
        for (Edge &edge : program.edges[from])
          if (edge.to == around.header && edge.around == kNone && isCertainFrom(loop, from))
            edge.to = end.whenTrue;
    }
  }

  void numberBits() {
    for (const Node &node : program.nodes)
      for (const Access &access : node.accesses)
        for (const Term &term : access.base.terms)
          noteTable(term.atom);
    program.distances = std::clamp(deepest, kFewestDistances, kMostDistances);
    for (Node &node : program.nodes) {
      node.firstBit = program.bits;
      program.bits += program.bitCount(node);
    }
    program.nodeOfBit.resize(program.bits);
    for (NodeId id = 0; id < program.nodes.size(); ++id)
      for (std::uint32_t i = 0; i < program.bitCount(program.nodes[id]); ++i)
        program.nodeOfBit[program.nodes[id].firstBit + i] = id;
    program.numberAgedBits();
  }

  Program &program;
  const Machine &machine;
  std::optional<std::size_t> globalMemory;
  std::map<Flag, std::uint32_t> flagNumbers;
  std::set<std::pair<Pipe, Pipe>> flagPipes;                           // of the kernel's own flags
  std::map<std::pair<BlockId, std::uint32_t>, ScalarValue> dynamicIds; // by block and event
  std::vector<std::vector<BlockId>> named; // by block: what its edges lead to by its terminator
  std::uint32_t deepest = 0;
};

} // namespace

static llvm::Expected<Program> buildWith(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                                         std::map<StatementPlace, MemoryState> steady) {
  Program program;
  program.kernel = &kernel;
  program.machine = &machine;
  program.options = options;
  program.graph = std::make_unique<FlowGraph>(kernel);
  if (!program.graph->reducible())
    return llvm::createStringError(
        "its control flow has a cycle with two entries (a `goto` into a loop), which is not followed");
  program.scalars = std::make_unique<ScalarAnalysis>(
      kernel, *program.graph, [&](const Instruction &instruction) { return assignsOf(kernel, instruction, machine); },
      std::move(steady), machine.largestTensor(), options.allowance);
  program.arguments = relationsOf(kernel, *program.scalars);
  ProgramBuilder(program, machine).run();
  return program;
}

llvm::Expected<Program> buildProgram(const Kernel &kernel, const Machine &machine, const OrderingOptions &options) {
  llvm::Expected<Program> program = buildWith(kernel, machine, options, {});
  if (!program || !options.followConditions)
    return program;
  std::map<StatementPlace, MemoryState> steady = steadyLoads(*program);
  if (steady.size() < 2) // one load is the same as itself
    return program;
  return buildWith(kernel, machine, options, std::move(steady));
}

// Program: the bits of its nodes, orders relative to fences, flags in print.

namespace {

/// The pointer that a FIFO has as ring; empty if it is not one known argument.
std::optional<AtomId> ringOf(const Program &program, FifoId fifo) {
  VariableId memory = program.kernel->fifos[fifo].memory;
  if (memory == kNone)
    return std::nullopt;
  return program.scalars->algebra().pointerRoot(program.scalars->variable(memory));
}

/// True if `call`, on a FIFO, is a fence for `other`, which runs on another pipe.
bool fifoHolds(const Program &program, const Node &call, const Node &other) {
  if (other.fence) {
    if (other.fifo == kNone)
      return true;
    const Fifo &a = program.kernel->fifos[call.fifo], &b = program.kernel->fifos[other.fifo];
    return call.fifo == other.fifo || a.flagBase < 0 || a.flagBase == b.flagBase;
  }
  std::optional<AtomId> own = ringOf(program, call.fifo);
  for (const Access &access : other.accesses) {
    if (access.space != program.globalMemory)
      continue;
    std::optional<AtomId> root = program.scalars->algebra().pointerRoot(access.base);
    if (!own || !root || root == own || !program.rings.count(*root))
      return true;
    const ScalarAlgebra &scalars = program.scalars->algebra();
    if (program.arguments.related(scalars[*root].number, scalars[*own].number))
      return true;
  }
  return false;
}

/// True if the fence `call` is one for `other`, which runs on another pipe.
bool holds(const Program &program, const Node &call, const Node &other) {
  if (call.fifo != kNone)
    return fifoHolds(program, call, other);
  return !call.betweenCores || other.fence ||
         std::any_of(other.accesses.begin(), other.accesses.end(),
                     [&](const Access &access) { return program.machine->spaces()[access.space].sharedBetweenCores; });
}

/// True if both run on the scalar unit, in its order, and are fences at most because of what they write.
bool inScalarOrder(const Program &program, const Node &earlier, const Node &later) {
  auto ordinary = [](const Node &node) { return node.pipe == Pipe::S && (!node.fence || node.publishes); };
  return program.machine->rules().scalarInOrder() && ordinary(earlier) && ordinary(later);
}

} // namespace

bool Program::fenceOrder(const Node &earlier, const Node &later) const {
  bool work = earlier.fence || !earlier.accesses.empty();
  bool relates =
      (later.fence && (!later.acquire || earlier.fence)) || (earlier.fence && (!earlier.release || later.fence));
  // A signal is on its way whatever waits behind it: the wait cannot hold it up.
  bool signalThenWait = earlier.release && later.acquire && earlier.fifo != kNone && later.fifo != kNone;
  if (!work || !relates || signalThenWait || earlier.statement == later.statement)
    return false;
  if (earlier.pipe == later.pipe)
    return !inScalarOrder(*this, earlier, later);
  return (later.fence && holds(*this, later, earlier)) || (earlier.fence && holds(*this, earlier, later));
}

bool Program::isNeeded(const Node &earlier, const Node &later) {
  auto counts = [](const Node &node) {
    if (!node.fence || node.publishes)
      return false;
    const auto *call = std::get_if<Instruction>(&node.statement->action);
    const bool usesFifo = call && llvm::any_of(call->operands, [](const Operand &operand) {
                            return operand.kind == Operand::Kind::Fifo;
                          });
    return node.unknown || !usesFifo || node.fifo != kNone;
  };
  return counts(earlier) || counts(later);
}

std::uint32_t Program::bitCount(const Node &node) const {
  return node.sets ? 0 : 1 + graph->depthOf(node.loop) * distances;
}

IterationDistance Program::distanceOf(std::uint32_t bit) const {
  const Node &node = nodes[nodeOfBit[bit]];
  std::uint32_t offset = bit - node.firstBit;
  if (offset == 0)
    return {};
  std::uint32_t depth = (offset - 1) / distances + 1, count = (offset - 1) % distances + 1;
  LoopId loop = node.loop;
  while (graph->depthOf(loop) > depth)
    loop = graph->loops()[loop].parent;
  return {loop, count, count == distances};
}

void Program::numberAgedBits() {
  agedBits.assign(graph->loops().size(), {});
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges(agedBits.size(), {bits, 0}); // of the nodes in each loop
  for (const Node &node : nodes)
    for (LoopId loop = node.loop; loop != kNone; loop = graph->loops()[loop].parent) {
      ranges[loop].first = std::min(ranges[loop].first, node.firstBit);
      ranges[loop].second = std::max(ranges[loop].second, node.firstBit + bitCount(node));
    }
  for (LoopId loop = 0; loop < agedBits.size(); ++loop)
    if (const auto [first, end] = ranges[loop]; first < end) {
      agedBits[loop].first = first;
      agedBits[loop].aged.resize(end - first);
      std::iota(agedBits[loop].aged.begin(), agedBits[loop].aged.end(), first);
    }
  for (std::uint32_t bit = 0; bit < bits; ++bit) {
    const Node &node = nodes[nodeOfBit[bit]];
    const IterationDistance distance = distanceOf(bit);
    for (LoopId loop = node.loop; loop != kNone; loop = graph->loops()[loop].parent) {
      if (distance.loop != kNone && distance.loop != loop && graph->encloses(distance.loop, loop))
        continue; // already an earlier iteration of a loop further out
      agedBits[loop].aged[bit - agedBits[loop].first] =
          bitAt(node, loop, distance.loop == loop ? distance.count + 1 : 1);
    }
  }
}

std::uint32_t Program::bitAt(const Node &node, LoopId loop, std::uint32_t count) const {
  return node.firstBit + 1 + (graph->depthOf(loop) - 1) * distances + std::min(count, distances) - 1;
}

std::string flagText(const Flag &flag) {
  return "(" + std::string(pipeName(flag.source)) + ", " + std::string(pipeName(flag.destination)) + ", " +
         std::to_string(flag.id) + ")";
}

namespace {

const char *const kLoad = "scalar.load";

class SteadyLoads {
public:
  explicit SteadyLoads(const Program &program)
      : program(program), kernel(*program.kernel), graph(*program.graph),
        comparer(
            program.scalars->algebra(), graph,
            {program.globalMemory, program.options.argumentsMayAlias || !program.machine->rules().argumentsApart()}) {}

  std::map<StatementPlace, MemoryState> run() {
    findLoads();
    if (loads.empty())
      return {};
    findWatchingLoops();
    numberStates();
    return std::move(states);
  }

private:
  const Instruction *instructionAt(BlockId block, std::size_t index) const {
    return std::get_if<Instruction>(&kernel.blocks[block].statements[index].action);
  }

  /// Finds the loads of arguments that nothing in the kernel may write to.
  void findLoads() {
    std::vector<const Access *> writes;
    for (const Node &node : program.nodes)
      for (const Access &access : node.accesses)
        if (access.writes && access.space == program.globalMemory)
          writes.push_back(&access);
    for (const Node &node : program.nodes) {
      const auto *instruction = std::get_if<Instruction>(&node.statement->action);
      if (!instruction || instruction->name != kLoad || instruction->isVolatile || instruction->results.size() != 1 ||
          node.accesses.size() != 1 || node.accesses.front().space != program.globalMemory)
        continue;
      const Access &read = node.accesses.front();
      if (std::none_of(writes.begin(), writes.end(), [&](const Access *write) { return mayMeet(*write, read); }))
        loads.insert(node.statement);
    }
  }

  /// Returns true if the two may be in one argument, wherever in it they are.
  bool mayMeet(Access write, Access read) const {
    write.bytes.reset();
    read.bytes.reset();
    return comparer.mayOverlap(write, kNone, read, kNone, {});
  }

  /// Finds the loops that wait for memory to change: they are left by what they load, and do no work.
  void findWatchingLoops() {
    watching.assign(graph.loops().size(), false);
    for (LoopId loop = 0; loop < graph.loops().size(); ++loop)
      watching[loop] = !works(loop) && isLeftByLoads(loop);
  }

  bool works(LoopId loop) const {
    for (BlockId block : graph.loops()[loop].blocks)
      for (const Statement &statement : kernel.blocks[block].statements) {
        const auto *instruction = std::get_if<Instruction>(&statement.action);
        if (instruction && instruction->name != kLoad && !dealsWithOthers(*instruction))
          return true;
      }
    return false;
  }

  /// Returns true if what a loop loads may be part of a condition in it.
  bool isLeftByLoads(LoopId loop) const {
    std::set<VariableId> asked; // what conditions in the loop are made of
    auto ask = [&](ExpressionId id) {
      std::size_t before = asked.size();
      if (id != kNone)
        forEachVariable(kernel.expressions, id, [&](VariableId variable) { asked.insert(variable); });
      return asked.size() > before;
    };
    for (BlockId block : graph.loops()[loop].blocks)
      ask(kernel.blocks[block].terminator.condition);
    for (bool more = true; more;) {
      more = false;
      for (BlockId block : graph.loops()[loop].blocks)
        for (const Statement &statement : kernel.blocks[block].statements) {
          if (const auto *assign = std::get_if<Assign>(&statement.action))
            more = (asked.count(assign->variable) && ask(assign->value)) || more;
          else if (const auto *store = std::get_if<ArrayStore>(&statement.action))
            more = ask(store->value) || more; // whichever element it is
          else if (const auto *load = std::get_if<Instruction>(&statement.action))
            for (VariableId result : load->results)
              if (asked.count(result))
                return true;
        }
    }
    return false;
  }

  bool isWatching(BlockId block) const {
    for (LoopId loop = graph.loopOf(block); loop != kNone; loop = graph.loops()[loop].parent)
      if (watching[loop])
        return true;
    return false;
  }

  bool dealsWithOthers(const Instruction &instruction) const {
    Effects effects = effectsOf(kernel, instruction, *program.machine, program.options.trust);
    return !effects.known || effects.fence != FenceKind::None || instruction.isVolatile;
  }

  MemoryState stateOf(const std::string &what, BlockId block) const { return {what, graph.loopOf(block)}; }

  /// The state in front of a block: the one that all paths bring, or one of its own.
  MemoryState entryOf(BlockId block) const {
    std::optional<MemoryState> state;
    for (BlockId before : graph.predecessors(block)) {
      auto left = leaving.find(before);
      if (left == leaving.end())
        continue; // not reached yet
      LoopId around = graph.backEdge(before, block);
      const MemoryState &coming = left->second;
      // What a loop's iteration left is not what the next one has, nor what is behind the loop.
      bool other = (around != kNone && coming.scope != kNone && graph.encloses(around, coming.scope)) ||
                   (coming.scope != kNone && !graph.loopContains(coming.scope, block)) || (state && *state != coming);
      if (other)
        return stateOf("join" + std::to_string(block), block);
      state = coming;
    }
    return state.value_or(MemoryState{"start", kNone});
  }

  void numberStates() {
    Worklist work(graph.order());
    work.add(graph.order().front());
    while (std::optional<BlockId> block = work.next()) {
      MemoryState state = joined.count(*block) ? stateOf("join" + std::to_string(*block), *block) : entryOf(*block);
      if (state.key == "join" + std::to_string(*block))
        joined.insert(*block); // once joined for good, so that this ends
      const std::vector<Statement> &statements = kernel.blocks[*block].statements;
      for (std::size_t i = 0; i < statements.size(); ++i) {
        const Instruction *instruction = instructionAt(*block, i);
        if (!instruction)
          continue;
        if (dealsWithOthers(*instruction) || (instruction->name == kLoad && isWatching(*block)))
          state = stateOf("at" + std::to_string(*block) + "." + std::to_string(i), *block);
        else if (loads.count(&statements[i]))
          states[{*block, i}] = state;
      }
      auto [left, inserted] = leaving.try_emplace(*block, state);
      if (!inserted && left->second == state)
        continue;
      left->second = state;
      for (BlockId next : graph.successors(*block))
        work.add(next);
    }
  }

  const Program &program;
  const Kernel &kernel;
  const FlowGraph &graph;
  AccessComparer comparer;
  std::set<const Statement *> loads; // of what nothing writes to
  std::vector<bool> watching;        // by loop
  std::map<BlockId, MemoryState> leaving;
  std::set<BlockId> joined;
  std::map<StatementPlace, MemoryState> states;
};

} // namespace

std::map<StatementPlace, MemoryState> steadyLoads(const Program &program) { return SteadyLoads(program).run(); }

} // namespace ptosync
