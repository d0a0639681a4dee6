#include "ordering/scalar_analysis.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ptosync {
namespace {

// After so many rounds a join that still changes is called opaque.
constexpr int kPatientPasses = 4;
constexpr int kMostPasses = 64;

} // namespace

ScalarAnalysis::ScalarAnalysis(const Kernel &kernel, const FlowGraph &graph,
                               std::function<Assigns(const Instruction &)> assigns,
                               std::map<StatementPlace, MemoryState> steady, std::int64_t largestTensor,
                               Allowance allowance)
    : allowance(std::move(allowance)), kernel(kernel), graph(graph), assignsOf(std::move(assigns)),
      steadyLoads(std::move(steady)) {
  scalars.setLargestTensor(largestTensor);
  for (std::uint32_t number : kernel.escaped)
    unfollowed |= argumentBit(number);
  if (kernel.addressesInMemory)
    unfollowed |= kOutside;
  assumeRelations();
  collectDefinitions();
  classifyVariables();
  findInductions();
  tripFacts.resize(graph.loops().size());
  solve();
  computeTrips();
  // Once more: trip counts bound the counters.
  std::fill(blockDone.begin(), blockDone.end(), false);
  std::fill(settled.begin(), settled.end(), std::nullopt);
  solve();
}

void ScalarAnalysis::collectDefinitions() {
  definitions.resize(kernel.variables.size());
  useBeforeDefinition.assign(kernel.variables.size(), false);
  for (BlockId block : graph.order()) {
    const std::vector<Statement> &statements = kernel.blocks[block].statements;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      forEachDefinition(statements[i], [&](VariableId variable, ExpressionId value) {
        definitions[variable].push_back({block, i, value});
      });
      const auto *instruction = std::get_if<Instruction>(&statements[i].action);
      if (!instruction || assignsOf(*instruction) == Assigns::Nothing)
        continue;
      for (const Operand &operand : instruction->operands) {
        const VariableId place = placeVariable(kernel, operand);
        if (place == kNone)
          continue;
        if (operand.kind == Operand::Kind::Fifo && countsPop(assignsOf(*instruction)))
          definitions[place].push_back({block, i, kNone, 1});
        else if (operand.kind != Operand::Kind::Fifo || assignsOf(*instruction) == Assigns::Unknown)
          definitions[place].push_back({block, i, kNone});
      }
    }
  }
}

void ScalarAnalysis::collectUse(ExpressionId expression, BlockId block, std::size_t index) {
  forEachVariable(kernel.expressions, expression, [&](VariableId variable) {
    const std::vector<Definition> &own = definitions[variable];
    if (own.size() != 1)
      return;
    bool before = own[0].block == block ? own[0].index < index : graph.dominates(own[0].block, block);
    if (!before)
      useBeforeDefinition[variable] = true;
  });
}

void ScalarAnalysis::classifyVariables() {
  for (BlockId block : graph.order()) {
    const std::vector<Statement> &statements = kernel.blocks[block].statements;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      forEachValue(statements[i], [&](ExpressionId value) { collectUse(value, block, i); });
      if (const auto *instruction = std::get_if<Instruction>(&statements[i].action)) {
        // An object's address is used by whoever names it.
        auto useObject = [&](VariableId variable) {
          const std::vector<Definition> &own = definitions[variable];
          if (own.size() == 1 && !(own[0].block == block ? own[0].index <= i : graph.dominates(own[0].block, block)))
            useBeforeDefinition[variable] = true;
        };
        for (const Operand &operand : instruction->operands) {
          if (operand.kind == Operand::Kind::Tile)
            useObject(kernel.tiles[operand.index].address);
          if (operand.kind == Operand::Kind::Tensor)
            useObject(kernel.tensors[operand.index].pointer);
          if (operand.kind == Operand::Kind::Fifo)
            useBeforeDefinition[kernel.fifos[operand.index].pops] = true; // counted, so it flows
        }
      }
    }
    collectUse(kernel.blocks[block].terminator.condition, block, statements.size());
  }
  flowIndex.assign(kernel.variables.size(), kNone);
  settled.resize(kernel.variables.size());
  for (VariableId variable = 0; variable < kernel.variables.size(); ++variable)
    if (definitions[variable].size() > 1 || useBeforeDefinition[variable]) {
      flowIndex[variable] = static_cast<std::uint32_t>(flowing.size());
      flowing.push_back(variable);
    }
  starts.resize(flowing.size());
  inductionsOf.resize(kernel.blocks.size());
  blockOut.resize(kernel.blocks.size());
  blockDone.assign(kernel.blocks.size(), false);
}

ScalarValue ScalarAnalysis::unknownVariable(VariableId variable) const {
  // Read before any assignment: indeterminate, so nothing may be concluded from it.
  ScalarValue value;
  value.type = kernel.variables[variable].type;
  value.modulus = 1;
  value.interval = intervalOf(value.type);
  if (unsettled)
    ScalarAlgebra::traceFrom(value, ~ArgumentSet{0});
  return value;
}

