#include "check/walk.h"

#include "check/certificate.h"

#include <algorithm>

namespace ptosync::check {
namespace {

constexpr std::int64_t kMostRounds = std::int64_t{1} << 40; // of any loop: docs/soundness.md
constexpr std::size_t kMostStatements = 400000;             // that one walk executes
constexpr std::size_t kMostApart = 256;                     // ways that are followed apart at one place

bool sameOperand(const Operand &a, const Operand &b) {
  return a.kind == b.kind && a.number.sameValue(b.number) && a.number.type == b.number.type && a.placed == b.placed &&
         a.base == b.base && a.entry == b.entry && a.tile == b.tile && a.otherRing.sameValue(b.otherRing) &&
         a.text == b.text && a.tensor.shape == b.tensor.shape && a.tensor.stride == b.tensor.stride &&
         a.tensor.bits == b.tensor.bits;
}

bool names(const Expression &expression, const std::string &name) {
  return (expression.kind == Expression::Kind::Name && expression.text == name) ||
         std::any_of(expression.children.begin(), expression.children.end(),
                     [&](const Expression &child) { return names(child, name); });
}

/// Whether both name a variable.
bool meetsName(const Expression &expression, const Expression &other) {
  return (expression.kind == Expression::Kind::Name && names(other, expression.text)) ||
         std::any_of(expression.children.begin(), expression.children.end(),
                     [&](const Expression &child) { return meetsName(child, other); });
}

/// True if it can be evaluated without touching memory.
bool isPlain(const Expression &expression) {
  using Kind = Expression::Kind;
  const bool plain = expression.kind == Kind::Name || expression.kind == Kind::Number ||
                     expression.kind == Kind::Cast || (expression.kind == Kind::Binary && !assigns(expression));
  return plain && std::all_of(expression.children.begin(), expression.children.end(), isPlain);
}

/// Whether evaluating it may give a variable of the other expression another value.
bool mayChange(const Expression &expression, const Expression &other) {
  using Kind = Expression::Kind;
  const std::vector<Expression> &children = expression.children;
  const bool passes = expression.kind == Kind::Call || expression.kind == Kind::Method;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const bool target = passes ? children[i].kind == Kind::Name : i == 0 && assigns(expression);
    if ((target && meetsName(children[i], other)) || mayChange(children[i], other))
      return true;
  }
  return false;
}

/// The same of statements. It does not depend on which of them the walk reaches: a proof that they are not reached may
/// rest on the answer.
bool mayChange(const std::vector<Statement> &statements, const Expression &other) {
  return std::any_of(statements.begin(), statements.end(), [&](const Statement &statement) {
    return mayChange(statement.value, other) || mayChange(statement.before, other) ||
           mayChange(statement.body, other) || mayChange(statement.otherwise, other) ||
           std::any_of(statement.cases.begin(), statement.cases.end(),
                       [&](const auto &one) { return mayChange(one.second, other); });
  });
}

/// Whether some statement may leave the loop whose body it is, other than by its condition.
bool leavesEarly(const std::vector<Statement> &body, bool inner = false) {
  using Kind = Statement::Kind;
  return std::any_of(body.begin(), body.end(), [&](const Statement &statement) {
    const bool own = inner || statement.kind == Kind::Loop || statement.kind == Kind::Switch;
    return statement.kind == Kind::Return || (statement.kind == Kind::Break && !inner) ||
           leavesEarly(statement.body, own) || leavesEarly(statement.otherwise, own) ||
           std::any_of(statement.cases.begin(), statement.cases.end(),
                       [&](const auto &one) { return leavesEarly(one.second, true); });
  });
}

std::set<std::string> namesIn(const State &state) {
  std::set<std::string> names;
  for (const auto &[name, operand] : state.variables)
    names.insert(name);
  return names;
}

void keepNames(States &states, const std::set<std::string> &names) {
  for (State &one : states)
    std::erase_if(one.variables, [&](const auto &entry) { return !names.count(entry.first); });
}

/// One way; a braced list would copy it.
States only(State state) {
  States one;
  one.push_back(std::move(state));
  return one;
}

} // namespace

// --- statements ---

std::string Walk::here(const Statement &statement) const { return path + statement.id; }

States Walk::list(const std::vector<Statement> &statements, States states) {
  if (++depth > kMostDepth)
    throw Refused{"statements within too many others, and in the functions that they call"};
  for (const Statement &statement : statements) {
    States reached;
    for (State &state : states)
      for (State &made : one(statement, std::move(state)))
        reached.push_back(std::move(made));
    states = std::move(reached);
    if (states.size() > kMostApart)
      refuse(statement.line, "too many ways are followed apart");
  }
  --depth;
  return states;
}

