#include "replay/skip/repetition.h"

#include "replay/number/value.h"

#include <algorithm>
#include <optional>

namespace ptosync::replay {

namespace {

constexpr std::uint64_t kLongestPeriod = 24;

std::uint64_t difference(const Value &later, const Value &earlier) {
  return static_cast<std::uint64_t>(later.bits) - static_cast<std::uint64_t>(earlier.bits);
}

/// Returns true if both are the same of the same few values, or neither is one of a few.
bool alike(const Value &a, const Value &b) {
  return a.choices == b.choices || (a.choices && b.choices && a.choices->values == b.choices->values);
}

/// Returns what is known of a number after so many periods, each like the last one.
Value movedOn(const Value &now, const Value &before, std::int64_t periods) {
  Value moved = now;
  if (now.choices != before.choices)
    return {now.bits, Origin::Unknown, now.region};
  moved.sums.clear();
  for (std::size_t i = 0; i < std::min(now.sums.size(), before.sums.size()); ++i) {
    Congruence sum = now.sums[i];
    if (sum.root != before.sums[i].root || sum.bits != before.sums[i].bits)
      break;
    sum.offset = wrappedSum(sum.offset, wrappedDifference(sum.offset, before.sums[i].offset), periods);
    moved.sums.push_back(std::move(sum));
  }
  moved.residue = now.residue == before.residue ? now.residue : Residue{};
  moved.range = now.range == before.range ? now.range : Range{};
  return moved;
}

} // namespace

void History::close(std::vector<Value> snapshot, std::size_t tape) {
  if (finished)
    return;
  if (!snapshots.empty())
    fingerprints.push_back(current);
  current = 0;
  snapshots.push_back(std::move(snapshot));
  tapes.push_back(tape);
}

bool History::repeats(std::uint64_t period, std::uint64_t times) const {
  if (finished || period == 0 || fingerprints.size() < times * period)
    return false;
  std::size_t last = fingerprints.size();
  for (std::size_t i = last - (times - 1) * period; i < last; ++i)
    if (fingerprints[i] != fingerprints[i - period])
      return false;
  const std::vector<Value> &now = snapshot(0), &before = snapshot(period), &earlier = snapshot(2 * period);
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i].origin != before[i].origin || !(now[i].region == before[i].region) || now[i].form != before[i].form ||
        !alike(now[i], before[i]) || difference(now[i], before[i]) != difference(before[i], earlier[i]))
      return false;
  return true;
}

std::uint64_t History::period(std::uint64_t ringDepth, std::uint64_t times, std::uint64_t shorter) const {
  for (std::uint64_t period = shorter + 1; period <= kLongestPeriod && period + ringDepth <= fingerprints.size();
       ++period)
    if (repeats(period, std::max(times, 1 + (ringDepth + period - 1) / period)))
      return period;
  return 0;
}

std::vector<Value> Repetition::snapshot(LoopId loop) {
  std::vector<Value> snapshot;
  for (VariableId variable : subject.carried(loop))
    snapshot.push_back(values.variable(variable));
  return snapshot;
}

void Repetition::advance(LoopId loop, const History &history, std::uint64_t period, std::uint64_t periods) {
  const std::vector<VariableId> &carried = subject.carried(loop);
  const std::vector<Value> &now = history.snapshot(0), &before = history.snapshot(period);
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const std::int64_t bits =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(now[i].bits) + difference(now[i], before[i]) * periods);
    Value moved = movedOn(now[i], before[i], static_cast<std::int64_t>(periods));
    // Of contents that the skipped iterations would have read: a number of its own.
    if (moved.origin == Origin::Unknown && moved.sums.empty()) {
      Value other = values.unknown(subject.kernel.variables[carried[i]].type);
      if (!other.choices) {
        if (moved.range != Range{})
          other.range = moved.range;
        relateToItself(other, other.base());
        other.residue = moved.residue;
      }
      moved = other;
    }
    moved.bits = bits;
    moved.region = now[i].region;
    moved.form = now[i].form;
    moved.far = now[i].far;
    moved.wide = now[i].wide;
    values.assign(carried[i], moved);
  }
}

