#include "base/messages.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>

namespace ptosync {

std::optional<std::string> nearestName(std::string_view name, const std::vector<std::string> &candidates) {
  std::optional<std::string> nearest;
  unsigned nearestDistance = 0;
  for (const std::string &candidate : candidates) {
    unsigned limit = static_cast<unsigned>(std::max(name.size(), candidate.size()) + 2) / 3;
    unsigned distance = llvm::StringRef(name).edit_distance(candidate, /*AllowReplacements=*/true, limit);
    if (distance > limit || (nearest && distance >= nearestDistance))
      continue;
    nearest = candidate;
    nearestDistance = distance;
  }
  return nearest;
}

std::string suggestName(std::string_view name, const std::vector<std::string> &candidates) {
  if (std::optional<std::string> nearest = nearestName(name, candidates))
    return "; did you mean '" + *nearest + "'?";
  std::string text;
  for (const std::string &candidate : candidates)
    text += (text.empty() ? "; expected one of '" : ", '") + candidate + "'";
  return text;
}

std::string lineList(const std::vector<std::uint32_t> &lines, std::size_t limit) {
  std::size_t shown = lines.size() <= limit + 1 ? lines.size() : limit;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : i + 1 == lines.size() ? " and " : ", ") + std::to_string(lines[i]);
  return shown < lines.size() ? text + " and " + std::to_string(lines.size() - shown) + " more" : text;
}

} // namespace ptosync
