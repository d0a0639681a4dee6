#include "explain/explain_tile.h"

#include "explain/access_text.h"
#include "optimize/wording.h"

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

class TileExplainer {
public:
  TileExplainer(const AnalysedFile &file, std::size_t number, TileId id)
      : kernel(file.kernels()[number]), program(kernel.program()), model(kernel.hazards()), id(id),
        tile(kernel.kernel().tiles[id]) {}

  TileExplanation run() {
    explained.name = tile.name;
    explained.kernel = kernel.kernel().name;
    explained.section = kernel.kernel().section;
    explained.line = tile.line;
    explained.declared = declaredText(tile);
    findOwn();
    findUses();
    explained.answer = answer();
    return std::move(explained);
  }

private:
  struct Place {
    const Node *node;
    Access access; // of the whole tile
  };

  bool names(const Node &node, const Access &access) const {
    const auto *instruction = std::get_if<Instruction>(&node.statement->action);
    return instruction &&
           std::any_of(instruction->operands.begin(), instruction->operands.end(), [&](const Operand &operand) {
             return operand.kind == Operand::Kind::Tile && operand.index == id && operand.spelling == access.name;
           });
  }

  void findOwn() {
    std::set<std::string> seen;
    for (const Node &node : program.nodes)
      for (const Access &access : node.accesses) {
        if (!access.tile || access.hidden || !names(node, access))
          continue;
        Access whole = access;
        whole.bytes = tileFootprint(*access.tile, Extent::Whole);
        AccessText text = accessText(program, model, node, whole);
        if (seen.insert(text.storage).second) {
          explained.storage.push_back(text.storage);
          if (text.storage.find("unknown") != std::string::npos && !text.detail.empty())
            explained.storage.back() += " (" + text.detail + ")";
        }
        own.push_back({&node, std::move(whole)});
      }
  }

  bool shares(const Node &node, const Access &access) const {
    return std::any_of(own.begin(), own.end(), [&](const Place &place) {
      LoopId loop = program.graph->commonLoop(place.node->loop, node.loop);
      IterationDistance other{loop, 1, true};
      const AccessComparer &comparer = model.comparison();
      return comparer.mayOverlap(place.access, place.node->loop, access, node.loop, {}) ||
             (loop != kNone && comparer.mayOverlap(place.access, place.node->loop, access, node.loop, other));
    });
  }

  void findUses() {
    std::map<const Statement *, std::vector<std::size_t>> known; // places in the list
    std::set<std::string> others;
    for (NodeId node = 0; node < program.nodes.size() && !own.empty(); ++node)
      for (const Access &access : program.nodes[node].accesses) {
        bool mine = access.tile && !access.hidden && names(program.nodes[node], access);
        if (program.nodes[node].unknown || (!mine && !shares(program.nodes[node], access)))
          continue;
        AccessText text = accessText(program, model, program.nodes[node], access);
        if (!mine)
          others.insert(text.name + " " + text.storage);
        addUse(known[program.nodes[node].statement], {model.place(node), std::move(text), !mine});
      }
    explained.others.assign(others.begin(), others.end());
    bool oneCall = std::all_of(explained.uses.begin(), explained.uses.end(), [&](const TileExplanation::Use &use) {
      return use.place.calledFrom == explained.uses.front().place.calledFrom;
    });
    if (oneCall && !explained.uses.empty())
      explained.calledFrom = explained.uses.front().place.calledFrom;
  }

  /// The same operand of one statement is one use, whether on several pipes or read and written.
  void addUse(std::vector<std::size_t> &known, TileExplanation::Use use) {
    for (std::size_t at : known) {
      std::vector<AccessText> list = {explained.uses[at].access};
      addAccess(use.access, list);
      if (list.size() == 1) {
        explained.uses[at].access = std::move(list.front());
        return;
      }
    }
    known.push_back(explained.uses.size());
    explained.uses.push_back(std::move(use));
  }

  std::string answer() const {
    std::string text = "Tile " + printable(tile.name) + " (" + explained.declared + ")";
    if (own.empty())
      return text + " is not used by anything that a path reaches";
    text += " lies at ";
    for (std::size_t i = 0; i < explained.storage.size(); ++i)
      text += (i ? " or " : "") + placesText(explained.storage[i]);
    std::size_t under = static_cast<std::size_t>(std::count_if(
        explained.uses.begin(), explained.uses.end(), [](const TileExplanation::Use &use) { return use.other; }));
    return text + "; " + countOf(explained.uses.size() - under, "use") + " by its name, " +
           (under ? std::to_string(under) : "none") + " of the same bytes under " +
           (under > 1 ? "other names" : "another");
  }

  const Analysis &kernel;
  const Program &program;
  const HazardModel &model;
  TileId id;
  const Tile &tile;
  std::vector<Place> own;
  TileExplanation explained;
};

} // namespace

TileExplanation explainTile(const AnalysedFile &file, std::size_t kernel, TileId tile) {
  return TileExplainer(file, kernel, tile).run();
}

} // namespace ptosync
