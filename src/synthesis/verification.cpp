#include "synthesis/verification.h"

#include "audit/audit.h"
#include "ordering/pending.h"
#include "replay/verify.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ptosync::synthesis {
namespace {

/// The instructions of a kernel by number, the same in every version of it: syncs aside.
std::map<const Statement *, std::size_t> numbered(const Kernel &kernel) {
  std::map<const Statement *, std::size_t> numbers;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (!std::holds_alternative<Sync>(statement.action))
        numbers.emplace(&statement, numbers.size());
  return numbers;
}

/// A pair of instructions that is left open.
using OpenPair = std::tuple<std::size_t, std::size_t, HazardKind>;

struct Analysis {
  std::unique_ptr<Program> program;
  std::unique_ptr<Pending> pending;
  std::set<OpenPair> silenced, fences;
  std::set<std::size_t> atEnd;
};

llvm::Expected<Analysis> analyse(const Kernel &kernel, const Machine &machine, const OrderingOptions &options) {
  llvm::Expected<Program> program = buildProgram(kernel, machine, options);
  if (!program)
    return program.takeError();
  Analysis analysis;
  analysis.program = std::make_unique<Program>(std::move(*program));
  analysis.pending = std::make_unique<Pending>(*analysis.program);
  std::map<const Statement *, std::size_t> numbers = numbered(kernel);
  auto numberOf = [&](NodeId node) {
    auto found = numbers.find(analysis.program->nodes[node].statement);
    return found == numbers.end() ? kNone : found->second;
  };
  auto pairOf = [&](const ConflictPair &pair) {
    return OpenPair{numberOf(analysis.program->nodeOfBit[pair.bit]), numberOf(pair.later), pair.kind};
  };
  for (const OpenConflict &open : analysis.pending->open())
    if (open.silenced == Excuse::Silenced)
      analysis.silenced.insert(pairOf(open.pair));
  for (const ConflictPair &pair : analysis.pending->openFenceOrders())
    analysis.fences.insert(pairOf(pair));
  for (const auto &[step, bit] : analysis.pending->openAtEnd())
    analysis.atEnd.insert(numberOf(analysis.program->nodeOfBit[bit]));
  return analysis;
}

std::string describePair(const Pending &pending, const ConflictPair &pair) {
  const Conflict conflict = pending.hazards().describe(pair);
  return std::string(hazardKindName(pair.kind)) + " between lines " + std::to_string(conflict.earlier.line) + " and " +
         std::to_string(conflict.later.line);
}

template <typename T> bool includes(const std::set<T> &all, const std::set<T> &some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

std::optional<std::string> orderRefusal(const Analysis &before, const Analysis &after) {
  const Pending &pending = *after.pending;
  if (pending.tooManyOpen())
    return "more pairs are unordered than are listed";
  for (const OpenConflict &open : pending.open())
    if (open.silenced != Excuse::Silenced)
      return "unordered: " + describePair(pending, open.pair);
  if (!includes(before.silenced, after.silenced))
    return "a pair that only a contested rule orders has lost its sync";
  if (!includes(before.fences, after.fences))
    return "an order relative to an opaque call is lost";
  if (!includes(before.atEnd, after.atEnd))
    return "work may still be running at the kernel's end";
  return std::nullopt;
}

std::optional<std::string> flagRefusal(const Analysis &before, const Analysis &after) {
  if (!after.pending->tokenFaults().empty())
    return "a flag is not binary on every path";
  // What emitted kernels have of this is a race that the device wins; it is not added to.
  auto flagsOf = [](const Analysis &analysis) {
    std::map<Flag, std::size_t> flags;
    for (const ConflictPair &pair : analysis.pending->openReuses())
      for (const auto &events : analysis.program->blocks)
        for (const Event &event : events)
          if (event.node == pair.later)
            for (std::uint32_t lane : event.lanes)
              ++flags[analysis.program->flags[lane]];
    return flags;
  };
  std::map<Flag, std::size_t> known = flagsOf(before);
  for (const auto &[flag, count] : flagsOf(after))
    if (known[flag] < count)
      return "flag (" + std::string(pipeName(flag.source)) + ", " + std::string(pipeName(flag.destination)) + ", " +
             std::to_string(flag.id) + ") may be set again before its wait";
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
  llvm::Expected<Analysis> old = analyse(*was, machine, options.ordering);
  if (!old)
    return llvm::toString(old.takeError());
  llvm::Expected<Analysis> now = analyse(*is, machine, options.ordering);
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
