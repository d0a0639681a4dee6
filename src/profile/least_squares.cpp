#include "profile/least_squares.h"

#include <algorithm>
#include <cmath>

namespace ptosync::timing {
namespace {

using SquareMatrix = std::vector<std::vector<double>>;

constexpr double kSingular = 1e-9;     // of the largest eigenvalue, columns scaled to one
constexpr double kUndetermined = 1e-6; // share of an unknown in what cannot be told apart
constexpr int kMostSweeps = 60;

/// Jacobi's method: `matrix` becomes diagonal, columns of the result are its eigenvectors.
SquareMatrix diagonalise(SquareMatrix &matrix) {
  std::size_t n = matrix.size();
  SquareMatrix vectors(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i)
    vectors[i][i] = 1;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        if (std::abs(matrix[p][q]) < 1e-300)
          continue;
        double angle = 0.5 * std::atan2(2 * matrix[p][q], matrix[q][q] - matrix[p][p]);
        double c = std::cos(angle), s = std::sin(angle);
        for (std::size_t k = 0; k < n; ++k) {
          double a = matrix[k][p], b = matrix[k][q];
          matrix[k][p] = c * a - s * b;
          matrix[k][q] = s * a + c * b;
        }
        for (std::size_t k = 0; k < n; ++k) {
          double a = matrix[p][k], b = matrix[q][k];
          matrix[p][k] = c * a - s * b;
          matrix[q][k] = s * a + c * b;
          a = vectors[k][p];
          b = vectors[k][q];
          vectors[k][p] = c * a - s * b;
          vectors[k][q] = s * a + c * b;
        }
      }
  return vectors;
}

struct Normal {
  SquareMatrix matrix;
  std::vector<double> right, scale;
};

/// The normal equations, with columns of length one.
Normal normalEquations(const std::vector<Equation> &equations, std::size_t n) {
  Normal normal{SquareMatrix(n, std::vector<double>(n, 0)), std::vector<double>(n, 0), std::vector<double>(n, 0)};
  for (const Equation &equation : equations)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        normal.matrix[i][j] += equation.weight * equation.factors[i] * equation.factors[j];
      normal.right[i] += equation.weight * equation.factors[i] * equation.value;
    }
  for (std::size_t i = 0; i < n; ++i)
    normal.scale[i] = normal.matrix[i][i] > 0 ? std::sqrt(normal.matrix[i][i]) : 1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      normal.matrix[i][j] /= normal.scale[i] * normal.scale[j];
    normal.right[i] /= normal.scale[i];
  }
  return normal;
}

} // namespace

std::vector<std::optional<Unknown>> solveLeastSquares(const std::vector<Equation> &equations, std::size_t n,
                                                      double smallestVariance) {
  Normal normal = normalEquations(equations, n);
  SquareMatrix vectors = diagonalise(normal.matrix);
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k)
    largest = std::max(largest, normal.matrix[k][k]);
  std::vector<double> values(n, 0), variances(n, 0), open(n, 0);
  std::size_t rank = 0;
  for (std::size_t k = 0; k < n; ++k) {
    double eigenvalue = normal.matrix[k][k], along = 0;
    bool known = eigenvalue > kSingular * std::max(largest, kSingular);
    rank += known;
    for (std::size_t i = 0; i < n; ++i)
      along += vectors[i][k] * normal.right[i];
    for (std::size_t i = 0; i < n; ++i) {
      if (!known) {
        open[i] += vectors[i][k] * vectors[i][k];
        continue;
      }
      values[i] += vectors[i][k] * along / eigenvalue / normal.scale[i];
      variances[i] += vectors[i][k] * vectors[i][k] / eigenvalue / (normal.scale[i] * normal.scale[i]);
    }
  }
  double squares = 0, weights = 0;
  for (const Equation &equation : equations) {
    weights += equation.weight;
    double left = 0;
    for (std::size_t i = 0; i < n; ++i)
      left += equation.factors[i] * values[i];
    squares += equation.weight * (left - equation.value) * (left - equation.value);
  }
  double spread = equations.size() > rank ? squares / static_cast<double>(equations.size() - rank) : 0;
  if (!equations.empty())
    spread = std::max(spread, smallestVariance * weights / static_cast<double>(equations.size()));
  std::vector<std::optional<Unknown>> found(n);
  for (std::size_t i = 0; i < n; ++i)
    if (open[i] < kUndetermined)
      found[i] = Unknown{values[i], std::sqrt(variances[i] * spread)};
  return found;
}

} // namespace ptosync::timing
