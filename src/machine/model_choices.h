// Holds the choices that complete the machine model: the user settles what the sources leave open or contest.
//
// Both engines take them over as they are (OrderingOptions, replay::Options), so that a choice means the same to what
// decides and to what checks. Tested by tests/machine/model_choices_test.cpp.
#pragma once

#include "machine/trust.h"

#include <string>

namespace ptosync {

struct ModelChoices {
  Trust trust = Trust::Tile;      // --trust
  bool argumentsMayAlias = false; // --gm-may-alias
  bool strictCopies = false;      // --strict-copies
  bool vectorOrder = true;        // --a5-vector-order
  bool accumulateOrder = false;   // --m-accumulate-order
  bool assemblerChain = false;    // --chain=assembler
};

/// Returns the options of the command line that make these choices, with a space in front of each: the trust level
/// always, and those of the others that differ from the default.
std::string optionsText(const ModelChoices &choices);

} // namespace ptosync
