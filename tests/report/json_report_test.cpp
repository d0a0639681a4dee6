#include "report/json_report.h"

#include "report/sample.h"
#include "report/schema_check.h"
#include "timing/cost_report.h"

using namespace ptosync;

namespace {

std::string violations(const nlohmann::json &report) { return test::schemaViolations(report, "schema.json"); }

nlohmann::json parsed(const sample::Sample &sample) { return nlohmann::json::parse(jsonReportText(sample.input())); }

} // namespace

TEST_CASE("a report with everything in it keeps to the schema") {
  CHECK(violations(parsed(sample::rich())) == "");
  CHECK(violations(parsed(sample::Sample())) == "");
}

TEST_CASE("a report with costs keeps to the schema") {
  sample::Sample sample = sample::rich();
  ReportInput input = sample.input();
  CostReport costs;
  costs.clockMHz = 1850;
  costs.durations = "f.json";
  costs.kernels.resize(1);
  costs.kernels[0].before.loops.resize(1);
  costs.kernels[0].kept.push_back({0, 12, 3, kNone});
  input.costs = &costs;
  nlohmann::json report = nlohmann::json::parse(jsonReportText(input));
  CHECK(violations(report) == "");
  report["cost"]["kernels"][0].erase("loops");
  CHECK(violations(report) != "");
}

TEST_CASE("the schema is strict") {
  nlohmann::json report = parsed(sample::rich());
  auto broken = [&](auto change) {
    nlohmann::json copy = report;
    change(copy);
    return !violations(copy).empty();
  };
  CHECK(broken([](auto &json) { json["extra"] = 1; }));
  CHECK(broken([](auto &json) { json["schema"] = 1; }));
  CHECK(broken([](auto &json) { json.erase("tokenFaults"); }));
  CHECK(broken([](auto &json) { json["sites"][0]["reason"] = "hazard"; }));
  CHECK(broken([](auto &json) { json["sites"][2]["reason"] = "none"; }));
  CHECK(broken([](auto &json) { json["sites"][2].erase("witness"); }));
  CHECK(broken([](auto &json) { json["sites"][0]["evidence"][0]["by"] = "luck"; }));
  CHECK(broken([](auto &json) { json["sites"][0]["evidence"][0]["conflict"]["kind"] = "RAR?"; }));
  CHECK(broken([](auto &json) { json["unresolved"][0]["section"] = "unused"; }));
}

TEST_CASE("head and summary") {
  nlohmann::json report = parsed(sample::rich());
  CHECK(report["schema"] == 3);
  CHECK(report["tool"] == "ptosync");
  CHECK(report["version"] == "1.0.0");
  CHECK(report["file"] == "k.cpp");
  CHECK(report["arch"] == "a3");
  CHECK(report["library"] == "2026-06");
  CHECK(report["trust"] == "tile");
  CHECK(report["patterns"]["selection"] == "default");
  CHECK(report["patterns"]["enabled"] == nlohmann::json({"gu", "final-div", "softmax-exp-sum"}));
  CHECK(report["summary"]["barriers"] == nlohmann::json({{"found", 9}, {"removed", 2}, {"moved", 0}, {"kept", 7}}));
  CHECK(report["summary"]["flags"] == nlohmann::json({{"found", 3}, {"removed", 0}, {"moved", 1}, {"kept", 2}}));
  CHECK(report["summary"]["sections"][1] ==
        nlohmann::json(
            {{"section", "vec"}, {"sync", "PIPE_V"}, {"found", 6}, {"removed", 2}, {"moved", 0}, {"kept", 4}}));
  CHECK(report["summary"]["patterns"][0] ==
        nlohmann::json({{"id", "gu"}, {"matched", 2}, {"removed", 1}, {"moved", 0}}));
  CHECK(report["summary"]["keptBecause"]["unbalanced"] == 2);
  CHECK(report["summary"]["keptBecause"]["intermittent"] == 0);
}

