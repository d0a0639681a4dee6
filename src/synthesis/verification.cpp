#include "synthesis/verification.h"

#include "audit/audit.h"
#include "replay/judge/tokens.h"
#include "replay/verify.h"
#include "synthesis/kernel_state.h"
#include "synthesis/order_comparison.h"

#include <algorithm>
#include <set>

namespace ptosync::synthesis {
namespace {

std::optional<std::string> orderRefusal(const Kernel &before, const Analysis &after, const Machine &machine,
                                        const OrderingOptions &options) {
  const Pending &pending = after.pending();
  if (pending.tooManyOpen())
    return "more pairs are unordered than the analysis lists, so nothing is known of the others";
  if (!pending.tokenFaults().empty())
    return "a flag is not binary on every path";
  for (const OpenObligation &open : pending.open(ObligationKind::Conflict))
    if (open.silenced != Excuse::Silenced)
      return "unordered: " + pairText(pending.hazards(), open.pair);
  llvm::Expected<std::optional<LostOrder>> lost =
      lostOrder(before, after, machine, options, PathCheck::FaultyFlags::MayOrder);
  if (!lost)
    return llvm::toString(lost.takeError());
  return *lost ? std::optional((*lost)->text) : std::nullopt;
}

std::string stillOpen(const HazardModel &model, const ConflictPair &pair) {
  switch (obligationKind(pair)) {
  case ObligationKind::Conflict: return "nothing orders it: " + pairText(model, pair);
  case ObligationKind::Fence: return "nothing orders it relative to an opaque call: " + pairText(model, pair);
  case ObligationKind::FlagReuse: return "a flag may be set again before its wait";
  case ObligationKind::End: return "it may still run where the kernel ends";
  }
  return "";
}

/// Warnings and errors, by what they say. From nothing errors alone: with the order of a store and what reads it back
/// the warning comes that no sync mends.
std::multiset<std::string> findings(const Module &module, const std::string &kernel, Section section,
                                    const Machine &machine, const OrderingOptions &ordering) {
  AuditOptions options;
  options.ordering = ordering;
  options.ordering.followConditions = true;
  options.lowest = ordering.fromNothing ? Severity::Error : Severity::Warning;
  std::multiset<std::string> texts;
  for (const Finding &finding : audit(module, machine, options).findings)
    if (finding.kernel == kernel && finding.section == section)
      texts.insert(finding.rule);
  return texts;
}

std::optional<std::string> auditRefusal(const Module &before, const Module &after, const std::string &kernel,
                                        Section section, const Machine &machine, const OrderingOptions &ordering) {
  std::multiset<std::string> known = findings(before, kernel, section, machine, ordering);
  for (const std::string &rule : findings(after, kernel, section, machine, ordering)) {
    auto same = known.find(rule);
    if (same == known.end())
      return "the audit finds " + rule;
    known.erase(same);
  }
  return std::nullopt;
}

std::optional<std::string> replayRefusal(const Module &before, const Module &after, Section section,
                                         const Machine &machine, const replay::Options &options) {
  replay::Options usual = options;
  usual.aims.emplace(); // the runs that are always made: whoever publishes the kernel has it replayed again
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(before, after, machine, usual, {section}, replay::Unanalysable::Skip);
  if (!verdict)
    return "it cannot be replayed: " + llvm::toString(verdict.takeError());
  if (verdict->agreed())
    return std::nullopt;
  return "the replay finds: " + verdict->findings.front().text;
}

} // namespace

std::optional<std::string> openOrder(const Kernel &kernel, const Machine &machine, const OrderingOptions &given) {
  OrderingOptions options = given;
  options.fromNothing = true;
  llvm::Expected<Analysis> analysis = Analysis::of(kernel, machine, options);
  if (!analysis)
    return llvm::toString(analysis.takeError());
  const Pending &pending = analysis->pending();
  if (!pending.tokenFaults().empty())
    return "a flag is not binary on every path";
  const std::vector<Node> &nodes = analysis->program().nodes;
  auto earlierOf = [&](const OpenObligation &open) -> const Node & {
    return nodes[analysis->program().nodeOfBit[open.pair.bit]];
  };
  for (const OpenObligation &open : pending.open())
    if (open.kind() != ObligationKind::End &&
        (open.kind() != ObligationKind::Fence || Program::isNeeded(earlierOf(open), nodes[open.pair.later])))
      return stillOpen(pending.hazards(), open.pair);
  if (const std::vector<OpenObligation> running = runningAtEnds(*analysis); !running.empty())
    return "line " + std::to_string(earlierOf(running.front()).statement->line) +
           " may still run where the kernel ends";
  return std::nullopt;
}

std::vector<OpenObligation> runningAtEnds(const Analysis &analysis) {
  std::vector<OpenObligation> running = analysis.pending().runningAtEnds();
  const Program &program = analysis.program();
  std::erase_if(running, [&](const OpenObligation &open) {
    return !mayOutlastKernel(program, program.nodes[program.nodeOfBit[open.pair.bit]]);
  });
  return running;
}

bool mayOutlastKernel(const Program &program, const Node &node) {
  if (node.isFlag() || node.pipe == Pipe::S)
    return false;
  if (!node.accesses.empty())
    return true;
  const auto *instruction = std::get_if<Instruction>(&node.statement->action);
  const InstructionFacts *facts = instruction ? program.machine->instruction(instruction->name) : nullptr;
  return node.fence && !(facts && facts->is("gm-fence"));
}

std::optional<std::string> refusal(const Module &before, const Module &after, const std::string &kernel,
                                   Section section, const Machine &machine, const VerificationOptions &options) {
  const Kernel *was = findKernel(before, kernel, section), *is = findKernel(after, kernel, section);
  if (!was || !is || !is->analysable)
    return "it is not read as the same kernel";
  llvm::Expected<Analysis> analysis = Analysis::of(*is, machine, options.ordering);
  if (!analysis)
    return llvm::toString(analysis.takeError());
  if (std::optional<std::string> reason = orderRefusal(*was, *analysis, machine, options.ordering))
    return reason;
  if (options.ordering.fromNothing)
    if (std::optional<std::string> open = openOrder(*is, machine, options.ordering))
      return open;
  if (std::optional<std::string> reason = auditRefusal(before, after, kernel, section, machine, options.ordering))
    return reason;
  return replayRefusal(before, after, section, machine, options.replay);
}

namespace {

const std::string kTooSoon = replay::tokenFaultName(replay::TokenFaultKind::SetTooSoon);

/// The places of pairs that the analysis itself does not see ordered.
std::set<BytePair> knownOpen(const KernelState &state, const Kernel &kernel) {
  std::vector<const Statement *> statements = numberedStatements(kernel);
  std::set<BytePair> places;
  for (const auto *pairs : {&state.open, &state.silenced, &state.fences})
    for (const OpenPair &pair : *pairs)
      if (pair.earlier < statements.size() && pair.later < statements.size())
        places.insert({statements[pair.earlier]->range.begin, statements[pair.later]->range.begin});
  return places;
}

/// How many of its pairs and places of flags are not as they have to be.
std::size_t wrongIn(const KernelState &state) {
  std::size_t wrong = state.open.size();
  for (const auto &[flag, places] : state.faults)
    wrong += places;
  return wrong;
}

OrderingOptions asAuditsDo(OrderingOptions options) {
  options.followConditions = true;
  return options;
}

} // namespace

bool isOrderRule(std::string_view rule) {
  return rule == "missing-sync" || rule == "ring-too-short" || rule == "bracket-no-barrier";
}

std::multiset<std::string> fingerprintsOf(const std::vector<Finding> &findings) {
  std::multiset<std::string> fingerprints;
  for (const Finding &finding : findings)
    fingerprints.insert(finding.fingerprint);
  return fingerprints;
}

llvm::Expected<FixCheck> FixCheck::of(const Module &before, const Machine &machine, const FixCheckOptions &options) {
  FixCheck check(before, machine, options);
  check.known = audit(before, machine, options.audit).findings;
  return check;
}

void FixCheck::lookAtInput() {
  if (!old.empty())
    return;
  for (const Kernel &kernel : before->kernels) {
    Known &known = old.emplace_back();
    if (!kernel.analysable)
      continue;
    llvm::Expected<KernelState> state = analyseKernel(kernel, *machine, asAuditsDo(options->audit.ordering));
    if (state)
      known.state.emplace(std::move(*state));
    else
      known.problem = llvm::toString(state.takeError());
  }
}

FixCheck::Left FixCheck::asItCame() {
  lookAtInput();
  Left all{known, 0};
  for (const Known &one : old)
    all.wrong += one.state ? wrongIn(*one.state) : 0;
  return all;
}

std::optional<std::string> FixCheck::kernelRefusal(std::size_t number, std::size_t &wrong) const {
  const std::optional<KernelState> &was = old[number].state;
  const Kernel &is = seen->kernels[number];
  if (before->kernels[number].analysable != is.analysable)
    return "a kernel is not read as it was";
  if (!is.analysable)
    return std::nullopt;
  if (!was)
    return old[number].problem;
  llvm::Expected<KernelState> now = analyseKernel(is, *machine, asAuditsDo(options->audit.ordering));
  if (!now)
    return llvm::toString(now.takeError());
  if (was->analysis.pending().tooManyOpen() || now->analysis.pending().tooManyOpen())
    return "more pairs are unordered than the analysis lists, so nothing is known of the others";
  wrong += wrongIn(*now);
  llvm::Expected<std::optional<LostOrder>> lost =
      lostOrder(before->kernels[number], now->analysis, *machine, asAuditsDo(options->audit.ordering),
                PathCheck::FaultyFlags::OrderNothing);
  if (!lost)
    return llvm::toString(lost.takeError());
  if (*lost)
    return (*lost)->text;
  for (const auto &[flag, count] : now->faults)
    if (auto known = was->faults.find(flag); known == was->faults.end() || known->second < count)
      return flagName(flag) + " is no longer binary on every path";
  if (std::optional<std::string> reason = reuseRefusal(*was, *now))
    return reason;
  return runRefusal(number, *now);
}

/// A race of a set with the wait for its flag's last setting that the very two statements do not have in the input. The
/// waits of a faulty flag say nothing there, so it has each race of which anything is left here.
std::optional<std::string> FixCheck::reuseRefusal(const KernelState &was, const KernelState &is) const {
  for (const auto &[flag, wait, set] : is.reusePairs) {
    if (wait == kNone && set == kNone)
      continue; // both inside one library call, or two of them
    auto place = [&](SiteId site) { return site == kNone ? kNone : originOf[site]; };
    bool known = was.reusePairs.count({flag, place(wait), place(set)}) != 0;
    if (!known || (wait != kNone && place(wait) == kNone) || (set != kNone && place(set) == kNone))
      return flagName(flag) + " may be set again before its wait at line " +
             std::to_string(seen->sites[wait == kNone ? set : wait].line);
  }
  return std::nullopt;
}

/// One kernel of each version, run against each other and against all order.
std::optional<std::string> FixCheck::runRefusal(std::size_t number, const KernelState &state) const {
  auto alone = [number](const Module &module) {
    Module one;
    one.source = module.source;
    one.sites = module.sites;
    one.kernels = {module.kernels[number]};
    return one;
  };
  Module was = alone(*before), now = alone(*seen), full = fullyOrdered(now);
  llvm::Expected<replay::Verdict> against = replay::verify(was, now, *machine, options->replay);
  if (!against)
    return "it cannot be replayed: " + llvm::toString(against.takeError());
  if (!against->agreed())
    return "the replay finds: " + against->findings.front().text;
  llvm::Expected<replay::Verdict> absolute = replay::verify(full, now, *machine, againstFullOrder(options->replay));
  if (!absolute)
    return "it cannot be replayed: " + llvm::toString(absolute.takeError());
  if (mayBeCutOff(absolute->findings))
    return "the replay finds more missing orders than it lists";
  const std::set<BytePair> known = knownOpen(state, seen->kernels[number]);
  // Where flags are binary only because a condition on memory comes out the same twice, the replay has runs of memory
  // that cannot be. What it says of them is not about the statements that were put in, or it counts.
  const bool binary = state.faults.empty(), hangs = binary && flagsHangOnConditions(number);
  const auto isAboutNew = [&](const replay::Finding &finding) {
    return std::any_of(finding.syncs.begin(), finding.syncs.end(),
                       [&](SiteId site) { return originOf[site] == kNone; });
  };
  auto counts = [&](const replay::Finding &finding) { return binary && (!hangs || isAboutNew(finding)); };
  for (const replay::Finding &finding : absolute->findings)
    switch (finding.kind) {
    case replay::FindingKind::Order:
      if (!known.count({finding.earlier.afterBegin, finding.later.afterBegin}))
        return "the replay finds: " + finding.text;
      break;
    case replay::FindingKind::Token:
      // Emitted kernels have the race, and the device wins; what was put in has no part in it.
      if (finding.rule == kTooSoon ? isAboutNew(finding) : counts(finding))
        return "the replay finds: " + finding.text;
      break;
    case replay::FindingKind::Deadlock:
    case replay::FindingKind::Streams:
      if (counts(finding))
        return "the replay finds: " + finding.text;
      break;
    case replay::FindingKind::End: break;
    }
  return std::nullopt;
}

bool FixCheck::flagsHangOnConditions(std::size_t number) const {
  OrderingOptions ordering = options->audit.ordering;
  ordering.followConditions = false;
  llvm::Expected<KernelState> strict = analyseKernel(seen->kernels[number], *machine, ordering);
  if (strict)
    return !strict->faults.empty();
  llvm::consumeError(strict.takeError());
  return false;
}

std::optional<std::string> FixCheck::refusal(const Module &after, const std::vector<SiteId> &origins, Left &left) {
  seen = &after;
  originOf = origins;
  if (before->kernels.size() != after.kernels.size())
    return "the text that results does not hold the same kernels";
  if (before->shapes != after.shapes)
    return "more of the file would change than its syncs";
  lookAtInput();
  left.wrong = 0;
  for (std::size_t i = 0; i < after.kernels.size(); ++i) {
    const Kernel &was = before->kernels[i], &is = after.kernels[i];
    if (was.name != is.name || was.section != is.section)
      return "the text that results does not hold the same kernels";
    if (numberedStatements(was).size() != numberedStatements(is).size())
      return "the text that results does not hold the same statements";
    if (std::optional<std::string> reason = kernelRefusal(i, left.wrong))
      return reason;
  }
  left.findings = audit(after, *machine, options->audit).findings;
  std::multiset<std::string> known = fingerprintsOf(this->known);
  for (const Finding &finding : left.findings) {
    auto same = known.find(finding.fingerprint);
    if (same == known.end() && isOrderRule(finding.rule))
      continue;
    if (same == known.end())
      return "the audit finds, which it did not: " + finding.message + " [" + finding.rule + "]";
    known.erase(same);
  }
  return std::nullopt;
}

} // namespace ptosync::synthesis
