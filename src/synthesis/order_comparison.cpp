#include "synthesis/order_comparison.h"

#include "audit/audit.h"
#include "ordering/buffers.h"
#include "ordering/kernel_analysis.h"
#include "replay/judge/tokens.h"
#include "synthesis/verification.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ptosync::synthesis {
namespace {

const Sync *syncOf(const Statement &statement) { return std::get_if<Sync>(&statement.action); }

using Run = std::vector<const Statement *>; // syncs between two other statements

class Merger {
public:
  Merger(const Kernel &before, const Kernel &after) : before(before), after(after) {}

  std::optional<MergedVersions> run() {
    if (before.blocks.size() != after.blocks.size() || !sameVariables())
      return std::nullopt;
    merged.kernel = after;
    for (BlockId block = 0; block < after.blocks.size(); ++block)
      if (!mergeBlock(block))
        return std::nullopt;
    return std::move(merged);
  }

private:
  bool sameVariables() const {
    return std::equal(before.variables.begin(), before.variables.end(), after.variables.begin(), after.variables.end(),
                      [](const Variable &a, const Variable &b) { return a.name == b.name && a.type == b.type; });
  }

  static bool sameStatement(const Statement &a, const Statement &b) {
    if (a.action.index() != b.action.index())
      return false;
    if (const auto *assign = std::get_if<Assign>(&a.action))
      return assign->variable == std::get<Assign>(b.action).variable;
    const auto *instruction = std::get_if<Instruction>(&a.action);
    return !instruction || instruction->name == std::get<Instruction>(b.action).name;
  }

  /// What the reader does not follow is alike: the versions differ in their syncs alone.
  bool sameCondition(ExpressionId a, ExpressionId b) const {
    if (a == kNone || b == kNone)
      return a == b;
    const Expression &x = before.expressions[a], &y = after.expressions[b];
    if (x.kind != y.kind || x.op != y.op || x.type != y.type || x.count != y.count || x.variable != y.variable ||
        x.constant != y.constant || (x.kind == Expression::Kind::Query && x.name != y.name))
      return false;
    for (std::size_t i = 0; i < x.operands.size(); ++i)
      if (!sameCondition(x.operands[i], y.operands[i]))
        return false;
    return true;
  }

  bool sameSync(const Statement &a, const Statement &b) const {
    const Sync &x = *syncOf(a), &y = *syncOf(b);
    return x.kind == y.kind && x.source == y.source && x.destination == y.destination && x.mode == y.mode &&
           sameExpression(before.expressions, x.event, after.expressions, y.event);
  }

  /// The syncs from `at` on; `at` is then the next other statement, or the end.
  static Run nextRun(const std::vector<Statement> &statements, std::size_t &at) {
    Run run;
    for (; at < statements.size() && syncOf(statements[at]); ++at)
      run.push_back(&statements[at]);
    return run;
  }

  bool mergeBlock(BlockId number) {
    const Block &old = before.blocks[number], &now = after.blocks[number];
    if (old.terminator.kind != now.terminator.kind || old.terminator.whenTrue != now.terminator.whenTrue ||
        old.terminator.whenFalse != now.terminator.whenFalse ||
        !sameCondition(old.terminator.condition, now.terminator.condition))
      return false;
    std::vector<Statement> statements;
    std::size_t oldAt = 0, nowAt = 0;
    for (;;) {
      const Run oldRun = nextRun(old.statements, oldAt), nowRun = nextRun(now.statements, nowAt);
      mergeRuns(oldRun, nowRun, statements);
      const bool oldEnds = oldAt == old.statements.size(), nowEnds = nowAt == now.statements.size();
      if (oldEnds || nowEnds) {
        merged.kernel.blocks[number].statements = std::move(statements);
        return oldEnds && nowEnds;
      }
      if (!sameStatement(old.statements[oldAt], now.statements[nowAt]))
        return false;
      statements.push_back(now.statements[nowAt]);
      ++oldAt;
      ++nowAt;
    }
  }

  /// The longest common subsequence is in both; the rest keeps its order.
  void mergeRuns(const Run &old, const Run &now, std::vector<Statement> &into) {
    std::vector<std::vector<std::size_t>> common(old.size() + 1, std::vector<std::size_t>(now.size() + 1, 0));
    for (std::size_t i = old.size(); i-- > 0;)
      for (std::size_t j = now.size(); j-- > 0;)
        common[i][j] =
            sameSync(*old[i], *now[j]) ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    std::size_t i = 0, j = 0;
    while (i < old.size() || j < now.size()) {
      if (i < old.size() && j < now.size() && sameSync(*old[i], *now[j])) {
        add(*now[j++], into);
        ++i;
      } else if (j == now.size() || (i < old.size() && common[i + 1][j] >= common[i][j + 1])) {
        merged.onlyBefore.insert(addOfBefore(*old[i++], into));
      } else {
        merged.onlyAfter.insert(add(*now[j++], into));
      }
    }
  }

