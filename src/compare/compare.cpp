#include "compare/compare.h"

#include "compare/sync_match.h"
#include "replay/choose/run_choice.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace ptosync::compare {
namespace {

std::map<std::string, double> instructionsIn(const Kernel &kernel) {
  std::map<std::string, double> counts;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *instruction = std::get_if<Instruction>(&statement.action))
        ++counts[instruction->name];
  return counts;
}

/// A kernel that does nothing is like no other: a name is all that it has.
bool muchAlike(const Kernel &a, const Kernel &b) {
  std::map<std::string, double> left = instructionsIn(a), right = instructionsIn(b);
  return !left.empty() && likeness(left, right) >= kLeastLikeness;
}

} // namespace

std::vector<KernelPair> matchKernels(const Module &a, const Module &b) {
  std::vector<KernelPair> pairs;
  std::vector<bool> taken(b.kernels.size(), false);
  auto pairWith = [&](KernelPair &pair, auto fits) {
    for (std::size_t i = 0; i < b.kernels.size() && !pair.b; ++i)
      if (!taken[i] && b.kernels[i].section == pair.a->section && fits(b.kernels[i])) {
        pair.b = &b.kernels[i];
        taken[i] = true;
      }
  };
  pairs.reserve(a.kernels.size());
  for (const Kernel &kernel : a.kernels)
    pairs.push_back({&kernel, nullptr});
  for (KernelPair &pair : pairs)
    pairWith(pair, [&](const Kernel &other) { return other.name == pair.a->name; });
  for (KernelPair &pair : pairs)
    if (!pair.b)
      pairWith(pair, [&](const Kernel &other) { return muchAlike(*pair.a, other); });
  std::map<std::string, std::string> renamed; // by a core that was found so: the other core has the same names
  for (const KernelPair &pair : pairs)
    if (pair.b)
      renamed.emplace(pair.a->name, pair.b->name);
  for (KernelPair &pair : pairs)
    if (auto name = renamed.find(pair.a->name); !pair.b && name != renamed.end())
      pairWith(pair, [&](const Kernel &other) { return other.name == name->second; });
  for (std::size_t i = 0; i < b.kernels.size(); ++i)
    if (!taken[i])
      pairs.push_back({nullptr, &b.kernels[i]});
  return pairs;
}

namespace {

using timing::KernelEstimate;
using timing::KernelTiming;

/// One version of one core with all that is asked of it.
struct TimedVersion {
  explicit TimedVersion(const KernelTiming &timing, const Machine &machine)
      : timing(timing), estimate(timing.estimate()),
        outline(outlineOf(timing.subject().kernel, timing.subject().nest, machine)), runs(orderedPairs(timing)),
        executions(executionsOf(timing)) {
    for (const timing::LoopEstimate &loop : estimate.loops)
      loopEstimates[loop.loop] = loop;
  }

  double executed(const OutlineItem &item) const {
    if (item.family == Family::Sync) {
      auto run = runs.find(item.statement);
      return run == runs.end() ? 0 : run->second.executions;
    }
    auto found = executions.find(item.statement);
    return found == executions.end() ? 0 : found->second;
  }

  const KernelTiming &timing;
  KernelEstimate estimate;
  Outline outline;
  SyncRuns runs;
  std::map<const Statement *, double> executions;
  std::map<replay::LoopId, timing::LoopEstimate> loopEstimates;
};

using CountTable = std::map<std::pair<Family, std::string>, KindCount>;

void addCounts(CountTable &table, const TimedVersion &version, double Both::*side,
               const std::function<bool(const OutlineItem &)> &wanted) {
  for (const OutlineItem &item : version.outline.items) {
    if (item.family == Family::Boundary || !wanted(item))
      continue;
    KindCount &count = table[{item.family, item.kind}];
    count.family = item.family;
    count.kind = item.kind;
    count.statements.*side += 1;
    count.executed.*side += version.executed(item);
  }
}

std::vector<KindCount> listOf(const CountTable &table) {
  std::vector<KindCount> list;
  for (const auto &[key, count] : table)
    list.push_back(count);
  return list;
}

/// Of two cores of one kernel, matched and analysed.
class CoreComparer {
public:
  CoreComparer(KernelComparison &result, const TimedVersion &a, const TimedVersion &b) : result(result), a(a), b(b) {}

