// Explains a sync: what it orders, what would break without it, and what would let it go. Tested by
// tests/explain/explain_sync_test.cpp.
#pragma once

#include "explain/analysed_file.h"
#include "explain/explanation.h"

namespace ptosync {

/// Explains the sync at `site`. If it is a statement of a flag, its whole web is explained.
SyncExplanation explainSync(const AnalysedFile &file, SiteId site);

} // namespace ptosync
