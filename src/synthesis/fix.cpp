#include "synthesis/fix.h"

#include "audit/audit.h"
#include "rewrite/sync_edits.h"
#include "synthesis/flag_repair.h"
#include "synthesis/order_comparison.h"
#include "synthesis/order_repair.h"
#include "synthesis/proposals.h"
#include "synthesis/required_order.h"

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
constexpr std::array<std::string_view, 2> kOrderRules = {"missing-sync", "ring-too-short"};

template <std::size_t N> bool isOne(const std::array<std::string_view, N> &rules, std::string_view rule) {
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

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

class KernelFixer {
public:
  KernelFixer(const Module &module, std::size_t number, const std::vector<Finding> &findings, const Machine &machine,
              const Machine &endless, const timing::CostTable &costs, const FixOptions &options, const Lift &lift,
              std::vector<SyncPlan> &changes, Reasons &reasons)
      : module(module), kernel(module.kernels[number]), number(number), findings(findings), machine(machine),
        endless(endless), costs(costs), options(options), lift(lift), changes(changes), reasons(reasons),
        ordering(options.check.audit.ordering) {
    ordering.followConditions = true;
  }

  llvm::Error run() {
    if (!kernel.analysable)
      return llvm::Error::success();
    llvm::Expected<KernelState> state = analyseKernel(kernel, machine, ordering);
    if (!state)
      return state.takeError();
    if (wantedFlags(*state).empty() && wantedPairs(*state, kernel, module).empty())
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

  /// True if a finding of the audit is about the flag.
  bool isReported(const Flag &flag) const {
    std::string text = flagText(flag);
    std::string pipes = betweenPipes(flag.source, flag.destination);
    return std::any_of(findings.begin(), findings.end(), [&](const Finding &finding) {
      return finding.kernel == kernel.name && isOne(kFlagRules, finding.rule) &&
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

  /// The open pairs that the audit reports of a version of the file.
  std::set<OpenPair> wantedPairs(const KernelState &state, const Kernel &version, const Module &file) const {
    std::set<std::pair<LineColumnPair, LineColumnPair>> reported;
    for (const Finding &finding : &file == &module ? findings : audit(file, machine, options.check.audit).findings)
      if (isOne(kOrderRules, finding.rule) && !finding.notes.empty())
        reported.insert({{finding.place.line, finding.place.column},
                         {finding.notes.front().place.line, finding.notes.front().place.column}});
    std::vector<const Statement *> statements = numberedStatements(version);
    std::set<OpenPair> pairs;
    for (const OpenPair &pair : state.open) {
      auto [earlier, later, kind] = pair;
      if (earlier < statements.size() && later < statements.size() &&
          reported.count({beginOf(file.source, *statements[later]), beginOf(file.source, *statements[earlier])}))
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
    auto [earlier, later, kind] = pair;
    reasons.pairs[{beginOf(module.source, *statements[later]), beginOf(module.source, *statements[earlier])}] = reason;
  }

  const Module &module;
  const Kernel &kernel;
  std::size_t number;
  const std::vector<Finding> &findings;
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
  if (isOne(kOrderRules, finding.rule)) {
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
    std::vector<SyncPlan> changes;
    bool any = std::any_of(check->findings().begin(), check->findings().end(),
                           [](const Finding &finding) { return isMendable(finding.rule); });
    auto lost = std::find_if(module.kernels.begin(), module.kernels.end(),
                             [](const Kernel &kernel) { return !kernel.analysable; });
    if (lost != module.kernels.end()) { // it may run through whatever is changed
      refused = "kernel " + lost->name + " of the file cannot be analysed: " + lost->reason;
      any = false;
    }
    for (const Kernel &kernel : module.kernels)
      if (std::optional<BufferIdUse> use = bufferIdUse(kernel, machine)) {
        refused = "kernel " + kernel.name + " is left alone: " + use->reason;
        any = false;
      }
    if (std::optional<std::string> named = idsOfTheRun(module)) {
      refused = *named;
      any = false;
    }
    if (!module.notEdited.empty()) {
      refused = "nothing of the file is edited: " + module.notEdited;
      any = false;
    }
    for (std::size_t number = 0; any && number < module.kernels.size(); ++number) {
      KernelFixer fixer(module, number, check->findings(), machine, endless, costs, options, lift, changes, reasons);
      if (llvm::Error error = fixer.run())
        reasons.kernels[{module.kernels[number].name, module.kernels[number].section}] =
            llvm::toString(std::move(error));
    }
    std::vector<Finding> left = check->findings();
    accept(*check, std::move(changes), result, left);
    std::multiset<std::string> stays = fingerprintsOf(left);
    for (const Finding &finding : check->findings()) {
      Defect defect{finding, !stays.count(finding.fingerprint), {}};
      if (!defect.mended)
        defect.reason = reasonFor(finding, reasons, refused);
      result.defects.push_back(std::move(defect));
    }
    if (options.attribute)
      attribute(*check, result);
    else if (llvm::Error error = lookAtResult(left, result))
      return std::move(error);
    return result;
  }

private:
  /// Asks for what the text that results still lacks, whether something was changed or not.
  llvm::Error lookAtResult(const std::vector<Finding> &left, FixResult &result) const {
    std::optional<Module> changed;
    if (result.text != module.source.text()) {
      llvm::Expected<Module> read = lift(result.text);
      if (!read)
        return read.takeError();
      changed.emplace(std::move(*read));
    }
    const Module &after = changed ? *changed : module;
    llvm::Expected<WholeOrder> order = lookAtOrder(after, machine, options.check.audit.ordering, options.check.replay);
    if (!order)
      return order.takeError();
    result.contested = std::move(order->contested);
    std::set<std::pair<LineColumnPair, LineColumnPair>> told; // earlier, later
    std::set<std::string> faulty;                             // kernels with a flag that is reported
    for (const Finding &finding : left) {
      if (isOne(kOrderRules, finding.rule) && !finding.notes.empty())
        told.insert({{finding.notes.front().place.line, finding.notes.front().place.column},
                     {finding.place.line, finding.place.column}});
      // What is not ordered behind a faulty flag is so for its sake.
      if (countsAsLeft(finding) && (isOne(kFlagRules, finding.rule) || finding.rule == "cross-core-flag"))
        faulty.insert(finding.kernel);
    }
    const auto isTold = [&](const replay::Finding &finding) {
      auto at = [&](const replay::Place &place) { return placeAt(after.source, place.afterBegin, place.afterLine); };
      return told.count({at(finding.earlier), at(finding.later)}) != 0;
    };
    const std::map<std::uint32_t, std::uint32_t> inputLines = linesOfInput(after);
    auto inputLine = [&](std::uint32_t line) {
      auto found = inputLines.find(line);
      return found == inputLines.end() ? line : found->second;
    };
    for (const replay::Finding &finding : order->missing) {
      bool isOrder = finding.kind == replay::FindingKind::Order;
      if (faulty.count(finding.kernel) || (isOrder && isTold(finding)))
        continue;
      StillMissing one{finding.text, 0, 0, finding.kernel, finding.run};
      if (isOrder) {
        one.text = finding.rule + " on " + finding.storage + ": " + finding.text;
        one.earlierLine = inputLine(finding.earlier.afterLine);
        one.laterLine = inputLine(finding.later.afterLine);
      }
      result.missing.push_back(std::move(one));
    }
    return llvm::Error::success();
  }

  /// By line of a version of the file: where its instructions stand in the input.
  std::map<std::uint32_t, std::uint32_t> linesOfInput(const Module &version) const {
    std::map<std::uint32_t, std::uint32_t> lines;
    for (std::size_t i = 0; i < version.kernels.size(); ++i) {
      std::vector<const Statement *> theirs = numberedStatements(version.kernels[i]),
                                     ours = numberedStatements(module.kernels[i]);
      for (std::size_t k = 0; k < std::min(theirs.size(), ours.size()); ++k)
        lines[theirs[k]->line] = ours[k]->line;
    }
    return lines;
  }

  /// Why these changes are not right together; empty: they are, and `text` and `left` are what comes of them.
  std::optional<std::string> judge(FixCheck &check, const std::vector<SyncPlan> &changes, std::string &text,
                                   std::vector<Finding> &left) const {
    llvm::Expected<EditedFile> after = EditedFile::read(module, joined(changes), lift);
    if (!after)
      return llvm::toString(after.takeError());
    std::vector<Finding> found;
    if (std::optional<std::string> reason = check.refusal(after->module(), after->origins(), found))
      return reason;
    text = after->module().source.text();
    left = std::move(found);
    return std::nullopt;
  }

  /// For each mended finding the first change that mends it by itself; where none does, all of them.
  void attribute(FixCheck &check, FixResult &result) const {
    for (const SyncPlan &change : result.changes) {
      std::vector<Finding> left;
      std::string text;
      if (result.changes.size() == 1 || judge(check, {change}, text, left))
        continue;
      std::multiset<std::string> stays = fingerprintsOf(left);
      for (Defect &defect : result.defects)
        if (defect.mended && defect.edits.empty() && !stays.count(defect.finding.fingerprint))
          defect.edits = editsFor(module, change).edits;
    }
    for (Defect &defect : result.defects)
      if (defect.mended && defect.edits.empty())
        defect.edits = editsFor(module, joined(result.changes)).edits;
  }

  void accept(FixCheck &check, std::vector<SyncPlan> changes, FixResult &result, std::vector<Finding> &left) {
    if (changes.empty())
      return;
    if (std::optional<std::string> reason = judge(check, changes, result.text, left); !reason) {
      result.changes = std::move(changes);
      return;
    } else {
      refused = "what was found did not pass the verification: " + *reason;
    }
    for (SyncPlan &change : changes) {
      std::vector<SyncPlan> more = result.changes;
      more.push_back(change);
      std::vector<Finding> now;
      std::string text;
      if (judge(check, more, text, now) || now.size() >= left.size())
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
  std::string refused; // why not all changes together, or none at all
};

} // namespace

bool isMendable(std::string_view rule) { return isOne(kFlagRules, rule) || isOne(kOrderRules, rule); }

std::size_t FixResult::left() const {
  return missing.size() +
         static_cast<std::size_t>(std::count_if(defects.begin(), defects.end(), [](const Defect &defect) {
           return !defect.mended && countsAsLeft(defect.finding);
         }));
}

std::size_t FixResult::mended() const {
  return static_cast<std::size_t>(
      std::count_if(defects.begin(), defects.end(), [](const Defect &defect) { return defect.mended; }));
}

llvm::Expected<FixResult> fix(const Module &module, const Machine &machine, const timing::CostTable &costs,
                              const FixOptions &options, const Lift &lift) {
  const Lift remembered = remembering(lift);
  return FileFixer(module, machine, costs, options, remembered).run();
}

} // namespace ptosync::synthesis
