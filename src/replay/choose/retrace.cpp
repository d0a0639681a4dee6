#include "replay/choose/retrace.h"

#include <optional>
#include <utility>

namespace ptosync::replay {

namespace {

class Retracer {
public:
  Retracer(const Subject &subject, const Inputs &inputs, const RetraceRequest &request, const Tape &tape)
      : subject(subject), kernel(subject.kernel), ways(*subject.knownWays()), inputs(inputs), request(request),
        tape(tape), variables(kernel.variables.size()) {}

  Retraced run() {
    for (BlockId block = 0; block < kernel.blocks.size() && !offTape;) {
      for (const Statement &statement : kernel.blocks[block].statements)
        std::visit([&](const auto &action) { perform(action, statement); }, statement.action);
      const std::optional<BlockId> next = follow(kernel.blocks[block].terminator, block);
      if (!next)
        break;
      from = block;
      block = *next;
      passSkip();
    }
    return std::move(result);
  }

private:
  IntegerType typeOf(ExpressionId id) const { return kernel.expressions[id].type; }
  void assign(VariableId variable, const Derived &value, IntegerType type) {
    variables[variable] = result.derivation.converted(value, type, kernel.variables[variable].type);
  }

  void perform(const Assign &assign_, const Statement &) {
    assign(assign_.variable, evaluate(assign_.value), typeOf(assign_.value));
  }

  void perform(const ArrayStore &store, const Statement &) {
    const Derived index = evaluate(store.index), value = evaluate(store.value);
    noteNumber(store.index, index);
    if (index.bits >= 0 && index.bits < store.count)
      assign(store.first + static_cast<VariableId>(index.bits), value, typeOf(store.value));
  }

  void perform(const Sync &sync, const Statement &statement) {
    if (ways.choosesOperands(statement))
      noteNumber(sync.event, evaluate(sync.event));
  }

  void perform(const Instruction &instruction, const Statement &statement) {
    const std::uint32_t number = instructions++;
    if (request.placed.count(number))
      notePlaces(instruction, number);
    else if (ways.choosesOperands(statement))
      for (const Operand &operand : instruction.operands)
        if (operand.value != kNone)
          evaluate(operand.value);
    for (VariableId variable : instruction.results) {
      const IntegerType type = kernel.variables[variable].type;
      variables[variable] = drawn(TapeEntry::Kind::Result, variable, type);
    }
  }

  void notePlaces(const Instruction &instruction, std::uint32_t number) {
    std::vector<OperandPlace> &places = result.places[number];
    for (std::uint32_t i = 0; i < instruction.operands.size(); ++i) {
      const Operand &operand = instruction.operands[i];
      const VariableId place = placeVariable(kernel, operand);
      if (operand.kind == Operand::Kind::Tile || operand.kind == Operand::Kind::Tensor)
        places.push_back({i, place == kNone ? Derived{} : variables[place]});
      else if (operand.value != kNone)
        places.push_back({i, evaluate(operand.value)});
    }
    result.pathTo[number] = result.path.size();
  }

  std::optional<BlockId> follow(const Terminator &terminator, BlockId block) {
    if (terminator.kind == Terminator::Kind::Return)
      return std::nullopt;
    if (terminator.kind == Terminator::Kind::Jump)
      return terminator.whenTrue;
    const Derived condition = evaluate(terminator.condition);
    note({Way::Kind::Branch, block, condition.bits == 0}, condition);
    if (condition.node != 0)
      result.path.push_back(condition);
    const LoopId loop = subject.nest.innermost(block);
    if (loop != kNone && subject.nest.loops()[loop].header == block && !subject.nest.contains(loop, from)) {
      note({Way::Kind::Skipped, block, true}, condition);
      if (condition.node != 0)
        result.entered.insert(block);
    }
    if (request.headers.count(block))
      if (std::vector<Derived> &visits = result.visits[block]; visits.size() < Retraced::kMostVisits)
        visits.push_back(condition);
    passDraws();
    if (offTape || at == tape.size() || tape[at].kind != TapeEntry::Kind::Branch || tape[at].what != block)
      return std::nullopt;
    return tape[at++].value ? terminator.whenTrue : terminator.whenFalse;
  }

