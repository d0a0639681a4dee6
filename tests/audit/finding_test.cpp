#include "audit/finding.h"

#include <catch2/catch.hpp>
#include <set>

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

TEST_CASE("finding table: ids are unique and well formed, summaries one line") {
  std::set<std::string_view> seen;
  for (const FindingRule &rule : findingRules()) {
    CAPTURE(std::string(rule.id));
    CHECK(seen.insert(rule.id).second);
    CHECK(rule.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos);
    CHECK(rule.severity != Severity::Off);
    CHECK_FALSE(rule.summary.empty());
    CHECK(rule.summary.back() != '.');
    CHECK(rule.summary.find('\n') == std::string_view::npos);
    CHECK(findRule(rule.id) == &rule);
  }
  CHECK(findRule("no-such-finding") == nullptr);
}