/// Anything of the type: it may be made from whatever has gone where nobody follows it.
ScalarValue ScalarAnalysis::unknown(std::string key, LoopId scope, IntegerType type) {
  ScalarValue value = scalars.opaque(std::move(key), scope, type, intervalOf(type));
  ScalarAlgebra::traceFrom(value, unfollowed);
  return value;
}

ScalarValue ScalarAnalysis::variable(VariableId variable) {
  if (flowIndex[variable] != kNone) {
    if (unsettled)
      return unknownVariable(variable);
    const auto &value = environment[flowIndex[variable]];
    return value ? *value : unknownVariable(variable);
  }
  return settled[variable] ? *settled[variable] : unknownVariable(variable);
}

void ScalarAnalysis::define(VariableId variable, ScalarValue value) {
  if (flowIndex[variable] != kNone)
    environment.set(flowIndex[variable], std::move(value));
  else
    settled[variable] = std::move(value);
}

ScalarValue ScalarAnalysis::value(ExpressionId expression) { return evaluate(expression); }

/// Of what has another value wherever and whenever it is evaluated.
std::string ScalarAnalysis::keyHere(const char *what, ExpressionId id) const {
  return what + std::to_string(id) + "@" + std::to_string(currentBlock) + "." + std::to_string(currentIndex);
}

ScalarValue ScalarAnalysis::converted(ScalarValue value, IntegerType type) {
  if (type == kBoolean && value.type != kBoolean)
    return scalars.apply(Operator::NotEqual, kBoolean, value, scalars.constant(0, value.type),
                         graph.loopOf(currentBlock));
  return scalars.convert(std::move(value), type);
}

ScalarValue ScalarAnalysis::evaluate(ExpressionId id) {
  LoopId scope = graph.loopOf(currentBlock);
  const Expression &e = kernel.expressions[id];
  switch (e.kind) {
  case Expression::Kind::Constant: return scalars.constant(e.constant, e.type);
  case Expression::Kind::Variable: return variable(e.variable);
  case Expression::Kind::Cast: return converted(evaluate(e.operands[0]), e.type);
  case Expression::Kind::Unary: {
    ScalarValue inner = evaluate(e.operands[0]);
    if (e.op == Operator::Negate)
      return scalars.apply(Operator::Subtract, e.type, scalars.constant(0, e.type), inner, scope);
    if (e.op == Operator::LogicalNot)
      return scalars.apply(Operator::Equal, kBoolean, inner, scalars.constant(0, inner.type), scope);
    return scalars.apply(Operator::BitXor, e.type, inner, scalars.constant(-1, e.type), scope);
  }
  case Expression::Kind::Binary: return binary(e, scope);
  case Expression::Kind::Select: {
    ScalarValue condition = evaluate(e.operands[0]), whenTrue = evaluate(e.operands[1]);
    return scalars.select(condition, whenTrue, evaluate(e.operands[2]), scope);
  }
  case Expression::Kind::ArrayElement: return element(id, scope);
  case Expression::Kind::Parameter:
  case Expression::Kind::Query: return parameter(e);
  case Expression::Kind::Opaque: break;
  }
  return unknown(keyHere("opaque", id), scope, e.type);
}

ScalarValue ScalarAnalysis::binary(const Expression &e, LoopId scope) {
  ScalarValue left = evaluate(e.operands[0]), right = evaluate(e.operands[1]);
  ScalarValue result = scalars.apply(e.op, e.type, left, right, scope);
  bool sum = e.op == Operator::Add || e.op == Operator::Subtract;
  if (sum && e.sense != Expression::Sense::Index && (left.addressed || right.addressed))
    result.far = result.far || scalars.addsDistance(left, right);
  return result;
}

ScalarValue ScalarAnalysis::element(ExpressionId id, LoopId scope) {
  const Expression &e = kernel.expressions[id];
  ScalarValue index = evaluate(e.operands[0]);
  if (index.isConstant() && index.constant >= 0 && index.constant < e.count)
    return variable(e.variable + static_cast<VariableId>(index.constant));
  std::vector<ScalarValue> elements;
  std::vector<std::int64_t> values;
  bool few = true;
  for (std::uint32_t i = 0; i < e.count; ++i) {
    elements.push_back(variable(e.variable + i));
    std::vector<std::int64_t> own = scalars.possibleValues(elements.back());
    few = few && !own.empty() && values.size() + own.size() <= ScalarAlgebra::kMostChoices;
    values.insert(values.end(), own.begin(), own.end());
  }
  std::string key = keyHere("element", id);
  ScalarValue result = few ? scalars.choice(key, scope, e.type, std::move(values))
                           : scalars.opaque(key, scope, e.type, intervalOf(e.type));
  std::vector<const ScalarValue *> among;
  among.reserve(elements.size());
  for (const ScalarValue &one : elements)
    among.push_back(&one);
  scalars.traceChoice(result, among);
  return result;
}

