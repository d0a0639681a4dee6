// Puts into words what orders a pair of instructions, from the links of def/use chains. Tested by
// tests/explain/pair_order_test.cpp.
#pragma once

#include "explain/analysed_file.h"
#include "explain/explanation.h"

namespace ptosync {

PairOrder pairOrder(const AnalysedFile &file, std::size_t kernel, const ChainLink &link);

/// Returns the name of a web's flag: "flag PIPE_V -> PIPE_MTE3, id 0".
std::string webText(const Web &web);

} // namespace ptosync