TEST_CASE("sites carry their evidence or their reason") {
  nlohmann::json sites = parsed(sample::rich())["sites"];
  REQUIRE(sites.size() == 13);
  CHECK(sites[0]["verdict"] == "removed");
  CHECK(sites[0]["evidence"][1]["by"] == "rule");
  CHECK(sites[0]["evidence"][1]["rule"] == "same-access-chain");
  CHECK(sites[0]["evidence"][2]["relied"] == false);
  CHECK(sites[0]["evidence"][2]["conflict"]["later"] ==
        nlohmann::json(
            {{"text", "TADD(v128, v128, v129)"}, {"pipe", "PIPE_V"}, {"line", 12}, {"calledFrom", {97, 120}}}));
  CHECK(sites[1]["evidence"][0]["conflict"].is_null());
  CHECK(sites[2]["reason"] == "hazard");
  CHECK(sites[2]["witness"]["storage"] == "UB [98304, 98432)");
  CHECK(sites[5]["sections"] == nlohmann::json({"cube", "vec"}));
  CHECK(sites[5]["witness"].is_null());
  CHECK(sites[9]["pipes"] == nlohmann::json({"PIPE_V", "PIPE_MTE3"}));
  CHECK(sites[11]["pipes"].empty());
  CHECK(sites[0]["edit"] == 1);
  CHECK_FALSE(sites[0].contains("movedToLines"));
  CHECK_FALSE(sites[2].contains("edit"));
  CHECK(sites[12]["verdict"] == "moved");
  CHECK(sites[12]["edit"] == 3);
  CHECK(sites[12]["movedToLines"] == nlohmann::json::array({2}));
  CHECK(sites[12]["evidence"][0]["by"] == "place");
}

TEST_CASE("keys come in a fixed order") {
  sample::Sample sample = sample::rich();
  std::string text = jsonReportText(sample.input());
  CHECK(text.rfind("{\n  \"schema\": 3,\n  \"tool\": \"ptosync\",\n", 0) == 0);
  CHECK(text.substr(text.size() - 3) == "\n}\n");
  CHECK(text == jsonReportText(sample.input()));
}

TEST_CASE("bytes that are not UTF-8 are replaced, not an exception") {
  sample::Sample sample = sample::rich();
  sample.module.sites[2].text = "pipe_barrier(\xff)";
  CHECK(parsed(sample)["sites"][2]["statement"] == "pipe_barrier(\xef\xbf\xbd)");
}

TEST_CASE("an unnamed library is null") {
  sample::Sample sample;
  ReportInput input = sample.input();
  input.library.clear();
  CHECK(jsonReport(input)["library"].is_null());
}

namespace {

/// A rewrite that is made and one that is not.
std::vector<FifoDecision> rewrites() {
  FifoDecision made;
  made.type = {0, "DIR_C2V", 4096, 8, 8};
  made.pattern = "fifo-local-slots";
  made.localSlots = 2;
  made.line = 12;
  made.kernels = {"k"};
  made.popsTiles = true;
  made.inUse = 1;
  made.space = "UB";
  made.ringBegin = 65536;
  made.spaceBytes = 196608;
  made.evidence = {"one entry"};
  FifoDecision kept = made;
  kept.type.flagBase = 2;
  kept.localSlots = 8;
  kept.popsTiles = false;
  kept.evidence.clear();
  kept.reason = "its place is not known";
  return {made, kept};
}

} // namespace

TEST_CASE("rewrites stand in the report where they were asked for") {
  sample::Sample sample = sample::rich();
  CHECK_FALSE(parsed(sample).contains("rewrites"));
  std::vector<FifoDecision> decisions = rewrites();
  ReportInput input = sample.input();
  input.rewrites = &decisions;
  nlohmann::json report = nlohmann::json::parse(jsonReportText(input));
  CHECK(violations(report) == "");
  const nlohmann::json &made = report["rewrites"][0], &kept = report["rewrites"][1];
  CHECK(made["verdict"] == "rewritten");
  CHECK(made["fifo"] == "TPipe<0, DIR_C2V, 4096, 8, 8>");
  CHECK(made["localSlotsBefore"] == 8);
  CHECK(made["localSlots"] == 2);
  CHECK(made["ring"] == nlohmann::json({{"space", "UB"}, {"begin", 65536}, {"bytes", 8192}, {"spaceBytes", 196608}}));
  CHECK(made["evidence"] == nlohmann::json({"one entry"}));
  CHECK(kept["verdict"] == "kept");
  CHECK(kept["ring"].is_null());
  CHECK(kept["reason"] == "its place is not known");
  report["rewrites"][0]["verdict"] = "kept";
  CHECK(violations(report) != "");
}
