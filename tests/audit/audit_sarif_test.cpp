// The structure that SARIF 2.1.0 asks for, where the standard says "shall".
#include "audit/audit_sample.h"

#include "audit/finding.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <set>

using namespace ptosync;
using namespace ptosync::test;
using nlohmann::json;

namespace {

void checkKeys(const json &object, const std::set<std::string> &allowed) {
  REQUIRE(object.is_object());
  for (const auto &[key, value] : object.items()) {
    INFO(key);
    CHECK(allowed.count(key) == 1);
  }
}

void checkLocation(const json &location, bool message) {
  checkKeys(location, {"physicalLocation", "message"});
  CHECK(location.contains("message") == message);
  const json &physical = location["physicalLocation"];
  checkKeys(physical, {"artifactLocation", "region"});
  checkKeys(physical["artifactLocation"], {"uri", "uriBaseId"});
  const std::string uri = physical["artifactLocation"]["uri"];
  CHECK(uri.find(' ') == std::string::npos);
  if (!physical.contains("region"))
    return;
  const json &region = physical["region"];
  checkKeys(region, {"startLine", "startColumn", "endLine", "endColumn"});
  CHECK(region["startLine"].get<int>() >= 1);
  if (region.contains("endLine"))
    CHECK(region["endLine"].get<int>() >= region["startLine"].get<int>());
}

} // namespace

TEST_CASE("sarif: the document, its tool and its rules") {
  json sarif = json::parse(auditSarif(sampleAudit()));
  checkKeys(sarif, {"$schema", "version", "runs"});
  CHECK(sarif["version"] == "2.1.0");
  REQUIRE(sarif["runs"].size() == 1);
  const json &run = sarif["runs"][0];
  checkKeys(run, {"tool", "invocations", "columnKind", "artifacts", "results"});
  CHECK(run["columnKind"] == "unicodeCodePoints");
  const json &driver = run["tool"]["driver"];
  CHECK(driver["name"] == "ptosync");
  REQUIRE(driver["rules"].size() == findingRules().size());
  for (const json &rule : driver["rules"]) {
    checkKeys(rule, {"id", "shortDescription", "defaultConfiguration", "help"});
    CHECK(rule["shortDescription"]["text"].is_string());
    CHECK(std::set<std::string>{"note", "warning", "error"}.count(rule["defaultConfiguration"]["level"]) == 1);
  }
}

TEST_CASE("sarif: results with their rule, places, path and fingerprint") {
  json run = json::parse(auditSarif(sampleAudit()))["runs"][0];
  REQUIRE(run["results"].size() == 3);
  for (const json &result : run["results"]) {
    checkKeys(result, {"ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints",
                       "relatedLocations", "codeFlows"});
    std::size_t index = result["ruleIndex"];
    REQUIRE(index < run["tool"]["driver"]["rules"].size());
    CHECK(run["tool"]["driver"]["rules"][index]["id"] == result["ruleId"]);
    REQUIRE(result["locations"].size() == 1);
    checkLocation(result["locations"][0], false);
    CHECK(result["partialFingerprints"]["ptosync/v2"] == "0123456789abcdef0123456789abcdef");
  }
  const json &error = run["results"][0];
  CHECK(error["level"] == "error");
  CHECK(error["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "dir/a%20b.cpp");
  CHECK(error["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] == "%SRCROOT%");
  for (const json &related : error["relatedLocations"])
    checkLocation(related, true);
  const json &steps = error["codeFlows"][0]["threadFlows"][0]["locations"];
  REQUIRE(steps.size() == 3);
  for (const json &step : steps) {
    checkKeys(step, {"location"});
    checkLocation(step["location"], true);
  }
}

TEST_CASE("sarif: a file that could not be analysed is an unsuccessful run") {
  json invocation = json::parse(auditSarif(sampleAudit()))["runs"][0]["invocations"][0];
  CHECK(invocation["executionSuccessful"] == false);
  REQUIRE(invocation["toolExecutionNotifications"].size() == 1);
  checkLocation(invocation["toolExecutionNotifications"][0]["locations"][0], false);
  AuditReport good = sampleAudit();
  good.files.pop_back();
  CHECK(json::parse(auditSarif(good))["runs"][0]["invocations"][0] == json{{"executionSuccessful", true}});
}

TEST_CASE("sarif: an absolute name is a file URI") {
  AuditReport report = sampleAudit();
  report.files[0].name = "/k/a#1.cpp";
  json location = json::parse(auditSarif(report))["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
  CHECK(location["artifactLocation"] == json{{"uri", "file:///k/a%231.cpp"}});
}

TEST_CASE("sarif: what was taken for granted about a library stands with the file") {
  AuditReport report = sampleAudit();
  report.files[0].archChoice = "a3 (text)";
  report.files[0].libraryUse.counted = {{"TROWSUM", {12}, {}}};
  json artifacts = json::parse(auditSarif(report))["runs"][0]["artifacts"];
  REQUIRE(artifacts.size() == 1);
  CHECK(artifacts[0]["properties"]["libraryUse"]["counted"][0]["name"] == "TROWSUM");
  CHECK(json::parse(auditJson(report))["files"][0]["libraryUse"]["checked"] == "not checked");
}

TEST_CASE("sarif: what mends a finding stands with it, as replacements of regions") {
  AuditReport report = sampleAudit();
  report.files[0].fixes["0123456789abcdef0123456789abcdef"].replacements = {
      {{12, 3, 12, 3}, "pipe_barrier(PIPE_V);\n"}};
  report.files[0].result.findings.resize(1);
  json result = json::parse(auditSarif(report))["runs"][0]["results"][0];
  REQUIRE(result["fixes"].size() == 1);
  const json &fix = result["fixes"][0];
  checkKeys(fix, {"description", "artifactChanges"});
  CHECK(fix["description"]["text"].is_string());
  REQUIRE(fix["artifactChanges"].size() == 1);
  const json &change = fix["artifactChanges"][0];
  checkKeys(change, {"artifactLocation", "replacements"});
  CHECK(change["artifactLocation"] == result["locations"][0]["physicalLocation"]["artifactLocation"]);
  REQUIRE(change["replacements"].size() == 1);
  checkKeys(change["replacements"][0], {"deletedRegion", "insertedContent"});
  CHECK(change["replacements"][0]["deletedRegion"] ==
        json{{"startLine", 12}, {"startColumn", 3}, {"endLine", 12}, {"endColumn", 3}});
  CHECK(change["replacements"][0]["insertedContent"]["text"] == "pipe_barrier(PIPE_V);\n");
}
