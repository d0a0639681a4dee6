// The parts of a pattern file that only rewrites have: which FIFOs they are for, and within which bounds.
// Tested by tests/patterns/pattern_reader_test.cpp.
#pragma once

#include "patterns/pattern.h"
#include "json/json_document.h"

namespace ptosync {

/// `match` of a rewrite.
llvm::Error readFifoMatch(const JsonNode &match, FifoMatch &target);

/// `bounds` of the file; a pattern of another kind must have none.
llvm::Error readRewriteBounds(const JsonNode &root, Pattern &pattern);

} // namespace ptosync
