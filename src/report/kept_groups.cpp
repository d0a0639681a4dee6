#include "report/kept_groups.h"

#include "report/wording.h"

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

/// "TROWSUM (PIPE_V)": the name in front of the operands and template arguments.
std::string operation(const InstructionPlace &place) {
  std::string text = printable(place.text);
  return text.substr(0, text.find_first_of("(<")) + " (" + std::string(pipeName(place.pipe)) + ")";
}

KeptGroup makeGroup(KeptReason reason, std::map<std::string, std::vector<std::uint32_t>> causes) {
  KeptGroup group{reason, 0, {}};
  for (auto &[text, lines] : causes) {
    std::sort(lines.begin(), lines.end());
    group.count += static_cast<std::uint32_t>(lines.size());
    group.causes.push_back({text, std::move(lines)});
  }
  std::sort(group.causes.begin(), group.causes.end(), [](const KeptCause &left, const KeptCause &right) {
    return left.lines.size() != right.lines.size() ? left.lines.size() > right.lines.size() : left.text < right.text;
  });
  return group;
}

} // namespace

std::string conflictFamily(const Conflict &conflict) {
  std::string result = hazardKindName(conflict.kind);
  // The memory is the first word of "UB [98304, 98432)" and "GM argument v1".
  std::string storage = printable(conflict.storage);
  if (!storage.empty())
    result += " on " + storage.substr(0, storage.find_first_of(" [,"));
  result += ": " + operation(conflict.earlier) + " -> " + operation(conflict.later);
  return conflict.loopCarried ? result + ", carried round the loop" : result;
}

std::vector<KeptGroup> groupKept(const ReportInput &input) {
  std::map<KeptReason, std::map<std::string, std::vector<std::uint32_t>>> reasons;
  for (const SiteDecision &decision : input.result->decisions) {
    if (decision.verdict != Verdict::Kept || decision.site >= input.module->sites.size())
      continue;
    std::string cause = decision.witness ? conflictFamily(*decision.witness) : printable(decision.detail);
    reasons[decision.reason][cause].push_back(input.module->sites[decision.site].line);
  }
  std::vector<KeptGroup> groups;
  for (auto &[reason, causes] : reasons)
    groups.push_back(makeGroup(reason, std::move(causes)));
  return groups;
}

} // namespace ptosync