ScalarValue ScalarAnalysis::parameter(const Expression &e) {
  bool given = e.kind == Expression::Kind::Parameter;
  Atom description;
  description.kind = Atom::Kind::Argument;
  description.interval = intervalOf(e.type);
  if (const NumberBounds assumed = boundsOf(kernel.assumptions, e); e.type.bits != 0)
    description.interval = {std::max(description.interval.lowest, assumed.lowest),
                            std::min(description.interval.highest, assumed.highest)};
  description.pointer = given && e.sense == Expression::Sense::Pointer;
  description.wide = given && e.type == kAddress && !description.pointer;
  description.number = given ? static_cast<std::uint32_t>(e.constant) : 0;
  description.key = given ? "argument " + std::to_string(e.constant) + " " + e.name : e.name + "()";
  return scalars.ofAtom(scalars.atom(std::move(description)), e.type);
}

/// What is assumed of several arguments together, where their own bounds leave no sum that wraps.
void ScalarAnalysis::assumeRelations() {
  std::map<std::string, const Expression *> numbers;
  if (!kernel.assumptions.empty())
    for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
      if (const Expression &e = kernel.expressions[id];
          e.kind == Expression::Kind::Parameter || e.kind == Expression::Kind::Query)
        numbers.emplace(e.name, &e);
  for (const Assumption &one : kernel.assumptions) {
    if (one.terms.size() < 2)
      continue;
    ScalarValue sum = scalars.constant(0, kInt64);
    bool bounded = true;
    for (const Assumption::Term &term : one.terms) {
      const ScalarValue number = parameter(*numbers.at(term.name));
      bounded = bounded && number.interval.bounded();
      sum = scalars.add(sum, scalars.scale(scalars.convert(number, kInt64), term.factor), false);
    }
    if (bounded && scalars.isExactSum(sum))
      scalars.assume(std::move(sum), {one.lowest, one.highest});
  }
}

/// A value that comes round a back edge belongs to the iteration before: an atom of that loop
/// would be taken for this iteration's.
bool ScalarAnalysis::changesIn(const ScalarValue &value, LoopId loop) const {
  return std::any_of(value.terms.begin(), value.terms.end(), [&](const Term &term) {
    LoopId scope = scalars[term.atom].scope;
    return scope != kNone && graph.encloses(loop, scope);
  });
}

ScalarValue ScalarAnalysis::join(std::uint32_t index, BlockId block, const std::vector<const ScalarValue *> &incoming,
                                 bool stale) {
  VariableId variable = flowing[index];
  bool same = !stale && std::all_of(incoming.begin(), incoming.end(),
                                    [&](const ScalarValue *value) { return *value == *incoming.front(); });
  if (same)
    return *incoming.front();
  IntegerType type = kernel.variables[variable].type;
  std::string key = "join" + std::to_string(variable) + "@" + std::to_string(block);
  LoopId scope = graph.loopOf(block);
  std::vector<std::int64_t> values;
  bool few = pass < kPatientPasses;
  for (const ScalarValue *value : incoming) {
    std::vector<std::int64_t> own = scalars.possibleValues(*value);
    few = few && !own.empty() && values.size() + own.size() <= 4 * ScalarAlgebra::kMostChoices;
    values.insert(values.end(), own.begin(), own.end());
  }
  if (few) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    few = values.size() <= ScalarAlgebra::kMostChoices;
  }
  ScalarValue result =
      few ? scalars.choice(key, scope, type, std::move(values)) : scalars.opaque(key, scope, type, intervalOf(type));
  scalars.traceChoice(result, incoming);
  return result;
}

/// What all predecessors share with each other is the same in front of the block, unless one of them goes round a loop:
/// a value may mean another iteration there.
void ScalarAnalysis::enterBlock(BlockId block) {
  currentBlock = block;
  currentIndex = 0;
  std::vector<BlockId> done;
  std::vector<LoopId> around;
  for (BlockId predecessor : graph.predecessors(block))
    if (blockDone[predecessor]) {
      done.push_back(predecessor);
      if (LoopId loop = graph.backEdge(predecessor, block); loop != kNone)
        around.push_back(loop);
    }
  environment = done.empty() ? Environment(flowing.size()) : blockOut[done.front()];
  if (!done.empty() && (!around.empty() || done.size() > 1 || !inductionsOf[block].empty())) {
    auto induction = inductionsOf[block].begin();
    for (std::size_t chunk = 0; chunk < environment.chunkCount(); ++chunk) {
      const std::size_t first = chunk * Environment::kChunk;
      const std::size_t end = std::min(first + Environment::kChunk, environment.size());
      while (induction != inductionsOf[block].end() && *induction < first)
        ++induction;
      const bool counts = induction != inductionsOf[block].end() && *induction < end;
      const bool shared = std::all_of(done.begin(), done.end(), [&](BlockId predecessor) {
        return blockOut[predecessor].shares(blockOut[done.front()], chunk);
      });
      if (shared && around.empty() && !counts)
        continue;
      auto changes = [&](const std::optional<ScalarValue> &value) {
        return value && std::any_of(around.begin(), around.end(), [&](LoopId loop) { return changesIn(*value, loop); });
      };
      for (std::size_t i = first; i < end; ++i)
        if (!shared || counts || changes(environment[i]))
          enterVariable(static_cast<std::uint32_t>(i), block, done);
    }
  }
  refineByCondition(block);
}

