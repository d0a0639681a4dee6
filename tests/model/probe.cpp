#include "probe.h"

#include <algorithm>

namespace probes {
namespace {

constexpr std::int64_t kGuard = 2048, kFirst = 0x10000;

std::int64_t memoryBytes(const std::string &location, const std::string &arch) {
  if (location == "Vec")
    return arch == "a3" ? 184 * 1024 : 248 * 1024; // above it lies what the library takes for itself
  if (location == "Mat")
    return 512 * 1024;
  if (location == "Acc")
    return arch == "a3" ? 128 * 1024 : 256 * 1024;
  if (location == "Left" || location == "Right")
    return 64 * 1024;
  return arch == "a3" ? 2048 : 4096;
}

/// Only memory that kernel code can load from must lie where a process may map it.
std::int64_t firstAddress(const std::string &location) { return location == "Vec" ? kFirst : 0; }

std::string typeText(const TileType &tile) {
  std::string text = "Tile<TileType::" + tile.location + ", " + tile.element + ", " + std::to_string(tile.rows) + ", " +
                     std::to_string(tile.cols) + ", BLayout::" + tile.block + ", ";
  text += tile.runTime ? "-1, -1" : std::to_string(tile.validRows) + ", " + std::to_string(tile.validCols);
  return text + ", SLayout::" + tile.inner + ", " + std::to_string(tile.fractal) + ", PadValue::" + tile.pad +
         ", CompactMode::" + tile.compact + ">";
}

std::string dimensions(const std::vector<std::int64_t> &values) {
  std::string text;
  for (std::int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

/// $0 is a tile's name, %0 a tensor's, @0 a tile's type.
std::string written(const Probe &probe) {
  std::string text;
  for (std::size_t i = 0; i < probe.call.size(); ++i) {
    if (probe.call[i] == '@')
      text += typeText(probe.tiles[probe.call[++i] - '0']);
    else
      text += probe.call[i] == '$' ? 't' : probe.call[i] == '%' ? 'g' : probe.call[i];
  }
  return text;
}

} // namespace

std::int64_t elementBytes(const std::string &element) {
  if (element == "half" || element == "bfloat16_t" || element == "int16_t" || element == "uint16_t")
    return 2;
  if (element == "int64_t" || element == "uint64_t")
    return 8;
  if (element == "float" || element == "int32_t" || element == "uint32_t")
    return 4;
  return 1;
}

std::string kernelText(const Probe &probe, const std::string &name, const std::string &arch) {
  std::string body;
  std::map<std::string, std::int64_t> next; // by location: the first free address
  for (std::size_t i = 0; i < probe.tiles.size(); ++i) {
    const TileType &tile = probe.tiles[i];
    auto [place, fresh] = next.emplace(tile.location, firstAddress(tile.location));
    std::int64_t bytes = std::int64_t{tile.rows} * tile.cols * elementBytes(tile.element);
    std::int64_t guard = memoryBytes(tile.location, arch) > 4096 ? kGuard : 0;
    if (place->second + bytes + guard > memoryBytes(tile.location, arch))
      return {};
    std::string variable = "t" + std::to_string(i);
    body += "  " + typeText(tile) + " " + variable;
    if (tile.runTime)
      body += "(" + std::to_string(tile.validRows) + ", " + std::to_string(tile.validCols) + ")";
    body += ";\n  TASSIGN(" + variable + ", " + std::to_string(place->second) + ");\n";
    place->second += (bytes + guard + 511) / 512 * 512;
  }
  std::string parameters;
  for (std::size_t i = 0; i < probe.tensors.size(); ++i) {
    const TensorType &tensor = probe.tensors[i];
    std::string number = std::to_string(i);
    parameters += (i ? ", " : "") + std::string("__gm__ ") + tensor.element + " *p" + number;
    body += "  GlobalTensor<" + tensor.element + ", pto::Shape<" + dimensions(tensor.shape) + ">, pto::Stride<" +
            dimensions(tensor.stride) + ">, Layout::" + tensor.layout + "> g" + number + "(p" + number + ");\n";
  }
  if (!probe.fifo.empty())
    parameters += (parameters.empty() ? "" : ", ") + probe.fifo + " &f0";
  return "__global__ AICORE void " + name + "(" + parameters + ") {\n" + body + "  " + written(probe) + ";\n}\n";
}

} // namespace probes
