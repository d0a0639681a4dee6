// A found path as notes a reader can follow: the branches it takes and the statements that matter on the way.
// Tested by tests/audit/path_text_test.cpp.
#pragma once

#include "audit/audit_context.h"
#include "audit/path_search.h"

namespace ptosync {

/// One note per stop; runs of the same branch taken the same way are one.
std::vector<FindingNote> describePath(const AuditContext &context, const Analysis &kernel, const FoundPath &path);

} // namespace ptosync