  void compare() {
    times();
    std::vector<LoopPair> loops = matchLoops(a.outline, b.outline);
    result.counts = counts([](const OutlineItem &) { return true; }, [](const OutlineItem &) { return true; });
    auto outsideLoops = [](const OutlineItem &item) { return item.loop == kNone; };
    result.outside = counts(outsideLoops, outsideLoops);
    for (const LoopPair &loop : loops)
      result.loops.push_back(compareLoop(loop));
    compareSyncs(loops);
  }

private:
  using Wanted = std::function<bool(const OutlineItem &)>;

  std::vector<KindCount> counts(const Wanted &inA, const Wanted &inB) const {
    CountTable table;
    addCounts(table, a, &Both::a, inA);
    addCounts(table, b, &Both::b, inB);
    return listOf(table);
  }

  void times() {
    result.run = a.estimate.run;
    if (!(a.timing.inputs() == b.timing.inputs()))
      result.runB = b.estimate.run;
    result.extrapolated = a.estimate.extrapolated || b.estimate.extrapolated;
    result.cut = a.estimate.cut || b.estimate.cut;
    result.cycles = {a.estimate.cycles, b.estimate.cycles};
    result.limit = {a.estimate.limit, b.estimate.limit};
    for (Pipe pipe : kPipes)
      result.busy[index(pipe)] = {a.estimate.busy[index(pipe)], b.estimate.busy[index(pipe)]};
  }

  LoopComparison compareLoop(const LoopPair &pair) const {
    LoopComparison loop;
    auto fill = [&](const TimedVersion &version, std::optional<std::size_t> entry,
                    double Both::*side) -> replay::LoopId {
      if (!entry)
        return kNone;
      const OutlineLoop &facts = version.outline.loops[*entry];
      loop.depth = facts.depth;
      if (auto found = version.loopEstimates.find(facts.loop); found != version.loopEstimates.end()) {
        loop.iterations.*side = found->second.iterations;
        loop.cycles.*side = found->second.cycles;
        loop.limit.*side = found->second.limit;
      }
      const replay::LoopNest &nest = version.timing.subject().nest;
      for (const OutlineItem &item : version.outline.items)
        for (replay::LoopId around = item.loop; item.family == Family::Sync && around != kNone;
             around = nest.loops()[around].parent)
          loop.syncs.*side += around == facts.loop;
      return facts.loop;
    };
    replay::LoopId inB = fill(b, pair.b, &Both::b), inA = fill(a, pair.a, &Both::a);
    if (pair.a)
      loop.lineA = a.outline.loops[*pair.a].line;
    if (pair.b)
      loop.lineB = b.outline.loops[*pair.b].line;
    loop.counts = counts([&](const OutlineItem &item) { return inA != kNone && item.loop == inA; },
                         [&](const OutlineItem &item) { return inB != kNone && item.loop == inB; });
    return loop;
  }

  void compareSyncs(const std::vector<LoopPair> &loops) {
    std::vector<SyncPair> pairs = matchSyncs({a.outline, a.runs}, {b.outline, b.runs}, loops);
    std::map<SiteId, double> costsA = costs(a, pairs, &SyncPair::a), costsB = costs(b, pairs, &SyncPair::b);
    for (const SyncPair &pair : pairs) {
      SyncComparison sync;
      sync.change = pair.change;
      if (pair.a)
        sync.a = place(a, *pair.a, costsA);
      if (pair.b)
        sync.b = place(b, *pair.b, costsB);
      const TimedVersion &shown = pair.b ? b : a;
      std::size_t item = pair.b ? *pair.b : *pair.a;
      sync.kind = shown.outline.items[item].kind;
      OrderedPair ordered = pairOf(shown, item);
      if (!ordered.empty()) {
        sync.earlier = nameOf(ordered.earlier);
        sync.later = nameOf(ordered.later);
        sync.carried = ordered.carried;
      }
      if (pair.change == MatchKind::Widened || pair.change == MatchKind::Narrowed)
        sync.before = a.outline.items[*pair.a].kind;
      if (pair.change == MatchKind::Changed)
        if (OrderedPair was = pairOf(a, *pair.a); !was.empty())
          sync.before =
              nameOf(was.earlier) + " -> " + nameOf(was.later) + (was.carried ? ", carried round the loop" : "");
      result.syncs.push_back(std::move(sync));
    }
  }

