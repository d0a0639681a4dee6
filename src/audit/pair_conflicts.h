// Lists the conflicts of an open pair of instructions, one by one.
//
//   open pair (instance, later node) --all accesses against all--> conflicts that no machine rule orders by itself
//
// The ordering engine keeps one conflict for a pair that nothing orders, which is enough to refuse an edit. A finding
// needs all of them. TPRELU(c, a, b, tmp) behind the load of b reads b for certain, and on one reading more of a than
// its tile, which may reach into b: of the two conflicts only the first makes an error.
//
// A machine rule that orders some of the conflicts excuses the pair only if it orders all of them. What it orders is
// left out here, whatever the rule's grade, because nothing may be called wrong that one reading has in order.
// Tested by tests/audit/order_rules_test.cpp.
#pragma once

#include "ordering/hazard.h"

#include <vector>

namespace ptosync {

/// Returns the conflicts of an open pair that count, the one that HazardModel::conflict gives first if it does.
std::vector<ConflictPair> countedConflicts(const Program &program, const HazardModel &model, std::uint32_t bit,
                                           NodeId later);

/// Returns those of the conflicts of two instances that are in the same-access chain but for the iterations between the
/// two: the read of a vector result that is long enough, and what else there is on exactly the bytes of that result.
std::vector<ConflictPair> chainConflicts(const Program &program, const HazardModel &model,
                                         const std::vector<ConflictPair> &conflicts);

/// Returns true if the list has the conflict between the same two accesses.
bool holds(const std::vector<ConflictPair> &conflicts, const ConflictPair &pair);

} // namespace ptosync
