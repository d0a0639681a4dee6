#include "audit/sarif.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/ConvertUTF.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

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

/// Returns the results that go into the file, in their order: the gravest, as many as code scanning takes. Of equals
/// the first. `severities`: of all results; `make`: the JSON of one.
std::vector<Json> gravestResults(const std::vector<Severity> &severities, llvm::function_ref<Json(std::size_t)> make) {
  std::vector<std::size_t> byGravity(severities.size());
  std::iota(byGravity.begin(), byGravity.end(), std::size_t(0));
  std::stable_sort(byGravity.begin(), byGravity.end(),
                   [&](std::size_t a, std::size_t b) { return severities[a] > severities[b]; });
  byGravity.resize(std::min(byGravity.size(), kMostSarifResults));
  std::map<std::size_t, Json> kept;
  std::size_t bytes = 0;
  for (std::size_t i : byGravity) {
    Json json = make(i);
    bytes += json.dump(-1, ' ', false, Json::error_handler_t::replace).size();
    if (bytes > kMostSarifBytes)
      break;
    kept.emplace(i, std::move(json));
  }
  std::vector<Json> results;
  results.reserve(kept.size());
  for (auto &[i, json] : kept)
    results.push_back(std::move(json));
  return results;
}

constexpr const char *kLeftOut = "results-left-out"; // id of the notification that counts them

Json leftOutNotification(std::size_t written, std::size_t leftOut) {
  const std::string takes = written == kMostSarifResults ? std::to_string(kMostSarifResults) + " results of a run"
                                                         : "a file of 10 MB, packed";
  Json json = notification("warning", "Code scanning takes " + takes + "; the " + std::to_string(leftOut) +
                                          " least grave ones are not in this file.");
  json["descriptor"] = {{"id", kLeftOut}};
  json["properties"] = {{"count", leftOut}};
  return json;
}

Json problemJson(const SarifProblem &problem) {
  Json json = notification("error", problem.text);
  json["locations"] = Json::array({location(problem.file, {problem.line, problem.line ? 1u : 0u, problem.line, 1})});
  return json;
}

/// What goes into the file.
struct SarifContents {
  std::string command, toolVersion;
  Json rules = Json::array(), artifacts = Json::array(), problems = Json::array();
  std::vector<Json> results = {};
  std::size_t leftOut = 0;
  Json properties = {}; // of the run; null: none
};

