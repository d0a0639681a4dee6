#include "audit/audit_context.h"

#include "audit/audit.h"
#include "audit/finding.h"
#include "kernel/kernel.h"
#include "ordering/buffers.h"

#include <algorithm>

namespace ptosync {
namespace {

constexpr std::size_t kLongestText = 120;

OrderingOptions auditsOrdering(OrderingOptions ordering) {
  ordering.followConditions = true;
  ordering.openBuffersOrder = true; // what some reading orders is not called missing
  return ordering;
}

} // namespace

AuditContext::AuditContext(const Module &module, const Machine &machine, const AuditOptions &options)
    : module(module), machine(machine), options(options), file(module, machine, auditsOrdering(options.ordering)) {
  for (const auto &[kernel, reason] : file.skipped())
    skipped.push_back({kernel->name, reason, kernel->line});
  for (const Analysis &kernel : kernels())
    if (std::optional<OpenBracket> open = firstOpenBracket(kernel.program()))
      notJudged.push_back({kernel.kernel().name, open->reason + ": an order that it may keep is not called missing",
                           open->statement->line});
}

bool AuditContext::wants(std::string_view rule, unsigned demotion) const {
  Severity severity = Severity::Off;
  if (options.severity)
    severity = options.severity(rule);
  else if (const FindingRule *known = findRule(rule))
    severity = known->severity;
  return severity != Severity::Off && demoted(severity, demotion) >= options.lowest;
}

FindingPlace AuditContext::place(SourceRange range, std::uint32_t line) const {
  if (range.end <= range.begin || range.end > module.source.text().size())
    return {line, 1, line, 1};
  LineColumn begin = module.source.position(range.begin), end = module.source.position(range.end);
  return {begin.line, begin.column, end.line, end.column};
}

std::string oneLine(std::string_view text) {
  std::string line;
  for (char c : text) {
    bool blank = static_cast<unsigned char>(c) <= ' ';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ')
    line.pop_back();
  return line.size() <= kLongestText ? line : line.substr(0, kLongestText - 3) + "...";
}

std::string AuditContext::text(const Statement &statement) const {
  if (const auto *sync = std::get_if<Sync>(&statement.action); sync && sync->site != kNone)
    return oneLine(module.sites[sync->site].text);
  if (const auto *instruction = std::get_if<Instruction>(&statement.action))
    return oneLine(printInstruction(*instruction));
  return oneLine(module.source.slice(statement.range));
}

Finding AuditContext::at(std::string_view rule, const Analysis &kernel, const Statement &statement,
                         std::string message) const {
  Finding finding;
  finding.rule = std::string(rule);
  finding.place = place(statement);
  finding.message = std::move(message);
  finding.kernel = kernel.kernel().name;
  finding.section = kernel.kernel().section;
  finding.parts.push_back(text(statement));
  return finding;
}

Finding AuditContext::atSite(std::string_view rule, const SyncSite &site, std::string message) const {
  Finding finding;
  finding.rule = std::string(rule);
  finding.place = place(site.range, site.line);
  finding.message = std::move(message);
  finding.parts.push_back(oneLine(site.text));
  return finding;
}

std::int64_t staticElements(const Tile &tile) {
  return std::max<std::int64_t>(tile.staticValidRows, 0) * std::max<std::int64_t>(tile.staticValidCols, 0);
}

} // namespace ptosync