States Walk::one(const Statement &statement, State state) {
  using Kind = Statement::Kind;
  place = here(statement);
  loads = 0;
  if (++scene.steps > kMostStatements)
    refuse(statement.line, "the walk is too long");
  switch (statement.kind) {
  case Kind::Block: return block(statement.body, std::move(state));
  case Kind::Declare: declare(statement, state); return only(std::move(state));
  case Kind::Evaluate:
    if (isSync(statement))
      sync(statement, state);
    else
      value(statement.value, state);
    return only(std::move(state));
  case Kind::If: return branch(statement, std::move(state));
  case Kind::Loop: return loop(statement, state);
  case Kind::Switch: return cases(statement, std::move(state));
  case Kind::Return:
    if (statement.hasValue)
      state.result = value(statement.value, state);
    if (statement.hasValue && returnType != "auto")
      state.result = passed(state.result, returnType, statement.line);
    exits->returns.push_back(std::move(state));
    return {};
  case Kind::Break: exits->breaks.push_back(std::move(state)); return {};
  case Kind::Continue: exits->continues.push_back(std::move(state)); return {};
  }
  return {};
}

/// The statements of a brace list: what they declare is gone behind it.
States Walk::block(const std::vector<Statement> &statements, State state) {
  const std::set<std::string> names = namesIn(state);
  States made = list(statements, only(std::move(state)));
  keepNames(made, names);
  return made;
}

States Walk::branch(const Statement &statement, State state) {
  const std::string at = here(statement);
  Number truth = decided(state, number(statement.value, state));
  States made, holds, fails;
  divide(std::move(state), truth, holds, fails);
  for (bool way : {true, false})
    for (State &arm : way ? holds : fails)
      for (State &one : block(way ? statement.body : statement.otherwise, std::move(arm)))
        made.push_back(std::move(one));
  return joined(std::move(made), at);
}

States Walk::cases(const Statement &statement, State state) {
  Operand chosen = value(statement.value, state);
  if (chosen.kind != Operand::Kind::Scalar || !chosen.number.isConstant())
    refuse(statement.line, "which case of the switch it is, is not known");
  std::size_t entry = statement.cases.size(), other = entry;
  for (std::size_t i = 0; i < statement.cases.size(); ++i)
    for (const std::string &label : statement.cases[i].first) {
      if (label == "default") {
        other = i;
        continue;
      }
      auto known =
          std::find_if(scene.file.enumerators.begin(), scene.file.enumerators.end(), [&](const auto &enumerator) {
            Expression name;
            name.kind = Expression::Kind::Name;
            name.text = enumerator.first;
            return spell(name) == label;
          });
      if (known == scene.file.enumerators.end())
        refuse(statement.line, "a label of the switch is no enumerator of the file");
      if (known->second == chosen.number.constant)
        entry = i;
    }
  entry = entry == statement.cases.size() ? other : entry;
  Exits mine, *outer = exits;
  exits = &mine;
  const std::set<std::string> names = namesIn(state);
  States states = only(std::move(state));
  for (std::size_t i = entry; i < statement.cases.size(); ++i)
    states = list(statement.cases[i].second, std::move(states));
  exits = outer;
  std::move(mine.breaks.begin(), mine.breaks.end(), std::back_inserter(states));
  keepNames(states, names);
  std::move(mine.continues.begin(), mine.continues.end(), std::back_inserter(exits->continues));
  std::move(mine.returns.begin(), mine.returns.end(), std::back_inserter(exits->returns));
  return states;
}

void Walk::declare(const Statement &statement, State &state) {
  if (variable(statement.name, state) || variable(statement.name + "[0]", state))
    refuse(statement.line, "the name " + statement.name + " is declared twice");
  std::size_t bracket = statement.type.rfind('[');
  if (statement.type.size() > 1 && statement.type.back() == ']' && bracket != std::string::npos) {
    const std::string element = statement.type.substr(0, bracket);
    const std::string sized = statement.type.substr(bracket + 1, statement.type.size() - bracket - 2);
    const std::size_t count = static_cast<std::size_t>(std::max<std::int64_t>(0, writtenNumber(sized)));
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 64); ++i) {
      Operand made = fresh("element" + std::to_string(i), typeOf(element, statement.line));
      if (statement.hasValue && i < statement.value.children.size())
        made = cast(value(statement.value.children[i], state), element, statement.line);
      state.variables[statement.name + "[" + std::to_string(i) + "]"] = made;
    }
    return;
  }
  Operand made;
  if (!statement.hasValue)
    made = construct(statement.type, {}, statement.line);
  else if (statement.value.kind == Expression::Kind::Construct)
    made = value(statement.value, state);
  else if (statement.type.find('<') != std::string::npos) {
    made = value(statement.value, state);
    if (made.kind == Operand::Kind::Scalar || made.kind == Operand::Kind::Floating ||
        made.kind == Operand::Kind::Pointer)
      refuse(statement.line, "a number or a pointer of type " + statement.type);
  } else
    made = cast(value(statement.value, state), statement.type, statement.line);
  if (made.kind == Operand::Kind::Fifo) {
    if (statement.value.kind != Expression::Kind::Construct)
      refuse(statement.line, "a copy of a fifo");
    Operand pops;
    pops.kind = Operand::Kind::Scalar;
    pops.number = numbers.constant(0);
    state.variables[statement.name + ".pops"] = pops;
  }
  state.variables[statement.name] = made;
}

