// Prints what an audit found: as text, JSON, SARIF and GitHub annotations, all from the same data.
//
// Plain data. Files stand in the order of the command line, findings by position: equal inputs give equal bytes.
// Tested by tests/audit/audit_*_test.cpp.
#pragma once

#include "audit/audit.h"
#include "base/terminal.h"
#include "optimize/library_use.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptosync {

/// The change that mends a finding: text in the place of regions of the file. A region may have no length.
struct FindingFix {
  struct Replacement {
    FindingPlace region;
    std::string text;
  };
  std::vector<Replacement> replacements;
};

struct AuditedFile {
  std::string name;
  std::string arch;
  std::string archSource; // "command line", "text", ...: ArchChoice::source
  std::string archChoice; // "a3 (command line: --arch)"
  std::string problem;    // not empty: it could not be analysed, and why
  LibraryUse libraryUse;
  AuditResult result;                       // without what the baseline holds
  Severity lowest = Severity::Note;         // what was looked for
  std::size_t inBaseline = 0;               // findings that the baseline holds
  std::map<std::string, FindingFix> fixes;  // by fingerprint, if they were asked for
  std::shared_ptr<const SourceText> source; // for snippets; null: none are wanted
};

struct AuditReport {
  std::vector<AuditedFile> files;
  std::string toolVersion;
  std::size_t staleBaseline = 0; // entries of the baseline that no audited file has any more
};

struct AuditCounts {
  std::map<Severity, std::size_t> bySeverity;
  std::map<std::string, std::size_t> byRule;
  std::size_t findings = 0, inBaseline = 0, notAnalysed = 0;
};

/// Counts the findings by severity. A file counts as not analysed if it has no result, or if one of its kernels was
/// skipped.
AuditCounts countFindings(const AuditReport &report);

/// Returns "3 files: 1 error, 2 warnings, no notes", without the severities that were not looked for, and whatever else
/// a reader must know. It has no line end.
std::string auditSummary(const AuditReport &report);

/// Returns `file:line:col: error: text [rule]` with `note:` lines, in the form that compilers use, and then the
/// summary.
std::string auditText(const AuditReport &report, const Look &look = {});

/// Returns the findings alone, and what of an analysed file was not looked at.
std::string findingsText(const AuditReport &report, const Look &look = {});

/// Value of "schema" of the JSON form.
inline constexpr int kAuditJsonSchema = 1;
std::string auditJson(const AuditReport &report);

/// Returns SARIF 2.1.0, with paths as code flows and fingerprints as partial fingerprints. Columns count bytes, which
/// are characters in emitted kernels.
std::string auditSarif(const AuditReport &report);

/// Returns workflow commands of GitHub Actions. GitHub shows ten annotations of a kind for a step, so nine are given,
/// and the tenth says how many more there are.
std::string auditGithub(const AuditReport &report);

} // namespace ptosync
