// Solves a linear least-squares problem of a few unknowns, and says which of them the equations do not determine.
//
// Unknowns that only appear together in one sum, or not at all, are left out of the answer: of them there is nothing to
// say. Tested by tests/profile/least_squares_test.cpp.
#pragma once

#include <optional>
#include <vector>

namespace ptosync::timing {

/// The equation: the sum of factors[i] * unknown[i] is `value`.
struct Equation {
  std::vector<double> factors; // one an unknown
  double value = 0;
  double weight = 1; // of the squared error; above 0
};

struct Unknown {
  double value = 0;
  double error = 0; // standard error, from how far the equations disagree
};

/// Returns one entry for each unknown; it is empty where the equations do not determine the unknown. `smallestVariance`
/// is the variance of a value by itself, from the rounding of a clock for example: no answer is called more certain
/// than that.
std::vector<std::optional<Unknown>> solveLeastSquares(const std::vector<Equation> &equations, std::size_t unknowns,
                                                      double smallestVariance = 0);

} // namespace ptosync::timing
