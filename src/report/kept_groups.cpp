#include "report/kept_groups.h"

#include "optimize/wording.h"

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

/// "TROWSUM (PIPE_V)": the name in front of the operands and template arguments.
std::string operation(const InstructionPlace &place) {
  std::string text = printable(place.text);
  return text.substr(0, text.find_first_of("(<")) + " (" + std::string(pipeName(place.pipe)) + ")";
}

} // namespace

std::vector<GroupCause> sortedCauses(std::map<std::string, std::vector<std::uint32_t>> causes) {
  std::vector<GroupCause> sorted;
  for (auto &[text, lines] : causes) {
    std::sort(lines.begin(), lines.end());
    sorted.push_back({text, std::move(lines)});
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const GroupCause &left, const GroupCause &right) {
    return left.lines.size() > right.lines.size();
  });
  return sorted;
}

std::uint32_t siteCount(const std::vector<GroupCause> &causes) {
  std::size_t count = 0;
  for (const GroupCause &cause : causes)
    count += cause.lines.size();
  return static_cast<std::uint32_t>(count);
}

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
  for (auto &[reason, causes] : reasons) {
    std::vector<GroupCause> sorted = sortedCauses(std::move(causes));
    groups.push_back({reason, siteCount(sorted), std::move(sorted)});
  }
  return groups;
}

} // namespace ptosync
