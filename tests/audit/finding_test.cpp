#include "audit/finding.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("finding: severities have names and read back") {
  for (Severity severity : {Severity::Off, Severity::Note, Severity::Warning, Severity::Error})
    CHECK(parseSeverity(severityName(severity)) == severity);
  CHECK_FALSE(parseSeverity("fatal"));
  CHECK_FALSE(parseSeverity(""));
}

TEST_CASE("finding: demotion stops at a note, and what is off stays off") {
  CHECK(demoted(Severity::Error, 0) == Severity::Error);
  CHECK(demoted(Severity::Error, 1) == Severity::Warning);
  CHECK(demoted(Severity::Error, 2) == Severity::Note);
  CHECK(demoted(Severity::Error, 9) == Severity::Note);
  CHECK(demoted(Severity::Off, 1) == Severity::Off);
}
