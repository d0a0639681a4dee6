// What is right and slow: pointless-copy, removable-sync, pipe-all-fallback, id-pressure.
//
// A sync that a keep comment or another protection keeps is left out.
// Tested by tests/audit/cost_rules_test.cpp.
#include "audit/audit_context.h"
#include "optimize/optimizer.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
namespace {

/// The barrier right in front of a statement in its block; null if there is none.
const Event *barrierBefore(const Program &program, const Statement &statement) {
  for (const std::vector<Event> &events : program.steps)
    for (std::size_t i = 1; i < events.size(); ++i)
      if (events[i].statement == &statement && events[i - 1].kind == Event::Kind::Barrier &&
          events[i - 1].site != kNone)
        return &events[i - 1];
  return nullptr;
}

void auditCopies(AuditContext &context, const AuditedKernel &kernel) {
  const Program &program = *kernel.program;
  const AccessComparer &comparer = kernel.pending->hazards().comparison();
  std::set<const Statement *> seen;
  for (const Node &node : program.nodes) {
    const auto *instruction = std::get_if<Instruction>(&node.statement->action);
    const InstructionFacts *facts = instruction ? context.machine.instruction(instruction->name) : nullptr;
    if (!facts || !facts->is("copies") || instruction->operands.size() != 2 || node.accesses.size() != 2 ||
        !comparer.sameAccess(node.accesses[0], node.loop, node.accesses[1], node.loop, {}) ||
        !seen.insert(node.statement).second)
      continue;
    const Event *barrier = barrierBefore(program, *node.statement);
    Finding finding = context.at("pointless-copy", kernel, *node.statement,
                                 context.text(*node.statement) + " copies " + node.accesses[0].name + " onto itself" +
                                     (barrier ? ", behind a barrier of its own" : ""));
    if (barrier)
      finding.notes.push_back(context.note(*barrier->statement, "this barrier is for the copy"));
    context.report(std::move(finding));
  }
}

void auditIds(AuditContext &context, const AuditedKernel &kernel) {
  std::map<std::pair<Pipe, Pipe>, std::map<std::int64_t, const Statement *>> ids;
  for (const std::vector<Event> &events : kernel.program->steps)
    for (const Event &event : events)
      if (event.kind == Event::Kind::Set && event.lanes.size() <= context.machine.flagIds() / 2)
        for (std::uint32_t lane : event.lanes) {
          const Flag &flag = kernel.program->flags[lane];
          ids[{flag.source, flag.destination}].try_emplace(flag.id, event.statement);
        }
  for (const auto &[pair, used] : ids) {
    if (used.size() < context.machine.flagIds())
      continue;
    context.report(context.at("id-pressure", kernel, *used.rbegin()->second,
                              "all " + std::to_string(used.size()) + " event ids from " +
                                  std::string(pipeName(pair.first)) + " to " + std::string(pipeName(pair.second)) +
                                  " are in use: one more order between them becomes a PIPE_ALL barrier"));
  }
}

void auditRemovable(AuditContext &context) {
  OptimizeOptions options;
  options.ordering = context.options.ordering;
  OptimizeResult result = optimize(context.module, context.machine, *context.options.patterns, options);
  for (const SiteDecision &decision : result.decisions) {
    if (decision.verdict != Verdict::Removed)
      continue;
    const SyncSite &site = context.module.sites[decision.site];
    Finding finding =
        context.atSite("removable-sync", site,
                       oneLine(site.text) + " orders nothing that is not ordered otherwise: `ptosync opt` removes it");
    if (!decision.kernels.empty())
      finding.kernel = decision.kernels.front();
    context.report(std::move(finding));
  }
}

void auditFallbacks(AuditContext &context) {
  for (const SyncSite &site : context.module.sites)
    if (site.kind == SyncKind::Barrier && site.source == Pipe::All && site.protection == Protection::None)
      context.report(context.atSite("pipe-all-fallback", site,
                                    oneLine(site.text) + " stops every pipe, where flags would let the others run on: "
                                                         "assemblers write it when event ids run out"));
}

} // namespace

void auditCost(AuditContext &context) {
  for (const AuditedKernel &kernel : context.kernels) {
    if (context.wants("pointless-copy"))
      auditCopies(context, kernel);
    if (context.wants("id-pressure"))
      auditIds(context, kernel);
  }
  if (context.wants("removable-sync") && context.options.patterns)
    auditRemovable(context);
  if (context.wants("pipe-all-fallback"))
    auditFallbacks(context);
}

} // namespace ptosync
