#include "tool/fix_command.h"

#include "audit/buffer_ids.h"
#include "audit/either_arch.h"
#include "report/fix_report.h"
#include "rewrite/unified_diff.h"
#include "tool/durations.h"
#include "tool/file_list.h"
#include "tool/files.h"
#include "tool/session.h"
#include "tool/subject.h"

#include <llvm/Support/raw_ostream.h>

namespace ptosync {
namespace {

int publishFix(const ToolOptions &options, const Module &module, const synthesis::FixResult &result) {
  std::string report = fixText({&module, &result, options.archChoice.description()});
  if (!options.output.empty() && options.output != "-" && !options.dryRun)
    if (llvm::Error error = writeFiles({{options.output, result.text}}))
      return fail(std::move(error), kExitUsage);
  bool diff = options.output.empty() && !options.dryRun, text = options.output == "-" && !options.dryRun;
  if (diff)
    llvm::outs() << unifiedDiff(module.source, result.text, module.source.name(), module.source.name());
  if (text)
    llvm::outs() << result.text;
  if (!options.quiet)
    (diff || text ? llvm::errs() : llvm::outs()) << report;
  return result.left() ? kExitFindings : kExitDone;
}

} // namespace

llvm::Expected<synthesis::FixResult> fixModule(const Module &module, const Machine &machine, const AuditOptions &audit,
                                               const ToolOptions &options, Attribution attribution) {
  llvm::Expected<timing::CostTable> costs = loadCosts(machine, options);
  if (!costs)
    return costs.takeError();
  return mendModule(module, machine, *costs, audit, options, attribution);
}

std::string undecidedArch(const Module &module, const Machine &machine, const ToolOptions &options,
                          const synthesis::FixResult &result) {
  if (options.archChoice.source != "default")
    return {};
  llvm::Expected<Machine> other = Machine::builtIn(machine.arch() == "a3" ? "a5" : "a3");
  if (!other) {
    llvm::consumeError(other.takeError());
    return {};
  }
  for (const synthesis::SyncChange &change : result.changes)
    for (const AddedSync &sync : change.added)
      if (sync.kind == SyncKind::Barrier && !other->barrierLegal(sync.section, sync.source))
        return module.source.name() + ": nothing in the kernel says whether it is for " + machine.arch() + " or " +
               other->arch() + ", and what would be put in, pipe_barrier(" + std::string(pipeName(sync.source)) +
               "), is not for " + other->arch() + ": give --arch, or write `// ptosync: arch " + machine.arch() +
               "` into it; nothing was written";
  return {};
}

/// What is wrong on the default architecture alone, where nothing says that the kernel is for it. Empty if there is
/// nothing like that.
static std::string wrongOnOneOnly(const ToolOptions &given, const Subject &subject, const AuditConfig &config,
                                  const AuditOptions &audited, const synthesis::FixResult &result) {
  if (!subject.options.archChoice.isDefault() || result.defects.empty())
    return {};
  llvm::Expected<SubjectReader> reader = SubjectReader::create(given);
  if (!reader)
    return llvm::toString(reader.takeError());
  const SourceText &source = subject.modules.front().source;
  llvm::Expected<Subject> other = reader->readForOther({source}, config, subject);
  if (!other) { // then it is for the default one
    llvm::consumeError(other.takeError());
    return {};
  }
  AuditOptions there = audited;
  there.ordering = other->options.optimize.ordering;
  there.lowest = Severity::Warning;
  std::vector<Finding> findings = audit(other->modules.front(), *other->machine, there).findings;
  for (const synthesis::Defect &defect : result.defects)
    if (!hasLike(findings, defect.finding))
      return source.name() + ":" + std::to_string(defect.finding.place.line) +
             ": nothing in the kernel says whether it is for " + subject.options.arch + " or " + other->options.arch +
             ", and this is wrong on " + subject.options.arch + " only: " + defect.finding.message +
             ": give --arch, or write `// ptosync: arch " + subject.options.arch + "` into it; nothing was written";
  return {};
}

int runFix(const ToolOptions &given) {
  if (!given.output.empty() && given.output != "-" && sameFile(given.input, given.output))
    return usage(given.output + ": is the input itself; choose another name, nothing was written");
  llvm::Expected<AuditConfig> config = ConfigFinder().find(given.input);
  if (!config)
    return fail(config.takeError(), kExitUsage);
  llvm::Expected<Subject> subject = readSubject(given, {given.input});
  if (!subject)
    return failSubject(subject.takeError());
  const ToolOptions &options = subject->options;
  if (std::string problem = wrongReservedId(*subject->machine, options); !problem.empty())
    return usage(problem);
  const Module &module = subject->modules.front();
  for (const Kernel &kernel : module.kernels)
    if (!kernel.analysable)
      return fail(llvm::createStringError(module.source.name() + ":" + std::to_string(kernel.line) + ": kernel " +
                                          kernel.name + " cannot be analysed: " + kernel.reason),
                  kExitNotAnalysed);
  for (const Kernel &kernel : module.kernels)
    if (std::optional<BufferIdUse> use = bufferIdUse(kernel, *subject->machine))
      return fail(llvm::createStringError(module.source.name() + ":" + std::to_string(use->line) + ": kernel " +
                                          kernel.name + " is left alone: " + use->reason),
                  kExitNotAnalysed);
  AuditOptions audited;
  audited.ordering = options.optimize.ordering;
  audited.severity = [&config](std::string_view rule) { return severityOf(*config, rule); };
  llvm::Expected<synthesis::FixResult> result =
      fixModule(module, *subject->machine, audited, options, Attribution::Together);
  if (!result)
    return fail(result.takeError(), kExitNotAnalysed);
  if (std::string problem = undecidedArch(module, *subject->machine, options, *result); !problem.empty())
    return usage(problem);
  if (std::string problem = wrongOnOneOnly(given, *subject, *config, audited, *result); !problem.empty())
    return usage(problem);
  return publishFix(options, module, *result);
}

} // namespace ptosync
