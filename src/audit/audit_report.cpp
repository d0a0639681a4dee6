#include "audit/audit_report.h"

#include "audit/finding.h"
#include "base/messages.h"
#include "optimize/json_parts.h"
#include "optimize/library_use.h"

#include <llvm/ADT/StringExtras.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace ptosync {

// Text.

namespace {

std::string at(const std::string &file, const FindingPlace &place) {
  std::string text = printable(file);
  if (place.line)
    text += ":" + std::to_string(place.line);
  if (place.line && place.column)
    text += ":" + std::to_string(place.column);
  return text + ": ";
}

/// A message at a place of the file, and below it the source's line where snippets are wanted.
std::string messageText(const AuditedFile &file, const FindingPlace &place, Severity severity,
                        const std::string &message, const Look &look) {
  const Paint paint = severity == Severity::Error     ? Paint::Error
                      : severity == Severity::Warning ? Paint::Warning
                                                      : Paint::Note;
  std::string text = painted(at(file.name, place), Paint::Place, look.colour) +
                     painted(severityName(severity) + std::string(":"), paint, look.colour) + " ";
  text += severity == Severity::Note ? message : painted(message, Paint::Message, look.colour);
  text += "\n";
  if (!look.snippets || !file.source || !place.line || !place.column || place.line > file.source->lineCount())
    return text;
  const std::string_view line = file.source->line(place.line);
  const std::size_t end = place.endLine > place.line ? line.size() : place.endColumn ? place.endColumn - 1 : 0;
  return text + sourceSnippet(place.line, line, place.column - 1, end, look.colour);
}

std::string findingText(const AuditedFile &file, const Finding &finding, const Look &look) {
  std::string text =
      messageText(file, finding.place, finding.severity, printable(finding.message) + " [" + finding.rule + "]", look);
  for (const FindingNote &note : finding.notes)
    text += messageText(file, note.place, Severity::Note, printable(note.text), look);
  std::size_t step = 0;
  for (const FindingNote &note : finding.path)
    text += messageText(file, note.place, Severity::Note,
                        "path " + std::to_string(++step) + ": " + printable(note.text), look);
  return text;
}

std::string fileText(const AuditedFile &file, const Look &look) {
  std::string text;
  for (const SkippedInAudit &skipped : file.result.skipped)
    text += at(file.name, {skipped.line, 1, skipped.line, 1}) + "not analysed: kernel " + printable(skipped.kernel) +
            ": " + printable(skipped.reason) + "\n";
  for (const SkippedInAudit &kernel : file.result.notJudged)
    text += at(file.name, {kernel.line, 1, kernel.line, 1}) + "not judged: kernel " + printable(kernel.kernel) + ": " +
            printable(kernel.reason) + ": missing syncs are not looked for\n";
  for (const Finding &finding : file.result.findings) {
    text += findingText(file, finding, look);
    if (file.fixes.count(finding.fingerprint))
      text += messageText(file, finding.place, Severity::Note, "`ptosync fix` mends this", {look.colour, false});
  }
  return text;
}

/// "; arch a3 (text)" or "; arch a3 of 2 files (text), a5 of 1 file (comment)". A file that was not read has none.
std::string archSummary(const AuditReport &report) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const AuditedFile &file : report.files)
    if (!file.archSource.empty())
      ++counts[{file.arch, file.archSource}];
  std::string text;
  for (const auto &[choice, count] : counts)
    text += (text.empty() ? "; arch " : ", ") + choice.first +
            (counts.size() > 1 ? " of " + countOf(count, "file") : "") + " (" + choice.second + ")";
  return text;
}

} // namespace

AuditCounts countFindings(const AuditReport &report) {
  AuditCounts counts;
  for (const AuditedFile &file : report.files) {
    counts.notAnalysed += !file.problem.empty() || !file.result.skipped.empty();
    counts.inBaseline += file.inBaseline;
    for (const Finding &finding : file.result.findings) {
      ++counts.bySeverity[finding.severity];
      ++counts.byRule[finding.rule];
      ++counts.findings;
    }
  }
  return counts;
}

