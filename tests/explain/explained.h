// A kernel text with its analysed file, and explanations of marked lines.
#pragma once

#include "explain/analysed_file.h"
#include "explain/explain.h"
#include "ordering/analysis.h"

#include <memory>

namespace ptosync::test {

inline const Catalogue &allPatterns() {
  static const Catalogue catalogue = llvm::cantFail(llvm::cantFail(Catalogue::builtIn()).select("all"));
  return catalogue;
}

/// Not copyable: its parts refer to one another.
class Explained {
public:
  explicit Explained(std::string source, OptimizeOptions given = {}, const std::string &patternSpec = "default",
                     const std::string &arch = "a3")
      : text(std::move(source)), arch(arch), module(lift(text, arch)), options(std::move(given)),
        patterns(llvm::cantFail(llvm::cantFail(Catalogue::builtIn()).select(patternSpec))) {
    file = std::make_unique<AnalysedFile>(module, machineOf(arch), patterns, allPatterns(), options);
  }
  Explained(const Explained &) = delete;

  unsigned line(const std::string &mark) const { return lineOf(text, mark); }
  Explanation at(const std::string &mark) const { return atLine(line(mark)); }
  Explanation atLine(std::uint32_t number) const {
    return explain(module, machineOf(arch), patterns, allPatterns(), options, {number, {}});
  }
  Explanation tile(const std::string &name) const {
    return explain(module, machineOf(arch), patterns, allPatterns(), options, {0, name});
  }
  /// The only one of a line; throws unless there is exactly one.
  SyncExplanation sync(const std::string &mark) const { return only(at(mark).syncs, mark); }
  InstructionExplanation instruction(const std::string &mark) const { return only(at(mark).instructions, mark); }
  SiteId site(const std::string &mark) const {
    for (SiteId id = 0; id < module.sites.size(); ++id)
      if (module.sites[id].line == line(mark))
        return id;
    throw std::runtime_error("no sync at " + mark);
  }
  NodeId node(const std::string &mark) const {
    const Program &program = file->kernels().at(0).program();
    for (NodeId id = 0; id < program.nodes.size(); ++id)
      if (program.nodes[id].statement->line == line(mark))
        return id;
    throw std::runtime_error("no instruction at " + mark);
  }

  std::string text, arch;
  Module module;
  OptimizeOptions options;
  Catalogue patterns;
  std::unique_ptr<AnalysedFile> file;

private:
  template <typename Entry> static Entry only(std::vector<Entry> list, const std::string &mark) {
    if (list.size() != 1)
      throw std::runtime_error(std::to_string(list.size()) + " explanations at " + mark);
    return std::move(list.front());
  }
};

/// "RAW 12 -> 14", with " carried" for a later iteration.
inline std::string shortForm(const Conflict &conflict) {
  return std::string(hazardKindName(conflict.kind)) + " " + std::to_string(conflict.earlier.line) + " -> " +
         std::to_string(conflict.later.line) + (conflict.loopCarried ? " carried" : "");
}

/// Tiles a, b, c, d of 4 rows of 64 floats (too short for the same-access chain) at 0, 1024, ...; tensors g (in) and
/// h (out); then the statements.
inline std::string fourTiles(const std::string &statements) {
  std::string tiles;
  const char *const names[] = {"a", "b", "c", "d"};
  for (unsigned i = 0; i < 4; ++i)
    tiles += rowsAt(names[i], 4, std::to_string(i * 1024));
  return vectorKernel(tiles + tensorAt("g", "in") + tensorAt("h", "out") + statements);
}

inline bool mentions(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

} // namespace ptosync::test
