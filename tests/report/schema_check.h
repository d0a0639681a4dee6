// What one of the schemas beside the reports has against a document.
#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <fstream>
#include <string>

namespace ptosync::test {

/// Empty if nothing. `path`: of the schema.
inline std::string schemaViolationsOf(const nlohmann::json &document, const std::string &path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  nlohmann::json text = nlohmann::json::parse(file);
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
  valijson::ValidationResults results;
  valijson::Validator(valijson::Validator::kStrongTypes)
      .validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results);
  std::string all;
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    for (const std::string &step : error.context)
      all += step;
    all += ": " + error.description + "\n";
  }
  return all;
}

/// The same; `name`: of a file in src/report.
inline std::string schemaViolations(const nlohmann::json &document, const std::string &name) {
  return schemaViolationsOf(document, std::string(PTOSYNC_SOURCE_DIR) + "/src/report/" + name);
}

} // namespace ptosync::test
