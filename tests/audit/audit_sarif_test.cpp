// The structure that SARIF 2.1.0 asks for, where the standard says "shall", and the limits of code scanning. The schema
// of OASIS itself is not in the repository; where PTOSYNC_SARIF_SCHEMA names its file, documents are held against it.
#include "audit/audit_sample.h"

#include "audit/finding.h"
#include "audit/finding_pages.h"
#include "audit/sarif.h"
#include "report/schema_check.h"

#include <cstdlib>
#include <iostream>
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
  checkKeys(run,
            {"tool", "automationDetails", "originalUriBaseIds", "invocations", "columnKind", "artifacts", "results"});
  CHECK(run["automationDetails"]["id"] == "ptosync-audit/");
  checkKeys(run["originalUriBaseIds"], {"%SRCROOT%"});
  CHECK(run["columnKind"] == "unicodeCodePoints");
  const json &driver = run["tool"]["driver"];
  CHECK(driver["name"] == "ptosync");
  REQUIRE(driver["rules"].size() == findingRules().size());
  for (const json &rule : driver["rules"]) {
    checkKeys(rule, {"id", "name", "shortDescription", "fullDescription", "defaultConfiguration", "help", "helpUri",
                     "properties"});
    CHECK(rule["shortDescription"]["text"].is_string());
    CHECK(rule["fullDescription"]["text"].get<std::string>().size() <= kLongestSarifText);
    CHECK(rule["fullDescription"]["text"].get<std::string>().find("You see this") == 0);
    CHECK(std::set<std::string>{"note", "warning", "error"}.count(rule["defaultConfiguration"]["level"]) == 1);
    const std::string id = rule["id"], uri = rule["helpUri"];
    CHECK(rule["help"]["markdown"] == std::string(findingPage(id)));
    CHECK(uri.rfind("https://", 0) == 0);
    CHECK(uri.find("/docs/findings/" + id + ".md") != std::string::npos);
    const json &properties = rule["properties"];
    CHECK(std::set<std::string>{"very-high", "high", "medium", "low"}.count(properties["precision"]) == 1);
    CHECK(std::set<std::string>{"error", "warning", "recommendation"}.count(properties["problem.severity"]) == 1);
    CHECK(properties["tags"].size() >= 1);
    CHECK(properties["tags"].size() <= 10); // what code scanning shows
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

TEST_CASE("sarif: what the line hash is of, and that equal lines have a number") {
  const std::string text = "int a;\n\tint b ;\r\nint a;\n";
  const std::map<std::uint32_t, std::string> hashes = lineHashes(text, {1, 2, 3, 4, 99});
  CHECK(hashes.size() == 4); // the end of the file is a line as well
  // Blanks do not count, nor does how a line ends.
  CHECK(lineHashes("int a;\n int b;\nint  a;\n", {1, 2, 3, 4}) == hashes);
  CHECK(hashes.at(1) != hashes.at(3)); // what follows counts
  const std::string far = "int a;\n" + std::string(100, 'x') + "\n";
  const std::map<std::uint32_t, std::string> twice = lineHashes(far + far, {1, 3});
  const std::string first = twice.at(1), second = twice.at(3);
  CHECK(first.substr(first.find(':')) == ":1");
  CHECK(second.substr(second.find(':')) == ":2");
  CHECK(first.substr(0, first.find(':')) == second.substr(0, second.find(':')));
  // As GitHub's upload has it of these texts.
  CHECK(lineHashes("", {1}).at(1) == "c129715d7a2bc9a3:1");
  CHECK(lineHashes("  hello; \tworld!\n\n\n  \tb", {1}).at(1) == "11ea4ac88a8a21a3:1");
  CHECK(lineHashes("x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n", {7}).at(7) == "f1b89f20de0d133:1");
}

TEST_CASE("sarif: the hash of the line is a partial fingerprint") {
  AuditReport report = sampleAudit();
  report.files[0].lineHashes = {{12, "39fa2ee980eb94b0:1"}};
  const json results = json::parse(auditSarif(report))["runs"][0]["results"];
  CHECK(results[0]["partialFingerprints"]["primaryLocationLineHash"] == "39fa2ee980eb94b0:1");
  CHECK_FALSE(results[1]["partialFingerprints"].contains("primaryLocationLineHash"));
}

TEST_CASE("sarif: the name from the top of the repository is the one that is written") {
  AuditReport report = sampleAudit();
  report.files[0].name = "../../k.cpp";
  report.files[0].scanName = "kernels/k.cpp";
  const json result = json::parse(auditSarif(report))["runs"][0]["results"][0];
  CHECK(result["locations"][0]["physicalLocation"]["artifactLocation"] ==
        json{{"uri", "kernels/k.cpp"}, {"uriBaseId", "%SRCROOT%"}});
  CHECK(auditGithub(report).find("::error file=kernels/k.cpp,line=12") != std::string::npos);
}

TEST_CASE("sarif: no more than code scanning takes, and the gravest of it") {
  AuditReport report = sampleAudit();
  report.files.pop_back();
  AuditedFile &file = report.files[0];
  Finding error = file.result.findings[0], note = file.result.findings[2];
  error.path.assign(kMostSarifSteps + 7, error.path[0]);
  error.path.front().text = "begin";
  error.path.back().text = "end";
  error.notes.assign(kMostSarifRelated + 7, error.notes[0]);
  error.message = std::string(kLongestSarifMessage, 'x') + "\xC3\xA9\xC3\xA9";
  file.result.findings.assign(kMostSarifResults + 5, note);
  file.result.findings.push_back(error);
  const json run = json::parse(auditSarif(report))["runs"][0];
  REQUIRE(run["results"].size() == kMostSarifResults);
  const json &last = run["results"].back();
  CHECK(last["level"] == "error");
  const json &steps = last["codeFlows"][0]["threadFlows"][0]["locations"];
  REQUIRE(steps.size() == kMostSarifSteps);
  CHECK(steps.front()["location"]["message"]["text"] == "begin");
  CHECK(steps.back()["location"]["message"]["text"] == "end");
  CHECK(last["relatedLocations"].size() == kMostSarifRelated);
  const std::string message = last["message"]["text"];
  CHECK(message.size() <= kLongestSarifMessage);
  CHECK(message.substr(message.size() - 4) == " ...");
  const json &invocation = run["invocations"][0];
  CHECK(invocation["executionSuccessful"] == true);
  REQUIRE(invocation["toolExecutionNotifications"].size() == 1);
  CHECK(invocation["toolExecutionNotifications"][0]["level"] == "warning");
  CHECK(invocation["toolExecutionNotifications"][0]["message"]["text"].get<std::string>().find("the 6 least grave") !=
        std::string::npos);
}

TEST_CASE("sarif: the schema of the standard, where it is at hand") {
  const char *schema = std::getenv("PTOSYNC_SARIF_SCHEMA");
  if (!schema) {
    std::cout << "skipped: PTOSYNC_SARIF_SCHEMA names no sarif-schema-2.1.0.json\n";
    return;
  }
  AuditReport report = sampleAudit();
  report.files[0].archChoice = "a3 (text)";
  report.files[0].lineHashes = {{12, "39fa2ee980eb94b0:1"}};
  report.files[0].fixes["0123456789abcdef0123456789abcdef"].replacements = {{{12, 3, 12, 3}, "x;\n"}};
  const json sarif = json::parse(auditSarif(report));
  CHECK(schemaViolationsOf(sarif, schema) == "");
  json broken = sarif;
  broken["runs"][0]["results"][0]["colour"] = "red";
  CHECK(schemaViolationsOf(broken, schema) != "");
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
