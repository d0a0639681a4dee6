// How a value follows the iterations of a loop.
//
//   for every iteration i >= prefix:  value(i + period) = value(i) + slope      (everything else held)
//
// Sums, products with constants, quotients, remainders, masks and comparisons of such values are such values
// themselves: `(k / 4) % 2` has period 8 and slope 0, `k == 0` a prefix of 1. So one iteration of the prefix or of the
// first period stands for all that are like it, and a value is known for all of them by computing it for one.
// Sound: integers as C++ computes them. Only exact values are looked at; where one might wrap around, or a quotient or
// remainder be of a negative number that grows, there is no shape.
// Tested by tests/ordering/iteration_shape_test.cpp, against concrete evaluation.
#pragma once

#include "ordering/scalar_value.h"

#include <functional>
#include <optional>
#include <set>

namespace ptosync {

struct IterationShape {
  std::int64_t prefix = 0, period = 1; // iterations; period >= 1
  std::int64_t slope = 0;              // growth per period
  bool repeats() const { return slope == 0; }
  bool operator==(const IterationShape &) const = default;
};

class IterationShapes {
public:
  static constexpr std::int64_t kLongestPeriod = 64, kLongestPrefix = 8;

  explicit IterationShapes(const ScalarAlgebra &scalars) : scalars(scalars) {}

  /// Returns nothing if the value depends on anything but counters and tables, or has no shape within the limits.
  std::optional<IterationShape> shape(const ScalarValue &value, LoopId loop) const;
  /// Returns the shape of `a op b`.
  std::optional<IterationShape> shape(Operator op, const ScalarValue &a, const ScalarValue &b, LoopId loop) const;
  /// Adds the loops whose iterations the value depends on.
  void addLoops(const ScalarValue &value, std::set<LoopId> &loops) const;

  /// Returns the value where `iteration(loop)` iterations of each loop were begun before; nothing if it cannot be
  /// computed.
  using Iteration = std::function<std::optional<std::int64_t>(LoopId)>;
  std::optional<std::int64_t> evaluate(const ScalarValue &value, const Iteration &iteration) const;
  std::optional<std::int64_t> evaluate(AtomId atom, const Iteration &iteration) const;

private:
  std::optional<IterationShape> shapeOfAtom(AtomId atom, LoopId loop) const;
  std::optional<IterationShape> comparison(Operator op, const ScalarValue &a, const ScalarValue &b,
                                           const IterationShape &left, const IterationShape &right, LoopId loop) const;
  std::optional<IterationShape> turningPoint(const ScalarValue &a, const ScalarValue &b,
                                             IterationShape difference) const;

  const ScalarAlgebra &scalars;
};

} // namespace ptosync
