// The pages of the findings, docs/findings/*.md, which the build embeds: one text for the documentation, for
// `ptosync rule` and for whatever else explains a finding.
//
// Tested by tests/audit/finding_pages_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptosync {

/// Returns the name and the text of every file in docs/findings. The build generates it.
const std::vector<std::pair<std::string_view, std::string_view>> &embeddedFindingPages();

/// Returns the page of a finding in Markdown; empty if there is no such finding.
std::string_view findingPage(std::string_view id);

/// Returns a page without its title as plain text: code is set in by four blanks, and a link is its words.
std::string plainPage(std::string_view markdown);

} // namespace ptosync
