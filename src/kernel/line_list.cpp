#include "kernel/line_list.h"

namespace ptosync {

std::string lineList(const std::vector<std::uint32_t> &lines, std::size_t limit) {
  std::size_t shown = lines.size() <= limit + 1 ? lines.size() : limit;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : i + 1 == lines.size() ? " and " : ", ") + std::to_string(lines[i]);
  return shown < lines.size() ? text + " and " + std::to_string(lines.size() - shown) + " more" : text;
}

} // namespace ptosync
