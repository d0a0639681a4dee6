#include "tool/process.h"

#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;
using nlohmann::json;

namespace {

std::string kernel(const std::string &statements) {
  return vectorKernel(tile("v1", "float", 4, 64, 0) + tile("v2", "float", 4, 64, 1024) + statements);
}
std::string good() { return kernel("  TADDS(v2, v1, 1.0f);\n"); }
/// Wrong on a3, right on a5, and nothing in it says which it is for.
std::string undecided() { return kernel("  TADDS(v2, v1, 1.0f);\n  TADDS(v1, v2, 1.0f);\n"); }
const std::string kForA3 = " // ptosync: arch a3\n";
std::string bad() { return kernel("  TADDS(v2, v1, 1.0f);" + kForA3 + "  TADDS(v1, v2, 1.0f);\n"); }
/// A tensor of 4 rows of 64.
std::string tensorOf(const std::string &name, const std::string &pointer) {
  return "  GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND> " +
         name + "(" + pointer + ");\n";
}
const char *const kBroken = "#include \"pto/pto-inst.hpp\"\nthis is no C++\n";

} // namespace

TEST_CASE("audit command: exit codes, and nothing is written beside the sources") {
  Workshop workshop;
  workshop.write("good.cpp", good());
  workshop.write("bad.cpp", bad());
  workshop.write("broken.cpp", kBroken);
  CHECK(workshop.ptosync("audit good.cpp").exitCode == 0);
  Run found = workshop.ptosync("audit bad.cpp");
  CHECK(found.exitCode == 1);
  CHECK(contains(found.out, "bad.cpp:7:3: error: RAW on UB [1024, 2048): "));
  CHECK(contains(found.out, "[missing-sync]\n"));
  CHECK(found.err == "");
  CHECK(workshop.ptosync("audit missing.cpp").exitCode == 2);
  CHECK(workshop.ptosync("audit").exitCode == 2);
  CHECK(workshop.ptosync("audit good.cpp --rule=missing-sink=off").exitCode == 2);
  CHECK(workshop.ptosync("audit good.cpp --severity=off").exitCode == 2);
  CHECK(workshop.ptosync("audit good.cpp --format=xml").exitCode == 2);
  CHECK(workshop.ptosync("audit good.cpp --write-baseline").exitCode == 2);
  CHECK(workshop.ptosync("audit broken.cpp").exitCode == 3);
  CHECK(workshop.listing() == "bad.cpp broken.cpp good.cpp");
}

TEST_CASE("audit command: one bad file does not stop the others") {
  Workshop workshop;
  workshop.write("a.cpp", kBroken);
  workshop.write("b.cpp", bad());
  Run run = workshop.ptosync("audit a.cpp b.cpp");
  CHECK(run.exitCode == 3);
  CHECK(contains(run.out, "a.cpp: not analysed: "));
  CHECK(contains(run.out, "b.cpp:7:3: error: "));
  CHECK(contains(run.out, "2 files: 1 error, no warnings; 1 file not or not wholly analysed; arch a3 (comment)\n"));
}

TEST_CASE("audit command: directories, in one order whatever the threads do") {
  Workshop workshop;
  std::filesystem::create_directories(workshop.path("kernels/deep"));
  std::filesystem::create_directories(workshop.path("kernels/.hidden"));
  for (int i = 0; i < 12; ++i)
    workshop.write("kernels/k" + std::to_string(10 + i) + ".cpp", i % 2 ? bad() : good());
  workshop.write("kernels/deep/k.cpp", bad());
  workshop.write("kernels/.hidden/k.cpp", bad());
  workshop.write("kernels/host.cpp", "int main() { return 0; }\n");
  Run first = workshop.ptosync("audit kernels --jobs=4");
  CHECK(first.exitCode == 1);
  CHECK(contains(first.out, "13 files: 7 errors"));
  for (int i = 1; i < 5; ++i)
    CHECK(workshop.ptosync("audit kernels --jobs=" + std::to_string(i)).out == first.out);
  CHECK(contains(workshop.ptosync("audit kernels kernels/deep/k.cpp").out, "13 files: ")); // each once
}

