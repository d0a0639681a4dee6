#include "json/json_members.h"

#include <algorithm>

namespace ptosync {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// Behind the string whose opening quote is at `begin`.
std::size_t behindString(std::string_view text, std::size_t begin) {
  std::size_t quote = begin;
  while ((quote = text.find('"', quote + 1)) != std::string_view::npos) {
    std::size_t escapes = 0;
    while (text[quote - 1 - escapes] == '\\') // at the latest the opening quote ends this
      ++escapes;
    if (escapes % 2 == 0)
      return quote + 1;
  }
  return text.size();
}

/// Behind the value that begins at `begin`.
std::size_t behindValue(std::string_view text, std::size_t begin) {
  std::size_t depth = 0, at = begin;
  while (at < text.size()) {
    switch (text[at]) {
    case '"': at = behindString(text, at); continue;
    case '{':
    case '[': ++depth; break;
    case ',':
    case '}':
    case ']':
      if (depth == 0)
        return at;
      depth -= text[at] != ',';
      break;
    default: break;
    }
    ++at;
  }
  return at;
}

std::string_view trimmed(std::string_view text) {
  std::size_t end = text.find_last_not_of(kSpace);
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

} // namespace

std::vector<JsonMember> membersOf(std::string_view object) {
  std::vector<JsonMember> members;
  std::size_t at = object.find('{');
  while (at != std::string_view::npos) {
    at = object.find_first_not_of(kSpace, at + 1);
    if (at == std::string_view::npos || object[at] != '"')
      break;
    std::size_t behindKey = behindString(object, at);
    std::string_view key = object.substr(at + 1, behindKey - at - 2);
    at = object.find_first_not_of(kSpace, std::min(object.find(':', behindKey), object.size() - 1) + 1);
    if (at == std::string_view::npos)
      break;
    std::size_t end = behindValue(object, at);
    members.push_back({key, trimmed(object.substr(at, end - at))});
    at = end < object.size() && object[end] == ',' ? end : std::string_view::npos;
  }
  return members;
}

} // namespace ptosync
