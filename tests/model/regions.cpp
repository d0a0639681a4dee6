// Operands whose valid regions differ: by whose region does the library go over each of them?
//
// For every call of the other files: all regions as they are there, given at run time so that one compiled call serves
// them all, and then one operand after the other with half its rows, and with half its columns. What goes by another
// operand's region then leaves its own, and the model must say so. So it must of rows: each operand once with rows
// twice as long as its own. The library's own demands are off: its release builds do not check them.
#include "book.h"

#include <algorithm>
#include <set>

namespace probes {
namespace {

/// True if the library takes no run-time region there, or if the call is not one of whole tiles in UB.
bool leftOut(const Probe &probe) {
  const bool inVectorMemory = std::all_of(probe.tiles.begin(), probe.tiles.end(), [](const TileType &tile) {
    return tile.location == "Vec" && tile.rows <= 64 && tile.cols <= 256;
  });
  const bool large = std::any_of(probe.tiles.begin(), probe.tiles.end(),
                                 [](const TileType &tile) { return tile.validRows >= 8 && tile.validCols >= 8; });
  // Windows of single bytes are asked to be of an even number when they are compiled.
  const bool oddWindow =
      (probe.instruction == "TEXTRACT" || probe.instruction == "TINSERT") && probe.tiles[0].element == "int8_t";
  // Rows by an index each: the regions are compared when they are compiled.
  const bool byRow = probe.call.find("Coalesce::Row") != std::string::npos;
  return probe.tiles.size() + probe.tensors.size() < 2 || !inVectorMemory || !large || oddWindow || byRow;
}

/// What decides the way through the library, but for the region.
std::string kindOf(const Probe &probe) {
  std::string kind = probe.call;
  for (const TileType &tile : probe.tiles) {
    const std::int64_t width = elementBytes(tile.element);
    kind += "|" + tile.block + tile.inner + tile.pad + (width == 8 ? "long" : width == 1 ? "byte" : "plain");
    kind += tile.rows == 1 ? "row" : tile.cols == 1 ? "column" : tile.cols * width == 32 ? "block" : "full";
  }
  return kind;
}

/// A destination that is padded from a larger source on: the library counts down past zero, and fills all of UB.
bool counts(const Probe &probe, std::size_t tile) { return probe.instruction.rfind("TFILLPAD", 0) != 0 || tile != 0; }

} // namespace

/// True if the library asks for tiles of one type there when it is compiled. Of a selection the mask may differ.
bool asksForOneType(const Probe &probe, std::size_t tile) {
  static const std::set<std::string> kAlike = {"TFILLPAD",   "TFILLPAD_EXPAND", "TFILLPAD_INPLACE", "TMOV",
                                               "THISTOGRAM", "TINTERLEAVE",     "TDEINTERLEAVE",    "TPRELU"};
  return probe.group == "comm" || kAlike.count(probe.instruction) != 0 || (probe.instruction == "TSEL" && tile != 1) ||
         (probe.instruction == "TSCATTER" && probe.tiles.size() == 2); // by a mask pattern: it may be a TMOV
}

/// One operand after the other with rows twice as long, in tiles of types that say so.
void addLongerRows(const Probe &probe, std::vector<Probe> &found) {
  for (std::size_t i = 0; i < probe.tiles.size(); ++i) {
    if (probe.tiles[i].block != "RowMajor" || probe.tiles[i].rows < 2 || asksForOneType(probe, i))
      continue;
    Probe longer = probe;
    longer.group = "strides_" + probe.group;
    longer.tiles[i].cols *= 2;
    found.push_back(std::move(longer));
  }
}

void unequalRegions(Book &book) {
  std::vector<Probe> found;
  std::set<std::string> seen;
  for (const Probe &probe : book.probes) {
    if (leftOut(probe) || !seen.insert(kindOf(probe)).second)
      continue;
    addLongerRows(probe, found);
    Probe base = probe;
    base.group = "regions_" + probe.group;
    for (TileType &tile : base.tiles)
      tile.runTime = true;
    found.push_back(base);
    for (std::size_t i = 0; i < base.tiles.size(); ++i)
      for (int TileType::*side : {&TileType::validRows, &TileType::validCols})
        if (base.tiles[i].*side > 1 && counts(base, i)) {
          Probe unequal = base;
          unequal.tiles[i].*side /= 2;
          found.push_back(std::move(unequal));
        }
  }
  book.probes.insert(book.probes.end(), found.begin(), found.end());
}

} // namespace probes
