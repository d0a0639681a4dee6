// Writes the report for programs: everything that the text report says, and all that it leaves out, as JSON.
//
// The form is versioned by "schema" and fixed by schema.json beside this file: a key that the form
// has is always there, null where it says nothing, so that a reader needs no guard. Keys come in
// one order and lists by position or name: equal inputs give equal bytes.
// Tested by tests/report/json_report_test.cpp, which checks reports against the schema.
#pragma once

#include "report/report.h"

#include <nlohmann/json.hpp>

#include <string>

namespace ptosync {

/// The value of "schema". It changes when a reader of the old form could misread the new one.
inline constexpr int kJsonReportSchema = 3;

/// Returns the entry that an approval file has of an edit (rewrite/approval.h).
nlohmann::ordered_json approvalEntry(const EditName &edit);

nlohmann::ordered_json jsonReport(const ReportInput &input);

/// Returns jsonReport as text that ends with a newline. Kernels are bytes and not always UTF-8; bytes that are not
/// become U+FFFD.
std::string jsonReportText(const ReportInput &input);

} // namespace ptosync
