#include "machine/model_choices.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("model choices: as options of the command line", "[machine]") {
  CHECK(optionsText({}) == " --trust=tile");
  ModelChoices others{Trust::Library, true, true, false, true, true};
  CHECK(optionsText(others) == " --trust=library --gm-may-alias --strict-copies --a5-vector-order=off "
                               "--m-accumulate-order --chain=assembler");
}
