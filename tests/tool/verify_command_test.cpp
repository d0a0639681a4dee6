#include "tool/process.h"

#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// The sample kernel with the statement on one line taken out.
std::string without(unsigned line) {
  std::vector<std::string> lines = linesOf(sampleKernel());
  lines[line - 1].clear();
  std::string text;
  for (const std::string &kept : lines)
    text += kept + "\n";
  return text;
}

Run verify(const std::string &before, const std::string &after, const std::string &options = "") {
  Workshop workshop;
  workshop.write("before.cpp", before);
  workshop.write("after.cpp", after);
  Run run = workshop.ptosync("verify before.cpp after.cpp " + options);
  CHECK(workshop.listing() == "after.cpp before.cpp");
  return run;
}

void refused(const Run &run, int exitCode, const std::string &message) {
  CAPTURE(run.err);
  CHECK(run.exitCode == exitCode);
  CHECK(run.out == "");
  CHECK(run.err.rfind("ptosync: ", 0) == 0);
  CHECK(contains(run.err, message));
}

} // namespace

TEST_CASE("verify: a redundant barrier may go, a needed one may not") {
  Run agreed = verify(sampleKernel(), without(kFirstRedundant));
  CHECK(agreed.exitCode == 0);
  CHECK(agreed.out.rfind("proved; 1 run of 1 kernel, 5 instructions compared (trust: tile, arch: a3)\n", 0) == 0);
  CHECK(agreed.err == "");
  Run lost = verify(sampleKernel(), without(kNeeded));
  CHECK(lost.exitCode == 1);
  CHECK(contains(lost.out, "refuted: 1 finding; 1 run of 1 kernel"));
  CHECK(contains(lost.out, "after.cpp:11: order lost: TADDS(v2, v2, 1.0f) on PIPE_V may still run when TADDS(v2, v2, "
                           "2.0f) starts on PIPE_V\n"));
  CHECK(contains(lost.out, "    RAW on UB [8192, 10240): line 9 TADDS(v2, v2, 1.0f) on PIPE_V\n"));
  CHECK(contains(lost.out, "    ordered before by line 10 barrier PIPE_V\n"));
}

TEST_CASE("verify: what opt writes, and what a person makes of it") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  REQUIRE(workshop.ptosync("opt k.cpp -o out.cpp").exitCode == 0);
  CHECK(workshop.ptosync("verify k.cpp out.cpp").exitCode == 0);
  CHECK(workshop.ptosync("verify out.cpp k.cpp").exitCode == 0); // more synchronisation is no fault
  REQUIRE(workshop.shell("sed -e 's/v2/renamed/g' -e 's/^/  /' out.cpp > by-hand.cpp").exitCode == 0);
  CHECK(workshop.ptosync("verify k.cpp by-hand.cpp").exitCode == 0);
}

TEST_CASE("verify: JSON for programs") {
  Run run = verify(sampleKernel(), without(kNeeded), "--format=json");
  CHECK(run.exitCode == 1);
  nlohmann::json report = nlohmann::json::parse(run.out);
  CHECK(report.at("schema") == 3);
  CHECK(report.at("answer") == "refuted");
  CHECK(report.at("proof").is_string());
  REQUIRE(report.at("findings").size() == 1);
  const nlohmann::json &finding = report.at("findings")[0];
  CHECK(finding.at("kind") == "order");
  CHECK(finding.at("rule") == "RAW");
  CHECK(finding.at("storage") == "UB [8192, 10240)");
  CHECK(finding.at("later").at("lineAfter") == 11);
  CHECK(finding.at("orderedBefore") == nlohmann::json::array({"line 10 barrier PIPE_V"}));
  CHECK(report.at("coverage")[0].at("kernel") == "k");
  const nlohmann::json same = nlohmann::json::parse(verify(sampleKernel(), sampleKernel(), "--format=json").out);
  CHECK(same.at("answer") == "proved");
  CHECK(same.at("proof").is_null());
  CHECK(same.at("coverage")[0].at("proof").is_null());
}

TEST_CASE("verify: other instructions, and the first difference") {
  std::string other = sampleKernel();
  other.replace(other.find("TADDS(v3"), 5, "TMULS");
  Run run = verify(sampleKernel(), other);
  CHECK(run.exitCode == 1);
  CHECK(contains(run.out, "other instructions: instruction 4 is TADDS(v3, v3, 1.0f) at line 13 before and "
                          "TMULS(v3, v3, 1.0f) at line 13 after\n"));
}

TEST_CASE("verify: the choices of opt are its choices too") {
  std::string tiles = tile("a", "float", 8, 64, 0) + tile("b", "float", 8, 64, 4096);
  std::string before = vectorKernel(tiles + "  TEXP(a, b);\n  pipe_barrier(PIPE_ALL);\n  TEXP(b, a);\n");
  std::string after = vectorKernel(tiles + "  TEXP(a, b);\n  TEXP(b, a);\n");
  CHECK(verify(before, after).exitCode == 1);
  CHECK(verify(before, after, "--arch=a5").exitCode == 0);
  CHECK(verify(before, after, "--arch=a5 --a5-vector-order=off").exitCode == 1);
}

