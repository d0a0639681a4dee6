#include "patterns/pattern.h"

#include <algorithm>

namespace ptosync {

bool Pattern::supports(std::string_view architecture) const {
  return std::find(arch.begin(), arch.end(), architecture) != arch.end();
}

bool Pattern::answersTo(std::string_view name) const {
  return id == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end();
}

} // namespace ptosync
