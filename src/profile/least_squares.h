// A linear least-squares fit of a few unknowns, which says what the equations do not determine.
//
// Unknowns that only appear together in one sum, or not at all, are left out of the answer: of them there is nothing to
// say. Tested by tests/profile/least_squares_test.cpp.
#pragma once

#include <optional>
#include <vector>

namespace ptosync::timing {

/// sum of factors[i] * unknown[i] = value.
struct Equation {
  std::vector<double> factors; // one an unknown
  double value = 0;
  double weight = 1; // of the squared error; above 0
};

struct Unknown {
  double value = 0;
  double error = 0; // standard error, from how far the equations disagree
};

/// By unknown; empty where the equations do not determine it.
/// `smallestVariance`: of a value by itself, such as the rounding of a clock: no answer is more certain than that.
std::vector<std::optional<Unknown>> solveLeastSquares(const std::vector<Equation> &equations, std::size_t unknowns,
                                                      double smallestVariance = 0);

} // namespace ptosync::timing
