#include "timing/plan.h"

#include "timing/dependences.h"

#include <algorithm>
#include <map>

namespace ptosync::timing {
namespace {

using replay::Event;
using replay::Trace;

/// How many executions each event stands for.
std::vector<double> weightsOf(const Trace &trace) {
  std::vector<double> weights(trace.events.size(), 1);
  for (const replay::Skip &skip : trace.skips) {
    // Back to the header visit with which the last period began.
    std::uint64_t visits = 0;
    std::uint32_t first = skip.iterations, parent = kNone;
    while (first > 0 && visits < skip.period) {
      const replay::Iteration &visit = trace.iterations[--first];
      if (visit.loop != skip.loop || (visits && visit.parent != parent))
        continue;
      parent = visit.parent;
      ++visits;
    }
    for (std::uint32_t event = skip.events; event-- > 0;) {
      std::uint32_t iteration = trace.events[event].iteration;
      if (iteration == kNone || iteration < first)
        break;
      weights[event] *= 1 + static_cast<double>(skip.periods);
    }
  }
  return weights;
}

class Maker {
public:
  Maker(const replay::Subject &subject, const Trace &trace, const Machine &machine, const replay::ConflictRules &rules,
        const CostTable &costs)
      : subject(subject), trace(trace), machine(machine), costs(costs), dependences(subject, trace, rules) {
    plan.issue = costs.issue();
    costByWork.resize(subject.works.size());
    known.resize(subject.works.size(), false);
  }

  Plan make() {
    std::vector<double> weights = weightsOf(trace);
    for (std::uint32_t event = 0; event < trace.events.size(); ++event) {
      add(event);
      plan.operations.back().weight = weights[event];
      plan.extrapolated |= weights[event] != 1;
    }
    plan.flags = static_cast<std::uint32_t>(flags.size());
    return std::move(plan);
  }

private:
  void add(std::uint32_t number) {
    const Event &event = trace.events[number];
    Operation operation;
    operation.event = number;
    if (event.iteration != kNone)
      operation.loop = trace.iterations[event.iteration].loop;
    operation.dependences = operation.dependencesEnd = static_cast<std::uint32_t>(plan.dependences.size());
    if (event.kind == Event::Kind::Instruction)
      fillWork(operation, event);
    else
      fillSync(operation, event);
    plan.operations.push_back(operation);
  }

  void fillSync(Operation &operation, const Event &event) {
    operation.site = std::get<Sync>(event.statement->action).site;
    operation.kind = event.kind == Event::Kind::Barrier   ? Operation::Kind::Barrier
                     : event.kind == Event::Kind::SetFlag ? Operation::Kind::Set
                                                          : Operation::Kind::Wait;
    bool wait = event.kind == Event::Kind::WaitFlag;
    operation.pipe = wait ? event.destination : event.source;
    operation.other = wait ? event.source : event.destination;
    if (event.kind != Event::Kind::Barrier)
      operation.flag = flags
                           .try_emplace(std::make_tuple(event.source, event.destination, event.id),
                                        static_cast<std::uint32_t>(flags.size()))
                           .first->second;
  }

  void fillWork(Operation &operation, const Event &event) {
    std::uint32_t work = trace.instances[event.instance].work;
    const Cost &cost = costOf(work);
    operation.pipe = operation.other = cost.pipe;
    operation.throughput = cost.throughput;
    operation.latency = cost.latency;
    if (subject.works[work].fence == FenceKind::All) {
      operation.kind = Operation::Kind::Fence;
      return;
    }
    std::vector<std::uint32_t> found;
    dependences.add(static_cast<std::uint32_t>(plan.operations.size()), work, cost.pipe, event.iteration, found);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    plan.dependences.insert(plan.dependences.end(), found.begin(), found.end());
    operation.dependencesEnd = static_cast<std::uint32_t>(plan.dependences.size());
  }

  const Cost &costOf(std::uint32_t work) {
    if (!known[work]) {
      costByWork[work] = costs.costOf(subject.works[work], subject.kernel, machine);
      known[work] = true;
    }
    return costByWork[work];
  }

  const replay::Subject &subject;
  const Trace &trace;
  const Machine &machine;
  const CostTable &costs;
  Dependences dependences;
  Plan plan;
  std::map<std::tuple<Pipe, Pipe, std::int64_t>, std::uint32_t> flags;
  std::vector<Cost> costByWork;
  std::vector<bool> known;
};

} // namespace

Plan makePlan(const replay::Subject &subject, const Trace &trace, const Machine &machine,
              const replay::ConflictRules &rules, const CostTable &costs) {
  return Maker(subject, trace, machine, rules, costs).make();
}

} // namespace ptosync::timing
