#include "audit/token_rules.h"

#include "audit/audit_context.h"
#include "audit/path_search.h"
#include "base/walk.h"

#include <llvm/Support/FormatVariadic.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ptosync {
namespace {

struct Placed {
  const Event *event;
  StepId step;
  std::uint32_t index;
};

} // namespace

std::vector<const Statement *> blockedBehind(const Program &program, const Statement &wait) {
  std::vector<Placed> flags; // sets and waits
  for (StepId step : program.order)
    for (std::uint32_t i = 0; i < program.steps[step].size(); ++i)
      if (const Event &event = program.steps[step][i]; event.isFlag())
        flags.push_back({&event, step, i});
  auto queue = [](const Placed &placed) {
    return placed.event->kind == Event::Kind::Set ? placed.event->source : placed.event->destination;
  };
  auto behind = [&](const Placed &holder, const Placed &held) {
    BlockId a = program.blockOf[holder.step], b = program.blockOf[held.step];
    return a == b ? holder.index < held.index : program.graph->dominates(a, b);
  };
  std::vector<Placed> holding; // waits that never end
  for (const Placed &placed : flags)
    if (placed.event->statement == &wait)
      holding.push_back(placed);
  if (holding.empty() || holding.front().event->lanes.size() != 1)
    return {};
  auto isHeld = [&](const Placed &placed) {
    return std::any_of(holding.begin(), holding.end(), [&](const Placed &holder) {
      return holder.event->destination == queue(placed) && behind(holder, placed);
    });
  };
  /// Every set that may feed the wait is held up, and there is one.
  auto starved = [&](const Placed &placed) {
    bool any = false;
    for (const Placed &set : flags) {
      if (set.event->kind != Event::Kind::Set)
        continue;
      bool feeds = std::any_of(set.event->lanes.begin(), set.event->lanes.end(), [&](std::uint32_t lane) {
        return std::count(placed.event->lanes.begin(), placed.event->lanes.end(), lane) != 0;
      });
      if (feeds && !isHeld(set))
        return false;
      any = any || feeds;
    }
    return any;
  };
  std::vector<const Statement *> others;
  for (bool grown = true; grown;) {
    grown = false;
    for (const Placed &placed : flags) {
      bool known = std::any_of(holding.begin(), holding.end(), [&](const Placed &holder) {
        return holder.event->statement == placed.event->statement;
      });
      if (placed.event->kind != Event::Kind::Wait || known || !starved(placed))
        continue;
      holding.push_back(placed);
      others.push_back(placed.event->statement);
      grown = true;
    }
  }
  return starved(holding.front()) ? others : std::vector<const Statement *>();
}

namespace {

using Pair = std::pair<Pipe, Pipe>;
/// Sets minus waits so far, by pair; empty: paths differ. A pair that is not there stands at 0.
using Balance = std::map<Pair, std::optional<std::int64_t>>;

void apply(const std::vector<Event> &events, Balance &balance) {
  for (const Event &event : events) {
    bool sets = event.kind == Event::Kind::Set;
    if (!sets && event.kind != Event::Kind::Wait)
      continue;
    auto [entry, inserted] = balance.try_emplace({event.source, event.destination}, 0);
    if (entry->second)
      *entry->second += sets ? 1 : -1;
  }
}

/// True if `into` changed.
bool join(Balance &into, const Balance &from) {
  bool changed = false;
  auto meet = [&](Pair pair, std::optional<std::int64_t> other) {
    auto [entry, inserted] = into.try_emplace(pair, 0);
    if (entry->second && entry->second != other) {
      entry->second.reset();
      changed = true;
    }
  };
  for (const auto &[pair, count] : from)
    meet(pair, count);
  for (const auto &[pair, count] : Balance(into))
    if (!from.count(pair))
      meet(pair, 0);
  return changed;
}

} // namespace

std::map<Pair, std::int64_t> unevenPairs(const Program &program) {
  std::vector<std::optional<Balance>> entries(program.steps.size());
  auto leave = [&](StepId step) {
    Balance balance = *entries[step];
    apply(program.steps[step], balance);
    return balance;
  };
  Worklist work(program.order);
  if (!program.order.empty()) {
    entries[program.order.front()] = Balance();
    work.add(program.order.front());
  }
  while (std::optional<StepId> step = work.next()) {
    Balance balance = leave(*step);
    for (const Edge &edge : program.edges[*step]) {
      bool fresh = !entries[edge.to];
      if (fresh)
        entries[edge.to] = balance;
      if (fresh || join(*entries[edge.to], balance))
        work.add(edge.to);
    }
  }
  std::optional<Balance> end;
  for (StepId step : program.order) {
    if (!entries[step] || program.kernel->blocks[program.blockOf[step]].terminator.kind != Terminator::Kind::Return)
      continue;
    if (end)
      join(*end, leave(step));
    else
      end = leave(step);
  }
  std::map<Pair, std::int64_t> uneven;
  for (const auto &[pair, count] : end.value_or(Balance()))
    if (count.value_or(0) != 0)
      uneven[pair] = *count;
  return uneven;
}

