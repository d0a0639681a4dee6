// Every pattern file in patterns/ against the reader, the published schema and the documentation, and the
// reader against the schema: what the schema refuses, the reader refuses.
#include "patterns/catalogue.h"
#include "patterns/pattern_reader.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace ptosync;

namespace {

std::string fileText(const std::string &path) {
  std::ifstream stream(std::string(PTOSYNC_SOURCE_DIR) + "/" + path, std::ios::binary);
  REQUIRE(stream.good());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The names of the pattern files; each pattern's text as it stands there.
std::map<std::string, std::string> shippedPatterns() {
  std::map<std::string, std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(PTOSYNC_SOURCE_DIR "/patterns"))
    if (std::string name = entry.path().filename().string(); entry.path().extension() == ".json" && name != "schema.json")
      files[name] = fileText("patterns/" + name);
  return files;
}

class Schema {
public:
  Schema() : json(nlohmann::json::parse(fileText("patterns/schema.json"))) {
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(json), schema);
  }

  /// Empty if `document` is valid, otherwise the first complaint.
  std::string complaint(const nlohmann::json &document) const {
    valijson::Validator validator;
    valijson::ValidationResults results;
    if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results))
      return "";
    valijson::ValidationResults::Error error;
    if (!results.popError(error))
      return "invalid";
    std::string text;
    for (const std::string &part : error.context)
      text += part;
    return text + ": " + error.description;
  }

private:
  nlohmann::json json;
  valijson::Schema schema;
};

bool readerAccepts(const nlohmann::json &document) {
  llvm::Expected<Pattern> pattern = parsePattern(document.dump(1), "pattern.json");
  if (pattern)
    return true;
  llvm::consumeError(pattern.takeError());
  return false;
}

/// A heading's anchor, as the usual Markdown renderers make it.
std::string anchorOf(const std::string &heading) {
  std::string anchor;
  for (char character : heading.substr(heading.find_first_not_of("# "))) {
    if (character == ' ')
      anchor += '-';
    else if (std::isalnum(static_cast<unsigned char>(character)) || character == '-' || character == '_')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  }
  return anchor;
}

} // namespace

TEST_CASE("every shipped pattern passes the reader and the schema", "[patterns]") {
  Schema schema;
  for (const auto &[fileName, text] : shippedPatterns()) {
    INFO(fileName);
    llvm::Expected<Pattern> pattern = parsePattern(text, fileName);
    CHECK((pattern ? "" : llvm::toString(pattern.takeError())) == "");
    CHECK(schema.complaint(nlohmann::json::parse(text)) == "");
  }
}

TEST_CASE("what the build embeds of the patterns is what their files say", "[patterns]") {
  const std::map<std::string, std::string> files = shippedPatterns();
  REQUIRE(embeddedPatterns().size() == 2 * files.size());
  std::map<std::string, nlohmann::json> embedded;
  for (const auto &[name, text] : embeddedPatterns()) {
    const std::string_view fileName = name.substr(0, name.find('#'));
    if (fileName == name)
      embedded[std::string(fileName)].update(nlohmann::json::parse(text));
    else
      embedded[std::string(fileName)]["cases"] = nlohmann::json::parse(text);
  }
  for (const auto &[fileName, text] : files)
    CHECK(embedded[fileName] == nlohmann::json::parse(text));
}

TEST_CASE("a shipped pattern is in the file of its name and is documented", "[patterns]") {
  std::string documentation = fileText("docs/patterns.md");
  std::string headings = "\n";
  std::istringstream lines(documentation);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("#", 0) == 0)
      headings += anchorOf(line) + "\n";
  for (const auto &[fileName, text] : shippedPatterns()) {
    Pattern pattern = llvm::cantFail(parsePattern(text, fileName));
    INFO(fileName);
    CHECK(std::filesystem::path(fileName).filename() == pattern.id + ".json");
    CHECK(pattern.docs == "docs/patterns.md#" + pattern.id);
    CHECK(headings.find("\n" + pattern.id + "\n") != std::string::npos);
  }
}

