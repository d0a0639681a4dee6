#include "synthesis/fix.h"

#include "audit/audit.h"
#include "rewrite/sync_edits.h"
#include "synthesis/buffer_tokens.h"
#include "synthesis/flag_repair.h"
#include "synthesis/order_comparison.h"
#include "synthesis/order_repair.h"
#include "synthesis/proposals.h"
#include "synthesis/required_order.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <array>

namespace ptosync::synthesis {

std::vector<AddedSync> RepairContext::additions(const Proposal &proposal, std::int64_t id) const {
  std::vector<AddedSync> added = additionsOf(proposal, id, module.source, tree);
  for (AddedSync &sync : added) {
    sync.kernel = kernel().name;
    sync.section = kernel().section;
  }
  return added;
}

PlaceOf RepairContext::placesOf(const Kernel &version) const {
  std::map<const Statement *, const Statement *> own;
  std::vector<const Statement *> theirs = numberedStatements(version), ours = numberedStatements(kernel());
  for (std::size_t i = 0; i < std::min(theirs.size(), ours.size()); ++i)
    own[theirs[i]] = ours[i];
  const StatementTree &places = tree;
  return [own = std::move(own), &places](const Statement &statement) -> StatementPlace {
    auto found = own.find(&statement);
    if (found == own.end())
      return {};
    return {places.pathOf(*found->second), found->second->line};
  };
}

std::string betweenPipes(Pipe source, Pipe destination) {
  return "from " + std::string(pipeName(source)) + " to " + std::string(pipeName(destination));
}

namespace {

constexpr std::size_t kMostFlags = 24;    // of one kernel that are mended
constexpr std::size_t kMostRepairs = 160; // of groups of pairs
constexpr std::array<std::string_view, 6> kFlagRules = {"unprimed-wait",    "undrained-flag", "double-set",
                                                        "branch-imbalance", "id-clash",       "deadlock"};
constexpr std::size_t kMostMendings = 8; // rounds of a file

bool isFlagRule(std::string_view rule) { return llvm::is_contained(kFlagRules, rule); }

using LineColumnPair = std::pair<std::uint32_t, std::uint32_t>;

/// Of what stands at a byte; 0: in no text of the file, but on that line.
LineColumnPair placeAt(const SourceText &source, std::uint32_t begin, std::uint32_t line) {
  const LineColumn place = source.position(begin);
  return begin == 0 ? LineColumnPair{line, 1} : LineColumnPair{place.line, place.column};
}

LineColumnPair beginOf(const SourceText &source, const Statement &statement) {
  const bool known = statement.range.begin < statement.range.end && statement.range.end <= source.text().size();
  return placeAt(source, known ? statement.range.begin : 0, statement.line);
}

/// Returns true for a finding that makes the exit code 1 if it is left.
bool countsAsLeft(const Finding &finding) { return isMendable(finding.rule) || finding.severity == Severity::Error; }

/// Why something stays as it is, by what it is about.
struct Reasons {
  std::map<std::string, std::string> flags;                               // by flagText
  std::map<std::pair<LineColumnPair, LineColumnPair>, std::string> pairs; // later, earlier: of the input
  std::map<std::pair<std::string, Section>, std::string> kernels;
};

/// Two statements of a kernel by number, the earlier one first.
using StatementPair = std::pair<std::size_t, std::size_t>;

/// One kernel in one round: on top of the changes of the rounds before.
class KernelFixer {
public:
  KernelFixer(const Module &module, std::size_t number, const std::vector<Finding> &findings,
              const std::set<StatementPair> &missed, const Machine &machine, const Machine &endless,
              const timing::CostTable &costs, const FixOptions &options, const Lift &lift,
              std::vector<SyncPlan> &changes, Reasons &reasons)
      : module(module), kernel(module.kernels[number]), number(number), findings(findings), missed(missed),
        machine(machine), endless(endless), costs(costs), options(options), lift(lift), changes(changes),
        reasons(reasons), ordering(options.check.audit.ordering) {
    ordering.followConditions = true;
  }

