// Groups the removed and the moved syncs of a file, so that a few lines say why they went: by what the edit relies on,
// and within that by cause.
//
// The counterpart of kept_groups.h. Two sites are of one group if their removals rely on the same kinds of facts
// ("another sync orders it, machine rule same-access-chain"); of one cause if the conflicts that they ordered agree in
// everything but addresses, names and lines. Of a moved flag the cause is what keeps it from going farther. Tested by
// tests/report/removed_groups_test.cpp.
#pragma once

#include "report/kept_groups.h"
#include "report/report_input.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ptosync {

/// Returns a piece of evidence in the words of the groups: "another sync orders it" or "machine rule
/// same-access-chain".
std::string evidenceGroup(const Evidence &evidence);

/// Returns everything that a removal or move relies on, each once and in alphabetical order: "another sync orders it,
/// it orders nothing".
std::string whyEdited(const SiteDecision &decision);

struct EditedGroup {
  std::string why; // whyEdited
  std::uint32_t count = 0;
  std::vector<GroupCause> causes; // the conflicts, as sortedCauses has them; empty text: none
};

/// Returns the groups of the sites with one verdict, Removed or Moved: the largest first, then by reason.
std::vector<EditedGroup> groupEdited(const ReportInput &input, Verdict verdict);

} // namespace ptosync
