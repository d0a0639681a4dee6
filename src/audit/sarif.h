// SARIF 2.1.0 for code scanning: rules and results of any command as one run.
//
//   audit: findings --auditSarif (audit_report.h)--+
//   opt: edits --scanEdits (report/edit_scan.h)----+--> SarifRun --sarifText--> JSON
//
// The form is that of the schema of OASIS, and within the limits of GitHub's code scanning: of more results than it
// takes the gravest are written and a notification counts the others; a long path loses its middle; texts are cut. What
// GitHub shows of a rule is its description, its Markdown help, its precision and its tags.
//
// Paths are written as they are given, so that whoever makes the run gives them from the top of the repository: those
// are relative to %SRCROOT%, any other one is a file URI. Columns count bytes, which are characters in emitted kernels.
// `primaryLocationLineHash` is what GitHub's upload works out from the text of the lines, so that both agree.
//
// The file of a shard says which shard it is of, and its kernels, so that the files of all shards make the one of the
// whole run: mergeSarif cuts the results of all as sarifText would have cut them. A result that is among the gravest of
// all is among the gravest of its shard, so nothing is lost before.
//
// It judges nothing and reads no file. Tested by tests/audit/audit_sarif_test.cpp, which holds it against the schema
// where PTOSYNC_SARIF_SCHEMA names it.
#pragma once

#include "audit/finding.h"
#include "base/shard.h"
#include "optimize/library_use.h"

#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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

struct SarifRule {
  std::string id, summary; // one line, without a full stop
  std::string description; // plain text
  std::string help;        // Markdown
  std::string helpUri;
  Severity severity = Severity::Note;
  std::string precision; // "very-high", "high", "medium" or "low"
  std::vector<std::string> tags;
};

struct SarifResult {
  std::string rule; // id of one of the rules
  Severity severity = Severity::Note;
  std::string file, message;
  FindingPlace place;
  std::vector<FindingNote> related, path;
  std::string fingerprintName, fingerprint; // "ptosync/v2"
  std::string lineHash;                     // lineHashes; may be empty
  std::string fixText;                      // what the fix is; empty: there is none
  FindingFix fix;
};

/// Something that was not looked at, and why.
struct SarifProblem {
  std::string file, text;
  std::uint32_t line = 0;
};

/// A file that was looked at.
struct SarifFile {
  std::string name, arch, archChoice;
  LibraryUse libraryUse;
};

struct SarifRun {
  std::string command; // "audit": results of different commands do not replace each other
  std::string toolVersion;
  std::vector<SarifRule> rules;
  std::vector<SarifResult> results; // in the order of files and lines
  std::vector<SarifProblem> problems;
  std::vector<SarifFile> files;
  std::optional<Shard> shard = {};     // which part of a run it is; empty: all of it
  std::vector<std::string> names = {}; // of a shard: what it has looked at or could not, in order
};

// What code scanning takes; docs/bounds.md.
inline constexpr std::size_t kMostSarifResults = 5000;
/// Of the results together, before they are packed. The file may have 10 MB packed, and packs to less than a third.
inline constexpr std::size_t kMostSarifBytes = std::size_t(32) << 20;
inline constexpr std::size_t kMostSarifSteps = 1000;   // of a path
inline constexpr std::size_t kMostSarifRelated = 100;  // places beside the first
inline constexpr std::size_t kLongestSarifText = 1024; // a description, in bytes
inline constexpr std::size_t kLongestSarifMessage = 4096;

std::string sarifText(const SarifRun &run);

/// A file that sarifText has written, read again. Its parts stay JSON; each of them knows the file it is about.
struct SarifDocument {
  struct Part {
    std::string uri;
    nlohmann::ordered_json json;
  };
  std::string command, toolVersion;
  nlohmann::ordered_json rules;
  std::vector<Part> results, problems, files;
  std::size_t leftOut = 0; // results that were not written
  std::optional<Shard> shard;
  std::vector<std::string> uris; // what was looked at or could not be: of a shard in order, otherwise as far as known
};

/// The error says what is wrong with the text, without the name of the file.
llvm::Expected<SarifDocument> readSarif(const nlohmann::ordered_json &log);

/// A text and how many results did not go into it.
struct SarifMerged {
  std::string text;
  std::size_t leftOut = 0;
};

/// `parts`: of one command, version and set of rules. `order`: the files in the order of the whole run.
SarifMerged mergeSarif(const std::vector<SarifDocument> &parts, const std::vector<std::string> &order);

/// Returns the path that a URI of such a file stands for.
std::string pathOfUri(std::string_view uri);

/// Returns, for each of the lines, the digest that GitHub's upload makes of its text and what follows, with the number
/// of its occurrence: "39fa2ee980eb94b0:1".
std::map<std::uint32_t, std::string> lineHashes(std::string_view text, const std::set<std::uint32_t> &lines);

/// Returns where a page of the documents is: "docs/findings/missing-sync.md" of the repository.
std::string helpUri(std::string_view page);

} // namespace ptosync
