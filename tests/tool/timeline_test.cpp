#include "tool/process.h"

#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("timeline: a summary, and a trace where asked") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  Run plain = workshop.ptosync("timeline k.cpp");
  CHECK(plain.exitCode == 0);
  CHECK(contains(plain.out, "estimated "));
  CHECK(workshop.listing() == "k.cpp");
  Run traced = workshop.ptosync("timeline k.cpp --trace=t.json");
  CHECK(traced.exitCode == 0);
  CHECK(traced.out == plain.out);
  CHECK_FALSE(nlohmann::json::parse(workshop.read("t.json"))["traceEvents"].empty());
}

TEST_CASE("timeline: what cannot be is refused, and nothing is written") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  auto refused = [&](const std::string &arguments, int exitCode, const std::string &message) {
    Run run = workshop.ptosync("timeline " + arguments);
    CAPTURE(arguments, run.err);
    CHECK(run.exitCode == exitCode);
    CHECK(contains(run.err, message));
    CHECK(workshop.listing() == "k.cpp");
  };
  refused("missing.cpp", 2, "missing.cpp");
  refused("k.cpp --trace=k.cpp", 2, "is the input itself");
  refused("k.cpp --trace=-", 2, "--trace needs a file name");
  refused("k.cpp --arg nothing=1", 2, "--arg nothing: no kernel has an argument of this name");
  refused("k.cpp --trace=no/such/folder/t.json", 2, "no/such/folder");
  workshop.write("k.cpp", "this is no C++");
  refused("k.cpp", 3, "k.cpp");
}

TEST_CASE("timeline: the limit has no sync in it") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  REQUIRE(workshop.ptosync("timeline k.cpp --limit --trace=t.json").exitCode == 0);
  CHECK_FALSE(contains(workshop.read("t.json"), "\"cat\":\"sync\""));
}
