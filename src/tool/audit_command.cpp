// `ptosync audit` and `ptosync fix`: what is wrong with a kernel's synchronisation, and the insertions that mend it.
#include "audit/audit.h"
#include "audit/audit_report.h"
#include "audit/config.h"
#include "base/messages.h"
#include "base/parallel.h"
#include "patterns/version.h"
#include "report/answers.h"
#include "rewrite/text_edit.h"
#include "run/audit.h"
#include "run/fix.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

namespace ptosync {
namespace {

/// The parts that all files of a run share. They are read before the first file is looked at, so that threads only read
/// them.
struct Prepared {
  RunChoices choices;
  Models models;
  KernelFiles found;
  std::vector<Settings> settings;    // by file
  std::optional<Catalogue> patterns; // of `removable-sync`
};

llvm::Error prepare(const ToolOptions &options, Prepared &prepared) {
  llvm::Expected<RunChoices> choices = readChoices(options);
  if (!choices)
    return choices.takeError();
  prepared.choices = std::move(*choices);
  llvm::Expected<Models> models = loadModels(prepared.choices, options.given.arch);
  if (!models)
    return models.takeError();
  prepared.models = std::move(*models);
  llvm::Expected<KernelFiles> found = listKernelFiles(options.audit.inputs, *options.reads);
  if (!found)
    return found.takeError();
  prepared.found = std::move(*found);
  ConfigFinder finder(*options.reads);
  for (const std::string &file : prepared.found.files) {
    llvm::Expected<AuditConfig> config = finder.find(file);
    if (!config)
      return config.takeError();
    prepared.settings.push_back({options.given, options.environment, std::move(*config)});
    if (!prepared.patterns && wantsRemovable(prepared.settings.back().merged())) {
      llvm::Expected<Catalogue> patterns = removingPatterns(prepared.choices);
      if (!patterns)
        return patterns.takeError();
      prepared.patterns.emplace(std::move(*patterns));
    }
  }
  return llvm::Error::success();
}

AuditedFile auditNumber(std::size_t i, const Prepared &prepared, bool fixes) {
  llvm::Expected<std::string> text = readFile(prepared.found.files[i], *prepared.choices.reads, kKernelFile);
  if (!text) {
    AuditedFile file;
    file.name = prepared.found.files[i];
    file.problem = llvm::toString(text.takeError());
    return file;
  }
  return auditFile({{SourceText(prepared.found.files[i], std::move(*text))}, prepared.settings[i], prepared.choices},
                   prepared.models, {prepared.patterns ? &*prepared.patterns : nullptr, fixes});
}

/// Reads the baseline and takes its findings out; the error is a configuration error.
llvm::Error holdAgainstBaseline(const ToolOptions &options, AuditReport &report) {
  llvm::Expected<std::string> text = readFile(options.audit.baseline, *options.reads, kJsonFile);
  if (!text && llvm::sys::fs::exists(options.audit.baseline))
    return text.takeError();
  if (!text)
    return llvm::joinErrors(text.takeError(), llvm::createStringError("(--write-baseline makes one)"));
  llvm::Expected<Baseline> baseline = parseBaseline(*text, options.audit.baseline);
  if (!baseline)
    return baseline.takeError();
  std::string folder = folderOf(options.audit.baseline);
  std::set<BaselineEntry> matched;
  std::set<std::string> audited;
  for (AuditedFile &file : report.files) {
    std::string name = validUtf8(relativeTo(folder, file.name));
    if (file.problem.empty())
      audited.insert(name);
    file.inBaseline = applyBaseline(*baseline, name, file.result.findings, matched);
  }
  for (const BaselineEntry &entry : baseline->entries)
    report.staleBaseline += audited.count(entry.first) && !matched.count(entry);
  return llvm::Error::success();
}

std::string baselineOf(const ToolOptions &options, const AuditReport &report) {
  std::string folder = folderOf(options.audit.baseline);
  std::vector<BaselineFinding> findings;
  for (const AuditedFile &file : report.files)
    for (const Finding &finding : file.result.findings)
      findings.push_back({validUtf8(relativeTo(folder, file.name)), &finding});
  return baselineText(findings);
}

std::string findingsText(const ToolOptions &options, const AuditReport &report) {
  switch (options.audit.format) {
  case AuditFormat::Text: return auditText(report);
  case AuditFormat::Json: return auditJson(report);
  case AuditFormat::Github: return auditGithub(report);
  }
  return "";
}

int publishAudit(const ToolOptions &options, AuditReport &report) {
  std::vector<std::pair<std::string, std::string>> outputs;
  if (options.audit.writeBaseline)
    outputs.emplace_back(options.audit.baseline, baselineOf(options, report));
  else if (!options.audit.baseline.empty())
    if (llvm::Error error = holdAgainstBaseline(options, report))
      return fail(std::move(error), kExitUsage);
  if (!options.audit.sarif.empty())
    outputs.emplace_back(options.audit.sarif, auditSarif(report));
  if (llvm::Error error = writeFiles(outputs, *options.reads))
    return fail(std::move(error), kExitUsage);
  if (!options.quiet)
    llvm::outs() << findingsText(options, report);
  for (const AuditedFile &file : report.files)
    if (options.quiet && !file.problem.empty()) // errors still
      llvm::errs() << "ptosync: " << file.problem << "\n";
  AuditCounts counts = countFindings(report);
  if (counts.notAnalysed)
    return kExitNotAnalysed;
  return counts.findings && !options.audit.writeBaseline ? kExitFindings : kExitDone;
}

/// Prints the configuration that applies to each file. Without one that is chosen, the architecture is the text's to
/// say.
int printConfigs(const Prepared &prepared) {
  for (std::size_t i = 0; i < prepared.found.files.size(); ++i) {
    AuditConfig config = prepared.settings[i].merged();
    llvm::outs() << prepared.found.files[i] << ": "
                 << (config.file.empty() ? std::string("no ") + kConfigName : "configured by " + config.file) << "\n"
                 << configText(config);
  }
  return kExitDone;
}

std::vector<std::string> targetsOf(const ToolOptions &options) {
  return {options.audit.sarif, options.audit.writeBaseline ? options.audit.baseline : ""};
}

} // namespace

int runAudit(const ToolOptions &options) {
  Prepared prepared;
  if (llvm::Error error = prepare(options, prepared))
    return fail(std::move(error), kExitUsage);
  if (llvm::Error error = checkTargets(targetsOf(options), *options.reads))
    return fail(std::move(error), kExitUsage);
  if (options.audit.print == "config")
    return printConfigs(prepared);
  AuditReport report;
  report.toolVersion = std::string(toolVersion());
  report.files.resize(prepared.found.files.size());
  Progress progress = progressOf("audit", options.quiet, prepared.found.files.size(), "file");
  auto auditOne = [&](std::size_t i) {
    report.files[i] = auditNumber(i, prepared, options.audit.fixes);
    progress.step();
  };
  runInParallel(prepared.found.files.size(), auditOne, options.audit.jobs);
  progress.finish();
  for (const auto &[folder, why] : prepared.found.unread) {
    report.files.emplace_back();
    report.files.back().name = folder;
    report.files.back().problem = folder + ": cannot be read: " + why;
  }
  return publishAudit(options, report);
}

int runFix(const ToolOptions &options) {
  llvm::Expected<RunInput> input = readInput(options, {options.input});
  if (!input)
    return fail(input.takeError());
  if (llvm::Error error = checkTargets({options.output}, *options.reads))
    return fail(std::move(error), kExitUsage);
  llvm::Expected<FixedFile> fixed = fixFile(*input);
  if (!fixed)
    return fail(fixed.takeError());
  const Module &module = fixed->subject.modules.front();
  const synthesis::FixResult &result = fixed->result;
  if (!options.output.empty() && options.output != "-" && !options.dryRun)
    if (llvm::Error error = writeFiles({{options.output, result.text}}, *input->choices.reads))
      return fail(std::move(error), kExitUsage);
  const bool diff = options.output.empty() && !options.dryRun, text = options.output == "-" && !options.dryRun;
  if (diff)
    llvm::outs() << unifiedDiff(module.source, result.text, module.source.name(), module.source.name());
  if (text)
    llvm::outs() << result.text;
  if (!options.quiet)
    (diff || text ? llvm::errs() : llvm::outs()) << fixText({&module, &result, fixed->subject.arch.description()});
  return result.left() ? kExitFindings : kExitDone;
}

} // namespace ptosync
