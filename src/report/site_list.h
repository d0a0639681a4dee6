// Prints one entry for each sync site, which is the long form of the text report.
//
//   k.cpp:15:5: removed pipe_barrier(PIPE_V) [final-div]
//       RAW on UB [0, 128): line 12 TROWSUM(v84, v58, v62) -> line 17 TADD(v128, v128, v129)
//         sync at lines 13 and 16: ...
//   k.cpp:14:5: kept pipe_barrier(PIPE_V): RAW on UB [0, 128): line 12 ... -> line 14 ...
//
// The first line of an entry has the form that editors and build logs recognise.
// Tested by tests/report/site_list_test.cpp.
#pragma once

#include "report/report_input.h"

#include <optional>
#include <string>

namespace ptosync {

/// Returns the entry for the site of a decision. Each line ends with a newline.
std::string describeSite(const ReportInput &input, const SiteDecision &decision);

/// Returns "line 68: set_flag(..); orders the read of v29 (line 120) before the write at line 100". The lines are those
/// of the input.
std::string describeAdded(const SourceText &source, const AddedSync &added);

/// Returns the entries of all sites, or of those with one verdict, by position.
std::string listSites(const ReportInput &input, const std::optional<Verdict> &only = std::nullopt);

} // namespace ptosync
