// A kernel text with its decisions, asked for by a mark in a comment.
#pragma once

#include "ordering/analysis.h"
#include "support/corpus.h"

#include <initializer_list>
#include <string>

namespace ptosync::test {

struct Decided {
  explicit Decided(std::string source, std::initializer_list<const char *> options = {})
      : Decided(std::move(source), parseOptions({options.begin(), options.end()})) {}
  Decided(std::string source, const RunOptions &options) : text(std::move(source)), outcome(run(text, options)) {}

  const SiteDecision &at(const std::string &mark) const { return decisionAt(outcome, lineOf(text, mark)); }
  /// "removed", or "kept: hazard" with the reason's id.
  std::string verdict(const std::string &mark) const {
    const SiteDecision &decision = at(mark);
    return decision.verdict == Verdict::Removed ? "removed" : std::string("kept: ") + keptReasonName(decision.reason);
  }
  /// "RAW TADD(..) -> TMUL(..) on UB [0, 64)", with ", carried" for an earlier iteration; empty without a witness.
  std::string witness(const std::string &mark) const {
    const std::optional<Conflict> &conflict = at(mark).witness;
    if (!conflict)
      return "";
    return std::string(hazardKindName(conflict->kind)) + " " + conflict->earlier.text + " -> " + conflict->later.text +
           (conflict->storage.empty() ? "" : " on " + conflict->storage) + (conflict->loopCarried ? ", carried" : "");
  }
  /// The removed lines of the file, in order.
  std::vector<unsigned> removedLines() const {
    std::vector<unsigned> lines;
    for (const SiteDecision &decision : outcome.result.decisions)
      if (decision.verdict == Verdict::Removed)
        lines.push_back(outcome.module.sites[decision.site].line);
    return lines;
  }

  std::string text;
  Outcome outcome;
};

/// Short tiles a, b, c, d (4 rows) and long ones p, q, r, s (16 rows), tensors g and h; then the statements.
inline std::string usualKernel(const std::string &statements) {
  std::string tiles;
  const char *const names[] = {"a", "b", "c", "d"}, *const longNames[] = {"p", "q", "r", "s"};
  for (unsigned i = 0; i < 4; ++i)
    tiles += rowsAt(names[i], 4, std::to_string(i * 1024)) + rowsAt(longNames[i], 16, std::to_string(8192 + i * 4096));
  return vectorKernel(tiles + tensorAt("g", "in") + tensorAt("h", "out") + statements);
}

inline const std::string kBarrier = "  pipe_barrier(PIPE_V); // barrier\n";

} // namespace ptosync::test
