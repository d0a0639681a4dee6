#include "replay/choose/run_search.h"

#include "replay/choose/aimed_runs.h"
#include "replay/choose/impossible_ways.h"
#include "replay/choose/retrace.h"
#include "replay/run/interpreter.h"

#include <llvm/ADT/BitVector.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace ptosync::replay {

namespace {

constexpr std::uint64_t kFewestSearchScouts = 10;                      // no single one may spend more than its part
constexpr std::int64_t kLargestCount = 4096;                           // of iterations that are tried by number
constexpr std::size_t kMostProposals = 4;                              // for one evaluation of a condition
constexpr std::size_t kMostRetraced = 4;                               // runs that one way is sought from
constexpr std::size_t kMostTogetherTries = 40, kMostTogetherRuns = 12; // for ways together
constexpr std::size_t kMostItems = 96;                                 // that are to be met together

/// A loop is to run so often.
using Trips = std::pair<LoopId, std::uint64_t>;

struct SearchedRun {
  Inputs inputs;
  bool found = false; // by the search
  bool scouted = false;
  Shown shown = {};
  Tape tape = {};
};

/// A way, or a loop that runs twice or more.
struct Item {
  Way way;
  LoopId loop = kNone; // not kNone: that is meant
};

class RunSearch {
public:
  RunSearch(Subject &subject, const Options &options, const std::vector<Inputs> &known, const Shown &shown)
      : subject(subject), options(options), ways(subject.ways()) {
    for (const Inputs &inputs : known)
      runs.push_back({inputs});
    for (BlockId block = 0; block < subject.kernel.blocks.size(); ++block)
      if (options.aims && !shown.blocks.count(block) && subject.nest.reachable(block) && isAim(block))
        aims.insert(block);
    for (const Way &way : ways.open())
      if (!shown.ways.count(way))
        left.insert(way);
    const std::set<std::uint32_t> deciding = controlArguments(subject.kernel);
    ArgumentValues given;
    for (const NamedArgument &argument : argumentsOf(subject)) {
      if (auto value = options.arguments.find(argument.name); value != options.arguments.end()) {
        fixed.insert(argument.number);
        given.emplace(argument.number, value->second);
      } else if (!argument.pointer && (argument.type != kAddress || deciding.count(argument.number))) {
        arguments.push_back(argument);
      }
    }
    if (!options.aims) {
      impossible = impossibleWays(subject, left, given);
      for (const Way &way : impossible)
        left.erase(way);
      addTrips(shown);
    }
  }

  SearchResult search() {
    if (!left.empty() && maySpend())
      tryAllAlike();
    if (std::any_of(left.begin(), left.end(), [&](const Way &way) { return ways.isCounted(way); }))
      tryNumbers();
    for (std::size_t base = 0; base < runs.size() && !(left.empty() && leftTrips.empty()) && maySpend(); ++base)
      seekFrom(base);
    if (!options.aims)
      seekTogether();
    SearchResult result;
    result.impossible = std::move(impossible);
    for (const SearchedRun &run : runs)
      if (run.found)
        result.runs.push_back(run.inputs);
    for (const Way &way : left)
      // Of an id or an index most numbers are never meant, and most loops with a bound of their own run at least once:
      // open are those that some input is known to lead to.
      if (const bool few = way.kind == Way::Kind::Number ? ways.isIndex(way)
                                                         : way.kind == Way::Kind::Skipped && judged.count(way.what);
          !few || turnable.count(way) || !asked.count(way))
        result.left.insert(way);
    return result;
  }

private:
  /// Wishes loops that inputs end to run as often as shows what one iteration leaves to the next.
  void addTrips(const Shown &shown) {
    for (LoopId loop = 0; loop < subject.nest.loops().size(); ++loop) {
      if (!isOpen(loop))
        continue;
      auto seen = shown.trips.find(loop);
      for (std::uint64_t trips : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, subject.ringDepth + 1})
        if (seen == shown.trips.end() || !seen->second.count(trips))
          leftTrips.insert({loop, trips});
    }
  }

  BlockId headerOf(LoopId loop) const { return subject.nest.loops()[loop].header; }
  bool isOpen(LoopId loop) const {
    return std::binary_search(ways.open().begin(), ways.open().end(), Way{Way::Kind::Branch, headerOf(loop), true});
  }

