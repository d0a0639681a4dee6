#include "replay/needed.h"

#include "base/parallel.h"
#include "replay/choose/aimed_runs.h"
#include "replay/choose/run_choice.h"
#include "replay/choose/run_search.h"
#include "replay/skip/skipping.h"

#include <algorithm>
#include <map>
#include <memory>

namespace ptosync::replay {

namespace {

constexpr std::size_t kMostLost = 4;            // orders that are looked at of one question in one run
constexpr std::size_t kMostAimed = 8;           // inputs for the pairs that one run shows
constexpr std::size_t kMostAimedRuns = 48;      // for one question
constexpr std::size_t kMostWitnessRuns = 6;     // in which instances of a witness are looked for
constexpr std::size_t kMostWitnessPairs = 12;   // in one run
constexpr std::uint64_t kOpenAimed = 4000;      // instructions of a run whose arguments may be any number
constexpr std::uint64_t kMostWork = 40'000'000; // instructions of all comparisons of one kernel

/// The sync statements that a run issues, and the run without some of them.
class SyncsOfRun {
public:
  explicit SyncsOfRun(const Trace &trace) : trace(trace), less(trace) {
    for (const Event &event : trace.events)
      if (const auto *sync = std::get_if<Sync>(&event.statement->action))
        sites.insert(sync->site);
  }

  bool has(const std::set<SiteId> &some) const {
    return std::any_of(some.begin(), some.end(), [&](SiteId site) { return sites.count(site) != 0; });
  }

  const Trace &without(const std::set<SiteId> &some) {
    less.events.clear();
    for (const Event &event : trace.events) {
      const auto *sync = std::get_if<Sync>(&event.statement->action);
      if (!sync || !some.count(sync->site))
        less.events.push_back(event);
    }
    return less;
  }

private:
  const Trace &trace;
  Trace less;
  std::set<SiteId> sites;
};

/// The questions about one kernel.
class KernelQuestions {
public:
  KernelQuestions(const Kernel &kernel, const Machine &machine, const Options &options,
                  const std::vector<NeedQuestion> &questions)
      : subject(kernel, machine, options), options(options), questions(questions),
        shown(machine, options, Meeting::Shown), possible(machine, options),
        accumulating(machine, withAccumulation(options), Meeting::Shown), answers(questions.size()) {
    const std::set<SiteId> own = sitesOf(kernel);
    for (std::size_t i = 0; i < questions.size(); ++i)
      if (std::any_of(questions[i].sites.begin(), questions[i].sites.end(),
                      [&](SiteId site) { return own.count(site) != 0; })) {
        left.insert(i);
        answers[i].answer = NeedAnswer::NotReached;
      }
  }

  Subject subject;

  std::vector<Need> answer() {
    if (left.empty())
      return std::move(answers);
    subject.ways(); // from here on runs note which ones they take
    for (const NamedArgument &argument : argumentsOf(subject))
      if (options.arguments.count(argument.name))
        fixed.insert(argument.number);
    Shown seen;
    runs = chooseRuns(subject, options, &seen);
    const SearchResult search = searchRuns(subject, options, runs, seen);
    impossible = search.impossible;
    runs.insert(runs.end(), search.runs.begin(), search.runs.end());
    askAsDrawn();
    askWhateverDrawn();
    aimAtWitnesses();
    settleWhereAllAreAlike();
    settleWhereNobodyComes();
    return std::move(answers);
  }

private:
  static Options withAccumulation(Options options) {
    options.accumulateOrder = true;
    return options;
  }

  bool done() const { return left.empty() || work > kMostWork || options.budget.allowance.over(); }

  /// No run has answered it, with or without a contested rule.
  bool isOpen(std::size_t number) const { return answers[number].answer != NeedAnswer::Needed; }

  /// Short runs answer most.
  void askAsDrawn() {
    std::vector<Inputs> longer;
    for (const Inputs &inputs : runs)
      if (!done() && !askShort(inputs))
        longer.push_back(inputs);
    for (const Inputs &inputs : longer)
      if (!done())
        askLong(inputs);
  }