  llvm::Error run() {
    if (!kernel.analysable || (missed.empty() && !isReported()))
      return llvm::Error::success();
    llvm::Expected<StatementTree> read = StatementTree::read(kernel);
    if (!read)
      return read.takeError();
    RepairContext context{
        module, number, *read, machine, endless, ordering, options.reservedIds, lift, [this](const Kernel &version) {
          return cyclesOf(version);
        }};
    mendFlags(context);
    return mendOrder(context);
  }

private:
  double cyclesOf(const Kernel &version) {
    std::vector<timing::KernelTiming> timing = timing::timeCores({&version}, endless, options.timed, costs, inputs);
    inputs = timing.front().inputs();
    return timing.front().estimate().cycles;
  }

  bool isReported() const {
    return llvm::any_of(findings, [&](const Finding &finding) {
      return finding.kernel == kernel.name && finding.section == kernel.section && isMendable(finding.rule);
    });
  }

  /// True if a finding of the audit is about the flag.
  bool isReported(const Flag &flag) const {
    std::string text = flagText(flag);
    std::string pipes = betweenPipes(flag.source, flag.destination);
    return std::any_of(findings.begin(), findings.end(), [&](const Finding &finding) {
      return finding.kernel == kernel.name && isFlagRule(finding.rule) &&
             std::any_of(finding.parts.begin(), finding.parts.end(),
                         [&](const std::string &part) { return part == text || part == pipes; });
    });
  }

  bool crossesCores(const Flag &flag) const {
    std::string text = flagText(flag);
    return std::any_of(findings.begin(), findings.end(), [&](const Finding &finding) {
      return finding.rule == "cross-core-flag" &&
             std::find(finding.parts.begin(), finding.parts.end(), text) != finding.parts.end();
    });
  }

  std::vector<Flag> wantedFlags(const KernelState &state) const {
    std::vector<Flag> flags;
    for (const auto &[flag, count] : state.faults)
      if (isReported(flag) && !crossesCores(flag))
        flags.push_back(flag);
    return flags;
  }

  /// The open pairs of a version of the file that the audit reports, and those that runs have missed.
  std::set<OpenPair> wantedPairs(const KernelState &state, const Kernel &version, const Module &file) const {
    std::set<std::pair<LineColumnPair, LineColumnPair>> reported;
    for (const Finding &finding : audit(file, machine, options.check.audit).findings)
      if (isOrderRule(finding.rule) && !finding.notes.empty())
        reported.insert({{finding.place.line, finding.place.column},
                         {finding.notes.front().place.line, finding.notes.front().place.column}});
    std::vector<const Statement *> statements = numberedStatements(version);
    std::set<OpenPair> pairs;
    for (const OpenPair &pair : state.open) {
      if (pair.earlier < statements.size() && pair.later < statements.size() &&
          (missed.count({pair.earlier, pair.later}) ||
           reported.count(
               {beginOf(file.source, *statements[pair.later]), beginOf(file.source, *statements[pair.earlier])})))
        pairs.insert(pair);
    }
    return pairs;
  }

  void mendFlags(const RepairContext &context) {
    std::set<Flag> given;
    for (std::size_t i = 0; i < kMostFlags; ++i) {
      SyncPlan base = joined(changes);
      llvm::Expected<TrialKernel> trial = TrialKernel::read(module, number, base, {}, lift);
      if (!trial) {
        llvm::consumeError(trial.takeError());
        return;
      }
      Kernel now = trial->with({});
      llvm::Expected<KernelState> state = analyseKernel(now, machine, ordering);
      if (!state) {
        llvm::consumeError(state.takeError());
        return;
      }
      std::vector<Flag> flags = wantedFlags(*state);
      std::erase_if(flags, [&](const Flag &flag) { return given.count(flag) != 0; });
      if (flags.empty())
        return;
      given.insert(flags.front());
      llvm::Expected<SyncPlan> change = repairFlag(context, base, flags.front());
      if (change)
        changes.push_back(std::move(*change));
      else
        reasons.flags[flagText(flags.front())] = llvm::toString(change.takeError());
    }
  }

