// A small audit report with one of everything.
#pragma once

#include "audit/audit_report.h"

namespace ptosync::test {

inline Finding sampleFinding(const std::string &rule, Severity severity, std::uint32_t line) {
  Finding finding;
  finding.rule = rule;
  finding.severity = severity;
  finding.place = {line, 3, line, 20};
  finding.message = "what is wrong, 100% sure:\nread on";
  finding.kernel = "k";
  finding.section = Section::Vec;
  finding.fingerprint = "0123456789abcdef0123456789abcdef";
  return finding;
}

inline AuditReport sampleAudit() {
  AuditReport report;
  report.toolVersion = "0.1.0";
  AuditedFile file;
  file.name = "dir/a b.cpp";
  file.arch = "a3";
  Finding error = sampleFinding("missing-sync", Severity::Error, 12);
  error.notes = {{{10, 3, 10, 9}, "the earlier one"}, {{12, 3, 12, 20}, "the later one"}};
  error.path = {{{10, 3, 10, 9}, "TLOAD(a, g)"}, {{11, 1, 11, 1}, "(n > 3) holds"}, {{12, 3, 12, 20}, "TADDS(b, a)"}};
  file.result.findings = {error, sampleFinding("unused-keep", Severity::Warning, 14),
                          sampleFinding("removable-sync", Severity::Note, 16)};
  file.result.kernels = 4;
  file.inBaseline = 2;
  report.files.push_back(file);
  AuditedFile broken;
  broken.name = "broken.cpp";
  broken.problem = "broken.cpp:1:1: error: not C++";
  report.files.push_back(broken);
  return report;
}

} // namespace ptosync::test
