// The schemas of what the tool writes and reads as JSON: its documents keep to them, and they have the right version.
#include "audit/audit_report.h"
#include "audit/config.h"
#include "audit/finding.h"
#include "explain/call_effects.h"
#include "explain/explain_report.h"
#include "explain/memory_budget.h"
#include "report/json_report.h"
#include "report/kernel_table.h"
#include "report/schema_check.h"
#include "tool/process.h"

#include <nlohmann/json.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string schemaFile(const std::string &name) { return "../../docs/schemas/" + name + ".json"; }

/// Checks a document of the tool against its schema, and that a key that the schema does not know is refused.
void keeps(const std::string &text, const std::string &schema) {
  CAPTURE(schema);
  nlohmann::json document = nlohmann::json::parse(text);
  CHECK(schemaViolations(document, schemaFile(schema)) == "");
  document["unknownKey"] = nlohmann::json::object();
  CHECK(schemaViolations(document, schemaFile(schema)) != "");
}

int versionOf(const std::string &file) {
  const nlohmann::json schema = nlohmann::json::parse(readText(std::string(PTOSYNC_SOURCE_DIR) + "/" + file));
  const int version = schema["properties"]["schema"]["const"];
  CHECK(contains(schema["title"], "schema " + std::to_string(version)));
  return version;
}

} // namespace

TEST_CASE("schemas: what the tool writes keeps to them", "[tool]") {
  Workshop workshop;
  const std::string kernel = corpusPath("flash_attention/kernel.cpp"),
                    broken = std::string(PTOSYNC_SOURCE_DIR) + "/tests/broken";
  keeps(workshop
            .ptosync("audit " + corpusPath("unbalanced_flags/kernel.cpp") + " " + kernel +
                     " --severity=note --format=json")
            .out,
        "audit");
  workshop.ptosync("audit " + corpusPath("unbalanced_flags/kernel.cpp") + " --baseline=b.json --write-baseline");
  keeps(workshop.read("b.json"), "baseline");
  REQUIRE(workshop.ptosync("opt " + kernel + " -o out.cpp -q --table=t.json --cost").exitCode == 0);
  keeps(workshop.read("t.json"), "table");
  keeps(workshop.ptosync("fix " + broken + "/missing_flag/kernel.cpp --arch=a3 --format=json").out, "table");
  workshop.ptosync("audit " + kernel + " --table=a.json");
  keeps(workshop.read("a.json"), "table");
  keeps(workshop.ptosync("verify " + kernel + " out.cpp --format=json").out, "verify");
  workshop.shell("grep -v pipe_barrier " + kernel + " >less.cpp");
  keeps(workshop.ptosync("verify " + kernel + " less.cpp --format=json").out, "verify");
  for (const char *line : {"418", "483", "498", "502", "v60"})
    keeps(workshop.ptosync("explain " + kernel + ":" + line + " --format=json").out, "explain");
  keeps(workshop.ptosync("explain out.cpp:502 --format=json").out, "explain");
  keeps(workshop.ptosync("explain " + kernel + ":418 --needed --format=json").out, "explain");
  keeps(workshop.ptosync("explain --memory " + kernel + " --format=json").out, "memory");
  keeps(workshop.ptosync("model --calls=" + kernel + " --format=json").out, "calls");
}

TEST_CASE("schemas: they have the versions that the tool writes", "[tool]") {
  CHECK(versionOf("docs/schemas/audit.json") == kAuditJsonSchema);
  CHECK(versionOf("docs/schemas/explain.json") == kExplainJsonSchema);
  CHECK(versionOf("docs/schemas/memory.json") == kMemoryJsonSchema);
  CHECK(versionOf("docs/schemas/calls.json") == kCallJsonSchema);
  CHECK(versionOf("docs/schemas/table.json") == kTableSchema);
  CHECK(versionOf("src/report/schema.json") == kJsonReportSchema);
}

TEST_CASE("schemas: a configuration is what the reader takes, key by key", "[tool]") {
  const nlohmann::json schema =
      nlohmann::json::parse(readText(std::string(PTOSYNC_SOURCE_DIR) + "/docs/schemas/config.json"));
  nlohmann::json rules = nlohmann::json::object();
  for (const FindingRule &rule : findingRules())
    rules[std::string(rule.id)] = "note";
  const nlohmann::json samples = {{"arch", "a5"},           {"trust", "library"},      {"chain", "assembler"},
                                  {"severity", "error"},    {"rules", rules},          {"baseline", "b.json"},
                                  {"patterns", {"gu"}},     {"include", {"x"}},        {"define", {"N=4"}},
                                  {"undefine", {"M"}},      {"exclude", {"old_*"}},    {"gm-may-alias", true},
                                  {"strict-copies", false}, {"a5-vector-order", true}, {"m-accumulate-order", true}};
  CHECK(schema["properties"].size() == samples.size());
  for (const auto &[key, value] : samples.items()) {
    CAPTURE(key);
    for (const nlohmann::json &tried : {value, nlohmann::json(7)}) {
      const nlohmann::json config = {{key, tried}};
      llvm::Expected<AuditConfig> read = parseConfig(config.dump(), "c.json");
      CHECK(bool(read) == (schemaViolations(config, schemaFile("config")) == ""));
      CHECK(bool(read) == (tried == value));
      if (!read)
        llvm::consumeError(read.takeError());
    }
  }
}

TEST_CASE("schemas: the built-in durations keep to theirs", "[tool]") {
  for (const char *file : {"src/timing/cost_a3.json", "src/timing/cost_a5.json"})
    keeps(readText(std::string(PTOSYNC_SOURCE_DIR) + "/" + file), "durations");
}
