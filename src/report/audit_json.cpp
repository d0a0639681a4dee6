// The audit for programs. Keys are always there; what says nothing is null or empty.
#include "report/audit_report.h"
#include "report/json_parts.h"
#include "report/library_report.h"

#include <nlohmann/json.hpp>

namespace ptosync {
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

} // namespace ptosync
