// From a decision about a FIFO's local slots to edits of the text: the count wherever the type is spelled.
//
//   8  ->  2 /* ptosync: 2 local slots, were 8 [fifo-local-slots] */
//
// Every spelling of the type gets the new count, and a comment tells the change once a line. All or nothing: where one
// spelling has no number of its own, the kernel would no longer compile, and there are no edits but an error.
// Bytes outside the counts are copied as they are. It does not decide whether the count is right.
// Tested by tests/rewrite/fifo_edits_test.cpp.
#pragma once

#include "rewrite/edit.h"

#include <cstdint>

namespace ptosync {

/// A place where a type is spelled; `range` is empty (begin == end) if it has no literal count there.
struct SlotSpelling {
  SourceRange range;
  std::uint32_t line = 0;
};

llvm::Expected<std::vector<Edit>> slotEdits(const SourceText &source, const std::vector<SlotSpelling> &spellings,
                                            std::int64_t before, std::int64_t after, std::string_view pattern);

} // namespace ptosync
