// What every rule family is given: the file, its analysed kernels, and how to make a finding.
// Tested through the rule families, tests/audit/.
#pragma once

#include "audit/audit.h"
#include "ordering/kernel_analysis.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

class AuditContext {
public:
  AuditContext(const Module &module, const Machine &machine, const AuditOptions &options);

  const Module &module;
  const Machine &machine;
  const AuditOptions &options;
  std::vector<SkippedInAudit> skipped;
  std::vector<SkippedInAudit> notJudged; // kernels with brackets of which it is open what they order
  std::vector<Finding> findings;

  /// Returns the analysable kernels. A condition that is tested again is one decision in them.
  const std::vector<Analysis> &kernels() const { return file.kernels(); }
  // What is said of order is read from `whereScalarWaitsHold`: that reading is contested, and an order that one reading
  // has is not called missing. The same goes for brackets of buffer ids of which it is open what they order.

  /// True if findings of `rule`, demoted by `demotion`, are asked for.
  bool wants(std::string_view rule, unsigned demotion = 0) const;
  void report(Finding finding) { findings.push_back(std::move(finding)); }

  /// A finding at a statement of `kernel`; the statement becomes its first part.
  Finding at(std::string_view rule, const Analysis &kernel, const Statement &statement, std::string message) const;
  Finding atSite(std::string_view rule, const SyncSite &site, std::string message) const;
  FindingPlace place(const Statement &statement) const { return place(statement.range, statement.line); }
  FindingPlace place(SourceRange range, std::uint32_t line) const;
  FindingNote note(const Statement &statement, std::string text) const { return {place(statement), std::move(text)}; }
  /// The statement as spelled, on one line.
  std::string text(const Statement &statement) const;

private:
  FileAnalysis file;
};

/// Elements of the valid region, as far as the type says them: 0 for one of run time.
std::int64_t staticElements(const Tile &tile);
/// `text` on one line, cut at a length fit for messages.
std::string oneLine(std::string_view text);

} // namespace ptosync