std::string logText(SarifContents contents) {
  Json invocation = {{"executionSuccessful", contents.problems.empty()}};
  if (contents.leftOut)
    contents.problems.push_back(leftOutNotification(contents.results.size(), contents.leftOut));
  if (!contents.problems.empty())
    invocation["toolExecutionNotifications"] = std::move(contents.problems);
  Json results = Json::array();
  for (Json &result : contents.results)
    results.push_back(std::move(result));
  Json driver = {{"name", "ptosync"},
                 {"version", contents.toolVersion},
                 {"semanticVersion", contents.toolVersion},
                 {"informationUri", helpUri("README.md")},
                 {"rules", std::move(contents.rules)}};
  Json json = {{"tool", {{"driver", std::move(driver)}}},
               {"automationDetails", {{"id", "ptosync-" + contents.command + "/"}}},
               {"originalUriBaseIds", {{kRoot, {{"description", {{"text", "The top folder of the repository."}}}}}}},
               {"invocations", Json::array({std::move(invocation)})},
               {"columnKind", "unicodeCodePoints"},
               {"artifacts", std::move(contents.artifacts)}};
  if (!contents.properties.is_null())
    json["properties"] = std::move(contents.properties);
  json["results"] = std::move(results);
  Json log = {{"$schema", kSarifSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(json)})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

std::string sarifText(const SarifRun &run) {
  SarifContents contents{run.command, run.toolVersion};
  std::map<std::string, std::size_t> indices;
  for (const SarifRule &rule : run.rules) {
    indices.emplace(rule.id, contents.rules.size());
    contents.rules.push_back(ruleJson(rule));
  }
  std::vector<Severity> severities;
  severities.reserve(run.results.size());
  for (const SarifResult &result : run.results)
    severities.push_back(result.severity);
  contents.results = gravestResults(severities, [&](std::size_t i) { return resultJson(run.results[i], indices); });
  contents.leftOut = run.results.size() - contents.results.size();
  for (const SarifProblem &problem : run.problems)
    contents.problems.push_back(problemJson(problem));
  for (const SarifFile &file : run.files)
    contents.artifacts.push_back(
        {{"location", artifact(file.name)},
         {"properties",
          {{"arch", file.arch}, {"archChoice", file.archChoice}, {"libraryUse", libraryUseJson(file.libraryUse)}}}});
  if (run.shard) {
    Json uris = Json::array();
    for (const std::string &name : run.names)
      uris.push_back(uriOf(name));
    contents.properties = {{"shard", shardJson(*run.shard)}, {"files", std::move(uris)}};
  }
  return logText(std::move(contents));
}

// Read again.

namespace {

/// Reads a file of this page. A member that is missing, or is none of the kind that is written, is noted.
class SarifReader {
public:
  explicit SarifReader(const Json &run) : run(run) {}

  llvm::Expected<SarifDocument> read() {
    const std::string tool = text(run, "/tool/driver/name");
    if (!tool.empty() && tool != "ptosync")
      return llvm::createStringError("was written by " + tool + "; only what ptosync has written can be merged");
    document.toolVersion = text(run, "/tool/driver/version");
    document.rules = at(run, "/tool/driver/rules");
    llvm::StringRef command = id = text(run, "/automationDetails/id");
    whole = whole && command.consume_front("ptosync-") && command.consume_back("/");
    document.command = command.str();
    for (const Json &result : at(run, "/results"))
      addResult(result);
    for (const Json &file : at(run, "/artifacts"))
      add(document.files, text(file, "/location/uri"), file);
    if (const Json::json_pointer problems("/invocations/0/toolExecutionNotifications"); run.contains(problems))
      for (const Json &problem : run[problems])
        addNotification(problem);
    if (const Json::json_pointer place("/properties/shard"); run.contains(place)) {
      llvm::Expected<Shard> shard = readShard(run[place]);
      if (!shard)
        return shard.takeError();
      document.shard = std::move(*shard);
      document.uris.clear();
      for (const Json &uri : at(run, "/properties/files"))
        document.uris.push_back(text(uri, ""));
    }
    if (!whole)
      return llvm::createStringError("is no SARIF that ptosync has written, or it was changed since");
    return std::move(document);
  }

private:
  const Json &at(const Json &json, const char *pointer) {
    static const Json none;
    const Json::json_pointer place(pointer);
    const bool is = json.contains(place);
    whole = whole && is;
    return is ? json[place] : none;
  }
  std::string text(const Json &json, const char *pointer) {
    const Json &value = *pointer ? at(json, pointer) : json;
    whole = whole && value.is_string();
    return value.is_string() ? value.get<std::string>() : "";
  }
  void add(std::vector<SarifDocument::Part> &parts, std::string uri, const Json &json) {
    if (known.insert(uri).second)
      document.uris.push_back(uri);
    parts.push_back({std::move(uri), json});
  }
  void addResult(const Json &json) {
    const std::optional<Severity> severity = parseSeverity(text(json, "/level"));
    whole = whole && severity && *severity != Severity::Off;
    add(document.results, text(json, "/locations/0/physicalLocation/artifactLocation/uri"), json);
  }
  void addNotification(const Json &json) {
    if (json.contains("descriptor")) {
      const Json &count = at(json, "/properties/count");
      whole = whole && text(json, "/descriptor/id") == kLeftOut && count.is_number_unsigned();
      document.leftOut = whole ? count.get<std::size_t>() : 0;
    } else {
      add(document.problems, text(json, "/locations/0/physicalLocation/artifactLocation/uri"), json);
    }
  }

  const Json &run;
  SarifDocument document;
  std::set<std::string> known;
  std::string id;
  bool whole = true;
};

/// Parts of all documents, by their files in `order`, and of one file as they stood.
std::vector<const Json *> inOrder(const std::vector<SarifDocument> &documents,
                                  std::vector<SarifDocument::Part> SarifDocument::*list,
                                  const std::map<std::string, std::size_t> &places) {
  std::vector<std::pair<std::size_t, const Json *>> parts;
  for (const SarifDocument &document : documents)
    for (const SarifDocument::Part &part : document.*list) {
      auto place = places.find(part.uri);
      parts.emplace_back(place == places.end() ? places.size() : place->second, &part.json);
    }
  std::stable_sort(parts.begin(), parts.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<const Json *> ordered;
  ordered.reserve(parts.size());
  for (const auto &[place, json] : parts)
    ordered.push_back(json);
  return ordered;
}

} // namespace

llvm::Expected<SarifDocument> readSarif(const Json &log) {
  const bool one = log.contains("runs") && log["runs"].is_array() && log["runs"].size() == 1;
  if (!one || !log["runs"].front().is_object())
    return llvm::createStringError("is no SARIF of one run");
  return SarifReader(log["runs"].front()).read();
}

SarifMerged mergeSarif(const std::vector<SarifDocument> &parts, const std::vector<std::string> &order) {
  std::map<std::string, std::size_t> places;
  for (const std::string &uri : order)
    places.emplace(uri, places.size());
  SarifContents contents{parts.front().command, parts.front().toolVersion, parts.front().rules};
  const std::vector<const Json *> results = inOrder(parts, &SarifDocument::results, places);
  std::vector<Severity> severities;
  severities.reserve(results.size());
  for (const Json *result : results)
    severities.push_back(parseSeverity((*result)["level"].get<std::string>()).value_or(Severity::Note));
  contents.results = gravestResults(severities, [&](std::size_t i) { return *results[i]; });
  contents.leftOut = results.size() - contents.results.size();
  for (const SarifDocument &part : parts)
    contents.leftOut += part.leftOut;
  for (const Json *problem : inOrder(parts, &SarifDocument::problems, places))
    contents.problems.push_back(*problem);
  for (const Json *file : inOrder(parts, &SarifDocument::files, places))
    contents.artifacts.push_back(*file);
  const std::size_t leftOut = contents.leftOut;
  return {logText(std::move(contents)), leftOut};
}

std::string pathOfUri(std::string_view uri) {
  llvm::StringRef text(uri);
  text.consume_front("file://");
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (unsigned byte = 0; text[i] == '%' && i + 2 < text.size() && !text.substr(i + 1, 2).getAsInteger(16, byte)) {
      path += static_cast<char>(byte);
      i += 2;
    } else {
      path += text[i];
    }
  return path;
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
