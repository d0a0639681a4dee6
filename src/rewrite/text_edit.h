// Edits texts and shows what changed: edits of byte ranges, and the lines of two texts laid beside each other.
#pragma once

#include "kernel/kernel.h"
#include "kernel/source.h"

#include <llvm/Support/Error.h>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

// Edits of a source text, and the edit that takes one synchronisation statement out.
//
//   SyncSite --removalEdit--> Edit { range, replacement } --applyEdits--> text
//
// A removed statement leaves a comment with its text and the pattern's id in its place, so that a
// reader of the generated file sees what went and why, and every later line keeps its number:
// reports, diffs and the input stay comparable line by line. Sound because a comment is white space
// to the compiler and bytes outside the edits are copied as they are, CRLF line ends included.
// It does not decide what may go, does not look at the C++ around a statement, and does not keep
// comments that stand inside a statement of several lines.
// Tested by tests/rewrite/text_edit_test.cpp.

/// Bytes `range` of a source become `replacement`.
struct Edit {
  SourceRange range;
  std::string replacement;
  bool operator==(const Edit &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Edit &edit);

/// The text with all edits applied; their order does not matter. An error, naming file and lines,
/// if a range is reversed or reaches past the end, or if two edits overlap or begin at the same
/// byte (their order would then be a guess).
llvm::Expected<std::string> applyEdits(const SourceText &source, std::vector<Edit> edits);

/// Replaces the statement of `site` by `/* ptosync: removed pipe_barrier(PIPE_V) [final-div: flag at 248] */`; `why` is
/// what stands in the brackets, empty: none do. Line breaks inside the statement follow the comment, so the line count
/// stays. If the site is a sole body, or the caller knows that the grammar wants a statement here (`needsStatement`),
/// an empty one, `;`, is left behind the comment.
Edit removalEdit(const SourceText &source, const SyncSite &site, std::string_view why, bool needsStatement = false);

// Which lines of two texts differ: a shortest edit script by Myers' divide and conquer.
//
// Find a point that a shortest script passes half-way, by searching from both corners of the edit
// graph at once, and solve the two boxes on either side. Each side needs at least one edit less, so
// the recursion ends; it is as deep as the logarithm of the number of edits. Memory is linear.
// A part of unified_diff; it knows lines as numbers only, equal numbers for equal lines.
// Tested by tests/rewrite/text_edit_test.cpp.

struct ChangedLines {
  std::vector<bool> removed; // per line of the old text
  std::vector<bool> added;   // per line of the new text
};

/// The unmarked lines of both sides are equal and in the same order; as few as possible are marked.
ChangedLines matchLines(const std::vector<std::uint32_t> &before, const std::vector<std::uint32_t> &after);

/// Calls visit(i, j) for each unmarked line of the old text and the one of the new text that it is, counted from 0.
template <typename Visit> void forEachKept(const ChangedLines &changed, Visit visit) {
  std::size_t j = 0;
  for (std::size_t i = 0; i < changed.removed.size(); ++i) {
    if (changed.removed[i])
      continue;
    while (changed.added[j])
      ++j;
    visit(i, j++);
  }
}

// The difference of two texts as a unified diff that `patch` and `git apply` take.
//
//   texts -> lines with their ends -> changed lines (Myers) -> hunks with three lines of context
//
// A line is compared and printed with its own line end, so CRLF, mixed ends and a missing newline
// at the end of the file survive. The changed lines come from Myers' O(ND) algorithm in its
// divide-and-conquer form ("An O(ND) Difference Algorithm and Its Variations", 1986): the script
// is minimal and memory stays linear. It does not detect renames or look inside lines.
// Tested by tests/rewrite/text_edit_test.cpp, against a dynamic-programming reference on small
// random texts and by applying every diff again.

/// Empty if the texts are equal. The names get the prefixes `a/` and `b/`; a leading `/` or `./`
/// is dropped, because `git apply` takes relative names only.
std::string unifiedDiff(const SourceText &before, std::string_view after, std::string_view oldName,
                        std::string_view newName);

} // namespace ptosync
