#include "base/json.h"

#include "base/messages.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

namespace ptosync {

namespace {

/// Nothing deeper is looked for: no reader goes there, and a hostile text costs no more than its length.
constexpr std::size_t kMostLevels = 64;
constexpr std::size_t kLongestQuoted = 80, kLongestPointer = 200; // in messages, in bytes

/// `key` as one token of a JSON pointer (RFC 6901).
std::string pointerToken(std::string_view key) {
  std::string token;
  for (char character : key)
    token += character == '~' ? "~0" : character == '/' ? "~1" : std::string(1, character);
  return token;
}

/// The characters of a text, which tell the line of the one before the last that was taken. The parser looks one
/// character ahead behind a number alone, so this is the line of every value and of every key.
class CountedCharacters {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  CountedCharacters(std::string_view::const_iterator at, unsigned *line) : at(at), line(line) {}
  reference operator*() const { return *at; }
  CountedCharacters &operator++() {
    *line += afterNewline;
    afterNewline = *at++ == '\n';
    return *this;
  }
  bool operator==(const CountedCharacters &other) const { return at == other.at; }
  bool operator!=(const CountedCharacters &other) const { return at != other.at; }

private:
  std::string_view::const_iterator at;
  unsigned *line;
  bool afterNewline = false;
};

/// A second pass over a text: the lines of its values by JSON pointer, the first key that its object has already, and
/// the first syntax error. nlohmann::json keeps none of them. A member stands where its key does, an element where its
/// value begins.
class PlaceFinder : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit PlaceFinder(std::string_view text) : text(text) {
    CountedCharacters begin(text.begin(), &line), end(text.end(), &line);
    nlohmann::json::sax_parse(begin, end, this);
  }

  std::map<std::string, unsigned, std::less<>> lines;
  std::optional<std::string> repeatedKey;
  std::string syntaxError;
  unsigned line = 1; // where the error is, after one

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t &) override { return value(); }
  bool string(string_t &) override { return value(); }
  bool binary(binary_t &) override { return value(); }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t &key) override {
    if (levels.size() > kMostLevels)
      return true;
    levels.back().member = levels.back().pointer + "/" + pointerToken(key);
    const std::string &pointer = *levels.back().member;
    if (!lines.insert_or_assign(pointer, line).second && !repeatedKey)
      repeatedKey = pointer;
    return true;
  }

  bool parse_error(std::size_t byte, const std::string &token, const nlohmann::json::exception &error) override {
    // The error is found on the character before `byte`; a missing end is told on the last line.
    std::size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
    line = 1 + static_cast<unsigned>(llvm::count(text.substr(0, end), '\n'));
    if (dynamic_cast<const nlohmann::json::out_of_range *>(&error)) {
      syntaxError = "number too large: " + token;
      return false;
    }
    // "[json.exception...] parse error at line 3, column 5: syntax error ...": what stands behind the place.
    std::string message = error.what();
    std::size_t column = message.find("column ");
    std::size_t colon = message.find(": ", column == std::string::npos ? 0 : column);
    syntaxError = "malformed JSON: " + (colon == std::string::npos ? message : message.substr(colon + 2));
    return false;
  }

private:
  struct Level {
    std::string pointer;
    std::optional<std::string> member; // of an object: the pointer of the member that is read
    std::size_t next = 0;              // of an array: the index of the next element
  };

  /// Records an element of an array, or the root; a member was recorded with its key. Returns its pointer.
  std::string begin() {
    if (levels.empty())
      return lines.emplace("", line), std::string();
    Level &level = levels.back();
    if (level.member)
      return *level.member;
    std::string pointer = level.pointer + "/" + std::to_string(level.next++);
    lines.emplace(pointer, line);
    return pointer;
  }
  bool value() {
    if (levels.size() <= kMostLevels)
      begin();
    return true;
  }
  bool open() {
    levels.push_back({levels.size() <= kMostLevels ? begin() : std::string(), std::nullopt, 0});
    return true;
  }
  bool close() {
    levels.pop_back();
    return true;
  }

  std::string_view text;
  std::vector<Level> levels;
};

/// Appends the pointer of `wanted` within `value` to `pointer`, if it is there.
bool appendPointer(const nlohmann::json &value, const nlohmann::json &wanted, std::string &pointer,
                   std::size_t levels) {
  if (&value == &wanted)
    return true;
  if (levels == 0)
    return false;
  const std::size_t length = pointer.size();
  auto inside = [&](const nlohmann::json &part, const std::string &token) {
    pointer += "/" + token;
    if (appendPointer(part, wanted, pointer, levels - 1))
      return true;
    pointer.resize(length);
    return false;
  };
  if (value.is_object()) {
    for (const auto &[key, part] : value.items())
      if (inside(part, pointerToken(key)))
        return true;
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      if (inside(value[i], std::to_string(i)))
        return true;
  }
  return false;
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
  if (!document.value.is_discarded())
    return document;
  PlaceFinder places(text);
  return llvm::createStringError(llvm::Twine(name) + ":" + llvm::Twine(places.line) + ": " + places.syntaxError);
}

