// ScalarAlgebra: results of values that are one of a few, or step through a table.
#include "ordering/scalar_value.h"

#include "ordering/iteration_shape.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ptosync {

/// Both sides step through tables of one loop: so does the result.
std::optional<ScalarValue> ScalarAlgebra::tabulate(Operator op, IntegerType type, const ScalarValue &a,
                                                   const ScalarValue &b) {
  LoopId loop = kNone;
  std::size_t period = 1;
  for (const ScalarValue *side : {&a, &b}) {
    if (side->modulus)
      return std::nullopt;
    for (const Term &term : side->terms) {
      const Atom &entry = atoms[term.atom];
      if (entry.kind != Atom::Kind::Table || entry.scope == kNone || (loop != kNone && entry.scope != loop))
        return std::nullopt;
      loop = entry.scope;
      period = std::lcm(period, entry.table.size());
    }
  }
  if (loop == kNone || period > kLongestTable)
    return std::nullopt;
  auto at = [&](const ScalarValue &side, std::size_t step) {
    std::int64_t value = side.constant;
    for (const Term &term : side.terms)
      value = wrappedSum(value, term.coefficient, atoms[term.atom].table[step % atoms[term.atom].table.size()]);
    return value;
  };
  std::vector<std::int64_t> values(period);
  for (std::size_t step = 0; step < period; ++step)
    if (!applyOperator(op, a.type, at(a, step), at(b, step), values[step]))
      return std::nullopt;
  return table(loop, type, std::move(values));
}

/// One choice decides both sides.
std::optional<ScalarValue> ScalarAlgebra::enumerateChoice(Operator op, IntegerType type, const ScalarValue &a,
                                                          const ScalarValue &b, LoopId scope) {
  std::vector<std::int64_t> left = possibleValues(a), right = possibleValues(b);
  if (left.empty() || right.empty() || left.size() * right.size() > kMostChoices)
    return std::nullopt;
  std::vector<std::int64_t> values;
  for (std::int64_t x : left)
    for (std::int64_t y : right) {
      std::int64_t result = 0;
      if (!applyOperator(op, a.type, x, y, result))
        return std::nullopt;
      values.push_back(result);
    }
  std::string key = std::string("choice") + operatorSpelling(op) + keyOf(a) + "," + keyOf(b) + "@";
  LoopId own = std::max(scopeOf(a, scope) + 1, scopeOf(b, scope) + 1) - 1; // kNone + 1 is 0
  if (scopeOf(a, scope) != kNone && scopeOf(b, scope) != kNone && scopeOf(a, scope) != scopeOf(b, scope))
    own = scope;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() == 1)
    return constant(values[0], type);
  Atom description;
  description.kind = Atom::Kind::Choice;
  description.scope = own;
  description.interval = {values.front(), values.back()};
  description.key = key + std::to_string(own);
  for (std::int64_t value : values)
    description.key += "|" + std::to_string(value);
  description.table = std::move(values);
  description.op = op;
  description.operands = {a, b};
  description.iterations = followsIterations(a) && followsIterations(b);
  return ofAtom(atom(std::move(description)), type);
}

} // namespace ptosync
