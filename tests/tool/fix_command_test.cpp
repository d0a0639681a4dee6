#include "support/applied_diff.h"
#include "tool/process.h"

#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;
using nlohmann::json;

namespace {

const std::string kBrokenFolder = PTOSYNC_SOURCE_DIR "/tests/broken/";

Run fixKernel(const Workshop &workshop, const std::string &name, const std::string &options) {
  workshop.write("k.cpp", readText(kBrokenFolder + name + "/kernel.cpp"));
  return workshop.ptosync("fix k.cpp --arch=a3 " + options);
}

/// What `fix` is expected to make of a kernel.
std::string mended(const std::string &name) {
  return applyDiff(readText(kBrokenFolder + name + "/kernel.cpp"), readText(kBrokenFolder + name + "/expected.diff"));
}

/// The text with the replacements of a SARIF fix made.
std::string replaced(const std::string &text, const json &fix) {
  SourceText source("k.cpp", text);
  std::vector<std::string> lines = linesOf(text);
  std::vector<std::size_t> starts = {0};
  for (const std::string &line : lines)
    starts.push_back(starts.back() + line.size() + 1);
  std::map<std::size_t, std::pair<std::size_t, std::string>> edits;
  for (const json &one : fix["artifactChanges"][0]["replacements"]) {
    const json &region = one["deletedRegion"];
    std::size_t begin =
        starts[region["startLine"].get<std::size_t>() - 1] + region["startColumn"].get<std::size_t>() - 1;
    std::size_t end = starts[region["endLine"].get<std::size_t>() - 1] + region["endColumn"].get<std::size_t>() - 1;
    edits[begin] = {end, one["insertedContent"]["text"].get<std::string>()};
  }
  std::string result = text;
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    result.replace(edit->first, edit->second.first - edit->first, edit->second.second);
  return result;
}

} // namespace

TEST_CASE("fix: a diff on standard output, the report beside it, exit code 0 if nothing is left") {
  Workshop workshop;
  Run run = fixKernel(workshop, "missing_barrier", "");
  CHECK(run.exitCode == 0);
  CHECK(run.out.rfind("--- a/k.cpp\n+++ b/k.cpp\n", 0) == 0);
  CHECK(contains(run.out, "+  pipe_barrier(PIPE_V); // ptosync: orders the write of v5"));
  CHECK(contains(run.err, "k.cpp: 1 finding mended by 1 statement put in; proved; arch a3"));
  CHECK(workshop.listing() == "k.cpp");
}

TEST_CASE("fix: -o writes the kernel and prints the report; --dry-run writes nothing") {
  Workshop workshop;
  Run run = fixKernel(workshop, "unprimed_ring", "-o out.cpp");
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "mended: no earlier set feeds this wait"));
  CHECK(run.err == "");
  CHECK(workshop.read("out.cpp") == mended("unprimed_ring"));
  CHECK(workshop.ptosync("audit out.cpp").exitCode == 0);
  Run dry = fixKernel(workshop, "set_twice", "--dry-run -o none.cpp");
  CHECK(dry.exitCode == 0);
  CHECK(contains(dry.out, "taken out set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0)"));
  CHECK(workshop.listing() == "k.cpp out.cpp");
}

TEST_CASE("fix: --quiet leaves the report out but for what is left") {
  Workshop workshop;
  Run written = fixKernel(workshop, "unprimed_ring", "-o out.cpp --quiet");
  CHECK(written.exitCode == 0);
  CHECK(written.out + written.err == "");
  CHECK(workshop.read("out.cpp") == mended("unprimed_ring"));
  Run diff = fixKernel(workshop, "missing_barrier", "--quiet");
  CHECK(diff.out.rfind("--- a/k.cpp\n+++ b/k.cpp\n", 0) == 0);
  CHECK(diff.err == "");
  Run nothing = fixKernel(workshop, "missing_barrier", "--dry-run --quiet");
  CHECK(nothing.exitCode == 0);
  CHECK(nothing.out + nothing.err == "");
  Run left = fixKernel(workshop, "ids_in_use", "--dry-run --quiet");
  CHECK(left.exitCode == 1);
  CHECK(left.out == "");
  CHECK(contains(left.err, "[missing-sync]\n  why: no event id is free from PIPE_MTE2 to PIPE_V\n"));
}

TEST_CASE("fix: what is left makes the exit code 1 and says why") {
  Workshop workshop;
  Run run = fixKernel(workshop, "ids_in_use", "--dry-run");
  CHECK(run.exitCode == 1);
  CHECK(contains(run.out, "[missing-sync]\n  why: no event id is free from PIPE_MTE2 to PIPE_V\n"));
}

TEST_CASE("fix: reserved ids are given to no flag") {
  Workshop workshop;
  Run run = fixKernel(workshop, "missing_flag", "--reserve-ids=0,1,2");
  CHECK(contains(run.out, "+    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);"));
  CHECK(fixKernel(workshop, "missing_flag", "--reserve-ids=0,1,2,3,4,5,6,7").exitCode == 1);
  CHECK(fixKernel(workshop, "missing_flag", "--reserve-ids=9").exitCode == 2);
}

