#include "json/json_document.h"

#include "json/json_members.h"
#include "json/nearest_name.h"

#include <algorithm>

namespace ptosync {

namespace {

/// Takes nothing from a text but the place and the kind of its first syntax error.
class SyntaxErrorFinder : public nlohmann::json_sax<nlohmann::json> {
public:
  std::size_t byte = 0;
  std::string message;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t &) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string &, const nlohmann::json::exception &error) override {
    byte = position;
    message = error.what();
    return false;
  }
};

/// "[json.exception...] parse error at line 3, column 5: syntax error ..." without what stands before
/// the cause: the line is given in our own form.
std::string causeOf(const std::string &message) {
  std::size_t column = message.find("column ");
  std::size_t colon = message.find(": ", column == std::string::npos ? 0 : column);
  return colon == std::string::npos ? message : message.substr(colon + 2);
}

std::string article(const nlohmann::json &value) {
  if (value.is_number_float())
    return "a fraction";
  std::string type = value.type_name();
  if (type == "null")
    return type;
  return (type == "array" || type == "object" ? "an " : "a ") + type;
}

} // namespace

llvm::Expected<JsonDocument> JsonDocument::read(std::string_view text, std::string_view name) {
  JsonDocument document;
  document.name = name;
  document.value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.value.is_discarded()) {
    SyntaxErrorFinder finder;
    nlohmann::json::sax_parse(text, &finder);
    // The error is found on the character before `byte`; a missing end is told on the last line.
    std::size_t end = std::min(finder.byte == 0 ? 0 : finder.byte - 1, text.size());
    auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    return llvm::createStringError(llvm::Twine(name) + ":" + llvm::Twine(line) +
                                   ": malformed JSON: " + causeOf(finder.message));
  }
  return document;
}

llvm::Expected<JsonDocument> JsonDocument::parse(std::string_view text, std::string_view name) {
  llvm::Expected<JsonDocument> document = read(text, name);
  if (!document)
    return document;
  document->positions = JsonPositions::scan(text);
  if (document->positions.duplicateKey())
    return document->error(*document->positions.duplicateKey(), "the key is written twice");
  return document;
}

llvm::Expected<JsonDocument> JsonDocument::builtIn(std::string_view text, std::string_view name,
                                                   std::initializer_list<std::string_view> left) {
  std::string taken;
  std::vector<JsonMember> leftMembers;
  if (left.size() != 0) {
    for (const JsonMember &member : membersOf(text))
      if (std::find(left.begin(), left.end(), member.key) != left.end())
        leftMembers.push_back(member);
      else
        taken += (taken.empty() ? "{\"" : ",\"") + std::string(member.key) + "\":" + std::string(member.value);
    taken += taken.empty() ? "{}" : "}";
  }
  llvm::Expected<JsonDocument> document = read(left.size() == 0 ? text : taken, name);
  if (document) {
    document->text = text;
    document->leftMembers = std::move(leftMembers);
  }
  return document;
}

std::string_view JsonDocument::leftOut(std::string_view key) const {
  for (const JsonMember &member : leftMembers)
    if (member.key == key)
      return member.value;
  return {};
}

unsigned JsonDocument::lineOf(std::string_view pointer) const {
  JsonPositions scanned;
  if (!text.empty())
    scanned = JsonPositions::scan(text);
  const JsonPositions &places = text.empty() ? positions : scanned;
  while (true) {
    if (std::optional<unsigned> line = places.line(pointer))
      return *line;
    if (pointer.empty())
      return 1;
    pointer = pointer.substr(0, pointer.rfind('/'));
  }
}

JsonNode JsonDocument::root() const { return JsonNode(*this, value, ""); }

llvm::Error JsonDocument::error(std::string_view pointer, const llvm::Twine &message) const {
  std::string place = name + ":" + std::to_string(lineOf(pointer)) + ": ";
  if (!pointer.empty())
    place += std::string(pointer) + ": ";
  return llvm::createStringError(place + message);
}

llvm::Error JsonNode::error(const llvm::Twine &message) const { return document->error(pointer, message); }

unsigned JsonNode::line() const { return document->lineOf(pointer); }

llvm::Error JsonNode::wrongType(llvm::StringRef expected) const {
  return error("expected " + expected + ", found " + article(*value));
}

llvm::Error JsonNode::allowKeys(const std::vector<std::string> &known) const {
  if (!value->is_object())
    return wrongType("an object");
  for (const auto &[key, unused] : value->items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      return document->error(pointer + "/" + escapePointerToken(key),
                             "unknown key '" + key + "'" + suggestName(key, known));
  return llvm::Error::success();
}

bool JsonNode::has(llvm::StringRef key) const { return value->is_object() && value->contains(key.str()); }

JsonNode JsonNode::at(llvm::StringRef key) const {
  return JsonNode(*document, *value->find(key.str()), pointer + "/" + escapePointerToken(key));
}

llvm::Expected<JsonNode> JsonNode::member(llvm::StringRef key) const {
  if (!value->is_object())
    return wrongType("an object");
  if (!has(key))
    return error("missing key '" + key + "'");
  return at(key);
}

llvm::Expected<std::vector<JsonNode>> JsonNode::items() const {
  if (!value->is_array())
    return wrongType("an array");
  if (value->empty())
    return error("expected at least one element");
  std::vector<JsonNode> nodes;
  for (std::size_t index = 0; index < value->size(); ++index)
    nodes.push_back(JsonNode(*document, (*value)[index], pointer + "/" + std::to_string(index)));
  return nodes;
}

llvm::Expected<std::string> JsonNode::string() const {
  if (!value->is_string())
    return wrongType("a string");
  std::string text = value->get<std::string>();
  if (text.empty())
    return error("expected a string that is not empty");
  return text;
}

llvm::Expected<std::int64_t> JsonNode::integer() const {
  bool fits = value->is_number_integer() &&
              (!value->is_number_unsigned() || value->get<std::uint64_t>() <= std::uint64_t(INT64_MAX));
  if (!fits)
    return wrongType("an integer");
  return value->get<std::int64_t>();
}

llvm::Expected<bool> JsonNode::boolean() const {
  if (!value->is_boolean())
    return wrongType("true or false");
  return value->get<bool>();
}

} // namespace ptosync