  bool isAim(BlockId block) const {
    const std::vector<Statement> &statements = subject.kernel.blocks[block].statements;
    return std::any_of(statements.begin(), statements.end(), [&](const Statement &statement) {
      return std::holds_alternative<Sync>(statement.action) && options.aims->count(statement.line);
    });
  }

  bool maySpend() const {
    return spent < options.budget.searchStatements && found < options.budget.searchRuns &&
           !(options.aims && aims.empty());
  }

  /// Returns true if the kernel came to its end, by arithmetic that C++ says something of.
  bool scout(SearchedRun &run) {
    RunRequest request;
    request.inputs = run.inputs;
    request.detail = Detail::Scout;
    request.tape = &run.tape;
    Budget budget = options.budget;
    budget.statements = std::min(budget.searchStatements / kFewestSearchScouts, budget.searchStatements - spent);
    Trace trace = interpret(subject, request, budget);
    spent += trace.statements;
    run.scouted = true;
    run.shown.add(trace);
    return trace.ending == Ending::Returned && !trace.overflowed;
  }

  /// Empty if it was tried before, or does not come to its end.
  std::optional<SearchedRun> tryOut(const Inputs &inputs) {
    const std::optional<Inputs> assumed = asAssumed(subject.kernel, inputs, {});
    if (!maySpend() || !assumed || *assumed != inputs || llvm::is_contained(tried, inputs))
      return std::nullopt;
    tried.push_back(inputs);
    SearchedRun run{inputs, true};
    return scout(run) ? std::optional(std::move(run)) : std::nullopt;
  }

  void keep(SearchedRun run) {
    for (const Way &way : run.shown.ways)
      left.erase(way);
    std::erase_if(leftTrips, [&](const Trips &wish) { return hasTrips(run, wish); });
    for (BlockId block : run.shown.blocks)
      aims.erase(block);
    runs.push_back(std::move(run));
    ++found;
  }

  /// Keeps a run that takes a way that is left, or a loop as often as one is to run.
  void attempt(const Inputs &inputs) {
    std::optional<SearchedRun> run = tryOut(inputs);
    if (run && (std::any_of(left.begin(), left.end(), [&](const Way &way) { return run->shown.ways.count(way); }) ||
                std::any_of(leftTrips.begin(), leftTrips.end(), [&](const Trips &t) { return hasTrips(*run, t); })))
      keep(std::move(*run));
  }

  /// All arguments alike: negative ones meet every lower bound at once, and large ones every upper bound.
  void tryAllAlike() {
    for (std::int64_t value : {std::int64_t{-1}, std::int64_t{-1000}, std::int64_t{4096}, std::int64_t{INT32_MAX},
                               std::int64_t{INT32_MIN}}) {
      if (left.empty())
        return;
      Inputs inputs = runs.front().inputs;
      for (const NamedArgument &argument : arguments)
        inputs.arguments[argument.number] = value;
      attempt(inputs);
    }
  }

  /// Each argument alone as what the kernel compares with, and as its neighbours: for what counts how often a loop
  /// runs.
  void tryNumbers() {
    const Inputs base = runs.front().inputs;
    for (const NamedArgument &argument : arguments)
      for (std::int64_t number : subject.memoryPool)
        for (std::int64_t near : {number, number - 1, number + 1}) {
          if (left.empty() || near < 0 || near > kLargestCount)
            continue;
          Inputs inputs = base;
          inputs.arguments[argument.number] = near;
          attempt(inputs);
        }
  }

  /// Returns true if a run comes by where the way begins.
  bool passes(const SearchedRun &run, const Way &way) const {
    if (way.kind == Way::Kind::Branch || way.kind == Way::Kind::Choice)
      return run.shown.ways.count({way.kind, way.what, !way.taken}) != 0;
    return run.shown.blocks.count(ways.blockOf(way)) != 0;
  }

  static bool hasTrips(const SearchedRun &run, const Trips &wish) {
    auto seen = run.shown.trips.find(wish.first);
    return seen != run.shown.trips.end() && seen->second.count(wish.second);
  }

