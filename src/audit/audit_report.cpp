#include "audit/audit_report.h"

#include "audit/finding.h"
#include "audit/finding_pages.h"
#include "audit/sarif.h"
#include "base/exit_codes.h"
#include "base/messages.h"
#include "optimize/json_parts.h"
#include "optimize/library_use.h"

#include <llvm/ADT/STLExtras.h>
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
            printable(kernel.reason) + "\n";
  for (const Finding &finding : file.result.findings) {
    text += findingText(file, finding, look);
    if (file.fixes.count(finding.fingerprint))
      text += messageText(file, finding.place, Severity::Note, "`ptosync fix` mends this", {look.colour, false});
  }
  return text;
}

/// "; arch a3 (text)" or "; arch a3 of 2 files (text), a5 of 1 file (comment)". A file that was not read has none.
std::string archSummary(const AuditTotals &totals) {
  std::string text;
  for (const auto &[choice, count] : totals.archs)
    text += (text.empty() ? "; arch " : ", ") + choice.first +
            (totals.archs.size() > 1 ? " of " + countOf(count, "file") : "") + " (" + choice.second + ")";
  return text;
}

} // namespace

AuditCounts countFindings(const AuditReport &report) {
  AuditCounts counts;
  for (const AuditedFile &file : report.files) {
    counts.notAnalysed += !file.problem.empty() || !file.result.skipped.empty();
    counts.inBaseline += file.inBaseline;
    counts.notNew += file.notNew.size();
    for (const Finding &finding : file.result.findings) {
      ++counts.bySeverity[finding.severity];
      ++counts.byRule[finding.rule];
      ++counts.findings;
    }
  }
  return counts;
}

AuditTotals totalsOf(const AuditReport &report) {
  AuditTotals totals;
  totals.files = report.files.size();
  totals.counts = countFindings(report);
  totals.newFrom = report.newFrom;
  totals.staleBaseline = report.staleBaseline;
  totals.goneBaseline = report.goneBaseline;
  totals.goneFiles = report.goneFiles;
  totals.shard = report.shard;
  for (const AuditedFile &file : report.files) {
    if (!file.archSource.empty())
      ++totals.archs[{file.arch, file.archSource}];
    if (!file.problem.empty())
      continue;
    totals.lowest = std::min(totals.lowest, file.lowest);
    totals.empty += file.result.kernels == 0 && file.result.skipped.empty() && file.result.findings.empty();
  }
  return totals;
}

void AuditTotals::add(const AuditTotals &more) {
  files += more.files;
  empty += more.empty;
  lowest = std::min(lowest, more.lowest);
  for (const auto &[severity, count] : more.counts.bySeverity)
    counts.bySeverity[severity] += count;
  counts.inBaseline += more.counts.inBaseline;
  counts.notNew += more.counts.notNew;
  counts.notAnalysed += more.counts.notAnalysed;
  newFrom = more.newFrom;
  staleBaseline += more.staleBaseline;
  goneBaseline += more.goneBaseline;
  goneFiles.insert(goneFiles.end(), more.goneFiles.begin(), more.goneFiles.end());
  std::sort(goneFiles.begin(), goneFiles.end());
  for (const auto &[arch, count] : more.archs)
    archs[arch] += count;
}

std::string auditSummary(const AuditReport &report) { return auditSummary(totalsOf(report)); }

