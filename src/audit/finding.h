// Findings: what an audit says about one place of a kernel file, and the table of all kinds of finding.
#pragma once

#include "kernel/pipe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

// Holds what an audit says about one place of a kernel file.
//
//   rule family --Finding--> sorted, fingerprinted, held against baseline and configuration --> reports
//
// Plain data. A finding of a rule stands at the rule's own severity unless what it rests on is less certain;
// then it is demoted by one step or two, and no configuration lifts it above that: a doubtful fact never makes an
// error. Tested by tests/audit/finding_test.cpp.

enum class Severity : std::uint8_t {
  Off,
  Note,    // slow, or true only if a disputed fact is
  Warning, // probably wrong
  Error,   // wrong, or hangs
};

/// Returns "off", "note", "warning" or "error".
const char *severityName(Severity severity);
std::optional<Severity> parseSeverity(std::string_view name);

/// Returns `severity` lowered by `steps`, but not below a note. Off stays Off.
Severity demoted(Severity severity, unsigned steps);

/// A place in a file. Lines and columns (in bytes) count from 1, and the end is exclusive. Line 0 means the file as a
/// whole.
struct FindingPlace {
  std::uint32_t line = 0, column = 0;
  std::uint32_t endLine = 0, endColumn = 0;
  auto operator<=>(const FindingPlace &) const = default;
};

/// A place, and what a reader sees there.
struct FindingNote {
  FindingPlace place;
  std::string text;
};

struct Finding {
  std::string rule; // id in the table of findings
  FindingPlace place;
  std::string message;            // one sentence, without the id
  std::vector<FindingNote> notes; // both instructions, and what else the reader must see
  std::vector<FindingNote> path;  // a path through the kernel on which it shows; may be empty
  std::string kernel;             // empty: of the file
  Section section = Section::Both;
  unsigned demotion = 0;          // steps below the rule's severity
  std::vector<std::string> parts; // statements that make it what it is, without their lines: for the fingerprint

  // Filled by finishAudit.
  Severity severity = Severity::Off;
  std::string fingerprint; // 32 hex digits, the same while lines shift
};

// Holds the one list of findings: id, severity, summary, page. The command's help, the SARIF rules and the tests of the
// documentation all read it; a finding that is not here cannot be reported. Tested by
// tests/audit/finding_test.cpp and tests/audit/finding_pages_test.cpp.

struct FindingRule {
  std::string_view id;
  Severity severity;        // of a certain finding; see Finding::demotion
  std::string_view summary; // one line, without a full stop
  bool certain = false;     // a fact of the text alone: whoever reads the text sees that it is true
  bool ofSyncs = true;      // false: no sync mends it
  /// Returns "docs/findings/<id>.md".
  std::string page() const { return "docs/findings/" + std::string(id) + ".md"; }
};

/// Returns the findings in the order of reports and help: first what is wrong, then what is slow.
const std::vector<FindingRule> &findingRules();

/// Returns the finding with this id, or null if there is none.
const FindingRule *findRule(std::string_view id);

} // namespace ptosync
