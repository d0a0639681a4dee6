// A kernel that is nothing but expressions, for tests of scalar evaluation.
#pragma once

#include "replay/run/evaluator.h"
#include "support/corpus.h"

#include <list>

namespace ptosync::test {

struct Bench {
  Kernel kernel;
  replay::Inputs inputs;
  replay::Value value(ExpressionId id, std::uint64_t seed = 0) {
    replay::ScalarFacts facts(kernel, machineOf("a3"));
    replay::Evaluator evaluator(kernel, facts, inputs, {seed, {5, 9}});
    replay::Value value = evaluator.evaluate(id);
    if (value.choices) { // of the evaluator, which goes
      choices.push_back(*value.choices);
      value.choices = &choices.back();
    }
    return value;
  }
  ExpressionId number(std::int64_t bits, IntegerType type = kInt64) { return kernel.expressions.constant(bits, type); }
  ExpressionId binary(Operator op, ExpressionId a, ExpressionId b, IntegerType type) {
    return kernel.expressions.binary(op, a, b, type);
  }
  std::list<replay::Choices> choices;
};

} // namespace ptosync::test
