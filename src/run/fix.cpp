#include "run/fix.h"

#include "audit/audit.h"
#include "run/opt.h"
#include "run/progress.h"
#include "run/timeline.h"
#include "synthesis/order_comparison.h"
#include "synthesis/verification.h"

#include <llvm/ADT/STLExtras.h>

#include <set>

namespace ptosync {
namespace {

/// Fails if a kernel cannot be analysed.
llvm::Error checkKernels(const Module &module) {
  auto refused = [&](std::uint32_t line, const Kernel &kernel, const std::string &why) {
    return llvm::createStringError(module.source.name() + ":" + std::to_string(line) + ": kernel " + kernel.name + why);
  };
  for (const Kernel &kernel : module.kernels)
    if (!kernel.analysable)
      return refused(kernel.line, kernel, " cannot be analysed: " + kernel.reason);
  return llvm::Error::success();
}

/// Fails if something is wrong on the default architecture alone, and nothing says that the kernel is for it.
llvm::Error checkWrongOnBoth(const RunInput &input, const Models &models, const FixedFile &fixed,
                             const AuditOptions &audited) {
  const Subject &subject = fixed.subject;
  if (!subject.arch.isDefault() || (fixed.result.defects.empty() && fixed.result.mendedOfRuns() == 0))
    return llvm::Error::success();
  llvm::Expected<Subject> other = liftForOther(input, models, subject);
  if (!other) { // a text that cannot be read for the other one is for this one
    llvm::consumeError(other.takeError());
    return llvm::Error::success();
  }
  AuditOptions there = audited;
  there.ordering = other->choices.optimize.ordering;
  there.lowest = Severity::Warning;
  std::vector<Finding> findings = audit(other->modules.front(), *other->machine, there).findings;
  auto onOneOnly = [&](std::uint32_t line, const std::string &what) {
    return settingError(subject.modules.front().source.name() + ":" + std::to_string(line) +
                        ": nothing in the kernel says whether it is for " + subject.arch.arch + " or " +
                        other->arch.arch + ", and this is wrong on " + subject.arch.arch + " only: " + what +
                        ": give --arch, or write `// ptosync: arch " + subject.arch.arch +
                        "` into it; nothing was written");
  };
  for (const synthesis::Defect &defect : fixed.result.defects)
    if (!hasLike(findings, defect.finding))
      return onOneOnly(defect.finding.place.line, defect.finding.message);
  if (fixed.result.mendedOfRuns() == 0)
    return llvm::Error::success();
  llvm::Expected<synthesis::WholeOrder> order =
      synthesis::lookAtOrder(other->modules.front(), *other->machine, there.ordering, replayOptions(other->choices));
  if (!order)
    return order.takeError();
  std::set<std::pair<std::uint32_t, std::uint32_t>> lines; // earlier, later
  for (const replay::Finding &finding : order->missing)
    lines.insert({finding.earlier.afterLine, finding.later.afterLine});
  for (const synthesis::MissedByRun &one : fixed.result.missed)
    if (one.mended && !lines.count({one.earlierLine, one.laterLine}))
      return onOneOnly(one.laterLine, one.text);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<synthesis::FixResult> mendModule(const Module &module, const Machine &machine,
                                                const timing::CostTable &costs, const AuditOptions &audit,
                                                const RunChoices &choices, Attribution attribution) {
  synthesis::FixOptions request;
  request.check.audit = audit;
  request.check.audit.lowest = Severity::Warning;
  request.check.audit.patterns = nullptr;
  request.check.replay = replayOptions(choices);
  request.timed = timingOptions(choices);
  request.reservedIds = choices.reservedIds;
  request.attribute = attribution == Attribution::ByFinding;
  FrontendOptions frontend = frontendOptions(machine, choices);
  frontend.shapes = !module.shapes.empty();
  return synthesis::fix(module, machine, costs, request, lifterOf(module.source.name(), frontend));
}

llvm::Error checkArchDecided(const Subject &subject, const synthesis::FixResult &result) {
  if (!subject.arch.isDefault())
    return llvm::Error::success();
  const Machine &machine = *subject.machine;
  llvm::Expected<Machine> other = Machine::builtIn(machine.arch() == "a3" ? "a5" : "a3");
  if (!other) {
    llvm::consumeError(other.takeError());
    return llvm::Error::success();
  }
  for (const SyncPlan &change : result.changes)
    for (const AddedSync &sync : change.added)
      if (sync.kind == SyncKind::Barrier && !other->barrierLegal(sync.section, sync.source))
        return settingError(subject.modules.front().source.name() + ": nothing in the kernel says whether it is for " +
                            machine.arch() + " or " + other->arch() + ", and what would be put in, pipe_barrier(" +
                            std::string(pipeName(sync.source)) + "), is not for " + other->arch() +
                            ": give --arch, or write `// ptosync: arch " + machine.arch() +
                            "` into it; nothing was written");
  return llvm::Error::success();
}

/// What `sync` makes of the file instead; see FixedFile.
static std::optional<std::size_t> syncedAnew(const RunInput &input) {
  constexpr double kShare = 0.9; // of the time that is left
  RunInput anew = input;
  anew.choices.fromNothing = true;
  anew.choices.allowance = input.choices.allowance.part(kShare);
  OptRequest request;
  request.resync = true;
  Progress unseen;
  llvm::Expected<OptimizedFile> file = optimizeFile(anew, request, unseen);
  if (!file) {
    llvm::consumeError(file.takeError());
    return std::nullopt;
  }
  if (!file->leftAsTheyCame().empty())
    return std::nullopt;
  return file->module().sites.size() + file->result.added.size() -
         static_cast<std::size_t>(llvm::count_if(file->result.decisions, [](const SiteDecision &decision) {
           return decision.verdict == Verdict::Removed;
         }));
}

/// See FixedFile.
static std::string reasonNotOrdered(const Subject &subject, const std::string &text) {
  const Module &input = subject.modules.front();
  std::optional<Module> changed;
  if (text != input.source.text()) {
    llvm::Expected<Module> lifted =
        lifterOf(input.source.name(), frontendOptions(*subject.machine, subject.choices))(text);
    if (!lifted)
      return llvm::toString(lifted.takeError());
    changed.emplace(std::move(*lifted));
  }
  OrderingOptions ordering = subject.choices.optimize.ordering;
  ordering.followConditions = true;
  for (const Kernel &kernel : (changed ? *changed : input).kernels)
    if (std::optional<std::string> reason = synthesis::openOrder(kernel, *subject.machine, ordering))
      return "kernel " + kernel.name + ": " + *reason;
  return "";
}

static llvm::Expected<FixedFile> mended(const RunInput &input) {
  llvm::Expected<std::shared_ptr<const Models>> models = modelsOf(input);
  if (!models)
    return models.takeError();
  input.choices.allowance.stage("reading");
  llvm::Expected<Subject> subject = liftSubject(input, **models, Shapes::Read);
  if (!subject)
    return subject.takeError();
  const Machine &machine = *subject->machine;
  const Module &module = subject->modules.front();
  if (llvm::Error error = checkReservedIds(machine, subject->choices))
    return std::move(error);
  if (llvm::Error error = checkKernels(module))
    return std::move(error);
  llvm::Expected<timing::CostTable> costs = loadCosts(machine, subject->choices);
  if (!costs)
    return costs.takeError();

  const AuditConfig settled = input.settings.merged();
  AuditOptions audited;
  audited.ordering = subject->choices.optimize.ordering;
  audited.severity = [&settled](std::string_view id) {
    const FindingRule *rule = findRule(id);
    return rule && !rule->ofSyncs ? Severity::Off : severityOf(settled, id);
  };
  input.choices.allowance.stage("mending");
  llvm::Expected<synthesis::FixResult> result =
      mendModule(module, machine, *costs, audited, subject->choices, Attribution::Together);
  if (!result)
    return result.takeError();
  FixedFile fixed{std::move(*subject), std::move(*result), {}, {}};
  if (llvm::Error error = checkArchDecided(fixed.subject, fixed.result))
    return std::move(error);
  if (llvm::Error error = checkWrongOnBoth(input, **models, fixed, audited))
    return std::move(error);
  fixed.notProved = reasonNotOrdered(fixed.subject, fixed.result.text);
  if (fixed.result.left() != 0) {
    input.choices.allowance.stage("placing syncs anew");
    fixed.anew = syncedAnew(input);
  }
  return fixed;
}

llvm::Expected<FixedFile> fixFile(const RunInput &input) { return within(input, mended(input)); }

} // namespace ptosync