namespace {

/// Statements of one passage; a period that takes more is not proved.
constexpr std::uint64_t kLongestPassage = 100000;
constexpr std::uint64_t kMostPeriods = std::uint64_t{1} << 41; // a course begins with

enum Limit : int { kLimitNumber, kLimitExit, kLimitCounter };

/// A visit of a loop inside the one that is proved.
struct InnerVisit {
  std::vector<Moving> carried;
  std::size_t tape = 0;
};

struct InnerLoop {
  LoopId loop = kNone;
  std::vector<InnerVisit> visits; // since it was entered, or since the last skip
};

/// One period of a loop, gone through with moving numbers.
class Passage {
public:
  Passage(Subject &subject, Evaluator &values, const Tape &tape, Matters matters, MovingVariables &variables,
          LoopId loop)
      : subject(subject), kernel(subject.kernel), values(values), tape(tape), matters(matters),
        relevant(subject.relevant(matters)), variables(variables), proved(loop), course(kMostPeriods) {}

  Proved prove(const History &history, std::uint64_t period) {
    const std::vector<VariableId> &carried = subject.carried(proved);
    const std::vector<Value> &before = history.snapshot(period), &earlier = history.snapshot(2 * period);
    std::vector<Moving> start(carried.size());
    for (std::size_t i = 0; i < carried.size(); ++i) {
      start[i].bits = earlier[i].bits;
      start[i].gains[0] = wrappedDifference(before[i].bits, earlier[i].bits);
      start[i].byMemory = before[i].origin >= Origin::Sampled || earlier[i].origin >= Origin::Sampled;
    }
    at = history.tapeAt(2 * period);
    if (!setOut(carried, start) || !goThrough(proved, period) || !arrived(carried, start, 0))
      return {0, false, false};
    passDraws();
    if (at != history.tapeAt(period))
      return {0, false, false};
    if (!staysBehind())
      return {0, true, true};
    const std::uint64_t behind =
        course.periods() - std::min<std::uint64_t>(course.periods(), 1); // the last one was run
    return {course.limit() == kLimitCounter ? std::max(behind, kEndlessPeriods) : behind, course.limit() == kLimitExit,
            true};
  }

private:
  /// Puts the loop's variables where the course begins; false if one leaves its type at once.
  bool setOut(const std::vector<VariableId> &carried, const std::vector<Moving> &start) {
    course.because(kLimitCounter);
    bool fits = true;
    for (std::size_t i = 0; i < carried.size(); ++i) {
      fits = fits && (!relevant[carried[i]] || course.converted(start[i], typeOf(carried[i])) == start[i]);
      variables.set(carried[i], relevant[carried[i]] ? start[i] : unknownNumber());
    }
    course.because(kLimitNumber);
    return fits;
  }

  /// Returns true if the variables have moved on by one period of the loop `depth` loops inside: so they will in the
  /// next one.
  bool arrived(const std::vector<VariableId> &carried, const std::vector<Moving> &start, std::size_t depth) const {
    for (std::size_t i = 0; i < carried.size(); ++i) {
      if (!relevant[carried[i]])
        continue;
      const Moving end = variables.get(carried[i]);
      if (!end.known || end.gains != start[i].gains || (end.byMemory && !start[i].byMemory) ||
          end.bits != wrappedSum(start[i].bits, start[i].gains[depth]))
        return false;
    }
    return true;
  }

  IntegerType typeOf(VariableId variable) const { return kernel.variables[variable].type; }
  const Block &headerOf(LoopId loop) const { return kernel.blocks[subject.nest.loops()[loop].header]; }

  bool goThrough(LoopId loop, std::uint64_t period) {
    const BlockId header = subject.nest.loops()[loop].header;
    const std::size_t outside = subject.nest.loops()[loop].depth + 1;
    std::vector<InnerLoop> inside;
    std::uint64_t visits = 0;
    for (BlockId block = header;;) {
      for (const Statement &statement : kernel.blocks[block].statements)
        if (!step(statement))
          return false;
      const std::optional<BlockId> next = follow(kernel.blocks[block].terminator, block);
      if (!next || !subject.nest.contains(loop, *next))
        return false;
      if (*next == header) {
        if (++visits == period)
          return true;
        inside.clear();
      } else if (!enter(*next, outside, inside)) {
        return false;
      }
      block = *next;
    }
  }

