#include "optimize/edit_kinds.h"

#include "base/walk.h"
#include "ordering/condition.h"

#include <algorithm>
#include <optional>

namespace ptosync {

static constexpr EditKind kEditKinds[] = {
    {Turn::Once, removeBarriers},
    {Turn::Once, removeWebs},
    // What a generation leaves of its web may go as a whole, and what only kept another flag from being set again too
    // early may go with that flag.
    {Turn::WhileSyncsGo, removeGenerations},
    {Turn::WhileSyncsGo, removeBarriersAgain},
    {Turn::WhileSyncsGo, removeWebs},
    {Turn::WhileSyncsGo, removeHandshakes, true},
    // A barrier that was kept as a link to an open pair may be none once a flag has moved, and a generation that was
    // kept for what stood between its wait and its set may go when the wait has passed that.
    {Turn::WhileFlagsMove, moveFlags, true},
    {Turn::WhileFlagsMove, removeBarriersAgain},
    {Turn::WhileFlagsMove, removeGenerations},
};

std::span<const EditKind> editKinds() { return kEditKinds; }

static void runTurn(EditSession &session, Turn turn, std::span<const EditKind> kinds) {
  std::vector<std::size_t> seen(kinds.size(), kNone); // edits that a kind has seen
  for (bool ran = true; ran;) {
    ran = false;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i].turn != turn || seen[i] == session.decisions().editCount())
        continue;
      seen[i] = session.decisions().editCount();
      kinds[i].run(session);
      if (kinds[i].settles)
        seen[i] = session.decisions().editCount();
      ran = turn != Turn::Once;
    }
  }
}

void runEditKinds(EditSession &session, std::span<const EditKind> kinds) {
  for (Turn turn : {Turn::Once, Turn::WhileSyncsGo, Turn::WhileFlagsMove})
    runTurn(session, turn, kinds);
}

namespace {

/// What the iterations of a loop do about a block, told apart as far as the loop's phases are.
class LoopTrips {
public:
  LoopTrips(const Program &program, LoopId loop) : program(program), loop(loop) {}

  /// True if the iterations that run the block are known to be one after the other: no test on the way to it changes
  /// its answer more than once.
  bool inARow(BlockId block) const {
    const std::vector<BlockId> &blocks = program.graph->loops()[loop].blocks;
    return program.graph->everyIteration(loop, block) || std::any_of(blocks.begin(), blocks.end(), [&](BlockId test) {
             return leadsInARow(test, block) && inARow(test);
           });
  }

  /// True if iterations that begin alike may run the block or not.
  bool undecided(BlockId block) const {
    for (StepId header : program.order)
      if (program.blockOf[header] == program.graph->loops()[loop].header && passes(header, block) &&
          goesRoundWithout(header, block))
        return true;
    return false;
  }

private:
  /// True if the branch at the end of `test` is what decides whether the block is run, and changes once at most.
  bool leadsInARow(BlockId test, BlockId block) const {
    const FlowGraph &graph = *program.graph;
    if (test == block || !program.conditions[test] || !graph.dominates(test, block))
      return false;
    LoopId inner = graph.loopOf(test);
    bool first = inner != loop && graph.loops()[inner].header == test;
    if (!changesOnceAtMost(*program.conditions[test], loop, first ? inner : kNone, *program.scalars, graph))
      return false;
    const Terminator &end = program.kernel->blocks[test].terminator;
    for (BlockId arm : {end.whenTrue, end.whenFalse})
      if (end.whenTrue != end.whenFalse && graph.predecessors(arm).size() == 1 && graph.dominates(arm, block))
        return std::none_of(program.order.begin(), program.order.end(),
                            [&](StepId step) { return program.blockOf[step] == arm && goesRoundWithout(step, block); });
    return false;
  }

  /// Follows one iteration until `stop` says so.
  template <typename Stop> bool follow(StepId header, Stop stop) const {
    Walk<StepId> walk({header});
    while (std::optional<StepId> step = walk.next()) {
      std::optional<bool> answer = stop(*step);
      if (answer && *answer)
        return true;
      if (answer)
        continue;
      for (const Edge &edge : program.edges[*step])
        if (edge.around != loop && program.graph->loopContains(loop, program.blockOf[edge.to]))
          walk.reach(edge.to);
    }
    return false;
  }

