// Whether a kernel whose syncs were placed anew is right: asked of its text, from nothing.
//
//   text --lifted--> ordering, tokens, audit; replay against the input --> accepted, or the reason why not
//
// Nothing that the side which placed the syncs says is looked at. Accepted only if no conflict is open but what a
// contested rule orders, no flag is anything but binary, nothing else that is open has an order on some path of the
// input (order_comparison.h: contested pairs, orders relative to opaque calls, flags set again, what is over at the
// end), the audit finds nothing that it does not find in the input, and every run that the replay compares keeps the
// orders that the input has. Tested by tests/synthesis/verification_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"
#include "ordering/program.h"
#include "replay/options.h"

#include <optional>
#include <string>

namespace ptosync::synthesis {

struct VerificationOptions {
  OrderingOptions ordering;
  replay::Options replay;
};

/// Of the kernels named `kernel` in a section. Empty: accepted.
std::optional<std::string> refusal(const Module &before, const Module &after, const std::string &kernel,
                                   Section section, const Machine &machine, const VerificationOptions &options);

} // namespace ptosync::synthesis
