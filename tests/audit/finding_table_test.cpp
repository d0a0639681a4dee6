#include "audit/finding_table.h"

#include <catch2/catch.hpp>

#include <set>

using namespace ptosync;

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
