#include "report/answers.h"
#include "support/corpus.h"

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

using namespace ptosync::synthesis;

namespace {

AddedSync additionAt(std::uint32_t offset, TextPlace::Line line) {
  AddedSync added;
  added.statement = "pipe_barrier(PIPE_V);";
  added.place = {offset, 0, line, offset};
  added.earlier = "the write of v1";
  added.later = "the read";
  added.earlierLine = 1;
  added.laterLine = 2;
  return added;
}

Defect defectOf(bool mended) {
  Defect defect;
  defect.finding.rule = "missing-sync";
  defect.finding.place = {2, 3, 2, 9};
  defect.finding.message = "RAW on UB";
  defect.finding.severity = Severity::Error;
  defect.mended = mended;
  defect.reason = mended ? "" : "no event id is free";
  return defect;
}

} // namespace

TEST_CASE("fix report: what is mended, what is left and why, and every statement") {
  Module module;
  module.source = SourceText("k.cpp", "a;\nb;\nc;\n");
  module.sites.push_back({});
  module.sites[0].text = "set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)";
  module.sites[0].line = 3;
  FixResult result;
  result.defects = {defectOf(true), defectOf(false)};
  SyncPlan &change = result.changes.emplace_back();
  change.removed[0];
  change.added = {additionAt(3, TextPlace::Line::InFront), additionAt(5, TextPlace::Line::Behind),
                  additionAt(6, TextPlace::Line::Shared)};
  CHECK(fixText({&module, &result, "a3 (default)"}) ==
        "k.cpp:2:3: mended: RAW on UB [missing-sync]\n"
        "k.cpp:2:3: left: RAW on UB [missing-sync]\n"
        "  why: no event id is free\n"
        "  line 3: taken out set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)\n"
        "  in front of line 2: put in pipe_barrier(PIPE_V): orders the write of v1 (line 1) before the read at line 2\n"
        "  behind line 2: put in pipe_barrier(PIPE_V): orders the write of v1 (line 1) before the read at line 2\n"
        "  on line 3: put in pipe_barrier(PIPE_V): orders the write of v1 (line 1) before the read at line 2\n"
        "k.cpp: 1 finding mended by 3 statements put in and 1 taken out; 1 left; arch a3 (default)\n");
}

TEST_CASE("fix report: what no finding speaks of is left as well") {
  Module module;
  module.source = SourceText("k.cpp", "a;\nb;\n");
  FixResult result;
  result.missed.push_back(
      {"WAR on UB [0, 32): A on PIPE_V may still run when B starts on PIPE_MTE2", 1, 2, "k", "n=3"});
  result.missed.push_back({"the wait at line 2 has no set", 0, 0, "k", "n=2"});
  result.contested["mte2-load-order"] = 3;
  CHECK(result.left() == 2);
  CHECK(fixText({&module, &result, "a3 (default)"}) ==
        "k.cpp: left: the wait at line 2 has no set\n"
        "  why: the replay misses this in kernel k, run with n=2; the audit has no error and no warning of it\n"
        "k.cpp:2: left: WAR on UB [0, 32): A on PIPE_V may still run when B starts on PIPE_MTE2, line 1 before line 2\n"
        "  why: the replay misses this in kernel k, run with n=3; the audit has no error and no warning of it\n"
        "k.cpp: not judged: 3 orders that only the contested rule mte2-load-order gives\n"
        "k.cpp: nothing to mend; 2 left; arch a3 (default)\n");
}

TEST_CASE("fix report: the summary") {
  FixResult result;
  CHECK(fixSummary(result) == "nothing to mend");
  result.defects = {defectOf(true)};
  SyncPlan change;
  change.removed[0];
  result.changes = {change};
  CHECK(fixSummary(result) == "1 finding mended by 1 statement taken out");
  result.defects = {defectOf(false)};
  result.changes.clear();
  CHECK(fixSummary(result) == "no findings mended; 1 left");
}