// --- what ways know, and how they join ---

bool Walk::isKnown(const State &state, const Number &notNegative) const {
  if (numbers.bounds(notNegative).low >= 0)
    return true;
  return std::any_of(state.known.begin(), state.known.end(),
                     [&](const Number &fact) { return numbers.bounds(numbers.add(notNegative, fact, -1)).low >= 0; });
}

Number Walk::decided(const State &state, const Number &given) const {
  std::map<int, Number> seen; // one && or || may be a part of many
  return decided(state, given, seen);
}

Number Walk::decided(const State &state, const Number &given, std::map<int, Number> &seen) const {
  const IntegerType boolean{1, false};
  Number truth = given;
  if (truth.type.bits != 1)
    truth = numbers.binary("!=", given, numbers.constant(0, given.type));
  if (truth.isConstant())
    return truth;
  auto [unknown, factor] = *truth.terms.begin();
  auto say = [&](bool holds) { return numbers.constant(holds == (factor > 0), boolean); };
  if (auto told = state.truths.find(unknown); told != state.truths.end())
    return say(told->second);
  const Unknown entry = numbers[unknown];
  if (entry.test == ">=") {
    if (isKnown(state, entry.parts[0]))
      return say(true);
    if (isKnown(state, numbers.add(numbers.constant(-1), entry.parts[0], -1)))
      return say(false);
  } else if (entry.test == "&&" || entry.test == "||") {
    auto [known, fresh] = seen.try_emplace(unknown, numbers.of(unknown, boolean));
    if (fresh) {
      Number a = decided(state, entry.parts[0], seen), b = decided(state, entry.parts[1], seen);
      const bool all = entry.test == "&&";
      const bool spoiled = (a.isConstant() && (a.constant != 0) != all) || (b.isConstant() && (b.constant != 0) != all);
      if (spoiled || (a.isConstant() && b.isConstant()))
        known->second = numbers.constant(spoiled != all, boolean);
    }
    if (known->second.isConstant())
      return say(known->second.constant != 0);
  }
  return truth;
}

void Walk::assume(State &state, const Number &truth, bool holds) const {
  if (truth.isConstant())
    return;
  auto [unknown, factor] = *truth.terms.begin();
  holds = holds == (factor > 0);
  if (auto told = state.truths.find(unknown); told != state.truths.end() && told->second == holds)
    return; // and its parts: of && and || each may be a part of many
  state.truths[unknown] = holds;
  const Unknown entry = numbers[unknown];
  if (entry.test == ">=")
    state.known.push_back(holds ? entry.parts[0] : numbers.add(numbers.constant(-1), entry.parts[0], -1));
  if ((entry.test == "&&" && holds) || (entry.test == "||" && !holds))
    for (const Number &part : entry.parts)
      assume(state, part, holds);
}

/// The way goes where its condition holds, where it fails, or to both if that is not known.
void Walk::divide(State state, const Number &truth, States &holds, States &fails) const {
  const bool known = truth.isConstant();
  if (!known || truth.constant != 0) {
    holds.push_back(known ? std::move(state) : state);
    assume(holds.back(), truth, true);
  }
  if (!known || truth.constant == 0) {
    fails.push_back(std::move(state));
    assume(fails.back(), truth, false);
  }
}

void Walk::merge(State &into, const State &more, const std::string &at) {
  const std::set<int> around(loops.begin(), loops.end());
  std::erase_if(into.variables, [&](const auto &entry) { return !more.variables.count(entry.first); });
  auto blend = [&](Operand &a, const Operand &b, const std::string &name) {
    if (sameOperand(a, b))
      return;
    if (!a.number.sameValue(b.number)) {
      Range x = numbers.bounds(a.number), y = numbers.bounds(b.number);
      auto [modulus, remainder] = numbers.congruence(a.number, b.number);
      Range all{std::min(x.low, y.low), std::max(x.high, y.high)};
      a.number = numbers.of(numbers.named("join:" + at + ":" + name, all, around, modulus, remainder), a.number.type);
    }
    if (a.kind != b.kind || a.tensor.bits != b.tensor.bits || a.tile.location != b.tile.location ||
        a.tile.rows != b.tile.rows || a.tile.columns != b.tile.columns)
      a.kind = Operand::Kind::Other;
    a.placed = a.placed && b.placed && a.base == b.base;
    a.base = a.base == b.base ? a.base : "";
    a.entry = std::min(a.entry, b.entry);
    a.text = a.text == b.text ? a.text : "";
    a.tile.validRows = a.tile.validRows == b.tile.validRows ? a.tile.validRows : -1;
    a.tile.validColumns = a.tile.validColumns == b.tile.validColumns ? a.tile.validColumns : -1;
    if (a.tensor.shape != b.tensor.shape || a.tensor.stride != b.tensor.stride)
      a.tensor = TensorShape{a.tensor.element, a.tensor.bits};
  };
  for (auto &[name, operand] : into.variables)
    blend(operand, more.variables.at(name), name);
  blend(into.result, more.result, "result");
  into.orders.join(more.orders);
  std::erase_if(into.truths, [&](const auto &entry) {
    auto found = more.truths.find(entry.first);
    return found == more.truths.end() || found->second != entry.second;
  });
  std::erase_if(into.known, [&](const Number &fact) { return !isKnown(more, fact); });
}

