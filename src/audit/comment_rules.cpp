// unused-keep: `// ptosync: keep(reason)` on a line that keeps no sync.
//
// A keep comment silences what audits say of its sync's cost; one that has slipped from its sync protects nothing
// and would be believed to. Tested by tests/audit/comment_rules_test.cpp.
#include "audit/audit_context.h"

namespace ptosync {
namespace {

constexpr std::string_view kMark = "ptosync: keep(";

/// A keep comment reaches a sync on its own line and, if it stands alone, on the line below.
bool keepsSomething(const Module &module, std::uint32_t line) {
  std::string_view text = module.source.line(line);
  std::size_t start = text.find_first_not_of(" \t");
  bool alone = start != std::string_view::npos && (text.substr(start, 2) == "//" || text.substr(start, 2) == "/*");
  for (const SyncSite &site : module.sites) {
    std::uint32_t last = module.source.position(site.range.end).line;
    if (site.line == line || last == line || (alone && (site.line == line + 1 || last == line + 1)))
      return true;
  }
  return false;
}

} // namespace

void auditComments(AuditContext &context) {
  const SourceText &source = context.module.source;
  for (std::uint32_t number = 1; number <= source.lineCount(); ++number) {
    std::string_view line = source.line(number);
    std::size_t at = line.find(kMark);
    if (at == std::string_view::npos || keepsSomething(context.module, number))
      continue;
    Finding finding;
    finding.rule = "unused-keep";
    auto column = static_cast<std::uint32_t>(at + 1);
    finding.place = {number, column, number, static_cast<std::uint32_t>(line.size() + 1)};
    finding.message =
        "this keep comment keeps nothing: it must stand on the line of a sync, or alone on the line above";
    finding.parts.push_back(oneLine(line));
    context.report(std::move(finding));
  }
}

} // namespace ptosync
