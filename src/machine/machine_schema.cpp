#include "machine/machine_schema.h"

#include "json/json_document.h"

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ptosync {

const std::vector<std::pair<std::string_view, std::string_view>> &embeddedMachineFiles();

namespace {

nlohmann::json embedded(std::string_view name) {
  for (const auto &[file, content] : embeddedMachineFiles())
    if (file == name)
      return nlohmann::json::parse(content.begin(), content.end());
  return {};
}

/// What the schema is for: an overlay with what it says nothing of.
nlohmann::json wholeOf(const nlohmann::json &document) {
  if (!document.is_object() || !document.contains("overlays") || !document["overlays"].is_string())
    return document;
  nlohmann::json whole = embedded(document["overlays"].get<std::string>() + ".json");
  whole["rules"] = document.value("rules", nlohmann::json::array());
  if (document.contains("instructions") && !document["instructions"].empty())
    whole["instructions"] = document["instructions"];
  return whole;
}

/// "<root>", "[rules]", "[0]" as "/rules/0".
std::string pointerOf(const std::vector<std::string> &context) {
  std::string pointer;
  for (const std::string &part : context)
    if (part.size() > 2 && part.front() == '[')
      pointer += "/" + escapePointerToken(part.substr(1, part.size() - 2));
  return pointer;
}

} // namespace

llvm::Error checkMachineSchema(std::string_view text, std::string_view name) {
  llvm::Expected<JsonDocument> document = JsonDocument::parse(text, name);
  if (!document)
    return document.takeError();
  nlohmann::json schemaText = embedded("schema.json"), whole = wholeOf(document->json());
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schemaText), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(whole), &results))
    return llvm::Error::success();
  // The last entry is the outermost; the first names the actual place.
  valijson::ValidationResults::Error error;
  std::string place = "/", cause;
  if (results.popError(error)) {
    place = pointerOf(error.context);
    cause = ": " + error.description;
  }
  return document->error(place, "does not fit the machine schema" + cause);
}

} // namespace ptosync