TEST_CASE("audit command: formats") {
  Workshop workshop;
  workshop.write("bad.cpp", bad());
  json report = json::parse(workshop.ptosync("audit bad.cpp --format=json").out);
  CHECK(report["summary"]["errors"] == 1);
  CHECK(report["files"][0]["file"] == "bad.cpp");
  CHECK(contains(workshop.ptosync("audit bad.cpp --github").out, "::error file=bad.cpp,line=7,"));
  Run both = workshop.ptosync("audit bad.cpp --sarif=out.sarif");
  CHECK(both.exitCode == 1);
  CHECK(contains(both.out, "[missing-sync]"));
  CHECK(json::parse(workshop.read("out.sarif"))["runs"][0]["results"].size() == 1);
  CHECK(workshop.ptosync("audit bad.cpp --sarif=bad.cpp").exitCode == 2);
  CHECK(workshop.read("bad.cpp") == bad());
}

TEST_CASE("audit command: a baseline holds what was there, through shifted lines") {
  Workshop workshop;
  workshop.write("bad.cpp", bad());
  CHECK(workshop.ptosync("audit bad.cpp --baseline=base.json").exitCode == 2); // there is none
  CHECK(workshop.ptosync("audit bad.cpp --baseline=base.json --write-baseline").exitCode == 0);
  Run clean = workshop.ptosync("audit bad.cpp --baseline=base.json");
  CHECK(clean.exitCode == 0);
  CHECK(contains(clean.out, "1 in the baseline"));
  workshop.write("bad.cpp", "\n\n// moved\n" + bad());
  CHECK(workshop.ptosync("audit bad.cpp --baseline=base.json").exitCode == 0);
  workshop.write("bad.cpp",
                 kernel("  TADDS(v2, v1, 1.0f);" + kForA3 + "  TADDS(v1, v2, 1.0f);\n  TMULS(v2, v1, 2.0f);\n"));
  Run more = workshop.ptosync("audit bad.cpp --baseline=base.json");
  CHECK(more.exitCode == 1);
  CHECK(contains(more.out, "TMULS"));
  workshop.write("bad.cpp", good());
  Run mended = workshop.ptosync("audit bad.cpp --baseline=base.json");
  CHECK(mended.exitCode == 0);
  CHECK(contains(mended.out, "write it anew"));
  // From another folder the file is still the same one.
  std::filesystem::create_directories(workshop.path("sub"));
  workshop.write("bad.cpp", bad());
  CHECK(workshop.shell("cd sub && '" PTOSYNC_BINARY "' audit ../bad.cpp --baseline=../base.json").exitCode == 0);
  workshop.write("base.json", "{}");
  CHECK(workshop.ptosync("audit bad.cpp --baseline=base.json").exitCode == 2);
}

TEST_CASE("audit command: severities, rules and the configuration file") {
  Workshop workshop;
  std::filesystem::create_directories(workshop.path("kernels/a5"));
  workshop.write("kernels/bad.cpp", bad());
  workshop.write("kernels/a5/bad.cpp", undecided());
  CHECK(workshop.ptosync("audit kernels/bad.cpp --rule=missing-sync=off").exitCode == 0);
  CHECK(workshop.ptosync("audit kernels/bad.cpp --rule=missing-sync=note").exitCode == 0);
  CHECK(contains(workshop.ptosync("audit kernels/bad.cpp --rule=missing-sync=warning").out, "warning: RAW"));
  CHECK(workshop.ptosync("audit kernels/bad.cpp --severity=error").exitCode == 1);
  workshop.write("kernels/.ptosync.json", R"({"rules": {"missing-sync": "warning"}})");
  workshop.write("kernels/a5/.ptosync.json", R"({"arch": "a5"})");
  Run run = workshop.ptosync("audit kernels");
  CHECK(contains(run.out, "kernels/bad.cpp:7:3: warning: "));                  // its own folder's
  CHECK_FALSE(contains(run.out, "kernels/a5/bad.cpp:"));                       // in order on a5
  CHECK(workshop.ptosync("audit kernels/a5/bad.cpp --arch=a3").exitCode == 1); // the command line wins
  Run printed = workshop.ptosync("audit kernels --print=config");
  CHECK(printed.exitCode == 0);
  CHECK(contains(printed.out, "kernels/a5/.ptosync.json\n{\n  \"arch\": \"a5\""));
  CHECK(contains(printed.out, "\"missing-sync\": \"warning\""));
  workshop.write("kernels/a5/.ptosync.json", R"({"arhc": "a5"})");
  Run wrong = workshop.ptosync("audit kernels");
  CHECK(wrong.exitCode == 2);
  CHECK(contains(wrong.err, "did you mean 'arch'?"));
  CHECK(wrong.out == "");
}

