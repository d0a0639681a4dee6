#include "audit/audit.h"

#include "audit/audit_context.h"
#include "audit/finding.h"
#include "base/fingerprint.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ptosync {

// Lists the rule families in the order in which they run. One line registers a family.
//
// A family looks at every kernel of the context and reports what it finds; the ids that it reports are rows of
// finding.cpp. Families see neither each other nor each other's findings: what two of them say of one statement
// is sorted out by audit.cpp. Tested by tests/audit/audit_test.cpp; a new one step by step: CONTRIBUTING.md.

void auditOrder(AuditContext &context);       // missing-sync, ring-too-short
void auditRings(AuditContext &context);       // ring-too-short
void auditTokens(AuditContext &context);      // unprimed-wait, undrained-flag, double-set, branch-imbalance,
                                              // cross-core-flag, deadlock, id-clash
void auditBrackets(AuditContext &context);    // nested-bracket, open-bracket, unmatched-release, idle-bracket,
                                              // id-out-of-range
void auditPipes(AuditContext &context);       // id-out-of-range, illegal-pipe, self-pair, useless-sync
void auditPublication(AuditContext &context); // signal-overtakes-data, gm-visibility
void auditFifos(AuditContext &context);       // fifo-imbalance, fifo-depth
void auditReservedIds(AuditContext &context); // reserved-id
void auditStorage(AuditContext &context);     // space-overflow, hidden-scratch-overlap, scratch-alias
void auditCost(AuditContext &context);        // pointless-copy, removable-sync, pipe-all-fallback, id-pressure
void auditAliases(AuditContext &context);     // serialising-alias
void auditCalls(AuditContext &context);       // unknown-call
void auditComments(AuditContext &context);    // unused-keep
// Another family: its declaration above, its name below.
inline constexpr auto kRuleFamilies = {
    auditOrder,       auditRings,   auditTokens, auditBrackets, auditPipes, auditPublication, auditFifos,
    auditReservedIds, auditStorage, auditCost,   auditAliases,  auditCalls, auditComments,
};

namespace {

constexpr std::size_t kFindingDigits = 32;

/// The identity of a finding, without a line or a numbered name: what it says of which statements of which kernel.
std::string identity(const Finding &finding) {
  std::string text = finding.rule + '\n' + finding.kernel + '\n' + std::string(sectionName(finding.section));
  StableNames names;
  for (const std::string &part : finding.parts)
    text += '\n' + names.stable(part);
  return text;
}

auto sortKey(const Finding &finding) {
  return std::tie(finding.place, finding.rule, finding.kernel, finding.section, finding.message);
}

/// The same statement in two core sections, or called twice, says the same thing once.
bool sameToReader(const Finding &a, const Finding &b) {
  return a.place == b.place && a.rule == b.rule && a.message == b.message;
}

void finish(std::vector<Finding> &findings, const AuditContext &context) {
  std::erase_if(findings, [&](Finding &finding) {
    const FindingRule *rule = findRule(finding.rule);
    Severity own = context.options.severity ? context.options.severity(finding.rule)
                   : rule                   ? rule->severity
                                            : Severity::Off;
    finding.severity = own == Severity::Off ? own : demoted(own, finding.demotion);
    return finding.severity == Severity::Off || finding.severity < context.options.lowest;
  });
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding &a, const Finding &b) { return sortKey(a) < sortKey(b); });
  findings.erase(std::unique(findings.begin(), findings.end(), sameToReader), findings.end());
  // Equal statements are told apart by their order in the file.
  std::map<std::string, unsigned> seen;
  for (Finding &finding : findings) {
    std::string text = identity(finding);
    finding.fingerprint = fingerprintOf(text + '\n' + std::to_string(seen[text]++), kFindingDigits);
  }
}

} // namespace

/// Why it is not proved that all that meets in memory is ordered on every path and each flag is binary; nothing if it
/// is. A finding needs more: that something is certainly or probably wrong.
static std::optional<std::string> reasonNotOrdered(const Analysis &kernel) {
  const Pending &pending = kernel.pending();
  if (pending.tooManyOpen())
    return "more pairs are unordered than are listed";
  if (!pending.tokenFaults().empty())
    return "flag " + flagText(kernel.program().flags[pending.tokenFaults().front().flag]) +
           " is not seen set and awaited in turn on every path";
  if (!kernel.program().bufferFaults.empty())
    return "a bracket of buffer id " + std::to_string(kernel.program().bufferFaults.front().id) + " is amiss";
  const std::vector<OpenObligation> open = pending.open(ObligationKind::Conflict);
  if (open.empty())
    return std::nullopt;
  const Conflict conflict = kernel.hazards().describe(open.front().pair);
  const std::string rule = open.front().silenced == Excuse::Silenced
                               ? ": only the contested rule " + open.front().rule + " orders it"
                               : " is not seen ordered on every path";
  return std::string(hazardKindName(open.front().pair.kind)) + " between lines " +
         std::to_string(conflict.earlier.line) + " and " + std::to_string(conflict.later.line) + rule;
}

AuditResult audit(const Module &module, const Machine &machine, const AuditOptions &options) {
  AuditContext context(module, machine, options);
  for (auto *family : kRuleFamilies)
    if (!options.ordering.allowance.spent(WorkUnit::Rule))
      family(context);
  AuditResult result;
  result.kernels = context.kernels().size();
  result.skipped = std::move(context.skipped);
  result.notJudged = std::move(context.notJudged);
  for (const Analysis &kernel : context.kernels())
    if (std::optional<std::string> reason = reasonNotOrdered(kernel))
      result.notProved.push_back({kernel.kernel().name, *reason, kernel.kernel().line});
  result.unknownCalls = module.unknownCalls;
  finish(context.findings, context);
  result.findings = std::move(context.findings);
  return result;
}

namespace {

/// How two instructions meet, and whether a ring is to blame, may differ where the pair is the same.
std::string family(const std::string &rule) {
  return rule == "ring-too-short" || rule == "bracket-no-barrier" ? "missing-sync" : rule;
}

auto keyOf(const Finding &finding) {
  FindingPlace first = finding.notes.empty() ? FindingPlace() : finding.notes.front().place;
  return std::make_tuple(family(finding.rule), finding.place, first, finding.kernel, finding.section);
}

const Finding *findLike(const std::vector<Finding> &findings, const Finding &finding) {
  auto key = keyOf(finding);
  const Finding *best = nullptr;
  for (const Finding &other : findings)
    if (keyOf(other) == key && (!best || other.severity > best->severity))
      best = &other;
  return best;
}

} // namespace

bool hasLike(const std::vector<Finding> &findings, const Finding &finding) { return findLike(findings, finding); }

std::size_t demoteUnlessBoth(std::vector<Finding> &findings, const std::vector<Finding> &other, const std::string &arch,
                             Severity lowest) {
  std::size_t demotedCount = 0;
  for (Finding &finding : findings) {
    if (finding.severity <= Severity::Note)
      continue;
    const Finding *same = findLike(other, finding);
    Severity both = same ? std::min(same->severity, finding.severity) : Severity::Note;
    if (both == finding.severity)
      continue;
    finding.severity = std::max(both, Severity::Note);
    finding.message += " (" + std::string(same ? "for certain " : "") + "on " + arch + " only: give --arch)";
    ++demotedCount;
  }
  std::erase_if(findings, [&](const Finding &finding) { return finding.severity < lowest; });
  return demotedCount;
}

} // namespace ptosync
