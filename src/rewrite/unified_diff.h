// The difference of two texts as a unified diff that `patch` and `git apply` take.
//
//   texts -> lines with their ends -> changed lines (Myers) -> hunks with three lines of context
//
// A line is compared and printed with its own line end, so CRLF, mixed ends and a missing newline
// at the end of the file survive. The changed lines come from Myers' O(ND) algorithm in its
// divide-and-conquer form ("An O(ND) Difference Algorithm and Its Variations", 1986): the script
// is minimal and memory stays linear. It does not detect renames or look inside lines.
// Tested by tests/rewrite/unified_diff_test.cpp, against a dynamic-programming reference on small
// random texts and by applying every diff again.
#pragma once

#include "kernel/source.h"

#include <string>
#include <string_view>

namespace ptosync {

/// Empty if the texts are equal. The names get the prefixes `a/` and `b/`; a leading `/` or `./`
/// is dropped, because `git apply` takes relative names only.
std::string unifiedDiff(const SourceText &before, std::string_view after, std::string_view oldName,
                        std::string_view newName);

} // namespace ptosync
