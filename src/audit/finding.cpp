#include "audit/finding.h"

#include <array>
#include <utility>

namespace ptosync {
namespace {

constexpr std::array<std::pair<Severity, const char *>, 4> kNames = {{
    {Severity::Off, "off"},
    {Severity::Note, "note"},
    {Severity::Warning, "warning"},
    {Severity::Error, "error"},
}};

} // namespace

const char *severityName(Severity severity) {
  for (const auto &[value, name] : kNames)
    if (value == severity)
      return name;
  return "?";
}

std::optional<Severity> parseSeverity(std::string_view name) {
  for (const auto &[value, known] : kNames)
    if (name == known)
      return value;
  return std::nullopt;
}

Severity demoted(Severity severity, unsigned steps) {
  while (steps-- > 0 && severity > Severity::Note)
    severity = static_cast<Severity>(static_cast<std::uint8_t>(severity) - 1);
  return severity;
}

const std::vector<FindingRule> &findingRules() {
  static const std::vector<FindingRule> rules = {
      {"missing-sync", Severity::Error, "two accesses of the same bytes are not ordered on some path"},
      {"bracket-no-barrier", Severity::Error, "brackets of a buffer id where a barrier is needed: both on one pipe"},
      {"ring-too-short", Severity::Error, "a ring whose entries are overwritten while they are still needed"},
      {"unprimed-wait", Severity::Error, "a wait that no earlier set feeds"},
      {"undrained-flag", Severity::Error, "a flag still set where the kernel ends: it leaks into the next one"},
      {"double-set", Severity::Error, "a flag set again before it was waited for"},
      {"branch-imbalance", Severity::Error, "the arms of a branch leave a flag in different states"},
      {"cross-core-flag", Severity::Error, "a core-local flag set in one core's section and awaited in the other's"},
      {"deadlock", Severity::Error, "waits of in-order pipes that hold each other up"},
      {"nested-bracket", Severity::Error, "a buffer id taken while it is held"},
      {"open-bracket", Severity::Error, "a buffer id that is not released again on some way"},
      {"unmatched-release", Severity::Error, "a buffer id released where it is not held, or by another pipe or mode"},
      {"idle-bracket", Severity::Warning, "a bracket of a buffer id on a pipe on which nothing inside it runs"},
      {"id-out-of-range", Severity::Error, "an event id or buffer id that the architecture does not have"},
      {"id-clash", Severity::Error, "a flag live across a library call that uses the same one inside"},
      {"illegal-pipe", Severity::Error, "a pipe or barrier that this core or architecture does not have"},
      {"self-pair", Severity::Error, "a flag from a pipe to itself"},
      {"signal-overtakes-data", Severity::Error, "a signal that does not wait for the data it announces"},
      {"gm-visibility", Severity::Warning, "global memory read back behind a pipe order alone"},
      {"fifo-imbalance", Severity::Warning, "pushes and pops, or allocations and releases, that do not match"},
      {"fifo-depth", Severity::Error, "more FIFO slots in use, or larger ones, than its rings hold"},
      {"reserved-id", Severity::Warning, "flags between the cores that a library call of the kernel uses itself"},
      {"space-overflow", Severity::Error, "a tile that reaches beyond its memory"},
      {"hidden-scratch-overlap", Severity::Error, "data in bytes that a library call scribbles on"},
      {"scratch-alias", Severity::Warning, "a scratch operand on top of data that is still needed"},
      {"unknown-call", Severity::Warning, "a call that the machine model does not know", /*certain=*/false,
       /*ofSyncs=*/false},
      {"unused-keep", Severity::Warning, "a keep comment that keeps nothing", /*certain=*/true},
      {"useless-sync", Severity::Note, "a sync that names a pipe on which nothing runs", /*certain=*/true},
      {"pointless-copy", Severity::Note, "a tile copied onto itself", /*certain=*/true},
      {"removable-sync", Severity::Note, "a sync that orders nothing: `ptosync opt` would take it out",
       /*certain=*/true},
      {"pipe-all-fallback", Severity::Note, "a PIPE_ALL barrier in a kernel's body", /*certain=*/true},
      {"id-pressure", Severity::Note, "all event ids of a pair of pipes are in use"},
      {"serialising-alias", Severity::Note, "a sync that is there only because two buffers share storage"},
  };
  return rules;
}

const FindingRule *findRule(std::string_view id) {
  for (const FindingRule &rule : findingRules())
    if (rule.id == id)
      return &rule;
  return nullptr;
}

} // namespace ptosync
