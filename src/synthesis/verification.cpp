#include "synthesis/verification.h"

#include "audit/audit.h"
#include "replay/verify.h"
#include "synthesis/order_comparison.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ptosync::synthesis {
namespace {

std::optional<std::string> orderRefusal(const Kernel &before, const Kernel &after, const Pending &pending,
                                        const Machine &machine, const OrderingOptions &options) {
  if (pending.tooManyOpen())
    return "more pairs are unordered than are listed";
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

std::optional<std::string> refusal(const Module &before, const Module &after, const std::string &kernel,
                                   Section section, const Machine &machine, const VerificationOptions &options) {
  const Kernel *was = findKernel(before, kernel, section), *is = findKernel(after, kernel, section);
  if (!was || !is || !is->analysable)
    return "it is not read as the same kernel";
  llvm::Expected<Program> program = buildProgram(*is, machine, options.ordering);
  if (!program)
    return llvm::toString(program.takeError());
  if (std::optional<std::string> reason = orderRefusal(*was, *is, Pending(*program), machine, options.ordering))
    return reason;
  if (std::optional<std::string> reason = auditRefusal(before, after, kernel, section, machine, options.ordering))
    return reason;
  return replayRefusal(before, after, section, machine, options.replay);
}

} // namespace ptosync::synthesis
