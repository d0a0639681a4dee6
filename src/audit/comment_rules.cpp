// unused-keep: `// ptosync: keep(reason)` on a line that keeps no sync.
//
// A keep comment silences what audits say of its sync's cost; one that has slipped from its sync protects nothing
// and would be believed to. Tested by tests/audit/comment_rules_test.cpp.
#include "audit/audit_context.h"

namespace ptosync {

void auditComments(AuditContext &context) {
  const SourceText &source = context.module.source;
  for (const Directive &directive : unusedKeeps(context.module)) {
    Finding finding;
    finding.rule = "unused-keep";
    std::string_view line = source.line(directive.line);
    finding.place = {directive.line, directive.column, directive.line, static_cast<std::uint32_t>(line.size() + 1)};
    finding.message =
        "this keep comment keeps nothing: it must stand on the line of a sync, or alone on the line above";
    finding.parts.push_back(oneLine(line));
    context.report(std::move(finding));
  }
}

} // namespace ptosync