  bool passes(StepId header, BlockId block) const {
    return follow(header,
                  [&](StepId step) { return program.blockOf[step] == block ? std::optional(true) : std::nullopt; });
  }

  bool goesRoundWithout(StepId header, BlockId block) const {
    return follow(header, [&](StepId step) -> std::optional<bool> {
      if (program.blockOf[step] == block)
        return false;
      bool round = std::any_of(program.edges[step].begin(), program.edges[step].end(),
                               [&](const Edge &edge) { return edge.around == loop; });
      return round ? std::optional(true) : std::nullopt;
    });
  }

  const Program &program;
  LoopId loop;
};

bool isIntermittent(const Program &program, const Pending &pending, const Web &web) {
  const FlowGraph &graph = *program.graph;
  std::set<BlockId> blocks;
  for (SiteId site : web.sites())
    for (EventKey key : pending.eventsOf(site))
      blocks.insert(program.blockOf[key.first]);
  for (LoopId loop = 0; loop < graph.loops().size(); ++loop) {
    auto inside = [&](BlockId block) { return graph.loopContains(loop, block); };
    if (!web.bracket && std::all_of(blocks.begin(), blocks.end(), inside))
      continue;
    LoopTrips trips(program, loop);
    for (BlockId block : blocks)
      if (inside(block) && !trips.inARow(block) && trips.undecided(block))
        return true;
  }
  return false;
}

std::vector<Web> websOf(const EditSession &session) {
  std::vector<std::vector<Web>> webs;
  for (const auto &[number, kernel] : session.kernels())
    webs.push_back(kernel.webs());
  return joinWebs(webs);
}

std::string place(const EditSession &session, SiteId site) { return "line " + std::to_string(session.site(site).line); }

/// True if every statement of the web may be edited as far as it alone goes.
bool screenWeb(EditSession &session, const Web &web) {
  std::set<SiteId> sites = web.sites();
  SiteId stays = kNone;
  for (SiteId site : sites)
    if (!session.screen(site))
      stays = std::min(stays, site);
  if (stays == kNone)
    return true;
  for (SiteId site : sites)
    if (session.decisions()[site].reason == KeptReason::None)
      session.decisions().keep(site, session.decisions()[stays].reason,
                               "it goes only together with " + place(session, stays) + ", which stays");
  return false;
}

std::uint32_t depthOf(const EditSession &session, const Web &web) {
  std::uint32_t deepest = 0;
  for (SiteId site : web.sites())
    deepest = std::max(deepest, session.depthOf(site));
  return deepest;
}

} // namespace

bool isIntermittent(const EditSession &session, const Web &web) {
  return std::any_of(session.kernels().begin(), session.kernels().end(), [&](const auto &entry) {
    return isIntermittent(entry.second.program(), entry.second.pending(), web);
  });
}

std::vector<Web> editableWebs(EditSession &session) {
  std::vector<Web> editable;
  for (Web &web : websOf(session)) {
    if (!screenWeb(session, web))
      continue;
    if (!web.balanced) {
      for (SiteId site : web.sites())
        session.decisions().keep(site, KeptReason::Unbalanced, web.trouble);
      continue;
    }
    std::set<SiteId> sites = web.sites();
    auto chosen = [&](SiteId site) { return session.decisions().chosen(site); };
    if (std::none_of(sites.begin(), sites.end(), chosen)) {
      for (SiteId site : sites)
        session.decisions().leaveOut(site);
      continue;
    }
    if (session.mayCarryUnseen(sites) && isIntermittent(session, web)) {
      for (SiteId site : sites)
        session.decisions().keep(site, KeptReason::Intermittent,
                                 "iterations that skip it carry its flag on to later iterations");
      continue;
    }
    editable.push_back(std::move(web));
  }
  std::stable_sort(editable.begin(), editable.end(),
                   [&](const Web &a, const Web &b) { return depthOf(session, a) > depthOf(session, b); });
  return editable;
}

const Pattern *patternFor(const EditSession &session, PatternAction action, const Web &web) {
  for (const Pattern &pattern : session.catalogue().patterns())
    if (pattern.action == action && isOnBrackets(action) == web.bracket && pattern.supports(session.machine().arch()) &&
        (pattern.trust == Trust::Tile || session.options().ordering.trust == Trust::Library) &&
        pattern.source.value_or(web.source) == web.source &&
        pattern.destination.value_or(web.destination) == web.destination)
      return &pattern;
  return nullptr;
}

} // namespace ptosync
