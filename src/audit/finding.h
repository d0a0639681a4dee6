// Holds what an audit says about one place of a kernel file.
//
//   rule family --Finding--> sorted, fingerprinted, held against baseline and configuration --> reports
//
// Plain data. A finding of a rule stands at the rule's own severity unless what it rests on is less certain;
// then it is demoted by one step or two, and no configuration lifts it above that: a doubtful fact never makes an
// error. Tested by tests/audit/finding_test.cpp.
#pragma once

#include "kernel/pipe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

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

} // namespace ptosync
