#include "explain/explain_sync.h"

#include "audit/storage_rules.h"
#include "explain/explain.h"
#include "optimize/edit_session.h"
#include "optimize/pins.h"
#include "optimize/wording.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ptosync {

EditedProgram::EditedProgram(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                             const ProgramEdit &change) {
  Program program = llvm::cantFail(buildProgram(kernel, machine, options));
  edit(program, change);
  edited.emplace(std::move(program));
}

EventKey EditedProgram::keyOf(EventKey untouched) const {
  return {untouched.first, positions[untouched.first][untouched.second]};
}

void EditedProgram::edit(Program &program, const ProgramEdit &change) {
  positions.resize(program.steps.size());
  for (StepId step = 0; step < program.steps.size(); ++step) {
    std::vector<Event> events;
    std::vector<Event> &old = program.steps[step];
    for (std::uint32_t i = 0; i <= old.size(); ++i) {
      bool here = change.barrier && program.blockOf[step] == change.barrier->block && change.barrier->event == i;
      if (here) {
        Event barrier;
        barrier.kind = Event::Kind::Barrier;
        barrier.source = change.barrier->pipe;
        barrier.statement = i < old.size() ? old[i].statement : old.empty() ? nullptr : old.back().statement;
        events.push_back(std::move(barrier));
      }
      positions[step].push_back(static_cast<std::uint32_t>(events.size()));
      if (i < old.size() && !change.removed.count(old[i].site))
        events.push_back(old[i]);
    }
    old = std::move(events);
  }
  for (Node &node : program.nodes)
    node.event = positions[node.block][node.event];
}

std::vector<OpenObligation> newlyOpen(const Pending &untouched, const Pending &edited) {
  auto key = [](const OpenObligation &open) {
    return std::tuple(open.pair.bit, open.pair.later, open.kind(), open.end);
  };
  std::set<decltype(key(std::declval<OpenObligation>()))> known;
  for (const OpenObligation &open : untouched.open())
    known.insert(key(open));
  std::vector<OpenObligation> found;
  for (const OpenObligation &open : edited.open())
    if (!known.count(key(open)))
      found.push_back(open);
  return found;
}

namespace {

class EffectFinder {
public:
  EffectFinder(const AnalysedFile &file, std::size_t number, const std::set<SiteId> &sites)
      : kernel(file.kernels()[number]), sites(sites),
        edited(kernel.kernel(), file.machine, file.options.ordering, {sites, std::nullopt}), pending(edited.pending()) {
  }

  SyncEffect run() {
    effect.kernel = kernel.kernel().name;
    effect.section = kernel.kernel().section;
    effect.incomplete = kernel.pending().tooManyOpen() || pending.tooManyOpen();
    findNeeded();
    findOtherwise();
    findSuspected();
    return std::move(effect);
  }

private:
  using Statements = std::pair<const Statement *, const Statement *>;

  Statements statementsOf(const ConflictPair &pair) const {
    const Program &program = edited.program();
    return {program.nodes[program.nodeOfBit[pair.bit]].statement, program.nodes[pair.later].statement};
  }

  void findNeeded() {
    std::vector<OpenObligation> open = newlyOpen(kernel.pending(), pending);
    // One line for two statements: a conflict, and of these the plainest kind, the same iteration before a later one.
    auto rank = [&](const OpenObligation &one) {
      const bool conflict = one.kind() == ObligationKind::Conflict;
      return std::tuple(!conflict, one.kind() == ObligationKind::Fence,
                        conflict && !edited.program().distanceOf(one.pair.bit).sameIteration(),
                        conflict ? one.pair.kind : HazardKind{});
    };
    std::stable_sort(open.begin(), open.end(),
                     [&](const OpenObligation &a, const OpenObligation &b) { return rank(a) < rank(b); });
    for (const OpenObligation &one : open)
      if (one.kind() != ObligationKind::End && seen.insert(statementsOf(one.pair)).second)
        needed.push_back(one.pair);
    std::stable_sort(needed.begin(), needed.end(), [&](const ConflictPair &a, const ConflictPair &b) {
      const std::vector<NodeId> &nodeOf = edited.program().nodeOfBit;
      return std::pair(a.later, nodeOf[b.bit]) < std::pair(b.later, nodeOf[a.bit]); // the nearest earlier one first
    });
    for (const ConflictPair &pair : needed) {
      SyncEffect::Needed entry{pending.hazards().describe(pair), {}};
      if (pair.laterAccess != kNone && pending.hazards().excuse(pair.bit, pair.later, &entry.contested) == Excuse::None)
        entry.contested.clear();
      effect.needed.push_back(std::move(entry));
    }
  }

