// Says how much of the instruction library's inside a decision may rely on. Tested by tests/machine/effects_test.cpp.
#pragma once

#include <cstdint>

namespace ptosync {

enum class Trust : std::uint8_t {
  Tile,    // a library call is one opaque access
  Library, // the phases and barriers inside it count, for the library version they were read from
};

inline const char *trustName(Trust trust) { return trust == Trust::Tile ? "tile" : "library"; }

} // namespace ptosync
