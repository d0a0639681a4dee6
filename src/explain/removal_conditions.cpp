#include "explain/removal_conditions.h"

#include "audit/separate_storage.h"
#include "explain/sync_effect.h"
#include "optimize/wording.h"

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

constexpr std::size_t kMostJoinTrials = 12;
constexpr std::size_t kMostMovedTiles = 4;
constexpr std::size_t kShownPairs = 3;

class ConditionFinder {
public:
  ConditionFinder(const AnalysedFile &file, const SyncExplanation &explained) : file(file), explained(explained) {
    for (const SyncExplanation::Statement &statement : explained.statements)
      sites.insert(statement.site);
    for (std::size_t k = 0; k < file.kernels().size(); ++k)
      if (file.runsThrough(k, *sites.begin()))
        kernels.push_back(k);
  }

  std::vector<RemovalCondition> run() {
    if (kernels.empty() || file.module.sites[explained.decision.site].protection != Protection::None)
      return {};
    tryOptions();
    if (explained.kind == SyncKind::Barrier && needsSomething()) {
      tryNarrowerBarrier();
      tryJoining();
    }
    if (needsSomething() && explained.trouble.empty())
      trySeparateStorage();
    if (needsSomething())
      sayWhatWouldDo();
    return std::move(conditions);
  }

private:
  using Kind = RemovalCondition::Kind;

  const SyncSite &site() const { return file.module.sites[explained.decision.site]; }

  bool needsSomething() const {
    return std::any_of(explained.effects.begin(), explained.effects.end(),
                       [](const SyncEffect &effect) { return !effect.needed.empty(); });
  }

  std::vector<Conflict> needed() const {
    std::vector<Conflict> conflicts;
    for (const SyncEffect &effect : explained.effects)
      for (const SyncEffect::Needed &entry : effect.needed)
        conflicts.push_back(entry.conflict);
    return conflicts;
  }

  bool removedWith(const Catalogue &patterns, const OptimizeOptions &options) const {
    OptimizeResult result = optimize(file.module, file.machine, patterns, options);
    return result.decisions[explained.decision.site].verdict == Verdict::Removed;
  }

  void tryOptions() {
    struct Choice {
      const char *text;
      bool applies;
      void (*set)(OptimizeOptions &);
    };
    const OrderingOptions &given = file.options.ordering;
    const Choice choices[] = {
        {"--trust=library", given.trust == Trust::Tile, [](OptimizeOptions &o) { o.ordering.trust = Trust::Library; }},
        {"--m-accumulate-order (contested)", !given.accumulateOrder && file.machine.rule("m-accumulate-order"),
         [](OptimizeOptions &o) { o.ordering.accumulateOrder = true; }},
        {"--a5-vector-order=on", !given.vectorOrder && file.machine.rule("vector-order"),
         [](OptimizeOptions &o) { o.ordering.vectorOrder = true; }},
        {"no --strict-copies", given.strictCopies, [](OptimizeOptions &o) { o.ordering.strictCopies = false; }},
        {"no --gm-may-alias", given.argumentsMayAlias,
         [](OptimizeOptions &o) { o.ordering.argumentsMayAlias = false; }},
    };
    for (const Choice &choice : choices) {
      if (!choice.applies)
        continue;
      OptimizeOptions options = file.options;
      choice.set(options);
      if (!removedWith(file.patterns, options))
        continue;
      std::string text = std::string("with ") + choice.text + " `ptosync opt` removes it";
      if (options.ordering.trust != given.trust && !file.machine.library().empty())
        text += ", if the kernel is built with library " + file.machine.library();
      conditions.push_back({Kind::Option, std::move(text)});
    }
    if (explained.decision.reason == KeptReason::NotNominated && removedWith(file.allPatterns, file.options))
      conditions.push_back({Kind::Option, "with --patterns=all `ptosync opt` removes it"});
  }

  /// A PIPE_ALL barrier that one pipe's barrier could stand for.
  void tryNarrowerBarrier() {
    std::vector<Conflict> conflicts = needed();
    if (site().source != Pipe::All)
      return;
    std::map<std::pair<Pipe, Pipe>, std::size_t> pairs;
    for (const Conflict &conflict : conflicts)
      ++pairs[{conflict.earlier.pipe, conflict.later.pipe}];
    Pipe pipe = conflicts.front().earlier.pipe;
    bool onePipe = pairs.size() == 1 && pairs.begin()->first == std::pair(pipe, pipe);
    if (onePipe && everywhere([&](std::size_t k) { return replaced(k, pipe); })) {
      conditions.push_back({Kind::Replace, "pipe_barrier(" + std::string(pipeName(pipe)) + ") in its place would do"});
      return;
    }
    std::string text;
    for (const auto &[pipes, count] : pairs)
      text += (text.empty() ? "" : ", ") +
              (pipes.first == pipes.second
                   ? "a barrier of " + std::string(pipeName(pipes.first))
                   : "a flag " + std::string(pipeName(pipes.first)) + " -> " + std::string(pipeName(pipes.second))) +
              " (" + countOf(count, "pair") + ")";
    conditions.push_back({Kind::Sync, "what it orders could be ordered by " + text});
  }

