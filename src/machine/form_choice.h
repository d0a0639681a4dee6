// Chooses the form of the machine model that fits a call.
//
// The first one whose arguments fit and whose conditions all hold. A condition on something that is not known does not
// hold, so that the last form of an instruction is the union of the others. A call that is written with a template
// constant of a kind that the instruction's forms do not account for fits none of them: it is unknown, an opaque fence.
// Tested by tests/machine/form_choice_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/call_state.h"
#include "machine/machine.h"

#include <optional>

namespace ptosync {

/// Returns the form that fits the call, or null if none fits or the machine does not know the instruction. Null means
/// an opaque fence.
const InstructionForm *chooseForm(const Kernel &kernel, const Instruction &instruction, const Machine &machine,
                                  const CallState &state = {});

/// Returns what a call does to the addresses of its operands.
Assigns assignsOf(const Kernel &kernel, const Instruction &instruction, const Machine &machine);

/// Returns the tile that an argument is, with what is known of it at the call; empty if the argument is no tile.
std::optional<Tile> tileOf(const Kernel &kernel, const Operand &argument, const CallState &state);

} // namespace ptosync
