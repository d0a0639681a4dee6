#include "kernel/source.h"

#include <algorithm>
#include <utility>

namespace ptosync {

SourceText::SourceText(std::string name, std::string text) : fileName(std::move(name)), content(std::move(text)) {
  lineStarts.push_back(0);
  for (std::size_t i = 0; i < content.size(); ++i)
    if (content[i] == '\n')
      lineStarts.push_back(static_cast<std::uint32_t>(i + 1));
}

LineColumn SourceText::position(std::uint32_t offset) const {
  if (lineStarts.empty())
    return {1, 1};
  auto next = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  auto line = static_cast<std::uint32_t>(next - lineStarts.begin());
  return {line, offset - lineStarts[line - 1] + 1};
}

std::string_view SourceText::line(std::uint32_t number) const {
  if (number == 0 || number > lineStarts.size())
    return {};
  std::size_t begin = lineStarts[number - 1];
  std::size_t end = number < lineStarts.size() ? lineStarts[number] - 1 : content.size();
  if (end > begin && content[end - 1] == '\r')
    --end;
  return std::string_view(content).substr(begin, end - begin);
}

std::string_view SourceText::slice(SourceRange range) const {
  return std::string_view(content).substr(range.begin, range.end - range.begin);
}

} // namespace ptosync