  /// Of a number that an input could make another one.
  void noteNumber(ExpressionId id, const Derived &number) {
    const auto known = ways.numbers().find(id);
    if (untaken != 0 || number.node == 0 || known == ways.numbers().end())
      return;
    for (std::int64_t value = 0; value < known->second.count; ++value)
      if (const Way other{Way::Kind::Number, id, true, value}; value != number.bits && request.wanted.count(other))
        note(other, result.derivation.binary(Operator::Equal, typeOf(id), kBoolean, number, {value, 0}, 0));
  }

  /// `other`: the way that would be taken if the condition turned.
  void note(const Way &other, const Derived &condition) {
    if (condition.node == 0 || !request.wanted.count(other))
      return;
    auto found = result.turning.find(other);
    const bool known = found != result.turning.end() && (found->second.size() == Retraced::kMostEvaluations ||
                                                         found->second.back().node == condition.node);
    if (known || !mayTurn(condition))
      return;
    result.turning[other].push_back(condition);
    if (other.kind == Way::Kind::Skipped)
      result.before[other].push_back(result.path.size() - 1); // itself aside
  }

  bool mayTurn(const Derived &condition) const {
    const Cone cone(result.derivation, {condition});
    if (cone.empty())
      return true;
    const Range bounds = cone.boundsOf(condition);
    return condition.bits ? bounds.low <= 0 && bounds.high >= 0 : bounds.low != 0 || bounds.high != 0;
  }

  bool isDraw() const {
    return at < tape.size() && (tape[at].kind == TapeEntry::Kind::Draw || tape[at].kind == TapeEntry::Kind::Result ||
                                tape[at].kind == TapeEntry::Kind::Loosened);
  }
  void passDraws() {
    while (isDraw())
      ++at;
  }

  /// Moves the variables of a loop as the periods that were left out did.
  void passSkip() {
    const std::size_t before = at;
    passDraws();
    if (at == tape.size() || tape[at].kind != TapeEntry::Kind::Skip) {
      at = before;
      return;
    }
    for (++at; at < tape.size() && tape[at].kind == TapeEntry::Kind::Moved; ++at) {
      Derived &variable = variables[tape[at].what];
      const Derived gain{wrappedDifference(tape[at].value, variable.bits), 0};
      const IntegerType type = kernel.variables[tape[at].what].type;
      if (gain.bits != 0)
        variable = result.derivation.binary(Operator::Add, type, type, variable, gain, 0);
    }
  }

  Derived drawn(TapeEntry::Kind kind, std::uint32_t what, IntegerType type) {
    while (isDraw() && (tape[at].kind != kind || tape[at].what != what))
      ++at;
    if (!isDraw()) {
      offTape = true;
      return {};
    }
    const TapeEntry &entry = tape[at++];
    return result.derivation.source({Source::Kind::Loaded, entry.number, {}, type}, entry.value);
  }

  Derived evaluate(ExpressionId id) {
    if (id == kNone)
      return {};
    const Expression &e = kernel.expressions[id];
    switch (e.kind) {
    case Expression::Kind::Constant: return {e.constant, 0};
    case Expression::Kind::Variable: return variables[e.variable];
    case Expression::Kind::Unary: return result.derivation.unary(e.op, e.type, evaluate(e.operands[0]));
    case Expression::Kind::Binary: return binary(id, e);
    case Expression::Kind::Cast:
      return result.derivation.converted(evaluate(e.operands[0]), typeOf(e.operands[0]), e.type);
    case Expression::Kind::Select: return select(id, e);
    case Expression::Kind::ArrayElement: return element(id, e);
    case Expression::Kind::Parameter: return parameter(e);
    case Expression::Kind::Query: {
      const std::int64_t bits = wrapTo(e.type, inputs.query(e.name));
      return result.derivation.source({Source::Kind::Query, 0, e.name, e.type}, bits);
    }
    case Expression::Kind::Opaque: break;
    }
    return untaken ? Derived{} : drawn(TapeEntry::Kind::Draw, id, e.type);
  }