  void findOtherwise() {
    Pending::Faced faced;
    for (SiteId site : sites)
      for (const auto &[key, rows] : kernel.pending().facedBy(site)) {
        // Behind the sync, where the kernel without it goes on.
        EventKey place = edited.keyOf({key.first, key.second + 1});
        for (const auto &[row, bits] : rows) {
          auto [entry, inserted] = faced[{place.first, place.second - 1}].try_emplace(row, bits);
          if (!inserted)
            entry->second.unite(bits);
        }
      }
    for (Evidence &evidence : evidenceOf(edited.analysis(), faced))
      if (evidence.conflict && !isNeeded(*evidence.conflict))
        effect.otherwise.push_back(std::move(evidence));
  }

  bool isNeeded(const Conflict &conflict) const {
    return std::any_of(effect.needed.begin(), effect.needed.end(), [&](const SyncEffect::Needed &entry) {
      return entry.conflict.earlier.line == conflict.earlier.line && entry.conflict.later.line == conflict.later.line &&
             entry.conflict.earlier.calledFrom == conflict.earlier.calledFrom &&
             entry.conflict.later.calledFrom == conflict.later.calledFrom;
    });
  }

  void findSuspected() {
    Pins pins(kernel.program(), kernel.pending());
    std::vector<ConflictPair> pairs;
    if (sites.size() == 1)
      pairs = pins.ofBarrier(*sites.begin());
    for (const Web &web : kernel.webs())
      if (sites.count(web.firstSite()))
        for (const ConflictPair &pair : pins.ofWeb(web))
          pairs.push_back(pair);
    for (const ConflictPair &pair : pairs)
      if (pair.later != kNone && pair.kind != HazardKind::FlagReuse && pair.kind != HazardKind::Fence &&
          seen.insert(statementsOf(pair)).second)
        effect.suspected.push_back(kernel.hazards().describe(pair));
  }

  const Analysis &kernel;
  const std::set<SiteId> &sites;
  EditedProgram edited;
  const Pending &pending; // of the edited program
  std::set<Statements> seen;
  std::vector<ConflictPair> needed;
  SyncEffect effect;
};

} // namespace

SyncEffect syncEffect(const AnalysedFile &file, std::size_t kernel, const std::set<SiteId> &sites) {
  return EffectFinder(file, kernel, sites).run();
}