// Flags as binary tokens: unprimed-wait, undrained-flag, double-set, branch-imbalance, cross-core-flag, deadlock,
// id-clash.
//
// Each fault is shown by a single path from the kernel's start; faults behind the first one of a flag on a path are
// its consequences and are not reported. Where the search gave up, what the ordering engine suspects is a warning
// without a path. Tested by tests/audit/token_rules_test.cpp.

namespace {

struct FlagUses {
  std::vector<const Statement *> sets, waits;
};

std::map<Flag, FlagUses> flagUses(const Program &program) {
  std::map<Flag, FlagUses> uses;
  std::set<std::pair<const Statement *, std::uint32_t>> seen; // copies of a loop's phases
  for (StepId step : program.order)
    for (const Event &event : program.steps[step])
      if (event.isFlag())
        for (std::uint32_t lane : event.lanes)
          if (seen.insert({event.statement, lane}).second) {
            FlagUses &use = uses[program.flags[lane]];
            (event.kind == Event::Kind::Set ? use.sets : use.waits).push_back(event.statement);
          }
  return uses;
}

class TokenRules {
public:
  TokenRules(AuditContext &context, const Analysis &kernel, const std::set<Flag> &crossCore)
      : context(context), kernel(kernel), program(kernel.program()), crossCore(crossCore) {}

  void run() {
    if (kernel.pending().tokenFaults().empty())
      return;
    uses = flagUses(program);
    PathSearch search(program, kernel.hazards());
    std::vector<TokenDefect> defects = search.tokenDefects();
    for (const TokenDefect &defect : defects)
      if (!crossCore.count(program.flags[defect.flag]))
        report(defect, search.decisions());
    if (!search.complete())
      reportSuspicions(defects);
    reportUneven(defects);
  }

private:
  void report(const TokenDefect &defect, const PathDecisions &decisions) {
    const Flag &flag = program.flags[defect.flag];
    bool branch = defect.kind != TokenFaultKind::LibraryClash && defect.kind != TokenFaultKind::DoubleSet &&
                  dependsOnBranch(defect, decisions);
    Finding finding = defect.kind == TokenFaultKind::UnfedWait   ? unfed(defect, branch)
                      : defect.kind == TokenFaultKind::DoubleSet ? doubleSet(defect)
                      : defect.kind == TokenFaultKind::LeftSet   ? leftSet(defect, branch)
                                                                 : clash(defect);
    finding.parts.push_back(flagText(flag));
    finding.path = describePath(context, kernel, defect.path);
    if (!defect.path.certain)
      finding.demotion = std::max(finding.demotion, 1u);
    context.report(std::move(finding));
  }

  /// Some branch on the path, no loop's test, decides whether the flag is set or awaited.
  bool dependsOnBranch(const TokenDefect &defect, const PathDecisions &decisions) const {
    const FlagUses &use = uses.at(program.flags[defect.flag]);
    BlockId here = program.blockOf[defect.step];
    for (BlockId choice : defect.path.choices) {
      if (decisions.at(choice).leaves != kNone)
        continue;
      const Terminator &end = kernel.kernel().blocks[choice].terminator;
      for (BlockId arm : {end.whenTrue, end.whenFalse})
        for (const auto *list : {&use.sets, &use.waits})
          for (const Statement *statement : *list)
            if (BlockId block = blockOf(*statement); program.graph->dominates(arm, block) &&
                                                     !program.graph->dominates(arm, here) &&
                                                     !program.graph->dominates(block, choice))
              return true;
    }
    return false;
  }

  BlockId blockOf(const Statement &statement) const {
    for (const Node &node : program.nodes)
      if (node.statement == &statement)
        return node.block;
    return 0;
  }

  void noteAll(Finding &finding, const std::vector<const Statement *> &statements, const std::string &what) const {
    constexpr std::size_t kShown = 4;
    for (std::size_t i = 0; i < statements.size() && i < kShown; ++i)
      finding.notes.push_back(context.note(*statements[i], what));
  }

