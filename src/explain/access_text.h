// Puts an access into words: what it does to which bytes, and what is not known of them and why. It is for readers
// only: nothing is decided by it. Tested by tests/explain/access_text_test.cpp.
#pragma once

#include "explain/explanation.h"
#include "ordering/hazard.h"

namespace ptosync {

AccessText accessText(const Program &program, const HazardModel &model, const Node &node, const Access &access);

/// Adds an access to a list. The same operand at the same place is one entry, whether it is on several pipes or both
/// read and written.
void addAccess(AccessText access, std::vector<AccessText> &list);

/// Returns storage in short, as "UB [0, 1024) or one of 7 other places", since rotating storage has many places.
std::string placesText(const std::string &storage);

/// Returns the type of a tile: "Vec float 32 x 128, valid 32 x 100".
std::string declaredText(const Tile &tile);

} // namespace ptosync