void ScalarAnalysis::enterVariable(std::uint32_t i, BlockId block, const std::vector<BlockId> &done) {
  bool missing = false;
  auto collect = [&](bool entering) {
    std::vector<const ScalarValue *> values;
    for (BlockId predecessor : done)
      if (entering && graph.backEdge(predecessor, block) != kNone)
        continue;
      else if (const auto &value = blockOut[predecessor][i])
        values.push_back(&*value);
      else
        missing = true;
    return values;
  };
  auto enter = [&](std::optional<ScalarValue> value) {
    if (environment[i] != value)
      environment.set(i, std::move(value));
  };
  if (inductions[flowing[i]] && graph.loops()[inductions[flowing[i]]->first].header == block) {
    const std::vector<const ScalarValue *> initial = collect(true);
    if (!initial.empty() && !missing) {
      ScalarValue start = join(i, block, initial, false);
      if (auto counted = inductionValue(flowing[i], block, start)) {
        enter(std::move(counted));
        starts[i] = std::move(start);
        return;
      }
    }
  }
  const std::vector<const ScalarValue *> values = collect(false);
  const bool stale = std::any_of(done.begin(), done.end(), [&](BlockId predecessor) {
    LoopId loop = graph.backEdge(predecessor, block);
    return loop != kNone && blockOut[predecessor][i] && changesIn(*blockOut[predecessor][i], loop);
  });
  // Unassigned on one path only: reading it there would be undefined, so the other decides.
  enter(values.empty() ? std::nullopt : std::optional(join(i, block, values, stale)));
}

void ScalarAnalysis::assignFifo(const Statement &statement, Assigns assigned, BlockId block, std::size_t index) {
  const auto &instruction = std::get<Instruction>(statement.action);
  LoopId scope = graph.loopOf(block);
  std::string place = std::to_string(block) + "." + std::to_string(index);
  const Fifo *fifo = nullptr;
  for (const Operand &operand : instruction.operands)
    if (operand.kind == Operand::Kind::Fifo && assigned != Assigns::Unknown)
      fifo = &kernel.fifos[operand.index];
  for (const Operand &operand : instruction.operands) {
    if (operand.kind == Operand::Kind::Tile) {
      const Tile &tile = kernel.tiles[operand.index];
      ScalarValue slot = scalars.opaque("pop" + place, scope, kAddress, intervalOf(kAddress));
      if (fifo && (tile.location == "Vec" || tile.location == "Mat")) {
        ScalarValue ring = variable(tile.location == "Vec" ? fifo->cubeToVec : fifo->vecToCube);
        slot = slotAddress(*fifo, slotsOf(*fifo, assigned), tile, scalars.convert(ring, kAddress), place, scope);
      }
      define(tile.address, std::move(slot));
    } else if (operand.kind == Operand::Kind::Tensor) {
      ScalarValue slot = scalars.opaque("slot" + place, scope, kAddress, intervalOf(kAddress));
      const Tensor &tensor = kernel.tensors[operand.index];
      if (fifo) {
        std::optional<std::int64_t> farthest = farthestEntry(*fifo, tensor);
        Interval ring = farthest ? Interval{0, *farthest} : Interval{};
        slot = scalars.add(variable(fifo->memory), scalars.opaque("entry" + place, scope, kAddress, ring), false);
      }
      define(tensor.pointer, std::move(slot));
    }
  }
}

