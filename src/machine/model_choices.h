// Holds the choices that complete the machine model: the user settles what the sources leave open or contest.
//
// Both engines take them over as they are (OrderingOptions, replay::Options), so that a choice means the same to the
// engine that decides and to the one that checks. Tested by tests/machine/model_choices_test.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace ptosync {

/// How much of the instruction library's inside a decision may rely on.
enum class Trust : std::uint8_t {
  Tile,    // a library call is one opaque access
  Library, // the phases and barriers inside it count, for the library version they were read from
};

inline const char *trustName(Trust trust) { return trust == Trust::Tile ? "tile" : "library"; }

struct ModelChoices {
  Trust trust = Trust::Tile;      // --trust
  bool argumentsMayAlias = false; // --gm-may-alias
  bool strictCopies = false;      // --strict-copies
  bool vectorOrder = true;        // --a5-vector-order
  bool accumulateOrder = false;   // --m-accumulate-order
  bool assemblerChain = false;    // --chain=assembler
};

/// Returns the options of the command line that make these choices, a space in front of each: the trust level always,
/// of the others those that are not as they are by default.
std::string optionsText(const ModelChoices &choices);

} // namespace ptosync
