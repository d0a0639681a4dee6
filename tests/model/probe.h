// The text of probe kernels: one call of one instruction each, over tiles at known addresses.
//
// The same text goes to the library (compiled behind the stand-ins, standins/) and to `ptosync model --calls`. Tiles
// lie a guard apart, so that what goes beyond one of them lands in no other; a tensor starts at a pointer argument of
// its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace probes {

/// A tile's type. `rows` and `cols` bound the valid region.
struct TileType {
  std::string element = "float";
  int rows = 16, cols = 64, validRows = 16, validCols = 64;
  std::string location = "Vec", block = "RowMajor", inner = "NoneBox";
  int fractal = 512;
  std::string pad = "Null", compact = "Null";
  bool runTime = false; // the valid region is given to the constructor
};

/// A tensor's element type, its five dimensions and strides in elements.
struct TensorType {
  std::string element = "float";
  std::vector<std::int64_t> shape, stride;
  std::string layout = "ND";
};

struct Probe {
  std::string group, instruction; // group: the file it is compiled in
  std::string call;               // with $0, $1, ... for tiles, %0, %1, ... for tensors, @0, ... for types of tiles
  std::vector<TileType> tiles;
  std::vector<TensorType> tensors;
  int fill = 0;     // every byte of the tiles: 1 where zero would be divided by
  std::string fifo; // type of the parameter f0; empty: none
};

std::int64_t elementBytes(const std::string &element);

/// All probes of an architecture.
std::vector<Probe> probesOf(const std::string &arch);

/// The kernel of a probe, by name; empty if its tiles do not fit.
std::string kernelText(const Probe &probe, const std::string &name, const std::string &arch);

} // namespace probes
