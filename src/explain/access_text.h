// An access in words: what it does to which bytes, and what is not known of them and why.
// Tested by tests/explain/access_text_test.cpp.
#pragma once

#include "explain/explanation.h"
#include "ordering/hazard.h"

namespace ptosync {

AccessText accessText(const Program &program, const HazardModel &model, const Node &node, const Access &access);

/// Adds an access to a list: the same operand at the same place is one, whether on several pipes or read and written.
void addAccess(AccessText access, std::vector<AccessText> &list);

/// Storage in short: "UB [0, 1024) or one of 7 other places", for rotating storage has many.
std::string placesText(const std::string &storage);

/// "Vec float 32 x 128, valid 32 x 100".
std::string declaredText(const Tile &tile);

} // namespace ptosync