bool opensNothing(const AnalysedFile &file, std::size_t number, const ProgramEdit &change) {
  const Analysis &kernel = file.kernels()[number];
  EditedProgram edited(kernel.kernel(), file.machine, file.options.ordering, change);
  const Pending &pending = edited.pending();
  return !kernel.pending().tooManyOpen() && !pending.tooManyOpen() && newlyOpen(kernel.pending(), pending).empty();
}

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
    return opensNothing(file, k, {sites, ProgramEdit::Barrier{block, events[0].second, pipe}});
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
    ProgramEdit change{{events[first].site, events[last].site}, std::nullopt};
    for (std::uint32_t i = last + 1; i-- > first && joinTrials < kMostJoinTrials;) {
      if (!betweenThem(program, events, i, own))
        continue; // that is where this one stands
      bool access = events[i].kind == Event::Kind::Access && program.nodes[events[i].node].pipe == site().source;
      if (!access && i != last)
        continue;
      ++joinTrials;
      change.barrier = ProgramEdit::Barrier{program.blockOf[step], i, site().source};
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
      ProgramEdit change{sites, std::nullopt};
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

namespace {

class SyncExplainer {
public:
  SyncExplainer(const AnalysedFile &file, SiteId site)
      : file(file), site(file.module.sites[site]), decision(file.decisions().decisions[site]) {
    explained.kind = this->site.kind;
    explained.decision = decision;
    findStatements(site);
  }

  SyncExplanation run() {
    std::set<SiteId> sites;
    for (const SyncExplanation::Statement &statement : explained.statements)
      sites.insert(statement.site);
    for (std::size_t k = 0; k < file.kernels().size(); ++k)
      if (std::any_of(sites.begin(), sites.end(), [&](SiteId id) { return file.runsThrough(k, id); }))
        explained.effects.push_back(syncEffect(file, k, sites));
    if (decision.verdict != Verdict::Removed)
      explained.conditions = removalConditions(file, explained);
    explained.answer = answer();
    return std::move(explained);
  }

private:
  void findStatements(SiteId asked) {
    std::set<SiteId> sites = {asked};
    if (isFlag(site.kind) || isBuffer(site.kind))
      for (const Web &web : file.webs())
        if (std::set<SiteId> all = web.sites(); all.count(asked)) {
          sites = std::move(all);
          explained.web = webText(web);
          explained.trouble = web.trouble;
        }
    for (SiteId id : sites)
      explained.statements.push_back({id, file.module.sites[id].line, printable(file.module.sites[id].text),
                                      file.decisions().decisions[id].verdict});
  }

  std::size_t count(std::size_t (*of)(const SyncEffect &)) const {
    std::size_t sum = 0;
    for (const SyncEffect &effect : explained.effects)
      sum += of(effect);
    return sum;
  }

  /// The plainest of the pairs that nothing else orders: one iteration, a true dependence, near each other.
  const Conflict *plainest() const {
    const Conflict *best = decision.witness ? &*decision.witness : nullptr;
    auto rank = [](const Conflict &conflict) {
      std::uint32_t low = std::min(conflict.earlier.line, conflict.later.line);
      return std::tuple(conflict.loopCarried, conflict.kind,
                        std::max(conflict.earlier.line, conflict.later.line) - low);
    };
    for (const SyncEffect &effect : explained.effects)
      for (const SyncEffect::Needed &entry : effect.needed)
        if (!best || rank(entry.conflict) < rank(*best))
          best = &entry.conflict;
    return best;
  }

  std::string answer() const {
    if (explained.effects.empty())
      return decision.detail.empty() ? "Not analysed" : "Not analysed: " + decision.detail;
    if (decision.verdict == Verdict::Removed)
      return removedText();
    if (decision.verdict == Verdict::Moved)
      return "Needed, but not here: `ptosync opt` moves it in front of " +
             describeLines(movedLines(file.module.source, decision), kMostPlaces) + " [" + decision.pattern + "]";
    return keptText();
  }

  std::string removedText() const {
    std::string text = "Not needed: `ptosync opt` removes it [" + decision.pattern + "]; ";
    std::size_t otherwise = count([](const SyncEffect &effect) {
      return static_cast<std::size_t>(std::count_if(effect.otherwise.begin(), effect.otherwise.end(),
                                                    [](const Evidence &evidence) { return evidence.relied; }));
    });
    bool web = explained.statements.size() > 1;
    if (web && std::any_of(explained.statements.begin(), explained.statements.end(),
                           [](const SyncExplanation::Statement &other) { return other.verdict != Verdict::Removed; }))
      return text + "the rest of its web stays and does its work";
    if (otherwise == 0)
      return text + "it orders nothing";
    return text + "what it orders, " + countOf(otherwise, "conflict") + ", is ordered otherwise too";
  }

  std::string keptText() const {
    std::string reason = decision.detail.empty() ? std::string(explainReason(decision.reason)) : decision.detail;
    switch (decision.reason) {
    case KeptReason::Hazard: return hazardText(reason);
    case KeptReason::Unresolved:
      return "Kept: it may be what orders " + (decision.witness ? pairText(*decision.witness) : std::string("a pair")) +
             ", which the analysis does not see ordered even with it";
    case KeptReason::Protected: return "Kept whatever it orders: " + reason;
    case KeptReason::NotNominated:
    case KeptReason::Limit:
    case KeptReason::NotApproved: return "Not tried: " + reason;
    case KeptReason::NotAnalysed: return "Not analysed: " + reason;
    case KeptReason::Unbalanced:
      return "Kept, because its flag is not seen to be balanced: " + reason + " (see `ptosync audit`)";
    case KeptReason::Intermittent:
    case KeptReason::Unreached:
    case KeptReason::None: break;
    }
    return "Kept: " + reason;
  }

  std::string hazardText(const std::string &reason) const {
    std::size_t needed = count([](const SyncEffect &effect) { return effect.needed.size(); });
    if (needed == 0 && decision.witness)
      return "Needed: taken out alone it would leave nothing unordered, but what else orders " +
             pairText(*decision.witness) + " is removed by `ptosync opt` first";
    const Conflict *witness = plainest();
    if (!witness || (decision.detail.rfind("without it, ", 0) == 0))
      return "Needed: " + reason;
    std::string text = witness->kind == HazardKind::Fence
                           ? "Needed: it keeps " + pairText(*witness) + ", one of which is opaque, in order"
                       : witness->kind == HazardKind::FlagReuse
                           ? "Needed: without it a flag could be set again too early, " + pairText(*witness)
                           : "Needed: without it nothing makes " + laterText(*witness);
    return needed > 1 ? text + ", and " + countOf(needed - 1, "further pair") + " would be unordered" : text;
  }

  /// Without the calls around it: the evidence below has them.
  static std::string briefly(const InstructionPlace &place) {
    return "line " + std::to_string(place.line) + " " + printable(place.text);
  }

  static std::string pairText(const Conflict &conflict) {
    return briefly(conflict.earlier) + " and " + briefly(conflict.later);
  }

  /// "line 12 TADD(..) wait for line 10 TMUL(..) (RAW on UB [0, 128))".
  static std::string laterText(const Conflict &conflict) {
    return briefly(conflict.later) + " wait for " + briefly(conflict.earlier) +
           (conflict.loopCarried ? " of an earlier iteration" : "") + " (" + hazardKindName(conflict.kind) +
           (conflict.storage.empty() ? "" : " on " + placesText(conflict.storage)) + ")";
  }

  const AnalysedFile &file;
  const SyncSite &site;
  const SiteDecision &decision;
  SyncExplanation explained;
};

} // namespace

SyncExplanation explainSync(const AnalysedFile &file, SiteId site) { return SyncExplainer(file, site).run(); }

} // namespace ptosync
