#include "report/schema_check.h"
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

TEST_CASE("opt --cost: a kernel whose cores meet is timed as a whole too") {
  Workshop workshop;
  workshop.write("k.cpp", readText(corpusPath("flash_attention/kernel.cpp")));
  Run run = workshop.ptosync("opt k.cpp --dry-run --cost --report=r.json --html=r.html");
  CAPTURE(run.out, run.err);
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "\n  call_both, both cores together: "));
  std::vector<std::string> lines = linesOf(run.out);
  REQUIRE(lines.size() > 2);
  CHECK(lines[lines.size() - 2].rfind("both cores together: call_both ", 0) == 0);
  CHECK(lines.back().rfind("estimate: ", 0) == 0);
  CHECK(contains(lines.back(), ", both cores together; each core alone: "));
  nlohmann::json report = nlohmann::json::parse(workshop.read("r.json"));
  CHECK(test::schemaViolations(report, "schema.json") == "");
  nlohmann::json both = report["cost"]["bothCores"];
  REQUIRE(both.size() == 1);
  CHECK(both[0]["apart"].is_null());
  int before = both[0]["before"]["cycles"], after = both[0]["after"]["cycles"], limit = both[0]["limit"];
  CHECK(before > after);
  CHECK(after >= limit);
  for (const char *core : {"cube", "vec"}) {
    CHECK(both[0]["before"][core]["alone"].get<int>() < both[0]["before"][core]["together"].get<int>());
    CHECK(both[0]["before"][core]["together"].get<int>() <= before);
  }
  CHECK(report["cost"]["before"].get<int>() < before); // of the slower core, as ever
  for (const char *text :
       {"call_both, both cores together", "cube, before", "vec, after", "waits for the other core: FIFO "})
    CHECK(contains(workshop.read("r.html"), text));
}

TEST_CASE("opt --cost: cores that do not match are timed alone, and nothing is said of cores that never meet") {
  Workshop workshop;
  std::string text = readText(corpusPath("fifo_depth/kernel.cpp"));
  std::size_t count = text.find("const int32_t v8 = 8;");
  REQUIRE(count != std::string::npos);
  std::size_t section = text.find("#if defined(__DAV_VEC__)", count), loop = text.find("v19 < ((size_t) v8)", section);
  REQUIRE(loop != std::string::npos);
  workshop.write("k.cpp", text.replace(loop, 19, "v19 < ((size_t) 7)"));
  Run run = workshop.ptosync("opt k.cpp --dry-run --cost --report=r.json");
  CAPTURE(run.out);
  CHECK(contains(run.out, "both cores together: depth_one: each core timed alone: FIFO v12 (cube, line "));
  CHECK(contains(run.out, "entries pushed: 8, popped: 7"));
  CHECK(contains(run.out, "both cores together: depth_two "));
  nlohmann::json report = nlohmann::json::parse(workshop.read("r.json"));
  CHECK(test::schemaViolations(report, "schema.json") == "");
  CHECK(report["cost"]["bothCores"].size() == 3);
  workshop.write("v.cpp", sampleKernel());
  Run plain = workshop.ptosync("opt v.cpp --dry-run --cost --report=v.json");
  CHECK_FALSE(contains(plain.out, "both cores"));
  CHECK_FALSE(nlohmann::json::parse(workshop.read("v.json"))["cost"].contains("bothCores"));
}
