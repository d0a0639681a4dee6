// Kernel text to program and pending sets, and places in it found by a mark in a comment.
#pragma once

#include "ordering/pending.h"
#include "support/corpus.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptosync::test {

/// Line of `text` (from 1) that contains `mark`; throws unless there is exactly one.
inline unsigned lineOf(const std::string &text, const std::string &mark) {
  std::size_t at = text.find(mark);
  if (at == std::string::npos || text.find(mark, at + 1) != std::string::npos)
    throw std::runtime_error("not exactly one line with " + mark);
  return 1 + static_cast<unsigned>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// A tile of any place and shape: `region` is its valid region, e.g. "16, 64" or "-1, 64".
inline std::string tileIn(const std::string &location, const std::string &name, const std::string &element,
                          const std::string &shape, const std::string &region, const std::string &address,
                          const std::string &layout = "BLayout::RowMajor",
                          const std::string &inner = "SLayout::NoneBox", const std::string &arguments = "") {
  return "  Tile<TileType::" + location + ", " + element + ", " + shape + ", " + layout + ", " + region + ", " + inner +
         ", 512, PadValue::Null, CompactMode::Null> " + name + arguments + "; TASSIGN(" + name + ", (uint64_t) (" +
         address + "));\n";
}

/// A float Vec tile of `rows` rows of 64 at an address that may be any expression of the kernel. 16 rows and more
/// are long enough for the same-access chain, 4 are not.
inline std::string rowsAt(const std::string &name, unsigned rows, const std::string &address) {
  std::string shape = std::to_string(rows) + ", 64";
  return tileIn("Vec", name, "float", shape, shape, address);
}

/// A float tensor of 4 rows of 64 at `pointer`.
inline std::string tensorAt(const std::string &name, const std::string &pointer) {
  return "  GlobalTensor<float, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<256, 256, 256, 64, 1>, pto::Layout::ND> " +
         name + "(" + pointer + ");\n";
}

/// A kernel with short tiles a to d, a tensor g of `in` and h of `out`, and these statements.
inline std::string smallBody(const std::string &statements) {
  return vectorKernel(rowsAt("a", 4, "0") + rowsAt("b", 4, "1024") + rowsAt("c", 4, "2048") + rowsAt("d", 4, "3072") +
                      tensorAt("g", "in") + tensorAt("h", "out") + statements);
}

/// Operands of a matrix product: Left `l`, Right `r` and Acc `c`, `d`, all 16 x 16; `c` and `d` at 0 and 4096.
inline std::string matrixTiles() {
  return tileIn("Left", "l", "half", "16, 16", "16, 16", "0", "BLayout::RowMajor", "SLayout::RowMajor") +
         tileIn("Right", "r", "half", "16, 16", "16, 16", "0", "BLayout::RowMajor", "SLayout::ColMajor") +
         tileIn("Acc", "c", "float", "16, 16", "16, 16", "0", "BLayout::ColMajor", "SLayout::RowMajor") +
         tileIn("Acc", "d", "float", "16, 16", "16, 16", "4096", "BLayout::ColMajor", "SLayout::RowMajor");
}

/// The same for a product of `rows` x `columns`, of `input` elements: Left `L`, Right `R` and Acc `C` at 8192.
inline std::string productTiles(unsigned rows, unsigned columns, const std::string &input = "half") {
  std::string m = std::to_string(rows), n = std::to_string(columns);
  return tileIn("Left", "L", input, m + ", 16", m + ", 16", "0", "BLayout::RowMajor", "SLayout::RowMajor") +
         tileIn("Right", "R", input, "16, " + n, "16, " + n, "0", "BLayout::RowMajor", "SLayout::ColMajor") +
         tileIn("Acc", "C", "float", m + ", " + n, m + ", " + n, "8192", "BLayout::ColMajor", "SLayout::RowMajor");
}

/// One kernel of a text, as the ordering engine sees it. Not copyable: its parts refer to one another.
class Analysed {
public:
  explicit Analysed(std::string source, const std::string &arch = "a3", const OrderingOptions &options = {})
      : text(std::move(source)), module(lift(text, arch)) {
    if (module.kernels.empty() || !module.kernels[0].analysable)
      throw std::runtime_error("not analysable: " + (module.kernels.empty() ? "no kernel" : module.kernels[0].reason));
    program = std::make_unique<Program>(llvm::cantFail(buildProgram(module.kernels[0], machineOf(arch), options)));
    pending = std::make_unique<Pending>(*program);
  }
  Analysed(const Analysed &) = delete;

  unsigned line(const std::string &mark) const { return lineOf(text, mark); }

  /// All nodes of the statement on the marked line, in order.
  std::vector<NodeId> nodes(const std::string &mark) const {
    std::vector<NodeId> found;
    for (NodeId id = 0; id < program->nodes.size(); ++id)
      if (program->nodes[id].statement->line == line(mark))
        found.push_back(id);
    return found;
  }
  /// The only one.
  NodeId node(const std::string &mark) const {
    std::vector<NodeId> found = nodes(mark);
    if (found.size() != 1)
      throw std::runtime_error("not exactly one node at " + mark);
    return found[0];
  }
  SiteId site(const std::string &mark) const {
    for (SiteId id = 0; id < module.sites.size(); ++id)
      if (module.sites[id].line == line(mark))
        return id;
    throw std::runtime_error("no sync at " + mark);
  }
  std::uint32_t bit(const std::string &mark) const { return program->nodes[node(mark)].firstBit; }
  const HazardModel &hazards() const { return pending->hazards(); }

  /// The open conflicts as "later mark line <- earlier line kind", sorted: for comparisons.
  std::vector<std::string> openPairs() const {
    std::vector<std::string> pairs;
    for (const OpenObligation &open : pending->open(ObligationKind::Conflict)) {
      Conflict conflict = hazards().describe(open.pair);
      pairs.push_back(std::to_string(conflict.earlier.line) + " -> " + std::to_string(conflict.later.line) + " " +
                      hazardKindName(conflict.kind) + (conflict.loopCarried ? " carried" : ""));
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }

  std::string text;
  Module module;
  std::unique_ptr<Program> program;
  std::unique_ptr<Pending> pending;
};

} // namespace ptosync::test
