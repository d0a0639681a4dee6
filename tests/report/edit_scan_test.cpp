#include "report/edit_scan.h"

#include "report/sample.h"
#include "run/opt.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <set>

using namespace ptosync;
using namespace ptosync::test;
using nlohmann::json;

namespace {

const std::string kText =
    vectorKernel(tile("v1", "float", 16, 64, 0) + tile("v2", "float", 8, 64, 8192) +
                 "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(v2, v2, 1.0f);\n"
                 "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n");

std::vector<SarifResult> scanOf(const Outcome &outcome, const std::string &file) {
  ReportInput input;
  input.module = &outcome.module;
  input.result = &outcome.result;
  return scanEdits(input, file, kText);
}

} // namespace

TEST_CASE("edit scan: one result an edit, at its first statement, with the others beside it") {
  const Outcome outcome = run(kText);
  const std::vector<SarifResult> results = scanOf(outcome, "kernels/k.cpp");
  REQUIRE(results.size() == 2);
  const SarifResult &barrier = results[0], &flag = results[1];
  CHECK(barrier.rule == "redundant-pipe-v");
  CHECK(barrier.severity == Severity::Note);
  CHECK(barrier.file == "kernels/k.cpp");
  CHECK(barrier.place == FindingPlace{kBodyLine + 3, 3, kBodyLine + 3, 24});
  CHECK(barrier.message.find("removed pipe_barrier(PIPE_V) at line 7") != std::string::npos);
  CHECK(barrier.message.find("it orders nothing") != std::string::npos);
  CHECK(barrier.fingerprint.size() == 16);
  CHECK(barrier.lineHash.find(":1") != std::string::npos);
  CHECK(flag.place.line == kBodyLine + 5);
  REQUIRE(!flag.related.empty());
  CHECK(flag.related.front().text == "wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)");
  CHECK(flag.related.front().place.line == kBodyLine + 6);
}

TEST_CASE("edit scan: the rules are the patterns, and each result has one") {
  const Catalogue all = llvm::cantFail(Catalogue::builtIn());
  std::set<std::string> ids;
  for (const SarifRule &rule : editRules(all)) {
    CAPTURE(rule.id);
    CHECK(ids.insert(rule.id).second);
    CHECK(rule.help.rfind("# " + rule.id + "\n", 0) == 0);
    CHECK(rule.helpUri.find("/docs/") != std::string::npos);
    CHECK(!rule.summary.empty());
    CHECK(!rule.description.empty());
  }
  const Outcome outcome = run(kText);
  SarifRun scan{"opt", "0.1.0", editRules(all), scanOf(outcome, "k.cpp"), {}, {}};
  const json document = json::parse(sarifText(scan))["runs"][0];
  CHECK(document["automationDetails"]["id"] == "ptosync-opt/");
  REQUIRE(document["results"].size() == 2);
  for (const json &result : document["results"]) {
    CHECK(result["level"] == "note");
    CHECK(result["partialFingerprints"].contains("ptosync-edit/v1"));
    CHECK(document["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"] == result["ruleId"]);
  }
}

TEST_CASE("edit scan: annotations of a workflow") {
  const std::string text = githubAnnotations(editAnnotations(scanOf(run(kText), "k.cpp")));
  CHECK(text.find(
            "::notice file=k.cpp,line=7,col=3,endColumn=24,title=redundant-pipe-v::`ptosync opt` proves this edit") ==
        0);
  CHECK(text.find("::notice file=k.cpp,line=9,") != std::string::npos);
}

TEST_CASE("edit scan: no edits, no results") {
  CHECK(scanOf(run(vectorKernel("")), "k.cpp").empty());
  CHECK(githubAnnotations({}).empty());
}
