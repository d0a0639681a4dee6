#include "machine/machine_schema.h"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ptosync {

const std::vector<std::pair<std::string_view, std::string_view>> &embeddedMachineFiles();

llvm::Error checkMachineSchema(std::string_view text, std::string_view name) {
  nlohmann::json document;
  try {
    document = nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::parse_error &error) {
    return llvm::createStringError(std::string(name) + ": not JSON: " + error.what());
  }
  nlohmann::json schemaText;
  for (const auto &[file, content] : embeddedMachineFiles())
    if (file == "schema.json")
      schemaText = nlohmann::json::parse(content.begin(), content.end());
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schemaText), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results))
    return llvm::Error::success();
  // The last entry is the outermost; the first names the actual place.
  valijson::ValidationResults::Error error;
  std::string message = std::string(name) + ": does not fit the machine schema";
  if (results.popError(error)) {
    message += ": ";
    for (const std::string &part : error.context)
      message += part;
    message += ": " + error.description;
  }
  return llvm::createStringError(message);
}

} // namespace ptosync
