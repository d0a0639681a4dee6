#include "differential/program.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace ptosync::differential {
namespace {

void spell(const std::vector<Piece> &pieces, unsigned depth, std::string &out) {
  std::string indent(2 * depth, ' ');
  for (const Piece &piece : pieces) {
    if (!piece.open.empty())
      out += (piece.open[0] == '#' ? "" : indent) + piece.open + "\n";
    spell(piece.inside, depth + 1, out);
    if (!piece.close.empty())
      out += indent + piece.close + "\n";
  }
}

std::size_t sizeOf(const std::vector<Piece> &pieces) {
  std::size_t size = pieces.size();
  for (const Piece &piece : pieces)
    size += sizeOf(piece.inside);
  return size;
}

} // namespace

std::string kernelName(const Program &program) { return "k" + std::to_string(program.number); }

std::string fileHeader() {
  return R"(#include "pto/pto-inst.hpp"
using namespace pto;
using T = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, 16, 128, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using D = Tile<TileType::Vec, float, 16, 128, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using S = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using G = GlobalTensor<float, pto::Shape<1, 1, 1, 16, 128>, pto::Stride<2048, 2048, 2048, 128, 1>, pto::Layout::ND>;
using GD = GlobalTensor<float, pto::Shape<1, 1, 1, -1, -1>, pto::Stride<2048, 2048, -1, -1, 1>, pto::Layout::ND>;
template <int N> struct PTOAS_EventIdArray {
  int data[N];
  AICORE int &operator[](int i) { return data[i]; }
  AICORE const int &operator[](int i) const { return data[i]; }
};
)";
}

std::string spelled(const Program &program) {
  std::string out;
  spell(program.around, 0, out);
  out += "extern \"C\" __global__ AICORE void " + kernelName(program) +
         "(__gm__ float *p, __gm__ int32_t *q, __gm__ uint8_t *b, __gm__ int64_t *w, int32_t n, uint32_t m, int64_t k, "
         "int8_t c, uint16_t h) {\n";
  spell(program.body, 1, out);
  return out + "}\n";
}

std::string fileOf(const std::vector<Program> &programs) {
  std::string out = fileHeader();
  for (const Program &program : programs)
    out += spelled(program);
  return out;
}

std::string withoutAliases(const Program &program) {
  std::map<std::string, std::string> types;
  const std::string header = fileHeader(), text = spelled(program);
  for (std::size_t at = header.find("\nusing "); at != std::string::npos; at = header.find("\nusing ", at + 1))
    if (std::size_t equals = header.find(" = ", at), end = header.find(';', at); equals < end)
      types[header.substr(at + 7, equals - at - 7)] = header.substr(equals + 3, end - equals - 3);
  std::string out = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n";
  auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && part(text[end]))
      ++end;
    const std::string word = text.substr(at, std::max<std::size_t>(1, end - at));
    auto type = types.find(word);
    out += type == types.end() ? word : type->second;
    at += word.size();
  }
  return out;
}

std::size_t sizeOf(const Program &program) { return sizeOf(program.around) + sizeOf(program.body); }

} // namespace ptosync::differential