std::string auditSummary(const AuditReport &report) {
  AuditCounts counts = countFindings(report);
  Severity lowest = Severity::Error;
  std::size_t empty = 0;
  for (const AuditedFile &file : report.files) {
    if (!file.problem.empty())
      continue;
    lowest = std::min(lowest, file.lowest);
    empty += file.result.kernels == 0 && file.result.skipped.empty() && file.result.findings.empty();
  }
  std::string text = countOf(report.files.size(), "file") + ": ";
  for (Severity severity : {Severity::Error, Severity::Warning, Severity::Note})
    if (severity >= lowest)
      text += (severity == Severity::Error ? "" : ", ") +
              countOf(counts.bySeverity[severity], std::string(severityName(severity)));
  if (empty)
    text += "; " + countOf(empty, "file") + " without a kernel";
  if (counts.inBaseline)
    text += "; " + std::to_string(counts.inBaseline) + " in the baseline";
  if (report.staleBaseline)
    text += "; the baseline holds " + countOf(report.staleBaseline, "finding") +
            (report.staleBaseline == 1 ? " that is mended: write it anew" : " that are mended: write it anew");
  if (counts.notAnalysed)
    text += "; " + countOf(counts.notAnalysed, "file") + " not or not wholly analysed";
  return text + archSummary(report);
}

std::string findingsText(const AuditReport &report, const Look &look) {
  std::string text;
  for (const AuditedFile &file : report.files)
    text += fileText(file, look);
  return text;
}

std::string auditText(const AuditReport &report, const Look &look) {
  std::string text;
  std::set<std::string> standings; // said once, not file by file
  for (const AuditedFile &file : report.files) {
    if (!file.problem.empty())
      text += printable(file.name) + ": not analysed: " + file.problem + (file.problem.back() == '\n' ? "" : "\n");
    text += fileText(file, look);
    LibraryLines library = libraryLines(file.libraryUse);
    for (const std::string &line : library.calls)
      text += printable(file.name) + ": library: " + line + "\n";
    if (!library.standing.empty())
      standings.insert(library.standing);
  }
  for (const std::string &line : standings)
    text += line + "\n";
  return text + auditSummary(report) + "\n";
}

// JSON.

namespace {

using Json = nlohmann::ordered_json;

Json placeJson(const FindingPlace &place) {
  return {{"line", place.line}, {"column", place.column}, {"endLine", place.endLine}, {"endColumn", place.endColumn}};
}

Json notesJson(const std::vector<FindingNote> &notes) {
  Json list = Json::array();
  for (const FindingNote &note : notes) {
    Json entry = placeJson(note.place);
    entry["text"] = note.text;
    list.push_back(std::move(entry));
  }
  return list;
}

Json findingJson(const Finding &finding) {
  Json json = {{"rule", finding.rule}, {"severity", severityName(finding.severity)}};
  json.update(placeJson(finding.place));
  json["message"] = finding.message;
  json["kernel"] = orNull(finding.kernel);
  json["section"] = sectionName(finding.section);
  json["notes"] = notesJson(finding.notes);
  json["path"] = notesJson(finding.path);
  json["fingerprint"] = finding.fingerprint;
  return json;
}

Json fileJson(const AuditedFile &file) {
  Json findings = Json::array(), skipped = Json::array(), notJudged = Json::array(), calls = Json::array();
  for (const Finding &finding : file.result.findings)
    findings.push_back(findingJson(finding));
  for (const SkippedInAudit &kernel : file.result.skipped)
    skipped.push_back({{"kernel", kernel.kernel}, {"line", kernel.line}, {"reason", kernel.reason}});
  for (const SkippedInAudit &kernel : file.result.notJudged)
    notJudged.push_back({{"kernel", kernel.kernel}, {"line", kernel.line}, {"reason", kernel.reason}});
  for (const UnknownCall &call : file.result.unknownCalls)
    calls.push_back({{"name", call.name}, {"lines", call.lines}});
  return {{"file", file.name},
          {"arch", file.arch},
          {"archChoice", file.archChoice},
          {"libraryUse", libraryUseJson(file.libraryUse)},
          {"problem", orNull(file.problem)},
          {"kernels", file.result.kernels},
          {"findings", std::move(findings)},
          {"inBaseline", file.inBaseline},
          {"skipped", std::move(skipped)},
          {"notJudged", std::move(notJudged)},
          {"unknownCalls", std::move(calls)}};
}

} // namespace

