#include "ordering/phase_expansion.h"

#include "base/walk.h"

#include <algorithm>
#include <limits>

namespace ptosync {

/// False if the state knows that the branch does not go there: the test of a loop whose length, or what is left of it,
/// is known.
bool PhaseExpansion::mayTake(BlockId block, const DecisionState &state, BlockId target) const {
  const FlowGraph &graph = *program.graph;
  LoopId loop = graph.loopOf(block);
  if (loop == kNone || graph.loops()[loop].header != block || !plan.loops()[loop].expanded())
    return true;
  bool stays = graph.loopContains(loop, target);
  const LoopPlan &own = plan.loops()[loop];
  if (std::optional<std::int64_t> trips = plan.tripsOf(loop)) {
    std::uint8_t phase = plan.phase(state, loop);
    if (stays ? phase >= *trips : phase != own.phaseOf(*trips))
      return false;
  }
  std::uint8_t left = plan.left(state, loop);
  return own.ahead == 0 || left == BranchPlan::kOutside || stays == (left != 0);
}

/// False if a loop of known length does not have that many iterations left in its phase.
bool PhaseExpansion::mayEnd(LoopId loop, const DecisionState &state, std::uint8_t left) const {
  const LoopPlan &own = plan.loops()[loop];
  std::optional<std::int64_t> trips = plan.tripsOf(loop);
  if (!trips || left > own.ahead)
    return true;
  return *trips >= left && own.phaseOf(*trips - left) == plan.phase(state, loop);
}

std::vector<DecisionState> PhaseExpansion::withChoices(const std::vector<DecisionState> &before, LoopId loop,
                                                       std::uint8_t fewest, std::uint8_t most) const {
  std::vector<DecisionState> after;
  for (const DecisionState &state : before)
    for (std::uint32_t left = fewest; left <= most; ++left)
      if (mayEnd(loop, state, static_cast<std::uint8_t>(left))) {
        after.push_back(state);
        plan.left(after.back(), loop) = static_cast<std::uint8_t>(left);
      }
  return after;
}

/// The states in front of the edge's target; several where the iterations that are left are chosen.
std::vector<DecisionState> PhaseExpansion::follow(const Place &from, const DecisionState &settled, const Edge &edge,
                                                  BlockId target) const {
  const FlowGraph &graph = *program.graph;
  if (!mayTake(from.first, settled, target))
    return {};
  std::vector<DecisionState> result = {settled};
  for (LoopId loop = 0; loop < plan.loops().size(); ++loop) {
    const LoopPlan &own = plan.loops()[loop];
    if (!own.expanded())
      continue;
    bool wasInside = graph.loopContains(loop, from.first), isInside = graph.loopContains(loop, edge.to);
    bool again = edge.around != kNone && edge.around != loop && graph.encloses(edge.around, loop);
    auto many = static_cast<std::uint8_t>(own.ahead + 1);
    BlockId header = graph.loops()[loop].header;
    if (!isInside || again || !wasInside) {
      for (DecisionState &state : result) {
        plan.phase(state, loop) = isInside ? 0 : BranchPlan::kOutside;
        plan.left(state, loop) = BranchPlan::kOutside;
      }
      // Entered behind its test.
      if (isInside && own.ahead > 0 && edge.to != header)
        result = withChoices(result, loop, 1, many);
    } else if (edge.around == loop) {
      std::uint8_t left = plan.left(settled, loop);
      for (DecisionState &state : result)
        plan.phase(state, loop) = static_cast<std::uint8_t>(own.phaseOf(plan.phase(state, loop) + 1));
      if (own.ahead > 0 && left != BranchPlan::kOutside)
        result = withChoices(result, loop, static_cast<std::uint8_t>(left - 1),
                             left == many ? many : static_cast<std::uint8_t>(left - 1));
    } else if (from.first == header && own.ahead > 0 && plan.left(settled, loop) == BranchPlan::kOutside) {
      result = withChoices(result, loop, 1, many);
    }
  }
  for (DecisionState &state : result)
    plan.forget(state, edge.to, edge.around);
  return result;
}

std::vector<PhaseExpansion::Way> PhaseExpansion::waysFrom(const Place &from) const {
  const Terminator &end = program.kernel->blocks[from.first].terminator;
  std::vector<Way> ways;
  bool branches = end.kind == Terminator::Kind::Branch && end.whenTrue != end.whenFalse;
  DecisionState behind = from.second;
  plan.pass(from.first, behind);
  std::vector<std::pair<bool, DecisionState>> outcomes = {{true, behind}};
  if (branches)
    outcomes = plan.outcomes(from.first, behind);
  const std::vector<Edge> &edges = program.edges[from.first];
  for (std::size_t i = 0; i < edges.size(); ++i)
    for (const auto &[held, settled] : outcomes) {
      if (branches && named[from.first][i] != (held ? end.whenTrue : end.whenFalse))
        continue;
      for (DecisionState &state : follow(from, settled, edges[i], named[from.first][i])) {
        Way way{{edges[i].to, std::move(state)}, edges[i].around};
        if (std::find(ways.begin(), ways.end(), way) == ways.end())
          ways.push_back(std::move(way));
      }
    }
  return ways;
}

/// Every state from the kernel's start on; false if they are too many.
bool PhaseExpansion::explore(std::size_t most) {
  found.clear();
  Walk<Place> walk({{program.graph->order().front(), plan.start()}});
  while (std::optional<Place> place = walk.next()) {
    std::vector<Way> ways = waysFrom(*place);
    for (const Way &way : ways)
      walk.reach(way.to);
    if (walk.count() > most)
      return false;
    found[*place] = std::move(ways);
  }
  return true;
}

/// Steps of the states that were found; blocks that no state leads to keep their own, with their edges.
void PhaseExpansion::number() {
  auto blockCount = static_cast<BlockId>(program.steps.size());
  std::map<Place, StepId> steps;
  program.blockOf.resize(blockCount);
  states.assign(blockCount, plan.start());
  for (BlockId block = 0; block < blockCount; ++block)
    program.blockOf[block] = block;
  std::vector<bool> named(blockCount, false);
  for (const auto &[place, ways] : found) {
    if (!named[place.first]) {
      named[place.first] = true;
      steps[place] = place.first;
      states[place.first] = place.second;
      continue;
    }
    steps[place] = static_cast<StepId>(program.blockOf.size());
    program.blockOf.push_back(place.first);
    states.push_back(place.second);
  }
  program.steps.resize(program.blockOf.size());
  program.edges.resize(program.blockOf.size());
  for (const auto &[place, ways] : found) {
    StepId here = steps.at(place);
    if (here != place.first)
      program.steps[here] = program.steps[place.first];
    program.edges[here].clear();
    for (const Way &way : ways)
      program.edges[here].push_back({steps.at(way.to), way.around});
  }
  std::vector<std::vector<StepId>> copies(blockCount);
  for (StepId step = 0; step < program.blockOf.size(); ++step)
    copies[program.blockOf[step]].push_back(step);
  for (BlockId block : program.graph->order())
    program.order.insert(program.order.end(), copies[block].begin(), copies[block].end());
}

std::map<LoopId, std::uint32_t> PhaseExpansion::phasesOf(const DecisionState &state) const {
  std::map<LoopId, std::uint32_t> phases;
  for (LoopId loop = 0; loop < plan.loops().size(); ++loop)
    if (plan.loops()[loop].expanded() && plan.phase(state, loop) != BranchPlan::kOutside)
      phases[loop] = plan.phase(state, loop);
  return phases;
}

NodeId PhaseExpansion::ownNode(NodeId plain, std::vector<std::int64_t> key, Node as) {
  std::map<std::vector<std::int64_t>, NodeId> &known = ownNodes[plain];
  bool first = known.empty();
  auto [own, inserted] = known.try_emplace(std::move(key), plain);
  if (inserted && first) {
    program.nodes[plain] = std::move(as);
  } else if (inserted) {
    own->second = static_cast<NodeId>(program.nodes.size());
    program.nodes.push_back(std::move(as));
  }
  return own->second;
}

/// Gives instructions whose storage follows the phases of a loop the address they have there: of a loop with decided
/// branches, and of one with event ids if the options say so.
void PhaseExpansion::placeStorage() {
  const ScalarAlgebra &scalars = program.scalars->algebra();
  std::vector<Node> plain = program.nodes;
  for (StepId step : program.order)
    for (Event &event : program.steps[step]) {
      if (event.kind != Event::Kind::Access)
        continue;
      Node node = plain[event.node];
      std::vector<std::int64_t> bases;
      for (Access &access : node.accesses)
        std::erase_if(access.base.terms, [&](const Term &term) {
          const Atom &atom = scalars[term.atom];
          if (atom.kind != Atom::Kind::Table || atom.scope == kNone)
            return false;
          const LoopPlan &own = plan.loops()[atom.scope];
          std::uint8_t phase = plan.phase(states[step], atom.scope);
          auto size = static_cast<std::int64_t>(atom.table.size());
          bool told = own.branches || (own.expanded() && program.options.storageByIds);
          if (!told || phase == BranchPlan::kOutside || own.period % size != 0)
            return false;
          if (!own.branches)
            byIds.insert(atom.scope);
          std::int64_t entry = atom.table[phase % atom.table.size()];
          access.base.constant = wrappedSum(access.base.constant, term.coefficient, entry);
          bases.push_back(entry);
          return true;
        });
      if (!bases.empty())
        event.node = ownNode(event.node, std::move(bases), std::move(node));
    }
}

void PhaseExpansion::run(const std::vector<std::uint32_t> &idPeriods, const Visit &visit) {
  if (program.graph->order().empty())
    return;
  std::size_t most = std::max(kMostSteps, kMostCopiesEach * program.steps.size());
  if (!explore(most) && !(plan.dropVariables() && explore(most))) {
    plan.idsOnly(idPeriods,
                 "telling the phases of their loops apart takes more than " + std::to_string(most) + " steps");
    explore(std::numeric_limits<std::size_t>::max());
  }
  number();
  placeStorage();
  for (StepId here : program.order) {
    std::map<LoopId, std::uint32_t> phases = phasesOf(states[here]);
    if (!phases.empty())
      for (std::uint32_t at = 0; at < program.steps[here].size(); ++at)
        visit(here, at, phases);
  }
}

} // namespace ptosync