  /// Keeps the loops inside in step with a jump to `block`.
  bool enter(BlockId block, std::size_t outside, std::vector<InnerLoop> &inside) {
    const std::vector<LoopId> &chain = subject.nest.around(block);
    std::size_t common = 0;
    while (common < inside.size() && outside + common < chain.size() && inside[common].loop == chain[outside + common])
      ++common;
    inside.resize(common);
    while (outside + inside.size() < chain.size())
      inside.push_back({chain[outside + inside.size()], {}});
    return inside.empty() || subject.nest.loops()[inside.back().loop].header != block || visit(inside.back());
  }

  bool visit(InnerLoop &inner) {
    const std::vector<VariableId> &carried = subject.carried(inner.loop);
    InnerVisit now;
    for (VariableId variable : carried)
      now.carried.push_back(variables.get(variable));
    now.tape = at;
    inner.visits.push_back(std::move(now));
    passDraws();
    if (at == tape.size() || tape[at].kind != TapeEntry::Kind::Skip || tape[at].what != inner.loop)
      return true;
    const TapeEntry skip = tape[at++];
    while (at < tape.size() && tape[at].kind == TapeEntry::Kind::Moved)
      ++at;
    const bool went = skip.number < inner.visits.size() && goThroughSkipped(inner, skip);
    inner.visits.clear();
    return went;
  }

  /// All periods that the run left out of a loop inside.
  bool goThroughSkipped(const InnerLoop &inner, const TapeEntry &skip) {
    const std::vector<VariableId> &carried = subject.carried(inner.loop);
    const InnerVisit &now = inner.visits.back();
    const InnerVisit &before = inner.visits[inner.visits.size() - 1 - skip.number];
    const std::size_t behind = at;
    const MovingVariables saved = variables;
    if (!course.enter(static_cast<std::uint64_t>(skip.value)))
      return false;
    const std::size_t depth = course.depth() - 1;
    std::vector<Moving> start = before.carried;
    for (std::size_t i = 0; i < carried.size(); ++i) {
      if (!relevant[carried[i]])
        continue;
      if (!start[i].known || !now.carried[i].known || start[i].gains != now.carried[i].gains)
        return false;
      start[i].gains[depth] = wrappedDifference(now.carried[i].bits, start[i].bits);
      start[i].byMemory |= now.carried[i].byMemory;
    }
    at = before.tape;
    if (!setOut(carried, start) || !goThrough(inner.loop, skip.number) || !arrived(carried, start, depth))
      return false;
    course.leave();
    variables = saved;
    for (std::size_t i = 0; i < carried.size(); ++i) {
      Moving moved = now.carried[i];
      if (relevant[carried[i]])
        moved.bits = wrappedSum(moved.bits, start[i].gains[depth], skip.value);
      variables.set(carried[i], moved);
    }
    at = behind;
    return true;
  }

  /// At the header once more: true if the loop has not come to its end there, as far as that can be told.
  bool staysBehind() {
    const Block &header = headerOf(proved);
    const bool plain = header.terminator.kind == Terminator::Kind::Branch && leaves(header.terminator) &&
                       std::all_of(header.statements.begin(), header.statements.end(), [](const Statement &statement) {
                         return std::holds_alternative<Assign>(statement.action);
                       });
    if (!plain)
      return true; // it ends elsewhere: in the period itself
    for (const Statement &statement : header.statements)
      perform(std::get<Assign>(statement.action));
    course.because(kLimitExit);
    const Moving condition =
        course.truth(evaluate(header.terminator.condition), kernel.expressions[header.terminator.condition].type);
    course.because(kLimitNumber);
    const BlockId next = condition.bits ? header.terminator.whenTrue : header.terminator.whenFalse;
    return !offTape && condition.steady() && !condition.byMemory && subject.nest.contains(proved, next);
  }

  bool leaves(const Terminator &terminator) const {
    return subject.nest.contains(proved, terminator.whenTrue) != subject.nest.contains(proved, terminator.whenFalse);
  }

  bool isScout() const { return matters == Matters::Control || matters == Matters::Choices; }

  static Moving unknownNumber() {
    Moving number;
    number.known = false;
    return number;
  }