States Walk::joined(States states, const std::string &at) {
  if (states.size() < 2 || scene.apart.count(at))
    return states;
  for (std::size_t i = 1; i < states.size(); ++i)
    merge(states[0], states[i], at);
  states.resize(1);
  return states;
}

// --- loops ---

std::map<std::string, std::int64_t> Walk::valuesOf(const States &arriving, const std::set<std::string> &changes) const {
  std::map<std::string, std::int64_t> values;
  for (const std::string &name : changes) {
    const Operand &first = arriving[0].variables.at(name);
    if (first.kind == Operand::Kind::Scalar && first.number.isConstant() &&
        std::all_of(arriving.begin(), arriving.end(),
                    [&](const State &state) { return sameOperand(state.variables.at(name), first); }))
      values[name] = first.number.constant;
  }
  return values;
}

std::set<std::string> Walk::changed(const Statement &statement, const State &entry, State &round,
                                    const LoopRecord &record) {
  std::set<std::string> names;
  std::string counter;
  if (record.counted)
    stepOf(statement, round, counter);
  for (const auto &[name, operand] : entry.variables)
    if (name != counter && !sameOperand(round.variables.at(name), operand))
      names.insert(name);
  return names;
}

void Walk::enter(const Statement &statement, const State &entry, States &in, States &past) {
  const std::string at = here(statement);
  refuseEffects(statement.value); // it would stand at one place, but not within the same loops each time
  for (State &state : list(statement.before, only(entry))) {
    place = at;
    Number truth = numbers.constant(1, {1, false});
    if (statement.hasCondition)
      truth = decided(state, number(statement.value, state));
    divide(std::move(state), truth, in, past);
  }
  in = in.size() < 2 ? in : States{[&] {
    for (std::size_t i = 1; i < in.size(); ++i)
      merge(in[0], in[i], at + "in");
    return in[0];
  }()};
}

/// The step of a loop that counts by a constant, and what it counts with.
std::optional<std::int64_t> Walk::stepOf(const Statement &statement, State &state, std::string &name) {
  if (statement.otherwise.size() != 1)
    return std::nullopt;
  const Expression &step = statement.otherwise[0].value;
  if (step.children.empty() || step.children[0].kind != Expression::Kind::Name)
    return std::nullopt;
  name = step.children[0].text;
  if (step.kind == Expression::Kind::Unary && (step.text == "++" || step.text == "--"))
    return step.text == "++" ? 1 : -1;
  if (step.kind != Expression::Kind::Binary || (step.text != "+=" && step.text != "-=") || !isPlain(step.children[1]))
    return std::nullopt;
  Operand by = value(step.children[1], state);
  if (by.kind != Operand::Kind::Scalar || !by.number.isConstant() || by.number.constant == 0 ||
      by.number.constant != static_cast<std::int32_t>(by.number.constant))
    return std::nullopt;
  return step.text == "+=" ? by.number.constant : -by.number.constant;
}

/// The range of a bound that the counter of a loop gets to, in so many rounds as a loop may go.
///
///   (size_t) n, of an int32_t n: n, or 2^64 + n if n is negative. With the latter a loop from 0 would go round nearly
///   2^64 times, so n is its bound.
Range Walk::reached(const Number &limit, const Range &from, std::int64_t step) const {
  const Range all = numbers.bounds(limit);
  if (limit.terms.size() != 1 || limit.constant != 0 || limit.terms.begin()->second != 1)
    return all;
  const Unknown &entry = numbers[limit.terms.begin()->first];
  if (entry.test != "wrap" || limit.type.isSigned)
    return all;
  const Range before = numbers.bounds(entry.parts[0]);
  const Wide wrapped = (Wide{1} << entry.parts[0].type.bits) + before.low;
  const bool once = before.low >= -(Wide{1} << 32) && before.high <= (Wide{1} << 32);
  if (!once || (wrapped - 1 - from.high) / step <= kMostRounds)
    return all;
  return {std::max<Wide>(0, all.low), std::min<Wide>(all.high, std::max<Wide>(0, before.high))};
}

