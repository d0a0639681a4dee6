#include "explain/explain_instruction.h"

#include "explain/access_text.h"
#include "explain/pair_order.h"
#include "report/wording.h"

#include <algorithm>
#include <tuple>

namespace ptosync {
namespace {

class InstructionExplainer {
public:
  InstructionExplainer(const AnalysedFile &file, std::size_t number, const Statement &statement)
      : file(file), number(number), kernel(file.kernels[number]), program(*kernel.program),
        model(kernel.pending->hazards()), statement(statement), instruction(std::get<Instruction>(statement.action)) {
    for (NodeId id = 0; id < program.nodes.size(); ++id)
      if (program.nodes[id].statement == &statement && program.nodes[id].libraryFlag == kNone)
        nodes.push_back(id);
  }

  InstructionExplanation run() {
    explained.kernel = kernel.kernel->name;
    explained.section = kernel.kernel->section;
    describePlace();
    describeAccesses();
    describeLibrary();
    describeMachine();
    collectLinks();
    explained.answer = answer();
    return std::move(explained);
  }

private:
  void describePlace() {
    if (!nodes.empty()) {
      explained.place = model.place(nodes.front());
    } else {
      explained.place.text = printable(instruction.name);
      explained.place.line = statement.line;
    }
    for (NodeId id : nodes)
      if (std::find(explained.pipes.begin(), explained.pipes.end(), program.nodes[id].pipe) == explained.pipes.end())
        explained.pipes.push_back(program.nodes[id].pipe);
  }

  void describeAccesses() {
    for (NodeId id : nodes)
      if (!program.nodes[id].unknown)
        for (const Access &access : program.nodes[id].accesses)
          addAccess(accessText(program, model, program.nodes[id], access), explained.accesses);
  }

  void describeLibrary() {
    Effects inside = effectsOf(*kernel.kernel, instruction, file.machine, Trust::Library);
    Effects outside = effectsOf(*kernel.kernel, instruction, file.machine, Trust::Tile);
    if (!inside.known || inside.phases.size() == outside.phases.size())
      return;
    explained.libraryCounts = file.options.ordering.trust == Trust::Library;
    for (const EffectPhase &phase : inside.phases) {
      PhaseText text{phase.pipe, phase.barrier, {}, {}};
      for (const EffectAccess &access : phase.accesses) {
        std::string name = access.operand ? instruction.operands[*access.operand].spelling : "hidden scratch";
        if (access.reads)
          text.reads.push_back(name);
        if (access.writes)
          text.writes.push_back(name);
      }
      explained.library.push_back(std::move(text));
    }
  }

  void describeMachine() {
    auto remark = [&](std::string text) { explained.remarks.push_back(std::move(text)); };
    Effects effects = effectsOf(*kernel.kernel, instruction, file.machine, file.options.ordering.trust);
    if (!effects.known)
      remark("the machine model does not know this call: it is taken to touch all memory on all pipes, and no order "
             "relative to it is ever changed");
    else if (effects.fence == FenceKind::All)
      remark("it is an opaque fence on every pipe: no order relative to it is ever changed");
    else if (effects.fence == FenceKind::Pipes)
      remark("it is an opaque fence on its pipes and the scalar unit: no order relative to it is ever changed");
    else if (effects.fence == FenceKind::Acquire)
      remark("it is an opaque fence for what follows it on its pipes, which stays behind it");
    else if (effects.fence == FenceKind::Release)
      remark("it is an opaque fence for what precedes it on its pipes, which stays in front of it");
    for (const HiddenFlag &flag : effects.flags)
      remark("the library sets and awaits flag " + std::string(pipeName(flag.source)) + " -> " +
             std::string(pipeName(flag.destination)) + ", id " + std::to_string(flag.id) + " inside");
    if (effects.assigns == Assigns::Address)
      remark("the call gives the tile its address: the next slot of the FIFO's local ring");
    if (explained.pipes.size() > 1 && effects.known && effects.form && effects.form->pipes.size() > 1)
      remark("sources name several pipes for it, or it runs on several: all of them count");
  }

  void collectLinks() {
    std::vector<const ChainLink *> producers, consumers;
    for (const ChainLink &link : file.links(number)) {
      if (program.nodes[link.later].statement == &statement)
        producers.push_back(&link);
      if (program.nodes[link.earlier].statement == &statement)
        consumers.push_back(&link);
    }
    std::stable_sort(producers.begin(), producers.end(),
                     [](const ChainLink *a, const ChainLink *b) { return a->earlier > b->earlier; });
    addLinks(producers, explained.producers);
    addLinks(consumers, explained.consumers);
  }