TEST_CASE("audit command: where nothing says for which architecture a kernel is, an error is one on both") {
  Workshop workshop;
  workshop.write("k.cpp", undecided());
  Run plain = workshop.ptosync("audit k.cpp");
  CHECK(plain.exitCode == 0);
  CHECK(contains(plain.out, "1 file: no errors, no warnings; arch a3 (default)"));
  Run notes = workshop.ptosync("audit k.cpp --severity=note");
  CHECK(contains(notes.out, "k.cpp:7:3: note: RAW on UB [1024, 2048): "));
  CHECK(contains(notes.out, "(on a3 only: give --arch) [missing-sync]"));
  CHECK(workshop.ptosync("audit k.cpp --arch=a3").exitCode == 1);
  CHECK(workshop.ptosync("audit k.cpp --arch=a5").exitCode == 0);
  // Wrong on either.
  workshop.write("both.cpp", kernel("  TADDS(v2, v1, 1.0f);\n" + tensorOf("h", "out") + "  TSTORE(h, v2);\n"));
  CHECK(contains(workshop.ptosync("audit both.cpp").out, "error: RAW on UB [1024, 2048): TSTORE(h, v2)"));
}

TEST_CASE("audit command: brackets of which it is open what they order are named") {
  Workshop workshop;
  auto bracketed = [&](const std::string &mode) {
    return kernel(tensorOf("g", "in") + "  get_buf(PIPE_MTE2, 0, " + mode +
                  ");\n  TLOAD(v1, g);\n  rls_buf(PIPE_MTE2, 0, " + mode +
                  ");\n  get_buf(PIPE_V, 0, 0);\n  TADDS(v2, v1, 1.0f);\n  rls_buf(PIPE_V, 0, 0);\n");
  };
  workshop.write("k.cpp", bracketed("1"));
  Run run = workshop.ptosync("audit k.cpp"); // buffer ids are a sign of a5
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "not judged: kernel k: what the bracket on line "));
  json report = json::parse(workshop.ptosync("audit k.cpp --format=json").out);
  CHECK(report["files"][0]["notJudged"][0]["kernel"] == "k");
  workshop.write("k.cpp", bracketed("0"));
  run = workshop.ptosync("audit k.cpp");
  CHECK(run.exitCode == 0);
  CHECK_FALSE(contains(run.out, "not judged"));
  CHECK(contains(run.out, "arch a5 (text)"));
}

TEST_CASE("audit command: notes are asked for") {
  Workshop workshop;
  workshop.write("k.cpp", kernel("  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(v2, v2, 1.0f);\n"));
  CHECK(workshop.ptosync("audit k.cpp").exitCode == 0);
  Run notes = workshop.ptosync("audit k.cpp --severity=note");
  CHECK(notes.exitCode == 1);
  CHECK(contains(notes.out, "[removable-sync]"));
}

