// The page of `audit` for one file: its findings, and the changes that mend them.
//
//   text --lift--> Module --audit--> findings --held against the other architecture--> those on both --fix--> changes
//
// Where nobody has chosen the architecture and nothing in the text decides it, an error is one on both
// (audit/audit.h). The files of a run share their models and patterns, so that threads only read them.
//
// Tested by tests/tool/audit_command_test.cpp.
#pragma once

#include "audit/audit_report.h"
#include "run/run.h"

#include <llvm/Support/Error.h>

namespace ptosync {

/// Returns true if findings are wanted that the patterns nominate, which takes time.
bool wantsRemovable(const AuditConfig &config);

/// Returns the default patterns that take something out. A sync that `opt` would only move is no finding.
llvm::Expected<Catalogue> removingPatterns(const RunChoices &choices);

struct AuditRequest {
  const Catalogue *patterns = nullptr; // of `removable-sync`; null: it is not asked for
  bool fixes = false;                  // also find the changes that mend each finding
  bool snippets = false;               // keep the source for them
  bool lineHashes = false;             // of the lines of findings, for SARIF
};

/// A source that cannot be read or lifted has a `problem` and no findings.
AuditedFile auditFile(const RunInput &input, const Models &models, const AuditRequest &request);

} // namespace ptosync