  Derived parameter(const Expression &e) {
    const auto number = static_cast<std::uint32_t>(e.constant);
    if (subject.facts.pointerArguments.count(number))
      return {inputs.addressOf(number), 0};
    const std::int64_t bits = wrapTo(e.type, inputs.argument(number));
    if (request.fixed.count(number))
      return {bits, 0};
    return result.derivation.source({Source::Kind::Argument, number, {}, e.type}, bits);
  }

  Derived binary(ExpressionId id, const Expression &e) {
    const Derived left = evaluate(e.operands[0]), right = evaluate(e.operands[1]);
    const IntegerType operands = typeOf(e.operands[0]);
    std::int64_t bits = 0;
    const bool defined = applyOperator(e.op, operands, left.bits, right.bits, bits);
    const std::int64_t undefined = defined || untaken ? 0 : drawn(TapeEntry::Kind::Draw, id, e.type).bits;
    const Derived number = result.derivation.binary(e.op, operands, e.type, left, right, undefined);
    if (e.type.bits == 1)
      noteNumber(id, number);
    return number;
  }

  /// Both arms: other inputs may lead to the other one.
  Derived select(ExpressionId id, const Expression &e) {
    const Derived condition = evaluate(e.operands[0]);
    if (untaken == 0)
      note({Way::Kind::Choice, id, condition.bits == 0}, condition);
    Derived arms[2];
    for (int arm : {0, 1}) {
      const bool taken = (condition.bits != 0) == (arm == 0);
      untaken += !taken;
      arms[arm] = evaluate(e.operands[arm + 1]);
      untaken -= !taken;
    }
    return result.derivation.select(condition, arms[0], arms[1]);
  }

  Derived element(ExpressionId id, const Expression &e) {
    const Derived index = evaluate(e.operands[0]);
    noteNumber(e.operands[0], index);
    if (index.bits < 0 || index.bits >= e.count)
      return untaken ? Derived{} : drawn(TapeEntry::Kind::Draw, id, e.type);
    return index.node == 0 || e.count > kMostElements ? variables[e.variable + static_cast<VariableId>(index.bits)]
                                                      : chosenElement(e, index);
  }

  /// An element that inputs choose, as `index == 0 ? a[0] : index == 1 ? a[1] : ...`.
  Derived chosenElement(const Expression &e, const Derived &index) {
    Derived element = variables[e.variable + e.count - 1];
    for (std::uint32_t i = e.count - 1; i-- > 0;) {
      const Derived here = result.derivation.binary(Operator::Equal, typeOf(e.operands[0]), kBoolean, index,
                                                    {static_cast<std::int64_t>(i), 0}, 0);
      element = result.derivation.select(here, variables[e.variable + i], element);
    }
    return element;
  }

  static constexpr std::uint32_t kMostElements = 32; // of an array whose element inputs choose

  const Subject &subject;
  const Kernel &kernel;
  const Ways &ways;
  const Inputs &inputs;
  const RetraceRequest &request;
  const Tape &tape;
  std::vector<Derived> variables;
  Retraced result;
  std::size_t at = 0;
  BlockId from = kNone; // the block before
  std::uint32_t instructions = 0;
  int untaken = 0; // arms around that the run did not take
  bool offTape = false;
};

} // namespace

Retraced retrace(const Subject &subject, const Inputs &inputs, const RetraceRequest &request, const Tape &tape) {
  return Retracer(subject, inputs, request, tape).run();
}

} // namespace ptosync::replay
