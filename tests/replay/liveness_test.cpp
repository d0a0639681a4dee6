#include "replay/liveness.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

std::string carried(const std::string &body) {
  Module module = lift(vectorKernel(body));
  const Kernel &kernel = module.kernels[0];
  LoopNest nest(kernel);
  std::string text;
  for (const std::vector<VariableId> &variables : carriedVariables(kernel, nest)) {
    for (VariableId variable : variables)
      text += kernel.variables[variable].name + " ";
    text += "| ";
  }
  return text;
}

} // namespace

TEST_CASE("replay: a loop carries what it writes and reads again before writing") {
  CHECK(carried("  int32_t sum = 0;\n  for (int32_t i = 0; i < n; i += 1) {\n    int32_t twice = i * 2;\n"
                "    sum = sum + twice;\n  }\n  out[sum] = 1.0f;\n") == "sum i | ");
}

TEST_CASE("replay: an inner counter is carried by the inner loop only") {
  CHECK(
      carried("  for (int32_t i = 0; i < n; i += 1)\n    for (int32_t j = 0; j < i; j += 1)\n      out[j] = 1.0f;\n") ==
      "i | j | ");
}