std::string auditJson(const AuditReport &report) {
  AuditCounts counts = countFindings(report);
  Json files = Json::array();
  for (const AuditedFile &file : report.files)
    files.push_back(fileJson(file));
  Json json = {{"schema", kAuditJsonSchema},
               {"tool", "ptosync"},
               {"version", report.toolVersion},
               {"summary",
                {{"files", report.files.size()},
                 {"errors", counts.bySeverity[Severity::Error]},
                 {"warnings", counts.bySeverity[Severity::Warning]},
                 {"notes", counts.bySeverity[Severity::Note]},
                 {"inBaseline", counts.inBaseline},
                 {"staleBaseline", report.staleBaseline},
                 {"notAnalysed", counts.notAnalysed},
                 {"rules", counts.byRule}}},
               {"files", std::move(files)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// SARIF.

namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";

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
  Json json = {{"$schema", kSarifSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// GitHub annotations.

namespace {

constexpr std::size_t kShownAnnotations = 9;

/// Workflow commands escape what ends a line; in properties also what separates them. Control bytes, of a file's name
/// say, would drive the terminal of whoever reads the log.
std::string escaped(std::string_view text, bool property) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '%': result += "%25"; break;
    case '\r': result += "%0D"; break;
    case '\n': result += "%0A"; break;
    case ':': result += property ? "%3A" : ":"; break;
    case ',': result += property ? "%2C" : ","; break;
    default:
      if (auto byte = static_cast<unsigned char>(c); byte < ' ' || byte == 0x7f)
        result += "%" + llvm::toHex(llvm::StringRef(&c, 1));
      else
        result += c;
    }
  return result;
}

const char *command(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "notice";
}

std::string annotation(const AuditedFile &file, const Finding &finding) {
  std::string text = std::string("::") + command(finding.severity) + " file=" + escaped(file.name, true);
  if (finding.place.line) {
    text += ",line=" + std::to_string(finding.place.line);
    // Columns only make sense within one line.
    if (finding.place.column && finding.place.endLine == finding.place.line)
      text += ",col=" + std::to_string(finding.place.column) + ",endColumn=" + std::to_string(finding.place.endColumn);
  }
  std::string message = finding.message;
  for (const FindingNote &note : finding.notes)
    message += "\nline " + std::to_string(note.place.line) + ": " + note.text;
  return text + ",title=" + escaped(finding.rule, true) + "::" + escaped(message, false) + "\n";
}

} // namespace

std::string auditGithub(const AuditReport &report) {
  std::string text;
  for (Severity severity : std::array{Severity::Error, Severity::Warning, Severity::Note}) {
    std::size_t count = 0;
    // A file that could not be analysed is as bad as an error, and comes first.
    for (const AuditedFile &file : report.files)
      if (severity == Severity::Error && (!file.problem.empty() || !file.result.skipped.empty()) &&
          count++ < kShownAnnotations)
        text += "::error file=" + escaped(file.name, true) + ",title=not analysed::" +
                escaped(file.problem.empty() ? file.result.skipped.front().reason : file.problem, false) + "\n";
    for (const AuditedFile &file : report.files)
      for (const Finding &finding : file.result.findings)
        if (finding.severity == severity && count++ < kShownAnnotations)
          text += annotation(file, finding);
    if (count > kShownAnnotations)
      text += std::string("::") + command(severity) + " title=ptosync::and " +
              std::to_string(count - kShownAnnotations) + " more\n";
  }
  return text + auditSummary(report) + "\n";
}

} // namespace ptosync