TEST_CASE("the reader refuses what the schema refuses", "[patterns]") {
  Schema schema;
  using Json = nlohmann::json;
  const Json good = Json::parse(fileText("patterns/gu.json"));
  REQUIRE(schema.complaint(good) == "");
  REQUIRE(readerAccepts(good));
  // A value at a pointer; null takes the member away.
  const std::vector<std::pair<std::string, Json>> changes = {
      {"/id", nullptr}, {"/schema", nullptr}, {"/minimumTool", nullptr}, {"/title", nullptr}, {"/arch", nullptr},
      {"/trust", nullptr}, {"/match", nullptr}, {"/action", nullptr}, {"/explanation", nullptr}, {"/docs", nullptr},
      {"/cases", nullptr}, {"/match/pipe", nullptr}, {"/match/sequence", nullptr}, {"/cases/0/name", nullptr},
      {"/cases/0/expect", nullptr}, {"/cases/0/kernel", nullptr},
      {"/new", 1}, {"/match/new", 1}, {"/match/sequence/0/new", 1}, {"/cases/0/new", 1},
      {"/id", "Gu"}, {"/id", "a--b"}, {"/id", "a-"}, {"/id", ""}, {"/id", 1}, {"/aliases", Json::array()},
      {"/aliases", {"a", "a"}}, {"/schema", 2}, {"/schema", "1"}, {"/minimumTool", "1"}, {"/minimumTool", "0.1.x"},
      {"/title", ""}, {"/arch", Json::array()}, {"/arch", {"a4"}}, {"/arch", {"a3", "a3"}}, {"/trust", "none"},
      {"/priority", "1"}, {"/priority", 1001}, {"/priority", -1001}, {"/action", "add"}, {"/docs", false},
      {"/match/pipe", "V"}, {"/match/sequence", Json::array()}, {"/match/sequence", {{{"instruction", "TADD"}}}},
      {"/match/sequence/0", Json::object()}, {"/match/sequence/0", "TADD"},
      {"/match/sequence/0/instruction", "T ADD"}, {"/match/sequence/0/instruction", Json::array()},
      {"/match/sequence/0/instruction", {"TADD", "TADD"}}, {"/match/sequence/0/instruction", "1T"},
      {"/match/sequence/0/operands", Json::array()}, {"/match/sequence/0/operands/0", "X"},
      {"/match/sequence/0/operands/0", "**"}, {"/match/sequence/0/barrier", "PIPE_V"},
      {"/match/sequence/1/syncs", Json::array()}, {"/match/sequence/1/syncs", {"set_flag", "set_flag"}},
      {"/match/sequence/1/syncs", {"set"}}, {"/match/sequence/1/optional", 1},
      {"/match/sequence/1", {{"others", false}}}, {"/match/sequence/1", {{"others", true}, {"optional", true}}},
      {"/cases", Json::array()}, {"/cases/0/expect", "maybe"}, {"/cases/0/options", {"x"}},
      {"/cases/0/options", Json::array()}, {"/cases/0/kernel", Json::array()}, {"/cases/0/kernel/0", "a\nb"},
      {"/cases/0/kernel/0", ""}};
  for (const auto &[pointer, value] : changes) {
    Json changed = good;
    Json::json_pointer place(pointer);
    if (value.is_null())
      changed[place.parent_pointer()].erase(place.back());
    else
      changed[place] = value;
    INFO(pointer << " = " << value.dump());
    CHECK(schema.complaint(changed) != "");
    CHECK_FALSE(readerAccepts(changed));
  }
}

TEST_CASE("one expectation is not enough for reader and schema", "[patterns]") {
  Schema schema;
  for (const char *only : {"fire", "silent"}) {
    nlohmann::json changed = nlohmann::json::parse(fileText("patterns/gu.json"));
    for (nlohmann::json &one : changed["cases"])
      one["expect"] = only;
    CHECK(schema.complaint(changed) != "");
    CHECK_FALSE(readerAccepts(changed));
  }
}

TEST_CASE("the reader refuses of a rewrite what the schema refuses", "[patterns]") {
  Schema schema;
  using Json = nlohmann::json;
  const Json good = Json::parse(fileText("patterns/fifo-local-slots.json"));
  REQUIRE(schema.complaint(good) == "");
  REQUIRE(readerAccepts(good));
  const std::vector<std::pair<std::string, Json>> changes = {
      {"/kind", "sync"}, {"/kind", "other"}, {"/kind", nullptr}, {"/bounds", nullptr}, {"/bounds", Json::object()},
      {"/bounds/new", 1}, {"/bounds/localSlots/atLeast", 0}, {"/bounds/localSlots/atMost", 65},
      {"/bounds/localSlots/atMost", "8"}, {"/match", {{"flag", Json::object()}}}, {"/match", Json::object()},
      {"/match/fifo/new", 1}, {"/match/fifo/directions", Json::array()}, {"/match/fifo/directions", {"C2V"}},
      {"/match/fifo/localSlots/atLeast", 0}, {"/match/fifo/localSlots/atMost", 2}, {"/action", "remove-web"}};
  for (const auto &[pointer, value] : changes) {
    Json copy = good;
    Json::json_pointer place(pointer);
    if (value.is_null())
      copy.at(place.parent_pointer()).erase(place.back());
    else
      copy[place] = value;
    INFO(pointer << " " << value.dump());
    CHECK(schema.complaint(copy) != "");
    CHECK_FALSE(readerAccepts(copy));
  }
}