  llvm::Error mendOrder(const RepairContext &context) {
    SyncPlan base = joined(changes);
    llvm::Expected<TrialKernel> trial = TrialKernel::read(module, number, base, {}, lift);
    if (!trial)
      return trial.takeError();
    Module file = trial->moduleWith({});
    const Kernel &now = *kernelLike(file, kernel);
    llvm::Expected<KernelState> state = analyseKernel(now, machine, ordering);
    if (!state)
      return state.takeError();
    std::set<OpenPair> wanted = wantedPairs(*state, now, file);
    leaveToFlags(*state, wanted);
    if (wanted.empty())
      return llvm::Error::success();
    std::size_t tried = 0;
    mendPairs(context, wanted, tried);
    return llvm::Error::success();
  }

  /// Together, or the first half and then what that leaves of the second.
  void mendPairs(const RepairContext &context, const std::set<OpenPair> &pairs, std::size_t &tried) {
    if (++tried > kMostRepairs) {
      for (const OpenPair &pair : pairs)
        keep(pair, kTooManyPlaces);
      return;
    }
    llvm::Expected<OrderRepair> repair = repairOrder(context, joined(changes), pairs);
    if (repair)
      return take(*repair);
    std::string reason = llvm::toString(repair.takeError());
    if (pairs.size() == 1)
      return keep(*pairs.begin(), reason);
    auto middle = std::next(pairs.begin(), static_cast<std::ptrdiff_t>(pairs.size() / 2));
    mendPairs(context, {pairs.begin(), middle}, tried);
    mendPairs(context, {middle, pairs.end()}, tried);
  }

  /// What a flag that is left faulty was to order is not ordered beside it.
  void leaveToFlags(const KernelState &state, std::set<OpenPair> &wanted) {
    for (const OpenObligation &open : state.analysis.pending().open(ObligationKind::Conflict)) {
      const Node &earlier = state.analysis.program().nodes[state.analysis.program().nodeOfBit[open.pair.bit]],
                 &later = state.analysis.program().nodes[open.pair.later];
      for (const auto &[flag, count] : state.faults)
        if (flag.source == earlier.pipe && flag.destination == later.pipe && wanted.erase(state.pairOf(open.pair)))
          keep(state.pairOf(open.pair), flagName(flag) + ", which is left as it is, may be what was to order it");
    }
  }

  void take(OrderRepair &repair) {
    for (SyncPlan &change : repair.changes)
      changes.push_back(std::move(change));
    for (const StillOpen &open : repair.left)
      keep(open.pair, open.reason);
  }

  void keep(const OpenPair &pair, const std::string &reason) {
    std::vector<const Statement *> statements = numberedStatements(kernel);
    reasons
        .pairs[{beginOf(module.source, *statements[pair.later]), beginOf(module.source, *statements[pair.earlier])}] =
        reason;
  }

  const Module &module;
  const Kernel &kernel;
  std::size_t number;
  const std::vector<Finding> &findings;
  const std::set<StatementPair> &missed;
  const Machine &machine, &endless;
  const timing::CostTable &costs;
  const FixOptions &options;
  const Lift &lift;
  std::vector<SyncPlan> &changes; // of the whole file
  Reasons &reasons;
  OrderingOptions ordering;
  std::optional<replay::Inputs> inputs; // of the run that is timed
};

std::string reasonFor(const Finding &finding, const Reasons &reasons, const std::string &refused) {
  if (!isMendable(finding.rule))
    return "no sync that could be put in mends it; `ptosync rule " + finding.rule + "` says what does";
  if (isOrderRule(finding.rule)) {
    if (finding.notes.empty())
      return "none of its statements is a place where a sync could stand";
    auto found = reasons.pairs.find({{finding.place.line, finding.place.column},
                                     {finding.notes.front().place.line, finding.notes.front().place.column}});
    if (found != reasons.pairs.end())
      return found->second;
    if (finding.rule == "ring-too-short")
      return "in the order of the program the entry is overwritten first: a longer ring mends that, no sync does";
  }
  for (const std::string &part : finding.parts)
    if (auto found = reasons.flags.find(part); found != reasons.flags.end())
      return found->second;
  if (auto found = reasons.kernels.find({finding.kernel, finding.section}); found != reasons.kernels.end())
    return found->second;
  return refused.empty() ? "none of the syncs that were tried mends it" : refused;
}

class FileFixer {
public:
  FileFixer(const Module &module, const Machine &machine, const timing::CostTable &costs, const FixOptions &options,
            const Lift &lift)
      : module(module), machine(machine), endless(machine.withEndlessIds()), costs(costs), options(options),
        lift(lift) {}