TEST_CASE("verify: arguments that the user names") {
  std::string tiles = tile("a", "float", 8, 64, 0);
  auto kernel = [&](const char *sync) {
    return vectorKernel(tiles + "  TEXP(a, a);\n  if ((n * 3 ^ n * 7) == 17540) {\n" + sync +
                        "    TEXP(a, a);\n  }\n  out[0] = in[0];\n");
  };
  std::string before = kernel("    pipe_barrier(PIPE_V);\n"), after = kernel("\n");
  Run run = verify(before, after);
  CHECK(run.exitCode == 4);
  CHECK(run.out.rfind("not refuted in ", 0) == 0);
  CHECK(
      contains(run.out, "    no proof: on a path that cannot be excluded, a pair that was ordered no longer is (RAW"));
  CHECK(contains(run.out, "never run: lines 7 and 8 (try --arg)"));
  CHECK(verify(before, after, "--require-proof").exitCode == 1);
  CHECK(verify(before, before, "--require-proof").exitCode == 0);
  CHECK(verify(before, after, "--arg n=4321").exitCode == 1);
  CHECK(verify(before, after, "--arg n=0x10e1").exitCode == 1);
  refused(verify(before, after, "--arg m=1"), 2,
          "--arg m: no kernel has an argument of this name; integer arguments are n");
  refused(verify(before, after, "--arg in=1"), 2, "--arg in: is a pointer; only integer arguments can be set");
  refused(verify(before, after, "--arg n"), 2, "--arg n: expected NAME=VALUE with an integer value");
  refused(verify(before, after, "--arg n=few"), 2, "--arg n=few: expected NAME=VALUE with an integer value");
  refused(verify(before, after, "--arg n=1 --arg n=2"), 2, "n is given twice");
}

TEST_CASE("verify: files that are missing or no kernels") {
  refused(verify(sampleKernel(), "void broken(\n"), 3, "after.cpp:1:6: error: ");
  refused(verify("int x;\n", "int x;\n"), 3, "before.cpp: holds no kernel");
  refused(verify(vectorKernel("  k(in, out, n);\n"), sampleKernel()), 3,
          "cannot be analysed: line 4: it calls k recursively, which is not followed; write it as a loop");
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  refused(workshop.ptosync("verify k.cpp nowhere.cpp"), 2, "nowhere.cpp: cannot be read");
  CHECK(workshop.ptosync("verify k.cpp").exitCode == 2);
  refused(workshop.ptosync("verify k.cpp k.cpp --format=xml"), 2, "--format=xml: expected text or json");
}

TEST_CASE("verify: a kernel that never ends is compared as far as it goes") {
  std::string kernel = vectorKernel(tile("a", "float", 8, 64, 0) + "  while (n == n) { TEXP(a, a); }\n");
  Run run = verify(kernel, kernel, "--verbose");
  CHECK(run.exitCode == 0); // what stands behind it never ran: the same text is proved all the same
  CHECK(contains(run.out, "stopped as endless at line 5: compared up to where it repeats itself\n"));
  std::string less = kernel;
  less.replace(less.find("pipe_barrier(PIPE_ALL)"), 22, "pipe_barrier(PIPE_V)");
  CHECK(verify(kernel, less).exitCode == 4);
}

TEST_CASE("verify: what the runs do not show is not proved") {
  // A place that one late iteration of a long loop has alone, and an argument beside a number.
  const std::string tiles = tile("a", "float", 8, 64, 0) + tile("b", "float", 8, 64, 0x4000) +
                            tile("c", "float", 8, 64, 0x8000) + tensor("g", "in", "0");
  auto late = [&](const std::string &syncs) {
    return vectorKernel(tiles +
                        "  for (int32_t i = 0; i < 4000; ++i) {\n    TASSIGN(b, (uint64_t) (i * i % 4001 == 640 "
                        "? 0 : 0x4000));\n    TLOAD(a, g);\n" +
                        syncs + "    TADDS(c, b, 1.0f);\n    pipe_barrier(PIPE_ALL);\n  }\n");
  };
  const Run loop = verify(late("    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                               "    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"),
                          late(""));
  CHECK(loop.exitCode != 0);
  auto place = [&](const std::string &sync) {
    return vectorKernel(tiles +
                        "  for (int32_t i = 0; i < n; ++i) { out[i] = in[i]; }\n  TASSIGN(a, (uint64_t) (n * 8));\n"
                        "  TADDS(a, c, 1.0f);\n" +
                        sync + "  TADDS(c, b, 1.0f);\n");
  };
  CHECK(verify(place("  pipe_barrier(PIPE_V);\n"), place("")).exitCode != 0);
}
