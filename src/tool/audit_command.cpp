#include "tool/audit_command.h"

#include "audit/audit.h"
#include "audit/baseline.h"
#include "audit/either_arch.h"
#include "base/parallel.h"
#include "patterns/version.h"
#include "report/audit_report.h"
#include "tool/file_list.h"
#include "tool/files.h"
#include "tool/fix_command.h"
#include "tool/progress.h"
#include "tool/session.h"
#include "tool/subject.h"

#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace ptosync {
namespace {

/// What all files of a run share; read before the first file is looked at, so that threads only read it.
struct Prepared {
  std::vector<std::string> files;
  std::vector<AuditConfig> configs; // by file, as the files say it
  std::optional<SubjectReader> reader;
  std::optional<Catalogue> patterns; // of `removable-sync`
};

bool wantsRemovable(const AuditConfig &config) {
  return severityOf(config, "removable-sync") != Severity::Off &&
         severityOf(config, "removable-sync") >= config.severity.value_or(Severity::Warning);
}

/// The default patterns that take something out. What `opt` would move is no finding, and not worth the time.
llvm::Expected<Catalogue> removingPatterns(const Catalogue &all) {
  llvm::Expected<Catalogue> enabled = all.select("default");
  if (!enabled)
    return enabled;
  std::string ids;
  for (const Pattern &pattern : enabled->patterns())
    if (factsOf(pattern.action).effect == ActionEffect::Removes)
      ids += (ids.empty() ? "" : ",") + pattern.id;
  return enabled->select(ids.empty() ? "none" : ids);
}

llvm::Error prepare(const ToolOptions &options, Prepared &prepared) {
  llvm::Expected<SubjectReader> reader = SubjectReader::create(options);
  if (!reader)
    return reader.takeError();
  prepared.reader.emplace(std::move(*reader));
  llvm::Expected<std::vector<std::string>> files = listKernelFiles(options.audit.inputs);
  if (!files)
    return files.takeError();
  prepared.files = std::move(*files);
  ConfigFinder finder;
  for (const std::string &file : prepared.files) {
    llvm::Expected<AuditConfig> config = finder.find(file);
    if (!config)
      return config.takeError();
    prepared.configs.push_back(std::move(*config));
    if (!prepared.patterns && wantsRemovable(prepared.reader->settings(prepared.configs.back()))) {
      llvm::Expected<Catalogue> catalogue = loadCatalogue(options);
      if (!catalogue)
        return catalogue.takeError();
      llvm::Expected<Catalogue> selected = removingPatterns(*catalogue);
      if (!selected)
        return selected.takeError();
      prepared.patterns.emplace(std::move(*selected));
    }
  }
  return llvm::Error::success();
}

/// What mends each finding that can be mended. A file that cannot be looked at has no fixes.
std::map<std::string, FindingFix> fixesOf(const Module &module, const Machine &machine, const AuditOptions &audited,
                                          const ToolOptions &options) {
  llvm::Expected<synthesis::FixResult> result = fixModule(module, machine, audited, options, Attribution::ByFinding);
  if (!result) {
    llvm::consumeError(result.takeError());
    return {};
  }
  if (!undecidedArch(module, machine, options, *result).empty())
    return {};
  std::map<std::string, FindingFix> fixes;
  for (const synthesis::Defect &defect : result->defects)
    for (const Edit &edit : defect.edits) {
      LineColumn begin = module.source.position(edit.range.begin), end = module.source.position(edit.range.end);
      fixes[defect.finding.fingerprint].replacements.push_back(
          {{begin.line, begin.column, end.line, end.column}, edit.replacement});
    }
  return fixes;
}

/// Where nobody has chosen the architecture and nothing in the text decides it, an error is one on both. Returns true
/// if some finding is less than it was.
bool holdAgainstOther(const SourceText &source, const AuditConfig &fileConfig, const Prepared &prepared,
                      const Subject &subject, const AuditOptions &audited, AuditedFile &file) {
  bool told = std::any_of(file.result.findings.begin(), file.result.findings.end(),
                          [](const Finding &finding) { return finding.severity > Severity::Note; });
  if (!subject.options.archChoice.isDefault() || !told)
    return false;
  llvm::Expected<Subject> other = prepared.reader->readForOther({source}, fileConfig, subject);
  if (!other) { // what cannot be read for the other one is for this one
    llvm::consumeError(other.takeError());
    return false;
  }
  AuditOptions there = audited;
  there.ordering = other->options.optimize.ordering;
  there.lowest = Severity::Warning;
  there.patterns = nullptr;
  std::vector<Finding> findings = audit(other->modules.front(), *other->machine, there).findings;
  return demoteUnlessBoth(file.result.findings, findings, file.arch, file.lowest) != 0;
}

AuditedFile auditFile(const std::string &name, const AuditConfig &fileConfig, const Prepared &prepared) {
  AuditedFile file;
  file.name = name;
  llvm::Expected<std::string> text = readFile(name);
  if (!text) {
    file.problem = llvm::toString(text.takeError());
    return file;
  }
  llvm::Expected<Subject> subject = prepared.reader->read({SourceText(name, std::move(*text))}, fileConfig);
  if (!subject) {
    file.problem = llvm::toString(subject.takeError());
    return file;
  }
  file.arch = subject->options.arch;
  file.archSource = subject->options.archChoice.source;
  file.archChoice = subject->options.archChoice.description();
  file.libraryUse = describeLibraryUse(subject->modules.front(), *subject->machine,
                                       subject->options.optimize.ordering.trust, subject->library);
  AuditConfig config = prepared.reader->settings(fileConfig);
  AuditOptions audited;
  audited.ordering = subject->options.optimize.ordering;
  audited.severity = [&config](std::string_view rule) { return severityOf(config, rule); };
  audited.lowest = file.lowest = config.severity.value_or(Severity::Warning);
  audited.patterns = prepared.patterns ? &*prepared.patterns : nullptr;
  file.result = audit(subject->modules.front(), *subject->machine, audited);
  bool less = holdAgainstOther(subject->modules.front().source, fileConfig, prepared, *subject, audited, file);
  bool mendable = !less && std::any_of(file.result.findings.begin(), file.result.findings.end(),
                                       [](const Finding &finding) { return synthesis::isMendable(finding.rule); });
  if (subject->options.audit.fixes && mendable)
    file.fixes = fixesOf(subject->modules.front(), *subject->machine, audited, subject->options);
  return file;
}

/// Reads the baseline and takes its findings out; the error is a configuration error.
llvm::Error holdAgainstBaseline(const ToolOptions &options, AuditReport &report) {
  llvm::Expected<std::string> text = readFile(options.audit.baseline);
  if (!text)
    return llvm::joinErrors(text.takeError(), llvm::createStringError("(--write-baseline makes one)"));
  llvm::Expected<Baseline> baseline = parseBaseline(*text, options.audit.baseline);
  if (!baseline)
    return baseline.takeError();
  std::string folder = folderOf(options.audit.baseline);
  std::set<BaselineEntry> matched;
  std::set<std::string> audited;
  for (AuditedFile &file : report.files) {
    std::string name = relativeTo(folder, file.name);
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
      findings.push_back({relativeTo(folder, file.name), &finding});
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

int publish(const ToolOptions &options, AuditReport &report) {
  std::vector<std::pair<std::string, std::string>> outputs;
  if (options.audit.writeBaseline)
    outputs.emplace_back(options.audit.baseline, baselineOf(options, report));
  else if (!options.audit.baseline.empty())
    if (llvm::Error error = holdAgainstBaseline(options, report))
      return fail(std::move(error), kExitUsage);
  if (!options.audit.sarif.empty())
    outputs.emplace_back(options.audit.sarif, auditSarif(report));
  if (llvm::Error error = writeFiles(outputs))
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

/// The configuration that applies to each file. Without one that is chosen, the architecture is the text's to say.
int printConfigs(const Prepared &prepared) {
  for (std::size_t i = 0; i < prepared.files.size(); ++i) {
    AuditConfig config = prepared.reader->settings(prepared.configs[i]);
    llvm::outs() << prepared.files[i] << ": "
                 << (config.file.empty() ? std::string("no ") + kConfigName : "configured by " + config.file) << "\n"
                 << configText(config);
  }
  return kExitDone;
}

/// An output must not land on an input, nor on the other one.
int refuseOverwriting(const ToolOptions &options, const Prepared &prepared) {
  std::string baseline = options.audit.writeBaseline ? options.audit.baseline : "", problem;
  std::vector<std::string> inputs = prepared.files;
  inputs.push_back(options.machineFile);
  for (const AuditConfig &config : prepared.configs)
    inputs.push_back(config.file);
  if (!options.audit.writeBaseline)
    inputs.push_back(options.audit.baseline);
  for (const std::string &target : {options.audit.sarif, baseline})
    for (const std::string &file : inputs)
      if (sameFile(target, file))
        problem = target + ": is an input; choose another name, nothing was written";
  if (sameFile(options.audit.sarif, baseline))
    problem = baseline + ": is asked for as SARIF and as baseline; nothing was written";
  if (problem.empty())
    return -1;
  llvm::errs() << "ptosync: " << problem << "\n";
  return kExitUsage;
}

} // namespace

int runAudit(const ToolOptions &options) {
  Prepared prepared;
  if (llvm::Error error = prepare(options, prepared))
    return fail(std::move(error), kExitUsage);
  if (int stop = refuseOverwriting(options, prepared); stop >= 0)
    return stop;
  if (options.audit.print == "config")
    return printConfigs(prepared);
  AuditReport report;
  report.toolVersion = std::string(toolVersion());
  report.files.resize(prepared.files.size());
  Progress progress("audit", options.quiet, prepared.files.size(), "file");
  auto auditOne = [&](std::size_t i) {
    report.files[i] = auditFile(prepared.files[i], prepared.configs[i], prepared);
    progress.step();
  };
  runInParallel(prepared.files.size(), auditOne, options.audit.jobs);
  progress.finish();
  return publish(options, report);
}

} // namespace ptosync
