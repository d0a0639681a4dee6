#include "synthesis/verification.h"

#include "audit/audit.h"
#include "replay/verify.h"
#include "synthesis/kernel_state.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ptosync::synthesis {
namespace {

std::string describePair(const Pending &pending, const ConflictPair &pair) {
  const Conflict conflict = pending.hazards().describe(pair);
  return std::string(hazardKindName(pair.kind)) + " between lines " + std::to_string(conflict.earlier.line) + " and " +
         std::to_string(conflict.later.line);
}

std::optional<std::string> orderRefusal(const KernelState &before, const KernelState &after) {
  const Pending &pending = *after.pending;
  if (pending.tooManyOpen())
    return "more pairs are unordered than are listed";
  for (const OpenConflict &open : pending.open())
    if (open.silenced != Excuse::Silenced)
      return "unordered: " + describePair(pending, open.pair);
  if (!includesAll(before.silenced, after.silenced))
    return "a pair that only a contested rule orders has lost its sync";
  if (!includesAll(before.fences, after.fences))
    return "an order relative to an opaque call is lost";
  if (!includesAll(before.atEnd, after.atEnd))
    return "work may still be running at the kernel's end";
  return std::nullopt;
}

std::optional<std::string> flagRefusal(const KernelState &before, const KernelState &after) {
  if (!after.pending->tokenFaults().empty())
    return "a flag is not binary on every path";
  // What emitted kernels have of this is a race that the device wins; it is not added to.
  for (const auto &[flag, count] : after.reuses)
    if (auto known = before.reuses.find(flag); known == before.reuses.end() || known->second < count)
      return flagName(flag) + " may be set again before its wait";
  return std::nullopt;
}

/// Warnings and errors, by what they say.
std::multiset<std::string> findings(const Module &module, const std::string &kernel, Section section,
                                    const Machine &machine, const OrderingOptions &ordering) {
  AuditOptions options;
  options.ordering = ordering;
  options.ordering.followConditions = true;
  options.lowest = Severity::Warning;
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
  llvm::Expected<replay::Verdict> verdict =
      replay::verify(before, after, machine, options, {section}, replay::Unanalysable::Skip);
  if (!verdict)
    return "it cannot be replayed: " + llvm::toString(verdict.takeError());
  if (verdict->agreed())
    return std::nullopt;
  return "the replay finds: " + verdict->findings.front().text;
}

} // namespace

std::optional<std::string> refusal(const Module &before, const Module &after, const std::string &kernel,
                                   Section section, const Machine &machine, const VerificationOptions &options) {
  const Kernel *was = findKernel(before, kernel, section), *is = findKernel(after, kernel, section);
  if (!was || !is || !is->analysable)
    return "it is not read as the same kernel";
  llvm::Expected<KernelState> old = analyseKernel(*was, machine, options.ordering);
  if (!old)
    return llvm::toString(old.takeError());
  llvm::Expected<KernelState> now = analyseKernel(*is, machine, options.ordering);
  if (!now)
    return llvm::toString(now.takeError());
  if (std::optional<std::string> reason = orderRefusal(*old, *now))
    return reason;
  if (std::optional<std::string> reason = flagRefusal(*old, *now))
    return reason;
  if (std::optional<std::string> reason = auditRefusal(before, after, kernel, section, machine, options.ordering))
    return reason;
  return replayRefusal(before, after, section, machine, options.replay);
}

} // namespace ptosync::synthesis
