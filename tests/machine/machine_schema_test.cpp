// The reader of machine files against the schema that editors use: what the one refuses, the other refuses.
//
// A table of broken files says so by name; a sweep breaks every value of the built-in head and of some instructions in
// turn. The reader may refuse more: a name that no operand of a form has, a rule without a parameter.
#include "machine/machine.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <functional>

namespace ptosync {
const std::vector<std::pair<std::string_view, std::string_view>> &embeddedMachineFiles();
} // namespace ptosync

using namespace ptosync;
using nlohmann::json;

namespace {

json fileOf(const std::string &name) {
  return json::parse(test::readText(std::string(PTOSYNC_SOURCE_DIR) + "/src/machine/" + name));
}

class Schema {
public:
  Schema() : text(fileOf("schema.json")) {
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
  }
  bool accepts(const json &document) const {
    return valijson::Validator(valijson::Validator::kStrongTypes)
        .validate(schema, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
  }

private:
  json text;
  valijson::Schema schema;
};

const Schema &machineSchema() {
  static const Schema schema;
  return schema;
}

/// Empty if the reader takes it.
std::string refusal(const json &document) {
  llvm::Expected<Machine> machine = Machine::parse(document.dump(1), "m.json");
  return machine ? "" : llvm::toString(machine.takeError());
}

json &form(json &document, const char *name) { return document["instructions"][name]["forms"][0]; }

/// The built-in file with these of its instructions alone.
json withInstructions(const std::string &file, const std::vector<std::string> &names) {
  json document = fileOf(file), all = document["instructions"];
  document["instructions"] = json::object();
  for (const std::string &name : names)
    document["instructions"][name] = all.at(name);
  return document;
}

/// Every way that the sweep breaks one value.
void forEachBreak(const json &value, const std::function<void(const json &)> &visit) {
  if (value.is_object()) {
    for (const auto &[key, part] : value.items()) {
      json without = value;
      without.erase(key);
      visit(without);
    }
    json more = value;
    more["colour"] = "red";
    visit(more);
  } else if (value.is_array()) {
    visit(json::array());
    json twice = value;
    if (!value.empty())
      twice.push_back(value.front());
    visit(twice);
    visit(value.empty() ? json(3) : value.front());
  } else {
    visit(value.is_string() ? json("n o t") : json("text"));
    visit(value.is_number() ? json(-1) : json(""));
    visit(json(1.5));
    visit(json(nullptr));
    visit(json::array({value}));
  }
}

void forEachPointer(const json &value, const json::json_pointer &at,
                    const std::function<void(const json::json_pointer &)> &visit) {
  visit(at);
  if (value.is_object())
    for (const auto &[key, part] : value.items())
      forEachPointer(part, at / key, visit);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      forEachPointer(value[i], at / i, visit);
}

struct Sweep {
  std::size_t broken = 0, refused = 0;
};

/// Breaks every `step`-th value of a file below `where` and holds the two against each other.
Sweep sweep(const json &document, const char *where, std::size_t step) {
  Sweep result;
  std::size_t number = 0;
  json changed = document;
  forEachPointer(document[json::json_pointer(where)], json::json_pointer(where), [&](const json::json_pointer &at) {
    if (number++ % step != 0)
      return;
    const json value = document[at];
    forEachBreak(value, [&](const json &other) {
      changed[at] = other;
      const bool fits = machineSchema().accepts(changed);
      const std::string message = refusal(changed);
      ++result.broken;
      result.refused += !message.empty();
      CAPTURE(at.to_string(), other.dump(), message);
      if (!fits)
        CHECK_FALSE(message.empty());
      // What the reader alone says: of names, of what a rule has to have, and of comparisons.
      if (fits && !message.empty())
        CHECK((message.find("has no operand") != std::string::npos ||
               message.find("/parameters: missing key") != std::string::npos ||
               message.find("/use: expected") != std::string::npos ||
               message.find("/sharedBetweenCores/spaces") != std::string::npos ||
               message.find("/assume: ") != std::string::npos || message.find("one for each of") != std::string::npos));
      if (!message.empty())
        CHECK(message.rfind("m.json:", 0) == 0);
    });
    changed[at] = value;
  });
  return result;
}

} // namespace

TEST_CASE("what the build embeds of a model is what its file says", "[machine]") {
  for (const char *name : {"a3.json", "a5.json"}) {
    const std::string part = std::string(name) + "#/instructions/";
    json whole, instructions;
    for (const auto &[embedded, text] : embeddedMachineFiles())
      if (embedded == name)
        whole = json::parse(text);
      else if (embedded.substr(0, part.size()) == part)
        instructions[std::string(embedded.substr(part.size()))] = json::parse(text);
    REQUIRE_FALSE(whole.contains("instructions"));
    whole["instructions"] = instructions;
    CHECK(whole == fileOf(name));
  }
}

TEST_CASE("both built-in machine files fit the schema, and the reader takes them") {
  for (const char *file : {"a3.json", "a5.json"}) {
    CHECK(machineSchema().accepts(fileOf(file)));
    CHECK(refusal(fileOf(file)) == "");
  }
}

TEST_CASE("a broken machine file is refused by schema and reader, and the message names the place") {
  struct Broken {
    const char *what;
    std::function<void(json &)> spoil;
    const char *message;
  };
  const Broken table[] = {
      {"no instructions", [](json &m) { m.erase("instructions"); }, ": missing key 'instructions'"},
      {"an unknown key", [](json &m) { m["pipe"] = 1; }, ": /pipe: unknown key 'pipe'; did you mean 'pipes'?"},
      {"another architecture", [](json &m) { m["arch"] = "a4"; }, ": /arch: unknown value 'a4'"},
      {"another schema", [](json &m) { m["schema"] = 2; }, ": /schema: expected 1, found 2"},
      {"no event ids", [](json &m) { m["flags"]["ids"] = 0; }, ": /flags/ids: expected a whole number from 1 to 64"},
      {"an unknown pipe", [](json &m) { form(m, "TADD")["pipes"] = {"PIPE_X"}; }, "/pipes/0: unknown value 'PIPE_X'"},
      {"PIPE_ALL as an instruction's pipe", [](json &m) { form(m, "TADD")["pipes"] = {"PIPE_ALL"}; },
       "/pipes/0: unknown value 'PIPE_ALL'"},
      {"an unknown role", [](json &m) { form(m, "TADD")["operands"][0]["role"] = "writes"; },
       "/operands/0/role: unknown value 'writes'; did you mean 'write'?"},
      {"an unknown operand key", [](json &m) { form(m, "TADD")["operands"][0]["rôle"] = "write"; }, ": unknown key 'r"},
      {"an unknown fence", [](json &m) { form(m, "TADD")["fence"] = "some"; }, "/fence: unknown value 'some'"},
      {"an unknown condition", [](json &m) { form(m, "TADD")["when"] = {{"dst.colour", "red"}}; },
       "/when/dst.colour: unknown condition 'dst.colour'"},
      {"an unknown location", [](json &m) { form(m, "TADD")["when"] = {{"dst.location", "Vector"}}; },
       "/when/dst.location: unknown value 'Vector'"},
      {"a flag id past the last", [](json &m) { form(m, "TADD")["flags"] = {{"PIPE_V", "PIPE_S", 8}}; },
       "/flags/0/2: expected a whole number from 0 to 7, found 8"},
      {"an exception nobody tests for", [](json &m) { form(m, "TROWSUM")["libraryUnless"] = "monday"; },
       "/libraryUnless: unknown value 'monday'"},
      {"an optional operand that is not", [](json &m) { form(m, "TADD")["operands"][0]["optional"] = false; },
       "/optional: expected true; leave the key out instead"},
      {"a step of nothing", [](json &m) { form(m, "TADD")["operands"][0]["reach"] = {{"step", 8}}; },
       "/reach/step: 'step' needs 'rowsOf'"},
      {"a repeat shorter than a block", [](json &m) { m["rules"][1]["parameters"]["repeatBytes"] = 3; },
       "/repeatBytes: expected a whole number from 32 to 1048576, found 3"},
      {"a reach that no sum holds",
       [](json &m) { form(m, "TROWSUM")["operands"][2]["reach"] = {{"bytes", std::int64_t{1} << 62}}; },
       "/reach/bytes: expected a whole number from 0 to 1073741824"},
      {"a share of a row that no product holds",
       [](json &m) {
         form(m, "TROWSUM")["operands"][2]["reach"] = {{"rowBytesOf", "src"}, {"rowShare", {INT64_MAX, 1}}};
       },
       "/rowShare/0: expected a whole number from 1 to 1048576"},
      {"a memory beyond all machines", [](json &m) { m["spaces"][0]["bytes"] = INT64_MAX; },
       "/spaces/0/bytes: expected a whole number from 0 to 1099511627776"},
      {"no forms", [](json &m) { m["instructions"]["TADD"]["forms"] = json::array(); },
       "/forms: expected at least one element"},
      {"a strange name", [](json &m) { m["instructions"]["T ADD"] = m["instructions"]["TADD"]; },
       ": 'T ADD' is no name of an instruction"},
      {"an unknown trait", [](json &m) { m["instructions"]["TADD"]["traits"] = {"copys"}; },
       "/traits/0: unknown value 'copys'; did you mean 'copies'?"},
      {"an unknown rule", [](json &m) { m["rules"][0]["id"] = "luck"; }, "/rules/0/id: unknown value 'luck'"},
      {"a rule without evidence", [](json &m) { m["rules"][0].erase("evidence"); },
       ": /rules/0: missing key 'evidence'"},
      {"an unknown use", [](json &m) { m["rules"][2]["use"] = "justifies"; }, ": /rules/2/use: unknown value"},
      {"a contested rule that justifies",
       [](json &m) { m["rules"][0]["grade"] = "C", m["rules"][0]["use"] = "justify"; },
       "/use: expected 'silence' for a rule of grade C"},
  };
  const json whole = withInstructions("a3.json", {"TADD", "TROWSUM"});
  REQUIRE(refusal(whole) == "");
  for (const auto &[what, spoil, message] : table) {
    json changed = whole;
    spoil(changed);
    CAPTURE(what);
    CHECK_FALSE(machineSchema().accepts(changed));
    CHECK_THAT(refusal(changed), Catch::Contains(message));
    CHECK(refusal(changed).rfind("m.json:", 0) == 0);
  }
}

TEST_CASE("whatever value of a machine file is broken, schema and reader agree", "[machine_schema]") {
  Sweep head = sweep(withInstructions("a3.json", {"TADD"}), "", 7);
  CHECK(head.broken > 200);
  CHECK(head.refused * 2 > head.broken);
  for (const char *name : {"TADD", "TMATMUL", "TROWSUM", "TPOP", "TGATHER", "TCI", "TMRGSORT"}) {
    Sweep one = sweep(withInstructions("a3.json", {name}), "/instructions", 9);
    CHECK(one.refused * 2 > one.broken);
  }
}

TEST_CASE("an overlay is judged by what it says", "[machine_schema]") {
  json overlay = {{"schema", 1}, {"overlays", "a5"}};
  CHECK(refusal(overlay) == "");
  overlay["instructions"]["TCLAMP"] = fileOf("a5.json")["instructions"]["TADD"];
  CHECK(refusal(overlay) == "");
  form(overlay, "TCLAMP")["colour"] = "red";
  CHECK_THAT(refusal(overlay), Catch::Contains(": /instructions/TCLAMP/forms/0/colour: unknown key 'colour'"));
}
