// Lists the rule families in the order in which they run. One line registers a family.
//
// A family looks at every kernel of the context and reports what it finds; the ids that it reports are rows of
// finding_table.cpp. Families see neither each other nor each other's findings: what two of them say of one statement
// is sorted out by audit.cpp. Tested by tests/audit/audit_test.cpp; a new one step by step: CONTRIBUTING.md.
#pragma once

#include "audit/audit_context.h"

namespace ptosync {

void auditOrder(AuditContext &context);       // missing-sync, ring-too-short
void auditRings(AuditContext &context);       // ring-too-short
void auditTokens(AuditContext &context);      // unprimed-wait, undrained-flag, double-set, branch-imbalance,
                                              // cross-core-flag, deadlock, id-clash
void auditPipes(AuditContext &context);       // id-out-of-range, illegal-pipe, self-pair, useless-sync
void auditPublication(AuditContext &context); // signal-overtakes-data, gm-visibility
void auditFifos(AuditContext &context);       // fifo-imbalance, fifo-depth
void auditReservedIds(AuditContext &context); // reserved-id
void auditStorage(AuditContext &context);     // space-overflow, hidden-scratch-overlap, scratch-alias
void auditCost(AuditContext &context);        // pointless-copy, removable-sync, pipe-all-fallback, id-pressure
void auditAliases(AuditContext &context);     // serialising-alias
void auditComments(AuditContext &context);    // unused-keep
// Another family: its declaration above, its name below.
inline constexpr auto kRuleFamilies = {
    auditOrder,       auditRings,   auditTokens, auditPipes,   auditPublication, auditFifos,
    auditReservedIds, auditStorage, auditCost,   auditAliases, auditComments,
};

} // namespace ptosync
