// The audit as annotations of GitHub Actions.
#include "report/audit_report.h"
#include "report/wording.h"

#include <array>

namespace ptosync {
namespace {

constexpr std::size_t kShownAnnotations = 9;

/// Workflow commands escape what ends a line; in properties also what separates them.
std::string escaped(std::string_view text, bool property) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '%': result += "%25"; break;
    case '\r': result += "%0D"; break;
    case '\n': result += "%0A"; break;
    case ':': result += property ? "%3A" : ":"; break;
    case ',': result += property ? "%2C" : ","; break;
    default: result += c;
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
