#include "audit/sarif.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/ConvertUTF.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ptosync {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";
constexpr const char *kRoot = "%SRCROOT%";

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
      uri.append("%").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }
  return uri;
}

/// At most so many bytes, whole characters, and a mark that something is missing.
std::string cut(const std::string &text, std::size_t most) {
  constexpr std::string_view kMark = " ...";
  if (text.size() <= most)
    return text;
  std::size_t end = most - kMark.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.substr(0, end) + std::string(kMark);
}

Json artifact(const std::string &file) {
  Json location = {{"uri", uriOf(file)}};
  if (!isAbsolute(file))
    location["uriBaseId"] = kRoot;
  return location;
}

/// What goes and what comes in its place; a region of no length is an insertion.
Json fixesJson(const SarifResult &result) {
  Json replacements = Json::array();
  for (const FindingFix::Replacement &one : result.fix.replacements)
    replacements.push_back({{"deletedRegion",
                             {{"startLine", one.region.line},
                              {"startColumn", one.region.column},
                              {"endLine", one.region.endLine},
                              {"endColumn", one.region.endColumn}}},
                            {"insertedContent", {{"text", one.text}}}});
  Json change = {{"artifactLocation", artifact(result.file)}, {"replacements", std::move(replacements)}};
  return Json::array(
      {{{"description", {{"text", result.fixText}}}, {"artifactChanges", Json::array({std::move(change)})}}});
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
  json["message"] = {{"text", cut(note.text, kLongestSarifMessage)}};
  return json;
}

const char *level(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

Json ruleJson(const SarifRule &rule) {
  const bool note = rule.severity <= Severity::Note;
  return {{"id", rule.id},
          {"name", rule.id},
          {"shortDescription", {{"text", cut(rule.summary, kLongestSarifText)}}},
          {"fullDescription", {{"text", cut(rule.description, kLongestSarifText)}}},
          {"defaultConfiguration", {{"level", level(rule.severity)}}},
          {"help", {{"text", cut(rule.description, kLongestSarifText)}, {"markdown", rule.help}}},
          {"helpUri", rule.helpUri},
          {"properties",
           {{"precision", rule.precision},
            {"problem.severity", note ? "recommendation" : level(rule.severity)},
            {"tags", rule.tags}}}};
}

/// A path that is too long keeps its beginning and its end.
std::vector<FindingNote> shortened(const std::vector<FindingNote> &path) {
  if (path.size() <= kMostSarifSteps)
    return path;
  const auto half = static_cast<std::ptrdiff_t>(kMostSarifSteps / 2);
  std::vector<FindingNote> steps(path.begin(), path.begin() + half);
  steps.insert(steps.end(), path.end() - half, path.end());
  return steps;
}

Json resultJson(const SarifResult &result, const std::map<std::string, std::size_t> &rules) {
  Json json = {{"ruleId", result.rule},
               {"ruleIndex", rules.at(result.rule)},
               {"level", level(result.severity)},
               {"message", {{"text", cut(result.message, kLongestSarifMessage)}}},
               {"locations", Json::array({location(result.file, result.place)})},
               {"partialFingerprints", {{result.fingerprintName, result.fingerprint}}}};
  if (!result.lineHash.empty())
    json["partialFingerprints"]["primaryLocationLineHash"] = result.lineHash;
  if (!result.related.empty()) {
    Json &related = json["relatedLocations"] = Json::array();
    for (const FindingNote &note : result.related)
      if (related.size() < kMostSarifRelated)
        related.push_back(noteLocation(result.file, note));
  }
  if (!result.path.empty()) {
    Json steps = Json::array();
    for (const FindingNote &note : shortened(result.path))
      steps.push_back({{"location", noteLocation(result.file, note)}});
    json["codeFlows"] = Json::array({{{"threadFlows", Json::array({{{"locations", std::move(steps)}}})}}});
  }
  if (!result.fixText.empty())
    json["fixes"] = fixesJson(result);
  return json;
}

Json notification(const char *grade, const std::string &text) {
  return {{"level", grade}, {"message", {{"text", cut(text, kLongestSarifMessage)}}}};
}

/// The gravest ones, in their order.
std::vector<const SarifResult *> gravest(const std::vector<SarifResult> &results) {
  std::vector<const SarifResult *> kept;
  kept.reserve(results.size());
  for (const SarifResult &result : results)
    kept.push_back(&result);
  std::stable_sort(kept.begin(), kept.end(),
                   [](const SarifResult *a, const SarifResult *b) { return a->severity > b->severity; });
  kept.resize(std::min(kept.size(), kMostSarifResults));
  std::sort(kept.begin(), kept.end());
  return kept;
}

Json invocationJson(const SarifRun &run, std::size_t written) {
  Json notifications = Json::array();
  for (const SarifProblem &problem : run.problems) {
    notifications.push_back(notification("error", problem.text));
    notifications.back()["locations"] =
        Json::array({location(problem.file, {problem.line, problem.line ? 1u : 0u, problem.line, 1})});
  }
  if (written < run.results.size())
    notifications.push_back(notification(
        "warning", "Code scanning takes " + std::to_string(kMostSarifResults) + " results of a run; the " +
                       std::to_string(run.results.size() - written) + " least grave ones are not in this file."));
  Json invocation = {{"executionSuccessful", run.problems.empty()}};
  if (!notifications.empty())
    invocation["toolExecutionNotifications"] = std::move(notifications);
  return invocation;
}

} // namespace

