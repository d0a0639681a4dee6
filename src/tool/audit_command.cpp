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
#include "tool/batch.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <cmath>
#include <map>

namespace ptosync {
namespace {

/// The patterns of `removable-sync`, where the configuration of some kernel wants it.
llvm::Expected<std::optional<Catalogue>> patternsFor(const Batch &batch) {
  for (const BatchKernel &kernel : batch.kernels)
    if (wantsRemovable(kernel.settings.merged())) {
      llvm::Expected<Catalogue> patterns = removingPatterns(batch.choices);
      if (!patterns)
        return patterns.takeError();
      return std::optional<Catalogue>(std::move(*patterns));
    }
  return std::optional<Catalogue>();
}

AuditedFile auditNumber(std::size_t number, const Batch &batch, const AuditRequest &request) {
  llvm::Expected<RunInput> input = readKernel(batch, number);
  if (!input) {
    AuditedFile file;
    file.name = batch.kernels[number].shown;
    file.problem = llvm::toString(input.takeError());
    return file;
  }
  AuditedFile file = auditFile(*input, *batch.models, request);
  batch.choices.reads->noteAll(*input->choices.reads);
  return file;
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

/// How many findings of each severity the files have.
KernelTable auditTable(const AuditReport &report) {
  KernelTable table{"audit", report.toolVersion, {}, {}, {}, {}};
  table.columns = {{"file", "kernel", ColumnKind::Name},
                   {"errors", "errors"},
                   {"warnings", "warnings"},
                   {"notes", "notes"},
                   {"inBaseline", "in baseline"},
                   {"problem", "", ColumnKind::Words}};
  for (const AuditedFile &file : report.files) {
    TableRow row;
    if (!file.problem.empty()) {
      row.cells = {file.name, nullptr, nullptr,
                   nullptr,   nullptr, llvm::StringRef(file.problem).split('\n').first.str()};
    } else {
      std::map<Severity, std::size_t> counts;
      for (const Finding &finding : file.result.findings)
        ++counts[finding.severity];
      const std::size_t skipped = file.result.skipped.size();
      row.cells = {file.name,
                   counts[Severity::Error],
                   counts[Severity::Warning],
                   counts[Severity::Note],
                   file.inBaseline,
                   skipped ? nlohmann::ordered_json(countOf(skipped, "kernel function") + " not analysed") : nullptr};
    }
    row.eventful = !file.problem.empty() || !file.result.findings.empty() || !file.result.skipped.empty();
    table.rows.push_back(std::move(row));
  }
  table.summary = {{"kernels", table.rows.size()}};
  for (const char *key : {"errors", "warnings", "notes", "inBaseline"})
    table.summary[key] = std::llround(sumOf(table, key));
  table.lines = {auditSummary(report)};
  return table;
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
  if (!options.table.empty())
    outputs.emplace_back(options.table, tableText(auditTable(report), tableFormOf(options.table)));
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
int printConfigs(const Batch &batch) {
  for (const BatchKernel &kernel : batch.kernels) {
    AuditConfig config = kernel.settings.merged();
    llvm::outs() << kernel.shown << ": "
                 << (config.file.empty() ? std::string("no ") + kConfigName : "configured by " + config.file) << "\n"
                 << configText(config);
  }
  return kExitDone;
}

std::vector<std::string> targetsOf(const ToolOptions &options) {
  return {options.audit.sarif, options.table, options.audit.writeBaseline ? options.audit.baseline : ""};
}

// `fix`.

KernelTable emptyFixTable() {
  KernelTable table{"fix", "", {}, {}, {}, {}};
  table.columns = {
      {"file", "kernel", ColumnKind::Name}, {"mended", "mended"}, {"left", "left"}, {"problem", "", ColumnKind::Words}};
  return table;
}

std::vector<std::string> describeFixes(const KernelTable &table) {
  return {countOf(std::llround(sumOf(table, "mended")), "finding") + " mended, " +
          std::to_string(std::llround(sumOf(table, "left"))) + " left"};
}

KernelOutcome fixOne(const ToolOptions &options, const RunInput &kernel) {
  llvm::Expected<FixedFile> fixed = fixFile(kernel);
  if (!fixed)
    return outcomeOf(fixed.takeError());
  const Module &module = fixed->subject.modules.front();
  const synthesis::FixResult &result = fixed->result;
  const std::string &name = module.source.name();
  KernelOutcome outcome;
  outcome.changed = result.text != module.source.text();
  outcome.summary = fixText({&module, &result, fixed->subject.arch.description()});
  if (options.diff)
    outcome.diff = unifiedDiff(module.source, result.text, name, name);
  outcome.change = countOf(result.mended(), "finding") + " mended";
  outcome.row.cells = {nullptr, result.mended(), result.left(), nullptr};
  outcome.row.eventful = outcome.changed || result.left();
  outcome.exitCode = result.left() || (options.check && outcome.changed) ? kExitFindings : kExitDone;
  outcome.text = result.text;
  return outcome;
}

} // namespace

int runAudit(const ToolOptions &options) {
  llvm::Expected<Batch> batch = readBatch(options);
  if (!batch)
    return fail(batch.takeError(), kExitUsage);
  std::erase_if(batch->kernels, [](const BatchKernel &kernel) { return kernel.leftOut; });
  llvm::Expected<std::optional<Catalogue>> patterns = patternsFor(*batch);
  if (!patterns)
    return fail(patterns.takeError(), kExitUsage);
  if (llvm::Error error = checkTargets(targetsOf(options), *options.reads))
    return fail(std::move(error), kExitUsage);
  if (options.audit.print == "config")
    return printConfigs(*batch);
  AuditReport report;
  report.toolVersion = std::string(toolVersion());
  report.files.resize(batch->kernels.size());
  Progress progress = progressOf("audit", options.quiet, batch->kernels.size(), "file");
  const AuditRequest request{*patterns ? &**patterns : nullptr, options.audit.fixes};
  auto auditOne = [&](std::size_t i) {
    report.files[i] = auditNumber(i, *batch, request);
    progress.step();
  };
  runInParallel(batch->kernels.size(), auditOne, options.jobs);
  progress.finish();
  for (const auto &[folder, why] : batch->unread) {
    report.files.emplace_back();
    report.files.back().name = folder;
    report.files.back().problem = (folder + llvm::Twine(": cannot be read: ") + why).str();
  }
  return publishAudit(options, report);
}

int runFix(const ToolOptions &options) {
  llvm::Expected<Batch> batch = readBatch(options);
  if (!batch)
    return fail(batch.takeError());
  if (llvm::Error error = checkTargets({options.output, options.table}, *options.reads))
    return fail(std::move(error), kExitUsage);
  auto job = [&](const RunInput &kernel, Progress &) { return fixOne(options, kernel); };
  const std::vector<KernelOutcome> outcomes = runBatch(options, "fix", *batch, job);
  return publish(options, *batch, outcomes, emptyFixTable(), describeFixes);
}

} // namespace ptosync