  bool step(const Statement &statement) {
    if (matters == Matters::Choices && subject.knownWays()->choosesOperands(statement))
      chooseOperands(statement); // which choices are made is noted of such a run, too
    std::visit([&](const auto &action) { perform(action); }, statement.action);
    return !offTape && !uneven && ++statements <= kLongestPassage;
  }

  void chooseOperands(const Statement &statement) {
    if (const auto *sync = std::get_if<Sync>(&statement.action))
      choose(sync->event);
    if (const auto *instruction = std::get_if<Instruction>(&statement.action))
      for (const Operand &operand : instruction->operands)
        choose(operand.value);
  }

  /// The choices of an expression that does not matter otherwise are made as they were.
  void choose(ExpressionId id) {
    if (id == kNone || matters != Matters::Choices)
      return;
    const Expression &e = kernel.expressions[id];
    if (e.kind == Expression::Kind::Select)
      require(course.truth(evaluate(e.operands[0]), kernel.expressions[e.operands[0]].type).steady());
    for (ExpressionId operand : e.operands)
      choose(operand);
  }

  void perform(const Assign &assign) {
    if (!relevant[assign.variable]) {
      choose(assign.value);
      variables.set(assign.variable, unknownNumber());
      return;
    }
    variables.set(assign.variable, course.converted(evaluate(assign.value), typeOf(assign.variable)));
  }

  void perform(const ArrayStore &store) {
    if (!relevant[store.first]) {
      choose(store.index);
      choose(store.value);
      return;
    }
    const Moving index = evaluate(store.index), value = evaluate(store.value);
    if (index.steady()) {
      if (index.bits >= 0 && index.bits < store.count) {
        const VariableId element = store.first + static_cast<VariableId>(index.bits);
        variables.set(element, course.converted(value, typeOf(element)));
      }
      return;
    }
    for (std::uint32_t i = 0; i < store.count; ++i)
      variables.set(store.first + i, unknownNumber());
  }

  void perform(const Sync &sync) {
    if (isScout() || sync.kind == SyncKind::Barrier || sync.kind == SyncKind::Tail)
      return;
    require(evaluate(sync.event).steady());
  }

  void perform(const Instruction &instruction) {
    if (!isScout()) {
      place(instruction);
      for (const Operand &operand : instruction.operands)
        perform(operand);
    }
    for (VariableId result : instruction.results)
      variables.set(result, drawn(TapeEntry::Kind::Result, result));
  }

  /// Requires that what is on the chip lies where it lay, or the periods before would not have been alike; what lies in
  /// global memory moves evenly.
  void perform(const Operand &operand) {
    auto requireSteady = [&](VariableId variable) { require(variable == kNone || variables.get(variable).steady()); };
    switch (operand.kind) {
    case Operand::Kind::Tile: {
      const Tile &tile = kernel.tiles[operand.index];
      requireSteady(tile.address);
      if (tile.staticValidRows < 0)
        requireSteady(tile.validRows);
      if (tile.staticValidCols < 0)
        requireSteady(tile.validCols);
      break;
    }
    case Operand::Kind::Tensor: {
      const Tensor &tensor = kernel.tensors[operand.index];
      require(tensor.pointer == kNone || matters != Matters::Everything || variables.get(tensor.pointer).known);
      for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
        if (tensor.shape[d] < 0)
          requireSteady(tensor.shapeVariables[d]);
        if (tensor.stride[d] < 0)
          requireSteady(tensor.strideVariables[d]);
      }
      break;
    }
    case Operand::Kind::Scalar:
    case Operand::Kind::Pointer:
      if (matters == Matters::Everything)
        require(evaluate(operand.value).known);
      break;
    case Operand::Kind::Fifo:
    case Operand::Kind::Unknown: break;
    }
  }

  void require(bool even) { uneven = uneven || !even; }

  /// As WorkTable places what a call places.
  void place(const Instruction &instruction) {
    const Assigns assigns = assignsOf(kernel, instruction, subject.machine);
    if (assigns == Assigns::Nothing)
      return;
    Moving anywhere;
    anywhere.byMemory = true;
    if (assigns == Assigns::Unknown) {
      for (const Operand &operand : instruction.operands)
        placeAnywhere(operand, anywhere);
      return;
    }
    const auto [fifo, tile, tensor] = objectsOf(kernel, instruction);
    if (!placesTile(assigns) && tensor)
      variables.set(tensor->pointer, anywhere);
    Moving pops = anywhere;
    if (fifo && countsPop(assigns)) {
      pops = variables.get(fifo->pops);
      variables.set(fifo->pops, course.binary(Operator::Add, kInt64, pops, number(1)));
    }
    if (placesTile(assigns) && tile)
      variables.set(tile->address, fifo ? slotOf(*fifo, slotsOf(*fifo, assigns), *tile, pops) : anywhere);
  }