  template <typename Ask> void forBothIds(RunRequest &request, const Ask &ask) {
    for (bool lowIds : {false, true}) {
      request.lowIds = lowIds;
      const bool open = ask();
      if (!open)
        break;
    }
  }

  /// Every iteration of a run that is short; false: it is not.
  bool askShort(const Inputs &inputs) {
    RunRequest request;
    request.inputs = inputs;
    request.asDrawn = true;
    request.skipping = Skipping::Forbidden;
    Budget budget = options.budget;
    budget.instructions = std::min(budget.instructions, budget.shortInstructions);
    budget.statements = std::min(budget.statements, budget.shortStatements);
    bool ended = true;
    forBothIds(request, [&] {
      const Trace trace = interpret(subject, request, budget);
      ended = trace.ending == Ending::Returned;
      if (ended)
        ask(trace, inputs);
      return ended && trace.openIds;
    });
    return ended;
  }

  void askLong(const Inputs &inputs) {
    RunRequest request;
    request.inputs = inputs;
    request.asDrawn = true;
    request.skipping = options.skipping;
    forBothIds(request, [&] {
      Trace trace = interpret(subject, request, options.budget);
      ask(trace, inputs);
      if (!done() && request.skipping == Skipping::Allowed && skippedMeetOthers(subject, trace, shown)) {
        RunRequest full = request;
        full.skipping = Skipping::Forbidden;
        trace = interpret(subject, full, options.budget);
        ask(trace, inputs);
      }
      return trace.openIds;
    });
  }

  bool askAimed(const Inputs &inputs) {
    if (std::find(made.begin(), made.end(), inputs) != made.end())
      return false;
    made.push_back(inputs);
    aiming = true;
    if (!askShort(inputs))
      askLong(inputs);
    aiming = false;
    return true;
  }

  /// Asks all that is left about one run.
  void ask(const Trace &trace, const Inputs &inputs) {
    taken.insert(trace.ways.begin(), trace.ways.end());
    cutShort = cutShort || trace.ending != Ending::Returned;
    if (trace.overflowed) // C++ says nothing of it
      return;
    SyncsOfRun syncs(trace);
    const std::set<std::size_t> open = left;
    for (std::size_t number : open) {
      if (done())
        return;
      if (!syncs.has(questions[number].sites))
        continue;
      const Comparison comparison = compare(trace, syncs, number, shown);
      Need &need = answers[number];
      need.cut = need.cut || comparison.cut;
      improve(need, NeedAnswer::NothingLost, nullptr, inputs);
      for (const Finding &finding : comparison.findings)
        take(need, finding, trace, inputs);
      if (need.answer == NeedAnswer::Needed && need.unless.empty())
        left.erase(number);
    }
  }

  /// What is lost whatever contested rules say is worth more than what one of them would order.
  void take(Need &need, const Finding &finding, const Trace &trace, const Inputs &inputs) const {
    if (finding.contested)
      return improve(need, NeedAnswer::Contested, &finding, inputs);
    std::string unless = contestedRuleFor(finding, trace);
    if (need.answer == NeedAnswer::Needed && (need.unless.empty() || !unless.empty()))
      return;
    if (need.answer == NeedAnswer::Needed)
      need.answer = NeedAnswer::NothingLost;
    improve(need, NeedAnswer::Needed, &finding, inputs);
    need.unless = std::move(unless);
    need.aimed = aiming;
  }

  /// The contested rule of the machine that would order the two of a finding; empty: none.
  std::string contestedRuleFor(const Finding &finding, const Trace &trace) const {
    if (finding.kind != FindingKind::Order || finding.earlier.pipe != finding.later.pipe)
      return "";
    const OrderingRules &rules = subject.machine.rules();
    auto isContested = [&](const std::optional<PipeOrderRule> &rule) {
      return rule && rule->use == RuleUse::Silence && pipeName(rule->pipe) == finding.later.pipe;
    };
    if (isContested(rules.loadOrder) && finding.rule == conflictName(ConflictKind::WriteAfterWrite))
      return "mte2-load-order";
    return isContested(rules.accumulateOrder) && !conflicts(accumulating, trace, finding) ? "m-accumulate-order" : "";
  }