/// The consumer's ring holds `slots` tiles; pop number i fills slot i % slots. Library
/// versions differ in the distance between slots: the slot size of the FIFO, or the tile's bytes.
ScalarValue ScalarAnalysis::slotAddress(const Fifo &fifo, std::int64_t slots, const Tile &tile, const ScalarValue &ring,
                                        const std::string &place, LoopId scope) {
  if (slots <= 0 || fifo.slotBytes <= 0)
    return scalars.opaque("pop" + place, scope, kAddress, intervalOf(kAddress));
  std::int64_t tileBytes = std::int64_t{tile.rows} * tile.cols * std::max<std::int64_t>(1, tile.elementBits / 8);
  const Interval anywhere{0, (slots - 1) * std::max(fifo.slotBytes, tileBytes)};
  ScalarValue anySlot = scalars.add(ring, scalars.opaque("slot" + place, scope, kAddress, anywhere), false);
  ScalarValue number =
      scalars.apply(Operator::Remainder, kInt64, variable(fifo.pops), scalars.constant(slots, kInt64), scope);
  bool known = !scalars.possibleValues(number).empty() && number.interval.lowest >= 0 && tileBytes > 0 &&
               tileBytes <= fifo.slotBytes;
  if (!known)
    return anySlot;
  if (tileBytes == fifo.slotBytes)
    return scalars.add(ring, scalars.convert(scalars.scale(number, fifo.slotBytes), kAddress), false);
  if (!number.isConstant())
    return anySlot;
  // One library for the whole run: a table that every slot of the FIFO steps through together.
  std::vector<std::int64_t> offsets = {wrappedProduct(number.constant, tileBytes),
                                       wrappedProduct(number.constant, fifo.slotBytes)};
  return scalars.add(ring, scalars.table(kNone, kAddress, std::move(offsets)), false);
}

/// What an instruction finds is unknown. If an address says where it looks, that may be what it finds.
void ScalarAnalysis::defineResults(const Instruction &instruction, const std::optional<ScalarValue> &same,
                                   const std::string &place, LoopId scope) {
  ArgumentSet looked = 0;
  if (!instruction.results.empty())
    for (const Operand &operand : instruction.operands)
      if (operand.kind == Operand::Kind::Pointer && operand.value != kNone)
        looked |= evaluate(operand.value).trace.made;
  for (VariableId result : instruction.results) {
    ScalarValue found =
        same ? *same : unknown("result" + place + "." + std::to_string(result), scope, kernel.variables[result].type);
    ScalarAlgebra::traceFrom(found, looked);
    define(result, std::move(found));
  }
}

void ScalarAnalysis::execute(const Statement &statement, BlockId block, std::size_t index) {
  const auto &action = statement.action;
  LoopId scope = graph.loopOf(block);
  std::string place = std::to_string(block) + "." + std::to_string(index);
  if (const auto *assign = std::get_if<Assign>(&action)) {
    ScalarValue result = evaluate(assign->value);
    IntegerType type = kernel.variables[assign->variable].type;
    define(assign->variable, type.bits == 0 ? std::move(result) : converted(std::move(result), type));
  } else if (const auto *store = std::get_if<ArrayStore>(&action)) {
    ScalarValue at = evaluate(store->index), stored = evaluate(store->value);
    bool exact = at.isConstant() && at.constant >= 0 && at.constant < store->count;
    for (std::uint32_t e = 0; e < store->count; ++e) {
      VariableId element = store->first + e;
      if (exact && at.constant == e) {
        define(element, stored);
      } else if (!exact) {
        ScalarValue before = variable(element);
        ScalarValue after = scalars.opaque("store" + place + "." + std::to_string(e), scope,
                                           kernel.variables[element].type, intervalOf(kernel.variables[element].type));
        scalars.traceChoice(after, {&before, &stored});
        define(element, std::move(after));
      }
    }
  } else if (const auto *instruction = std::get_if<Instruction>(&action)) {
    defineResults(*instruction, loaded(*instruction, block, index), place, scope);
    Assigns assigned = assignsOf(*instruction);
    if (assigned != Assigns::Nothing)
      assignFifo(statement, assigned, block, index);
    for (const Operand &operand : instruction->operands)
      if (operand.kind == Operand::Kind::Fifo) {
        VariableId pops = kernel.fifos[operand.index].pops;
        if (countsPop(assigned))
          define(pops, scalars.apply(Operator::Add, kInt64, variable(pops), scalars.constant(1, kInt64), scope));
        else if (assigned == Assigns::Unknown)
          define(pops, scalars.opaque("pops" + place, scope, kInt64, intervalOf(kInt64)));
      }
  }
}

/// The value of a steady load whose address is known exactly; empty for any other.
std::optional<ScalarValue> ScalarAnalysis::loaded(const Instruction &load, BlockId block, std::size_t index) {
  auto steady = steadyLoads.find({block, index});
  if (steady == steadyLoads.end())
    return std::nullopt;
  const Operand &operand = load.operands.front();
  ScalarValue address = evaluate(operand.value);
  if (address.modulus != 0)
    return std::nullopt;
  // It changes where its address or the memory may: in the innermost of their loops, all of which are around it.
  const MemoryState &memory = steady->second;
  LoopId scope = memory.scope;
  std::string key = "load" + memory.key + ":" + std::to_string(operand.bytes) + "@" + std::to_string(address.constant);
  bool inside = scope == kNone || graph.loopContains(scope, block);
  for (const Term &term : address.terms) {
    LoopId own = scalars[term.atom].scope;
    inside = inside && (own == kNone || graph.loopContains(own, block));
    if (graph.depthOf(own) > graph.depthOf(scope))
      scope = own;
    key += "+" + std::to_string(term.coefficient) + "*" + std::to_string(term.atom);
  }
  if (!inside)
    return std::nullopt;
  IntegerType type = kernel.variables[load.results.front()].type;
  return unknown(key + (type.isSigned ? "i" : "u") + std::to_string(type.bits), scope, type);
}

