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
  refused("k.cpp --trace=k.cpp", 2, "is an input of this run");
  refused("k.cpp --trace=-", 2, "--trace needs a file name");
  refused("k.cpp --trace=/dev/stdout", 2, "--trace needs a file name");
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

TEST_CASE("timeline: cores that meet stand there a second time, in the run of both") {
  Workshop workshop;
  workshop.write("k.cpp", readText(corpusPath("fifo_depth/kernel.cpp")));
  Run run = workshop.ptosync("timeline k.cpp --trace=t.json --html=t.html");
  CAPTURE(run.out, run.err);
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "depth_one (cube): estimated "));
  CHECK(contains(run.out, "depth_one (cube), both cores together: estimated "));
  CHECK(contains(run.out, "SCALAR  waits for the other core: FIFO v12, TPUSH, line "));
  std::map<std::string, double> held; // FIX, in microseconds, by process
  nlohmann::json trace = nlohmann::json::parse(workshop.read("t.json"));
  for (const nlohmann::json &event : trace["traceEvents"])
    if (event["cat"] == "stall" && event["tid"] == "FIXP" &&
        contains(event["name"].get<std::string>(), "waits for the other core: FIFO v12, TPUSH"))
      held[event["pid"]] += event["dur"].get<double>();
  std::string one = "core0.cubecore0 depth_one, both cores together";
  std::string two = "core0.cubecore0 depth_two, both cores together";
  REQUIRE(held.size() == 2); // with four slots the pipe is never free before there is room
  CHECK(held.count(one) == 1);
  CHECK(held.count(two) == 1);
  CHECK(held[one] > held[two]);
  CHECK(contains(workshop.read("t.html"), "depth_two, both cores together"));
}
