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

} // namespace ptosync