  llvm::Expected<FixResult> run() {
    llvm::Expected<FixCheck> check = FixCheck::of(module, machine, options.check);
    if (!check)
      return check.takeError();
    FixResult result;
    result.text = module.source.text();
    FixCheck::Left left = check->asItCame();
    refused = whyNothing();
    std::vector<MissedByRun> everMissed;
    for (std::size_t round = 0; round < kMostMendings; ++round) {
      const bool changed = refused.empty() && mendOnce(*check, result, left);
      if (!changed && round != 0)
        break;
      if (!options.attribute)
        if (llvm::Error error = lookAtResult(left.findings, result))
          return std::move(error);
      for (const MissedByRun &one : result.missed)
        if (llvm::none_of(everMissed, [&](const MissedByRun &known) { return isSame(known, one); }))
          everMissed.push_back(one);
      if (result.missed.empty() &&
          llvm::none_of(left.findings, [](const Finding &finding) { return isMendable(finding.rule); }))
        break;
    }
    if (llvm::Error error = useOwnTokens(*check, result, left))
      return std::move(error);
    for (MissedByRun &one : everMissed)
      if (llvm::none_of(result.missed, [&](const MissedByRun &left) { return isSame(left, one); })) {
        one.mended = true;
        result.missed.push_back(std::move(one));
      }
    if (llvm::Error error = addDefects(check->findings(), left.findings, result))
      return std::move(error);
    if (options.attribute)
      attribute(*check, result);
    return result;
  }

private:
  /// Whatever run shows it.
  static bool isSame(const MissedByRun &a, const MissedByRun &b) {
    return std::tie(a.kernel, a.text, a.earlierLine, a.laterLine) ==
           std::tie(b.kernel, b.text, b.earlierLine, b.laterLine);
  }

  /// Why nothing of the file is mended; empty: it may be.
  std::string whyNothing() const {
    for (const Kernel &kernel : module.kernels)
      if (!kernel.analysable) // it may run through whatever is changed
        return "kernel " + kernel.name + " of the file cannot be analysed: " + kernel.reason;
    if (std::optional<std::string> named = idsOfTheRun(module))
      return *named;
    return module.notEdited.empty() ? std::string() : "nothing of the file is edited: " + module.notEdited;
  }

  /// One round: true if something came of it.
  bool mendOnce(FixCheck &check, FixResult &result, FixCheck::Left &left) {
    std::vector<SyncPlan> changes = result.changes;
    for (std::size_t number = 0; number < module.kernels.size(); ++number) {
      KernelFixer fixer(module, number, left.findings, unordered[number], machine, endless, costs, options, lift,
                        changes, reasons);
      if (llvm::Error error = fixer.run())
        reasons.kernels[{module.kernels[number].name, module.kernels[number].section}] =
            llvm::toString(std::move(error));
    }
    const std::size_t before = result.changes.size();
    accept(check, std::move(changes), result, left);
    return result.changes.size() != before;
  }

