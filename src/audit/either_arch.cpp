#include "audit/either_arch.h"

#include <algorithm>
#include <tuple>

namespace ptosync {
namespace {

/// How two instructions meet, and whether a ring is to blame, may differ where the pair is the same.
std::string family(const std::string &rule) { return rule == "ring-too-short" ? "missing-sync" : rule; }

auto keyOf(const Finding &finding) {
  FindingPlace first = finding.notes.empty() ? FindingPlace() : finding.notes.front().place;
  return std::make_tuple(family(finding.rule), finding.place, first, finding.kernel, finding.section);
}

const Finding *findLike(const std::vector<Finding> &findings, const Finding &finding) {
  auto key = keyOf(finding);
  const Finding *best = nullptr;
  for (const Finding &other : findings)
    if (keyOf(other) == key && (!best || other.severity > best->severity))
      best = &other;
  return best;
}

} // namespace

bool hasLike(const std::vector<Finding> &findings, const Finding &finding) { return findLike(findings, finding); }

std::size_t demoteUnlessBoth(std::vector<Finding> &findings, const std::vector<Finding> &other, const std::string &arch,
                             Severity lowest) {
  std::size_t demotedCount = 0;
  for (Finding &finding : findings) {
    if (finding.severity <= Severity::Note)
      continue;
    const Finding *same = findLike(other, finding);
    Severity both = same ? std::min(same->severity, finding.severity) : Severity::Note;
    if (both == finding.severity)
      continue;
    finding.severity = std::max(both, Severity::Note);
    finding.message += " (" + std::string(same ? "for certain " : "") + "on " + arch + " only: give --arch)";
    ++demotedCount;
  }
  std::erase_if(findings, [&](const Finding &finding) { return finding.severity < lowest; });
  return demotedCount;
}

} // namespace ptosync
