#include "audit/audit_context.h"

#include "audit/buffer_ids.h"
#include "audit/finding_table.h"
#include "kernel/kernel.h"

#include <algorithm>

namespace ptosync {
namespace {

constexpr std::size_t kLongestText = 120;

bool waitsForScalars(const Program &program) {
  for (const std::vector<Event> &events : program.steps)
    for (const Event &event : events)
      if (event.kind == Event::Kind::Wait && event.destination == Pipe::S)
        return true;
  return false;
}

/// Adds the analysis in which waits for the scalar pipe hold back all later work.
llvm::Error readHeld(AuditedKernel &entry, const Machine &machine, OrderingOptions ordering) {
  ordering.scalarWaitsHoldDispatch = true;
  llvm::Expected<Program> held = buildProgram(*entry.kernel, machine, ordering);
  if (!held)
    return held.takeError();
  entry.heldProgram = std::make_unique<Program>(std::move(*held));
  entry.heldPending = std::make_unique<Pending>(*entry.heldProgram);
  return llvm::Error::success();
}

} // namespace

AuditContext::AuditContext(const Module &module, const Machine &machine, const AuditOptions &options)
    : module(module), machine(machine), options(options) {
  for (const Kernel &kernel : module.kernels) {
    if (!kernel.analysable) {
      skipped.push_back({kernel.name, kernel.reason, kernel.line});
      continue;
    }
    OrderingOptions ordering = options.ordering;
    ordering.followConditions = true;
    llvm::Expected<Program> program = buildProgram(kernel, machine, ordering);
    if (!program) {
      skipped.push_back({kernel.name, llvm::toString(program.takeError()), kernel.line});
      continue;
    }
    AuditedKernel entry;
    entry.kernel = &kernel;
    if (std::optional<BufferIdUse> use = bufferIdUse(kernel, machine)) {
      entry.orderModelled = false;
      notJudged.push_back({kernel.name, use->reason, use->line});
    }
    entry.program = std::make_unique<Program>(std::move(*program));
    entry.pending = std::make_unique<Pending>(*entry.program);
    if (machine.rules().scalarWaitDispatch && waitsForScalars(*entry.program))
      if (llvm::Error error = readHeld(entry, machine, ordering)) {
        skipped.push_back({kernel.name, llvm::toString(std::move(error)), kernel.line});
        continue;
      }
    kernels.push_back(std::move(entry));
  }
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

Finding AuditContext::at(std::string_view rule, const AuditedKernel &kernel, const Statement &statement,
                         std::string message) const {
  Finding finding;
  finding.rule = std::string(rule);
  finding.place = place(statement);
  finding.message = std::move(message);
  finding.kernel = kernel.kernel->name;
  finding.section = kernel.kernel->section;
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