void ScalarAnalysis::solve() {
  for (pass = 0;; ++pass) {
    bool changed = false;
    // Values that move on by one variable a round may take as many rounds as there are variables:
    // beyond reason, nothing is claimed of any of them.
    if (pass == kMostPasses)
      unsettled = changed = true;
    for (BlockId block : graph.order()) {
      if (allowance.spent(WorkUnit::Visit))
        return;
      enterBlock(block);
      const std::vector<Statement> &statements = kernel.blocks[block].statements;
      for (currentIndex = 0; currentIndex < statements.size(); ++currentIndex)
        execute(statements[currentIndex], block, currentIndex);
      if (!blockDone[block] || !(blockOut[block] == environment)) {
        blockOut[block] = environment;
        changed = true;
      }
      blockDone[block] = true;
    }
    // Without loops one round in order is exact.
    if (!changed || graph.loops().empty() || pass > kMostPasses)
      break;
  }
}

void ScalarAnalysis::forEachStatement(const std::function<void(BlockId, std::size_t)> &visit) {
  for (BlockId block : graph.order()) {
    if (allowance.over())
      return;
    enterBlock(block);
    const std::vector<Statement> &statements = kernel.blocks[block].statements;
    for (currentIndex = 0; currentIndex < statements.size(); ++currentIndex) {
      // A pop writes where it places its tile, not where the tile was.
      const auto *instruction = std::get_if<Instruction>(&statements[currentIndex].action);
      bool placesFirst = instruction && placesTile(assignsOf(*instruction));
      if (placesFirst)
        execute(statements[currentIndex], block, currentIndex);
      visit(block, currentIndex);
      if (!placesFirst)
        execute(statements[currentIndex], block, currentIndex);
    }
    visit(block, statements.size());
  }
}

// ScalarAnalysis: what counts in a loop, how often it runs, and what its condition bounds.

/// The constant c of `v = v + c`, through casts that keep v's type; empty if it is anything else.
std::optional<std::int64_t> ScalarAnalysis::inductionStep(VariableId variable, const Definition &definition) {
  if (definition.increment)
    return definition.increment;
  if (definition.value == kNone)
    return std::nullopt;
  const Expression *e = &kernel.expressions[definition.value];
  IntegerType type = kernel.variables[variable].type;
  if (e->kind != Expression::Kind::Binary || e->type != type || (e->op != Operator::Add && e->op != Operator::Subtract))
    return std::nullopt;
  const Expression &left = kernel.expressions[e->operands[0]], &right = kernel.expressions[e->operands[1]];
  bool leftIs = left.kind == Expression::Kind::Variable && left.variable == variable;
  bool rightIs = right.kind == Expression::Kind::Variable && right.variable == variable;
  if (leftIs == rightIs || (rightIs && e->op == Operator::Subtract))
    return std::nullopt;
  // The step must be a constant: follow variables that are assigned once.
  ExpressionId step = e->operands[leftIs ? 1 : 0];
  std::vector<IntegerType> casts; // outermost first
  for (int depth = 0; depth < 16; ++depth) {
    const Expression &s = kernel.expressions[step];
    if (s.kind == Expression::Kind::Constant) {
      std::int64_t value = s.constant;
      for (auto cast = casts.rbegin(); cast != casts.rend(); ++cast)
        value = wrapTo(*cast, value);
      return e->op == Operator::Add ? value : wrappedDifference(0, value);
    }
    if (s.kind == Expression::Kind::Cast) {
      casts.push_back(s.type);
      step = s.operands[0];
    } else if (s.kind == Expression::Kind::Variable && definitions[s.variable].size() == 1 &&
               definitions[s.variable][0].value != kNone && !useBeforeDefinition[s.variable])
      step = definitions[s.variable][0].value;
    else
      return std::nullopt;
  }
  return std::nullopt;
}

/// What one iteration of `loop` adds to the variable; empty unless every definition inside adds a
/// constant exactly once per iteration.
std::optional<std::int64_t> ScalarAnalysis::stepInLoop(VariableId variable, LoopId loop) {
  std::int64_t total = 0;
  for (const Definition &definition : definitions[variable]) {
    if (!graph.loopContains(loop, definition.block))
      continue;
    bool everyTrip = graph.loopOf(definition.block) == loop && graph.everyIteration(loop, definition.block);
    std::optional<std::int64_t> step = inductionStep(variable, definition);
    if (!everyTrip || !step)
      return std::nullopt;
    total = wrappedSum(total, *step);
  }
  return total;
}

