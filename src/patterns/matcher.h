// Finds the barriers of a kernel that the patterns nominate.
//
//   Kernel --straight runs--> statements in a row --sequences around each barrier--> site -> pattern id
//
// A *straight run* is the statements of one block, continued where a block jumps unconditionally to a
// block that is entered from nowhere else. Sequences are matched within one run: statements before the
// barrier are looked for backwards, those after it forwards; scalar assignments and statements that
// occupy no pipe are skipped. A sequence does not reach into the arms of an `if`, around a loop, or
// across a join: the machine does, but a pattern only says where to look, and what it does not nominate
// the generic patterns will. Every other statement that no element stands for breaks the match.
//
// Nothing here is a proof. A barrier inside a helper that is called from several places is one site: it
// is nominated if one of the places matches, and the checker answers for all of them.
// The kernel's tail fence is never nominated; whether a site is protected otherwise is not known here.
// Tested by tests/patterns/matcher_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "patterns/catalogue.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ptosync {

/// Returns true if operand `a` of `first` and operand `b` of `second` are certain to start at the same storage, and
/// false if they differ or if that is not known, so that a pattern nominates less. `first` is not after `second` in the
/// text.
using SameStorage = std::function<bool(const Kernel &kernel, const Statement &first, const Operand &a,
                                       const Statement &second, const Operand &b)>;

/// Returns the pipes that an instruction may occupy: none if it only computes addresses, all if it is not known.
using PipeOf = std::function<PipeSet(const Kernel &kernel, const Instruction &instruction)>;

/// Returns for each barrier site of `kernel` that is nominated the id of the first pattern, in the catalogue's order,
/// that does so. Patterns for another architecture or a higher trust level take no part.
std::map<SiteId, std::string> nominate(const Kernel &kernel, const Catalogue &catalogue, std::string_view arch,
                                       Trust trust, const SameStorage &sameStorage, const PipeOf &pipeOf);

} // namespace ptosync
