// Evaluator: arithmetic on addresses of arguments.
#include "replay/evaluator.h"

#include "replay/relation.h"
#include "replay/value_choices.h"

#include <algorithm>

namespace ptosync::replay {
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

/// What the sum of two forms is; empty if the operator does not keep addresses apart.
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
Value Evaluator::addressed(ExpressionId id, const Expression &e, Value left, Value right) {
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
    const bool itself = place && tested.origin < Origin::Sampled && tested.bits == addressOfArgument(*place);
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
  const Value index = evaluate(id);
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
