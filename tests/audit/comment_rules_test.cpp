#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("unused-keep: a comment must reach a sync") {
  auto unused = [](const std::string &statements) { return Audited(shortTiles(statements)).count("unused-keep"); };
  CHECK(unused("  pipe_barrier(PIPE_V); // ptosync: keep(timing)\n") == 0);
  CHECK(unused("  // ptosync: keep(timing)\n  pipe_barrier(PIPE_V);\n") == 0);
  CHECK(unused("  // ptosync: keep()\n  pipe_barrier(PIPE_V);\n") == 0);
  CHECK(unused("  // ptosync: keep(timing)\n  TADDS(b, a, 1.0f);\n  pipe_barrier(PIPE_V);\n") == 1);
  CHECK(unused("  TADDS(b, a, 1.0f); // ptosync: keep(timing)\n") == 1);
  Audited found(shortTiles("  // ptosync: keep(timing)\n  TADDS(b, a, 1.0f);\n"));
  CHECK(found.only("unused-keep").place.column == 6);
}