  /// True if the two of a finding conflict by these rules.
  bool conflicts(const ConflictRules &rules, const Trace &trace, const Finding &finding) const {
    const Instance &earlier = trace.instances[finding.earlier.instance],
                   &later = trace.instances[finding.later.instance];
    const Work &first = subject.works[earlier.work], &second = subject.works[later.work];
    const bool carried = loopCarried(trace, earlier.iteration, later.iteration);
    for (const Phase &one : first.phases)
      for (const Phase &other : second.phases)
        if (rules.between({first, one}, {second, other}, carried, &trace.decided))
          return true;
    return false;
  }

  Comparison compare(const Trace &trace, SyncsOfRun &syncs, std::size_t number, const ConflictRules &rules) {
    work += trace.instances.size();
    return compareRuns({subject, trace}, {subject, syncs.without(questions[number].sites)}, rules, kMostLost);
  }

  void improve(Need &need, NeedAnswer answer, const Finding *finding, const Inputs &inputs) const {
    if (answer >= need.answer)
      return;
    need.answer = answer;
    need.finding.reset();
    if (!finding)
      return;
    need.finding = *finding;
    need.finding->kernel = subject.kernel.name;
    need.finding->section = subject.kernel.section;
    need.finding->run = describe(inputs, subject.kernel);
  }

  /// What is left, for all that memory may hold and for any arguments that decide places alone: two that may meet are
  /// brought together.
  void askWhateverDrawn() {
    const std::set<std::uint32_t> places = placeArguments(subject);
    for (const Inputs &inputs : runs) {
      if (done())
        return;
      RunRequest request;
      request.inputs = inputs;
      for (std::uint32_t number : places)
        if (!fixed.count(number))
          request.inputs.open.insert(number);
      Tape tape;
      request.tape = &tape;
      request.skipping = options.skipping;
      Budget budget = options.budget;
      if (!request.inputs.open.empty())
        budget.instructions = std::min(budget.instructions, kOpenAimed);
      const Trace trace = interpret(subject, request, budget);
      if (trace.overflowed)
        continue;
      askPossible(trace, inputs, tape);
      askWithSameBuffers(trace, inputs);
    }
  }

  void askPossible(const Trace &trace, const Inputs &inputs, const Tape &tape) {
    SyncsOfRun syncs(trace);
    const std::set<std::size_t> open = left;
    for (std::size_t number : open) {
      if (done())
        return;
      if (!isOpen(number) || !syncs.has(questions[number].sites) || aimed[number] >= kMostAimedRuns)
        continue;
      const Comparison comparison = compare(trace, syncs, number, possible);
      std::vector<InstancePair> pairs;
      for (const Finding &finding : comparison.findings) {
        if (finding.contested)
          continue;
        if (finding.kind == FindingKind::Order)
          pairs.emplace_back(finding.earlier.instance, finding.later.instance);
        improve(answers[number], NeedAnswer::MayMeet, &finding, inputs);
      }
      aimFor(number, inputs, tape, pairs);
    }
  }

  void aimFor(std::size_t number, const Inputs &inputs, const Tape &tape, const std::vector<InstancePair> &pairs) {
    if (pairs.empty())
      return;
    for (const Inputs &one : inputsThatMeet(subject, inputs, tape, pairs, fixed, kMostAimed)) {
      if (!isOpen(number) || done() || aimed[number] >= kMostAimedRuns)
        return;
      aimed[number] += askAimed(one);
    }
  }

  /// Pointers that the text compares, or of whose addresses it makes one number, may be one buffer.
  void askWithSameBuffers(const Trace &trace, const Inputs &inputs) {
    for (const auto &[one, other] : trace.decided.related) {
      if (done() || sameBuffers > kMostAimedRuns)
        return;
      Inputs same = inputs;
      same.sameBuffer[other] = one;
      sameBuffers += askAimed(same);
    }
  }

