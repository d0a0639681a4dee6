// What every rule family is given: the file, its analysed kernels, and how to make a finding.
// Tested through the rule families, tests/audit/.
#pragma once

#include "audit/audit.h"
#include "ordering/pending.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ptosync {

struct AuditedKernel {
  const Kernel *kernel = nullptr;
  bool orderModelled = true;        // false: a missing order is not called wrong
  std::unique_ptr<Program> program; // the analysis refers to it
  std::unique_ptr<Pending> pending;
  /// The same where a wait for the scalar pipe holds back all later work. Empty if there is no such wait.
  std::unique_ptr<Program> heldProgram;
  std::unique_ptr<Pending> heldPending;

  /// What findings about order are read from. Whether a wait for the scalar pipe holds back all later work is
  /// contested, and an order that one reading has is not called missing.
  const Program &orderedProgram() const { return heldProgram ? *heldProgram : *program; }
  const Pending &orderedPending() const { return heldPending ? *heldPending : *pending; }
};

class AuditContext {
public:
  AuditContext(const Module &module, const Machine &machine, const AuditOptions &options);

  const Module &module;
  const Machine &machine;
  const AuditOptions &options;
  std::vector<AuditedKernel> kernels; // the analysable ones
  std::vector<SkippedInAudit> skipped;
  std::vector<SkippedInAudit> notJudged; // kernels whose order is not modelled
  std::vector<Finding> findings;

  /// True if findings of `rule`, demoted by `demotion`, are asked for.
  bool wants(std::string_view rule, unsigned demotion = 0) const;
  void report(Finding finding) { findings.push_back(std::move(finding)); }

  /// A finding at a statement of `kernel`; the statement becomes its first part.
  Finding at(std::string_view rule, const AuditedKernel &kernel, const Statement &statement, std::string message) const;
  Finding atSite(std::string_view rule, const SyncSite &site, std::string message) const;
  FindingPlace place(const Statement &statement) const { return place(statement.range, statement.line); }
  FindingPlace place(SourceRange range, std::uint32_t line) const;
  FindingNote note(const Statement &statement, std::string text) const { return {place(statement), std::move(text)}; }
  /// The statement as spelled, on one line.
  std::string text(const Statement &statement) const;
};

/// Elements of the valid region, as far as the type says them: 0 for one of run time.
std::int64_t staticElements(const Tile &tile);
/// `text` on one line, cut at a length fit for messages.
std::string oneLine(std::string_view text);

} // namespace ptosync
