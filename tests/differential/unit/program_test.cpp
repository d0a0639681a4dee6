#include "differential/program_generator.h"
#include "differential/program_reducer.h"

#include <catch2/catch.hpp>

using namespace ptosync::differential;

TEST_CASE("programs: equal numbers give equal texts, others others", "[differential]") {
  CHECK(spelled(generateProgram(3, 14)) == spelled(generateProgram(3, 14)));
  CHECK(spelled(generateProgram(3, 14)) != spelled(generateProgram(3, 15)));
  CHECK(spelled(generateProgram(3, 14)) != spelled(generateProgram(4, 14)));
}

TEST_CASE("programs: every feature is used, and alone where that is asked", "[differential]") {
  std::set<std::string> used;
  for (std::uint64_t number = 0; number < 400; ++number)
    used.merge(generateProgram(1, number).features);
  for (const std::string &feature : featureNames()) {
    CHECK(used.count(feature) == 1);
    CHECK(generateProgram(1, 1, {feature}).features == std::set<std::string>{feature});
  }
}

TEST_CASE("programs: a reduced program still fails, and is no larger than it must be", "[differential]") {
  Program program;
  program.body = {{"a;", {}, {}}, {"if (x) {", {{"b;", {}, {}}, {"c((1 + 2));", {}, {}}}, "}"}, {"d;", {}, {}}};
  Program reduced =
      reduceProgram(program, [](const Program &smaller) { return spelled(smaller).find("c(") != std::string::npos; });
  CHECK(sizeOf(reduced) == 1);
  CHECK(reduced.body[0].open == "c(1);");
  CHECK(sizeOf(program) == 5);
}
