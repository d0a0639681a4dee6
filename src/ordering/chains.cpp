#include "ordering/chains.h"

#include "ordering/chain_links.h"

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

class ChainPrinter {
public:
  explicit ChainPrinter(const Program &program) : program(program), pending(program), model(pending.hazards()) {
    for (ChainLink &link : findChainLinks(program, pending)) {
      consumers[link.earlier].push_back(link);
      producers[link.later].push_back(std::move(link));
    }
    for (auto &[node, links] : producers)
      std::stable_sort(links.begin(), links.end(), nearerFirst);
  }

  std::string print() {
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
  static bool nearerFirst(const ChainLink &a, const ChainLink &b) { return a.earlier > b.earlier; }

  std::string orderedBy(const ChainLink &link) const {
    std::string text;
    if (!link.syncs.empty()) {
      const Event &event = program.steps[link.syncs.back().first][link.syncs.back().second];
      text = (event.site == kNone ? "library barrier at line " : "line ") + std::to_string(event.statement->line);
    }
    if (link.excuse == Excuse::Justified)
      text += (text.empty() ? "rule " : ", rule ") + link.rule;
    if (!text.empty())
      return text;
    if (!link.open)
      return "an earlier sync";
    return link.excuse == Excuse::Silenced ? "nothing seen (silenced by " + link.rule + ")" : "nothing seen";
  }

  static std::string placeText(const InstructionPlace &place) {
    std::string text = "line " + std::to_string(place.line) + " " + place.text;
    for (std::uint32_t line : place.calledFrom)
      text += " (called from line " + std::to_string(line) + ")";
    return text;
  }

  std::string printNode(NodeId id) {
    std::string text = "  " + placeText(model.place(id)) + "\n";
    auto line = [&](const char *word, const ChainLink &link, bool later) {
      Conflict conflict = model.describe(link.pairs.front());
      const InstructionPlace &other = later ? conflict.later : conflict.earlier;
      return std::string("    ") + word + " " + hazardKindName(conflict.kind) + " " + conflict.storage + ": " +
             std::string(pipeName(other.pipe)) + " " + placeText(other) +
             (conflict.loopCarried ? ", an earlier iteration" : "") + "; ordered by " + orderedBy(link) + "\n";
    };
    for (const ChainLink &link : producers[id])
      text += line("after ", link, false);
    for (const ChainLink &link : consumers[id])
      text += line("before", link, true);
    return text;
  }

  const Program &program;
  Pending pending;
  const HazardModel &model;
  std::map<NodeId, std::vector<ChainLink>> producers, consumers;
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