  /// What the syncs that differ cost, each alone; those that are the same are not asked for.
  static std::map<SiteId, double> costs(const TimedVersion &version, const std::vector<SyncPair> &pairs,
                                        std::optional<std::size_t> SyncPair::*side) {
    std::set<SiteId> wanted;
    for (const SyncPair &pair : pairs)
      if (pair.*side && pair.change != MatchKind::Same)
        wanted.insert(siteOf(version, *(pair.*side)));
    std::map<SiteId, double> costs;
    if (!wanted.empty())
      for (const timing::SyncCost &cost : version.timing.syncCosts([&](SiteId site) { return wanted.count(site) > 0; }))
        costs[cost.site] = cost.gain;
    return costs;
  }

  static SiteId siteOf(const TimedVersion &version, std::size_t item) {
    return std::get<Sync>(version.outline.items[item].statement->action).site;
  }

  static OrderedPair pairOf(const TimedVersion &version, std::size_t item) {
    auto run = version.runs.find(version.outline.items[item].statement);
    return run == version.runs.end() ? OrderedPair() : run->second.pair;
  }

  static std::string nameOf(const Statement *statement) {
    const auto *instruction = std::get_if<Instruction>(&statement->action);
    return instruction ? instruction->name : "";
  }

  static SyncPlace place(const TimedVersion &version, std::size_t item, const std::map<SiteId, double> &costs) {
    const OutlineItem &outlined = version.outline.items[item];
    SyncPlace place;
    place.line = outlined.statement->line;
    place.offset = outlined.statement->range.begin;
    const Kernel &kernel = version.timing.subject().kernel;
    for (std::uint32_t context = outlined.statement->context; context != 0; context = kernel.contexts[context].parent)
      place.calledFrom.push_back(kernel.contexts[context].callLine);
    if (outlined.loop != kNone)
      place.loopLine = version.timing.subject().nest.loops()[outlined.loop].line;
    place.executions = version.executed(outlined);
    if (auto cost = costs.find(siteOf(version, item)); cost != costs.end())
      place.cost = cost->second;
    return place;
  }

  KernelComparison &result;
  const TimedVersion &a, &b;
};

/// True if a number in one version's inputs means the same in the other.
bool sameParameters(const Kernel &a, const Kernel &b, const Machine &machine, const replay::Options &options) {
  std::map<std::uint32_t, replay::NamedArgument> known;
  for (replay::NamedArgument &argument : replay::argumentsOf(replay::Subject(a, machine, options)))
    known.emplace(argument.number, std::move(argument));
  for (const replay::NamedArgument &argument : replay::argumentsOf(replay::Subject(b, machine, options)))
    if (auto same = known.find(argument.number);
        same != known.end() && (same->second.pointer != argument.pointer || !(same->second.type == argument.type)))
      return false;
  return true;
}

class ModuleComparer {
public:
  ModuleComparer(const Machine &machine, const timing::CostTable &costs, const CompareOptions &options)
      : machine(machine), costs(costs), options(options) {}

  void compare(const std::vector<KernelPair> &pairs) {
    std::map<std::string, std::vector<std::size_t>> together; // the cores of one kernel, by its name in A
    for (const KernelPair &pair : pairs) {
      result.kernels.push_back(headOf(pair));
      if (result.kernels.back().compared())
        together[pair.a->name].push_back(result.kernels.size() - 1);
    }
    for (const auto &[name, cores] : together)
      compareCores(pairs, cores);
  }

