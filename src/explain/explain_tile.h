// Explains a tile: where it lies, and everything that touches its storage, under whatever name. Tested by
// tests/explain/explain_tile_test.cpp.
#pragma once

#include "explain/analysed_file.h"
#include "explain/explanation.h"

namespace ptosync {

TileExplanation explainTile(const AnalysedFile &file, std::size_t kernel, TileId tile);

} // namespace ptosync