  SiteId add(Statement statement, std::vector<Statement> &into) {
    std::get<Sync>(statement.action).site = sites;
    into.push_back(std::move(statement));
    return sites++;
  }

  SiteId addOfBefore(Statement statement, std::vector<Statement> &into) {
    Sync &sync = std::get<Sync>(statement.action);
    sync.event = merged.kernel.expressions.copyOf(before.expressions, sync.event);
    return add(std::move(statement), into);
  }

  const Kernel &before, &after;
  MergedVersions merged;
  SiteId sites = 0;
};

} // namespace

std::optional<MergedVersions> mergeVersions(const Kernel &before, const Kernel &after) {
  return Merger(before, after).run();
}

namespace {

// One comparison, where an edit takes thousands of trials.
constexpr PathCheck::Limits kLimits = {4096, 50'000'000, 16384};

const char *whatIsLost(ObligationKind kind) {
  switch (kind) {
  case ObligationKind::Conflict: return "a pair that was ordered no longer is";
  case ObligationKind::Fence: return "an order relative to an opaque call is lost";
  case ObligationKind::FlagReuse: return "a flag may be set again before its wait";
  case ObligationKind::End: return "work may still be running at the kernel's end";
  }
  return "";
}

LostOrder lostOf(const HazardModel &model, const ConflictPair &pair) {
  const ObligationKind kind = obligationKind(pair);
  std::string where = kind == ObligationKind::End ? std::string() : " (" + pairText(model, pair) + ")";
  return {kind, whatIsLost(kind) + where};
}

/// Those that only one version has are out.
SyncLayout layoutWithout(const std::set<SiteId> &sites) {
  SyncLayout layout;
  layout.apply({sites, {}});
  layout.settle();
  return layout;
}

/// The pairs that `before` is asked about.
class Asked {
public:
  Asked(const Program &program, const SyncLayout &before, const std::set<std::uint32_t> &mended)
      : program(program), before(before), mended(mended) {}

  std::vector<ConflictPair> of(const std::vector<OpenObligation> &open) const {
    std::vector<ConflictPair> pairs;
    for (const OpenObligation &one : open)
      if (!(one.kind() == ObligationKind::End && isNew(program.nodeOfBit[one.pair.bit])) &&
          !(one.kind() == ObligationKind::FlagReuse && isMended(one.pair.later)))
        pairs.push_back(one.pair);
    return pairs;
  }

private:
  bool isNew(NodeId node) const {
    const auto *sync = std::get_if<Sync>(&program.nodes[node].statement->action);
    return sync && before.removed(sync->site);
  }

  bool isMended(NodeId set) const {
    if (program.nodes[set].libraryFlag != kNone)
      return mended.count(program.nodes[set].libraryFlag) != 0;
    for (const std::vector<Event> &events : program.steps)
      for (const Event &event : events)
        for (std::uint32_t lane : event.lanes)
          if (event.node == set && mended.count(lane))
            return true;
    return false;
  }

  const Program &program;
  const SyncLayout &before;
  const std::set<std::uint32_t> &mended; // flags
};

/// What `pending` has open, and what of the rest counts where the kernel ends, though no sync follows it.
template <typename Counts>
std::vector<OpenObligation> openIn(const Program &program, const Pending &pending, const Counts &counts) {
  std::vector<OpenObligation> open = pending.open();
  for (const OpenObligation &one : pending.runningAtEnds())
    if (counts(program.nodes[program.nodeOfBit[one.pair.bit]]))
      open.push_back(one);
  return open;
}

} // namespace

llvm::Expected<VersionComparison> VersionComparison::of(MergedVersions versions, const Machine &machine,
                                                        const OrderingOptions &options) {
  VersionComparison comparison;
  comparison.merged = std::make_unique<MergedVersions>(std::move(versions));
  if (options.allowance.spent(WorkUnit::Analysis))
    return llvm::createStringError("its run has met a limit");
  llvm::Expected<Program> program = buildProgram(comparison.merged->kernel, machine, options);
  if (!program)
    return program.takeError();
  comparison.merge = std::make_unique<Program>(std::move(*program));
  comparison.beforeLayout = layoutWithout(comparison.merged->onlyAfter);
  comparison.afterLayout = layoutWithout(comparison.merged->onlyBefore);
  judgeBrackets(*comparison.merge, comparison.afterLayout);
  comparison.pending = std::make_unique<Pending>(comparison.program(), comparison.afterLayout);
  return comparison;
}

