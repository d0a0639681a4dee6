#include "kernel/source.h"

#include <algorithm>
#include <cctype>
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

llvm::Expected<Definition> parseDefinition(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  Definition definition{std::string(text.substr(0, equals)), "1"};
  if (equals < text.size())
    definition.value = std::string(text.substr(equals + 1));
  auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  const std::string &name = definition.name;
  if (name.find('(') != std::string::npos)
    return llvm::createStringError("a macro with parameters cannot be given, only NAME or NAME=VALUE");
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) ||
      !std::all_of(name.begin(), name.end(), isPart) || definition.value->find('\n') != std::string::npos)
    return llvm::createStringError("expected NAME or NAME=VALUE");
  if (name == "__DAV_CUBE__" || name == "__DAV_VEC__")
    return llvm::createStringError("leave it out: the tool reads the code of both cores and defines it for each");
  return definition;
}

llvm::Expected<std::vector<Definition>> parseDefinitions(const std::vector<std::string> &defined,
                                                         const std::vector<std::string> &undefined) {
  std::vector<Definition> definitions;
  for (const std::string &text : defined) {
    llvm::Expected<Definition> definition = parseDefinition(text);
    if (!definition)
      return llvm::createStringError("-D " + text + ": " + llvm::toString(definition.takeError()));
    definitions.push_back(std::move(*definition));
  }
  for (const std::string &text : undefined) {
    llvm::Expected<Definition> definition = parseDefinition(text);
    if (!definition || definition->name != text)
      return llvm::createStringError("-U " + text + ": " +
                                     (definition ? "expected NAME" : llvm::toString(definition.takeError())));
    for (const Definition &other : definitions)
      if (other.name == text && other.value)
        return llvm::createStringError("-U " + text + ": -D defines it");
    definitions.push_back({text, std::nullopt});
  }
  return definitions;
}

} // namespace ptosync
