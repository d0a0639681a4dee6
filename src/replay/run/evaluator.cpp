#include "replay/run/evaluator.h"

#include "kernel/expression.h"
#include "replay/number/value.h"

#include <algorithm>

namespace ptosync::replay {

std::int64_t Inputs::addressOf(std::uint32_t pointer) const {
  auto other = sameBuffer.find(pointer);
  return addressOfArgument(other == sameBuffer.end() ? pointer : other->second);
}

std::int64_t Inputs::argument(std::uint32_t number) const {
  auto given = arguments.find(number);
  return given == arguments.end() ? 1 : given->second;
}

std::int64_t Inputs::query(const std::string &name) const {
  auto given = queries.find(name);
  if (given != queries.end())
    return given->second;
  return name == "get_block_num" || name == "get_subblocknum" || name == "get_subblockdim" ? 1 : 0;
}

std::int64_t MemoryContents::at(std::uint64_t key) const {
  if (chosen)
    if (auto value = chosen->find(key); value != chosen->end())
      return value->second;
  if (seed < 2)
    return static_cast<std::int64_t>(seed);
  if (seed <= kLastMixed)
    return pool[mix(seed, key) % pool.size()];
  std::uint64_t step = seed - kLastMixed - 1; // 8, 12, 16, 24, 32, ...
  return std::int64_t{step % 2 ? 3 : 2} << (step / 2 + 2);
}

std::string describe(const Inputs &inputs, const Kernel &kernel) {
  std::map<std::uint32_t, std::string> names;
  for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
    if (const Expression &e = kernel.expressions[id]; e.kind == Expression::Kind::Parameter)
      names[static_cast<std::uint32_t>(e.constant)] = e.name;
  std::string text;
  auto add = [&](const std::string &name, std::int64_t value) {
    text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(value);
  };
  for (auto [number, value] : inputs.arguments)
    if (auto name = names.find(number); name != names.end())
      add(name->second, value);
  for (const auto &[name, value] : inputs.queries)
    add(name + "()", value);
  for (auto [pointer, other] : inputs.sameBuffer)
    text += (text.empty() ? "" : ", ") + names[pointer] + " and " + names[other] + " one buffer";
  if (inputs.seed)
    text += (text.empty() ? "" : ", ") + std::string("memory contents ") + std::to_string(inputs.seed);
  std::set<std::int64_t> loaded;
  for (const auto &[key, value] : inputs.loaded)
    loaded.insert(value);
  for (std::int64_t value : loaded)
    text += (text.empty() ? "" : ", ") + std::string("a loaded value ") + std::to_string(value);
  return text.empty() ? "no arguments" : text;
}

std::optional<std::uint32_t> AddressForm::place() const {
  return isSum() && sum.size() == 1 && sum.begin()->second == 1 ? std::optional(sum.begin()->first) : std::nullopt;
}

std::set<std::uint32_t> AddressForm::arguments() const {
  std::set<std::uint32_t> all = computed;
  for (const auto &[argument, times] : sum)
    all.insert(argument);
  return all;
}

bool AddressForm::isRelative() const {
  std::int64_t total = 0;
  for (const auto &[argument, times] : sum)
    total = wrappedSum(total, times);
  return total == 0 && !outside && (computed.empty() || relative);
}

AddressForm addressOf(std::uint32_t argument) {
  AddressForm form;
  form.sum[argument] = 1;
  return form;
}

AddressForm sumOf(const AddressForm &a, std::int64_t times, const AddressForm &b) {
  AddressForm result = a;
  for (const auto &[argument, own] : b.sum) {
    std::int64_t &total = result.sum[argument];
    total = wrappedSum(total, times, own);
    if (total == 0)
      result.sum.erase(argument);
  }
  if (times != 0) {
    const bool first = a.computed.empty() || a.relative, second = b.computed.empty() || b.relative;
    result.relative = first && second && !(a.computed.empty() && b.computed.empty());
    result.computed.insert(b.computed.begin(), b.computed.end());
    result.outside = result.outside || b.outside;
  }
  return result;
}

AddressForm computedFrom(const AddressForm &a, const AddressForm &b) {
  AddressForm result;
  result.computed = a.arguments();
  result.computed.merge(b.arguments());
  result.outside = a.outside || b.outside;
  result.relative = !result.computed.empty() && a.isRelative() && b.isRelative();
  return result;
}

std::uint32_t AddressForms::operator()(const AddressForm &form) {
  auto [known, inserted] = numbers.try_emplace(form, static_cast<std::uint32_t>(forms.size()));
  if (inserted)
    forms.push_back(&known->first);
  return known->second;
}

namespace {

Origin larger(Origin a, Origin b) { return std::max(a, b); }

} // namespace

ScalarFacts::ScalarFacts(const Kernel &kernel, const Machine &machine)
    : regions(kernel.variables.size()), largestTensor(machine.largestTensor()) {
  escaped.computed = kernel.escaped;
  escaped.outside = kernel.addressesInMemory;
  pointerArguments = ptosync::pointerArguments(kernel);
  for (const Tile &tile : kernel.tiles)
    if (std::optional<std::size_t> space = machine.spaceOfTile(tile.location))
      regions[tile.address] = Region::space(*space);
}

Evaluator::Evaluator(const Kernel &kernel, const ScalarFacts &facts, const Inputs &inputs, MemoryContents contents)
    : kernel(kernel), facts(facts), inputs(inputs), contents(std::move(contents)),
      variables(kernel.variables.size(), Value{0, Origin::Unknown, {}}) {
  decisions.related = kernel.related;
}

void Evaluator::startDraws(std::uint64_t key, std::uint64_t instance) {
  drawKey = key;
  drawInstance = instance;
  drawCount = 0;
}

Value Evaluator::unknown(IntegerType type) {
  lastDrawn = mix(drawKey, drawCount);
  Value value{wrapTo(type, contents.at(lastDrawn)), contents.asDrawn ? Origin::Argument : Origin::Unknown, {}};
  if (!contents.asDrawn) {
    value.range = rangeOf(type);
    relateToItself(value, drawnBase(drawInstance, drawCount));
  }
  ++drawCount;
  if (type.bits == 1)
    return contents.asDrawn ? value : fewOf(value);
  value.form = facts.escaped.plain() ? 0 : forms(facts.escaped);
  return value;
}

/// The next draw, as the value of an expression.
Value Evaluator::drawn(ExpressionId id) {
  Value value = unknown(kernel.expressions[id].type);
  if (recorded)
    recorded->push_back({TapeEntry::Kind::Draw, id, value.bits, lastDrawn});
  return value;
}

/// The value in `type`. What does not fit keeps no offset: it wraps.
Value Evaluator::convert(Value value, IntegerType type) {
  value.bits = wrapTo(type, value.bits);
  if (type.bits == 64)
    return value;
  if (value.form != 0) // a part of an address is no place in what it leads to
    value = formed(loosened(value, kAddress), computedFrom(forms[value.form], {}));
  value.bits = wrapTo(type, value.bits);
  value.region = {};
  value.wide = false;
  if (value.choices)
    return sampled(value, changed(*value.choices, [&](std::int64_t one) { return wrapTo(type, one); }));
  if (value.origin != Origin::Unknown)
    return value;
  if (fits(value.range, type))
    return value;
  narrow(value, type);
  const std::uint32_t form = value.form;
  value = settled(value, type);
  value.form = form;
  return value;
}

void Evaluator::assign(VariableId id, Value value) {
  variables[id] = convert(std::move(value), kernel.variables[id].type);
}

Value Evaluator::evaluate(ExpressionId id) {
  if (id == kNone)
    return unknown({});
  const Expression &e = kernel.expressions[id];
  switch (e.kind) {
  case Expression::Kind::Constant: return {e.constant, Origin::Fixed, {}};
  case Expression::Kind::Variable: {
    Value value = variables[e.variable];
    if (facts.regions[e.variable].known())
      value.region = facts.regions[e.variable];
    return value;
  }
  case Expression::Kind::Unary: return unary(id, e);
  case Expression::Kind::Binary: return binary(id, e);
  case Expression::Kind::Cast: return cast(e);
  case Expression::Kind::Select: return select(id, e);
  case Expression::Kind::ArrayElement: return element(id, e);
  case Expression::Kind::Parameter: return parameter(e);
  case Expression::Kind::Query: return query(e);
  case Expression::Kind::Opaque: break;
  }
  return drawn(id);
}

Value Evaluator::cast(const Expression &e) {
  Value value = evaluate(e.operands[0]);
  if (e.type.bits == 1 && value.form != 0) {
    relate(forms[value.form].arguments(), facts.pointerArguments);
    value = loosened(value, kAddress);
    value.form = 0;
  }
  if (e.type.bits == 0) { // no integer any more
    const std::uint32_t form = value.form;
    value = {value.bits, Origin::Unknown, {}};
    value.form = form;
  } else if (e.type.bits == 1 && value.origin == Origin::Unknown) {
    return sampled({value.bits != 0, Origin::Sampled, {}}, nonzero(value));
  }
  return convert(value, e.type);
}

Value Evaluator::unary(ExpressionId id, const Expression &e) {
  Value value = evaluate(e.operands[0]);
  value.wide = false;
  if (value.form != 0 && e.op == Operator::Negate) { // what is left of 0
    Expression difference = e;
    difference.kind = Expression::Kind::Binary;
    difference.op = Operator::Subtract;
    difference.operands = {e.operands[0], e.operands[0], kNone};
    return addressed(id, difference, {0, Origin::Fixed, {}}, value);
  }
  const std::uint32_t form = value.form == 0 ? 0 : forms(computedFrom(forms[value.form], {}));
  if (value.form != 0) {
    if (e.op == Operator::LogicalNot)
      relate(forms[form].arguments(), facts.pointerArguments);
    value = loosened(value, kernel.expressions[e.operands[0]].type);
    value.form = 0;
  }
  auto compute = [&](std::int64_t bits) -> std::int64_t {
    switch (e.op) {
    case Operator::Negate: return wrapTo(e.type, wrappedDifference(0, bits));
    case Operator::BitNot: return wrapTo(e.type, ~bits);
    default: return bits == 0;
    }
  };
  value.region = {};
  if (value.choices)
    return sampled({compute(value.bits), Origin::Sampled, {}}, changed(*value.choices, compute));
  if (value.origin == Origin::Unknown && e.op != Operator::Negate && e.op != Operator::BitNot)
    return sampled({compute(value.bits), Origin::Sampled, {}}, changed(nonzero(value), compute));
  if (value.origin < Origin::Sampled) {
    value.bits = compute(value.bits);
    return value;
  }
  // What is left of 0, or of the number with all bits.
  const Value from = described({e.op == Operator::Negate ? 0 : wrapTo(e.type, -1), Origin::Fixed, {}});
  Value result{compute(value.bits), Origin::Unknown, {}};
  result.range = rangeOf(Operator::Subtract, e.type, from.range, value.range, e.type);
  relateResult(result, Operator::Subtract, e.type, from, value);
  result.form = form;
  return result;
}

Value Evaluator::binary(ExpressionId id, const Expression &e) {
  const Value left = evaluate(e.operands[0]), right = evaluate(e.operands[1]);
  const bool plain = left.form == 0 && right.form == 0;
  Value result = plain ? arithmetic(id, e, left, right) : addressed(id, e, left, right);
  if (e.type.bits == 1)
    result.origin < Origin::Sampled ? noteNumber(id, result) : noteAllNumbers(id);
  const bool sum = e.op == Operator::Add || e.op == Operator::Subtract;
  result.wide = sum && e.type.bits == 64 && (left.wide || right.wide);
  result.far = goesFar(e, result, left, right);
  return result;
}

Value Evaluator::arithmetic(ExpressionId id, const Expression &e, const Value &first, const Value &second) {
  Value left = first, right = second;
  const IntegerType operands = kernel.expressions[e.operands[0]].type;
  Value result;
  if (!applyOperator(e.op, operands, left.bits, right.bits, result.bits))
    return drawn(id);
  if (operands.isSigned && operands.bits >= 32 && e.op <= Operator::Multiply)
    noteOverflow(e.op, operands, left.bits, right.bits);
  result.origin = larger(left.origin, right.origin);
  if (e.type.bits == 64 && (e.op == Operator::Add || e.op == Operator::Subtract)) {
    if (!right.region.known())
      result.region = left.region;
    else if (!left.region.known() && e.op == Operator::Add)
      result.region = right.region;
  }
  if (result.origin < Origin::Sampled)
    return result;
  if (std::optional<Choices> choices = binaryChoices(e.op, operands, left, right))
    return sampled(result, std::move(*choices));
  left = described(left);
  right = described(right);
  result.origin = Origin::Unknown;
  result.range = rangeOf(e.op, operands, left.range, right.range, e.type);
  relateResult(result, e.op, e.type, left, right);
  if (result.base() == 0 && left.base() != 0 && right.base() != 0) // x - x
    return {result.bits, Origin::Argument, result.region};
  return fewOf(settled(result, e.type));
}

void Evaluator::noteOverflow(Operator op, IntegerType type, std::int64_t left, std::int64_t right) {
  std::int64_t exact = 0;
  const bool wide = op == Operator::Add        ? __builtin_add_overflow(left, right, &exact)
                    : op == Operator::Subtract ? __builtin_sub_overflow(left, right, &exact)
                                               : __builtin_mul_overflow(left, right, &exact);
  overflow = overflow || wide || wrapTo(type, exact) != exact;
}

void Evaluator::noteArms(ExpressionId choice, std::uint8_t taken) {
  if (choice >= arms.size())
    arms.resize(kernel.expressions.size());
  arms[choice] |= taken;
}

void Evaluator::noteNumber(ExpressionId number, const Value &value) {
  if (number >= numbers.size())
    numbers.resize(kernel.expressions.size());
  if (value.bits >= 0 && value.bits < 64)
    numbers[number] |= std::uint64_t{1} << value.bits;
}

void Evaluator::noteAllNumbers(ExpressionId number) {
  noteNumber(number, {});
  numbers[number] = ~std::uint64_t{0};
}

/// Takes both arms for a number, and of pointers the one that the contents lead to.
Value Evaluator::select(ExpressionId id, const Expression &e) {
  const Value condition = evaluate(e.operands[0]);
  noteArms(id, condition.bits ? 1 : 2);
  if (condition.origin < Origin::Sampled)
    return evaluate(e.operands[condition.bits ? 1 : 2]);
  const Value whenTrue = evaluate(e.operands[1]), whenFalse = evaluate(e.operands[2]);
  const Value &taken = condition.bits ? whenTrue : whenFalse;
  const std::optional<Choices> one = choicesOf(whenTrue), other = choicesOf(whenFalse);
  if (one && other && whenTrue.region == whenFalse.region && whenTrue.form == whenFalse.form)
    if (std::optional<Choices> choices = picked(nonzero(condition), *one, *other)) {
      noteArms(id, 3);
      return formed(sampled(taken, std::move(*choices)), forms[taken.form]);
    }
  if (whenTrue.region.known() || whenFalse.region.known() || whenTrue.form != 0 || whenFalse.form != 0) {
    decide(condition);
    return taken;
  }
  noteArms(id, 3);
  const Value first = described(whenTrue), second = described(whenFalse);
  Value either = eitherOf(condition, first, second);
  either.range = chosenRange(e, either.range, first.range, second.range);
  either = fewOf(either);
  either.far = first.far || second.far;
  return either;
}

/// `a < b ? b : a` is the larger one, `a < b ? a : b` the smaller.
Range Evaluator::chosenRange(const Expression &e, const Range &either, const Range &whenTrue,
                             const Range &whenFalse) const {
  const Expression &test = kernel.expressions[e.operands[0]];
  if (test.kind != Expression::Kind::Binary || !isComparison(test.op) || test.op == Operator::Equal ||
      test.op == Operator::NotEqual)
    return either;
  const IntegerType type = kernel.expressions[test.operands[0]].type;
  const bool asBounded = type.isSigned || type.bits < 64 || (whenTrue.low >= 0 && whenFalse.low >= 0);
  const bool swapped = test.op == Operator::Greater || test.op == Operator::GreaterEqual;
  const ExpressionId below = test.operands[swapped ? 1 : 0], above = test.operands[swapped ? 0 : 1];
  if (!asBounded || type != e.type)
    return either;
  if (isSame(below, e.operands[2]) && isSame(above, e.operands[1]))
    return within(either, std::max(whenTrue.low, whenFalse.low), either.high);
  if (isSame(below, e.operands[1]) && isSame(above, e.operands[2]))
    return within(either, either.low, std::min(whenTrue.high, whenFalse.high));
  return either;
}

/// Returns true if the two are written alike and name one value.
bool Evaluator::isSame(ExpressionId one, ExpressionId other) const {
  const Expression &a = kernel.expressions[one], &b = kernel.expressions[other];
  if (a.kind != b.kind || a.type != b.type)
    return false;
  switch (a.kind) {
  case Expression::Kind::Constant:
  case Expression::Kind::Parameter: return a.constant == b.constant;
  case Expression::Kind::Variable: return a.variable == b.variable;
  case Expression::Kind::Cast: return isSame(a.operands[0], b.operands[0]);
  default: return false;
  }
}

Value Evaluator::sampled(const Value &value, Choices choices) {
  if (std::all_of(choices.values.begin(), choices.values.end(),
                  [&](std::int64_t one) { return one == choices.values.front(); }))
    return {value.bits, Origin::Argument, value.region};
  Value result{value.bits, Origin::Sampled, value.region};
  result.choices = &*knownChoices.insert(std::move(choices)).first;
  return result;
}

/// All bits of a number may be left: 256 times any of 8 bits is 0.
Value Evaluator::settled(const Value &value, IntegerType type) {
  return type.bits >= 8 && value.residue.bits >= type.bits ? Value{value.bits, Origin::Argument, value.region} : value;
}

/// A number between close bounds is one of those in between.
Value Evaluator::fewOf(const Value &value) {
  std::optional<Choices> choices = fewBetweenBounds(value);
  return choices ? sampled(value, std::move(*choices)) : value;
}

void Evaluator::decide(const Value &value) {
  if (value.origin < Origin::Sampled)
    return;
  byMemory = true;
  if (value.choices)
    decisions.roots.insert(value.choices->root);
  for (const Congruence &sum : value.sums)
    decisions.roots.insert(sum.root);
  decisions.roots.erase(0);
}

Value Evaluator::element(ExpressionId id, const Expression &e) {
  Value index = evaluateIndex(e.operands[0]);
  noteNumber(e.operands[0], index);
  if (index.bits < 0 || index.bits >= e.count)
    return drawn(id);
  Value value = variables[e.variable + static_cast<VariableId>(index.bits)];
  if (index.origin < Origin::Sampled)
    return value;
  if (std::optional<Choices> choices = elementChoices(e, index)) {
    noteAllNumbers(e.operands[0]);
    return sampled(value, std::move(*choices));
  }
  decide(index);
  return value;
}

/// Returns the values of an array of known values. An index outside is undefined in C++: it may be any.
std::optional<Choices> Evaluator::elementChoices(const Expression &e, const Value &index) const {
  std::vector<std::int64_t> values;
  for (std::uint32_t i = 0; i < e.count; ++i) {
    const Value &value = variables[e.variable + i];
    if (value.origin >= Origin::Sampled || value.form != 0 || !(value.region == variables[e.variable].region))
      return std::nullopt;
    values.push_back(value.bits);
  }
  const auto count = static_cast<std::int64_t>(e.count);
  const std::optional<Choices> which = index.choices ? *index.choices : residuesOf(index, count, false);
  if (!which)
    return std::nullopt;
  return changed(*which, [&](std::int64_t at) {
    return values[static_cast<std::size_t>(at < 0 || at >= count ? index.bits : at)];
  });
}

Value Evaluator::parameter(const Expression &e) {
  auto number = static_cast<std::uint32_t>(e.constant);
  if (facts.pointerArguments.count(number))
    return formed({inputs.addressOf(number), Origin::Fixed, {}}, addressOf(number));
  Value value{wrapTo(e.type, inputs.argument(number)), Origin::Argument, {}};
  value.wide = e.type.bits == 64;
  if (inputs.open.count(number)) {
    value.origin = Origin::Unknown;
    const NumberBounds assumed = boundsOf(kernel.assumptions, e);
    value.range = within(rangeOf(e.type), assumed.lowest, assumed.highest);
    relateToItself(value, argumentBase(number));
  }
  return value;
}

Value Evaluator::query(const Expression &e) const {
  Value value{wrapTo(e.type, inputs.query(e.name)), Origin::Argument, {}};
  value.wide = e.type.bits == 64;
  return value;
}

namespace {

constexpr std::uint64_t kOfAddress = 0x61646472;

bool isZero(const Value &value) { return value.origin < Origin::Sampled && value.form == 0 && value.bits == 0; }

} // namespace

/// The value with a form, and the region that follows from it. One that memory or a FIFO has given stays.
Value Evaluator::formed(Value value, const AddressForm &form) {
  value.form = form.plain() ? 0 : forms(form);
  const std::optional<std::uint32_t> place = form.place();
  if (!place)
    value.region = value.region.isArgument() ? Region{} : value.region;
  else if (!value.region.isArgument() || value.region.argumentNumber() != *place)
    value.region = Region::argument(*place);
  return value;
}

/// Returns the sum of two forms; empty if the operator does not keep addresses apart.
std::optional<AddressForm> Evaluator::linear(const Expression &e, const Value &left, const Value &right) const {
  const AddressForm &first = forms[left.form], &second = forms[right.form];
  auto known = [](const Value &value) { return value.form == 0 && value.origin < Origin::Sampled; };
  if (e.type.bits != 64)
    return std::nullopt;
  switch (e.op) {
  case Operator::Add: return sumOf(first, 1, second);
  case Operator::Subtract: return sumOf(first, -1, second);
  case Operator::Multiply:
    return known(right)  ? std::optional(sumOf({}, right.bits, first))
           : known(left) ? std::optional(sumOf({}, left.bits, second))
                         : std::nullopt;
  case Operator::ShiftLeft:
    if (known(right) && right.bits >= 0 && right.bits < 63)
      return sumOf({}, std::int64_t{1} << right.bits, first);
    return std::nullopt;
  default: return std::nullopt;
  }
}

/// A binary operator, one of whose operands at least was made from addresses.
Value Evaluator::addressed(ExpressionId id, const Expression &e, const Value &left, const Value &right) {
  if (isComparison(e.op))
    return compareAddresses(id, e, left, right);
  relate(forms[left.form].arguments(), forms[right.form].arguments());
  const bool sums = forms[left.form].isSum() && forms[right.form].isSum();
  if (std::optional<AddressForm> form = sums ? linear(e, left, right) : std::nullopt)
    return formed(arithmetic(id, e, left, right), *form);
  const AddressForm form = computedFrom(forms[left.form], forms[right.form]);
  const IntegerType operands = kernel.expressions[e.operands[0]].type;
  return formed(arithmetic(id, e, loosened(left, operands), loosened(right, operands)), form);
}

Value Evaluator::compareAddresses(ExpressionId id, const Expression &e, const Value &left, const Value &right) {
  const AddressForm &first = forms[left.form], &second = forms[right.form];
  const bool sums = first.isSum() && second.isSum();
  const AddressForm difference = sums ? sumOf(first, -1, second) : computedFrom(first, second);
  const bool equality = e.op == Operator::Equal || e.op == Operator::NotEqual;
  auto tests = [&](const Value &tested, const Value &other) {
    const std::optional<std::uint32_t> place = forms[tested.form].place();
    const bool itself = place && tested.origin < Origin::Sampled && tested.bits == inputs.addressOf(*place);
    return equality && isZero(other) && place && (itself || e.sense == Expression::Sense::NullTest);
  };
  // Of two places in one tensor, and of a pointer that may be null, this run's numbers are as good as any.
  if (difference.plain() || tests(left, right) || tests(right, left)) {
    Value result = arithmetic(id, e, left, right);
    result.region = {};
    return result;
  }
  const std::set<std::uint32_t> compared = difference.arguments();
  relate(compared, compared);
  const bool withAddress = sums ? compared.size() > 1 : !first.arguments().empty() && !second.arguments().empty();
  if (!(first.isRelative() && second.isRelative()) && (!withAddress || compared.size() == 1))
    relate(compared, facts.pointerArguments);
  const IntegerType operands = kernel.expressions[e.operands[0]].type;
  Value result = arithmetic(id, e, loosened(left, operands), loosened(right, operands));
  result.form = 0;
  result.region = {};
  return result;
}

/// The value as one that the run's contents draw, the same one whenever it is made in the same way.
Value Evaluator::loosened(const Value &value, IntegerType type) {
  if (value.form == 0 || value.origin == Origin::Unknown)
    return value;
  if (contents.asDrawn) { // with the addresses of this run it is this number
    Value exact{wrapTo(type, value.bits), Origin::Argument, {}};
    exact.form = value.form;
    return exact;
  }
  const std::uint64_t root = mix(kOfAddress, keyOf(described(value)));
  Value loose{wrapTo(type, contents.at(root)), Origin::Unknown, {}};
  loose.range = rangeOf(type);
  relateToItself(loose, root);
  loose.form = value.form;
  if (recorded)
    recorded->push_back({TapeEntry::Kind::Loosened, 0, loose.bits, root});
  return loose;
}

void Evaluator::relate(const std::set<std::uint32_t> &some, const std::set<std::uint32_t> &others) {
  for (std::uint32_t one : some)
    for (std::uint32_t other : others)
      if (one != other)
        decisions.related.insert({std::min(one, other), std::max(one, other)});
}

Value Evaluator::evaluateIndex(ExpressionId id) {
  Value index = evaluate(id);
  if (index.form == 0)
    return index;
  relate(forms[index.form].arguments(), facts.pointerArguments);
  Value loose = loosened(index, kernel.expressions[id].type);
  loose.form = 0;
  return loose;
}

/// True for a number that is, or may be, beyond every tensor; of a sum of addresses, for what else is in it.
bool Evaluator::goesFar(const Value &value) const {
  if (value.far || value.origin != Origin::Fixed)
    return value.far;
  std::int64_t number = value.bits;
  if (value.form != 0) {
    if (!forms[value.form].isSum())
      return false;
    for (const auto &[argument, times] : forms[value.form].sum)
      number = wrappedSum(number, -times, addressOfArgument(argument));
  }
  return number >= facts.largestTensor || number <= -facts.largestTensor;
}

bool Evaluator::goesFar(const Expression &e, const Value &result, const Value &left, const Value &right) const {
  if (isComparison(e.op) || facts.largestTensor == INT64_MAX)
    return false;
  const bool sum = e.op == Operator::Add || e.op == Operator::Subtract;
  const bool distance = sum && e.sense != Expression::Sense::Index && result.form != 0 &&
                        ((left.form == 0 && left.wide) || (right.form == 0 && right.wide));
  if (result.form != 0)
    return result.origin == Origin::Fixed ? false : distance || goesFar(left) || goesFar(right);
  auto beyond = [&](std::int64_t number) { return number >= facts.largestTensor || number <= -facts.largestTensor; };
  const bool shifts = e.op == Operator::ShiftLeft && right.origin == Origin::Fixed && right.bits >= 0 &&
                      right.bits < 63 && beyond(std::int64_t{1} << right.bits);
  if (!shifts && !goesFar(left) && !goesFar(right))
    return false;
  switch (result.origin) {
  case Origin::Fixed: return false; // its bits say so
  case Origin::Argument: return beyond(result.bits);
  case Origin::Sampled: return std::any_of(result.choices->values.begin(), result.choices->values.end(), beyond);
  case Origin::Unknown: return beyond(result.range.low) || beyond(result.range.high);
  }
  return true;
}

} // namespace ptosync::replay