std::string auditSummary(const AuditTotals &totals) {
  auto count = [&](Severity severity) {
    const auto found = totals.counts.bySeverity.find(severity);
    return found == totals.counts.bySeverity.end() ? 0 : found->second;
  };
  std::string text = countOf(totals.files, "file") + ": ";
  for (Severity severity : {Severity::Error, Severity::Warning, Severity::Note})
    if (severity >= totals.lowest)
      text += (severity == Severity::Error ? "" : ", ") + countOf(count(severity), std::string(severityName(severity)));
  if (totals.empty)
    text += "; " + countOf(totals.empty, "file") + " without a kernel";
  if (totals.counts.inBaseline)
    text += "; " + std::to_string(totals.counts.inBaseline) + " in the baseline";
  if (totals.counts.notNew)
    text += "; " + std::to_string(totals.counts.notNew) + " not new since " + printable(totals.newFrom);
  if (totals.goneBaseline)
    text += "; the baseline holds " + countOf(totals.goneBaseline, "finding") + " of " +
            countOf(totals.goneFiles.size(), "file") + (totals.goneFiles.size() == 1 ? " that is" : " that are") +
            " gone (" + printable(totals.goneFiles.front()) + (totals.goneFiles.size() > 1 ? ", ..)" : ")") +
            ": write it anew";
  if (totals.staleBaseline)
    text += "; the baseline holds " + countOf(totals.staleBaseline, "finding") +
            (totals.staleBaseline == 1 ? " that is mended: write it anew" : " that are mended: write it anew");
  if (totals.counts.notAnalysed)
    text += "; " + countOf(totals.counts.notAnalysed, "file") + " not or not wholly analysed";
  if (totals.shard)
    text += "; " + totals.shard->name() + " of " + countOf(totals.shard->of, "file");
  return text + archSummary(totals);
}

nlohmann::ordered_json totalsJson(const AuditTotals &totals) {
  nlohmann::ordered_json archs = nlohmann::ordered_json::array(), severities = nlohmann::ordered_json::object();
  for (const auto &[arch, count] : totals.archs)
    archs.push_back({{"arch", arch.first}, {"source", arch.second}, {"files", count}});
  for (const auto &[severity, count] : totals.counts.bySeverity)
    severities[severityName(severity)] = count;
  return {{"files", totals.files},
          {"empty", totals.empty},
          {"lowest", severityName(totals.lowest)},
          {"severities", std::move(severities)},
          {"inBaseline", totals.counts.inBaseline},
          {"notNew", totals.counts.notNew},
          {"notAnalysed", totals.counts.notAnalysed},
          {"staleBaseline", totals.staleBaseline},
          {"goneBaseline", totals.goneBaseline},
          {"newFrom", totals.newFrom},
          {"goneFiles", totals.goneFiles},
          {"archs", std::move(archs)}};
}

std::optional<AuditTotals> readTotals(const nlohmann::ordered_json &json) {
  AuditTotals totals;
  bool whole = json.is_object();
  auto count = [&](const nlohmann::ordered_json &object, const char *key, std::size_t &value) {
    whole = whole && object.is_object() && object.contains(key) && object[key].is_number_unsigned();
    value = whole ? object[key].get<std::size_t>() : 0;
  };
  auto text = [&](const nlohmann::ordered_json &object, const char *key) {
    whole = whole && object.is_object() && object.contains(key) && object[key].is_string();
    return whole ? object[key].get<std::string>() : "";
  };
  for (auto [key, value] :
       {std::pair("files", &totals.files), std::pair("empty", &totals.empty),
        std::pair("inBaseline", &totals.counts.inBaseline), std::pair("notNew", &totals.counts.notNew),
        std::pair("notAnalysed", &totals.counts.notAnalysed), std::pair("staleBaseline", &totals.staleBaseline),
        std::pair("goneBaseline", &totals.goneBaseline)})
    count(json, key, *value);
  totals.newFrom = text(json, "newFrom");
  const std::optional<Severity> lowest = parseSeverity(text(json, "lowest"));
  whole = whole && lowest && json.contains("severities") && json["severities"].is_object() &&
          json.contains("goneFiles") && json["goneFiles"].is_array() && json.contains("archs");
  if (!whole)
    return std::nullopt;
  totals.lowest = *lowest;
  for (const auto &[name, value] : json["severities"].items())
    if (const std::optional<Severity> severity = parseSeverity(name); severity && value.is_number_unsigned())
      totals.counts.bySeverity[*severity] = value.get<std::size_t>();
  for (const nlohmann::ordered_json &file : json["goneFiles"])
    totals.goneFiles.push_back(file.is_string() ? file.get<std::string>() : "");
  for (const nlohmann::ordered_json &arch : json["archs"]) {
    const std::string name = text(arch, "arch"), source = text(arch, "source");
    count(arch, "files", totals.archs[{name, source}]);
  }
  return whole ? std::optional(std::move(totals)) : std::nullopt;
}