TEST_CASE("audit command: a baseline that is written for one file keeps what it holds for others") {
  Workshop workshop;
  std::filesystem::create_directories(workshop.path("zoo"));
  workshop.write("zoo/a.cpp", bad());
  workshop.write("zoo/b.cpp", bad());
  REQUIRE(workshop.ptosync("audit zoo --baseline=base.json --write-baseline").exitCode == 0);
  workshop.write("zoo/a.cpp", good());
  CHECK(workshop.ptosync("audit zoo/a.cpp --baseline=base.json --write-baseline").exitCode == 0);
  json findings = json::parse(workshop.read("base.json"))["findings"];
  REQUIRE(findings.size() == 1);
  CHECK(findings[0]["file"] == "zoo/b.cpp");
  CHECK(findings[0]["rule"] == "missing-sync");
  CHECK(contains(findings[0]["message"], "RAW on UB"));
  CHECK(workshop.ptosync("audit zoo --baseline=base.json").exitCode == 0);
  // What cannot be analysed keeps its entries.
  workshop.write("zoo/b.cpp", kBroken);
  CHECK(workshop.ptosync("audit zoo --baseline=base.json --write-baseline").exitCode == 3);
  CHECK(json::parse(workshop.read("base.json"))["findings"].size() == 1);
  // A file that is gone: its entries are stale, and go when the baseline is written.
  std::filesystem::remove(workshop.path("zoo/b.cpp"));
  Run gone = workshop.ptosync("audit zoo --baseline=base.json");
  CHECK(gone.exitCode == 0);
  CHECK(contains(gone.out, "the baseline holds 1 finding of 1 file that is gone (zoo/b.cpp): write it anew"));
  json summary = json::parse(workshop.ptosync("audit zoo --baseline=base.json --format=json").out)["summary"];
  CHECK(summary["goneBaseline"] == 1);
  CHECK(summary["goneFiles"] == json{"zoo/b.cpp"});
  CHECK(summary["staleBaseline"] == 0);
  CHECK(workshop.ptosync("audit zoo/a.cpp --baseline=base.json --write-baseline").exitCode == 0);
  CHECK(json::parse(workshop.read("base.json"))["findings"].empty());
  // What is no baseline is not written over.
  workshop.write("notes.json", "{\"mine\": 1}");
  CHECK(workshop.ptosync("audit zoo --baseline=notes.json --write-baseline").exitCode == 2);
  CHECK(workshop.read("notes.json") == "{\"mine\": 1}");
}

TEST_CASE("audit: a baseline holds the findings of a file whose name is no UTF-8") {
  Workshop workshop;
  workshop.write("a\xff.cpp", readText(std::string(PTOSYNC_SOURCE_DIR) + "/tests/broken/missing_flag/kernel.cpp"));
  CHECK(workshop.ptosync("audit . --baseline=b.json").exitCode == 2);
  CHECK(workshop.ptosync("audit .").exitCode == 1);
  CHECK(workshop.ptosync("audit . --baseline=b.json --write-baseline").exitCode == 0);
  CHECK(workshop.ptosync("audit . --baseline=b.json").exitCode == 0);
}

TEST_CASE("audit: the configuration names the baseline of its kernels, from its own folder") {
  Workshop workshop;
  std::filesystem::create_directories(workshop.path("kernels"));
  std::filesystem::create_directories(workshop.path("else"));
  workshop.write("kernels/k.cpp", readText(std::string(PTOSYNC_SOURCE_DIR) + "/tests/broken/missing_flag/kernel.cpp"));
  workshop.write("kernels/.ptosync.json", R"({"arch": "a3", "baseline": "debts.json"})");
  Run missing = workshop.ptosync("audit kernels");
  CHECK(missing.exitCode == 2);
  CHECK(contains(missing.err, "kernels/debts.json: cannot be read"));
  CHECK(workshop.shell(std::string("cd else && '") + PTOSYNC_BINARY + "' audit ../kernels --write-baseline").exitCode ==
        0);
  CHECK(std::filesystem::exists(workshop.path("kernels/debts.json")));
  Run adopted = workshop.ptosync("audit kernels");
  CHECK(adopted.exitCode == 0);
  CHECK(contains(adopted.out, " in the baseline; "));
  // The command line's wins.
  workshop.write("empty.json", R"({"schema": 2, "findings": []})");
  CHECK(workshop.ptosync("audit kernels --baseline=empty.json").exitCode == 1);
  CHECK(workshop.ptosync("audit else --write-baseline").exitCode == 2);
}
