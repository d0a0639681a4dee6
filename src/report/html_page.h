// The parts of the pages that reports write: markup, style and script of html/, with one JSON document inside.
//
// A page loads nothing, and no text of a kernel can end the element that it stands in. Tested by
// tests/report/html_report_test.cpp and tests/compare/compare_html_test.cpp.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace ptosync {

/// `markup` and `script` are files of html/.
std::string htmlPage(const std::string &markup, const std::string &script, const nlohmann::ordered_json &data);

} // namespace ptosync