std::optional<LostOrder> VersionComparison::firstLoss(PathCheck::FaultyFlags faultyFlags) const {
  std::vector<TokenEvent> faults = TokenStates(program(), beforeLayout).faults();
  std::set<std::uint32_t> mended;
  for (const TokenEvent &fault : faults)
    if (faultyFlags == PathCheck::FaultyFlags::OrderNothing)
      mended.insert(fault.flag);
  faults.insert(faults.end(), pending->tokenFaults().begin(), pending->tokenFaults().end());
  PathCheck check(program(), pending->hazards(), beforeLayout, afterLayout, faults, faultyFlags);
  check.setLimits(kLimits);
  const Asked asked(program(), beforeLayout, mended);
  const auto isWork = [](const Node &node) { return !node.isFlag(); };
  if (std::optional<ConflictPair> lost = check.firstLoss(asked.of(openIn(program(), *pending, isWork))))
    return lostOf(pending->hazards(), *lost);
  return std::nullopt;
}

std::string pairText(const HazardModel &model, const ConflictPair &pair) {
  const Conflict conflict = model.describe(pair);
  return std::string(hazardKindName(pair.kind)) + " between lines " + std::to_string(conflict.earlier.line) + " and " +
         std::to_string(conflict.later.line);
}

static std::vector<OpenObligation> openOf(const Analysis &after) {
  const auto outlasts = [&after](const Node &node) { return mayOutlastKernel(after.program(), node); };
  return openIn(after.program(), after.pending(), outlasts);
}

std::optional<LostOrder> firstOpen(const Analysis &after) {
  const std::vector<OpenObligation> open = openOf(after);
  return open.empty() ? std::nullopt : std::optional(lostOf(after.hazards(), open.front().pair));
}

llvm::Expected<std::optional<LostOrder>> lostOrder(const Kernel &before, const Analysis &after, const Machine &machine,
                                                   const OrderingOptions &options, PathCheck::FaultyFlags faultyFlags) {
  const std::vector<OpenObligation> open = openOf(after);
  if (open.empty())
    return std::nullopt;
  std::optional<MergedVersions> merged = mergeVersions(before, after.kernel());
  if (!merged)
    return lostOf(after.hazards(), open.front().pair);
  llvm::Expected<VersionComparison> comparison = VersionComparison::of(std::move(*merged), machine, options);
  if (!comparison)
    return comparison.takeError();
  return comparison->firstLoss(faultyFlags);
}

namespace {

constexpr std::size_t kListed = 1000; // findings of one run of the replay

/// The places of pairs that are open, with the rule that silences each.
std::map<BytePair, std::string> openPairs(const KernelState &state, Excuse silenced) {
  std::map<BytePair, std::string> pairs;
  for (const OpenObligation &open : state.analysis.pending().open(ObligationKind::Conflict))
    if (open.silenced == silenced) {
      const Program &program = state.analysis.program();
      pairs.insert({{program.nodes[program.nodeOfBit[open.pair.bit]].statement->range.begin,
                     program.nodes[open.pair.later].statement->range.begin},
                    open.rule});
    }
  return pairs;
}

/// What the replay may miss in a kernel that is right.
struct Excused {
  std::map<BytePair, std::string> pairs; // of orders: the contested rule; empty: of impossible memory
  bool flagsBinary = false;              // whatever flag it calls faulty, on no path is it
};

/// The replay knows neither what contested rules order nor which contents of memory are possible: two loads of one
/// address may give it two values. The ordering analysis is asked with and without both. What is open without and is
/// not with them is excused.
llvm::Expected<Excused> excusedIn(const Kernel &kernel, const Machine &machine, OrderingOptions ordering) {
  auto analysed = [&](bool conditions, bool held) {
    ordering.followConditions = conditions;
    ordering.scalarWaitsHoldDispatch = held;
    return analyseKernel(kernel, machine, ordering);
  };
  llvm::Expected<KernelState> strict = analysed(false, false), followed = analysed(true, false),
                              lenient = analysed(true, true);
  if (!strict || !followed || !lenient)
    return llvm::joinErrors(llvm::joinErrors(strict.takeError(), followed.takeError()), lenient.takeError());
  Excused excused;
  excused.pairs = openPairs(*strict, Excuse::None);
  for (const auto &[pairs, rule] : openPairs(*followed, Excuse::None))
    excused.pairs[pairs] = "scalar-wait-dispatch";
  for (const auto &[pairs, rule] : openPairs(*strict, Excuse::Silenced))
    excused.pairs[pairs] = rule;
  for (const auto &[pairs, rule] : openPairs(*lenient, Excuse::None))
    excused.pairs.erase(pairs);
  if (lenient->analysis.pending().tooManyOpen())
    excused.pairs.clear();
  excused.flagsBinary = !strict->faults.empty() && lenient->faults.empty();
  return excused;
}

bool isMissing(const replay::Finding &finding, const Excused &excused) {
  switch (finding.kind) {
  case replay::FindingKind::Order: return !excused.pairs.count({finding.earlier.afterBegin, finding.later.afterBegin});
  case replay::FindingKind::Token:
    return !excused.flagsBinary && finding.rule != replay::tokenFaultName(replay::TokenFaultKind::SetTooSoon);
  case replay::FindingKind::Deadlock:
  case replay::FindingKind::Streams: return !excused.flagsBinary;
  case replay::FindingKind::End: return false;
  }
  return false;
}

} // namespace

