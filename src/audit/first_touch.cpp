#include "audit/first_touch.h"

#include "ordering/follow_instance.h"

#include <set>

namespace ptosync {
namespace {

constexpr std::size_t kMostStepsSearched = 512;

class FirstTouch {
public:
  FirstTouch(const Program &program, const HazardModel &model, NodeId id, std::uint32_t access)
      : program(program), model(model), id(id), node(program.nodes[id]), left(node.accesses[access]) {}

  std::vector<Touch> run() {
    auto search = [&](StepId step, std::uint32_t first, const FollowedInstance &way) {
      return passes(step, first, program.distanceOf(way.bit)) ? Onward::Follow : Onward::Stop;
    };
    if (std::optional<EventKey> place = firstPlaceOf(program, id))
      followInstance(program, *place, FollowedInstance{node.firstBit}, kMostStepsSearched, search);
    return std::move(readers);
  }

private:
  /// False if something in the step touches the bytes.
  bool passes(StepId step, std::uint32_t first, IterationDistance distance) {
    for (std::uint32_t i = first; i < program.steps[step].size(); ++i) {
      const Event &event = program.steps[step][i];
      if (event.kind != Event::Kind::Access)
        continue;
      const Node &other = program.nodes[event.node];
      if (other.statement == node.statement && distance.sameIteration())
        continue; // the call's other pipes
      if (other.unknown)
        return false;
      bool reads = false, writes = false;
      for (std::uint32_t k = 0; k < other.accesses.size(); ++k) {
        const Access &access = other.accesses[k];
        if (access.space != left.space ||
            !model.comparison().mustOverlap(left, node.loop, access, other.loop, distance))
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
  NodeId id;
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
