// The edits of `opt` for code scanning: as SARIF results and as annotations, so that a pull request shows at each sync
// that it may go, and why.
//
//   ReportInput --scanEdits--> SarifResult[], one for each edit --> sarifText, with editRules | editAnnotations
//
// A result stands at the first statement of its edit and names the others. Its rule is the pattern that asked for the
// edit, its fingerprint that of the edit (rewrite/edit_fingerprint.h). All are notes: a kernel is not wrong for a sync
// too many. What the kernel would be is not in it; `opt --diff` shows that. Tested by tests/report/edit_scan_test.cpp.
#pragma once

#include "audit/audit_report.h"
#include "audit/sarif.h"
#include "patterns/catalogue.h"
#include "report/report.h"

#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

/// `file`: its name from the top of the repository. `text`: of the input, for the digests of its lines.
std::vector<SarifResult> scanEdits(const ReportInput &input, const std::string &file, std::string_view text);

/// Returns the rules that scanEdits may name: the patterns of the catalogue, and the placing of syncs anew.
std::vector<SarifRule> editRules(const Catalogue &catalogue);

std::vector<Annotation> editAnnotations(const std::vector<SarifResult> &results);

} // namespace ptosync
