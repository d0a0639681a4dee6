#include "audit/either_arch.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

Finding findingAt(std::uint32_t line, Severity severity, const std::string &rule = "missing-sync") {
  Finding finding;
  finding.rule = rule;
  finding.place = {line, 3, line, 9};
  finding.severity = severity;
  finding.message = "what is wrong";
  finding.notes.push_back({{line - 1, 3, line - 1, 9}, "the earlier one"});
  return finding;
}

} // namespace

TEST_CASE("either architecture: what one alone has is a note that says so") {
  std::vector<Finding> findings = {findingAt(5, Severity::Error), findingAt(9, Severity::Error)};
  CHECK(demoteUnlessBoth(findings, {findingAt(9, Severity::Error)}, "a3", Severity::Note) == 1);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].severity == Severity::Note);
  CHECK(findings[0].message == "what is wrong (on a3 only: give --arch)");
  CHECK(findings[1].severity == Severity::Error);
  CHECK(findings[1].message == "what is wrong");
}

TEST_CASE("either architecture: the lower severity of both stands, and what is below the lowest goes") {
  std::vector<Finding> findings = {findingAt(5, Severity::Error)};
  CHECK(demoteUnlessBoth(findings, {findingAt(5, Severity::Warning)}, "a3", Severity::Warning) == 1);
  CHECK(findings[0].severity == Severity::Warning);
  CHECK(findings[0].message == "what is wrong (for certain on a3 only: give --arch)");
  CHECK(demoteUnlessBoth(findings, {}, "a3", Severity::Warning) == 1);
  CHECK(findings.empty());
  std::vector<Finding> note = {findingAt(5, Severity::Note)};
  CHECK(demoteUnlessBoth(note, {}, "a3", Severity::Note) == 0);
}

TEST_CASE("either architecture: one pair is one finding, however it meets") {
  std::vector<Finding> findings = {findingAt(5, Severity::Error)};
  CHECK(demoteUnlessBoth(findings, {findingAt(5, Severity::Error, "ring-too-short")}, "a3", Severity::Note) == 0);
  CHECK(demoteUnlessBoth(findings, {findingAt(5, Severity::Error, "double-set")}, "a3", Severity::Note) == 1);
  Finding other = findingAt(5, Severity::Error);
  other.notes.front().place.line = 2; // another earlier instruction
  CHECK_FALSE(hasLike({other}, findingAt(5, Severity::Error)));
}