/// How often a turn that begins with the counter in that range may come round again, as the loop's own test says.
Wide Walk::mostRounds(const Statement &statement, const std::string &counter, const Range &from, std::int64_t step,
                      std::int64_t period, State &state) {
  const Expression &test = statement.value;
  if (!statement.hasCondition || test.kind != Expression::Kind::Binary || test.text != "<" || step <= 0 ||
      !isPlain(test) || test.children[0].kind != Expression::Kind::Name || test.children[0].text != counter ||
      names(test.children[1], counter))
    return kMostRounds;
  const Operand last = value(test.children[1], state);
  if (last.kind != Operand::Kind::Scalar)
    return kMostRounds; // a floating bound: of how far it is nothing is known
  const Number &limit = last.number;
  const IntegerType type = variable(counter, state)->number.type;
  Range bound = numbers.bounds(limit);
  const Range near = reached(limit, from, step);
  if (near.high < bound.high && !leavesEarly(statement.body) && !mayChange(statement.body, test.children[1]))
    bound = near;
  // Of two types the test compares in one that may turn a negative bound into a large one.
  const bool asIs = limit.type == type || bound.low >= 0;
  if (!asIs || (from.low < 0 && !type.isSigned))
    return kMostRounds;
  return std::clamp<Wide>((bound.high - 1 - from.low) / (step * period), 0, kMostRounds);
}

State Walk::begin(const Statement &statement, const State &entry, const LoopRecord &record, std::size_t turn) {
  const std::string at = here(statement), name = at + "#" + std::to_string(turn);
  const int loop = loopNumber(at);
  if (auto [known, fresh] = loopNames.try_emplace(loop, at); known->second != at)
    refuse(statement.line, "two loops have one number");
  State state = entry.with(record.turns[turn]->orders);
  std::set<int> around(loops.begin(), loops.end());
  around.insert(loop);
  for (const std::string &changed : record.changes) {
    Operand *operand = variable(changed, state);
    if (!operand)
      refuse(statement.line, "the certificate speaks of " + changed + ", which is not there");
    auto known = record.turns[turn]->values.find(changed);
    if (known != record.turns[turn]->values.end() && operand->kind == Operand::Kind::Scalar) {
      operand->number = numbers.constant(known->second, operand->number.type);
      continue;
    }
    if (operand->kind == Operand::Kind::Tile)
      operand->number.type = {64, false};
    operand->number = numbers.of(numbers.named("begin:" + name + ":" + changed, operand->number.type.range(), around),
                                 operand->number.type);
    operand->tile.validRows = operand->tile.validColumns = -1;
    operand->base = operand->kind == Operand::Kind::Tile ? operand->base : "";
    operand->placed = operand->placed && operand->kind == Operand::Kind::Tile;
    operand->entry = 0;
    if (operand->kind == Operand::Kind::Other || operand->kind == Operand::Kind::Fifo)
      operand->text.clear();
    operand->tensor = TensorShape{operand->tensor.element, operand->tensor.bits};
  }
  std::erase_if(state.truths, [&](const auto &entry) { return numbers[entry.first].loops.count(loop) != 0; });
  std::erase_if(state.known, [&](const Number &fact) { return numbers.loopsOf(fact).count(loop) != 0; });
  turns.erase(loop);
  if (!record.counted)
    return state;
  std::string counter;
  std::optional<std::int64_t> step = stepOf(statement, state, counter);
  Operand *operand = step ? variable(counter, state) : nullptr;
  if (!operand || operand->kind != Operand::Kind::Scalar || record.changes.count(counter))
    refuse(statement.line, "the loop does not count by a constant");
  State atEntry = entry.with({});
  if (stepOf(statement, atEntry, counter) != step)
    refuse(statement.line, "the loop does not always count by the same");
  Node::Turn mine;
  mine.begin = operand->number;
  mine.offset = static_cast<std::int64_t>(turn);
  mine.period = record.period;
  Number value = numbers.add(operand->number, numbers.constant(1), *step * mine.offset);
  if (turn >= static_cast<std::size_t>(record.first)) {
    const Wide most = mostRounds(statement, counter, numbers.bounds(value), *step, mine.period, state);
    mine.rounds = numbers.named("rounds:" + name, {0, most}, around);
    value = numbers.add(value, numbers.of(mine.rounds, {64, true}), *step * mine.period);
  }
  Range values = numbers.bounds(value), room = operand->number.type.range();
  bool mayWrap = !operand->number.type.isSigned || operand->number.type.bits < 32;
  if (mayWrap && (values.low < room.low || values.high > room.high))
    refuse(statement.line, "the counter may wrap");
  operand->number.terms = value.terms;
  operand->number.constant = value.constant;
  turns[loop] = mine;
  if (statement.hasCondition && isPlain(statement.value)) {
    Number truth = decided(state, number(statement.value, state));
    assume(state, truth, true);
  }
  return state;
}

