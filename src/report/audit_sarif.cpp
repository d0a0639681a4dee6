// The audit as SARIF 2.1.0, for code scanning services and editors.
#include "audit/finding_table.h"
#include "report/audit_report.h"
#include "report/library_report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace ptosync {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

bool isAbsolute(const std::string &path) { return !path.empty() && path[0] == '/'; }

/// A path as a URI reference: bytes outside the unreserved set and '/' are escaped.
std::string uriOf(const std::string &path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = isAbsolute(path) ? "file://" : "";
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain)
      uri += c;
    else
      uri += std::string("%") + kHex[byte >> 4] + kHex[byte & 15];
  }
  return uri;
}

Json artifact(const std::string &file) {
  Json location = {{"uri", uriOf(file)}};
  if (!isAbsolute(file))
    location["uriBaseId"] = "%SRCROOT%";
  return location;
}

/// What goes and what comes in its place; a region of no length is an insertion.
Json fixesJson(const std::string &file, const FindingFix &fix) {
  Json replacements = Json::array();
  for (const FindingFix::Replacement &one : fix.replacements)
    replacements.push_back({{"deletedRegion",
                             {{"startLine", one.region.line},
                              {"startColumn", one.region.column},
                              {"endLine", one.region.endLine},
                              {"endColumn", one.region.endColumn}}},
                            {"insertedContent", {{"text", one.text}}}});
  Json change = {{"artifactLocation", artifact(file)}, {"replacements", std::move(replacements)}};
  return Json::array({{{"description", {{"text", "What `ptosync fix` changes; verified."}}},
                       {"artifactChanges", Json::array({std::move(change)})}}});
}

Json location(const std::string &file, const FindingPlace &place) {
  Json physical = {{"artifactLocation", artifact(file)}};
  if (place.line) {
    Json region = {{"startLine", place.line}};
    if (place.column)
      region["startColumn"] = place.column;
    if (place.endLine > place.line || (place.endLine == place.line && place.endColumn > place.column)) {
      region["endLine"] = place.endLine;
      region["endColumn"] = place.endColumn;
    }
    physical["region"] = std::move(region);
  }
  return {{"physicalLocation", std::move(physical)}};
}

Json noteLocation(const std::string &file, const FindingNote &note) {
  Json json = location(file, note.place);
  json["message"] = {{"text", note.text}};
  return json;
}

const char *level(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

Json rulesJson() {
  Json rules = Json::array();
  for (const FindingRule &rule : findingRules())
    rules.push_back({{"id", rule.id},
                     {"shortDescription", {{"text", std::string(rule.summary)}}},
                     {"defaultConfiguration", {{"level", level(rule.severity)}}},
                     {"help", {{"text", "See " + rule.page()}}}});
  return rules;
}

std::size_t ruleIndex(const std::string &id) {
  const std::vector<FindingRule> &rules = findingRules();
  return static_cast<std::size_t>(
      std::find_if(rules.begin(), rules.end(), [&](const FindingRule &rule) { return rule.id == id; }) - rules.begin());
}

Json resultJson(const std::string &file, const Finding &finding) {
  Json json = {{"ruleId", finding.rule},
               {"ruleIndex", ruleIndex(finding.rule)},
               {"level", level(finding.severity)},
               {"message", {{"text", finding.message}}},
               {"locations", Json::array({location(file, finding.place)})},
               {"partialFingerprints", {{"ptosync/v2", finding.fingerprint}}}};
  if (!finding.notes.empty()) {
    json["relatedLocations"] = Json::array();
    for (const FindingNote &note : finding.notes)
      json["relatedLocations"].push_back(noteLocation(file, note));
  }
  if (!finding.path.empty()) {
    Json steps = Json::array();
    for (const FindingNote &note : finding.path)
      steps.push_back({{"location", noteLocation(file, note)}});
    json["codeFlows"] = Json::array({{{"threadFlows", Json::array({{{"locations", std::move(steps)}}})}}});
  }
  return json;
}

void addNotifications(Json &notifications, const AuditedFile &file) {
  auto add = [&](const std::string &text, std::uint32_t line) {
    notifications.push_back({{"level", "error"},
                             {"message", {{"text", text}}},
                             {"locations", Json::array({location(file.name, {line, line ? 1u : 0u, line, 1})})}});
  };
  if (!file.problem.empty())
    add("not analysed: " + file.problem, 0);
  for (const SkippedInAudit &kernel : file.result.skipped)
    add("not analysed: kernel " + kernel.kernel + ": " + kernel.reason, kernel.line);
}

} // namespace

std::string auditSarif(const AuditReport &report) {
  Json results = Json::array(), notifications = Json::array();
  for (const AuditedFile &file : report.files) {
    for (const Finding &finding : file.result.findings) {
      results.push_back(resultJson(file.name, finding));
      if (auto fix = file.fixes.find(finding.fingerprint); fix != file.fixes.end())
        results.back()["fixes"] = fixesJson(file.name, fix->second);
    }
    addNotifications(notifications, file);
  }
  Json invocation = {{"executionSuccessful", notifications.empty()}};
  if (!notifications.empty())
    invocation["toolExecutionNotifications"] = std::move(notifications);
  Json driver = {{"name", "ptosync"}, {"version", report.toolVersion}, {"rules", rulesJson()}};
  Json artifacts = Json::array();
  for (const AuditedFile &file : report.files)
    if (!file.archChoice.empty())
      artifacts.push_back(
          {{"location", artifact(file.name)},
           {"properties",
            {{"arch", file.arch}, {"archChoice", file.archChoice}, {"libraryUse", libraryUseJson(file.libraryUse)}}}});
  Json run = {{"tool", {{"driver", std::move(driver)}}},
              {"invocations", Json::array({std::move(invocation)})},
              {"columnKind", "unicodeCodePoints"},
              {"artifacts", std::move(artifacts)},
              {"results", std::move(results)}};
  Json json = {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ptosync