  /// The file as it is with the changes; the second one is where it is kept if there are any.
  llvm::Expected<const Module *> moduleOf(const FixResult &result, std::optional<Module> &changed) const {
    if (result.changes.empty())
      return &module;
    llvm::Expected<Module> read = lift(result.text);
    if (!read)
      return read.takeError();
    changed.emplace(std::move(*read));
    return &*changed;
  }

  /// What of the findings is mended, and those that were hidden and are left.
  llvm::Error addDefects(const std::vector<Finding> &known, const std::vector<Finding> &left, FixResult &result) const {
    std::multiset<std::string> stays = fingerprintsOf(left);
    auto add = [&](const Finding &finding, bool mended) {
      result.defects.push_back(
          {finding, mended,
           mended ? std::string() : reasonFor(finding, reasons, refused.empty() ? refusedTogether : refused)});
    };
    for (const Finding &finding : known)
      add(finding, !stays.count(finding.fingerprint));
    std::optional<Module> changed;
    llvm::Expected<const Module *> after = moduleOf(result, changed);
    if (!after)
      return after.takeError();
    const std::map<LineColumnPair, LineColumnPair> places = placesInInput(**after);
    const std::multiset<std::string> told = fingerprintsOf(known);
    for (Finding finding : left) {
      if (told.count(finding.fingerprint))
        continue;
      moveTo(finding.place, places);
      for (FindingNote &note : finding.notes)
        moveTo(note.place, places);
      add(finding, false);
    }
    return llvm::Error::success();
  }

  static void moveTo(FindingPlace &place, const std::map<LineColumnPair, LineColumnPair> &places) {
    auto found = places.find({place.line, place.column});
    if (found == places.end())
      return;
    place.endLine = found->second.first + (place.endLine - place.line);
    std::tie(place.line, place.column) = found->second;
  }

  /// Asks for what the text that results still lacks, whether something was changed or not.
  llvm::Error lookAtResult(const std::vector<Finding> &left, FixResult &result) {
    std::optional<Module> changed;
    llvm::Expected<const Module *> after = moduleOf(result, changed);
    if (!after)
      return after.takeError();
    llvm::Expected<WholeOrder> order =
        lookAtOrder(**after, machine, options.check.audit.ordering, options.check.replay);
    if (!order)
      return order.takeError();
    result.contested = std::move(order->contested);
    result.missed.clear();
    unordered.clear();
    std::set<std::pair<LineColumnPair, LineColumnPair>> told; // earlier, later
    std::set<std::string> faulty;                             // kernels with a flag that is reported
    for (const Finding &finding : left) {
      if (isOrderRule(finding.rule) && !finding.notes.empty())
        told.insert({{finding.notes.front().place.line, finding.notes.front().place.column},
                     {finding.place.line, finding.place.column}});
      // What is not ordered behind a faulty flag is so for its sake.
      if (countsAsLeft(finding) && (isFlagRule(finding.rule) || finding.rule == "cross-core-flag"))
        faulty.insert(finding.kernel);
    }
    const std::map<LineColumnPair, LineColumnPair> places = placesInInput(**after);
    for (const replay::Finding &finding : order->missing) {
      const bool isOrder = finding.kind == replay::FindingKind::Order;
      auto at = [&](const replay::Place &place) {
        return placeAt((*after)->source, place.afterBegin, place.afterLine);
      };
      if (faulty.count(finding.kernel) || (isOrder && told.count({at(finding.earlier), at(finding.later)})))
        continue;
      MissedByRun one{finding.text, 0, 0, finding.kernel, finding.run};
      if (isOrder) {
        auto inInput = [&](const replay::Place &place) {
          auto found = places.find(at(place));
          return found == places.end() ? LineColumnPair{place.afterLine, 0} : found->second;
        };
        const LineColumnPair earlier = inInput(finding.earlier), later = inInput(finding.later);
        one.text = finding.rule + " on " + finding.storage + ": " + finding.text;
        one.earlierLine = earlier.first;
        one.laterLine = later.first;
        if (auto reason = reasons.pairs.find({later, earlier}); reason != reasons.pairs.end())
          one.reason = reason->second;
        else if (!refusedTogether.empty())
          one.reason = refusedTogether;
        note(finding, **after);
      }
      result.missed.push_back(std::move(one));
    }
    return llvm::Error::success();
  }

