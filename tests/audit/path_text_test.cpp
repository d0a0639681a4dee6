#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("path text: statements and branches in the order of the run, with their lines") {
  Audited audited(shortTiles("  if (n > 3) {\n" + setFlag(kLoadToVector) + "  }\n" + waitFlag(kLoadToVector)));
  const Finding &finding = audited.only("branch-imbalance");
  REQUIRE(finding.path.size() == 2);
  CHECK(finding.path[0].text == "(n > 3) does not hold");
  CHECK(finding.path[0].place.line == lineOf(audited.text, "if (n > 3)"));
  CHECK(finding.path[1].text == "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0)");
  CHECK(finding.path[1].place.line == lineOf(audited.text, "wait_flag("));
}