void ScalarAnalysis::findInductions() {
  inductions.resize(kernel.variables.size());
  for (VariableId variable : flowing)
    for (const Definition &definition : definitions[variable]) {
      LoopId loop = graph.loopOf(definition.block);
      if (loop == kNone)
        continue;
      if (std::optional<std::int64_t> step = stepInLoop(variable, loop)) {
        inductions[variable] = {loop, *step};
        inductionsOf[graph.loops()[loop].header].push_back(flowIndex[variable]);
        break;
      }
    }
}

/// `start` and `step` more for each iteration begun before this one, as the variable holds it. Signed numbers of 32
/// bits and more do not overflow. All others wrap: unless they are seen not to, they are known modulo their type alone.
std::optional<ScalarValue> ScalarAnalysis::inductionValue(VariableId variable, BlockId header,
                                                          const ScalarValue &start) {
  auto [loop, step] = *inductions[variable];
  IntegerType type = kernel.variables[variable].type;
  if (type.bits == 0)
    return std::nullopt;
  Atom description;
  description.kind = Atom::Kind::Counter;
  description.scope = loop;
  description.key = "iteration" + std::to_string(loop);
  std::int64_t most = tripFacts[loop].trips.value_or(kMostTrips);
  description.interval = description.inLoop = {0, most};
  const std::vector<Statement> &entry = kernel.blocks[header].statements;
  if (most > 0 && std::all_of(entry.begin(), entry.end(), [](const Statement &statement) {
        return std::holds_alternative<Assign>(statement.action);
      }))
    description.inLoop.highest = most - 1;
  if (tripFacts[loop].trips)
    description.key += "*" + std::to_string(most);
  ScalarValue counter = scalars.ofAtom(scalars.atom(std::move(description)), kInt64);
  ScalarValue value = scalars.add(start, scalars.scale(counter, step), false);
  value.type = type;
  using Wide = __int128;
  Wide lowest = Wide(start.interval.lowest) + std::min(Wide(0), Wide(step) * most);
  Wide highest = Wide(start.interval.highest) + std::max(Wide(0), Wide(step) * most);
  Interval range = intervalOf(type);
  bool fits = lowest >= range.lowest && highest <= range.highest;
  bool wraps = !fits && (!type.isSigned || type.bits < 32);
  if (wraps && type.bits < 64)
    value.modulus = std::gcd(value.modulus, std::uint64_t{1} << type.bits);
  bool possible = lowest <= range.highest && highest >= range.lowest;
  value.interval = range;
  if (!wraps && possible)
    value.interval = {static_cast<std::int64_t>(std::max(lowest, Wide(range.lowest))),
                      static_cast<std::int64_t>(std::min(highest, Wide(range.highest)))};
  return value;
}

/// True if the test at the end of the loop's header is the only way out of it.
bool ScalarAnalysis::leavesByTest(LoopId loop) const {
  const Loop &around = graph.loops()[loop];
  return std::all_of(around.blocks.begin(), around.blocks.end(), [&](BlockId block) {
    const std::vector<BlockId> &next = graph.successors(block);
    return block == around.header || (!next.empty() && std::all_of(next.begin(), next.end(), [&](BlockId successor) {
             return graph.loopContains(loop, successor);
           }));
  });
}

/// What `bound` may be where a counter of the loop is below it that starts at `start` and counts up by `step`. A
/// negative number that was converted to one without sign is out of the question if the test is the only way out of the
/// loop and nobody counts that far.
Interval ScalarAnalysis::boundOf(ExpressionId bound, LoopId loop, const ScalarValue &start, std::int64_t step) {
  Interval whole = evaluate(bound).interval;
  const Expression &e = kernel.expressions[bound];
  if (e.kind != Expression::Kind::Cast || e.type.isSigned || step < 0 || start.interval.lowest < 0)
    return whole;
  ScalarValue inner = evaluate(e.operands[0]);
  if (!inner.type.isSigned || inner.type.bits > e.type.bits || inner.interval.highest < 0)
    return whole;
  using Wide = __int128;
  Wide smallest = (Wide(1) << e.type.bits) + inner.interval.lowest; // that a negative one becomes
  Wide farthest = Wide(start.interval.highest) + Wide(step) * kMostTrips;
  if (smallest <= farthest || !leavesByTest(loop))
    return whole;
  return {std::max<std::int64_t>(inner.interval.lowest, 0), inner.interval.highest};
}