  /// Adds what both cores of a kernel take together. `a` is the module of version A in the pairs.
  void joinCores(const Module &a, const std::vector<KernelPair> &pairs) {
    std::set<std::string> joined;
    for (const timing::CorePair &inA : timing::corePairs(a.kernels, machine)) {
      timing::CorePair inB{partnerOf(pairs, inA.cube), partnerOf(pairs, inA.vec)};
      if (!inB.cube || !inB.vec)
        continue;
      timing::JoinedCores coresA(inA, {timingOf(inA.cube), timingOf(inA.vec)}, machine, options.replay, costs);
      bool same = sameParameters(*inA.cube, *inB.cube, machine, options.replay) &&
                  sameParameters(*inA.vec, *inB.vec, machine, options.replay);
      timing::JoinedCores coresB =
          same ? timing::JoinedCores(inB, coresA.inputs(), machine, options.replay, costs)
               : timing::JoinedCores(inB, {timingOf(inB.cube), timingOf(inB.vec)}, machine, options.replay, costs);
      compareJoined(coresA, coresB);
      if (result.cores.back().apart.empty())
        joined.insert({inA.cube->name, inA.vec->name});
    }
    for (const auto &[name, alone] : slower)
      if (!joined.count(name))
        addUp(result.together, result.togetherLimit, alone.first, alone.second);
  }

  Comparison take() { return std::move(result); }

private:
  static KernelComparison headOf(const KernelPair &pair) {
    KernelComparison head;
    head.section = (pair.a ? pair.a : pair.b)->section;
    if (pair.a) {
      head.nameA = pair.a->name;
      head.lineA = pair.a->line;
      if (!pair.a->analysable)
        head.notAnalysed = "A: " + pair.a->reason;
    }
    if (pair.b) {
      head.nameB = pair.b->name;
      head.lineB = pair.b->line;
      if (!pair.b->analysable)
        head.notAnalysed += (head.notAnalysed.empty() ? "B: " : "; B: ") + pair.b->reason;
    }
    return head;
  }

  static void addUp(Both &cycles, Both &limit, const Both &moreCycles, const Both &moreLimit) {
    for (double Both::*side : {&Both::a, &Both::b}) {
      cycles.*side += moreCycles.*side;
      limit.*side += moreLimit.*side;
    }
  }

  static const Kernel *partnerOf(const std::vector<KernelPair> &pairs, const Kernel *inA) {
    for (const KernelPair &pair : pairs)
      if (pair.a == inA)
        return pair.b && pair.b->analysable ? pair.b : nullptr;
    return nullptr;
  }

  const KernelTiming *timingOf(const Kernel *kernel) const {
    for (const KernelTiming &timing : timed)
      if (&timing.subject().kernel == kernel)
        return &timing;
    return nullptr;
  }

  void compareJoined(const timing::JoinedCores &a, const timing::JoinedCores &b) {
    CoresComparison cores{a.name(), {}, {}, {}};
    if (!a.apart().empty() || !b.apart().empty()) {
      cores.apart = a.apart().empty() ? "B: " + b.apart() : "A: " + a.apart();
    } else {
      timing::CoresEstimate inA = a.estimate(), inB = b.estimate();
      cores.cycles = {inA.cycles, inB.cycles};
      cores.limit = {inA.limit, inB.limit};
      addUp(result.together, result.togetherLimit, cores.cycles, cores.limit);
      if (options.joined)
        options.joined(a, b);
    }
    result.cores.push_back(std::move(cores));
  }

  void compareCores(const std::vector<KernelPair> &pairs, const std::vector<std::size_t> &cores) {
    std::vector<const Kernel *> a, b;
    bool same = true;
    for (std::size_t core : cores) {
      a.push_back(pairs[core].a);
      b.push_back(pairs[core].b);
      same = same && sameParameters(*a.back(), *b.back(), machine, options.replay);
    }
    std::vector<KernelTiming> timings = time(a, b, same);
    Both slowest, limit;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      TimedVersion versionA(timings[i], machine), versionB(timings[cores.size() + i], machine);
      KernelComparison &kernel = result.kernels[cores[i]];
      CoreComparer(kernel, versionA, versionB).compare();
      if (options.timed)
        options.timed(cores[i], timings[i], timings[cores.size() + i]);
      for (double Both::*side : {&Both::a, &Both::b})
        if (kernel.cycles.*side > slowest.*side) {
          slowest.*side = kernel.cycles.*side;
          limit.*side = kernel.limit.*side;
        }
    }
    addUp(result.cycles, result.limit, slowest, limit);
    slower[pairs[cores.front()].a->name] = {slowest, limit};
    std::move(timings.begin(), timings.end(), std::back_inserter(timed));
  }