std::string sarifText(const SarifRun &run) {
  std::map<std::string, std::size_t> indices;
  Json rules = Json::array(), results = Json::array(), artifacts = Json::array();
  for (const SarifRule &rule : run.rules) {
    indices.emplace(rule.id, rules.size());
    rules.push_back(ruleJson(rule));
  }
  for (const SarifResult *result : gravest(run.results))
    results.push_back(resultJson(*result, indices));
  for (const SarifFile &file : run.files)
    artifacts.push_back(
        {{"location", artifact(file.name)},
         {"properties",
          {{"arch", file.arch}, {"archChoice", file.archChoice}, {"libraryUse", libraryUseJson(file.libraryUse)}}}});
  Json driver = {{"name", "ptosync"},
                 {"version", run.toolVersion},
                 {"semanticVersion", run.toolVersion},
                 {"informationUri", helpUri("README.md")},
                 {"rules", std::move(rules)}};
  Json json = {{"tool", {{"driver", std::move(driver)}}},
               {"automationDetails", {{"id", "ptosync-" + run.command + "/"}}},
               {"originalUriBaseIds", {{kRoot, {{"description", {{"text", "The top folder of the repository."}}}}}}},
               {"invocations", Json::array({invocationJson(run, results.size())})},
               {"columnKind", "unicodeCodePoints"},
               {"artifacts", std::move(artifacts)},
               {"results", std::move(results)}};
  Json log = {{"$schema", kSarifSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(json)})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string helpUri(std::string_view page) { return std::string(PTOSYNC_HOMEPAGE "/blob/HEAD/").append(page); }

namespace {

/// The text as it is hashed: UTF-16 without blanks and tabs, each end of a line one '\n', and a mark behind the last
/// one; and where each line begins in it.
struct HashedText {
  std::vector<std::uint32_t> units;
  std::vector<std::size_t> lines; // by number, from 0
};

HashedText hashedText(std::string_view text) {
  constexpr std::uint32_t kEnd = 65535;
  llvm::SmallVector<llvm::UTF16> wide;
  if (!llvm::convertUTF8ToUTF16String(llvm::StringRef(text), wide)) {
    wide.clear(); // no UTF-8: byte by byte, which is as stable
    for (char c : text)
      wide.push_back(static_cast<unsigned char>(c));
  }
  HashedText hashed;
  bool lineStart = true, afterReturn = false;
  auto add = [&](std::uint32_t unit) {
    if (lineStart)
      hashed.lines.push_back(hashed.units.size());
    lineStart = unit == '\n';
    hashed.units.push_back(unit);
  };
  for (llvm::UTF16 unit : wide) {
    const bool skipped = unit == ' ' || unit == '\t' || (afterReturn && unit == '\n');
    afterReturn = !skipped && unit == '\r';
    if (!skipped)
      add(unit == '\r' ? '\n' : unit);
  }
  add(kEnd);
  return hashed;
}

} // namespace

std::map<std::uint32_t, std::string> lineHashes(std::string_view text, const std::set<std::uint32_t> &lines) {
  constexpr std::size_t kHashedUnits = 100; // what is further behind does not count
  constexpr std::uint64_t kFactor = 37;
  std::map<std::uint32_t, std::string> hashes;
  if (lines.empty())
    return hashes;
  const HashedText hashed = hashedText(text);
  std::map<std::uint64_t, std::size_t> seen;
  for (std::size_t i = 0; i < hashed.lines.size(); ++i) {
    std::uint64_t hash = 0;
    for (std::size_t at = hashed.lines[i]; at < hashed.lines[i] + kHashedUnits; ++at)
      hash = hash * kFactor + (at < hashed.units.size() ? hashed.units[at] : 0);
    const std::size_t number = ++seen[hash];
    const auto line = static_cast<std::uint32_t>(i + 1);
    if (lines.count(line))
      hashes[line] = llvm::utohexstr(hash, /*LowerCase=*/true) + ":" + std::to_string(number);
  }
  return hashes;
}

} // namespace ptosync