  void placeAnywhere(const Operand &operand, const Moving &anywhere) {
    if (const VariableId place = placeVariable(kernel, operand); place != kNone)
      variables.set(place, anywhere);
  }

  Moving slotOf(const Fifo &fifo, std::int64_t slots, const Tile &tile, const Moving &pops) {
    const Moving base = variables.get(tile.location == "Vec" ? fifo.cubeToVec : fifo.vecToCube);
    if (slots <= 0 || fifo.slotBytes <= 0 || base.byMemory || pops.byMemory) {
      Moving anywhere;
      anywhere.byMemory = true;
      return anywhere;
    }
    const Moving slot = course.binary(Operator::Remainder, kInt64, pops, number(slots));
    return course.binary(Operator::Add, kInt64, base,
                         course.binary(Operator::Multiply, kInt64, slot, number(fifo.slotBytes)));
  }

  static Moving number(std::int64_t bits) {
    Moving number;
    number.bits = bits;
    return number;
  }

  /// Empty where the period that was run went another way, or where it is not the same in all periods.
  std::optional<BlockId> follow(const Terminator &terminator, BlockId block) {
    ++statements;
    if (terminator.kind == Terminator::Kind::Return)
      return std::nullopt;
    if (terminator.kind == Terminator::Kind::Jump)
      return terminator.whenTrue;
    const bool atHeader = block == subject.nest.loops()[proved].header;
    course.because(leaves(terminator) ? kLimitExit : kLimitNumber);
    const Moving condition = branchCondition(terminator.condition);
    course.because(kLimitNumber);
    passDraws();
    const bool taken = condition.bits != 0;
    if (offTape || !condition.steady() || (atHeader && leaves(terminator) && condition.byMemory) || at == tape.size() ||
        tape[at].kind != TapeEntry::Kind::Branch || tape[at].what != block || (tape[at].value != 0) != taken)
      return std::nullopt;
    ++at;
    return taken ? terminator.whenTrue : terminator.whenFalse;
  }

  /// Which way a branch goes, what was drawn decides: no number stands for what else memory may hold.
  Moving branchCondition(ExpressionId id) {
    const Expression &e = kernel.expressions[id];
    if (e.kind == Expression::Kind::Cast && e.type.bits == 1)
      return branchCondition(e.operands[0]);
    if (e.kind != Expression::Kind::Binary || !isComparison(e.op))
      return course.truth(evaluate(id), e.type);
    const Moving left = evaluate(e.operands[0]), right = evaluate(e.operands[1]);
    return course.comparedAsDrawn(e.op, kernel.expressions[e.operands[0]].type, left, right);
  }

  bool isDraw() const {
    return at < tape.size() && (tape[at].kind == TapeEntry::Kind::Draw || tape[at].kind == TapeEntry::Kind::Result);
  }
  /// Passes over what was drawn for the arm of a choice that is not gone through.
  void passDraws() {
    while (isDraw())
      ++at;
  }
  Moving drawn(TapeEntry::Kind kind, std::uint32_t what) {
    Moving bits;
    bits.byMemory = true;
    while (isDraw() && (tape[at].kind != kind || tape[at].what != what))
      ++at;
    if (isDraw())
      bits.bits = tape[at++].value;
    else
      offTape = true;
    return bits;
  }