Module fullyOrdered(const Module &module) {
  Module ordered = module;
  auto site = static_cast<SiteId>(ordered.sites.size());
  ordered.sites.push_back({});
  ordered.sites.back().text = "pipe_barrier(PIPE_ALL)";
  for (Kernel &kernel : ordered.kernels)
    for (Block &block : kernel.blocks) {
      std::vector<Statement> statements;
      for (Statement &statement : block.statements) {
        const auto *sync = std::get_if<Sync>(&statement.action);
        if (sync && sync->kind != SyncKind::Tail)
          continue;
        if (std::holds_alternative<Instruction>(statement.action)) {
          Statement barrier = statement;
          Sync all;
          all.site = site;
          barrier.action = all;
          statements.push_back(std::move(barrier));
        }
        statements.push_back(std::move(statement));
      }
      block.statements = std::move(statements);
    }
  return ordered;
}

replay::Options againstFullOrder(replay::Options options) {
  options.fences = false;
  options.budget.findings = kListed;
  return options;
}

bool mayBeCutOff(const std::vector<replay::Finding> &findings) {
  // Two pairs of statements on the same lines are listed once.
  return findings.size() >= kListed / 2;
}

/// True if it is open what some bracket of a buffer id orders: then a run that misses an order says nothing.
static bool hasOpenBracket(const Kernel &kernel, const Machine &machine, const OrderingOptions &ordering) {
  const bool any = llvm::any_of(kernel.blocks, [](const Block &block) {
    return llvm::any_of(block.statements, [](const Statement &statement) {
      const auto *sync = std::get_if<Sync>(&statement.action);
      return sync && isBuffer(sync->kind);
    });
  });
  if (!any)
    return false;
  llvm::Expected<Analysis> analysis = Analysis::of(kernel, machine, ordering);
  if (!analysis) {
    llvm::consumeError(analysis.takeError());
    return true;
  }
  return firstOpenBracket(analysis->program()).has_value();
}

llvm::Expected<WholeOrder> lookAtOrder(const Module &module, const Machine &machine, const OrderingOptions &ordering,
                                       const replay::Options &options) {
  WholeOrder order;
  for (const Kernel &kernel : module.kernels) {
    if (!kernel.analysable || hasOpenBracket(kernel, machine, ordering))
      continue;
    Module alone;
    alone.source = module.source;
    alone.sites = module.sites;
    alone.kernels = {kernel};
    llvm::Expected<replay::Verdict> verdict =
        replay::verify(fullyOrdered(alone), alone, machine, againstFullOrder(options));
    if (!verdict)
      return verdict.takeError();
    llvm::Expected<Excused> excused = excusedIn(kernel, machine, ordering);
    if (!excused)
      return excused.takeError();
    if (mayBeCutOff(verdict->findings)) {
      replay::Finding more;
      more.kind = replay::FindingKind::Streams;
      more.kernel = kernel.name;
      more.section = kernel.section;
      more.run = verdict->findings.front().run;
      more.text = "more orders are missing than are listed";
      order.missing.push_back(std::move(more));
    }
    for (replay::Finding &finding : verdict->findings) {
      auto known = excused->pairs.find({finding.earlier.afterBegin, finding.later.afterBegin});
      bool contested =
          finding.kind == replay::FindingKind::Order && known != excused->pairs.end() && !known->second.empty();
      if (contested)
        ++order.contested[known->second];
      if (isMissing(finding, *excused))
        order.missing.push_back(std::move(finding));
    }
  }
  return order;
}

} // namespace ptosync::synthesis
