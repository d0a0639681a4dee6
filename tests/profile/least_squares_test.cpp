#include "profile/least_squares.h"

#include <catch2/catch.hpp>

using ptosync::timing::solveLeastSquares;

TEST_CASE("least squares: a line through points, with the error of each") {
  auto found = solveLeastSquares({{{1, 1}, 3, 1}, {{2, 1}, 5, 1}, {{5, 1}, 11, 1}}, 2);
  REQUIRE(found[0].has_value());
  CHECK(found[0]->value == Approx(2));
  CHECK(found[1]->value == Approx(1));
  CHECK(found[0]->error == Approx(0).margin(1e-9));
  auto ticks = solveLeastSquares({{{1, 1}, 3, 1}, {{2, 1}, 5, 1}, {{5, 1}, 11, 1}}, 2, 0.25);
  CHECK(ticks[0]->value == Approx(2));
  CHECK(ticks[0]->error > 0.1);
  auto noisy = solveLeastSquares({{{1, 1}, 3.2, 1}, {{2, 1}, 4.8, 1}, {{5, 1}, 11, 1}}, 2);
  CHECK(noisy[0]->value == Approx(2).margin(0.1));
  CHECK(noisy[0]->error > 0.01);
}

TEST_CASE("least squares: what only appears as a sum is not determined") {
  auto found = solveLeastSquares({{{64, 1}, 160, 1}, {{64, 1}, 160, 1}}, 2);
  CHECK_FALSE(found[0].has_value());
  CHECK_FALSE(found[1].has_value());
  // The third is known though the first two are not.
  auto partly = solveLeastSquares({{{1, 2, 0}, 10, 1}, {{2, 4, 1}, 25, 1}}, 3);
  CHECK_FALSE(partly[0].has_value());
  CHECK_FALSE(partly[1].has_value());
  REQUIRE(partly[2].has_value());
  CHECK(partly[2]->value == Approx(5));
}

TEST_CASE("least squares: unknowns of very different sizes, and none at all") {
  auto found =
      solveLeastSquares({{{4096, 1}, 4096 * 0.017 + 213.6, 1e-4}, {{16384, 1}, 16384 * 0.017 + 213.6, 1e-5}}, 2);
  REQUIRE(found[0].has_value());
  CHECK(found[0]->value == Approx(0.017));
  CHECK(found[1]->value == Approx(213.6));
  CHECK_FALSE(solveLeastSquares({}, 1)[0].has_value());
  CHECK_FALSE(solveLeastSquares({{{0}, 0, 1}}, 1)[0].has_value());
}
