#include "optimize/flag_webs.h"

#include "kernel/walk.h"

#include <algorithm>
#include <optional>

namespace ptosync {
namespace {

std::vector<Web> websOf(const EditSession &session) {
  std::vector<std::vector<Web>> webs;
  for (const AnalysedKernel &kernel : session.kernels)
    if (kernel.program)
      webs.push_back(findWebs(*kernel.program, kernel.pending->layout(), kernel.pending->tokens()));
  return joinWebs(webs);
}

std::string place(const EditSession &session, SiteId site) {
  return "line " + std::to_string(session.module.sites[site].line);
}

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
    if (session.decision(site).reason == KeptReason::None)
      session.keep(site, session.decision(stays).reason,
                   "it goes only together with " + place(session, stays) + ", which stays");
  return false;
}

/// What the iterations of a loop do about a block, told apart as far as the loop's phases are.
class LoopTrips {
public:
  LoopTrips(const Program &program, LoopId loop) : program(program), loop(loop) {}

  /// True if iterations that begin alike may run the block or not.
  bool undecided(BlockId block) const {
    for (StepId header : program.order)
      if (program.blockOf[header] == program.graph->loops()[loop].header && passes(header, block) &&
          goesRoundWithout(header, block))
        return true;
    return false;
  }

private:
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

/// True if the web is primed or drained outside a loop and has statements in it that some trips skip, of which nothing
/// tells which they are. Where the loop's phases tell, each phase is a trip like any other.
bool isIntermittent(const Program &program, const Pending &pending, const Web &web) {
  const FlowGraph &graph = *program.graph;
  std::set<BlockId> blocks;
  for (SiteId site : web.sites())
    for (EventKey key : pending.eventsOf(site))
      blocks.insert(program.blockOf[key.first]);
  for (LoopId loop = 0; loop < graph.loops().size(); ++loop) {
    auto inside = [&](BlockId block) { return graph.loopContains(loop, block); };
    if (std::all_of(blocks.begin(), blocks.end(), inside))
      continue;
    for (BlockId block : blocks) {
      const std::vector<BlockId> &latches = graph.loops()[loop].latches;
      bool everyTrip =
          std::all_of(latches.begin(), latches.end(), [&](BlockId latch) { return graph.dominates(block, latch); });
      if (inside(block) && !everyTrip && LoopTrips(program, loop).undecided(block))
        return true;
    }
  }
  return false;
}

std::uint32_t depthOf(const EditSession &session, const Web &web) {
  std::uint32_t deepest = 0;
  for (SiteId site : web.sites())
    deepest = std::max(deepest, session.depth[site]);
  return deepest;
}

} // namespace

bool isIntermittent(const EditSession &session, const Web &web) {
  return std::any_of(session.kernels.begin(), session.kernels.end(), [&](const AnalysedKernel &kernel) {
    return kernel.program && isIntermittent(*kernel.program, *kernel.pending, web);
  });
}

std::vector<Web> editableWebs(EditSession &session) {
  std::vector<Web> editable;
  for (Web &web : websOf(session)) {
    if (!screenWeb(session, web))
      continue;
    if (!web.balanced) {
      for (SiteId site : web.sites())
        session.keep(site, KeptReason::Unbalanced, web.trouble);
      continue;
    }
    std::set<SiteId> sites = web.sites();
    auto chosen = [&](SiteId site) { return session.lineChosen(session.module.sites[site]); };
    if (std::none_of(sites.begin(), sites.end(), chosen)) {
      for (SiteId site : sites)
        session.keep(site, KeptReason::Limit, "left out by --lines");
      continue;
    }
    if (isIntermittent(session, web)) {
      for (SiteId site : sites)
        session.keep(site, KeptReason::Intermittent, "trips of a loop that skip it carry its flag on to later ones");
      continue;
    }
    editable.push_back(std::move(web));
  }
  std::stable_sort(editable.begin(), editable.end(),
                   [&](const Web &a, const Web &b) { return depthOf(session, a) > depthOf(session, b); });
  return editable;
}

const Pattern *patternFor(const EditSession &session, PatternAction action, const Web &web) {
  for (const Pattern &pattern : session.catalogue.patterns())
    if (pattern.action == action && pattern.supports(session.machine.arch()) &&
        (pattern.trust == Trust::Tile || session.options.ordering.trust == Trust::Library) &&
        pattern.source.value_or(web.source) == web.source &&
        pattern.destination.value_or(web.destination) == web.destination)
      return &pattern;
  return nullptr;
}

void commitRemoval(EditSession &session, const std::set<SiteId> &sites, const Pattern &pattern) {
  for (SiteId site : sites)
    for (std::size_t k : session.kernelsOf[site])
      session.faced[site].emplace(k, session.kernels[k].pending->facedBy(site));
  session.commit();
  std::uint32_t edit = session.countEdit();
  for (SiteId site : sites) {
    SiteDecision &decision = session.decision(site);
    decision.verdict = Verdict::Removed;
    decision.reason = KeptReason::None;
    decision.detail.clear();
    decision.witness.reset();
    decision.pattern = pattern.id;
    decision.edit = edit;
  }
}

} // namespace ptosync
