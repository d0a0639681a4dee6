#include "json/json_positions.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace ptosync {

/// Walks over a text once, keeping the containers that are open.
class JsonScanner {
public:
  JsonScanner(std::string_view text, JsonPositions &positions) : text(text), positions(positions) {}
  void run();

private:
  struct Container {
    bool isObject = false;
    bool expectsKey = false; // objects: the next string is a key
    std::size_t index = 0;   // arrays: of the next element
    std::string pointer;     // of the container
    std::string member;      // objects: pointer of the member being read
  };

  bool punctuation(char character);
  std::string_view takeString();
  void skipScalar();
  void key(std::string_view quoted);
  std::string beginValue();

  std::string_view text;
  JsonPositions &positions;
  std::vector<Container> open;
  std::size_t offset = 0;
  unsigned line = 1;
};

void JsonScanner::run() {
  while (offset < text.size()) {
    char character = text[offset];
    if (character == '\n')
      ++line;
    if (character == '\n' || character == ' ' || character == '\t' || character == '\r') {
      ++offset;
    } else if (character == '"') {
      unsigned start = line;
      std::string_view quoted = takeString();
      std::swap(start, line); // a string is recorded where it begins
      if (!open.empty() && open.back().expectsKey)
        key(quoted);
      else
        beginValue();
      line = start;
    } else if (std::string_view("{}[],:").find(character) != std::string_view::npos) {
      if (!punctuation(character))
        return;
      ++offset;
    } else {
      beginValue();
      skipScalar();
    }
  }
}

/// False if the text is no JSON here, or nested too deep.
bool JsonScanner::punctuation(char character) {
  if (character == '{' || character == '[') {
    if (open.size() == JsonPositions::kMaximumDepth)
      return false;
    bool isObject = character == '{';
    std::string pointer = beginValue();
    open.push_back(Container{isObject, isObject, 0, pointer, pointer});
    return true;
  }
  if (open.empty())
    return false;
  Container &container = open.back();
  if (character == ',') {
    container.expectsKey = container.isObject;
    ++container.index;
  } else if (character == '}' || character == ']') {
    if (container.isObject != (character == '}'))
      return false;
    open.pop_back();
  }
  return true;
}

/// The string at `offset` with its quotes; leaves `offset` behind it.
std::string_view JsonScanner::takeString() {
  std::size_t begin = offset++;
  while (offset < text.size() && text[offset] != '"') {
    if (text[offset] == '\\')
      ++offset;
    if (offset < text.size() && text[offset] == '\n')
      ++line; // no valid JSON, but lines behind it shall be right
    ++offset;
  }
  offset = std::min(offset + 1, text.size());
  return text.substr(begin, offset - begin);
}

void JsonScanner::skipScalar() {
  std::size_t end = text.find_first_of(" \t\r\n\"{}[],:", offset);
  offset = end == std::string_view::npos ? text.size() : end;
}

void JsonScanner::key(std::string_view quoted) {
  nlohmann::json decoded = nlohmann::json::parse(quoted, nullptr, /*allow_exceptions=*/false);
  Container &container = open.back();
  container.expectsKey = false;
  container.member = container.pointer + "/";
  if (decoded.is_string())
    container.member += escapePointerToken(decoded.get_ref<const std::string &>());
  bool isNew = positions.lines.insert_or_assign(container.member, line).second;
  if (!isNew && !positions.duplicate)
    positions.duplicate = container.member;
}

/// Records an element of an array, or the root; a member was recorded with its key. Returns its pointer.
std::string JsonScanner::beginValue() {
  std::string pointer;
  if (!open.empty()) {
    const Container &container = open.back();
    if (container.isObject)
      return container.member;
    pointer = container.pointer + "/" + std::to_string(container.index);
  }
  positions.lines.emplace(pointer, line);
  return pointer;
}

JsonPositions JsonPositions::scan(std::string_view text) {
  JsonPositions positions;
  JsonScanner(text, positions).run();
  return positions;
}

std::optional<unsigned> JsonPositions::line(std::string_view pointer) const {
  auto found = lines.find(pointer);
  if (found == lines.end())
    return std::nullopt;
  return found->second;
}

std::string escapePointerToken(std::string_view key) {
  std::string token;
  for (char character : key) {
    if (character == '~')
      token += "~0";
    else if (character == '/')
      token += "~1";
    else
      token += character;
  }
  return token;
}

} // namespace ptosync