llvm::Expected<JsonDocument> JsonDocument::parse(std::string_view text, std::string_view name) {
  if (std::size_t nul = text.find('\0'); nul != std::string_view::npos) // the parser would end the file there
    return llvm::createStringError(llvm::Twine(name) + ":" + llvm::Twine(1 + llvm::count(text.substr(0, nul), '\n')) +
                                   ": malformed JSON: it holds a NUL byte");
  llvm::Expected<JsonDocument> document = read(text, name);
  if (!document)
    return document;
  document->ownText = text;
  if (std::optional<std::string> twice = PlaceFinder(text).repeatedKey)
    return llvm::createStringError(document->messageAt(*twice, "the key is written twice"));
  return document;
}

llvm::Expected<JsonDocument> JsonDocument::builtIn(std::string_view text, std::string_view name) {
  llvm::Expected<JsonDocument> document = read(text, name);
  if (document)
    document->kept = text;
  return document;
}

JsonNode JsonDocument::root() { return JsonNode(*this, &value); }

llvm::Error JsonDocument::problem() const { return failed() ? llvm::createStringError(noted) : llvm::Error::success(); }

std::string JsonDocument::messageAt(std::string_view pointer, const llvm::Twine &message) const {
  std::string place = name + ":" + std::to_string(lineOf(pointer)) + ": ";
  if (!pointer.empty())
    place += beginOf(pointer, kLongestPointer) + ": ";
  return (place + message).str();
}

std::string JsonDocument::pointerOf(const nlohmann::json &wanted) const {
  std::string pointer;
  appendPointer(value, wanted, pointer, kMostLevels);
  return pointer;
}

unsigned JsonDocument::lineOf(std::string_view pointer) const {
  const PlaceFinder places(kept.empty() ? std::string_view(ownText) : kept);
  while (true) {
    if (auto found = places.lines.find(pointer); found != places.lines.end())
      return found->second;
    if (pointer.empty())
      return 1;
    pointer = pointer.substr(0, pointer.rfind('/'));
  }
}

void JsonNode::fail(const llvm::Twine &message) const {
  if (value && !document->failed())
    document->noted = document->messageAt(document->pointerOf(*value), message);
}

unsigned JsonNode::line() const { return value ? document->lineOf(document->pointerOf(*value)) : 1; }

void JsonNode::wrongType(const llvm::Twine &expected) const {
  if (value)
    fail("expected " + expected + ", found " + article(*value));
}

JsonNode JsonNode::find(llvm::StringRef key) const {
  if (value && !isObject())
    wrongType("an object");
  if (!isObject())
    return JsonNode(*document, nullptr);
  auto found = value->find(key.str());
  return JsonNode(*document, found == value->end() ? nullptr : &*found);
}

JsonNode JsonNode::at(llvm::StringRef key) const {
  JsonNode member = find(key);
  if (!member)
    fail("missing key '" + key + "'");
  return member;
}

void JsonNode::allowKeys(Names known) const {
  if (!isObject())
    return wrongType("an object");
  for (const auto &[key, unused] : value->items())
    if (!llvm::is_contained(known, llvm::StringRef(key)) && !document->failed())
      find(key).fail("unknown key '" + beginOf(key, kLongestQuoted) + "'" +
                     suggestName(key, {known.begin(), known.end()}));
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  std::vector<std::pair<std::string, JsonNode>> members;
  if (!isObject())
    wrongType("an object");
  else
    for (const auto &[key, member] : value->items())
      members.emplace_back(key, JsonNode(*document, &member));
  return members;
}

std::vector<JsonNode> JsonNode::items(std::size_t least, std::size_t most) const {
  std::vector<JsonNode> nodes;
  if (!isArray()) {
    wrongType("an array");
    return nodes;
  }
  for (const nlohmann::json &element : *value)
    nodes.push_back(JsonNode(*document, &element));
  if (nodes.size() >= least && nodes.size() <= most)
    return nodes;
  if (least == most)
    fail("expected an array of " + llvm::Twine(least) + ", found " + llvm::Twine(nodes.size()) + " elements");
  else
    fail(nodes.empty() && least == 1 ? "expected at least one element"
                                     : "expected an array of at least " + std::to_string(least) + ", found " +
                                           std::to_string(nodes.size()) + " elements");
  return {};
}

std::string JsonNode::anyText() const {
  if (isString())
    return value->get<std::string>();
  wrongType("a string");
  return {};
}

std::string JsonNode::text() const {
  std::string text = anyText();
  if (text.empty() && isString())
    fail("expected a string that is not empty");
  return text;
}