namespace {

replay::Verdict sampleVerdict() {
  replay::Verdict verdict;
  replay::Finding lost;
  lost.kind = replay::FindingKind::Order;
  lost.rule = "WAR";
  lost.kernel = "add";
  lost.section = Section::Vec;
  lost.run = "n=3";
  lost.earlier = {"TEXP(a, b)", 7, 9, "PIPE_V", "iteration 1 of the loop at line 5"};
  lost.later = {"TLOAD(b, g)", 8, 10, "PIPE_MTE2", ""};
  lost.storage = "UB [0, 64)";
  lost.order = {"line 3 set PIPE_V -> PIPE_MTE2 id 0", "line 4 wait PIPE_V -> PIPE_MTE2 id 0"};
  lost.text = "TEXP(a, b) on PIPE_V may still run when TLOAD(b, g) starts on PIPE_MTE2";
  replay::Finding token;
  token.kind = replay::FindingKind::Token;
  token.rule = "left-set";
  token.kernel = "add";
  token.section = Section::Vec;
  token.text = "flag (PIPE_V, PIPE_S, 0), set at line 6, is still set when the kernel ends";
  verdict.findings = {lost, token};
  replay::KernelCoverage coverage;
  coverage.kernel = "add";
  coverage.section = Section::Vec;
  coverage.runs = 2;
  coverage.instructions = 31;
  coverage.loops = {{5, {0, 100}, 90}, {6, {2}, 0}};
  coverage.cutAt = {12};
  coverage.neverRun = {20, 21};
  verdict.coverage = {coverage};
  return verdict;
}

VerifyReportInput input(const replay::Verdict &verdict, bool verbose = false) {
  return {"a.cpp", "b.cpp", "a3", "0.1.0", Trust::Tile, &verdict, verbose};
}

} // namespace

TEST_CASE("fix report: the result is proved, or tested, with the reason; where something is left neither is said") {
  const Module module = lift(vectorKernel(""));
  synthesis::FixResult result;
  FixReportInput report{&module, &result, "a3 (default)"};
  CHECK(fixText(report).find("nothing to mend; arch a3 (default)\n") != std::string::npos);
  report.notProved = "";
  CHECK(fixText(report).find("nothing to mend; proved; arch a3 (default)\n") != std::string::npos);
  report.notProved = "kernel k: a flag is not binary on every path";
  CHECK(fixText(report).find(
            "nothing to mend; tested, not proved (kernel k: a flag is not binary on every path); arch") !=
        std::string::npos);
  result.missed.emplace_back();
  CHECK(fixText(report).find("proved") == std::string::npos);
}

TEST_CASE("verify report: the whole text") {
  replay::Verdict verdict = sampleVerdict();
  CHECK(verifyText(input(verdict)) ==
        R"(refuted: 2 findings; 2 runs of 1 kernel, 31 instructions compared (trust: tile, arch: a3)
b.cpp:10: order lost: TEXP(a, b) on PIPE_V may still run when TLOAD(b, g) starts on PIPE_MTE2
    in add (vec), run with n=3
    WAR on UB [0, 64): line 9 (7 before) TEXP(a, b) on PIPE_V, iteration 1 of the loop at line 5
      then line 10 (8 before) TLOAD(b, g) on PIPE_MTE2
    ordered before by line 3 set PIPE_V -> PIPE_MTE2 id 0
      then line 4 wait PIPE_V -> PIPE_MTE2 id 0
b.cpp: flag: flag (PIPE_V, PIPE_S, 0), set at line 6, is still set when the kernel ends
    in add (vec)
  add (vec): 2 runs, 31 instructions compared
    loop at line 5: ran 0, 100 times; 90 iterations not run: taken to repeat those before them
    stopped as too long at line 12: compared up to there
    never run: lines 20 and 21 (try --arg)
)");
  CHECK(verifyText(input(verdict, true)).find("    loop at line 6: ran 2 times\n") != std::string::npos);
}

