// The result of one kernel as bytes, for another run: KernelOutcome and AuditedFile, member by member.
//
//   KernelOutcome --recordOf--> CBOR --outcomeFrom--> KernelOutcome
//
// What belongs to the run and not to the result is left out: which files were read, the input's own text. A structure
// is taken apart by a binding that names all of its members, so that a member that somebody adds does not compile until
// it stands there too. A record that does not fit is none: one of another version, say.
// Tested by tests/tool/outcome_record_test.cpp.
#pragma once

#include "audit/audit_report.h"
#include "tool/batch.h"

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace ptosync {

std::string recordOf(const KernelOutcome &outcome);
std::string recordOf(const AuditedFile &file);

/// Returns nothing if the text is no record of an outcome.
std::optional<KernelOutcome> outcomeFrom(llvm::StringRef record);
/// The same of an audited file. It has no source.
std::optional<AuditedFile> auditedFrom(llvm::StringRef record);

} // namespace ptosync
