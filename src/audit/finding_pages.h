// The pages of the findings, which the program holds: docs/findings/*.md, embedded at build time.
//
//   docs/findings/missing-sync.md --CMakeLists.txt--> findingPage("missing-sync"): help of SARIF rules, and whoever
//   else shows a page where the documents are not
//
// There is one source of the text, the page itself: for the documentation, for `ptosync rule` and for SARIF. Tested by
// tests/audit/finding_pages_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace ptosync {

/// Returns the Markdown text of the page of a finding; empty if there is no such finding.
std::string_view findingPage(std::string_view id);

/// Returns the sections of a page by what they say: the text between `## heading` and the next heading, without blank
/// lines around it; with an empty heading, what stands between the title and the first of them.
std::string_view sectionOf(std::string_view page, std::string_view heading);

/// Returns a page without its title as plain text: code is set in by four blanks, and a link is its words.
std::string plainPage(std::string_view markdown);

} // namespace ptosync
