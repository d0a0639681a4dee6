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
  /// "removed", "moved", or "kept: hazard" with the reason's id.
  std::string verdict(const std::string &mark) const {
    const SiteDecision &decision = at(mark);
    if (decision.verdict == Verdict::Kept)
      return std::string("kept: ") + keptReasonName(decision.reason);
    return decision.verdict == Verdict::Removed ? "removed" : "moved";
  }
  /// The same of several, "removed removed".
  std::string verdicts(std::initializer_list<const char *> marks) const {
    std::string text;
    for (const char *mark : marks)
      text += (text.empty() ? "" : " ") + verdict(mark);
    return text;
  }
  /// The pattern that a removal or move is attributed to, or that asked for what was kept.
  std::string pattern(const std::string &mark) const { return at(mark).pattern; }
  /// The lines, without their indentation, in front of which a moved sync is to stand, " | " between them; empty if
  /// it is not moved.
  std::string movedTo(const std::string &mark) const {
    const SiteDecision &decision = at(mark);
    std::string lines;
    for (const TextPlace &place : decision.movedTo)
      lines += (lines.empty() ? "" : " | ") + text.substr(place.offset, text.find('\n', place.offset) - place.offset);
    return lines;
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

/// A flag statement, `set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // mark`.
inline std::string setFlag(const std::string &mark, int id = 0, const std::string &pipes = "PIPE_MTE2, PIPE_V") {
  return "  set_flag(" + pipes + ", EVENT_ID" + std::to_string(id) + "); // " + mark + "\n";
}
inline std::string waitFlag(const std::string &mark, int id = 0, const std::string &pipes = "PIPE_MTE2, PIPE_V") {
  return "  wait_flag(" + pipes + ", EVENT_ID" + std::to_string(id) + "); // " + mark + "\n";
}

/// `inside` for each i below `bound`.
inline std::string loopOver(const std::string &bound, const std::string &inside) {
  return "  for (int32_t i = 0; i < " + bound + "; ++i) {\n" + inside + "  }\n";
}

inline const std::string kBarrier = "  pipe_barrier(PIPE_V); // barrier\n";

} // namespace ptosync::test
