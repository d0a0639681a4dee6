#include "synthesis/named_ids.h"

#include "synthesis/fixed.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

TEST_CASE("no flag is put beside an event whose id the run gives out") {
  Module module = lift(serialLoop());
  CHECK(idsOfTheRun(module) == std::nullopt);
  REQUIRE(resynced(module).kernels[0].changed);
  module.sites[0].namedId = true;
  ResyncResult result = resynced(module);
  CHECK_FALSE(result.kernels[0].changed);
  CHECK(result.decisions.added.empty());
  CHECK(result.kernels[0].reason == "the run gives out the id of the event on line " +
                                        std::to_string(module.sites[0].line) + ", which a new flag might take as well");
}
