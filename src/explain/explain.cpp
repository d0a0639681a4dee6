#include "explain/explain.h"

#include "explain/explain_instruction.h"
#include "explain/explain_sync.h"
#include "explain/explain_tile.h"
#include "kernel/kernel.h"
#include "optimize/wording.h"

#include <algorithm>

namespace ptosync {
namespace {

class Explainer {
public:
  Explainer(const AnalysedFile &file, const ExplainSubject &subject) : file(file), subject(subject) {}

  Explanation run() {
    if (subject.line)
      explainSyncs();
    for (std::size_t k = 0; k < file.kernels().size(); ++k) {
      if (subject.line)
        explainInstructions(k);
      explainTiles(k);
    }
    mergeEqual(explanation.instructions);
    mergeTiles();
    if (subject.line) {
      explainSkipped();
      if (explanation.empty())
        findNearby();
    }
    return std::move(explanation);
  }

private:
  void explainSyncs() {
    std::set<SiteId> done;
    for (SiteId site = 0; site < file.module.sites.size(); ++site) {
      if (file.module.sites[site].line != subject.line || done.count(site))
        continue;
      explanation.syncs.push_back(explainSync(file, site));
      for (const SyncExplanation::Statement &statement : explanation.syncs.back().statements)
        done.insert(statement.site);
    }
  }

  void explainInstructions(std::size_t k) {
    const Analysis &kernel = file.kernels()[k];
    for (BlockId block : kernel.program().graph->order())
      for (const Statement &statement : kernel.kernel().blocks[block].statements)
        if (statement.line == subject.line && std::holds_alternative<Instruction>(statement.action))
          explanation.instructions.push_back(explainInstruction(file, k, statement));
  }

  bool isMeant(const Kernel &kernel, const Tile &tile) const {
    if (!subject.line)
      return tile.name == subject.tile;
    return tile.line == subject.line && tile.address != kNone && isDeclaration(kernel, tile);
  }

  /// A tile that an expression makes on its way (a choice between two) has a line too, but no name.
  static bool isDeclaration(const Kernel &kernel, const Tile &tile) {
    return !tile.name.empty() &&
           std::all_of(tile.name.begin(), tile.name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  }

  void explainTiles(std::size_t k) {
    const Kernel &kernel = file.kernels()[k].kernel();
    for (TileId tile = 0; tile < kernel.tiles.size(); ++tile)
      if (isMeant(kernel, kernel.tiles[tile]))
        explanation.tiles.push_back(explainTile(file, k, tile));
  }

  /// A helper that is expanded several times declares its tiles as often; so does a line that both sections run.
  void mergeTiles() {
    std::set<std::string> known;
    std::erase_if(explanation.tiles, [&](const TileExplanation &tile) {
      std::string text = tile.answer + "\n" + std::to_string(tile.line) + tile.kernel;
      for (const TileExplanation::Use &use : tile.uses)
        text += "\n" + std::to_string(use.place.line) + use.access.name + use.access.storage;
      return !known.insert(text).second;
    });
    // Of several tiles of one name those that nothing uses say little.
    bool used = std::any_of(explanation.tiles.begin(), explanation.tiles.end(),
                            [](const TileExplanation &tile) { return !tile.uses.empty(); });
    if (used)
      std::erase_if(explanation.tiles, [](const TileExplanation &tile) { return tile.uses.empty(); });
  }

  void explainSkipped() {
    for (const auto &[kernel, reason] : file.skipped()) {
      bool here = kernel->line == subject.line;
      for (const Block &block : kernel->blocks)
        for (const Statement &statement : block.statements)
          here = here || statement.line == subject.line;
      if (here || covers(*kernel))
        explanation.skipped.push_back({kernel->name, kernel->section, kernel->line, reason});
    }
  }

  /// A kernel that was not lifted has no statements: it covers the lines from its own to the next one's.
  bool covers(const Kernel &kernel) const {
    if (!kernel.blocks.empty() || kernel.line > subject.line)
      return false;
    return std::none_of(file.module.kernels.begin(), file.module.kernels.end(),
                        [&](const Kernel &other) { return other.line > kernel.line && other.line <= subject.line; });
  }

  void findNearby() {
    std::map<std::uint32_t, std::string> lines;
    for (const SyncSite &site : file.module.sites)
      lines.emplace(site.line, printable(site.text));
    for (const Analysis &kernel : file.kernels()) {
      for (const Block &block : kernel.kernel().blocks)
        for (const Statement &statement : block.statements)
          if (const auto *instruction = std::get_if<Instruction>(&statement.action))
            lines.emplace(statement.line, printable(printInstruction(*instruction)));
      for (const Tile &tile : kernel.kernel().tiles)
        if (isDeclaration(kernel.kernel(), tile))
          lines.emplace(tile.line, "tile " + tile.name);
    }
    findCall();
    auto below = lines.upper_bound(subject.line);
    if (below != lines.begin())
      explanation.nearby.push_back({std::prev(below)->first, std::prev(below)->second});
    if (below != lines.end())
      explanation.nearby.push_back({below->first, below->second});
  }

  /// The line may call a helper, whose statements have lines of their own.
  void findCall() {
    for (const Analysis &kernel : file.kernels())
      for (std::uint32_t context = 1; context < kernel.kernel().contexts.size(); ++context) {
        if (kernel.kernel().contexts[context].callLine != subject.line)
          continue;
        std::set<std::uint32_t> lines;
        for (const Block &block : kernel.kernel().blocks)
          for (const Statement &statement : block.statements)
            if (statement.context == context)
              lines.insert(statement.line);
        if (lines.empty())
          continue;
        explanation.calls = "it calls " + kernel.kernel().contexts[context].callee +
                            ", whose statements are on lines " + std::to_string(*lines.begin()) + " to " +
                            std::to_string(*lines.rbegin());
        return;
      }
  }

  const AnalysedFile &file;
  const ExplainSubject &subject;
  Explanation explanation;
};

} // namespace

const char *removalConditionName(RemovalCondition::Kind kind) {
  switch (kind) {
  case RemovalCondition::Kind::Option: return "option";
  case RemovalCondition::Kind::Replace: return "replace";
  case RemovalCondition::Kind::Join: return "join";
  case RemovalCondition::Kind::Storage: return "storage";
  case RemovalCondition::Kind::Sync: return "sync";
  case RemovalCondition::Kind::None: return "none";
  }
  return "?";
}

const char *pairOrderName(PairOrder::By by) {
  switch (by) {
  case PairOrder::By::Barrier: return "barrier";
  case PairOrder::By::Flags: return "flags";
  case PairOrder::By::Library: return "library";
  case PairOrder::By::Rule: return "rule";
  case PairOrder::By::Elsewhere: return "elsewhere";
  case PairOrder::By::Contested: return "contested";
  case PairOrder::By::Nothing: return "nothing";
  }
  return "?";
}

Explanation explain(const Module &module, const Machine &machine, const Catalogue &patterns,
                    const Catalogue &allPatterns, const OptimizeOptions &options, const ExplainSubject &subject) {
  AnalysedFile file(module, machine, patterns, allPatterns, options);
  return Explainer(file, subject).run();
}

} // namespace ptosync