void Walk::run(const Statement &statement, const State &entry, const LoopRecord &record, std::size_t turn,
               States &round, States &out) {
  const std::string at = here(statement);
  const int loop = loopNumber(at);
  State begun = begin(statement, entry, record, turn);
  const std::string outerNames = turnNames;
  Exits mine, *outer = exits;
  exits = &mine;
  loops.push_back(loop);
  turnNames += "." + std::to_string(turn);
  States ends = block(statement.body, begun.with(std::move(begun.orders)));
  std::move(mine.continues.begin(), mine.continues.end(), std::back_inserter(ends));
  std::move(mine.breaks.begin(), mine.breaks.end(), std::back_inserter(out));
  std::move(mine.returns.begin(), mine.returns.end(), std::back_inserter(outer->returns));
  std::string counter;
  for (State &end : ends) {
    std::erase_if(end.variables, [&](const auto &entry) { return !begun.variables.count(entry.first); });
    State atBegin = begun;
    if (record.counted && (stepOf(statement, end, counter) != stepOf(statement, atBegin, counter) ||
                           !variable(counter, end)->number.sameValue(begun.variables.at(counter).number)))
      refuse(statement.line, "the loop changes what it counts with");
    for (State &stepped : list(statement.otherwise, only(std::move(end)))) {
      place = at;
      Number truth = numbers.constant(1, {1, false});
      if (statement.hasCondition)
        truth = decided(stepped, number(statement.value, stepped));
      divide(std::move(stepped), truth, round, out);
    }
  }
  for (State &state : round)
    state.orders.age(
        loop,
        [&](const Instance &one) {
          const std::vector<int> &around = nodes[one.node].loops;
          auto mine = std::find(around.begin(), around.end(), loop);
          return mine != around.end() && (one.loop == 0 || std::find(mine, around.end(), one.loop) != around.end());
        },
        scene.ages);
  exits = outer;
  loops.pop_back();
  turns.erase(loop);
  turnNames = outerNames;
}

States Walk::left(const Statement &statement, const State &entry, States out) {
  for (State &state : out) {
    state.orders.leave(loopNumber(here(statement)));
    std::erase_if(state.variables, [&](const auto &one) { return !entry.variables.count(one.first); });
  }
  return joined(std::move(out), here(statement));
}

// --- the kernel ---

void Walk::kernel(const Function &function) {
  State state;
  Exits mine;
  exits = &mine;
  for (const Statement &constant : scene.file.constants)
    for (const State &made : one(constant, state))
      state = made;
  const auto references = std::count_if(function.parameters.begin(), function.parameters.end(),
                                        [](const Parameter &parameter) { return parameter.isReference(); });
  if (references > 1) // whoever calls it is not seen
    refuse(function.line, "two references that may be one variable");
  for (const Parameter &parameter : function.parameters) {
    if (parameter.name.empty())
      continue;
    place = "argument:" + parameter.name;
    Operand made = construct(parameter.type, {}, function.line);
    if (made.kind == Operand::Kind::Tensor || made.kind == Operand::Kind::Pointer) {
      made.base = parameter.name;
      // Where a pointer into the core's own memory leads, nobody knows.
      made.placed = made.kind == Operand::Kind::Tensor || machine.memoryOfQualifier(parameter.type) == "GM";
      made.number = numbers.constant(0);
    }
    state.variables[parameter.name] = made;
  }
  callers.insert(function.name);
  returnType = function.result;
  for (State &end : list(function.body, only(std::move(state))))
    ends(end);
  for (State &end : mine.returns)
    ends(end);
}

// --- syncs and instructions ---

Node Walk::node(const std::string &name, int pipe, int line) const {
  Node made;
  made.call = place + "/" + turnNames + "/" + name + (loads ? std::to_string(loads) : "");
  made.key = made.call + "@" + (pipe < 0 ? "end" : machine.pipes[pipe]);
  made.name = name;
  made.line = line;
  made.pipe = pipe;
  made.loops = loops;
  made.turns = turns;
  return made;
}

int Walk::nodeOf(const Node &made) {
  auto [entry, isNew] = scene.nodeByKey.try_emplace(made.key, static_cast<int>(nodes.size()));
  if (isNew)
    nodes.push_back(made);
  else if (nodes[entry->second].loops != made.loops || nodes[entry->second].pipe != made.pipe)
    throw Refused{made.key + " is in other loops than the certificate says"};
  else if (nodes[entry->second].name.empty())
    nodes[entry->second] = made; // a certificate has spoken of it already
  else if (!(nodes[entry->second].effects == made.effects && nodes[entry->second].turns == made.turns))
    throw Refused{made.key + " is not the same on all ways to it"};
  return entry->second;
}

void Walk::start(int node, int versions, State &state) {
  const std::size_t pipe = static_cast<std::size_t>(nodes[node].pipe);
  for (const auto &[instance, ways] : state.orders.running)
    for (const Way &way : ways)
      if (way.unknown[pipe] && (way.known[pipe] || versions == 2))
        lost.insert({instance, node});
}

void Walk::pend(int node, int versions, State &state) {
  // A wait of a fifo that touches nothing holds its pipe: nothing there starts before it is over.
  const Effects &effects = nodes[node].effects;
  const bool holdsPipe = effects.fence == "acquire" && effects.accesses.empty() && effects.pipes.size() == 1;
  Way way;
  way.unknown.set();
  way.unknown[nodes[node].pipe] = !holdsPipe;
  way.known[nodes[node].pipe] = holdsPipe;
  if (versions == 2 || scene.absolute)
    way.known.set(); // BEFORE has no such wait: whatever is said of it counts as ordered there
  Ways ways;
  ways.add(way);
  state.orders.running[{node, 0, 0}] = ways;
}