  /// True if no argument, place of the core or loaded number decides which way a run goes or where it meets memory, but
  /// for what a run whose numbers may be any stands for.
  bool areAllAlike() const {
    const ExpressionArena &expressions = subject.kernel.expressions;
    if (testsForNull())
      return false;
    const std::set<ExpressionId> sources = sourcesOfAll();
    auto isInput = [&](ExpressionId id) {
      const Expression &e = expressions[id];
      const bool pointer = e.kind == Expression::Kind::Parameter &&
                           subject.facts.pointerArguments.count(static_cast<std::uint32_t>(e.constant)) != 0;
      return e.kind == Expression::Kind::Query || (e.kind == Expression::Kind::Parameter && !pointer);
    };
    return subject.knownWays()->open().empty() && std::none_of(sources.begin(), sources.end(), isInput);
  }

  /// A pointer may be null, which it is in no run that is made.
  bool testsForNull() const {
    const ExpressionArena &expressions = subject.kernel.expressions;
    for (ExpressionId id = 0; id < expressions.size(); ++id)
      if (expressions[id].sense == Expression::Sense::NullTest)
        return true;
    return false;
  }

  /// What branches, sizes, choices, event ids and operands are made from in the end.
  std::set<ExpressionId> sourcesOfAll() const {
    const Kernel &kernel = subject.kernel;
    BackwardFlow flow(kernel);
    flow.addBranches();
    flow.addSizes();
    for (const Tensor &tensor : kernel.tensors)
      flow.add(tensor.pointer);
    for (const Tile &tile : kernel.tiles)
      flow.add(tile.address);
    for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
      if (const Expression &e = kernel.expressions[id];
          e.kind == Expression::Kind::Select || e.kind == Expression::Kind::ArrayElement)
        flow.addValue(e.operands[0]);
    for (const Block &block : kernel.blocks)
      for (const Statement &statement : block.statements)
        if (!std::holds_alternative<Assign>(statement.action))
          forEachValue(statement, [&](ExpressionId value) { flow.addValue(value); });
    flow.spread();
    return flow.leaves();
  }

  /// What one run that stands for all of them does not need. What is open of event ids and contested readings keeps it
  /// from being so.
  void settleWhereAllAreAlike() {
    if (done() || !areAllAlike())
      return;
    RunRequest request;
    request.skipping = Skipping::Forbidden;
    const Trace trace = interpret(subject, request, options.budget);
    if (trace.ending != Ending::Returned || trace.overflowed || trace.openIds || trace.dependsOnMemory ||
        !trace.decided.related.empty())
      return;
    SyncsOfRun syncs(trace);
    for (std::size_t number : left) {
      if (answers[number].answer != NeedAnswer::NothingLost && answers[number].answer != NeedAnswer::NotReached)
        continue;
      if (!syncs.has(questions[number].sites) || compare(trace, syncs, number, possible).findings.empty())
        answers[number] = {NeedAnswer::InNoRun, std::nullopt, "", false, false, !syncs.has(questions[number].sites)};
    }
  }

  /// What no inputs lead to, by what must hold where it is (impossible_ways.h).
  void settleWhereNobodyComes() {
    if (done() || cutShort || testsForNull())
      return;
    const std::vector<bool> possible = subject.knownWays()->possible(taken, impossible);
    std::set<SiteId> reachable;
    for (BlockId block = 0; block < subject.kernel.blocks.size(); ++block)
      if (possible[block] && subject.nest.reachable(block))
        for (const Statement &statement : subject.kernel.blocks[block].statements)
          if (const auto *sync = std::get_if<Sync>(&statement.action))
            reachable.insert(sync->site);
    for (std::size_t number : left) {
      const std::set<SiteId> &sites = questions[number].sites;
      if (answers[number].answer == NeedAnswer::NotReached &&
          std::none_of(sites.begin(), sites.end(), [&](SiteId site) { return reachable.count(site) != 0; }))
        answers[number] = {NeedAnswer::InNoRun, std::nullopt, "", false, false, true};
    }
  }

