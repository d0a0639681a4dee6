#include "synthesis/fix_check.h"

#include "replay/conflict.h"
#include "replay/tokens.h"
#include "replay/verify.h"
#include "rewrite/line_matcher.h"
#include "synthesis/kernel_state.h"
#include "synthesis/repair_context.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <tuple>

namespace ptosync::synthesis {
namespace {

/// The kernels with PIPE_ALL in front of every statement and no other sync: all order there can be.
Module fullyOrdered(const Module &module) {
  Module ordered = module;
  auto site = static_cast<SiteId>(ordered.sites.size());
  ordered.sites.push_back({});
  ordered.sites.back().text = "pipe_barrier(PIPE_ALL)";
  for (Kernel &kernel : ordered.kernels)
    for (Block &block : kernel.blocks) {
      std::vector<Statement> statements;
      for (Statement &statement : block.statements) {
        const auto *sync = std::get_if<Sync>(&statement.action);
        if (sync && sync->kind != SyncKind::Tail)
          continue;
        if (std::holds_alternative<Instruction>(statement.action)) {
          Statement barrier = statement;
          Sync all;
          all.site = site;
          barrier.action = all;
          statements.push_back(std::move(barrier));
        }
        statements.push_back(std::move(statement));
      }
      block.statements = std::move(statements);
    }
  return ordered;
}

const std::string kTooSoon = replay::tokenFaultName(replay::TokenFaultKind::SetTooSoon);

using LinePair = std::pair<std::uint32_t, std::uint32_t>;

/// The lines of pairs that the analysis itself does not see ordered.
std::set<LinePair> knownOpen(const KernelState &state, const Kernel &kernel) {
  std::vector<const Statement *> statements = numberedStatements(kernel);
  std::set<LinePair> lines;
  for (const auto *pairs : {&state.open, &state.silenced, &state.fences})
    for (const auto &[earlier, later, kind] : *pairs)
      if (earlier < statements.size() && later < statements.size())
        lines.insert({statements[earlier]->line, statements[later]->line});
  return lines;
}

/// The lines of a text that another version does not have.
std::set<std::uint32_t> linesThatCame(const SourceText &before, const SourceText &after) {
  std::map<std::string_view, std::uint32_t> numbers;
  auto numbered = [&](const SourceText &text) {
    std::vector<std::uint32_t> lines;
    for (std::uint32_t line = 1; line <= text.lineCount(); ++line)
      lines.push_back(numbers.try_emplace(text.line(line), static_cast<std::uint32_t>(numbers.size())).first->second);
    return lines;
  };
  std::vector<std::uint32_t> old = numbered(before), now = numbered(after);
  std::vector<bool> came = matchLines(old, now).added;
  std::set<std::uint32_t> lines;
  for (std::uint32_t i = 0; i < came.size(); ++i)
    if (came[i])
      lines.insert(i + 1);
  return lines;
}

/// True if a sentence names one of the lines: "line 12".
bool namesLine(llvm::StringRef text, const std::set<std::uint32_t> &lines) {
  for (auto [skipped, rest] = text.split("line "); !rest.empty(); std::tie(skipped, rest) = rest.split("line ")) {
    std::uint32_t line = 0;
    if (!rest.consumeInteger(10, line) && lines.count(line))
      return true;
  }
  return false;
}

OrderingOptions asAuditsDo(OrderingOptions options) {
  options.followConditions = true;
  return options;
}

} // namespace

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

std::optional<std::string> FixCheck::kernelRefusal(std::size_t number) const {
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
  if (was->pending->tooManyOpen() || now->pending->tooManyOpen())
    return "more pairs are unordered than are listed";
  if (!includesAll(was->open, now->open))
    return "a pair that was ordered no longer is";
  if (!includesAll(was->silenced, now->silenced))
    return "a pair that only a contested rule orders has lost its sync";
  if (!includesAll(was->fences, now->fences))
    return "an order relative to an opaque call is lost";
  if (!includesAll(was->atEnd, now->atEnd))
    return "work may still be running at the kernel's end";
  for (const auto &[flag, count] : now->faults)
    if (auto known = was->faults.find(flag); known == was->faults.end() || known->second < count)
      return flagName(flag) + " is no longer binary on every path";
  for (const auto &[flag, count] : now->reuses) {
    auto known = was->reuses.find(flag);
    if (!was->faults.count(flag) && (known == was->reuses.end() || known->second < count))
      return flagName(flag) + " may be set again before its wait";
  }
  return runRefusal(number, *now);
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
  for (const replay::Finding &finding : against->findings)
    if (finding.rule != kTooSoon) // looked at below
      return "the replay finds: " + finding.text;
  llvm::Expected<replay::Verdict> absolute = replay::verify(full, now, *machine, options->replay);
  if (!absolute)
    return "it cannot be replayed: " + llvm::toString(absolute.takeError());
  std::set<LinePair> known = knownOpen(state, seen->kernels[number]);
  for (const replay::Finding &finding : absolute->findings)
    switch (finding.kind) {
    case replay::FindingKind::Order:
      if (finding.rule != replay::conflictName(replay::ConflictKind::Fence) &&
          !known.count({finding.earlier.afterLine, finding.later.afterLine}))
        return "the replay finds: " + finding.text;
      break;
    case replay::FindingKind::Token:
      // Emitted kernels have the race, and the device wins; what was put in has no part in it.
      if (finding.rule == kTooSoon ? namesLine(finding.text, came) : state.faults.empty())
        return "the replay finds: " + finding.text;
      break;
    case replay::FindingKind::Deadlock:
    case replay::FindingKind::Streams:
      if (state.faults.empty())
        return "the replay finds: " + finding.text;
      break;
    case replay::FindingKind::End: break;
    }
  return std::nullopt;
}

std::optional<std::string> FixCheck::refusal(const Module &after, std::vector<Finding> &left) {
  seen = &after;
  came = linesThatCame(before->source, after.source);
  if (before->kernels.size() != after.kernels.size())
    return "it does not hold the same kernels";
  if (before->shapes != after.shapes)
    return "more of the file would change than its syncs";
  if (old.empty())
    lookAtInput();
  for (std::size_t i = 0; i < after.kernels.size(); ++i) {
    const Kernel &was = before->kernels[i], &is = after.kernels[i];
    if (was.name != is.name || was.section != is.section)
      return "it does not hold the same kernels";
    if (numberedStatements(was).size() != numberedStatements(is).size())
      return "its statements are not the same";
    if (std::optional<std::string> reason = kernelRefusal(i))
      return reason;
  }
  left = audit(after, *machine, options->audit).findings;
  std::multiset<std::string> known = fingerprintsOf(this->known);
  for (const Finding &finding : left) {
    auto same = known.find(finding.fingerprint);
    if (same == known.end())
      return "the audit finds, which it did not: " + finding.message + " [" + finding.rule + "]";
    known.erase(same);
  }
  return std::nullopt;
}

} // namespace ptosync::synthesis
