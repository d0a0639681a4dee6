// Holds the one list of findings: id, severity, summary, page. The command's help, the SARIF rules and the tests of the
// documentation all read it; a finding that is not here cannot be reported. Tested by
// tests/audit/finding_table_test.cpp and tests/audit/finding_pages_test.cpp.
#pragma once

#include "audit/finding.h"

#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

struct FindingRule {
  std::string_view id;
  Severity severity;        // of a certain finding; see Finding::demotion
  std::string_view summary; // one line, without a full stop
  /// Returns "docs/findings/<id>.md".
  std::string page() const { return "docs/findings/" + std::string(id) + ".md"; }
};

/// Returns the findings in the order of reports and help: first what is wrong, then what is slow.
const std::vector<FindingRule> &findingRules();

/// Returns the finding with this id, or null if there is none.
const FindingRule *findRule(std::string_view id);

} // namespace ptosync
