// Groups the kept syncs of a file, so that a few lines say why they stay: by reason, and within a reason by cause.
//
// A long kernel keeps a hundred syncs for a handful of causes. Two sites have the same cause if
// their witnesses agree in everything but the addresses, names and lines ("RAW on UB: TROWSUM
// (PIPE_V) -> TADD (PIPE_V)"), or, without a witness, if they give the same detail.
// It does not judge which cause matters; the most frequent comes first.
// Tested by tests/report/kept_groups_test.cpp.
#pragma once

#include "report/report_input.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ptosync {

/// One cause, for syncs that are kept or that went.
struct GroupCause {
  std::string text;                 // empty: the site gives none
  std::vector<std::uint32_t> lines; // one per site, ascending
};

/// Returns the causes with the lines of their sites, the most frequent first, then by text.
std::vector<GroupCause> sortedCauses(std::map<std::string, std::vector<std::uint32_t>> causes);
/// Returns how many sites the causes have together.
std::uint32_t siteCount(const std::vector<GroupCause> &causes);

struct KeptGroup {
  KeptReason reason = KeptReason::None;
  std::uint32_t count = 0;
  std::vector<GroupCause> causes; // as sortedCauses has them
};

/// Returns the groups in the order of KeptReason. Reasons without a site are left out.
std::vector<KeptGroup> groupKept(const ReportInput &input);

/// Returns what sites of one cause have in common: "RAW on UB: TROWSUM (PIPE_V) -> TADD (PIPE_V)".
std::string conflictFamily(const Conflict &conflict);

} // namespace ptosync