TEST_CASE("verify report: the answer in one line; without a proof it is no more than not refuted") {
  replay::Verdict verdict;
  const std::string compared = "1 run of 1 kernel, 2 instructions compared (trust: tile, arch: a3)\n";
  CHECK(verifyText(input(verdict)) ==
        "not refuted in 0 runs of 0 kernels, 0 instructions compared (trust: tile, arch: a3)\n");
  verdict.coverage.emplace_back();
  verdict.coverage[0].kernel = "k";
  verdict.coverage[0].runs = 1;
  verdict.coverage[0].instructions = 2;
  verdict.coverage[0].neverRun = {7};
  CHECK(verifyText(input(verdict)).rfind("not refuted in " + compared, 0) == 0);

  synthesis::FileProof proof{{{"k", Section::Both, "the code differs at line 3"}}};
  VerifyReportInput report = input(verdict);
  report.proof = &proof;
  CHECK(verifyText(report) == "not refuted in " + compared +
                                  "  k: 1 run, 2 instructions compared\n"
                                  "    no proof: the code differs at line 3\n"
                                  "    never run: line 7 (try --arg)\n");
  CHECK(nlohmann::json::parse(verifyJson(report)).at("answer") == "not-refuted");
  CHECK(nlohmann::json::parse(verifyJson(report)).at("proof") == "the code differs at line 3");

  proof.kernels[0].reason.clear();
  CHECK(verifyText(report) == "proved; " + compared + "  k: proved; 1 run, 2 instructions compared\n");
  CHECK(nlohmann::json::parse(verifyJson(report)).at("answer") == "proved");
  CHECK(nlohmann::json::parse(verifyJson(report)).at("proof").is_null());

  // Whatever is proved: a run that shows a lost order is right, and one of the engines is wrong.
  verdict = sampleVerdict();
  CHECK(verifyText(report).rfind("refuted: ", 0) == 0);
  CHECK(verifyText(report).find("one of the two engines is wrong: please report it\n") != std::string::npos);
  CHECK(nlohmann::json::parse(verifyJson(report)).at("answer") == "refuted");
}

TEST_CASE("verify report: JSON with null for what is not there") {
  replay::Verdict verdict = sampleVerdict();
  nlohmann::json report = nlohmann::json::parse(verifyJson(input(verdict)));
  CHECK(report.at("before") == "a.cpp");
  CHECK(report.at("findings")[0].at("earlier").at("iteration") == "iteration 1 of the loop at line 5");
  CHECK(report.at("findings")[0].at("later").at("iteration").is_null());
  CHECK(report.at("findings")[1].at("earlier").is_null());
  CHECK(report.at("findings")[1].at("storage").is_null());
  CHECK(report.at("findings")[1].at("run").is_null());
  CHECK(report.at("coverage")[0].at("loops")[0].at("iterationsSkipped") == 90);
  CHECK(report.at("coverage")[0].at("linesNeverRun") == nlohmann::json::array({20, 21}));
}

TEST_CASE("verify report: text of a kernel that is no UTF-8 or holds control bytes") {
  replay::Verdict verdict = sampleVerdict();
  verdict.findings[0].text = "T\xff\n\x1b[31m(x)";
  CHECK(nlohmann::json::accept(verifyJson(input(verdict))));
  CHECK(verifyText(input(verdict)).find('\x1b') == std::string::npos);
}

TEST_CASE("verify report: the calls whose inside the verdict rests on") {
  replay::Verdict verdict = sampleVerdict();
  VerifyReportInput report = input(verdict);
  report.libraryUse.library = "pto-isa 1";
  report.libraryUse.counted = {{"TROWSUM", {12}, {}}};
  const std::string text = verifyText(report);
  CHECK(text.find("\nlibrary\n  library not checked: ") != std::string::npos);
  CHECK(text.find("  the inside of these calls counts: TROWSUM 1x\n") != std::string::npos);
  nlohmann::json json = nlohmann::json::parse(verifyJson(report));
  CHECK(json["libraryUse"]["counted"][0]["name"] == "TROWSUM");
}