std::string findingsText(const AuditReport &report, const Look &look) {
  std::string text;
  for (const AuditedFile &file : report.files)
    text += fileText(file, look);
  return text;
}

/// "proved in 3 of 4 kernels: ..; first of the others: ..". Nothing is said where there is no kernel.
static std::string provedText(const AuditReport &report) {
  std::size_t kernels = 0, others = 0;
  std::string first;
  for (const AuditedFile &file : report.files) {
    kernels += file.result.kernels;
    others += file.result.notProved.size();
    if (first.empty() && !file.result.notProved.empty()) {
      const SkippedInAudit &kernel = file.result.notProved.front();
      first = printable(file.name) + ":" + std::to_string(kernel.line) + ": kernel " + printable(kernel.kernel) + ": " +
              printable(kernel.reason);
    }
  }
  if (kernels == 0)
    return "";
  return "proved on every path: " + std::to_string(kernels - others) + " of " + countOf(kernels, "kernel") +
         (first.empty()
              ? ""
              : "; not proved: " + first + (others > 1 ? ", and " + std::to_string(others - 1) + " more" : "")) +
         "\n";
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
    for (const std::string &line : file.libraryUse.assumed)
      text += printable(file.name) + ": " + assumedLine(line) + "\n";
    if (!library.standing.empty())
      standings.insert(library.standing);
  }
  for (const std::string &line : standings)
    text += line + "\n";
  return text + auditSummary(report) + "\n" + provedText(report);
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
  Json findings = Json::array(), skipped = Json::array(), notJudged = Json::array(), notProved = Json::array(),
       calls = Json::array();
  for (const Finding &finding : file.result.findings)
    findings.push_back(findingJson(finding));
  for (const SkippedInAudit &kernel : file.result.skipped)
    skipped.push_back({{"kernel", kernel.kernel}, {"line", kernel.line}, {"reason", kernel.reason}});
  for (const SkippedInAudit &kernel : file.result.notJudged)
    notJudged.push_back({{"kernel", kernel.kernel}, {"line", kernel.line}, {"reason", kernel.reason}});
  for (const SkippedInAudit &kernel : file.result.notProved)
    notProved.push_back({{"kernel", kernel.kernel}, {"line", kernel.line}, {"reason", kernel.reason}});
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
          {"notProved", std::move(notProved)},
          {"unknownCalls", std::move(calls)}};
}

} // namespace

std::string auditJson(const AuditReport &report) {
  AuditDocument document;
  document.toolVersion = report.toolVersion;
  document.newFrom = report.newFrom;
  document.staleBaseline = report.staleBaseline;
  document.goneBaseline = report.goneBaseline;
  document.goneFiles = report.goneFiles;
  document.notNew = countFindings(report).notNew;
  document.shard = report.shard;
  document.files.reserve(report.files.size());
  for (const AuditedFile &file : report.files)
    document.files.push_back(fileJson(file));
  return auditJson(std::move(document));
}

/// True for a file of the document that was not, or not wholly, analysed.
static bool isNotAnalysed(const Json &file) { return !file["problem"].is_null() || !file["skipped"].empty(); }

int exitCodeOf(const AuditDocument &document) {
  return auditExitCode(llvm::any_of(document.files, isNotAnalysed),
                       llvm::any_of(document.files, [](const Json &file) { return !file["findings"].empty(); }));
}

