#include "ordering/chains.h"

#include "ordering/pending.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
namespace {

constexpr std::size_t kMostBlocksSearched = 64;

struct Link {
  ConflictPair pair;
  std::string orderedBy;
};

class ChainPrinter {
public:
  explicit ChainPrinter(const Program &program) : program(program), pending(program), model(pending.hazards()) {
    for (const OpenConflict &open : pending.open())
      openPairs.insert({open.pair.bit, open.pair.later});
  }

  std::string print() {
    for (NodeId node = 0; node < program.nodes.size(); ++node)
      findConsumers(node);
    std::string text;
    for (Pipe pipe : kPipes) {
      std::string section;
      for (NodeId node = 0; node < program.nodes.size(); ++node)
        if (program.nodes[node].pipe == pipe)
          section += printNode(node);
      if (!section.empty())
        text += std::string(pipeName(pipe)) + "\n" + section;
    }
    return text;
  }

private:
  /// Forward from an instruction: the first conflicting instruction of each pipe on each path.
  void findConsumers(NodeId id) {
    const Node &node = program.nodes[id];
    for (Pipe pipe : kPipes) {
      struct Step {
        StepId block;
        std::uint32_t event, bit;
        std::string completed;
      };
      std::vector<Step> queue = {{node.block, node.event + 1, node.firstBit, ""}};
      std::set<StepId> visited;
      for (std::size_t at = 0; at < queue.size() && visited.size() < kMostBlocksSearched; ++at) {
        Step step = queue[at];
        bool found = false;
        for (std::uint32_t i = step.event; i < program.blocks[step.block].size() && !found; ++i) {
          const Event &event = program.blocks[step.block][i];
          if (event.kind != Event::Kind::Access) {
            noteCompletion(step.completed, step.bit, pipe, step.block, i);
            continue;
          }
          if (program.nodes[event.node].pipe != pipe)
            continue;
          std::optional<ConflictPair> pair = model.conflict(step.bit, event.node);
          if (!pair)
            continue;
          found = true;
          addLink(*pair, step.completed);
        }
        if (found)
          continue;
        for (const Edge &edge : program.edges[step.block])
          if (visited.insert(edge.to).second)
            queue.push_back({edge.to, 0, pending.agedBit(step.bit, edge.around), step.completed});
      }
    }
  }

  /// The first sync behind which `pipe` no longer finds the instance running.
  void noteCompletion(std::string &completed, std::uint32_t bit, Pipe pipe, StepId block, std::uint32_t at) {
    const Event &event = program.blocks[block][at];
    bool mine = (event.kind == Event::Kind::Barrier && (event.source == pipe || event.source == Pipe::All)) ||
                (event.kind == Event::Kind::Wait && event.destination == pipe);
    if (!completed.empty() || !mine)
      return;
    const BitSet *row = pending.rowBefore(block, at, index(pipe));
    if (row && row->contains(bit) && !pending.rowAfter(block, at, pipe).contains(bit))
      completed = (event.site == kNone ? "library barrier at line " : "line ") + std::to_string(event.statement->line);
  }

  void addLink(const ConflictPair &pair, const std::string &completed) {
    Link link{pair, completed};
    std::string rule;
    Excuse excuse = model.excuse(pair.bit, pair.later, &rule);
    if (excuse == Excuse::Justified)
      link.orderedBy += (completed.empty() ? "rule " : ", rule ") + rule;
    if (link.orderedBy.empty())
      link.orderedBy = openPairs.count({pair.bit, pair.later})
                           ? (excuse == Excuse::Silenced ? "nothing seen (silenced by " + rule + ")" : "nothing seen")
                           : "an earlier sync";
    producers[pair.later].push_back(link);
    consumers[program.nodeOfBit[pair.bit]].push_back(link);
  }

  static std::string placeText(const InstructionPlace &place) {
    std::string text = "line " + std::to_string(place.line) + " " + place.text;
    for (std::uint32_t line : place.calledFrom)
      text += " (called from line " + std::to_string(line) + ")";
    return text;
  }

  std::string printNode(NodeId id) {
    std::string text = "  " + placeText(model.place(id)) + "\n";
    auto line = [&](const char *word, const Link &link, bool later) {
      Conflict conflict = model.describe(link.pair);
      const InstructionPlace &other = later ? conflict.later : conflict.earlier;
      return std::string("    ") + word + " " + hazardKindName(conflict.kind) + " " + conflict.storage + ": " +
             std::string(pipeName(other.pipe)) + " " + placeText(other) +
             (conflict.loopCarried ? ", an earlier iteration" : "") + "; ordered by " + link.orderedBy + "\n";
    };
    for (const Link &link : producers[id])
      text += line("after ", link, false);
    for (const Link &link : consumers[id])
      text += line("before", link, true);
    return text;
  }

  const Program &program;
  Pending pending;
  const HazardModel &model;
  std::set<std::pair<std::uint32_t, NodeId>> openPairs;
  std::map<NodeId, std::vector<Link>> producers, consumers;
};

} // namespace

std::string printChains(const Kernel &kernel, const Machine &machine, const OrderingOptions &options) {
  std::string head = "kernel " + kernel.name + " (" + std::string(sectionName(kernel.section)) + ")\n";
  if (!kernel.analysable)
    return head + "  not analysed: " + kernel.reason + "\n";
  llvm::Expected<Program> program = buildProgram(kernel, machine, options);
  if (!program)
    return head + "  not analysed: " + llvm::toString(program.takeError()) + "\n";
  return head + ChainPrinter(*program).print();
}

} // namespace ptosync