  Moving evaluate(ExpressionId id) {
    Moving result;
    if (id == kNone) {
      result.byMemory = true;
      return result;
    }
    const Expression &e = kernel.expressions[id];
    switch (e.kind) {
    case Expression::Kind::Constant: result.bits = e.constant; return result;
    case Expression::Kind::Variable: return variables.get(e.variable);
    case Expression::Kind::Unary: return course.unary(e.op, e.type, evaluate(e.operands[0]));
    case Expression::Kind::Binary: return binary(id, e);
    case Expression::Kind::Cast: return cast(e);
    case Expression::Kind::Select: return select(e);
    case Expression::Kind::ArrayElement: return element(id, e);
    case Expression::Kind::Parameter:
    case Expression::Kind::Query: {
      const Value value = values.evaluate(id);
      result.bits = value.bits;
      result.byMemory = value.origin >= Origin::Sampled;
      return result;
    }
    case Expression::Kind::Opaque: break;
    }
    return drawn(TapeEntry::Kind::Draw, id);
  }

  Moving binary(ExpressionId id, const Expression &e) {
    const Moving left = evaluate(e.operands[0]), right = evaluate(e.operands[1]);
    const IntegerType operands = kernel.expressions[e.operands[0]].type;
    std::int64_t result = 0;
    if (!left.known || !right.known || applyOperator(e.op, operands, left.bits, right.bits, result))
      return course.binary(e.op, operands, left, right);
    Moving undefined = drawn(TapeEntry::Kind::Draw, id);
    undefined.known = left.steady() && right.steady();
    return undefined;
  }

  Moving cast(const Expression &e) {
    const Moving value = evaluate(e.operands[0]);
    if (e.type.bits == 1)
      return course.truth(value, kernel.expressions[e.operands[0]].type);
    Moving result = course.converted(value, e.type);
    result.byMemory = result.byMemory || e.type.bits == 0; // no integer any more
    return result;
  }

  /// Where memory decides, an address stands for both: then both are to be even.
  Moving select(const Expression &e) {
    const Moving condition = course.truth(evaluate(e.operands[0]), kernel.expressions[e.operands[0]].type);
    Moving unknown;
    unknown.known = false;
    unknown.byMemory = condition.byMemory;
    if (!condition.steady())
      return unknown;
    if (!condition.byMemory)
      return evaluate(e.operands[condition.bits ? 1 : 2]);
    const Moving whenTrue = evaluate(e.operands[1]), whenFalse = evaluate(e.operands[2]);
    if (!whenTrue.known || !whenFalse.known)
      return unknown;
    Moving taken = condition.bits ? whenTrue : whenFalse;
    taken.byMemory = true;
    return taken;
  }

  Moving element(ExpressionId id, const Expression &e) {
    const Moving index = evaluate(e.operands[0]);
    Moving result;
    result.known = false;
    result.byMemory = index.byMemory;
    if (!index.steady())
      return result;
    if (index.bits < 0 || index.bits >= e.count)
      return drawn(TapeEntry::Kind::Draw, id);
    if (!index.byMemory)
      return variables.get(e.variable + static_cast<VariableId>(index.bits));
    for (std::uint32_t i = 0; i < e.count; ++i)
      if (!variables.get(e.variable + i).steady())
        return result;
    result = variables.get(e.variable + static_cast<VariableId>(index.bits));
    result.byMemory = true;
    return result;
  }

  Subject &subject;
  const Kernel &kernel;
  Evaluator &values; // for what is the same throughout the run
  const Tape &tape;
  Matters matters;
  const std::vector<bool> &relevant; // by variable
  MovingVariables &variables;
  LoopId proved;
  Course course;
  std::size_t at = 0; // in the tape
  std::uint64_t statements = 0;
  bool offTape = false; // it draws what the run did not draw
  bool uneven = false;
};

} // namespace

Moving MovingVariables::get(VariableId variable) const {
  if (assigned[variable] == generation)
    return numbers[variable];
  const Value &value = values->variable(variable);
  Moving number;
  number.bits = value.bits;
  number.byMemory = value.origin >= Origin::Sampled;
  return number;
}

void MovingVariables::set(VariableId variable, const Moving &number) {
  numbers[variable] = number;
  assigned[variable] = generation;
}

RepetitionProof::RepetitionProof(Subject &subject, Evaluator &values, const Tape &tape, Matters matters)
    : subject(subject), values(values), tape(tape), matters(matters),
      variables(values, subject.kernel.variables.size()) {}

Proved RepetitionProof::prove(LoopId loop, const History &history, std::uint64_t period) {
  variables.forget();
  return Passage(subject, values, tape, matters, variables, loop).prove(history, period);
}

} // namespace ptosync::replay
