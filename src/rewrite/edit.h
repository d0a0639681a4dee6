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
// Tested by tests/rewrite/edit_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "kernel/source.h"

#include <llvm/Support/Error.h>

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

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

} // namespace ptosync