  void seekFrom(std::size_t base) {
    if (!runs[base].scouted)
      scout(runs[base]);
    RetraceRequest request;
    request.fixed = fixed;
    for (const Way &way : left)
      if (passes(runs[base], way) && asked[way] < kMostRetraced) {
        request.wanted.insert(way);
        ++asked[way];
      }
    if (base < kMostRetraced)
      for (const Trips &wish : leftTrips)
        request.headers.insert(headerOf(wish.first));
    if (request.wanted.empty() && request.headers.empty())
      return;
    const Inputs inputs = runs[base].inputs;
    const Retraced traced = retrace(subject, inputs, request, runs[base].tape);
    judged.insert(traced.entered.begin(), traced.entered.end());
    for (const auto &[way, conditions] : traced.turning) {
      if (way.kind != Way::Kind::Skipped || leavesOnEntry(traced, way))
        turnable.insert(way);
      for (std::size_t i = 0; i < conditions.size() && left.count(way); ++i)
        for (const Inputs &changed : turned(traced, inputs, conditions[i], Preferred::Small))
          if (left.count(way))
            attempt(changed);
    }
    const std::set<Trips> wishes = leftTrips;
    for (const Trips &wish : wishes)
      if (traced.visits.count(headerOf(wish.first)))
        for (const Inputs &changed : turned(traced, inputs, visitToTurn(traced, wish), Preferred::Small))
          if (leftTrips.count(wish))
            attempt(changed);
  }

