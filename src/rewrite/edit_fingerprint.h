// The fingerprint of an edit: which statement of which kernel goes or moves, whatever its line and its names' numbers.
//
//   316   pipe_barrier(PIPE_V);    removed; between TROWEXPANDSUB(v47, v47, v50) and TEXP(v47, v47): the first such
//         place of kernel `k`      --> 16 hex digits, the same when the file grows above it or is assembled anew
//
// The identity of an edit is what it does (removes, moves, puts in), and of each of its statements: the text, the
// kernels, the instruction in front of it and the one behind it, and which of the places that agree in all of that it
// is, in the order of the file. Of a moved one also what it comes to stand between. Numbered names count by their
// order, as in the audit's baseline (base/fingerprint.h). Evidence, patterns and lines are no part of it: the same edit
// has the same fingerprint whichever other edits are made, which is what an approval needs (run/approved_edits.h).
//
// Places are counted as they were before the tool edited the file: a comment that a removed sync left counts like the
// sync, and a moved one counts where it stood, once, however many arms it has moved into. So an approval that leaves
// out the second of two equal barriers leaves it out as well in a text from which the first has gone.
//
// It does not tell files apart: equal kernels in two files have equal fingerprints. Of statements that equal edits of
// two runs have put in the old place is not known. White space within a statement decides nothing.
// Tested by tests/rewrite/edit_fingerprint_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "optimize/decision.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ptosync {

inline constexpr std::size_t kEditDigits = 16; // of a fingerprint

/// Returns the fingerprint of each edit of the result, by its number.
std::map<std::uint32_t, std::string> editFingerprints(const Module &module, const OptimizeResult &result);

/// Returns the text as it was before the tool edited it, by the comments that removed and moved statements left;
/// nothing without such a comment, or if it cannot be put together. Its lines count as they did, its columns may not,
/// and what several runs have moved may stand some lines off: for asking which edits there were, not for building.
std::optional<std::string> textBeforeEdits(const Module &module);

} // namespace ptosync