  /// All cores of both versions in one run. Arguments that the user fixed are named as in A: it chooses the run then.
  std::vector<KernelTiming> time(const std::vector<const Kernel *> &a, const std::vector<const Kernel *> &b,
                                 bool same) {
    std::vector<const Kernel *> all = a;
    all.insert(all.end(), b.begin(), b.end());
    if (same && options.replay.arguments.empty())
      return timing::timeCores(all, machine, options.replay, costs);
    std::vector<KernelTiming> timings = timing::timeCores(a, machine, options.replay, costs);
    std::optional<replay::Inputs> inputs;
    if (same)
      inputs = timings.front().inputs();
    for (KernelTiming &timing : timing::timeCores(b, machine, options.replay, costs, inputs))
      timings.push_back(std::move(timing));
    return timings;
  }

  const Machine &machine;
  const timing::CostTable &costs;
  const CompareOptions &options;
  Comparison result;
  std::map<std::string, std::pair<Both, Both>> slower; // by kernel of A: its slower core's cycles and limit
  std::vector<KernelTiming> timed;
};

llvm::Error checkNamedArguments(const std::vector<KernelPair> &pairs, const Machine &machine,
                                const replay::Options &options) {
  if (options.arguments.empty())
    return llvm::Error::success();
  std::vector<std::unique_ptr<replay::Subject>> subjects;
  std::vector<const replay::Subject *> all;
  for (const KernelPair &pair : pairs)
    if (pair.a && pair.b && pair.a->analysable) {
      subjects.push_back(std::make_unique<replay::Subject>(*pair.a, machine, options));
      all.push_back(subjects.back().get());
    }
  return replay::checkArguments(all, options);
}

std::string namesOf(const Module &module) {
  std::string text;
  std::set<std::string> names;
  for (const Kernel &kernel : module.kernels)
    if (names.insert(kernel.name).second)
      text += (text.empty() ? "" : ", ") + kernel.name;
  return text.empty() ? "no kernel" : text;
}

} // namespace

bool KernelComparison::idle() const {
  return std::all_of(counts.begin(), counts.end(), [](const KindCount &count) { return count.kind == "end fence"; });
}

std::size_t KernelComparison::count(MatchKind change) const {
  return static_cast<std::size_t>(
      std::count_if(syncs.begin(), syncs.end(), [&](const SyncComparison &sync) { return sync.change == change; }));
}

bool KernelComparison::same() const {
  return compared() && count(MatchKind::Same) == syncs.size() &&
         std::all_of(counts.begin(), counts.end(), [](const KindCount &count) { return count.same(); }) &&
         std::abs(cycles.a - cycles.b) < 0.5 && std::abs(limit.a - limit.b) < 0.5;
}

std::vector<const SyncComparison *> changedStatements(const Comparison &comparison) {
  std::set<std::tuple<MatchKind, std::uint32_t, std::uint32_t>> seen;
  std::vector<const SyncComparison *> changed;
  for (const KernelComparison &kernel : comparison.kernels) {
    if (!kernel.compared())
      continue;
    for (const SyncComparison &sync : kernel.syncs)
      if (sync.change != MatchKind::Same &&
          seen.emplace(sync.change, sync.a ? sync.a->offset : 0, sync.b ? sync.b->offset : 0).second)
        changed.push_back(&sync);
  }
  return changed;
}

bool Comparison::anyTogether() const {
  return std::any_of(cores.begin(), cores.end(), [](const CoresComparison &kernel) { return kernel.apart.empty(); });
}

llvm::Expected<Comparison> compareModules(const Module &a, const Module &b, const Machine &machine,
                                          const timing::CostTable &costs, const CompareOptions &options) {
  std::vector<KernelPair> pairs = matchKernels(a, b);
  if (std::none_of(pairs.begin(), pairs.end(), [](const KernelPair &pair) { return pair.a && pair.b; }))
    return llvm::createStringError("no kernel of " + a.source.name() + " (" + namesOf(a) + ") has a partner in " +
                                   b.source.name() + " (" + namesOf(b) +
                                   "): expected two versions of one file, kernels are matched by name");
  if (llvm::Error error = checkNamedArguments(pairs, machine, options.replay))
    return std::move(error);
  ModuleComparer comparer(machine, costs, options);
  comparer.compare(pairs);
  comparer.joinCores(a, pairs);
  return comparer.take();
}

} // namespace ptosync::compare
