// Small kernels for the tests of the checker, which are linked without the tool.
#pragma once

#include "check/check.h"
#include "check/facts.h"

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ptosync::check::test {

/// A vector kernel with four tiles of 8 x 64 floats, `a` to `d`, at 0, 4096, 8192 and 12288, and tensors `g` of
/// argument `in` and `h` of argument `out`; `n` is an argument. The tiles are too short for the rule of chains.
/// `around` stands in front of it.
inline std::string kernel(const std::string &body, const std::string &around = "") {
  const std::string tile = "Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, "
                           "PadValue::Null, CompactMode::Null> ";
  const std::string tensor = "GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, "
                             "pto::Layout::ND>";
  std::string text = "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n" + around +
                     "extern \"C\" __global__ AICORE void k(__gm__ float* in, __gm__ float* out, int64_t n) {\n"
                     "#if defined(__DAV_VEC__)\n";
  int address = 0;
  for (const char *name : {"a", "b", "c", "d"}) {
    text += tile + name + ";\nTASSIGN(" + name + ", (uint64_t) " + std::to_string(address) + ");\n";
    address += 4096;
  }
  text += tensor + " g = " + tensor + "(in);\n" + tensor + " h = " + tensor + "(out);\n" + body + "\n#endif\n}\n";
  return text;
}

/// What the checker says of a certificate that is looked for.
inline Answer certifies(const std::string &before, const std::string &after, const std::string &arch = "a3") {
  Answer proposal;
  const std::string facts = factsOf(arch), certificate = propose(before, after, facts, proposal);
  return checkCertificate(before, after, facts, certificate);
}

inline bool certified(const std::string &before, const std::string &after, const std::string &arch = "a3") {
  return certifies(kernel(before), kernel(after), arch).certified();
}

inline std::string readFile(const std::string &name) {
  std::ifstream stream(std::string(PTOSYNC_SOURCE_DIR) + "/" + name, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Both versions of a pair of tests/check/attacks: a line that begins with `<` is in the first one alone, one that
/// begins with `>` in the second one, any other, without its first blank, in both.
inline std::pair<std::string, std::string> attack(const std::string &name) {
  std::istringstream lines(readFile("tests/check/attacks/" + name + ".txt"));
  std::pair<std::string, std::string> pair;
  for (std::string line; std::getline(lines, line);) {
    const char side = line.empty() ? ' ' : line[0];
    const std::string text = (line.empty() ? line : line.substr(1)) + "\n";
    pair.first += side == '>' ? "" : text;
    pair.second += side == '<' ? "" : text;
  }
  return pair;
}

/// The text without the statement at the `number`-th place where a sync stands; empty if there are not so many.
inline std::string withoutSync(const std::string &text, std::size_t number) {
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const char *name : {"pipe_barrier(", "set_flag(", "wait_flag(", "get_buf(", "rls_buf("})
      if (text.compare(at, std::string(name).size(), name) == 0 &&
          (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n') && number-- == 0)
        return text.substr(0, at) + text.substr(text.find(';', at));
  return {};
}

} // namespace ptosync::check::test
