// Why the kept syncs of a file stay, in a few lines: by reason, and within a reason by cause.
//
// A long kernel keeps a hundred syncs for a handful of causes. Two sites have the same cause if
// their witnesses agree in everything but the addresses, names and lines ("RAW on UB: TROWSUM
// (PIPE_V) -> TADD (PIPE_V)"), or, without a witness, if they give the same detail.
// It does not judge which cause matters; the most frequent comes first.
// Tested by tests/report/kept_groups_test.cpp.
#pragma once

#include "report/report_input.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ptosync {

struct KeptCause {
  std::string text;                 // empty: the site gives none
  std::vector<std::uint32_t> lines; // one per site, ascending
};

struct KeptGroup {
  KeptReason reason = KeptReason::None;
  std::uint32_t count = 0;
  std::vector<KeptCause> causes; // most frequent first, then by text
};

/// In the order of KeptReason; reasons without a site are left out.
std::vector<KeptGroup> groupKept(const ReportInput &input);

/// "RAW on UB: TROWSUM (PIPE_V) -> TADD (PIPE_V)".
std::string conflictFamily(const Conflict &conflict);

} // namespace ptosync
