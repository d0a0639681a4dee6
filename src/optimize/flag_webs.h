// The webs of a file as edits see them: which may be edited at all, and which pattern asks for it.
//
// Every edit kind on flags starts here. A web is left alone, with its reason on each of its
// statements, if one of them is protected or was not analysed, or if its tokens are not balanced.
// So is a web that is primed in front of a loop, or drained behind it, and that some trips of the loop
// skip: what covers it there is covered trip by trip, and its flag is what ties the trips together. One that was put in
// ties nothing that the kernel as it came has tied: it may go again, and what results is verified as a whole.
// Tested by tests/optimize/flag_webs_test.cpp.
#pragma once

#include "optimize/edit_session.h"
#include "patterns/pattern.h"

namespace ptosync {

/// The webs of the file as it now stands that may be edited: deepest loop first, ties by position.
/// The statements of the others get their reason.
std::vector<Web> editableWebs(EditSession &session);

/// True if the web is primed or drained outside a loop and has statements in it that some trips skip.
bool isIntermittent(const EditSession &session, const Web &web);

/// The first enabled pattern that asks for `action` on flags from the web's source to its destination.
const Pattern *patternFor(const EditSession &session, PatternAction action, const Web &web);

} // namespace ptosync
