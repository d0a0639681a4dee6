#include "pipeline/synthesis_step.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("synthesis step: other texts are read under the name of the file", "[pipeline]") {
  synthesis::Lift lift = lifterOf("other.cpp", frontendOptions(machineOf("a3")));
  Module module = llvm::cantFail(lift(vectorKernel("")));
  CHECK(module.source.name() == "other.cpp");
  CHECK(module.kernels.size() == 1);
}
