// A kernel text with what an audit says of it, and short forms to compare findings by.
#pragma once

#include "audit/audit.h"
#include "audit/finding.h"
#include "ordering/analysis.h"
#include "support/corpus.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ptosync::test {

struct Audited {
  explicit Audited(std::string source, const std::string &arch = "a3", Severity lowest = Severity::Note)
      : text(std::move(source)), module(lift(text, arch)) {
    AuditOptions options;
    options.lowest = lowest;
    options.patterns = &defaultPatterns();
    result = audit(module, machineOf(arch), options);
  }

  /// "12 error missing-sync", by position.
  std::vector<std::string> all() const {
    std::vector<std::string> list;
    for (const Finding &finding : result.findings)
      list.push_back(std::to_string(finding.place.line) + " " + severityName(finding.severity) + " " + finding.rule);
    return list;
  }
  /// "error", "warning", "note", or "" without such a finding; the most severe of several.
  std::string severity(const std::string &rule) const {
    Severity worst = Severity::Off;
    for (const Finding &finding : result.findings)
      if (finding.rule == rule)
        worst = std::max(worst, finding.severity);
    return worst == Severity::Off ? "" : severityName(worst);
  }
  std::size_t count(const std::string &rule) const {
    return static_cast<std::size_t>(std::count_if(result.findings.begin(), result.findings.end(),
                                                  [&](const Finding &finding) { return finding.rule == rule; }));
  }
  /// The only finding of a rule; throws unless there is exactly one.
  const Finding &only(const std::string &rule) const {
    if (count(rule) != 1)
      throw std::runtime_error(std::to_string(count(rule)) + " findings of " + rule);
    return *std::find_if(result.findings.begin(), result.findings.end(),
                         [&](const Finding &finding) { return finding.rule == rule; });
  }

  std::string text;
  Module module;
  AuditResult result;
};

/// Tiles a, b, c, d of 4 rows of 64 floats (too short for the same-access chain) at 0, 1024, ...; tensors g (in) and
/// h (out); then the statements.
inline std::string shortTiles(const std::string &statements) {
  std::string tiles;
  const char *const names[] = {"a", "b", "c", "d"};
  for (unsigned i = 0; i < 4; ++i)
    tiles += rowsAt(names[i], 4, std::to_string(i * 1024));
  return vectorKernel(tiles + tensorAt("g", "in") + tensorAt("h", "out") + statements);
}

inline std::string setFlag(const std::string &pipes, const std::string &id = "EVENT_ID0") {
  return "  set_flag(" + pipes + ", " + id + ");\n";
}
inline std::string waitFlag(const std::string &pipes, const std::string &id = "EVENT_ID0") {
  return "  wait_flag(" + pipes + ", " + id + ");\n";
}
inline const std::string kLoadToVector = "PIPE_MTE2, PIPE_V", kVectorToLoad = "PIPE_V, PIPE_MTE2";

} // namespace ptosync::test