  /// Instances of the instructions that a question's syncs are thought to order, however far apart they are in the runs
  /// that were made.
  void aimAtWitnesses() {
    std::size_t used = 0;
    for (const Inputs &inputs : runs) {
      const bool any = std::any_of(left.begin(), left.end(),
                                   [&](std::size_t i) { return isOpen(i) && !questions[i].pairs.empty(); });
      if (done() || !any || used == kMostWitnessRuns)
        return;
      RunRequest request;
      request.inputs = inputs;
      Tape tape;
      request.tape = &tape;
      Budget budget = options.budget;
      budget.instructions = std::min(budget.instructions, kOpenAimed);
      const Trace trace = interpret(subject, request, budget);
      const std::set<std::size_t> open = left;
      for (std::size_t number : open)
        if (isOpen(number))
          for (const auto &[earlier, later] : questions[number].pairs)
            aimFor(number, inputs, tape, instancesOf(trace, earlier, later));
      ++used;
    }
  }

  /// Each later one with the earlier ones in front of it, the nearest first.
  static std::vector<InstancePair> instancesOf(const Trace &trace, std::uint32_t earlier, std::uint32_t later) {
    std::vector<InstancePair> pairs;
    std::vector<std::uint32_t> before;
    for (std::uint32_t i = 0; i < trace.instances.size() && pairs.size() < kMostWitnessPairs; ++i) {
      const std::uint32_t line = trace.instances[i].statement->line;
      if (line == later)
        for (std::size_t back = 0; back < before.size() && back < 3 && pairs.size() < kMostWitnessPairs; ++back)
          pairs.emplace_back(before[before.size() - 1 - back], i);
      if (line == earlier)
        before.push_back(i);
    }
    return pairs;
  }

  const Options &options;
  const std::vector<NeedQuestion> &questions;
  const ConflictRules shown, possible, accumulating;
  std::vector<Need> answers;                // by question
  std::set<std::size_t> left;               // questions of this kernel that no run has answered
  std::set<std::uint32_t> fixed;            // arguments
  std::vector<Inputs> runs;                 // as chosen and sought
  std::vector<Inputs> made;                 // aimed ones
  std::map<std::size_t, std::size_t> aimed; // runs, by question
  std::set<Way> impossible, taken;          // ways
  std::size_t sameBuffers = 0;              // runs in which two pointers are one
  bool cutShort = false;                    // some run was
  bool aiming = false;
  std::uint64_t work = 0; // instructions compared
};

} // namespace

const char *needAnswerName(NeedAnswer answer) {
  switch (answer) {
  case NeedAnswer::Needed: return "needed";
  case NeedAnswer::MayMeet: return "may-meet";
  case NeedAnswer::Contested: return "contested";
  case NeedAnswer::NothingLost: return "nothing-lost";
  case NeedAnswer::NotReached: return "not-reached";
  case NeedAnswer::InNoRun: return "in-no-run";
  case NeedAnswer::NotAnalysed: return "not-analysed";
  }
  return "?";
}

llvm::Expected<std::vector<Need>> whatIsNeeded(const Module &module, const std::vector<NeedQuestion> &questions,
                                               const Machine &machine, const Options &options) {
  std::vector<std::unique_ptr<KernelQuestions>> kernels;
  std::vector<const Subject *> subjects;
  for (const Kernel &kernel : module.kernels)
    if (kernel.analysable) {
      kernels.push_back(std::make_unique<KernelQuestions>(kernel, machine, options, questions));
      subjects.push_back(&kernels.back()->subject);
    }
  if (!kernels.empty())
    if (llvm::Error error = checkArguments(subjects, options))
      return std::move(error);
  std::vector<std::vector<Need>> parts(kernels.size());
  // None shares anything that changes with another.
  runInParallel(kernels.size(), [&](std::size_t i) { parts[i] = kernels[i]->answer(); });
  // A kernel that cannot be analysed may need what the others do not.
  const bool every = kernels.size() == module.kernels.size();
  std::vector<Need> all(questions.size());
  for (std::vector<Need> &part : parts)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool cut = all[i].cut || part[i].cut;
      if (part[i].answer < all[i].answer ||
          (part[i].answer == all[i].answer && part[i].unless.empty() && !all[i].unless.empty()))
        all[i] = std::move(part[i]);
      all[i].cut = cut && all[i].answer != NeedAnswer::Needed;
    }
  for (Need &need : all)
    if (!every && need.answer == NeedAnswer::InNoRun)
      need.answer = NeedAnswer::NothingLost;
  return all;
}

} // namespace ptosync::replay
