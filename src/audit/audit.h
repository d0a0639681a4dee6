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
#pragma once

#include "audit/finding.h"
#include "kernel/kernel.h"
#include "machine/machine.h"
#include "ordering/program.h"
#include "patterns/catalogue.h"

#include <functional>
#include <string>
#include <vector>

namespace ptosync {

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
  std::vector<Finding> findings;         // by position
  std::size_t kernels = 0;               // analysed; each core section and each instance of a template counts
  std::vector<SkippedInAudit> skipped;   // kernels that could not be analysed
  std::vector<SkippedInAudit> notJudged; // analysed kernels in which no missing order is looked for
  std::vector<UnknownCall> unknownCalls;
};

AuditResult audit(const Module &module, const Machine &machine, const AuditOptions &options);

} // namespace ptosync
