// Writes the page for reviewers: source with its syncs, why each went or stays, loops by cost, timelines.
//
//   decisions, costs, drawn runs --htmlReport--> one self-contained page
//
// Markup, style and script live in html/ beside this file and are embedded at build time; what the page shows is one
// JSON document inside it. It loads nothing. Tested by tests/report/html_report_test.cpp, and in a browser by
// tests/scripts/html_page_test.sh.
#pragma once

#include "report/report.h"
#include "timing/cost_report.h"
#include "timing/timeline.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace ptosync {

struct HtmlInput {
  const SourceText *source = nullptr;            // never null when a page is made
  const ReportInput *decisions = nullptr;        // null: there are none; otherwise with or without costs
  std::map<std::string, std::string> ruleGrades; // of the machine's rules, by id: "A"
  const Approval *approval = nullptr;            // the one that the decisions were made with; null: none
  std::string verdict;                           // one line; may be empty
  std::vector<std::string> estimate;             // the header's lines, the one that counts first; may be none
  std::vector<DrawnKernel> kernels;
};

std::string htmlReport(const HtmlInput &input);

/// Returns the page `name` ("page", "compare", "table"): the frame of all pages with the markup and the script of that
/// name in html/, and `data` inside. No text of a kernel can end the element that it stands in.
std::string htmlPage(const std::string &name, const nlohmann::ordered_json &data);

} // namespace ptosync
