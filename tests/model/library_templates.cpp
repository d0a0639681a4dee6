#include "library_templates.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace probes {
namespace {

bool isName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Without comments.
std::string readText(const std::filesystem::path &file) {
  std::ostringstream stream;
  stream << std::ifstream(file).rdbuf();
  std::string text = stream.str(), kept;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0)
      i = std::min(text.find('\n', i), text.size() - 1);
    else if (text.compare(i, 2, "/*") == 0)
      i = std::min(text.find("*/", i), text.size() - 2) + 1;
    else
      kept += text[i];
  }
  return kept;
}

/// The place of `word` at or behind `from`, on its own.
std::size_t findWord(const std::string &text, const std::string &word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1))
    if ((at == 0 || !isName(text[at - 1])) && !isName(text[at + word.size()]))
      return at;
  return std::string::npos;
}

std::string trimmed(const std::string &text) {
  std::size_t begin = text.find_first_not_of(" \n\t"), end = text.find_last_not_of(" \n\t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// Splits at commas outside of any bracket; `at` becomes the place of the bracket that closes the list.
std::vector<std::string> splitList(const std::string &text, std::size_t &at, char close) {
  std::vector<std::string> parts(1);
  for (int depth = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && c == close)
      break;
    depth += (c == '<' || c == '(' || c == '{') - (c == '>' || c == ')' || c == '}');
    if (depth == 0 && c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string &part : parts)
    part = trimmed(part);
  return parts;
}

std::string withoutScope(const std::string &name) {
  std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

/// Empty for a parameter that is a type, or a condition.
std::string kindOf(const std::string &parameter) {
  for (const char *type : {"typename", "class", "std::enable_if_t"})
    if (parameter.rfind(type, 0) == 0)
      return {};
  const std::size_t equals = parameter.find('=');
  const std::string declared = trimmed(parameter.substr(0, equals));
  const std::string type = trimmed(declared.substr(0, declared.find_last_of(" \n")));
  if (type == "auto") {
    const std::string value = equals == std::string::npos ? "" : trimmed(parameter.substr(equals + 1));
    const std::size_t colons = value.rfind("::");
    return colons == std::string::npos ? "auto" : withoutScope(value.substr(0, colons));
  }
  static const std::set<std::string> numbers = {"int", "bool", "uint16_t", "uint32_t", "std::size_t", "size_t"};
  return numbers.count(type) ? "number" : withoutScope(type);
}

void addKinds(const std::string &text, LibraryTemplates &found) {
  for (std::size_t at = findWord(text, "template", 0); at != std::string::npos; at = findWord(text, "template", at)) {
    at = text.find('<', at);
    if (at == std::string::npos)
      return;
    std::vector<std::string> parameters = splitList(text, ++at, '>');
    // "PTO_INST ... NAME(", and nothing else in between.
    std::size_t word = text.find_first_not_of(" \n\t", at + 1), open = text.find('(', at);
    if (word == std::string::npos || open == std::string::npos || text.compare(word, 8, "PTO_INST") != 0)
      continue;
    std::size_t end = text.find_last_not_of(" \n\t", open - 1) + 1, begin = end;
    while (begin > 0 && isName(text[begin - 1]))
      --begin;
    for (const std::string &parameter : parameters)
      if (std::string kind = kindOf(parameter); !kind.empty())
        found.kinds[text.substr(begin, end - begin)].insert(kind);
  }
}

void addEnumerators(const std::string &text, LibraryTemplates &found) {
  for (std::size_t at = findWord(text, "enum", 0); at != std::string::npos; at = findWord(text, "enum", at + 1)) {
    std::size_t open = text.find('{', at), stop = text.find(';', at);
    if (open == std::string::npos || stop < open)
      continue;
    std::string head = text.substr(at + 4, open - at - 4);
    head = trimmed(head.substr(0, head.find(':')));
    std::string name = head.substr(head.find_last_of(" \n") + 1);
    std::vector<std::string> &values = found.enumerators[name];
    for (const std::string &value : splitList(text, ++open, '}'))
      if (std::string enumerator = trimmed(value.substr(0, value.find('='))); !enumerator.empty())
        values.push_back(enumerator);
  }
}

} // namespace

LibraryTemplates libraryTemplates(const std::string &include, const std::string &chip) {
  LibraryTemplates found;
  const std::filesystem::path pto = std::filesystem::path(include) / "pto";
  for (const char *file : {"common/pto_instr.hpp", "comm/pto_comm_inst.hpp"})
    addKinds(readText(pto / file), found);
  for (const std::string folder : {std::string("common"), std::string("comm"), "npu/" + chip})
    for (const auto &file : std::filesystem::directory_iterator(pto / folder))
      if (file.path().extension() == ".hpp")
        addEnumerators(readText(file.path()), found);
  return found;
}

} // namespace probes
