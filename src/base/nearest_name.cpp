#include "base/nearest_name.h"

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

} // namespace ptosync