  /// For the next round: the statements of an order that a run missed, in every kernel that they are in.
  void note(const replay::Finding &finding, const Module &after) {
    for (std::size_t number = 0; number < after.kernels.size(); ++number) {
      if (after.kernels[number].name != finding.kernel || after.kernels[number].section != finding.section)
        continue;
      const std::vector<const Statement *> statements = numberedStatements(after.kernels[number]);
      const auto at = [&](std::uint32_t begin) { // a helper's statement once for each of its calls
        std::vector<std::size_t> numbers;
        for (std::size_t i = 0; i < statements.size(); ++i)
          if (statements[i]->range.begin == begin)
            numbers.push_back(i);
        return numbers;
      };
      const std::vector<std::size_t> later = at(finding.later.afterBegin);
      for (std::size_t earlier : at(finding.earlier.afterBegin))
        for (std::size_t one : later)
          unordered[number].insert({earlier, one});
    }
  }

  /// Where the statements of a version of the file stand in the input.
  std::map<LineColumnPair, LineColumnPair> placesInInput(const Module &version) const {
    std::map<LineColumnPair, LineColumnPair> places;
    for (std::size_t i = 0; i < version.kernels.size(); ++i) {
      std::vector<const Statement *> theirs = numberedStatements(version.kernels[i]),
                                     ours = numberedStatements(module.kernels[i]);
      for (std::size_t k = 0; k < std::min(theirs.size(), ours.size()); ++k)
        places.insert({beginOf(version.source, *theirs[k]), beginOf(module.source, *ours[k])});
    }
    return places;
  }

  /// Why these changes are not right together; empty: they are, and `text` and `left` are what comes of them.
  std::optional<std::string> judge(FixCheck &check, const std::vector<SyncPlan> &changes, std::string &text,
                                   FixCheck::Left &left) const {
    llvm::Expected<EditedFile> after = EditedFile::read(module, joined(changes), lift);
    if (!after)
      return llvm::toString(after.takeError());
    FixCheck::Left found;
    if (std::optional<std::string> reason = check.refusal(after->module(), after->origins(), found))
      return reason;
    text = after->module().source.text();
    left = std::move(found);
    return std::nullopt;
  }

  /// A kernel that has brackets of buffer ids and no flag gets brackets, where these mend no less.
  llvm::Error useOwnTokens(FixCheck &check, FixResult &result, FixCheck::Left &left) const {
    for (const Kernel &kernel : module.kernels) {
      const std::set<SiteId> sites = sitesOf(kernel);
      auto has = [&](bool (*kind)(SyncKind)) {
        return llvm::any_of(sites, [&](SiteId site) { return kind(module.sites[site].kind); });
      };
      if (result.changes.empty() || !has(isBuffer) || has(isFlag))
        continue;
      llvm::Expected<EditedFile> file = EditedFile::read(module, joined(result.changes), lift);
      if (!file)
        return file.takeError();
      const Kernel *is = kernelLike(file->module(), kernel);
      if (!is || !is->analysable)
        continue;
      llvm::Expected<Analysis> analysis = Analysis::of(*is, machine, options.check.audit.ordering);
      if (!analysis)
        return analysis.takeError();
      std::optional<BracketedPlan> plan = withBrackets(*file, *analysis);
      if (!plan)
        continue;
      std::vector<SyncPlan> changes = inBrackets(result.changes, file->plan(), *plan);
      FixCheck::Left now;
      std::string text;
      if (judge(check, changes, text, now) || now.wrong > left.wrong)
        continue;
      result.changes = std::move(changes);
      result.text = std::move(text);
      left = std::move(now);
    }
    return llvm::Error::success();
  }

