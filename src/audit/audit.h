// Audits one lifted file: what is wrong with its synchronisation, and what is slow.
//
// This chapter runs the rule families over the context that they share, settles findings that one architecture alone
// has, and knows which kernels order their work by buffer ids.
#pragma once

#include "audit/finding.h"
#include "kernel/kernel.h"
#include "machine/machine.h"
#include "ordering/program.h"
#include "patterns/catalogue.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

// Audits one lifted file: what is wrong with its synchronisation, and what is slow.
//
//   Module --FileAnalysis--> AuditContext --rule families, one file each--> findings
//          --finishAudit--> severity, fingerprint, order
//
// Built on the static engine (src/ordering), so it sees every path at once; a finding that rests on a path is an
// error only if the path search shows one whose decisions are free of each other. Silence of contested machine rules
// is kept. Open flag reuses and fence orders are no findings: real kernels have them.
// It does not see dynamic queues of finite depth, nor the other core's progress.
// Tested by tests/audit/.

struct AuditOptions {
  OrderingOptions ordering;
  /// Severity of a rule; by default the table's. Rules that are off are not run.
  std::function<Severity(std::string_view rule)> severity;
  /// Findings below it are not looked for where that saves time, and not returned.
  Severity lowest = Severity::Warning;
  /// The patterns of `removable-sync`; without them it stays silent.
  const Catalogue *patterns = nullptr;
};

struct SkippedInAudit {
  std::string kernel, reason;
  std::uint32_t line = 0;
};

struct AuditResult {
  std::vector<Finding> findings;       // by position
  std::size_t kernels = 0;             // analysed; each core section and each instance of a template counts
  std::vector<SkippedInAudit> skipped; // kernels that could not be analysed
  std::vector<SkippedInAudit>
      notJudged; // analysed kernels in which some orders are open, so that a missing one is not seen
  std::vector<SkippedInAudit> notProved; // analysed kernels in which not all that meets in memory is seen ordered
  std::vector<UnknownCall> unknownCalls;
};

AuditResult audit(const Module &module, const Machine &machine, const AuditOptions &options);

// Judges findings about a text that may be for either architecture.
//
//   findings on the default one, findings of the same text read for the other --> errors that hold on both
//
// Nothing in an emitted vector kernel of an a5 build says a5. Read as a3 it lacks vector barriers, read as a5 it is
// right. A finding that one architecture alone has is no more than a note, which says so. One that both have keeps the
// lower of the two severities. Tested by tests/audit/audit_test.cpp.

/// Demotes the findings of `arch` above a note that `other` does not have, and takes out those that are below `lowest`
/// then. Returns how many findings were demoted. A finding is the same in both if it is of one rule, at one place, and
/// about the same two statements.
std::size_t demoteUnlessBoth(std::vector<Finding> &findings, const std::vector<Finding> &other, const std::string &arch,
                             Severity lowest);

/// Returns true if `findings` has this one, with whatever severity.
bool hasLike(const std::vector<Finding> &findings, const Finding &finding);

} // namespace ptosync