void Walk::barrier(int pipe, int versions, State &state) {
  state.orders.change(machine.pipes.size(), [&](const Instance &one, Way &way) {
    for (std::size_t p = 0; p < machine.pipes.size(); ++p)
      if (pipe < 0 || (static_cast<int>(p) == pipe && nodes[one.node].pipe == pipe)) {
        if (versions & 2)
          way.unknown[p] = false;
        if (versions & 1)
          way.known[p] = true;
      }
  });
}

/// The row becomes what is known behind everything on the pipe.
void Walk::copy(int pipe, int row, int versions, State &state) {
  state.orders.change(machine.pipes.size(), [&](const Instance &one, Way &way) {
    const bool own = nodes[one.node].pipe == pipe;
    if (versions & 2)
      way.unknown[row] = way.unknown[pipe] && !own;
    if (versions & 1)
      way.known[row] = way.known[pipe] || own;
  });
}

/// The pipe learns what the row knows.
void Walk::learn(int pipe, int row, int versions, State &state) {
  state.orders.change(machine.pipes.size(), [&](const Instance &, Way &way) {
    if (versions & 2)
      way.unknown[pipe] = way.unknown[pipe] && way.unknown[row];
    if (versions & 1)
      way.known[pipe] = way.known[pipe] || way.known[row];
  });
}

int Walk::pipeArgument(const Expression &expression, bool allowAll) const {
  if (allowAll && expression.text == "PIPE_ALL")
    return -1;
  int pipe = machine.pipe(expression.text);
  if (expression.kind != Expression::Kind::Name || pipe < 0)
    refuse(expression.line, "'" + expression.text + "' is no pipe");
  return pipe;
}

int Walk::idOf(const Expression &expression, State &state) {
  Operand id = value(expression, state);
  if (id.kind != Operand::Kind::Scalar || !id.number.isConstant())
    refuse(expression.line, "which id it is, is not known");
  return static_cast<int>(id.number.constant);
}

void Walk::sync(const Statement &statement, State &state) {
  const std::string &name = statement.value.text;
  const std::vector<Expression> &given = statement.value.children;
  if (!std::all_of(given.begin(), given.end(), isPlain))
    refuse(statement.line, "a sync with an argument that has effects");
  if (name == "pipe_barrier" && given.size() == 1)
    return barrier(pipeArgument(given[0], true), statement.versions, state);
  if (given.size() != 3)
    refuse(statement.line, "a sync of this form");
  name == "get_buf" || name == "rls_buf" ? buffer(statement, state) : flag(statement, state);
}

void Walk::flag(const Statement &statement, State &state) {
  const std::vector<Expression> &given = statement.value.children;
  const std::array<int, 3> flag{pipeArgument(given[0], false), pipeArgument(given[1], false), idOf(given[2], state)};
  if (flag[2] < 0 || flag[2] >= machine.eventIds() || flag[0] == flag[1])
    refuse(statement.line, "an event id that is not there, or a flag from a pipe to itself");
  const std::string text =
      "flag (" + machine.pipes[flag[0]] + ", " + machine.pipes[flag[1]] + ", " + std::to_string(flag[2]) + ")";
  const bool sets = statement.value.text == "set_flag", after = (statement.versions & 2) != 0;
  const int row = scene.row(flag), versions = statement.versions;
  Node made = node(statement.value.text + std::to_string(flag[2]), sets ? flag[0] : flag[1], statement.line);
  made.effects.flags = {{flag[0], flag[1], flag[2]}};
  std::map<int, int> &tokens = state.orders.tokens;
  if (sets) {
    if (after)
      start(nodeOf(made), versions, state);
    if (after && !tokens.emplace(row, 1).second)
      refuse(statement.line, text + " may be set already");
    return copy(flag[0], row, versions, state);
  }
  auto token = tokens.find(row);
  if (after && (token == tokens.end() || token->second != 1))
    refuse(statement.line, text + " may not be set");
  if (after)
    tokens.erase(token);
  const bool scalar = flag[1] == machine.pipe("PIPE_S");
  const int holding = scalar ? (scene.before.scalarHolds ? 1 : 0) | (scene.after.scalarHolds ? 2 : 0) : 0;
  learn(flag[1], row, versions, state);
  for (std::size_t p = 0; p < machine.pipes.size(); ++p)
    if (versions & holding)
      learn(static_cast<int>(p), row, versions & holding, state);
  state.orders.change(machine.pipes.size(), [&](const Instance &, Way &way) {
    way.unknown[row] = way.unknown[row] || after;
    way.known[row] = way.known[row] && (versions & 1) == 0;
  });
  made.waits = flag;
  if (after)
    pend(nodeOf(made), versions, state);
}

