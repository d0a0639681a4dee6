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
    for (const OpenConflict &open : pending->open()) {
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