std::string auditJson(AuditDocument document) {
  std::map<std::string, std::size_t> bySeverity, byRule;
  std::size_t inBaseline = 0, notAnalysed = 0;
  Json files = Json::array();
  for (Json &file : document.files) {
    notAnalysed += isNotAnalysed(file);
    inBaseline += file["inBaseline"].get<std::size_t>();
    for (const Json &finding : file["findings"]) {
      ++bySeverity[finding["severity"].get<std::string>()];
      ++byRule[finding["rule"].get<std::string>()];
    }
    files.push_back(std::move(file));
  }
  Json json = {{"schema", kAuditJsonSchema}, {"tool", "ptosync"}, {"version", document.toolVersion}};
  if (document.shard)
    json["shard"] = shardJson(*document.shard);
  json["summary"] = {{"files", files.size()},
                     {"errors", bySeverity["error"]},
                     {"warnings", bySeverity["warning"]},
                     {"notes", bySeverity["note"]},
                     {"inBaseline", inBaseline},
                     {"staleBaseline", document.staleBaseline},
                     {"goneBaseline", document.goneBaseline},
                     {"goneFiles", document.goneFiles},
                     {"newFrom", orNull(document.newFrom)},
                     {"notNew", document.notNew},
                     {"notAnalysed", notAnalysed},
                     {"rules", byRule}};
  json["files"] = std::move(files);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

/// Returns true if the file of the document has what auditJson reads of it.
bool isAuditedFile(const Json &file) {
  auto is = [&](const char *key, bool (Json::*kind)() const noexcept) {
    return file.is_object() && file.contains(key) && (file[key].*kind)();
  };
  return is("file", &Json::is_string) && file.contains("problem") && is("skipped", &Json::is_array) &&
         is("inBaseline", &Json::is_number_unsigned) && is("findings", &Json::is_array) &&
         llvm::all_of(file["findings"], [](const Json &finding) {
           return finding.is_object() && finding.contains("severity") && finding["severity"].is_string() &&
                  finding.contains("rule") && finding["rule"].is_string();
         });
}

} // namespace

llvm::Expected<AuditDocument> readAuditJson(const Json &json) {
  AuditDocument document;
  bool whole = true;
  auto at = [&](const char *pointer) {
    const Json::json_pointer place(pointer);
    const bool is = json.contains(place);
    whole = whole && is;
    return is ? json[place] : Json();
  };
  auto text = [&](const Json &value, bool orNone = false) {
    whole = whole && (value.is_string() || (orNone && value.is_null()));
    return value.is_string() ? value.get<std::string>() : "";
  };
  auto count = [&](const char *pointer) {
    const Json value = at(pointer);
    whole = whole && value.is_number_unsigned();
    return value.is_number_unsigned() ? value.get<std::size_t>() : 0;
  };
  document.toolVersion = text(at("/version"));
  document.newFrom = text(at("/summary/newFrom"), true);
  document.staleBaseline = count("/summary/staleBaseline");
  document.goneBaseline = count("/summary/goneBaseline");
  document.notNew = count("/summary/notNew");
  for (const Json &name : at("/summary/goneFiles"))
    document.goneFiles.push_back(text(name));
  const Json files = at("/files");
  whole = whole && llvm::all_of(files, isAuditedFile) && count("/summary/files") == files.size();
  if (!whole)
    return llvm::createStringError("is no whole document of `audit --format=json`");
  for (const Json &file : files) {
    document.files.push_back(file);
    document.names.push_back(file["file"].get<std::string>());
  }
  if (!json.contains("shard"))
    return std::move(document);
  llvm::Expected<Shard> shard = readShard(json["shard"]);
  if (!shard)
    return shard.takeError();
  document.shard = std::move(*shard);
  return std::move(document);
}

// SARIF.

namespace {

const std::string &nameInScan(const AuditedFile &file) { return file.scanName.empty() ? file.name : file.scanName; }

/// How often a finding of a rule is true, as code scanning has it.
const char *precisionOf(const FindingRule &rule) {
  return rule.certain ? "very-high" : rule.severity == Severity::Error ? "high" : "medium";
}

std::vector<SarifRule> sarifRules() {
  std::vector<SarifRule> rules;
  rules.reserve(findingRules().size());
  for (const FindingRule &rule : findingRules()) {
    const std::string_view page = findingPage(rule.id);
    const bool slow = rule.severity == Severity::Note;
    rules.push_back({std::string(rule.id),
                     std::string(rule.summary),
                     printable(sectionOf(page, "")),
                     std::string(page),
                     helpUri(rule.page()),
                     rule.severity,
                     precisionOf(rule),
                     {slow ? "performance" : "correctness", "synchronisation", "ascend"}});
  }
  return rules;
}

} // namespace

