#include "optimize/evidence.h"

#include "ordering/follow_instance.h"

#include <array>
#include <optional>
#include <set>

namespace ptosync {
namespace {

constexpr std::size_t kMostBlocksSearched = 256;
constexpr std::size_t kMostSearches = 1000; // of one sync

class EvidenceCollector {
public:
  EvidenceCollector(const Program &program, const Pending &pending)
      : program(program), pending(pending), model(pending.hazards()) {}

  std::vector<Evidence> collect(const Pending::Faced &faced) {
    pending.follow(faced, {[&](const ConflictPair &pair) { addRuled(pair); },
                           [&](Pipe pipe, const Completion &completion) { addCompleted(pipe, completion); }});
    if (result.empty()) {
      Evidence nothing;
      nothing.text = "no later instruction touches what may still be running here";
      result.push_back(std::move(nothing));
    }
    return std::move(result);
  }

private:
  bool seen(const ConflictPair &pair) {
    const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]];
    return !known.insert({earlier.statement, program.nodes[pair.later].statement}).second;
  }

  void addRuled(const ConflictPair &pair) {
    std::string rule;
    if (model.excuse(pair.bit, pair.later, &rule) != Excuse::Justified || seen(pair))
      return;
    add(Evidence::By::Rule, pair, rule, {}, true);
    if (model.libraryOrders(pair))
      add(Evidence::By::Library, pair, {}, {program.nodes[pair.later].statement->line}, false);
  }

  void addCompleted(Pipe pipe, const Completion &completion) {
    std::optional<ConflictPair> pair = firstConflictAfter(pipe, completion);
    if (!pair || seen(*pair))
      return;
    const Event &event = program.steps[completion.step][completion.event];
    bool library = event.site == kNone;
    add(library ? Evidence::By::Library : Evidence::By::Sync, *pair, {}, {event.statement->line}, true);
    std::string rule;
    if (model.excuse(pair->bit, pair->later, &rule) == Excuse::Justified)
      add(Evidence::By::Rule, *pair, rule, {}, false);
    else if (!library && model.libraryOrders(*pair))
      add(Evidence::By::Library, *pair, {}, {program.nodes[pair->later].statement->line}, false);
  }

  /// The instances that may conflict with some instruction on the pipe, wherever it stands.
  const BitSet &metOn(Pipe pipe) {
    std::optional<BitSet> &met = metByPipe[index(pipe)];
    if (met)
      return *met;
    met.emplace(program.bits);
    for (NodeId node = 0; node < program.nodes.size(); ++node)
      if (program.nodes[node].pipe == pipe && !program.nodes[node].accesses.empty())
        met->unite(model.candidates(node));
    return *met;
  }

  /// Breadth-first from the completing event: the nearest instruction on the pipe that conflicts.
  std::optional<ConflictPair> firstConflictAfter(Pipe pipe, const Completion &completion) {
    std::optional<ConflictPair> found;
    // Of an instance that meets nothing there, the search would go through all that follows.
    if (searches == kMostSearches || !metOn(pipe).contains(program.nodes[program.nodeOfBit[completion.bit]].firstBit))
      return found;
    ++searches;
    auto run = [&](StepId step, std::uint32_t first, const FollowedInstance &way) {
      for (std::uint32_t i = first; i < program.steps[step].size() && !found; ++i)
        if (const Event &event = program.steps[step][i];
            event.kind == Event::Kind::Access && program.nodes[event.node].pipe == pipe)
          found = model.conflict(way.bit, event.node);
      return found ? Onward::End : Onward::Follow;
    };
    followInstance(program, {completion.step, completion.event}, FollowedInstance{completion.bit}, kMostBlocksSearched,
                   run);
    return found;
  }

  void add(Evidence::By by, const ConflictPair &pair, std::string rule, std::vector<std::uint32_t> lines, bool relied) {
    Evidence evidence;
    evidence.by = by;
    evidence.conflict = model.describe(pair);
    evidence.rule = std::move(rule);
    evidence.lines = std::move(lines);
    evidence.relied = relied;
    evidence.text = sentence(evidence);
    result.push_back(std::move(evidence));
  }

  /// What the kind, rule and lines do not say.
  std::string sentence(const Evidence &evidence) const {
    switch (evidence.by) {
    case Evidence::By::Rule: {
      const MachineRule *rule = program.machine->rule(evidence.rule);
      return rule ? rule->title : "";
    }
    case Evidence::By::Sync: return "completes the earlier one first";
    case Evidence::By::Library:
      return evidence.relied ? "completes the earlier one first" : "counts with --trust=library";
    case Evidence::By::Nothing:
    case Evidence::By::Web:
    case Evidence::By::Anew:
    case Evidence::By::Place: break;
    }
    return {};
  }

  const Program &program;
  const Pending &pending;
  const HazardModel &model;
  std::size_t searches = 0;
  std::array<std::optional<BitSet>, kPipeCount> metByPipe;
  std::set<std::pair<const Statement *, const Statement *>> known;
  std::vector<Evidence> result;
};

} // namespace

std::vector<Evidence> evidenceOf(const Analysis &kernel, const Pending::Faced &faced) {
  return EvidenceCollector(kernel.program(), kernel.pending()).collect(faced);
}

} // namespace ptosync