  Finding unfed(const TokenDefect &defect, bool branch) const {
    const Flag &flag = program.flags[defect.flag];
    const FlagUses &use = uses.at(flag);
    const Statement &wait = *defect.statement;
    BlockId here = program.blockOf[defect.step];
    LoopId loop = program.graph->loopOf(here);
    bool round = std::any_of(use.sets.begin(), use.sets.end(), [&](const Statement *set) {
      return loop != kNone && program.graph->commonLoop(loop, program.graph->loopOf(blockOf(*set))) != kNone;
    });
    if (branch) {
      Finding finding = context.at("branch-imbalance", kernel, wait,
                                   "flag " + flagText(flag) + " is set on one arm of a branch only, and awaited here");
      noteAll(finding, use.sets, "set here");
      return finding;
    }
    std::vector<const Statement *> blocked = round ? std::vector<const Statement *>() : blockedBehind(program, wait);
    if (!blocked.empty()) {
      Finding finding = context.at("deadlock", kernel, wait,
                                   "the set of flag " + flagText(flag) + " that would end this wait is held up by it");
      noteAll(finding, blocked, "this wait is held up, too");
      noteAll(finding, use.sets, "its pipe never reaches this set");
      return finding;
    }
    bool below = std::none_of(use.sets.begin(), use.sets.end(), [&](const Statement *set) {
      BlockId block = blockOf(*set);
      return (block == here && set->range.begin < wait.range.begin) || program.graph->reaches(block, here);
    });
    std::string why = use.sets.empty()       ? "nothing in the kernel sets it"
                      : below                ? "it is set further down only"
                      : firstTrip(use, here) ? "the first iteration finds it unset: prime it before the loop"
                                             : "on the path shown it is not set, or another wait has consumed it";
    Finding finding = context.at("unprimed-wait", kernel, wait,
                                 "no earlier set feeds this wait for flag " + flagText(flag) + ": " + why);
    noteAll(finding, use.sets, "set here");
    // A set further down of a pipe that gets there does end the wait.
    if (!use.sets.empty() && below)
      finding.demotion = 1;
    return finding;
  }

  /// Nothing sets it in front of the loop around the wait, something does in the loop.
  bool firstTrip(const FlagUses &use, BlockId wait) const {
    return std::all_of(use.sets.begin(), use.sets.end(), [&](const Statement *set) {
      LoopId common = program.graph->commonLoop(program.graph->loopOf(blockOf(*set)), program.graph->loopOf(wait));
      return common != kNone;
    });
  }

  Finding doubleSet(const TokenDefect &defect) const {
    const Flag &flag = program.flags[defect.flag];
    Finding finding = context.at("double-set", kernel, *defect.statement,
                                 "flag " + flagText(flag) + " is set again before anything has waited for it");
    for (const Statement *set : uses.at(flag).sets)
      if (set != defect.statement)
        finding.notes.push_back(context.note(*set, "the flag is set here, too"));
    noteAll(finding, uses.at(flag).waits, "awaited here");
    return finding;
  }

  Finding leftSet(const TokenDefect &defect, bool branch) const {
    const Flag &flag = program.flags[defect.flag];
    Finding finding =
        branch
            ? context.at("branch-imbalance", kernel, *defect.statement,
                         "flag " + flagText(flag) + " is awaited on one arm of a branch only: it stays set to the end")
            : context.at("undrained-flag", kernel, *defect.statement,
                         "flag " + flagText(flag) +
                             " is still set where the kernel ends, and leaks into the next kernel on the core");
    noteAll(finding, uses.at(flag).waits, "awaited here");
    return finding;
  }

  Finding clash(const TokenDefect &defect) const {
    const Flag &flag = program.flags[defect.flag];
    Finding finding = context.at("id-clash", kernel, *defect.statement,
                                 "flag " + flagText(flag) + " is set while " + context.text(*defect.statement) +
                                     " uses the same flag inside");
    noteAll(finding, uses.at(flag).sets, "set here");
    noteAll(finding, uses.at(flag).waits, "awaited here");
    return finding;
  }