  void addLinks(const std::vector<const ChainLink *> &links, std::vector<OrderedConflict> &list) {
    std::set<std::string> seen; // the same on several pipes or phases
    std::set<Instances> ordered;
    for (const ChainLink *link : links)
      if (!link->open)
        ordered.insert(instancesOf(*link));
    for (const ChainLink *link : links) {
      OrderedConflict entry;
      entry.conflict = model.describe(link->pairs.front());
      entry.order = pairOrder(file, number, *link);
      if (entry.order.by == PairOrder::By::Nothing && ordered.count(instancesOf(*link))) {
        entry.order.disputed = true;
        entry.order.text += " on this pipe, which only some sources name";
      }
      for (const ConflictPair &pair : link->pairs)
        addKind(model.describe(pair), entry.meets);
      if (seen.insert(describeConflict(entry.conflict) + entry.order.text).second)
        list.push_back(std::move(entry));
    }
  }

  /// Two statements and whether an iteration lies between them: an instruction of several pipes has several links.
  using Instances = std::tuple<const Statement *, const Statement *, bool>;
  Instances instancesOf(const ChainLink &link) const {
    return {program.nodes[link.earlier].statement, program.nodes[link.later].statement,
            program.distanceOf(link.pairs.front().bit).sameIteration()};
  }

  /// Kinds of one place stand together: "RAW/WAW on UB [0, 128)".
  static void addKind(const Conflict &conflict, std::vector<MeetingText> &meets) {
    std::string kind = hazardKindName(conflict.kind);
    for (MeetingText &known : meets)
      if (known.storage == conflict.storage) {
        if (std::find(known.kinds.begin(), known.kinds.end(), kind) == known.kinds.end())
          known.kinds.push_back(kind);
        return;
      }
    meets.push_back({{kind}, conflict.storage});
  }

  std::string answer() const {
    std::string text = printable(explained.place.text);
    if (nodes.empty())
      return text + " occupies no pipe and touches no memory: no sync concerns it";
    text += " runs on ";
    for (std::size_t i = 0; i < explained.pipes.size(); ++i)
      text += (i ? i + 1 == explained.pipes.size() ? " and " : ", " : "") + std::string(pipeName(explained.pipes[i]));
    std::size_t ordered = 0, unordered = 0, disputed = 0;
    for (const auto *list : {&explained.producers, &explained.consumers})
      for (const OrderedConflict &entry : *list) {
        bool open = entry.order.by == PairOrder::By::Nothing || entry.order.by == PairOrder::By::Contested;
        ++(!open ? ordered : entry.order.disputed ? disputed : unordered);
      }
    std::size_t before = explained.producers.size(), after = explained.consumers.size();
    text += "; it waits for " + countOf(before, "earlier instruction") + ", and " + countOf(after, "later one") +
            (after == 1 ? " waits" : " wait") + " for it";
    if (before + after == 0)
      return text;
    text += unordered ? ": " + std::to_string(unordered) + " of these NOT ORDERED" : ": all ordered";
    return text + (disputed ? ", but for " + std::to_string(disputed) + " on a pipe that only some sources name" : "");
  }

  const AnalysedFile &file;
  std::size_t number;
  const ExplainedKernel &kernel;
  const Program &program;
  const HazardModel &model;
  const Statement &statement;
  const Instruction &instruction;
  std::vector<NodeId> nodes;
  InstructionExplanation explained;
};

/// Everything but from where it was called.
std::string substance(const InstructionExplanation &explained) {
  std::string text = explained.answer;
  for (const AccessText &access : explained.accesses)
    text += "\n" + access.name + access.does + access.storage + access.detail;
  for (const std::string &remark : explained.remarks)
    text += "\n" + remark;
  for (const auto *list : {&explained.producers, &explained.consumers})
    for (OrderedConflict entry : *list) {
      entry.conflict.earlier.calledFrom.clear();
      entry.conflict.later.calledFrom.clear();
      text += "\n" + describeConflict(entry.conflict) + entry.order.text;
    }
  return text;
}

std::string placeOf(const InstructionExplanation &explained) {
  std::string text = "kernel " + explained.kernel;
  if (explained.section != Section::Both)
    text += " (" + std::string(sectionName(explained.section)) + ")";
  for (std::uint32_t line : explained.place.calledFrom)
    text += ", called from line " + std::to_string(line);
  return text;
}

} // namespace

InstructionExplanation explainInstruction(const AnalysedFile &file, std::size_t kernel, const Statement &statement) {
  return InstructionExplainer(file, kernel, statement).run();
}

void mergeEqual(std::vector<InstructionExplanation> &explanations) {
  std::vector<InstructionExplanation> merged;
  std::map<std::string, std::size_t> known;
  for (InstructionExplanation &explained : explanations) {
    auto [entry, inserted] = known.try_emplace(substance(explained), merged.size());
    if (inserted)
      merged.push_back(std::move(explained));
    else
      merged[entry->second].alsoAt.push_back(placeOf(explained));
  }
  explanations = std::move(merged);
}

} // namespace ptosync