  /// The changes with what stands for their additions in a plan that was made of all of them.
  static std::vector<SyncPlan> inBrackets(const std::vector<SyncPlan> &changes, const SyncPlan &whole,
                                          const BracketedPlan &plan) {
    auto keyOf = [](const AddedSync &added) {
      return std::make_tuple(added.place.offset, added.place.rank, added.statement, added.guard);
    };
    std::map<decltype(keyOf(AddedSync())), std::size_t> changeOf;
    std::vector<SyncPlan> result = changes;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      for (const AddedSync &added : changes[i].added)
        changeOf.try_emplace(keyOf(added), i);
      result[i].added.clear();
    }
    for (std::size_t i = 0; i < plan.added.size(); ++i)
      result[changeOf.at(keyOf(whole.added[plan.from[i]]))].added.push_back(plan.added[i]);
    std::erase_if(result,
                  [](const SyncPlan &one) { return one.added.empty() && one.removed.empty() && one.moved.empty(); });
    return result;
  }

  /// For each mended finding the first change that mends it by itself; where none does, all of them.
  void attribute(FixCheck &check, FixResult &result) const {
    for (const SyncPlan &change : result.changes) {
      FixCheck::Left left;
      std::string text;
      if (result.changes.size() == 1 || judge(check, {change}, text, left))
        continue;
      std::multiset<std::string> stays = fingerprintsOf(left.findings);
      for (Defect &defect : result.defects)
        if (defect.mended && defect.edits.empty() && !stays.count(defect.finding.fingerprint))
          defect.edits = editsFor(module, change).edits;
    }
    for (Defect &defect : result.defects)
      if (defect.mended && defect.edits.empty())
        defect.edits = editsFor(module, joined(result.changes)).edits;
  }

  /// Takes all of `changes`, which begin with those that are accepted; or of the others those that leave less wrong.
  void accept(FixCheck &check, std::vector<SyncPlan> changes, FixResult &result, FixCheck::Left &left) {
    const std::size_t accepted = result.changes.size();
    if (changes.size() == accepted)
      return;
    std::optional<std::string> reason = judge(check, changes, result.text, left);
    if (!reason) {
      result.changes = std::move(changes);
      return;
    }
    refusedTogether = "what was found did not pass the verification: " + *reason;
    for (std::size_t i = accepted; i < changes.size(); ++i) {
      std::vector<SyncPlan> more = result.changes;
      more.push_back(changes[i]);
      FixCheck::Left now;
      std::string text;
      if (judge(check, more, text, now) || now.wrong >= left.wrong)
        continue;
      result.changes = std::move(more);
      result.text = std::move(text);
      left = std::move(now);
    }
  }

  const Module &module;
  const Machine &machine;
  Machine endless;
  const timing::CostTable &costs;
  const FixOptions &options;
  const Lift &lift;
  Reasons reasons;
  std::string refused;                                      // why nothing is mended
  std::string refusedTogether;                              // why not all changes of the last round together
  std::map<std::size_t, std::set<StatementPair>> unordered; // by kernel: what runs missed in the text so far
};

} // namespace

bool isMendable(std::string_view rule) { return isFlagRule(rule) || isOrderRule(rule); }

std::size_t FixResult::left() const {
  return missed.size() - mendedOfRuns() + static_cast<std::size_t>(llvm::count_if(defects, [](const Defect &defect) {
           return !defect.mended && countsAsLeft(defect.finding);
         }));
}

std::size_t FixResult::mended() const {
  return static_cast<std::size_t>(llvm::count_if(defects, [](const Defect &defect) { return defect.mended; }));
}

std::size_t FixResult::mendedOfRuns() const {
  return static_cast<std::size_t>(llvm::count_if(missed, [](const MissedByRun &one) { return one.mended; }));
}

llvm::Expected<FixResult> fix(const Module &module, const Machine &machine, const timing::CostTable &costs,
                              const FixOptions &options, const Lift &lift) {
  const Lift remembered = remembering(lift);
  return FileFixer(module, machine, costs, options, remembered).run();
}

} // namespace ptosync::synthesis