void Walk::buffer(const Statement &statement, State &state) {
  const std::vector<Expression> &given = statement.value.children;
  const int pipe = pipeArgument(given[0], false), id = idOf(given[1], state);
  if (idOf(given[2], state) != 0 || id < 0 || id >= machine.bufferIds())
    refuse(statement.line, "a buffer id of another mode, or that is not there");
  const int row = scene.row({pipe, -1, id});
  const bool after = (statement.versions & 2) != 0;
  if (statement.value.text == "rls_buf") {
    if (after && !state.orders.held.erase(row))
      refuse(statement.line, "a release without its get");
    return copy(pipe, row, statement.versions, state);
  }
  for (std::size_t p = 0; after && p < machine.pipes.size(); ++p)
    if (state.orders.held.count(scene.row({static_cast<int>(p), -1, id})))
      refuse(statement.line, "a get within a get");
  if (after)
    state.orders.held.insert(row);
  for (std::size_t p = 0; p < machine.pipes.size(); ++p)
    if (static_cast<int>(p) != pipe)
      learn(pipe, scene.row({static_cast<int>(p), -1, id}), statement.versions, state);
}

void Walk::instruction(const std::string &name, const std::vector<std::string> &templates,
                       const std::vector<Operand> &operands, State &state, int line) {
  Effects effects = machine.effects(name, templates, operands, scene.core, numbers, line);
  std::set<int> pipes = effects.pipes;
  const int scalar = machine.pipe("PIPE_S");
  if (effects.fence == "all")
    for (std::size_t p = 0; p < machine.pipes.size(); ++p)
      pipes.insert(static_cast<int>(p));
  else if (!effects.fence.empty())
    pipes.insert(scalar);
  for (const auto &flag : effects.flags)
    if (state.orders.tokens.count(scene.row({int(flag[0]), int(flag[1]), int(flag[2])})))
      refuse(line, name + " uses a flag inside that may be set");
  std::string shape;
  for (const Access &access : effects.accesses)
    shape += access.memory + access.base + numbers.show(access.address) +
             (access.bytes ? std::to_string(access.bytes->rows) + "x" + std::to_string(access.bytes->rowBytes) + "x" +
                                 std::to_string(access.bytes->stride)
                           : "*") +
             (access.exact ? "x" : "") + access.order + std::to_string(access.tile.validRows) + "," +
             std::to_string(access.tile.validColumns) + (access.inEntry ? "e" : ",") +
             std::to_string(access.tile.rows) + "," + std::to_string(access.tile.columns) + "," + access.tile.element +
             (access.tile.rowMajor ? "r" : "c") + (access.reads ? "R" : "") + (access.writes ? "W" : "") +
             (access.scratch ? "S" : "");
  shape += effects.fence + effects.fifo + effects.fifoFlags + std::to_string(effects.fractals) + "," +
           std::to_string(effects.inputBits) + "," + std::to_string(effects.flags.size());
  std::vector<int> made;
  for (int pipe : pipes) {
    Node one = node(name, pipe, line);
    one.key += ":" + hashOf(shape);
    one.effects = effects;
    if (!effects.pipes.count(pipe) && !effects.pipes.empty())
      one.effects.accesses.clear();
    made.push_back(nodeOf(one));
  }
  for (int one : made)
    start(one, 3, state);
  for (int one : made)
    pend(one, 3, state);
  const int ordering = (scene.before.insideOrders ? 1 : 0) | (scene.after.insideOrders ? 2 : 0);
  if (ordering)
    for (auto [from, to] : effects.mayOrder)
      state.orders.change(machine.pipes.size(), [&, from = from, to = to](const Instance &one, Way &way) {
        const bool own = nodes[one.node].pipe == from;
        if (ordering & 2)
          way.unknown[to] = way.unknown[to] && way.unknown[from] && !own;
        if (ordering & 1)
          way.known[to] = way.known[to] || way.known[from] || own;
      });
}

void Walk::ends(State &state) {
  if (!state.orders.tokens.empty())
    throw Refused{"the kernel may end with a flag set"};
  if (!state.orders.held.empty())
    throw Refused{"the kernel may end within a get"};
  for (const auto &[instance, ways] : state.orders.running) {
    const int pipe = nodes[instance.node].pipe;
    if (pipe == machine.pipe("PIPE_S"))
      continue; // the scalar unit itself ends the kernel
    for (const Way &way : ways) {
      bool nobody = true, somebody = false;
      for (int p = 0; p < static_cast<int>(machine.pipes.size()); ++p) {
        nobody = nobody && (p == pipe || way.unknown[p]);
        somebody = somebody || (p != pipe && way.known[p]);
      }
      if (nobody && somebody)
        lost.insert({instance, -1});
    }
  }
}

int Scene::row(const std::array<int, 3> &of) {
  auto [entry, fresh] = rowOf.try_emplace(of, static_cast<int>(machine.pipes.size() + rowOf.size()));
  if (entry->second >= static_cast<int>(kRows))
    throw Refused{"too many flags and buffer ids"};
  return entry->second;
}

} // namespace ptosync::check
