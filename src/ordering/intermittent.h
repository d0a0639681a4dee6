// Webs that only some trips of a loop use: what the flag says reaches past the trips that skip it.
//
// Such a web is primed or drained outside the loop, so that its flag ties trips together that lie apart. What the
// kernel leaves open may rest on that, in ways that no path of a few trips shows: no edit takes such a web out of a
// kernel that is not seen whole (pending.h). Where the loop's phases tell which trips skip it, each phase is a trip
// like any other. Where the trips that use it are one after the other, none is tied to one far away: a web like any
// other. Tested by tests/optimize/flag_webs_test.cpp.
#pragma once

#include "ordering/pending.h"
#include "ordering/syncs.h"

namespace ptosync {

/// True if the web is primed or drained outside a loop and has statements in it that some trips skip, of which nothing
/// tells which they are, or that they are at one end.
bool isIntermittent(const Program &program, const Pending &pending, const Web &web);

} // namespace ptosync