std::vector<std::string> JsonNode::texts() const {
  std::vector<std::string> texts;
  for (const JsonNode &item : items())
    texts.push_back(item.text());
  return texts;
}

std::string JsonNode::name(llvm::StringRef what, llvm::function_ref<bool(llvm::StringRef)> valid) const {
  std::string given = text();
  if (value && !valid(given))
    fail("'" + beginOf(given, kLongestQuoted) + "' is no " + what);
  return given;
}

std::vector<std::string> JsonNode::names(llvm::StringRef what, llvm::function_ref<bool(llvm::StringRef)> valid,
                                         std::size_t least) const {
  std::vector<std::string> names;
  for (const JsonNode &item : items(least)) {
    std::string name = item.name(what, valid);
    if (llvm::is_contained(names, name))
      item.fail("'" + beginOf(name, kLongestQuoted) + "' is listed twice");
    names.push_back(std::move(name));
  }
  return names;
}

namespace {

/// Returns "'a', 'b', 'c'".
std::string threeNearest(llvm::StringRef name, JsonNode::Names words) {
  std::vector<std::pair<unsigned, llvm::StringRef>> nearest;
  for (llvm::StringRef word : words)
    nearest.emplace_back(name.edit_distance(word), word);
  std::sort(nearest.begin(), nearest.end());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, nearest.size()); ++i)
    text += (text.empty() ? "'" : ", '") + nearest[i].second.str() + "'";
  return text;
}

} // namespace

std::string JsonNode::word(Names words) const {
  // Beyond that many, a list helps nobody.
  constexpr std::size_t kMostListed = 16;
  std::string given = text();
  if (!value || document->failed() || llvm::is_contained(words, llvm::StringRef(given)))
    return given;
  std::string message = "unknown value '" + beginOf(given, kLongestQuoted) + "'", all;
  for (llvm::StringRef word : words)
    all += (all.empty() ? "expected one of '" : ", '") + word.str() + "'";
  std::optional<std::string> nearest = nearestName(given, {words.begin(), words.end()});
  if (nearest)
    message += "; did you mean '" + *nearest + "'?";
  if (words.size() <= kMostListed)
    message += (nearest ? " (" : "; ") + all + (nearest ? ")" : "");
  else if (!nearest)
    message += "; the nearest of " + std::to_string(words.size()) + " known ones are " + threeNearest(given, words);
  fail(message);
  return {};
}

/// Notes that the value is no whole number of 64 bits.
void JsonNode::noteNoInteger() const {
  constexpr double kBeyond = 9223372036854775808.0;
  const double number = value->is_number() ? value->get<double>() : 0;
  if (!value->is_number() || number != std::floor(number))
    return wrongType("a whole number");
  if (std::fabs(number) >= kBeyond)
    return fail("expected a whole number, found a number beyond 64 bits");
  fail("expected a whole number, found " + value->dump() + "; write " +
       std::to_string(static_cast<std::int64_t>(number)));
}

std::int64_t JsonNode::integer(std::int64_t least, std::int64_t most, std::int64_t otherwise) const {
  if (!value)
    return otherwise;
  bool fits = value->is_number_integer() &&
              (!value->is_number_unsigned() || value->get<std::uint64_t>() <= std::uint64_t(INT64_MAX));
  if (!fits) {
    noteNoInteger();
    return otherwise;
  }
  auto number = value->get<std::int64_t>();
  if (number >= least && number <= most)
    return number;
  std::string expected = least == most ? std::to_string(least)
                         : most == INT64_MAX
                             ? "a whole number of at least " + std::to_string(least)
                             : "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  fail("expected " + expected + ", found " + std::to_string(number));
  return otherwise;
}

double JsonNode::number(Bound bound, double least, double most) const {
  if (!value)
    return least;
  if (value->is_number()) {
    double number = value->get<double>();
    if ((bound == Bound::Above ? number > least : number >= least) && number <= most)
      return number;
  }
  std::string found = value->is_number() ? value->dump() : article(*value);
  auto shown = [](double limit) { // "1", not "1.0"
    return limit == std::floor(limit) ? std::to_string(static_cast<std::int64_t>(limit)) : nlohmann::json(limit).dump();
  };
  fail("expected a number " + std::string(bound == Bound::Above ? "above " : "of at least ") + shown(least) +
       (std::isinf(most) ? "" : " and at most " + shown(most)) + ", found " + found);
  return bound == Bound::Above ? least + 1 : least;
}

bool JsonNode::boolean() const {
  if (value && !value->is_boolean())
    wrongType("true or false");
  return value && value->is_boolean() && value->get<bool>();
}

void JsonNode::allowNoRepeats() const {
  if (!isArray())
    return;
  for (auto element = value->begin(); element != value->end(); ++element)
    if (std::find(value->begin(), element, *element) != element)
      JsonNode(*document, &*element).fail("is listed twice");
}

bool isIdentifier(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

} // namespace ptosync
