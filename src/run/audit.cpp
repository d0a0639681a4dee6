#include "run/audit.h"

#include "audit/audit.h"
#include "run/fix.h"
#include "run/timeline.h"

#include <algorithm>
#include <set>

namespace ptosync {
namespace {

/// Finds the changes that mend each finding that can be mended. A file that cannot be looked at has none.
std::map<std::string, FindingFix> fixesOf(const Subject &subject, const AuditOptions &audited) {
  const Module &module = subject.modules.front();
  auto mended = [&]() -> llvm::Expected<synthesis::FixResult> {
    llvm::Expected<timing::CostTable> costs = loadCosts(*subject.machine, subject.choices);
    if (!costs)
      return costs.takeError();
    llvm::Expected<synthesis::FixResult> result =
        mendModule(module, *subject.machine, *costs, audited, subject.choices, Attribution::ByFinding);
    if (!result)
      return result;
    if (llvm::Error error = checkArchDecided(subject, *result))
      return std::move(error);
    return result;
  };
  llvm::Expected<synthesis::FixResult> result = mended();
  if (!result) {
    llvm::consumeError(result.takeError());
    return {};
  }
  std::map<std::string, FindingFix> fixes;
  for (const synthesis::Defect &defect : result->defects)
    for (const Edit &edit : defect.edits) {
      LineColumn begin = module.source.position(edit.range.begin), end = module.source.position(edit.range.end);
      fixes[defect.finding.fingerprint].replacements.push_back(
          {{begin.line, begin.column, end.line, end.column}, edit.replacement});
    }
  return fixes;
}

/// Demotes the errors that the other architecture does not have, where nothing decides between the two. Returns true if
/// some finding is less than it was.
bool holdAgainstOther(const RunInput &input, const Models &models, const Subject &subject, const AuditOptions &audited,
                      AuditedFile &file) {
  bool told = std::any_of(file.result.findings.begin(), file.result.findings.end(),
                          [](const Finding &finding) { return finding.severity > Severity::Note; });
  if (!subject.arch.isDefault() || !told)
    return false;
  llvm::Expected<Subject> other = liftForOther(input, models, subject);
  if (!other) { // a text that cannot be read for the other one is for this one
    llvm::consumeError(other.takeError());
    return false;
  }
  AuditOptions there = audited;
  there.ordering = other->choices.optimize.ordering;
  there.lowest = Severity::Warning;
  there.patterns = nullptr;
  std::vector<Finding> findings = audit(other->modules.front(), *other->machine, there).findings;
  return demoteUnlessBoth(file.result.findings, findings, file.arch, file.lowest) != 0;
}

} // namespace

bool wantsRemovable(const AuditConfig &config) {
  return severityOf(config, "removable-sync") != Severity::Off &&
         severityOf(config, "removable-sync") >= config.severity.value_or(Severity::Warning);
}

llvm::Expected<Catalogue> removingPatterns(const RunChoices &choices) {
  llvm::Expected<Catalogue> all = loadCatalogue(choices);
  if (!all)
    return all;
  llvm::Expected<Catalogue> enabled = all->select("default");
  if (!enabled)
    return enabled;
  std::string ids;
  for (const Pattern &pattern : enabled->patterns())
    if (factsOf(pattern.action).effect == ActionEffect::Removes)
      ids += (ids.empty() ? "" : ",") + pattern.id;
  return enabled->select(ids.empty() ? "none" : ids);
}

static AuditedFile audited(const RunInput &input, const Models &models, const AuditRequest &request) {
  AuditedFile file;
  file.name = input.sources.front().name();
  const Allowance &allowance = input.choices.allowance;
  allowance.stage("reading");
  llvm::Expected<Subject> subject = liftSubject(input, models, request.fixes ? Shapes::Read : Shapes::LeftOut);
  if (!subject) {
    file.problem = llvm::toString(subject.takeError());
    return file;
  }
  const Module &module = subject->modules.front();
  if (request.snippets)
    file.source = std::make_shared<const SourceText>(module.source);
  file.arch = subject->arch.arch;
  file.archSource = subject->arch.source;
  file.archChoice = subject->arch.description();
  file.libraryUse = describeLibraryUse(module, *subject);

  allowance.stage("auditing");
  const AuditConfig config = input.settings.merged();
  AuditOptions audited;
  audited.ordering = subject->choices.optimize.ordering;
  audited.severity = [&config](std::string_view rule) { return severityOf(config, rule); };
  audited.lowest = file.lowest = config.severity.value_or(Severity::Warning);
  audited.patterns = request.patterns;
  file.result = audit(module, *subject->machine, audited);
  if (request.lineHashes) {
    std::set<std::uint32_t> lines;
    for (const Finding &finding : file.result.findings)
      lines.insert(finding.place.line);
    file.lineHashes = lineHashes(module.source.text(), lines);
  }

  bool less = holdAgainstOther(input, models, *subject, audited, file);
  bool mendable = !less && std::any_of(file.result.findings.begin(), file.result.findings.end(),
                                       [](const Finding &finding) { return synthesis::isMendable(finding.rule); });
  if (request.fixes && mendable) {
    allowance.stage("mending");
    file.fixes = fixesOf(*subject, audited);
  }
  return file;
}

AuditedFile auditFile(const RunInput &input, const Models &models, const AuditRequest &request) {
  AuditedFile file = audited(input, models, request);
  input.choices.allowance.end();
  if (!input.choices.allowance.exceeded())
    return file;
  // What was not found may be there, and what was found may be none.
  AuditedFile ended;
  ended.name = std::move(file.name);
  ended.problem = llvm::toString(input.choices.allowance.error(ended.name));
  return ended;
}

} // namespace ptosync