  /// Pairs of pipes whose sets and waits do not come out even, where no flag of theirs could be followed.
  void reportUneven(const std::vector<TokenDefect> &defects) {
    std::set<std::pair<Pipe, Pipe>> known;
    auto note = [&](const Flag &flag) { known.insert({flag.source, flag.destination}); };
    for (const TokenDefect &defect : defects)
      note(program.flags[defect.flag]);
    for (const Flag &flag : crossCore)
      note(flag);
    for (const auto &[pair, count] : unevenPairs(program)) {
      const Statement *last = nullptr; // of what there is too much of
      std::vector<const Statement *> sets, waits;
      for (const auto &[flag, use] : uses)
        if (flag.source == pair.first && flag.destination == pair.second) {
          sets.insert(sets.end(), use.sets.begin(), use.sets.end());
          waits.insert(waits.end(), use.waits.begin(), use.waits.end());
        }
      for (const Statement *statement : count > 0 ? sets : waits)
        if (!last || statement->range.begin > last->range.begin)
          last = statement;
      if (!last || !known.insert(pair).second)
        continue;
      const std::string pipes = llvm::formatv("from {0} to {1}", pipeName(pair.first), pipeName(pair.second));
      const std::int64_t size = count > 0 ? count : -count;
      const std::string times = size == 1 ? "once" : std::to_string(size) + " times";
      const char *const left = "every path sets flags {0} {1} more than it awaits them: they are still set where the "
                               "kernel ends";
      const char *const missing = "every path awaits flags {0} {1} more than it sets them: some wait is not fed";
      Finding finding = context.at(count > 0 ? "undrained-flag" : "unprimed-wait", kernel, *last,
                                   llvm::formatv(count > 0 ? left : missing, pipes, times));
      finding.parts.push_back(pipes);
      std::set<const Statement *> shown;
      for (const auto &[list, text] : {std::pair{&sets, "set here"}, std::pair{&waits, "awaited here"}})
        for (const Statement *statement : *list)
          if (shown.insert(statement).second)
            finding.notes.push_back(context.note(*statement, text));
      context.report(std::move(finding));
    }
  }

  void reportSuspicions(const std::vector<TokenDefect> &defects) {
    std::set<std::pair<const Statement *, std::uint32_t>> known;
    for (const TokenDefect &defect : defects)
      known.insert({defect.statement, defect.flag});
    for (const TokenEvent &fault : kernel.pending().tokenFaults()) {
      if (fault.event == kNone || crossCore.count(program.flags[fault.flag]))
        continue;
      const Event &event = program.steps[fault.step][fault.event];
      if (!known.insert({event.statement, fault.flag}).second)
        continue;
      std::string flag = flagText(program.flags[fault.flag]);
      Finding finding =
          event.kind == Event::Kind::Access ? context.at("id-clash", kernel, *event.statement,
                                                         "flag " + flag + " may be set while this call uses it inside")
          : event.kind == Event::Kind::Set  ? context.at("double-set", kernel, *event.statement,
                                                         "flag " + flag + " may still be set when it is set again")
                                            : context.at("unprimed-wait", kernel, *event.statement,
                                                         "flag " + flag + " may not be set where it is awaited");
      finding.parts.push_back(flag);
      finding.demotion = 1;
      context.report(std::move(finding));
    }
  }

  AuditContext &context;
  const Analysis &kernel;
  const Program &program;
  const std::set<Flag> &crossCore;
  std::map<Flag, FlagUses> uses;
};

/// Flags that one core's program only sets and the other's only awaits, by kernel.
std::map<const Analysis *, std::set<Flag>> auditCrossCore(AuditContext &context) {
  std::map<const Analysis *, std::set<Flag>> result;
  for (const Analysis &setter : context.kernels())
    for (const Analysis &waiter : context.kernels()) {
      bool mates = setter.kernel().name == waiter.kernel().name && setter.kernel().section != waiter.kernel().section;
      if (!mates)
        continue;
      std::map<Flag, FlagUses> here = flagUses(setter.program()), there = flagUses(waiter.program());
      for (const auto &[flag, use] : here) {
        auto other = there.find(flag);
        if (other == there.end() || use.sets.empty() || !use.waits.empty() || other->second.waits.empty() ||
            !other->second.sets.empty())
          continue;
        result[&setter].insert(flag);
        result[&waiter].insert(flag);
        const Statement &wait = *other->second.waits.front();
        Finding finding =
            context.at("cross-core-flag", waiter, wait,
                       "flag " + flagText(flag) + " is set in the other core's section only: flags stay on their core");
        finding.parts.push_back(flagText(flag));
        finding.notes.push_back(context.note(*use.sets.front(), "the flag is set here, on the other core"));
        context.report(std::move(finding));
      }
    }
  return result;
}

} // namespace

void auditTokens(AuditContext &context) {
  std::map<const Analysis *, std::set<Flag>> crossCore;
  bool anyFault = std::any_of(context.kernels().begin(), context.kernels().end(),
                              [](const Analysis &kernel) { return !kernel.pending().tokenFaults().empty(); });
  if (!anyFault)
    return;
  crossCore = auditCrossCore(context);
  for (const Analysis &kernel : context.kernels())
    TokenRules(context, kernel, crossCore[&kernel]).run();
}

} // namespace ptosync
