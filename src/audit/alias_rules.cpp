// serialising-alias: a barrier that is there only because two buffers share storage.
//
// Found by trial: the later buffer is given storage of its own, and the barrier is taken out (separate_storage.h). One
// buffer is moved at a time. Tested by tests/audit/alias_rules_test.cpp.
#include "audit/audit_context.h"
#include "audit/separate_storage.h"

#include <set>

namespace ptosync {
namespace {

constexpr std::size_t kMostTrials = 16;

class AliasRules {
public:
  AliasRules(AuditContext &context, const Analysis &kernel)
      : context(context), kernel(kernel), program(kernel.program()), model(kernel.hazards()) {}

  void run() {
    std::set<SiteId> seen;
    for (StepId step : program.order)
      for (const Event &event : program.steps[step])
        if (event.kind == Event::Kind::Barrier && event.site != kNone && seen.insert(event.site).second &&
            context.module.sites[event.site].protection == Protection::None)
          check(event);
  }

private:
  void check(const Event &event) {
    const Pending::Trial trial = kernel.whatIf({{event.site}, {}});
    if (trial.allowed || !trial.witness || trial.fence || trial.witness->laterAccess == kNone)
      return;
    const ConflictPair &pair = *trial.witness;
    if (pair.kind != HazardKind::WriteAfterRead && pair.kind != HazardKind::WriteAfterWrite)
      return;
    const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
    const Access &kept = earlier.accesses[pair.earlierAccess], &moved = later.accesses[pair.laterAccess];
    if (!kept.tile || !moved.tile || kept.tile->address == moved.tile->address || moved.reads || moved.scratch ||
        !readByItsNameOnly(program, model, pair.later, pair.laterAccess) || trials++ >= kMostTrials ||
        !goesWithSeparateStorage(kernel.kernel(), context.machine, context.options.ordering, {event.site},
                                 {moved.tile->address}))
      return;
    std::int64_t bytes = tileFootprint(*moved.tile, Extent::Whole).value_or(Footprint{}).extent();
    Finding finding = context.at("serialising-alias", kernel, *event.statement,
                                 context.text(*event.statement) + " is there only because " + moved.name +
                                     " shares storage with " + kept.name + ": storage of its own would cost " +
                                     std::to_string(bytes) + " bytes of " + context.machine.spaces()[moved.space].name);
    finding.parts.push_back(kept.name);
    finding.parts.push_back(moved.name);
    finding.notes.push_back(context.note(*earlier.statement, kept.name + " is in use"));
    finding.notes.push_back(context.note(*later.statement, moved.name + " is written on top of it"));
    context.report(std::move(finding));
  }

  AuditContext &context;
  const Analysis &kernel;
  const Program &program;
  const HazardModel &model;
  std::size_t trials = 0;
};

} // namespace

void auditAliases(AuditContext &context) {
  if (context.wants("serialising-alias"))
    for (const Analysis &kernel : context.kernels())
      AliasRules(context, kernel).run();
}

} // namespace ptosync
