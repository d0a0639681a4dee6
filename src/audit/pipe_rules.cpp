// What the core or the architecture does not have: id-out-of-range, illegal-pipe, self-pair; and useless-sync.
//
// Which pipes, barriers and ids exist is data of the machine model, with its grade: a contested entry makes a warning.
// Tested by tests/audit/pipe_rules_test.cpp.
#include "audit/audit_context.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
namespace {

std::string coreName(Section section) {
  return section == Section::Both ? "any core" : "the " + std::string(sectionName(section)) + " core";
}

class PipeRules {
public:
  PipeRules(AuditContext &context, const Analysis &kernel)
      : context(context), kernel(kernel), program(kernel.program()), section(kernel.kernel().section) {}

  void run() {
    for (StepId step : program.order)
      for (const Event &event : program.steps[step]) {
        if (!seen.insert({event.statement, event.kind}).second)
          continue;
        if (event.kind == Event::Kind::Access)
          checkInstruction(event);
        else if (event.kind == Event::Kind::Barrier && event.site != kNone)
          checkBarrier(event);
        else if (event.kind == Event::Kind::Set || event.kind == Event::Kind::Wait)
          checkFlag(event);
      }
  }

private:
  const Machine &machine() const { return context.machine; }

  void checkBarrier(const Event &event) {
    if (event.source == Pipe::All || machine().barrierLegal(section, event.source))
      return;
    Finding finding = context.at("illegal-pipe", kernel, *event.statement,
                                 "a barrier of " + std::string(pipeName(event.source)) + " is not legal on " +
                                     coreName(section) + " of " + machine().arch() + ": it may never return");
    bool contested = machine().barrierContested(section, event.source);
    finding.demotion = established(machine().barrierGrade(section)) && !contested ? 0 : 1;
    context.report(std::move(finding));
  }

  void checkInstruction(const Event &event) {
    std::set<Pipe> pipes;
    for (const Node &node : program.nodes)
      if (node.statement == event.statement && !node.unknown && (!node.fence || node.publishes) &&
          node.libraryFlag == kNone)
        pipes.insert(node.pipe);
    if (pipes.empty() || std::any_of(pipes.begin(), pipes.end(), [&](Pipe p) { return machine().hasPipe(section, p); }))
      return;
    Finding finding = context.at("illegal-pipe", kernel, *event.statement,
                                 context.text(*event.statement) + " runs on " + std::string(pipeName(*pipes.begin())) +
                                     ", which " + coreName(section) + " of " + machine().arch() + " does not have");
    finding.demotion = established(machine().pipeGrade(section)) ? 0 : 1;
    context.report(std::move(finding));
  }

  void checkFlag(const Event &event) {
    for (Pipe pipe : {event.source, event.destination})
      if (!machine().hasPipe(section, pipe)) {
        Finding finding = context.at("illegal-pipe", kernel, *event.statement,
                                     context.text(*event.statement) + " names " + std::string(pipeName(pipe)) +
                                         ", which " + coreName(section) + " of " + machine().arch() + " does not have");
        finding.demotion = established(machine().pipeGrade(section)) ? 0 : 1;
        context.report(std::move(finding));
        break;
      }
    if (event.source == event.destination) {
      Finding finding = context.at("self-pair", kernel, *event.statement,
                                   context.text(*event.statement) + ": a flag from a pipe to itself; pipe_barrier(" +
                                       std::string(pipeName(event.source)) + ") is what orders a pipe's own work");
      finding.demotion = machine().selfPairIsError() ? 0 : 1;
      context.report(std::move(finding));
    }
    checkRange(event);
  }

  void checkRange(const Event &event) {
    const auto count = static_cast<std::int64_t>(machine().flagIds());
    std::vector<std::int64_t> ids = program.scalars->algebra().possibleValues(
        program.scalars->value(std::get<Sync>(event.statement->action).event));
    auto outside = [&](std::int64_t id) { return id < 0 || id >= count; };
    auto bad = std::find_if(ids.begin(), ids.end(), outside);
    if (bad == ids.end())
      return;
    std::string meaning;
    if (*bad >= 0 && machine().idFolding() != IdFolding::None)
      meaning =
          (machine().idFolding() == IdFolding::Folds ? "; it names the flag of id " : "; it may name the flag of id ") +
          std::to_string(*bad % count);
    Finding finding = context.at("id-out-of-range", kernel, *event.statement,
                                 "event id " + std::to_string(*bad) + ": " + machine().arch() + " has 0 to " +
                                     std::to_string(count - 1) + " for each pair of pipes" + meaning);
    bool always = std::all_of(ids.begin(), ids.end(), outside);
    finding.demotion = (machine().idOutOfRangeIsError() ? 0 : 1) + (always ? 0 : 1);
    context.report(std::move(finding));
  }

  AuditContext &context;
  const Analysis &kernel;
  const Program &program;
  Section section;
  std::set<std::pair<const Statement *, Event::Kind>> seen;
};

/// Pipes on which something of the kernel may run. Scalar work always does; a memory fence is observed everywhere and
/// runs nowhere.
PipeSet pipesInUse(const Program &program) {
  PipeSet used;
  used.insert(Pipe::S);
  for (const Node &node : program.nodes) {
    const auto *instruction = std::get_if<Instruction>(&node.statement->action);
    const InstructionFacts *facts = instruction ? program.machine->instruction(instruction->name) : nullptr;
    if (instruction && node.libraryFlag == kNone && !(facts && facts->is("gm-fence") && node.accesses.empty()))
      used.insert(node.pipe);
  }
  return used;
}

void auditUselessSyncs(AuditContext &context) {
  std::map<SiteId, const Analysis *> useless;
  std::set<SiteId> useful;
  std::map<SiteId, const Event *> events;
  for (const Analysis &kernel : context.kernels()) {
    PipeSet used = pipesInUse(kernel.program());
    for (const std::vector<Event> &block : kernel.program().steps)
      for (const Event &event : block) {
        if (event.site == kNone || event.kind == Event::Kind::Access || event.source == Pipe::All)
          continue;
        bool pair = event.kind == Event::Kind::Set || event.kind == Event::Kind::Wait;
        if (used.contains(event.source) && (!pair || used.contains(event.destination)))
          useful.insert(event.site);
        else {
          useless.try_emplace(event.site, &kernel);
          events[event.site] = &event;
        }
      }
  }
  for (const auto &[site, kernel] : useless) {
    const SyncSite &place = context.module.sites[site];
    if (useful.count(site) || place.protection != Protection::None)
      continue;
    const Event &event = *events[site];
    PipeSet used = pipesInUse(kernel->program());
    Pipe idle = used.contains(event.source) ? event.destination : event.source;
    Finding finding = context.at("useless-sync", *kernel, *event.statement,
                                 oneLine(place.text) + " orders nothing: nothing of this kernel runs on " +
                                     std::string(pipeName(idle)));
    context.report(std::move(finding));
  }
}

} // namespace

void auditPipes(AuditContext &context) {
  for (const Analysis &kernel : context.kernels())
    PipeRules(context, kernel).run();
  if (context.wants("useless-sync"))
    auditUselessSyncs(context);
}

} // namespace ptosync