  template <typename Test> bool everywhere(Test test) const {
    return std::all_of(kernels.begin(), kernels.end(), test);
  }

  bool replaced(std::size_t k, Pipe pipe) const {
    const std::vector<EventKey> &events = file.kernels()[k].pending().eventsOf(explained.decision.site);
    if (events.size() != 1) // several calls, or copies of a loop's phases
      return false;
    BlockId block = file.kernels()[k].program().blockOf[events[0].first];
    return opensNothing(file, k, {sites, SyncChange::Barrier{block, events[0].second, pipe}});
  }

  /// One barrier for this one and a neighbour of the same pipe.
  void tryJoining() {
    if (kernels.size() != 1 || site().source == Pipe::All)
      return;
    std::size_t k = kernels.front();
    const Analysis &kernel = file.kernels()[k];
    const std::vector<EventKey> &events = kernel.pending().eventsOf(explained.decision.site);
    if (events.size() != 1)
      return;
    const std::vector<Event> &block = kernel.program().steps[events[0].first];
    auto neighbour = [&](const Event &event) {
      return event.kind == Event::Kind::Barrier && event.source == site().source && event.site != kNone &&
             file.module.sites[event.site].protection == Protection::None &&
             file.decisions().decisions[event.site].verdict != Verdict::Removed && // it is no price to pay
             kernel.pending().eventsOf(event.site).size() == 1;
    };
    std::uint32_t own = events[0].second;
    for (std::uint32_t i = own + 1; i < block.size(); ++i)
      if (neighbour(block[i])) {
        joinWith(k, events[0].first, own, i);
        break;
      }
    for (std::uint32_t i = own; i-- > 0;)
      if (neighbour(block[i])) {
        joinWith(k, events[0].first, i, own);
        break;
      }
  }

  /// `first` and `last`: two barriers of one step. One in front of an instruction between them, for both.
  void joinWith(std::size_t k, StepId step, std::uint32_t first, std::uint32_t last) {
    const Program &program = file.kernels()[k].program();
    const std::vector<Event> &events = program.steps[step];
    bool isFirst = events[first].site == explained.decision.site;
    const Event &other = isFirst ? events[last] : events[first];
    std::uint32_t own = isFirst ? first : last;
    SyncChange change{{events[first].site, events[last].site}, std::nullopt};
    for (std::uint32_t i = last + 1; i-- > first && joinTrials < kMostJoinTrials;) {
      if (!betweenThem(program, events, i, own))
        continue; // that is where this one stands
      bool access = events[i].kind == Event::Kind::Access && program.nodes[events[i].node].pipe == site().source;
      if (!access && i != last)
        continue;
      ++joinTrials;
      change.barrier = SyncChange::Barrier{program.blockOf[step], i, site().source};
      if (!opensNothing(file, k, change))
        continue;
      std::string where = i == last ? "at line " + std::to_string(events[last].statement->line)
                                    : "in front of line " + std::to_string(events[i].statement->line);
      conditions.push_back({Kind::Join, "one barrier " + where + " would do for this one and for the one at line " +
                                            std::to_string(other.statement->line)});
      return;
    }
  }

  /// True if an instruction of the barrier's pipe stands between two places of a step.
  bool betweenThem(const Program &program, const std::vector<Event> &events, std::uint32_t a, std::uint32_t b) const {
    for (std::uint32_t i = std::min(a, b); i < std::max(a, b); ++i)
      if (events[i].kind == Event::Kind::Access && program.nodes[events[i].node].pipe == site().source)
        return true;
    return false;
  }