/// `v < bound` on the way into a loop's body bounds its counter v; `v > bound` one that counts down.
void ScalarAnalysis::refineByCondition(BlockId block) {
  if (graph.predecessors(block).size() != 1)
    return;
  const Terminator &end = kernel.blocks[graph.predecessors(block)[0]].terminator;
  if (end.kind != Terminator::Kind::Branch || end.whenTrue != block || end.whenFalse == block)
    return;
  const Expression &condition = kernel.expressions[end.condition];
  const bool below = condition.op == Operator::Less || condition.op == Operator::LessEqual,
             above = condition.op == Operator::Greater || condition.op == Operator::GreaterEqual;
  if (condition.kind != Expression::Kind::Binary || (!below && !above))
    return;
  const Expression &left = kernel.expressions[condition.operands[0]];
  if (left.kind != Expression::Kind::Variable || flowIndex[left.variable] == kNone)
    return;
  const auto &induction = inductions[left.variable];
  if (!induction || graph.loops()[induction->first].header != graph.predecessors(block)[0] ||
      !graph.loopContains(induction->first, block))
    return;
  std::optional<ScalarValue> value = environment[flowIndex[left.variable]];
  const auto &start = starts[flowIndex[left.variable]];
  if (!value || !start)
    return;
  Interval limit = boundOf(condition.operands[1], induction->first, *start, induction->second);
  bool wide = !value->type.isSigned && value->type.bits == 64;
  const std::int64_t strict = condition.op == Operator::Less || condition.op == Operator::Greater;
  if (above) {
    if (!wide && limit.lowest < value->interval.highest)
      value->interval.lowest = std::max(value->interval.lowest, limit.lowest + strict);
    environment.set(flowIndex[left.variable], std::move(value));
    return;
  }
  if (wide && limit.lowest < 0)
    return; // numbers from 2^63 on are negative here
  if (limit.highest - strict < value->interval.lowest || (wide && limit.highest <= 0))
    return; // nobody gets here
  if (wide)
    value->interval.lowest = std::max<std::int64_t>(value->interval.lowest, 0);
  value->interval.highest = std::min(value->interval.highest, limit.highest - strict);
  environment.set(flowIndex[left.variable], std::move(value));
}

/// The value in an iteration of the loop; empty if anything but the loop's counter decides it.
std::optional<std::int64_t> ScalarAnalysis::valueInTrip(const ScalarValue &value, LoopId loop,
                                                        std::int64_t trip) const {
  __int128 sum = value.constant;
  for (const Term &term : value.terms) {
    const Atom &atom = scalars[term.atom];
    if (atom.kind != Atom::Kind::Counter || atom.scope != loop)
      return std::nullopt;
    sum += __int128(term.coefficient) * trip;
  }
  return onlyValue(value, sum);
}

/// Counts the trips of a loop that goes on while `left op right`.
void ScalarAnalysis::countTrips(LoopId loop, Operator op, const ScalarValue &left, const ScalarValue &right) {
  // What is known modulo a number comes round to where it began: from then on nothing is new.
  constexpr std::int64_t kMostCounted = 1 << 16;
  std::int64_t most = 1;
  for (const ScalarValue *side : {&left, &right})
    if (!side->terms.empty())
      most =
          std::lcm(most, side->modulus == 0 || side->modulus > kMostCounted ? kMostCounted
                                                                            : static_cast<std::int64_t>(side->modulus));
  for (std::int64_t trip = 0; trip <= std::min(most, kMostCounted); ++trip) {
    std::optional<std::int64_t> a = valueInTrip(left, loop, trip), b = valueInTrip(right, loop, trip);
    std::int64_t holds = 0;
    if (!a || !b || !applyOperator(op, left.type, *a, *b, holds))
      return;
    if (trip == 0)
      tripFacts[loop].firstTripCertain = holds != 0;
    if (!holds) {
      // Leaving by another way only makes fewer trips; the count is a bound then.
      tripFacts[loop].trips = trip;
      return;
    }
  }
}

/// The header's condition with the counter at 0 decides the first trip; a bound and a start that
/// are both constant give the number of trips.
void ScalarAnalysis::computeTrips() {
  for (LoopId loop = 0; loop < graph.loops().size(); ++loop) {
    BlockId header = graph.loops()[loop].header;
    const Terminator &end = kernel.blocks[header].terminator;
    if (end.kind != Terminator::Kind::Branch)
      continue;
    bool stayIfTrue = graph.loopContains(loop, end.whenTrue), stayIfFalse = graph.loopContains(loop, end.whenFalse);
    if (stayIfTrue == stayIfFalse)
      continue;
    const Expression &condition = kernel.expressions[end.condition];
    if (condition.kind != Expression::Kind::Binary || !stayIfTrue)
      continue;
    enterBlock(header);
    const std::vector<Statement> &statements = kernel.blocks[header].statements;
    for (currentIndex = 0; currentIndex < statements.size(); ++currentIndex)
      execute(statements[currentIndex], header, currentIndex);
    ScalarValue left = evaluate(condition.operands[0]);
    countTrips(loop, condition.op, left, evaluate(condition.operands[1]));
  }
}

} // namespace ptosync
