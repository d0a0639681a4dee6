// Prints what an audit found: as text, JSON, SARIF and GitHub annotations, all from the same data.
//
// Plain data. Files stand in the order of the command line, findings by position: equal inputs give equal bytes.
// Tested by tests/audit/audit_*_test.cpp.
#pragma once

#include "audit/audit.h"
#include "audit/sarif.h"
#include "base/shard.h"
#include "base/terminal.h"
#include "optimize/library_use.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// A new member goes into tool/outcome_record.cpp as well, which does not compile before.
struct AuditedFile {
  std::string name;
  std::string scanName; // for code scanning: from the top of the repository; empty: as `name`
  std::string arch;
  std::string archSource; // "command line", "text", ...: ArchChoice::source
  std::string archChoice; // "a3 (command line: --arch)"
  std::string problem;    // not empty: it could not be analysed, and why
  LibraryUse libraryUse;
  AuditResult result;                                   // without what the baseline holds
  Severity lowest = Severity::Note;                     // what was looked for
  std::size_t inBaseline = 0;                           // findings that the baseline holds
  std::vector<Finding> notNew;                          // that AuditReport::newFrom has, and no baseline
  std::map<std::string, FindingFix> fixes;              // by fingerprint, if they were asked for
  std::map<std::uint32_t, std::string> lineHashes = {}; // of the lines of findings: sarif.h
  std::shared_ptr<const SourceText> source;             // for snippets; null: none are wanted
  bool mayBeKept = true; // for another run; false where time, memory or luck had a part in it
};

struct AuditReport {
  std::vector<AuditedFile> files;
  std::string toolVersion;
  std::string newFrom;           // a revision whose findings were left out; empty: none were
  std::size_t staleBaseline = 0; // entries of the baseline that no audited file has any more
  std::size_t goneBaseline = 0;  // entries of files that are gone
  std::vector<std::string> goneFiles = {};
  std::optional<Shard> shard = {}; // which part of a run this is; empty: all of it
};

struct AuditCounts {
  std::map<Severity, std::size_t> bySeverity;
  std::map<std::string, std::size_t> byRule;
  std::size_t findings = 0, inBaseline = 0, notNew = 0, notAnalysed = 0;
};

/// Counts the findings by severity. A file counts as not analysed if it has no result, or if one of its kernels was
/// skipped.
AuditCounts countFindings(const AuditReport &report);

/// What is said of all files together. The totals of the parts of a run add up to those of the run.
struct AuditTotals {
  std::size_t files = 0, empty = 0;  // empty: without a kernel
  Severity lowest = Severity::Error; // what was looked for
  AuditCounts counts;
  std::string newFrom;
  std::size_t staleBaseline = 0, goneBaseline = 0;
  std::vector<std::string> goneFiles;
  std::map<std::pair<std::string, std::string>, std::size_t> archs; // and by what it was chosen
  std::optional<Shard> shard;

  void add(const AuditTotals &more);
};
AuditTotals totalsOf(const AuditReport &report);
std::string auditSummary(const AuditTotals &totals);
nlohmann::ordered_json totalsJson(const AuditTotals &totals);
/// Reads that; nothing if it is not whole.
std::optional<AuditTotals> readTotals(const nlohmann::ordered_json &json);

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

/// That form read again: what of it makes the summary of several.
struct AuditDocument {
  std::string toolVersion, newFrom;
  std::vector<std::string> names;            // of the files
  std::vector<nlohmann::ordered_json> files; // as they stand
  std::size_t staleBaseline = 0, goneBaseline = 0, notNew = 0;
  std::vector<std::string> goneFiles;
  std::optional<Shard> shard;
};

/// The error says what is wrong with the document, without the name of its file.
llvm::Expected<AuditDocument> readAuditJson(const nlohmann::ordered_json &json);

/// Returns auditJson of these files.
std::string auditJson(AuditDocument document);
/// Returns what a run over them would have come to.
int exitCodeOf(const AuditDocument &document);

/// Returns SARIF 2.1.0 (sarif.h), with the page of each finding as the help of its rule, paths as code flows and
/// fingerprints as partial fingerprints.
std::string auditSarif(const AuditReport &report);

/// Something to show at a place of a file.
struct Annotation {
  Severity severity = Severity::Note;
  std::string file; // from the top of the repository
  FindingPlace place;
  std::string title, message;
};

/// Returns workflow commands of GitHub Actions, the gravest first. GitHub shows ten annotations of a kind for a step,
/// so nine are given, and the tenth says how many more there are.
std::string githubAnnotations(const std::vector<Annotation> &annotations);

/// Returns the annotations of the findings, and then the summary.
std::string auditGithub(const AuditReport &report);

} // namespace ptosync
