// `ptosync audit` and `ptosync fix`: what is wrong with a kernel's synchronisation, and the insertions that mend it.
#include "audit/audit.h"
#include "audit/audit_report.h"
#include "audit/config.h"
#include "base/messages.h"
#include "base/parallel.h"
#include "patterns/version.h"
#include "report/answers.h"
#include "report/command_table.h"
#include "rewrite/text_edit.h"
#include "run/audit.h"
#include "run/fix.h"
#include "tool/batch.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/git.h"
#include "tool/outcome_record.h"
#include "tool/result_cache.h"
#include "tool/session.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

namespace ptosync {
namespace {

/// The patterns of `removable-sync`, where the configuration of some kernel wants it.
llvm::Expected<std::optional<Catalogue>> patternsFor(const Batch &batch) {
  for (const BatchKernel &kernel : batch.kernels) // each shard asks for what its own want
    if (wantsRemovable(kernel.settings.merged())) {
      llvm::Expected<Catalogue> patterns = removingPatterns(batch.choices);
      if (!patterns)
        return patterns.takeError();
      return std::optional<Catalogue>(std::move(*patterns));
    }
  return std::optional<Catalogue>();
}

/// The revision of --new-from-rev in the work tree of each kernel's folder, by folder.
using Revisions = std::map<std::string, GitRevision>;

llvm::Expected<Revisions> openRevisions(const ToolOptions &options, const Batch &batch) {
  Revisions revisions;
  if (options.audit.newFromRev.empty())
    return revisions;
  for (const BatchKernel &kernel : batch.kernels) {
    const std::string folder = folderOf(kernel.path);
    if (revisions.count(folder))
      continue;
    llvm::Expected<GitRevision> revision = GitRevision::open(folder, options.audit.newFromRev);
    if (!revision)
      return revision.takeError();
    revisions.emplace(folder, std::move(*revision));
  }
  return revisions;
}

/// Returns true if a header of the work tree that was read for the kernel is another one than in the revision.
llvm::Expected<bool> headersDiffer(const RunInput &input, const GitRevision &revision) {
  for (const std::string &path : input.choices.reads->paths()) {
    if (path == input.sources.front().name() || !revision.holds(path))
      continue;
    ReadFiles noted; // it is already
    llvm::Expected<std::string> now = readFile(path, noted, kKernelFile);
    if (!now)
      return now.takeError();
    llvm::Expected<FileChanges> changes = revision.changesOf(path, *now);
    if (!changes || changes->any)
      return changes ? llvm::Expected<bool>(true) : changes.takeError();
  }
  return false;
}

/// Takes out of a file's findings those that its text had in the revision, but for those on changed lines. What the old
/// text has cannot be told if it cannot be analysed, or if a header was another one: all are new then.
llvm::Error leaveOutOld(RunInput input, const GitRevision &revision, const Models &models, const AuditRequest &request,
                        AuditedFile &file) {
  if (file.result.findings.empty())
    return llvm::Error::success();
  llvm::Expected<FileChanges> changes = revision.changesOf(file.name, input.sources.front().text());
  if (!changes)
    return changes.takeError();
  llvm::Expected<bool> headers = headersDiffer(input, revision);
  if (!headers)
    return headers.takeError();
  if (!changes->before || *headers)
    return llvm::Error::success();
  std::set<std::string> old; // fingerprints
  if (changes->any) {
    input.sources.front() = SourceText(file.name, *changes->before);
    const AuditedFile before = auditFile(input, models, {request.patterns, /*fixes=*/false});
    if (input.choices.allowance.exceeded())
      return llvm::createStringError(before.problem);
    for (const Finding &finding : before.result.findings)
      old.insert(finding.fingerprint);
  }
  std::vector<Finding> &found = file.result.findings;
  const auto first = std::stable_partition(found.begin(), found.end(), [&](const Finding &finding) {
    const FindingPlace &place = finding.place;
    return changes->touches(place.line, std::max(place.line, place.endLine)) ||
           (changes->any && !old.count(finding.fingerprint));
  });
  file.notNew.assign(std::make_move_iterator(first), std::make_move_iterator(found.end()));
  found.erase(first, found.end());
  return llvm::Error::success();
}

/// The findings of an earlier run, or else of this one, which are kept for a later one.
AuditedFile cachedAudit(ResultCache &cache, const RunInput &input, const Models &models, const AuditRequest &request) {
  const std::string key = cache.isOn() ? cache.keyOf(input) : "";
  if (key.empty())
    return auditFile(input, models, request);
  if (const std::optional<std::string> record = cache.find(key, input))
    if (std::optional<AuditedFile> known = auditedFrom(*record)) {
      if (request.snippets && known->problem.empty())
        known->source = std::make_shared<const SourceText>(input.sources.front());
      return std::move(*known);
    }
  AuditedFile file = auditFile(input, models, request);
  if (file.mayBeKept)
    cache.keep(key, input, recordOf(file));
  return file;
}

AuditedFile auditNumber(std::size_t number, const Batch &batch, const AuditRequest &request, const Revisions &revisions,
                        ResultCache &cache) {
  llvm::Expected<RunInput> input = readKernel(batch, number);
  if (!input) {
    AuditedFile file;
    file.name = batch.kernels[number].shown;
    file.problem = llvm::toString(input.takeError());
    return file;
  }
  AuditedFile file = cachedAudit(cache, *input, *batch.models, request);
  if (auto revision = revisions.find(folderOf(batch.kernels[number].path)); revision != revisions.end())
    if (llvm::Error error = leaveOutOld(*input, revision->second, *batch.models, request, file)) {
      file.problem = llvm::toString(std::move(error));
      file.result = {}; // which of the findings are new is not known
    }
  batch.choices.reads->noteAll(*input->choices.reads);
  return file;
}

/// The files that share a baseline, by its name. Each file has that of --baseline, or else the one that its
/// configuration names.
using BaselineFiles = std::map<std::string, std::vector<AuditedFile *>>;

BaselineFiles baselinesOf(const ToolOptions &options, const Batch &batch, AuditReport &report) {
  BaselineFiles files;
  for (std::size_t i = 0; i < report.files.size(); ++i) {
    const bool configured = options.audit.baseline.empty() && i < batch.kernels.size(); // not a folder that is unread
    const std::string &name = configured ? batch.kernels[i].settings.file.baseline : options.audit.baseline;
    if (!name.empty())
      files[name].push_back(&report.files[i]);
  }
  return files;
}

llvm::Expected<Baseline> readBaseline(const std::string &path, ReadFiles &reads) {
  llvm::Expected<std::string> text = readFile(path, reads, kJsonFile);
  if (!text)
    return text.takeError();
  return parseBaseline(*text, path);
}

/// The files that a baseline names and that are not there any more, but for those that were `audited`.
std::set<std::string> goneFiles(const Baseline &baseline, const std::string &folder,
                                const std::set<std::string> &audited) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // in a name that is no UTF-8: another file than it says
  std::set<std::string> gone;
  for (const auto &[entry, words] : baseline.entries) {
    llvm::SmallString<256> path(entry.first);
    llvm::sys::fs::make_absolute(folder, path);
    if (!audited.count(entry.first) && entry.first.find(kReplacement) == std::string::npos &&
        !llvm::sys::fs::exists(path))
      gone.insert(entry.first);
  }
  return gone;
}

/// Returns true if this run is the one that tells of files that are gone from a baseline: of several shards the one
/// that has the first kernel of those that it is for.
bool tellsGone(const ToolOptions &options, const Batch &batch, const std::string &path) {
  if (!batch.shard)
    return true;
  std::size_t mine = 0, other = 0;
  for (std::size_t i = 0; i < batch.total(); ++i) {
    const bool here = batch.shard->holds(i);
    const BatchKernel &kernel = here ? batch.kernels[mine++] : batch.others[other++];
    if ((options.audit.baseline.empty() ? kernel.settings.file.baseline : options.audit.baseline) == path)
      return here;
  }
  return batch.shard->number == 1;
}

/// Reads a baseline and takes its findings out; the error is a configuration error.
llvm::Error holdAgainstBaseline(const ToolOptions &options, const std::string &path,
                                const std::vector<AuditedFile *> &files, bool tellsGone, AuditReport &report) {
  llvm::Expected<Baseline> baseline = readBaseline(path, *options.reads);
  if (!baseline && llvm::sys::fs::exists(path))
    return baseline.takeError();
  if (!baseline)
    return llvm::joinErrors(baseline.takeError(), llvm::createStringError("(--write-baseline makes one)"));
  std::string folder = folderOf(path);
  std::set<BaselineEntry> matched;
  std::set<std::string> audited;
  for (AuditedFile *each : files) {
    AuditedFile &file = *each;
    std::string name = validUtf8(relativeTo(folder, file.name));
    if (file.problem.empty())
      audited.insert(name);
    file.inBaseline = applyBaseline(*baseline, name, file.result.findings, matched);
    file.inBaseline += applyBaseline(*baseline, name, file.notNew, matched); // what is old is not mended
  }
  const std::set<std::string> gone = tellsGone ? goneFiles(*baseline, folder, audited) : std::set<std::string>();
  for (const auto &[entry, words] : baseline->entries) {
    report.staleBaseline += audited.count(entry.first) && !matched.count(entry);
    report.goneBaseline += gone.count(entry.first);
  }
  report.goneFiles.insert(report.goneFiles.end(), gone.begin(), gone.end());
  return llvm::Error::success();
}

/// The baseline with the findings of the audited files in the place of theirs. What it holds for others stays, unless
/// they are gone; so does what it holds for a file that could not be analysed.
llvm::Expected<std::string> baselineOf(const std::string &path, const std::vector<AuditedFile *> &files) {
  Baseline baseline;
  if (llvm::sys::fs::exists(path)) {
    ReadFiles reads; // it is written over
    llvm::Expected<Baseline> known = readBaseline(path, reads);
    if (!known)
      return known.takeError();
    baseline = std::move(*known);
  }
  const std::string folder = folderOf(path);
  std::set<std::string> audited;
  for (const AuditedFile *file : files)
    if (const std::string name = validUtf8(relativeTo(folder, file->name)); file->problem.empty()) {
      audited.insert(name);
      replaceFindings(baseline, name, file->result.findings);
    }
  const std::set<std::string> gone = goneFiles(baseline, folder, audited);
  std::erase_if(baseline.entries, [&](const auto &entry) { return gone.count(entry.first.first) != 0; });
  return baselineText(baseline);
}

std::string documentOf(const ToolOptions &options, const AuditReport &report) {
  const Look look = lookOf(options);
  switch (options.audit.format) {
  case AuditFormat::Text: return options.quiet ? findingsText(report, look) : auditText(report, look);
  case AuditFormat::Json: return auditJson(report);
  case AuditFormat::Sarif: return auditSarif(report);
  case AuditFormat::Github: return auditGithub(report);
  }
  return "";
}

/// How many findings of each severity the files have.
KernelTable auditTable(const AuditReport &report) {
  KernelTable table = emptyTable("audit");
  table.toolVersion = report.toolVersion;
  table.shard = report.shard;
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
  addSums(table);
  table.lines = {auditSummary(report)};
  table.totals = totalsJson(totalsOf(report));
  return table;
}

int publishAudit(const ToolOptions &options, const Batch &batch, AuditReport &report) {
  std::vector<std::pair<std::string, std::string>> outputs;
  const BaselineFiles baselines = baselinesOf(options, batch, report);
  if (options.audit.writeBaseline && baselines.empty())
    return usage("--write-baseline: say where with --baseline=F.json, or with \"baseline\" in .ptosync.json");
  for (const auto &[path, files] : baselines)
    if (options.audit.writeBaseline) {
      if (llvm::Error error = checkTargets({path}, *options.reads)) // before it is read as one
        return fail(std::move(error), kExitUsage);
      llvm::Expected<std::string> baseline = baselineOf(path, files);
      if (!baseline)
        return fail(baseline.takeError(), kExitUsage);
      outputs.emplace_back(path, std::move(*baseline));
    } else if (llvm::Error error = holdAgainstBaseline(options, path, files, tellsGone(options, batch, path), report))
      return fail(std::move(error), kExitUsage);
  std::sort(report.goneFiles.begin(), report.goneFiles.end());
  const AuditCounts counts = countFindings(report);
  const int exitCode = auditExitCode(counts.notAnalysed != 0, counts.findings != 0 && !options.audit.writeBaseline);
  if (report.shard)
    report.shard->exitCode = exitCode;
  if (!options.audit.sarif.empty())
    outputs.emplace_back(options.audit.sarif, auditSarif(report));
  if (!options.table.empty())
    outputs.emplace_back(options.table, tableText(auditTable(report), tableFormOf(options.table)));
  if (llvm::Error error = addDependencies(options, outputs))
    return fail(std::move(error), kExitUsage);
  if (llvm::Error error = writeFiles(outputs, *options.reads))
    return fail(std::move(error), kExitUsage);
  llvm::outs() << documentOf(options, report);
  for (const AuditedFile &file : report.files)
    if (options.quiet && options.audit.format == AuditFormat::Text && !file.problem.empty())
      tellProblem(file.problem);
  return exitCode;
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
  return {options.audit.sarif, options.table, options.depfile,
          options.audit.writeBaseline ? options.audit.baseline : ""};
}

// `fix`.

KernelOutcome fixOne(const ToolOptions &options, const RunInput &kernel) {
  llvm::Expected<FixedFile> fixed = fixFile(kernel);
  if (!fixed)
    return outcomeOf(fixed.takeError());
  const Module &module = fixed->subject.modules.front();
  const synthesis::FixResult &result = fixed->result;
  const std::string &name = module.source.name();
  KernelOutcome outcome;
  outcome.changed = result.text != module.source.text();
  outcome.summary = fixText({&module, &result, fixed->subject.arch.description(), fixed->anew, fixed->notProved});
  if (options.quiet)
    outcome.notes = leftText({&module, &result, ""});
  if (options.diff) {
    const std::string shown = nameInDiff(options, name);
    outcome.diff = unifiedDiff(module.source, result.text, shown, shown);
  }
  outcome.change = countOf(result.mended(), "finding") + " mended";
  outcome.row.cells = {nullptr, result.mended(), result.left(), nullptr};
  outcome.row.eventful = outcome.changed || result.left();
  outcome.row.details["proof"] =
      fixed->notProved.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(fixed->notProved);
  outcome.exitCode = result.left() || (options.check && outcome.changed) ? kExitFindings : kExitDone;
  outcome.text = result.text;
  addCertificate(options, fixed->subject, module.source.text(), /*ordered=*/true, outcome);
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
  if (llvm::Error error = checkOutputs(options, targetsOf(options)))
    return fail(std::move(error), kExitUsage);
  if (options.audit.print == "config")
    return printConfigs(*batch);
  llvm::Expected<Revisions> revisions = openRevisions(options, *batch);
  if (!revisions)
    return fail(revisions.takeError(), kExitUsage);
  AuditReport report;
  report.toolVersion = std::string(toolVersion());
  report.newFrom = options.audit.newFromRev;
  report.shard = batch->shard;
  report.files.resize(batch->kernels.size());
  Progress progress = progressOf("audit", options.quiet, batch->kernels.size(), "file");
  const AuditRequest request{*patterns ? &**patterns : nullptr, options.audit.fixes, lookOf(options).snippets,
                             !options.audit.sarif.empty() || options.audit.format == AuditFormat::Sarif};
  auto flag = [](bool is) { return std::string(is ? "yes" : "no"); };
  ResultCache cache(options, {flag(request.patterns), flag(request.fixes), flag(request.lineHashes)});
  auto auditOne = [&](std::size_t i) {
    report.files[i] = auditNumber(i, *batch, request, *revisions, cache);
    progress.step();
  };
  runInParallel(batch->kernels.size(), auditOne, options.jobs);
  progress.finish();
  cache.finish();
  if (request.lineHashes || options.audit.format == AuditFormat::Github) {
    const std::string root = scanRoot();
    for (std::size_t i = 0; i < report.files.size(); ++i)
      if (batch->kernels[i].path != kStandardInput)
        report.files[i].scanName = scanName(root, report.files[i].name);
  }
  for (const auto &[folder, why] : batch->unread) {
    report.files.emplace_back();
    report.files.back().name = folder;
    report.files.back().problem = (folder + llvm::Twine(": cannot be read: ") + why).str();
  }
  return publishAudit(options, *batch, report);
}

int runFix(const ToolOptions &options) {
  llvm::Expected<Batch> batch = readBatch(options);
  if (!batch)
    return fail(batch.takeError());
  if (llvm::Error error = checkOutputs(options, {options.output, options.table}))
    return fail(std::move(error), kExitUsage);
  auto job = [&](const RunInput &kernel, Progress &) { return fixOne(options, kernel); };
  std::vector<KernelOutcome> outcomes = runBatch(options, "fix", *batch, job);
  return publish(options, *batch, outcomes, emptyTable("fix"));
}

} // namespace ptosync