  /// Conflicts that are there only because tiles share storage.
  void trySeparateStorage() {
    std::map<VariableId, std::string> moved; // by address variable: what moves, and away from what
    for (std::size_t k : kernels) {
      SyncChange change{sites, std::nullopt};
      const Analysis &kernel = file.kernels()[k];
      EditedProgram edited(kernel.kernel(), file.machine, file.options.ordering, change);
      const Pending &pending = edited.pending();
      for (const OpenObligation &open : newlyOpen(kernel.pending(), pending))
        if (open.kind() != ObligationKind::Conflict ||
            !noteMoved(edited.program(), pending.hazards(), open.pair, moved))
          return;
    }
    std::set<VariableId> addresses;
    std::string text;
    for (const auto &[address, what] : moved) {
      addresses.insert(address);
      text += (text.empty() ? "" : ", ") + what;
    }
    if (addresses.empty() || addresses.size() > kMostMovedTiles || !everywhere([&](std::size_t k) {
          return goesWithSeparateStorage(file.kernels()[k].kernel(), file.machine, file.options.ordering, sites,
                                         addresses);
        }))
      return;
    conditions.push_back({Kind::Storage, "separate storage would do: " + text});
  }

  /// False if the pair is a true dependence, or its later tile cannot lie elsewhere.
  static bool noteMoved(const Program &program, const HazardModel &model, const ConflictPair &pair,
                        std::map<VariableId, std::string> &moved) {
    if (pair.kind != HazardKind::WriteAfterRead && pair.kind != HazardKind::WriteAfterWrite)
      return false;
    const Access &kept = program.nodes[program.nodeOfBit[pair.bit]].accesses[pair.earlierAccess];
    const Access &later = program.nodes[pair.later].accesses[pair.laterAccess];
    if (!kept.tile || !later.tile || kept.tile->address == later.tile->address || later.reads || later.scratch)
      return false;
    if (moved.count(later.tile->address))
      return true;
    if (!readByItsNameOnly(program, model, pair.later, pair.laterAccess))
      return false;
    std::int64_t bytes = tileFootprint(*later.tile, Extent::Whole).value_or(Footprint{}).extent();
    moved[later.tile->address] = later.name + " away from " + kept.name + " (" + std::to_string(bytes) + " bytes of " +
                                 program.machine->spaces()[later.space].name + ")";
    return true;
  }

  /// A window in the text in which another sync would do.
  struct Window {
    std::uint32_t from = 0, to = 0; // lines
    bool carried = false;
    std::string text(Pipe source, Pipe destination) const {
      std::string what = source == destination
                             ? "a barrier of " + std::string(pipeName(source))
                             : "a flag " + std::string(pipeName(source)) + " -> " + std::string(pipeName(destination));
      return what + " between line " + std::to_string(from) + " and line " + std::to_string(to) +
             (carried ? " of a later iteration" : "");
    }
  };

  /// One window for the pairs of two pipes, as long as there is one that serves them all.
  static void narrow(std::vector<Window> &windows, const Conflict &conflict) {
    Window own{conflict.earlier.line, conflict.later.line, conflict.loopCarried};
    for (Window &known : windows) {
      std::uint32_t from = std::max(known.from, own.from), to = std::min(known.to, own.to);
      if (known.carried || own.carried || from >= to)
        continue;
      known = {from, to, false};
      return;
    }
    windows.push_back(own);
  }

  /// The last resort: any other order of the pairs.
  void sayWhatWouldDo() {
    if (!conditions.empty())
      return;
    std::map<std::pair<Pipe, Pipe>, std::vector<Window>> windows;
    for (const Conflict &conflict : needed())
      if (conflict.kind != HazardKind::Fence && conflict.kind != HazardKind::FlagReuse)
        narrow(windows[{conflict.earlier.pipe, conflict.later.pipe}], conflict);
    std::string text;
    std::size_t said = 0, left = 0;
    for (const auto &[pipes, list] : windows)
      for (const Window &window : list) {
        if (said == kShownPairs) {
          ++left;
          continue;
        }
        text += (said++ ? ", " : "") + window.text(pipes.first, pipes.second);
      }
    if (said == 0)
      text = "because what it orders cannot be ordered by anything else";
    else
      text = "but another sync that orders the same: " + text;
    conditions.push_back({Kind::None, text + (left ? " and " + std::to_string(left) + " more" : "")});
  }

  const AnalysedFile &file;
  const SyncExplanation &explained;
  std::set<SiteId> sites;
  std::vector<std::size_t> kernels; // that run through it
  std::size_t joinTrials = 0;
  std::vector<RemovalCondition> conditions;
};

} // namespace

std::vector<RemovalCondition> removalConditions(const AnalysedFile &file, const SyncExplanation &explained) {
  return ConditionFinder(file, explained).run();
}

} // namespace ptosync
