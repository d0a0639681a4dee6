#include "audit/first_touch.h"

#include <set>

namespace ptosync {
namespace {

constexpr std::size_t kMostStepsSearched = 512;

/// The same instance after the back edge of `around`.
IterationDistance aged(const Program &program, LoopId own, IterationDistance distance, LoopId around) {
  if (around == kNone || !program.graph->encloses(around, own))
    return distance;
  if (distance.loop != kNone && distance.loop != around && program.graph->encloses(distance.loop, around))
    return distance;
  std::uint32_t count = distance.loop == around ? distance.count + 1 : 1;
  bool last = count >= program.distances;
  return {around, last ? program.distances : count, last};
}

class FirstTouch {
public:
  FirstTouch(const Program &program, const HazardModel &model, NodeId id, std::uint32_t access)
      : program(program), model(model), node(program.nodes[id]), left(node.accesses[access]) {}

  std::vector<Touch> run() {
    std::vector<Step> queue;
    for (StepId step : program.order)
      for (std::uint32_t i = 0; queue.empty() && i < program.steps[step].size(); ++i) {
        const Event &event = program.steps[step][i];
        if (event.kind == Event::Kind::Access && event.statement == node.statement)
          queue.push_back({step, i + 1, {}});
      }
    std::set<StepId> visited;
    for (std::size_t at = 0; at < queue.size() && visited.size() < kMostStepsSearched; ++at) {
      Step step = queue[at];
      if (!passes(step))
        continue;
      for (const Edge &edge : program.edges[step.step])
        if (visited.insert(edge.to).second)
          queue.push_back({edge.to, 0, aged(program, node.loop, step.distance, edge.around)});
    }
    return std::move(readers);
  }

private:
  struct Step {
    StepId step;
    std::uint32_t event;
    IterationDistance distance;
  };

  /// False if something in the step touches the bytes.
  bool passes(const Step &step) {
    for (std::uint32_t i = step.event; i < program.steps[step.step].size(); ++i) {
      const Event &event = program.steps[step.step][i];
      if (event.kind != Event::Kind::Access)
        continue;
      const Node &other = program.nodes[event.node];
      if (other.statement == node.statement && step.distance.sameIteration())
        continue; // the call's other pipes
      if (other.unknown)
        return false;
      bool reads = false, writes = false;
      for (std::uint32_t k = 0; k < other.accesses.size(); ++k) {
        const Access &access = other.accesses[k];
        if (access.space != left.space ||
            !model.comparison().mustOverlap(left, node.loop, access, other.loop, step.distance))
          continue;
        bool scratch = access.scratch || access.hidden;
        if (access.reads && !scratch) {
          reads = true;
          if (known.insert({event.node, k}).second)
            readers.push_back({event.node, k});
        }
        writes = writes || access.writes || scratch;
      }
      if (reads || writes)
        return false;
    }
    return true;
  }

  const Program &program;
  const HazardModel &model;
  const Node &node;
  const Access &left;
  std::set<std::pair<NodeId, std::uint32_t>> known;
  std::vector<Touch> readers;
};

} // namespace

std::vector<Touch> firstReaders(const Program &program, const HazardModel &model, NodeId id, std::uint32_t access) {
  return FirstTouch(program, model, id, access).run();
}

} // namespace ptosync
