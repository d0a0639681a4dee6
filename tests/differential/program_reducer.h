// Shrinks a program: pieces are taken out, long runs of them first, then pieces give way to what is in them, then texts
// lose operands, as long as the same check fails. What does not compile any more fails another way and is undone.
//
// Tested by tests/differential/unit/program_test.cpp.
#pragma once

#include "differential/program.h"

#include <functional>

namespace ptosync::differential {

using StillFails = std::function<bool(const Program &)>;

/// A program for which `fails` holds, as for `program`; at most `mostTries` are tried.
Program reduceProgram(Program program, const StillFails &fails, std::size_t mostTries = 400);

} // namespace ptosync::differential
