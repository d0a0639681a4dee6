#include "tool/process.h"

#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string lastLine(const std::string &text) { return linesOf(text).back(); }

} // namespace

TEST_CASE("opt --cost: the summary ends with the estimate, the report has it") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  Run run = workshop.ptosync("opt k.cpp --dry-run --cost --report=r.json");
  CAPTURE(run.out, run.err);
  CHECK(run.exitCode == 0);
  CHECK(lastLine(run.out).rfind("estimate: ", 0) == 0);
  nlohmann::json cost = nlohmann::json::parse(workshop.read("r.json"))["cost"];
  CHECK(cost["before"].get<int>() > cost["after"].get<int>());
  CHECK(cost["after"].get<int>() >= cost["limit"].get<int>());
}

TEST_CASE("opt --cost: nothing else changes, and without it nothing at all") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  Run plain = workshop.ptosync("opt k.cpp -o plain.cpp");
  Run cost = workshop.ptosync("opt k.cpp -o cost.cpp --cost");
  CHECK(workshop.read("plain.cpp") == workshop.read("cost.cpp"));
  CHECK_FALSE(contains(plain.out, "estimate"));
  std::size_t common = plain.out.find("\nnext");
  REQUIRE(common != std::string::npos);
  CHECK(cost.out.substr(0, common) == plain.out.substr(0, common));
}

TEST_CASE("opt --cost: a flag that was moved is timed where it stands") {
  Workshop workshop;
  workshop.write("k.cpp", readText(corpusPath("moved_flags/kernel.cpp")));
  Run run = workshop.ptosync("opt k.cpp --dry-run --cost --report=r.json");
  CAPTURE(run.err);
  CHECK(run.exitCode == 0);
  nlohmann::json report = nlohmann::json::parse(workshop.read("r.json"));
  REQUIRE(report["summary"]["flags"]["moved"].get<int>() > 0);
  CHECK(report["cost"]["after"].get<int>() < report["cost"]["before"].get<int>());
}

TEST_CASE("opt --cost: the run that is timed can be chosen") {
  Workshop workshop;
  workshop.write("k.cpp", vectorKernel(tile("v1", "float", 1, 512, 0) +
                                       "  for (int32_t i = 0; i < n; i += 1)\n    TADDS(v1, v1, 1.0f);\n"));
  CHECK(contains(workshop.ptosync("opt k.cpp --dry-run --cost --arg n=7").out, "run with n=7, 8 instructions"));
  Run unknown = workshop.ptosync("opt k.cpp --dry-run --cost --arg m=7");
  CHECK(unknown.exitCode == 2);
  CHECK(contains(unknown.err, "--arg m: no kernel has an argument of this name"));
  Run without = workshop.ptosync("opt k.cpp --dry-run --arg n=7");
  CHECK(without.exitCode == 2);
  CHECK(contains(without.err, "add --cost"));
}