TEST_CASE("fix: what only one architecture has is put in where somebody has chosen it") {
  Workshop workshop;
  fixKernel(workshop, "missing_barrier", "-o a3.cpp");
  CHECK(contains(workshop.read("a3.cpp"), "pipe_barrier(PIPE_V); // ptosync: orders"));
  Run run = workshop.ptosync("fix k.cpp -o out.cpp");
  CHECK(run.exitCode == 2);
  CHECK(contains(run.err, "k.cpp: nothing in the kernel says whether it is for a3 or a5, and what would be put in, "
                          "pipe_barrier(PIPE_V), is not for a5: give --arch, or write `// ptosync: arch a3` into it"));
  workshop.write("k.cpp", "// ptosync: arch a3\n" + workshop.read("k.cpp"));
  CHECK(workshop.ptosync("fix k.cpp -o out.cpp").exitCode == 0);
  // A flag is legal on both.
  workshop.write("k.cpp", readText(kBrokenFolder + "undrained_flag/kernel.cpp"));
  CHECK(workshop.ptosync("fix k.cpp --dry-run").exitCode == 0);
}

TEST_CASE("fix: the input is never written to, and what is no kernel is refused") {
  Workshop workshop;
  Run same = fixKernel(workshop, "missing_flag", "-o k.cpp");
  CHECK(same.exitCode == 2);
  CHECK(contains(same.err, "is an input of this run"));
  workshop.write("none.cpp", "int x = ;\n");
  CHECK(workshop.ptosync("fix none.cpp").exitCode == 3);
  CHECK(workshop.ptosync("fix gone.cpp").exitCode == 2);
}

TEST_CASE("audit --fixes: SARIF carries what mends each finding, and it does") {
  Workshop workshop;
  for (const char *name : {"missing_flag", "shared_id", "unprimed_ring", "keep_comment"}) {
    INFO(name);
    std::string text = readText(kBrokenFolder + name + "/kernel.cpp");
    workshop.write("k.cpp", text);
    Run run = workshop.ptosync("audit k.cpp --fixes --sarif=r.sarif --arch=a3");
    CHECK(run.exitCode == 1);
    CHECK(contains(run.out, "note: `ptosync fix` mends this\n"));
    json sarif = json::parse(workshop.read("r.sarif"));
    const json &results = sarif["runs"][0]["results"];
    REQUIRE_FALSE(results.empty());
    for (const json &result : results) {
      REQUIRE(result.contains("fixes"));
      const json &fix = result["fixes"][0];
      CHECK(fix["artifactChanges"][0]["artifactLocation"]["uri"] == "k.cpp");
      workshop.write("mended.cpp", replaced(text, fix));
      Run again = workshop.ptosync("audit mended.cpp --format=json --arch=a3");
      CHECK_FALSE(contains(again.out, result["partialFingerprints"]["ptosync/v2"].get<std::string>()));
    }
  }
}

TEST_CASE("fix, opt --resync: a comment of the input that looks like a mark of theirs is a comment") {
  Workshop workshop;
  std::string text = readText(kBrokenFolder + "missing_flag/kernel.cpp");
  std::size_t at = text.find(";\n", text.find("set_flag(", text.find("__global__")));
  REQUIRE(at != std::string::npos);
  for (const char *number : {"0", "999999", "18446744073709551615", "99999999999999999999"}) {
    CAPTURE(number);
    workshop.write("k.cpp",
                   std::string(text).insert(at + 1, " // ptosync: orders #" + std::string(number) + "# (line 1)"));
    for (const char *command : {"fix k.cpp --dry-run", "opt k.cpp --resync --dry-run"}) {
      Run run = workshop.ptosync(std::string(command) + " --arch=a3");
      CHECK((run.exitCode == 0 || run.exitCode == 1 || run.exitCode == 3));
    }
  }
}

TEST_CASE("audit --fixes: nothing that only one architecture has where nobody has chosen it") {
  Workshop workshop;
  workshop.write("k.cpp", readText(kBrokenFolder + "missing_barrier/kernel.cpp"));
  CHECK_FALSE(contains(workshop.ptosync("audit k.cpp --fixes").out, "`ptosync fix` mends this"));
  CHECK(contains(workshop.ptosync("audit k.cpp --fixes --arch=a3").out, "`ptosync fix` mends this"));
}

TEST_CASE("audit --fixes: what cannot be mended has no fix") {
  Workshop workshop;
  workshop.write("k.cpp", readText(kBrokenFolder + "not_followed/kernel.cpp"));
  Run run = workshop.ptosync("audit k.cpp --fixes --sarif=r.sarif");
  CHECK_FALSE(contains(run.out, "mends this"));
  CHECK_FALSE(contains(workshop.read("r.sarif"), "\"fixes\""));
  workshop.write("k.cpp", readText(kBrokenFolder + "missing_flag/kernel.cpp"));
  workshop.ptosync("audit k.cpp --sarif=r.sarif");
  CHECK_FALSE(contains(workshop.read("r.sarif"), "\"fixes\""));
}

TEST_CASE("fix: a call that the model does not know is nothing that it could mend") {
  Workshop workshop;
  workshop.write("k.cpp", vectorKernel(tile("v1", "float", 16, 64, 0) + "  TFROB(v1);\n"));
  Run run = workshop.ptosync("fix k.cpp --dry-run");
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "nothing to mend"));
}