std::string auditSarif(const AuditReport &report) {
  SarifRun run{"audit", report.toolVersion, sarifRules(), {}, {}, {}};
  run.shard = report.shard;
  for (const AuditedFile &file : report.files) {
    const std::string &name = nameInScan(file);
    run.names.push_back(name);
    for (const Finding &finding : file.result.findings) {
      SarifResult result{finding.rule,
                         finding.severity,
                         name,
                         finding.message,
                         finding.place,
                         finding.notes,
                         finding.path,
                         "ptosync/v2",
                         finding.fingerprint,
                         "",
                         "",
                         {}};
      if (auto hash = file.lineHashes.find(finding.place.line); hash != file.lineHashes.end())
        result.lineHash = hash->second;
      if (auto fix = file.fixes.find(finding.fingerprint); fix != file.fixes.end()) {
        result.fixText = "What `ptosync fix` changes; verified.";
        result.fix = fix->second;
      }
      run.results.push_back(std::move(result));
    }
    if (!file.problem.empty())
      run.problems.push_back({name, "not analysed: " + file.problem, 0});
    for (const SkippedInAudit &kernel : file.result.skipped)
      run.problems.push_back({name, "not analysed: kernel " + kernel.kernel + ": " + kernel.reason, kernel.line});
    if (!file.archChoice.empty())
      run.files.push_back({name, file.arch, file.archChoice, file.libraryUse});
  }
  return sarifText(run);
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

std::string annotationText(const Annotation &annotation) {
  std::string text = std::string("::") + command(annotation.severity) + " file=" + escaped(annotation.file, true);
  const FindingPlace &place = annotation.place;
  if (place.line) {
    text += ",line=" + std::to_string(place.line);
    // Columns only make sense within one line.
    if (place.column && place.endLine == place.line)
      text += ",col=" + std::to_string(place.column) + ",endColumn=" + std::to_string(place.endColumn);
  }
  return text + ",title=" + escaped(annotation.title, true) + "::" + escaped(annotation.message, false) + "\n";
}

} // namespace

std::string githubAnnotations(const std::vector<Annotation> &annotations) {
  std::string text;
  for (Severity severity : std::array{Severity::Error, Severity::Warning, Severity::Note}) {
    std::size_t count = 0;
    for (const Annotation &annotation : annotations)
      if (annotation.severity == severity && count++ < kShownAnnotations)
        text += annotationText(annotation);
    if (count > kShownAnnotations)
      text.append("::").append(command(severity)).append(" title=ptosync::and ") +=
          std::to_string(count - kShownAnnotations) + " more\n";
  }
  return text;
}

std::string auditGithub(const AuditReport &report) {
  std::vector<Annotation> annotations;
  // A file that could not be analysed is as bad as an error, and comes first.
  for (const AuditedFile &file : report.files)
    if (!file.problem.empty() || !file.result.skipped.empty())
      annotations.push_back({Severity::Error,
                             nameInScan(file),
                             {},
                             "not analysed",
                             file.problem.empty() ? file.result.skipped.front().reason : file.problem});
  for (const AuditedFile &file : report.files)
    for (const Finding &finding : file.result.findings) {
      std::string message = finding.message;
      for (const FindingNote &note : finding.notes)
        message.append("\nline ").append(std::to_string(note.place.line)).append(": ").append(note.text);
      annotations.push_back({finding.severity, nameInScan(file), finding.place, finding.rule, std::move(message)});
    }
  return githubAnnotations(annotations) + auditSummary(report) + "\n";
}

} // namespace ptosync
