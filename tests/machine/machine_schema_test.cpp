#include "machine/machine_schema.h"

#include "support/corpus.h"
#include "json/json_positions.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <functional>

using namespace ptosync;
using nlohmann::json;

namespace {

std::string sourceOf(const std::string &arch) {
  return test::readText(std::string(PTOSYNC_SOURCE_DIR) + "/src/machine/" + arch + ".json");
}

std::string problem(const std::string &text) {
  llvm::Error error = checkMachineSchema(text, "m.json");
  return error ? llvm::toString(std::move(error)) : "fits";
}

/// The message after `spoil` has changed the built-in file of a3.
std::string schemaFailure(const std::function<void(json &)> &spoil) {
  static const json document = json::parse(sourceOf("a3"));
  json changed = document;
  spoil(changed);
  return problem(changed.dump());
}

json &form(json &document, const char *name) { return document["instructions"][name]["forms"][0]; }

} // namespace

TEST_CASE("both built-in machine files fit the schema") {
  CHECK(problem(sourceOf("a3")) == "fits");
  CHECK(problem(sourceOf("a5")) == "fits");
}

TEST_CASE("the schema check refuses text that is not JSON") {
  CHECK(problem("{").rfind("m.json:1: malformed JSON: ", 0) == 0);
  CHECK(problem("").rfind("m.json:1: malformed JSON: ", 0) == 0);
}

TEST_CASE("a broken machine file does not fit, and the message names the file") {
  const std::pair<const char *, std::function<void(json &)>> spoiled[] = {
      {"no instructions", [](json &m) { m.erase("instructions"); }},
      {"an unknown key", [](json &m) { m["pipe"] = 1; }},
      {"another architecture", [](json &m) { m["arch"] = "a4"; }},
      {"another schema", [](json &m) { m["schema"] = 2; }},
      {"an unknown pipe", [](json &m) { form(m, "TADD")["pipes"] = {"PIPE_X"}; }},
      {"PIPE_ALL as an instruction's pipe", [](json &m) { form(m, "TADD")["pipes"] = {"PIPE_ALL"}; }},
      {"an unknown role", [](json &m) { form(m, "TADD")["operands"][0]["role"] = "writes"; }},
      {"an unknown operand key", [](json &m) { form(m, "TADD")["operands"][0]["rôle"] = "write"; }},
      {"an unknown fence", [](json &m) { form(m, "TADD")["fence"] = "some"; }},
      {"an unknown condition", [](json &m) { form(m, "TADD")["when"] = {{"dst.colour", "red"}}; }},
      {"an unknown location", [](json &m) { form(m, "TADD")["when"] = {{"dst.location", "Vector"}}; }},
      {"a flag id past the last", [](json &m) { form(m, "TADD")["flags"] = {{"PIPE_V", "PIPE_S", 8}}; }},
      {"an exception nobody tests for", [](json &m) { form(m, "TROWSUM")["libraryUnless"] = "monday"; }},
      {"no forms", [](json &m) { m["instructions"]["TADD"]["forms"] = json::array(); }},
      {"an unknown rule", [](json &m) { m["rules"][0]["id"] = "luck"; }},
      {"a rule without evidence", [](json &m) { m["rules"][0].erase("evidence"); }},
      {"an unknown use", [](json &m) { m["rules"][0]["use"] = "justifies"; }},
  };
  for (const auto &[what, spoil] : spoiled) {
    CAPTURE(what);
    CHECK(schemaFailure(spoil).find(": does not fit the machine schema: ") != std::string::npos);
  }
}

TEST_CASE("a rule of grade C or D must not justify") {
  for (const char *grade : {"C", "D"}) {
    auto spoil = [&](json &m) {
      for (json &rule : m["rules"])
        if (rule["use"] == "justify")
          rule["grade"] = grade;
    };
    CHECK(schemaFailure(spoil).find(": does not fit the machine schema: ") != std::string::npos);
  }
}

TEST_CASE("the message says where the file does not fit") {
  CHECK(schemaFailure([](json &m) { m["flags"]["ids"] = 0; }).find(": /flags/ids: ") != std::string::npos);
  CHECK(schemaFailure([](json &m) { m["rules"][2]["use"] = "justifies"; }).find(": /rules/2/use: ") !=
        std::string::npos);
}

TEST_CASE("what does not fit is named by line and pointer", "[machine_schema]") {
  json document = json::parse(sourceOf("a3"));
  document["rules"][1]["colour"] = "red";
  std::string text = document.dump(1), message = problem(text);
  JsonPositions places = JsonPositions::scan(text);
  CHECK(message.rfind("m.json:" + std::to_string(places.line("/rules/1").value()) + ": /rules/1: does not fit", 0) ==
        0);
  CHECK(message.find("colour") != std::string::npos);
}

TEST_CASE("an overlay fits by what it says", "[machine_schema]") {
  json overlay = {{"schema", 1}, {"overlays", "a5"}};
  CHECK(problem(overlay.dump()) == "fits");
  overlay["instructions"]["TCLAMP"] = json::parse(sourceOf("a5"))["instructions"]["TADD"];
  CHECK(problem(overlay.dump()) == "fits");
  form(overlay, "TCLAMP")["colour"] = "red";
  CHECK(problem(overlay.dump()).rfind("m.json:1: /instructions/TCLAMP/forms/0", 0) == 0);
}
