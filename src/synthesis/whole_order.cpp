#include "synthesis/whole_order.h"

#include "audit/buffer_ids.h"
#include "replay/judge/tokens.h"

namespace ptosync::synthesis {
namespace {

constexpr std::size_t kListed = 1000; // findings of one run of the replay

/// The lines of pairs that are open, with the rule that silences each.
std::map<LinePair, std::string> openLines(const KernelState &state, Excuse silenced) {
  std::map<LinePair, std::string> lines;
  for (const OpenObligation &open : state.pending->open(ObligationKind::Conflict))
    if (open.silenced == silenced) {
      const Program &program = *state.program;
      lines.insert({{program.nodes[program.nodeOfBit[open.pair.bit]].statement->line,
                     program.nodes[open.pair.later].statement->line},
                    open.rule});
    }
  return lines;
}

/// What the replay may miss in a kernel that is right.
struct Excused {
  std::map<LinePair, std::string> lines; // of orders: the contested rule; empty: of impossible memory
  bool flagsBinary = false;              // whatever flag it calls faulty, on no path is it
};

/// The replay knows neither what contested rules order nor which contents of memory are possible: two loads of one
/// address may give it two values. The ordering analysis is asked with and without both. What is open without and is
/// not with them is excused.
llvm::Expected<Excused> excusedIn(const Kernel &kernel, const Machine &machine, OrderingOptions ordering) {
  auto analysed = [&](bool conditions, bool held) {
    ordering.followConditions = conditions;
    ordering.scalarWaitsHoldDispatch = held;
    return analyseKernel(kernel, machine, ordering);
  };
  llvm::Expected<KernelState> strict = analysed(false, false), followed = analysed(true, false),
                              lenient = analysed(true, true);
  if (!strict || !followed || !lenient)
    return llvm::joinErrors(llvm::joinErrors(strict.takeError(), followed.takeError()), lenient.takeError());
  Excused excused;
  excused.lines = openLines(*strict, Excuse::None);
  for (const auto &[lines, rule] : openLines(*followed, Excuse::None))
    excused.lines[lines] = "scalar-wait-dispatch";
  for (const auto &[lines, rule] : openLines(*strict, Excuse::Silenced))
    excused.lines[lines] = rule;
  for (const auto &[lines, rule] : openLines(*lenient, Excuse::None))
    excused.lines.erase(lines);
  if (lenient->pending->tooManyOpen())
    excused.lines.clear();
  excused.flagsBinary = !strict->faults.empty() && lenient->faults.empty();
  return excused;
}

bool isMissing(const replay::Finding &finding, const Excused &excused) {
  switch (finding.kind) {
  case replay::FindingKind::Order: return !excused.lines.count({finding.earlier.afterLine, finding.later.afterLine});
  case replay::FindingKind::Token:
    return !excused.flagsBinary && finding.rule != replay::tokenFaultName(replay::TokenFaultKind::SetTooSoon);
  case replay::FindingKind::Deadlock:
  case replay::FindingKind::Streams: return !excused.flagsBinary;
  case replay::FindingKind::End: return false;
  }
  return false;
}

} // namespace

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

replay::Options againstFullOrder(replay::Options options) {
  options.fences = false;
  options.budget.findings = kListed;
  return options;
}

bool mayBeCutOff(const std::vector<replay::Finding> &findings) {
  // Two pairs of statements on the same lines are listed once.
  return findings.size() >= kListed / 2;
}

llvm::Expected<WholeOrder> lookAtOrder(const Module &module, const Machine &machine, const OrderingOptions &ordering,
                                       const replay::Options &options) {
  WholeOrder order;
  for (const Kernel &kernel : module.kernels) {
    if (!kernel.analysable || bufferIdUse(kernel, machine))
      continue;
    Module alone;
    alone.source = module.source;
    alone.sites = module.sites;
    alone.kernels = {kernel};
    llvm::Expected<replay::Verdict> verdict =
        replay::verify(fullyOrdered(alone), alone, machine, againstFullOrder(options));
    if (!verdict)
      return verdict.takeError();
    llvm::Expected<Excused> excused = excusedIn(kernel, machine, ordering);
    if (!excused)
      return excused.takeError();
    if (mayBeCutOff(verdict->findings)) {
      replay::Finding more;
      more.kind = replay::FindingKind::Streams;
      more.kernel = kernel.name;
      more.section = kernel.section;
      more.run = verdict->findings.front().run;
      more.text = "more orders are missing than are listed";
      order.missing.push_back(std::move(more));
    }
    for (replay::Finding &finding : verdict->findings) {
      auto known = excused->lines.find({finding.earlier.afterLine, finding.later.afterLine});
      bool contested =
          finding.kind == replay::FindingKind::Order && known != excused->lines.end() && !known->second.empty();
      if (contested)
        ++order.contested[known->second];
      if (isMissing(finding, *excused))
        order.missing.push_back(std::move(finding));
    }
  }
  return order;
}

} // namespace ptosync::synthesis