  /// True if some inputs lead to the loop as in the run and leave it on entry, as far as that is derived: not those
  /// with which the loop around it, or the branch in front of it, goes the other way as well.
  bool leavesOnEntry(const Retraced &traced, const Way &way) const {
    const std::vector<Derived> &conditions = traced.turning.at(way);
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      std::vector<Derived> path(traced.path.begin(),
                                traced.path.begin() + static_cast<std::ptrdiff_t>(traced.before.at(way)[i]));
      Cone cone(traced.derivation, path);
      if (!path.empty() && cone.empty())
        return true; // too large to tell
      for (const SourceChanges &changes : proposalsFor(traced.derivation, conditions[i], conditions[i].bits == 0,
                                                       subject.memoryPool, Preferred::Small, kMostProposals)) {
        cone.evaluate(changes);
        if (std::all_of(path.begin(), path.end(), [&](const Derived &condition) {
              return (cone.bitsOf(condition) != 0) == (condition.bits != 0);
            }))
          return true;
      }
    }
    return false;
  }

  /// The visit of a loop behind so many iterations, of those that were run first; the last one if it is left before
  /// that.
  Derived visitToTurn(const Retraced &traced, const Trips &wish) const {
    const std::vector<Derived> &visits = traced.visits.at(headerOf(wish.first));
    const Terminator &terminator = subject.kernel.blocks[headerOf(wish.first)].terminator;
    const bool stays = subject.nest.contains(wish.first, terminator.whenTrue);
    std::size_t visit = 0;
    while (visit + 1 < visits.size() && visit < wish.second && (visits[visit].bits != 0) == stays)
      ++visit;
    return visits[visit];
  }

  /// Inputs with which the condition goes the other way, as far as it is derived as in the run.
  std::vector<Inputs> turned(const Retraced &traced, const Inputs &inputs, const Derived &condition,
                             Preferred preferred) const {
    std::vector<Inputs> list;
    for (const SourceChanges &changes :
         proposalsFor(traced.derivation, condition, condition.bits == 0, subject.memoryPool, preferred, kMostProposals))
      list.push_back(withChanges(inputs, traced.derivation, changes));
    return list;
  }

  /// Runs that take two ways of which each was taken in a run without the other: what one leaves, the other meets.
  void seekTogether() {
    for (const Way &way : ways.open())
      if (!left.count(way))
        items.push_back({way});
    for (LoopId loop = 0; loop < subject.nest.loops().size(); ++loop)
      if (isOpen(loop))
        items.push_back({{}, loop});
    if (items.size() < 3 || items.size() > kMostItems)
      return;
    const auto count = static_cast<unsigned>(items.size());
    met.assign(count, llvm::BitVector(count));
    for (SearchedRun &run : runs) {
      if (!run.scouted && maySpend())
        scout(run);
      meet(itemsOf(run));
    }
    std::size_t kept = 0;
    for (std::size_t tries = 0; tries < kMostTogetherTries && kept < kMostTogetherRuns && maySpend(); ++tries) {
      const std::optional<std::pair<std::size_t, unsigned>> turn = mostTelling();
      if (!turn)
        return;
      triedTurns.insert(*turn);
      kept += seekItem(turn->first, items[turn->second]);
    }
  }

  llvm::BitVector itemsOf(const SearchedRun &run) const {
    llvm::BitVector has(static_cast<unsigned>(items.size()));
    for (unsigned i = 0; i < has.size(); ++i)
      if (hasItem(run, items[i]))
        has.set(i);
    return has;
  }

  static bool hasItem(const SearchedRun &run, const Item &item) {
    if (item.loop == kNone)
      return run.shown.ways.count(item.way) != 0;
    auto seen = run.shown.trips.find(item.loop);
    return seen != run.shown.trips.end() && *seen->second.rbegin() > 1;
  }

  /// Returns true if some of these have not been met together before.
  bool meet(const llvm::BitVector &has) {
    bool fresh = false;
    for (unsigned item : has.set_bits()) {
      fresh = fresh || has.test(met[item]); // any that is not in `met`
      met[item] |= has;
    }
    return fresh;
  }

  /// A run, and an item that it comes by and does not have, which would be met with most that it was not met with yet.
  std::optional<std::pair<std::size_t, unsigned>> mostTelling() const {
    std::optional<std::pair<std::size_t, unsigned>> best;
    std::size_t most = 0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      if (!runs[run].scouted)
        continue;
      const llvm::BitVector has = itemsOf(runs[run]);
      for (unsigned item = 0; item < items.size(); ++item) {
        const bool comesBy = items[item].loop == kNone ? passes(runs[run], items[item].way)
                                                       : runs[run].shown.trips.count(items[item].loop) != 0;
        if (has.test(item) || !comesBy || triedTurns.count({run, item}))
          continue;
        llvm::BitVector fresh = has;
        fresh.reset(met[item]);
        if (fresh.count() > most) {
          most = fresh.count();
          best = {run, item};
        }
      }
    }
    return best;
  }

  /// Returns true if a run was kept.
  bool seekItem(std::size_t base, const Item &item) {
    const Inputs inputs = runs[base].inputs;
    RetraceRequest request;
    request.fixed = fixed;
    if (item.loop == kNone)
      request.wanted.insert(item.way);
    else
      request.headers.insert(headerOf(item.loop));
    const Retraced traced = retrace(subject, inputs, request, runs[base].tape);
    std::vector<Derived> conditions;
    if (item.loop != kNone && traced.visits.count(headerOf(item.loop)))
      conditions.push_back(visitToTurn(traced, {item.loop, 2}));
    if (auto turning = traced.turning.find(item.way); item.loop == kNone && turning != traced.turning.end())
      conditions = turning->second;
    conditions.resize(std::min<std::size_t>(conditions.size(), 2));
    for (const Derived &condition : conditions)
      for (const Inputs &changed : turned(traced, inputs, condition, Preferred::Near))
        if (std::optional<SearchedRun> run = tryOut(changed); run && hasItem(*run, item) && meet(itemsOf(*run))) {
          keep(std::move(*run));
          return true;
        }
    return false;
  }

  Subject &subject;
  const Options &options;
  const Ways &ways;
  std::vector<NamedArgument> arguments; // that may change
  std::set<std::uint32_t> fixed;
  std::vector<SearchedRun> runs; // known ones first
  std::vector<Inputs> tried;
  std::set<Way> left, impossible;
  std::set<Trips> leftTrips;
  std::set<BlockId> aims;           // that no run has reached
  std::map<Way, std::size_t> asked; // from so many runs
  std::set<BlockId> judged;         // headers of loops of which it is known what inputs have to do with their entry
  std::set<Way> turnable;           // of those that were asked for: some inputs may turn it
  std::vector<Item> items;
  std::vector<llvm::BitVector> met; // by item: the items that some run has together with it
  std::set<std::pair<std::size_t, unsigned>> triedTurns;
  std::uint64_t spent = 0;
  std::size_t found = 0;
};

} // namespace

SearchResult searchRuns(Subject &subject, const Options &options, const std::vector<Inputs> &known,
                        const Shown &shown) {
  return RunSearch(subject, options, known, shown).search();
}

} // namespace ptosync::replay
