#include "tool/process.h"

#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

Run explainLine(unsigned line, const std::string &options = "", const std::string &text = sampleKernel()) {
  Workshop workshop;
  workshop.write("k.cpp", text);
  Run run = workshop.ptosync("explain k.cpp:" + std::to_string(line) + " " + options);
  CHECK(workshop.listing() == "k.cpp");
  return run;
}

} // namespace

TEST_CASE("explain: a barrier that is needed, one that is not, an instruction") {
  Run needed = explainLine(kNeeded);
  CHECK(needed.exitCode == 0);
  CHECK(needed.err == "");
  CHECK(
      needed.out.rfind("k.cpp:10: pipe_barrier(PIPE_V)\n  Needed: without it nothing makes line 11 TADDS(v2, v2, 2.0f) "
                       "wait for line 9 TADDS(v2, v2, 1.0f) (RAW on UB [8192, 10240)).\n",
                       0) == 0);
  CHECK(contains(explainLine(kFirstRedundant).out, "Not needed: `ptosync opt` removes it [redundant-pipe-v]"));
  Run instruction = explainLine(11);
  CHECK(contains(instruction.out, "TADDS(v2, v2, 2.0f) runs on PIPE_V"));
  CHECK(contains(instruction.out, "    RAW/WAR/WAW on UB [8192, 10240): line 9 TADDS(v2, v2, 1.0f) on PIPE_V\n"
                                  "      pipe_barrier(PIPE_V) at line 10\n"));
}

TEST_CASE("explain: JSON for programs") {
  Run run = explainLine(kNeeded, "--format=json --trust=library");
  CHECK(run.exitCode == 0);
  nlohmann::json report = nlohmann::json::parse(run.out);
  CHECK(report.at("schema") == 1);
  CHECK(report.at("trust") == "library");
  CHECK(report.at("syncs").size() == 1);
  CHECK(report.at("syncs")[0].at("effects")[0].at("needed")[0].at("kind") == "RAW");
}

TEST_CASE("explain: options reach the decision") {
  CHECK(contains(explainLine(kFirstRedundant, "--patterns=none").out, "Not tried: no enabled pattern matches"));
  CHECK(contains(explainLine(kNeeded, "--arch=a5").err, "k.cpp:8: pipe_barrier(PIPE_V) is not for a5"));
}

TEST_CASE("explain: a line with nothing on it, with its neighbours, and a kernel that cannot be analysed") {
  Run nothing = explainLine(1);
  CHECK(nothing.exitCode == 2);
  CHECK(nothing.out == "");
  CHECK(contains(nothing.err,
                 "ptosync: k.cpp:1: no sync, instruction or tile declaration of an analysed kernel stands here; "
                 "below, line 4: tile v1\n"));
  std::string tangled =
      vectorKernel("  if (n > 3) {\n    goto second;\n  }\nfirst:\n  n = n + 1;\nsecond:\n  n = n + 2;\n"
                   "  if (n < 100) {\n    goto first;\n  }\n");
  Run skipped = explainLine(3, "", tangled);
  CHECK(skipped.exitCode == 3);
  CHECK(contains(skipped.out, "kernel k was not analysed: its control flow has a cycle with two entries (a `goto` into "
                              "a loop), which is not followed"));
  Run broken = explainLine(3, "", "not C++ at all");
  CHECK(broken.exitCode == 3);
  CHECK(broken.out == "");
}

TEST_CASE("explain --memory: text, JSON and exit codes") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  Run text = workshop.ptosync("explain --memory k.cpp");
  CHECK(text.exitCode == 0);
  CHECK(contains(text.out, "k.cpp: kernel k\n  UB: 18432 bytes by address of 196608, slack 178176; "));
  nlohmann::json json = nlohmann::json::parse(workshop.ptosync("explain --memory k.cpp --format=json").out);
  CHECK(json.at("kernels")[0].at("spaces")[0].at("peakExtent") == 18432);
  CHECK(workshop.ptosync("explain --memory none.cpp").exitCode == 2);
  CHECK(workshop.listing() == "k.cpp");
}

TEST_CASE("explain: a removed line of an output, and one that was moved") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  REQUIRE(workshop.ptosync("opt k.cpp -o out.cpp").exitCode == 0);
  Run removed = workshop.ptosync("explain out.cpp:8");
  CHECK(removed.exitCode == 0);
  CHECK(contains(removed.out, "out.cpp:8: pipe_barrier(PIPE_V) stood here and was removed by ptosync.\n  because: "));
  CHECK(contains(removed.out, "\n  pattern: redundant-pipe-v (ptosync patterns show redundant-pipe-v)\n"));
  nlohmann::json json = nlohmann::json::parse(workshop.ptosync("explain out.cpp:8 --format=json").out);
  CHECK(json.at("edits")[0].at("edit") == "removed");
  CHECK(json.at("edits")[0].at("pattern") == "redundant-pipe-v");
  CHECK(json.at("syncs").empty());
  std::string kernel = patchedCorpusKernel("flash_attention", "tile");
  std::vector<std::string> lines = linesOf(kernel);
  std::size_t line = 0;
  while (line < lines.size() && !contains(lines[line], "ptosync: moved from line"))
    ++line;
  REQUIRE(line < lines.size());
  workshop.write("moved.cpp", kernel);
  Run moved = workshop.ptosync("explain moved.cpp:" + std::to_string(line + 1));
  CHECK(moved.exitCode == 0);
  CHECK(contains(moved.out, ": moved here from line "));
  CHECK(contains(moved.out, ": wait_flag("));
}

TEST_CASE("explain: --needed asks runs of the file", "[tool]") {
  Run run = explainLine(kNeeded, "--needed");
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "  needed: RAW on UB [8192, 10240): line 9 TADDS(v2, v2, 1.0f) on PIPE_V -> line 11"));
  CHECK_FALSE(contains(explainLine(kNeeded).out, "  needed: "));
  CHECK(nlohmann::json::parse(explainLine(kNeeded, "--needed --format=json").out)["syncs"][0].contains("needed"));
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  CHECK(workshop.ptosync("explain k.cpp:v1 --needed").exitCode == 2);
}
