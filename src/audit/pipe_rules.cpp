#include "audit/audit_context.h"
#include "optimize/optimizer.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {

// What the core or the architecture does not have: id-out-of-range, illegal-pipe, self-pair; and useless-sync.
//
// Which pipes, barriers and ids exist is data of the machine model, with its grade: a contested entry makes a warning.
// Tested by tests/audit/pipe_rules_test.cpp.

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
        if (program.options.allowance.over())
          return;
        if (event.kind == Event::Kind::Access)
          checkInstruction(event);
        else if (event.kind == Event::Kind::Barrier && event.site != kNone)
          checkBarrier(event);
        else if (event.isFlag())
          checkFlag(event);
        else if (event.isBuffer())
          checkPipes(event);
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

  /// Those that the statement of a flag or a bracket names.
  void checkPipes(const Event &event) {
    for (Pipe pipe : {event.source, event.destination})
      if (!machine().hasPipe(section, pipe)) {
        Finding finding = context.at("illegal-pipe", kernel, *event.statement,
                                     context.text(*event.statement) + " names " + std::string(pipeName(pipe)) +
                                         ", which " + coreName(section) + " of " + machine().arch() + " does not have");
        finding.demotion = established(machine().pipeGrade(section)) ? 0 : 1;
        context.report(std::move(finding));
        break;
      }
  }

  void checkFlag(const Event &event) {
    checkPipes(event);
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
        if (event.site == kNone || event.kind == Event::Kind::Access || event.isBuffer() || event.source == Pipe::All)
          continue;
        bool pair = event.isFlag();
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

// unknown-call: a call that the machine model does not know, at each line where it stands.
//
// Nothing is wrong with the kernel; what the audit does not see behind such a call is. Tested by
// tests/audit/pipe_rules_test.cpp.

void auditCalls(AuditContext &context) {
  const SourceText &source = context.module.source;
  for (const UnknownCall &call : context.module.unknownCalls)
    for (std::uint32_t number : call.lines) {
      Finding finding;
      finding.rule = "unknown-call";
      const std::string_view line = source.line(number);
      // A call in the body of a macro or of a header's function stands where that is used.
      const std::size_t spelled = line.find(call.name), first = std::min(line.find_first_not_of(" \t"), line.size());
      const bool here = spelled != std::string_view::npos;
      const auto column = static_cast<std::uint32_t>((here ? spelled : first) + 1);
      const auto length = static_cast<std::uint32_t>(here ? call.name.size() : 0);
      if (number != 0 && number <= source.lineCount()) // else it is of the file as a whole
        finding.place = {number, column, number, column + length};
      finding.message = "the machine model does not know " + oneLine(call.name) +
                        ": it is taken to touch all memory on all pipes, so the syncs around it stay, and what it "
                        "misses is not seen";
      finding.parts.push_back(oneLine(line));
      context.report(std::move(finding));
    }
}

// unused-keep: `// ptosync: keep(reason)` on a line that keeps no sync.
//
// A keep comment silences what audits say of its sync's cost; one that has slipped from its sync protects nothing
// and would be believed to. Tested by tests/audit/pipe_rules_test.cpp.

void auditComments(AuditContext &context) {
  const SourceText &source = context.module.source;
  for (const Directive &directive : unusedKeeps(context.module)) {
    Finding finding;
    finding.rule = "unused-keep";
    std::string_view line = source.line(directive.line);
    finding.place = {directive.line, directive.column, directive.line, static_cast<std::uint32_t>(line.size() + 1)};
    finding.message =
        "this keep comment keeps nothing: it must stand on the line of a sync, or alone on the line above";
    finding.parts.push_back(oneLine(line));
    context.report(std::move(finding));
  }
}

// Flags between the cores that a library call uses itself: reserved-id.
//
// A FIFO counts its entries with flags from its base on, two of them, or four if it goes both ways. The machine model
// says which calls use some of the same numbers. Both in one kernel: one wakes the other up. Which of the reserved
// numbers a call uses depends on its kind of core, so no such finding is certain. Messages that a kernel computes for
// ffts_cross_core_sync itself are not read. Tested by tests/audit/pipe_rules_test.cpp.

namespace {

struct Use {
  const Analysis *kernel = nullptr;
  const Statement *statement = nullptr;
};

/// The first call that reserves ids, by the name of its kernel: both cores' sections count as one.
std::map<std::string, Use> reservingCalls(const AuditContext &context, const ReservedIds &reserved) {
  std::map<std::string, Use> first;
  for (const Analysis &kernel : context.kernels())
    for (const Block &block : kernel.kernel().blocks)
      for (const Statement &statement : block.statements) {
        const auto *call = std::get_if<Instruction>(&statement.action);
        if (call && call->operands.size() == reserved.arguments &&
            std::find(reserved.calls.begin(), reserved.calls.end(), call->name) != reserved.calls.end())
          first.emplace(kernel.kernel().name, Use{&kernel, &statement});
      }
  return first;
}

std::string idList(const std::vector<std::int64_t> &ids) {
  std::string text;
  for (std::int64_t id : ids)
    text += (text.empty() ? "" : ", ") + std::to_string(id);
  return text;
}

void checkFifos(AuditContext &context, const Analysis &kernel, const ReservedIds &reserved, const Use &call) {
  std::vector<bool> seen(kernel.kernel().fifos.size());
  for (const Block &block : kernel.kernel().blocks)
    for (const Statement &statement : block.statements) {
      const auto *instruction = std::get_if<Instruction>(&statement.action);
      if (!instruction)
        continue;
      for (const Operand &operand : instruction->operands) {
        if (operand.kind != Operand::Kind::Fifo || seen[operand.index])
          continue;
        seen[operand.index] = true;
        const Fifo &fifo = kernel.kernel().fifos[operand.index];
        std::int64_t last = fifo.flagBase + (fifo.direction == "DIR_BOTH" ? 3 : 1);
        bool meets = fifo.flagBase >= 0 && std::any_of(reserved.ids.begin(), reserved.ids.end(), [&](std::int64_t id) {
                       return fifo.flagBase <= id && id <= last;
                     });
        if (!meets)
          continue;
        Finding finding =
            context.at("reserved-id", kernel, statement,
                       fifo.name + " uses the flags " + std::to_string(fifo.flagBase) + " to " + std::to_string(last) +
                           " between the cores, of which " + std::get<Instruction>(call.statement->action).name +
                           " takes " + idList(reserved.ids) + " for itself: give the FIFO others");
        finding.notes.push_back(context.note(*call.statement, "this call uses them"));
        finding.demotion = established(reserved.grade) ? 0 : 1;
        context.report(std::move(finding));
      }
    }
}

} // namespace

void auditReservedIds(AuditContext &context) {
  for (const ReservedIds &reserved : context.machine.reservedBetweenCores())
    for (const auto &[name, call] : reservingCalls(context, reserved))
      for (const Analysis &kernel : context.kernels())
        if (kernel.kernel().name == name)
          checkFifos(context, kernel, reserved, call);
}

// What is right and slow: pointless-copy, removable-sync, pipe-all-fallback, id-pressure.
//
// A sync that a keep comment or another protection keeps is left out.
// Tested by tests/audit/pipe_rules_test.cpp.

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

void auditCopies(AuditContext &context, const Analysis &kernel) {
  const Program &program = kernel.program();
  const AccessComparer &comparer = kernel.hazards().comparison();
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

void auditIds(AuditContext &context, const Analysis &kernel) {
  std::map<std::pair<Pipe, Pipe>, std::map<std::int64_t, const Statement *>> ids;
  for (const std::vector<Event> &events : kernel.program().steps)
    for (const Event &event : events)
      if (event.kind == Event::Kind::Set && event.lanes.size() <= context.machine.flagIds() / 2)
        for (std::uint32_t lane : event.lanes) {
          const Flag &flag = kernel.program().flags[lane];
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
  for (const Analysis &kernel : context.kernels()) {
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
