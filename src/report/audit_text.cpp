// The compiler-style report, and the counts that all of them share.
#include "report/audit_report.h"
#include "report/library_report.h"
#include "report/wording.h"

#include <algorithm>
#include <set>

namespace ptosync {
namespace {

std::string at(const std::string &file, const FindingPlace &place) {
  std::string text = printable(file);
  if (place.line)
    text += ":" + std::to_string(place.line);
  if (place.line && place.column)
    text += ":" + std::to_string(place.column);
  return text + ": ";
}

std::string findingText(const std::string &file, const Finding &finding) {
  std::string text = at(file, finding.place) + severityName(finding.severity) + ": " + printable(finding.message) +
                     " [" + finding.rule + "]\n";
  for (const FindingNote &note : finding.notes)
    text += at(file, note.place) + "note: " + printable(note.text) + "\n";
  std::size_t step = 0;
  for (const FindingNote &note : finding.path)
    text += at(file, note.place) + "note: path " + std::to_string(++step) + ": " + printable(note.text) + "\n";
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

std::string auditText(const AuditReport &report) {
  std::string text;
  std::set<std::string> standings; // said once, not file by file
  for (const AuditedFile &file : report.files) {
    if (!file.problem.empty())
      text += printable(file.name) + ": not analysed: " + file.problem + (file.problem.back() == '\n' ? "" : "\n");
    for (const SkippedInAudit &skipped : file.result.skipped)
      text += at(file.name, {skipped.line, 1, skipped.line, 1}) + "not analysed: kernel " + printable(skipped.kernel) +
              ": " + printable(skipped.reason) + "\n";
    for (const SkippedInAudit &kernel : file.result.notJudged)
      text += at(file.name, {kernel.line, 1, kernel.line, 1}) + "not judged: kernel " + printable(kernel.kernel) +
              ": " + printable(kernel.reason) + ": missing syncs are not looked for\n";
    for (const Finding &finding : file.result.findings) {
      text += findingText(file.name, finding);
      if (file.fixes.count(finding.fingerprint))
        text += at(file.name, finding.place) + "note: `ptosync fix` mends this\n";
    }
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

} // namespace ptosync
