#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Standard error of a command that is refused.
std::string refused(const std::string &arguments) {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  workshop.write("a:1.cpp", sampleKernel());
  Run run = workshop.ptosync("explain " + arguments);
  CHECK(run.exitCode == 2);
  CHECK(run.out == "");
  return run.err;
}

} // namespace

TEST_CASE("explain options: the place is FILE:LINE, FILE:LINE:COLUMN or FILE:TILE") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  workshop.write("a:1.cpp", sampleKernel());
  std::string line = std::to_string(kNeeded);
  Run plain = workshop.ptosync("explain k.cpp:" + line);
  CHECK(plain.exitCode == 0);
  CHECK(workshop.ptosync("explain k.cpp:" + line + ":3").out == plain.out);
  CHECK(workshop.ptosync("explain a:1.cpp:" + line).exitCode == 0);
  CHECK(contains(workshop.ptosync("explain k.cpp:v2").out, "Tile v2 "));
  CHECK(workshop.listing() == "a:1.cpp k.cpp");
}

TEST_CASE("explain options: messages say what was expected") {
  CHECK(contains(refused("k.cpp"), "k.cpp: expected FILE:LINE or FILE:TILE, or --memory FILE"));
  CHECK(contains(refused("k.cpp:0"), "expected FILE:LINE"));
  CHECK(contains(refused("k.cpp:"), "expected FILE:LINE"));
  CHECK(contains(refused(":12"), "expected FILE:LINE"));
  CHECK(contains(refused("k.cpp:99999999999999999999"), "expected FILE:LINE"));
  CHECK(contains(refused("k.cpp:a-b"), "expected FILE:LINE"));
  CHECK(contains(refused("k.cpp:9999"), "k.cpp:9999: the file has "));
  CHECK(contains(refused("none.cpp:3"), "none.cpp"));
  CHECK(contains(refused("k.cpp:10 --format=xml"), "--format=xml: expected text or json"));
  CHECK(contains(refused("k.cpp:10 --trust=all"), "--trust=all: expected tile or library"));
  CHECK(contains(refused("k.cpp:10 --patterns=nobody"), "nobody"));
  CHECK(refused("") != "");
}
