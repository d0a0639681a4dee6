#include "machine/machine.h"

#include "machine/whole_model.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

using namespace ptosync;
using nlohmann::json;

namespace {

/// The smallest machine that says something about everything.
json sample() {
  return test::wholeModel(json::parse(R"({
    "schema": 1,
    "arch": "a3",
    "library": "some library",
    "pipes": ["PIPE_V"],
    "spaces": [{"name": "UB", "bytes": 1024, "tiles": ["Vec"]}, {"name": "GM", "bytes": 0, "tiles": []}],
    "barriers": [{"section": "vec", "pipes": ["PIPE_V", "PIPE_ALL"]}, {"section": "cube", "pipes": ["PIPE_M"]}],
    "flags": {"ids": 4},
    "rules": [
      {"id": "same-access-chain", "grade": "B", "use": "justify", "title": "t", "evidence": "e",
       "parameters": {"pipe": "PIPE_V", "minRepeats": 16, "repeatBytes": 256, "instructions": ["TADD", "TSUB"]}},
      {"id": "scalar-order", "grade": "C", "use": "silence", "title": "t", "evidence": "e", "parameters": {}},
      {"id": "l0c-read-read", "grade": "D", "use": "conflict", "title": "t", "evidence": "e", "parameters": {}}
    ],
    "instructions": {
      "TADD": {"forms": [
        {"operands": [{"name": "dst", "role": "write"}, {"name": "src", "role": "read"},
                      {"name": "tmp", "role": "scratch", "optional": true}],
         "when": {"dst.location": ["Vec", "Mat"], "src.type": "floating"}, "pipes": ["PIPE_V", "PIPE_S"],
         "hidden": [{"name": "scratch", "space": "UB", "offset": 512, "bytes": 64}],
         "library": [{"pipe": "PIPE_V", "reads": ["src"], "writes": ["scratch"]}, {"barrier": "PIPE_V"}],
         "libraryUnless": "short-row-reduce", "flags": [["PIPE_V", "PIPE_S", 3]]},
        {"operands": [], "pipes": [], "fence": "release", "assigns": "tensor"},
        {"operands": [], "pipes": [], "fence": "all", "assigns": "address"},
        {"operands": [], "pipes": [], "fence": "pipes"}
      ]}
    }
  })"));
}

Machine read(const json &document) { return llvm::cantFail(Machine::parse(document.dump(), "m.json")); }

/// The message after `spoil` has changed the sample.
std::string failure(const std::function<void(json &)> &spoil) {
  json document = sample();
  spoil(document);
  llvm::Expected<Machine> machine = Machine::parse(document.dump(), "m.json");
  return machine ? "no error" : llvm::toString(machine.takeError());
}

json &form(json &document) { return document["instructions"]["TADD"]["forms"][0]; }

} // namespace

TEST_CASE("a machine file is read in full") {
  Machine machine = read(sample());
  CHECK(machine.arch() == "a3");
  CHECK(machine.library() == "some library");
  CHECK(machine.flagIds() == 4);
  REQUIRE(machine.spaces().size() == 2);
  CHECK(machine.spaces()[0].name == "UB");
  CHECK(machine.spaces()[0].bytes == 1024);
  CHECK(machine.spaces()[0].tiles == std::vector<std::string>{"Vec"});
  CHECK(machine.barrierLegal(Section::Vec, Pipe::V));
  CHECK(machine.barrierLegal(Section::Vec, Pipe::All));
  CHECK_FALSE(machine.barrierLegal(Section::Vec, Pipe::M));
  CHECK(machine.barrierLegal(Section::Cube, Pipe::M));
  CHECK_FALSE(machine.barrierLegal(Section::Cube, Pipe::All));
}

TEST_CASE("rules keep their use and their parameters by kind") {
  Machine machine = read(sample());
  const MachineRule *chain = machine.rule("same-access-chain");
  REQUIRE(chain);
  CHECK(chain->use == RuleUse::Justify);
  CHECK(chain->grade == "B");
  CHECK(chain->text.at("pipe") == "PIPE_V");
  CHECK(chain->numbers.at("minRepeats") == 16);
  CHECK(chain->lists.at("instructions") == std::vector<std::string>{"TADD", "TSUB"});
  CHECK(machine.rule("scalar-order")->use == RuleUse::Silence);
  CHECK(machine.rule("l0c-read-read")->use == RuleUse::Conflict);
}

TEST_CASE("forms keep operands, conditions, pipes, hidden memory, phases and flags") {
  Machine machine = read(sample());
  REQUIRE(machine.instruction("TADD"));
  const std::vector<InstructionForm> &forms = machine.instruction("TADD")->forms;
  REQUIRE(forms.size() == 4);
  const InstructionForm &full = forms[0];
  REQUIRE(full.operands.size() == 3);
  CHECK(full.operands[0].role == OperandRole::Write);
  CHECK(full.operands[1].role == OperandRole::Read);
  CHECK(full.operands[2].role == OperandRole::Scratch);
  CHECK(full.operands[2].optional);
  CHECK(full.requiredOperands() == 2);
  CHECK(full.when.at("dst.location") == std::vector<std::string>{"Vec", "Mat"});
  CHECK(full.when.at("src.type") == std::vector<std::string>{"floating"}); // one word stands for a list of one
  CHECK(full.pipes.size() == 2);
  CHECK(full.pipes.contains(Pipe::S));
  REQUIRE(full.hidden.size() == 1);
  CHECK(full.hidden[0].offset == 512);
  CHECK(full.hidden[0].bytes == 64);
  REQUIRE(full.library.size() == 2);
  CHECK(full.library[0].writes == std::vector<std::string>{"scratch"});
  CHECK_FALSE(full.library[0].barrier);
  CHECK(full.library[1].barrier);
  CHECK(full.libraryUnless == "short-row-reduce");
  REQUIRE(full.flags.size() == 1);
  CHECK(full.flags[0].destination == Pipe::S);
  CHECK(full.flags[0].id == 3);
  CHECK(full.fence == FenceKind::None);
  CHECK(forms[1].fence == FenceKind::Release);
  CHECK(forms[1].assigns == Assigns::Tensor);
  CHECK(forms[2].fence == FenceKind::All);
  CHECK(forms[2].assigns == Assigns::Address);
  CHECK(forms[3].fence == FenceKind::Pipes);
}

TEST_CASE("an operand says by whose region the library goes over it") {
  json document = sample();
  json &operands = form(document)["operands"];
  operands[0]["walk"] = json::array({"src", {{"lines", "src"}}});
  operands[1]["walk"] = {{"rows", "dst.columns"}, {"columns", "dst"}};
  form(document)["publishes"] = {"GM"};
  document["instructions"]["TADD"]["templates"] = {"AtomicType", "Mode::Fast", "3"};
  Machine machine = read(document);
  const InstructionFacts &facts = *machine.instruction("TADD");
  CHECK(facts.templates == std::set<std::string>{"AtomicType", "Mode::Fast", "3"});
  CHECK(facts.forms[0].publishes == std::vector<std::string>{"GM"});
  const OperandFact &dst = facts.forms[0].operands[0], &src = facts.forms[0].operands[1];
  REQUIRE(dst.walks.size() == 2);
  CHECK(dst.walks[0].rows == "src");
  CHECK(dst.walks[0].columns == "src");
  CHECK(dst.walks[1].lines == "src");
  CHECK(dst.walks[1].rows.empty());
  REQUIRE(src.walks.size() == 1);
  CHECK(src.walks[0].rows == "dst");
  CHECK(src.walks[0].rowsAreColumns);
  CHECK(src.walks[0].columns == "dst");
  CHECK_FALSE(src.walks[0].columnsAreRows);
}

TEST_CASE("an operand says which others hold its index") {
  json document = sample();
  form(document)["operands"][0]["window"] = {{"of", "src"}, {"row", "tmp"}, {"column", "tmp"}};
  form(document)["operands"][1]["element"] = "tmp";
  const Machine machine = read(document);
  const InstructionForm &first = machine.instruction("TADD")->forms[0];
  REQUIRE(first.operands[0].window);
  CHECK(first.operands[0].window->of == "src");
  CHECK(first.operands[0].window->row == "tmp");
  CHECK(first.operands[1].element == "tmp");
  CHECK(failure([](json &m) { form(m)["operands"][0]["window"] = {{"of", "src"}, {"row", "tmp"}}; }) ==
        "m.json:1: /instructions/TADD/forms/0/operands/0/window: missing key 'column'");
}

TEST_CASE("a name that no operand of the form has is refused") {
  auto with = [](const char *key, const json &value) {
    return failure([&](json &m) { form(m)["operands"][0][key] = value; });
  };
  const std::string at = "m.json:1: /instructions/TADD/forms/0/operands/0";
  const std::string nobody = ": the form has no operand 'nobody'; expected one of 'dst', 'src', 'tmp'";
  CHECK(with("walk", "nobody") == at + "/walk" + nobody);
  CHECK(with("walk", {{"rows", "src"}, {"columns", "nobody.rows"}}) == at + "/walk/columns" + nobody);
  CHECK(with("walk", {{"lines", "nobody"}}) == at + "/walk/lines" + nobody);
  CHECK(with("element", "nobody") == at + "/element" + nobody);
  CHECK(with("window", {{"of", "nobody"}, {"row", "src"}, {"column", "src"}}) == at + "/window/of" + nobody);
  CHECK(with("reach", {{"rowsOf", "nobody"}, {"step", 8}}) == at + "/reach/rowsOf" + nobody);
  CHECK(failure([](json &m) { form(m)["when"]["nobody.location"] = "Vec"; }) ==
        "m.json:1: /instructions/TADD/forms/0/when/nobody.location" + nobody);
  CHECK(failure([](json &m) { form(m)["when"]["src.unlike"] = "nobody"; }) ==
        "m.json:1: /instructions/TADD/forms/0/when/src.unlike" + nobody);
  CHECK(failure([](json &m) {
          form(m)["publishes"] = {"L9"};
        }).rfind("m.json:1: /instructions/TADD/forms/0/publishes/0: unknown value 'L9'", 0) == 0);
}

TEST_CASE("a machine file that is not JSON is an error that names it") {
  llvm::Expected<Machine> machine = Machine::parse("{\"schema\": 1,", "m.json");
  REQUIRE_FALSE(bool(machine));
  std::string message = llvm::toString(machine.takeError());
  CHECK(message.rfind("m.json:1: malformed JSON: ", 0) == 0);
}

TEST_CASE("memories that several cores reach are listed; without a list all are such") {
  auto shared = [](const Machine &machine) {
    std::string text;
    for (const MemorySpace &space : machine.spaces())
      text += space.sharedBetweenCores ? space.name + " " : "";
    return text;
  };
  CHECK(shared(read(sample())) == "UB GM ");
  json document = sample();
  document["sharedBetweenCores"] = {{"spaces", {"GM"}}, {"grade", "B"}, {"evidence", "e"}};
  CHECK(shared(read(document)) == "GM ");
  CHECK(shared(read(document).sharingAsIn(read(sample()))) == "UB GM ");
  CHECK(shared(read(document).sharingAsIn(read(document))) == "GM ");
  auto with = [](const json &value) { return failure([&](json &m) { m["sharedBetweenCores"] = value; }); };
  CHECK(with(3) == "m.json:1: /sharedBetweenCores: expected an object, found a number");
  CHECK(with(json::object()) == "m.json:1: /sharedBetweenCores: missing key 'spaces'");
  CHECK(with({{"spaces", {"GM", "L9"}}}) ==
        "m.json:1: /sharedBetweenCores/spaces/1: unknown value 'L9'; expected one of 'UB', 'GM'");
}

TEST_CASE("the largest tensor is a number of bytes; of two models the smaller one counts for a text of either") {
  CHECK(read(sample()).largestTensor() == std::int64_t{1} << 32);
  auto of = [](std::int64_t bytes) {
    json document = sample();
    document["largestTensor"] = {{"bytes", bytes}, {"grade", "B"}, {"evidence", "e"}};
    return read(document);
  };
  CHECK(of(std::int64_t{1} << 37).largestTensor() == std::int64_t{1} << 37);
  CHECK(of(4096).sharingAsIn(of(512)).largestTensor() == 512);
  CHECK(of(512).sharingAsIn(of(4096)).largestTensor() == 512);
  auto with = [](const json &value) { return failure([&](json &m) { m["largestTensor"] = value; }); };
  CHECK(with(3) == "m.json:1: /largestTensor: expected an object, found a number");
  CHECK(with({{"bytes", 0}, {"grade", "B"}, {"evidence", "e"}}) ==
        "m.json:1: /largestTensor/bytes: expected a whole number from 1 to 1099511627776, found 0");
  CHECK(llvm::cantFail(Machine::builtIn("a3")).largestTensor() < 0x80000000000);
  CHECK(llvm::cantFail(Machine::builtIn("a5")).largestTensor() < 0x80000000000);
}

TEST_CASE("a missing key is named with the place where it is missing") {
  for (const char *key : {"schema", "arch", "library", "spaces", "barriers", "flags", "rules", "instructions"})
    CHECK(failure([&](json &m) { m.erase(key); }) == "m.json:1: missing key '" + std::string(key) + "'");
  CHECK(failure([](json &m) { m["flags"].erase("ids"); }) == "m.json:1: /flags: missing key 'ids'");
  CHECK(failure([](json &m) { form(m).erase("pipes"); }) ==
        "m.json:1: /instructions/TADD/forms/0: missing key 'pipes'");
  CHECK(failure([](json &m) { m["instructions"]["TADD"].erase("forms"); }) ==
        "m.json:1: /instructions/TADD: missing key 'forms'");
  CHECK(failure([](json &m) { m["instructions"]["TADD"].erase("source"); }) ==
        "m.json:1: /instructions/TADD: missing key 'source'");
}

TEST_CASE("a value of the wrong type is named by its pointer and what was expected") {
  CHECK(failure([](json &m) { m = json::array(); }) == "m.json:1: expected an object, found an array");
  CHECK(failure([](json &m) { m["schema"] = 2; }) == "m.json:1: /schema: expected 1, found 2");
  CHECK(failure([](json &m) { m["schema"] = "1"; }) == "m.json:1: /schema: expected a whole number, found a string");
  CHECK(failure([](json &m) { m["arch"] = 3; }) == "m.json:1: /arch: expected a string, found a number");
  CHECK(failure([](json &m) { m["spaces"] = 3; }) == "m.json:1: /spaces: expected an array, found a number");
  CHECK(failure([](json &m) { m["flags"]["ids"] = 1.5; }) ==
        "m.json:1: /flags/ids: expected a whole number, found a fraction");
  CHECK(failure([](json &m) { m["instructions"] = 3; }) ==
        "m.json:1: /instructions: expected an object, found a number");
  CHECK(failure([](json &m) { m["spaces"][0]["bytes"] = "many"; }) ==
        "m.json:1: /spaces/0/bytes: expected a whole number, found a string");
  CHECK(failure([](json &m) { m["spaces"][0]["tiles"] = json::array({1}); }) ==
        "m.json:1: /spaces/0/tiles/0: expected a string, found a number");
  CHECK(failure([](json &m) { m["rules"][0]["parameters"] = 1; }) ==
        "m.json:1: /rules/0/parameters: expected an object, found a number");
  CHECK(failure([](json &m) { form(m)["operands"] = "dst"; }) ==
        "m.json:1: /instructions/TADD/forms/0/operands: expected an array, found a string");
  CHECK(failure([](json &m) { form(m)["hidden"] = true; }) ==
        "m.json:1: /instructions/TADD/forms/0/hidden: expected an array, found a boolean");
}

TEST_CASE("a pipe, role or flag that is none is named by its pointer, with what is allowed there") {
  const std::string pipes = "'PIPE_S', 'PIPE_V', 'PIPE_M', 'PIPE_MTE1', 'PIPE_MTE2', 'PIPE_MTE3', 'PIPE_FIX'";
  CHECK(failure([](json &m) { m["barriers"][0]["pipes"][0] = "PIPE_X"; }) ==
        "m.json:1: /barriers/0/pipes/0: unknown value 'PIPE_X'; did you mean 'PIPE_S'? (expected one of " + pipes +
            ", 'PIPE_ALL')");
  CHECK(failure([](json &m) { form(m)["pipes"][0] = 3; }) ==
        "m.json:1: /instructions/TADD/forms/0/pipes/0: expected a string, found a number");
  CHECK(failure([](json &m) { form(m)["library"][1]["barrier"] = "V"; }) ==
        "m.json:1: /instructions/TADD/forms/0/library/1/barrier: unknown value 'V'; expected one of " + pipes);
  CHECK(failure([](json &m) { form(m)["operands"][0]["role"] = "writes"; }) ==
        "m.json:1: /instructions/TADD/forms/0/operands/0/role: unknown value 'writes'; did you mean 'write'? (expected "
        "one of 'write', 'read', 'readwrite', 'scratch', 'scalar', 'config', 'ignored', 'fifo')");
  CHECK(failure([](json &m) { form(m)["flags"][0] = json::array({"PIPE_V", "PIPE_S"}); }) ==
        "m.json:1: /instructions/TADD/forms/0/flags/0: expected [source pipe, destination pipe, id]");
  CHECK(failure([](json &m) { form(m)["flags"][0][2] = -1; }) ==
        "m.json:1: /instructions/TADD/forms/0/flags/0/2: expected a whole number from 0 to 7, found -1");
  CHECK(failure([](json &m) { form(m)["when"]["dst.location"] = 3; }) ==
        "m.json:1: /instructions/TADD/forms/0/when/dst.location: expected a string, found a number");
}

TEST_CASE("a key that nobody reads is refused, with the nearest one that somebody does") {
  CHECK(failure([](json &m) { m["pipe"] = 1; }) == "m.json:1: /pipe: unknown key 'pipe'; did you mean 'pipes'?");
  CHECK(failure([](json &m) { form(m)["operands"][0]["regions"] = "run"; }) ==
        "m.json:1: /instructions/TADD/forms/0/operands/0/regions: unknown key 'regions'; did you mean 'region'?");
  CHECK(failure([](json &m) { form(m)["when"]["dst.locaton"] = "Vec"; }).find("unknown condition 'dst.locaton'") !=
        std::string::npos);
}

TEST_CASE("a contested rule never justifies a removal") {
  for (const char *grade : {"C", "D"})
    CHECK(failure([&](json &m) { m["rules"][0]["grade"] = grade; }) ==
          "m.json:1: /rules/0/use: expected 'silence' for a rule of grade " + std::string(grade));
  for (const char *grade : {"", "a"})
    CHECK(failure([&](json &m) { m["rules"][0]["grade"] = grade; }).rfind("m.json:1: /rules/0/grade: ", 0) == 0);
  for (const char *grade : {"A", "B"})
    CHECK(failure([&](json &m) { m["rules"][0]["grade"] = grade; }) == "no error");
}

// Without this they would pass as the weakest meaning; a wrong word must not go unnoticed.
TEST_CASE("a word for a use, fence or assignment that does not exist is refused") {
  CHECK(failure([](json &m) { m["rules"][0]["use"] = "justifies"; }) != "no error");
  CHECK(failure([](json &m) { form(m)["fence"] = "al"; }) != "no error");
  CHECK(failure([](json &m) { form(m)["assigns"] = "adress"; }) != "no error");
}

TEST_CASE("the line of a problem is that of the value in the file") {
  llvm::Expected<Machine> machine = Machine::parse("{\n  \"schema\": 1,\n  \"arch\": 3\n}", "m.json");
  REQUIRE_FALSE(bool(machine));
  CHECK(llvm::toString(machine.takeError()) == "m.json:3: /arch: expected a string, found a number");
  json written = sample();
  form(written)["operands"][0]["order"] = "colums";
  std::string text = written.dump(1);
  auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("colums")), '\n');
  machine = Machine::parse(text, "m.json");
  REQUIRE_FALSE(bool(machine));
  CHECK(llvm::toString(machine.takeError()) ==
        "m.json:" + std::to_string(line) +
            ": /instructions/TADD/forms/0/operands/0/order: unknown value 'colums'; did you mean 'columns'? (expected "
            "one of 'sequential', 'elementwise', 'rows', 'columns', 'reduce')");
}

TEST_CASE("an overlay changes one rule and one instruction of the built-in model, and nothing else") {
  Machine base = llvm::cantFail(Machine::builtIn("a3"));
  REQUIRE(base.rules().chain);
  REQUIRE(base.rules().chain->use == RuleUse::Justify);
  Machine changed = llvm::cantFail(Machine::parse(R"({
    "schema": 1, "overlays": "a3",
    "rules": [{"id": "same-access-chain", "grade": "C", "use": "silence", "title": "t", "evidence": "ours",
               "parameters": {"pipe": "PIPE_V", "minRepeats": 8, "repeatBytes": 256}}],
    "instructions": {"TCLAMP": {"category": "tile", "source": "ours", "forms": [{"operands": [{"name": "dst", "role": "write"}], "pipes": ["PIPE_V"]}]}}
  })",
                                                  "m.json"));
  CHECK(changed.arch() == "a3");
  CHECK(changed.library() == base.library());
  CHECK(changed.instructions().size() == base.instructions().size() + 1);
  REQUIRE(changed.instruction("TCLAMP"));
  CHECK(changed.rules().chain->use == RuleUse::Silence);
  CHECK(changed.rules().chain->minRepeats == 8);
  CHECK(changed.rule("same-access-chain")->evidence == "ours");
  CHECK(changed.rules().accumulateFractals.has_value() == base.rules().accumulateFractals.has_value());
  CHECK(changed.instruction("TADD")->forms.size() == base.instruction("TADD")->forms.size());
}

TEST_CASE("an overlay that is wrong is refused with its place") {
  auto problem = [](const std::string &text) {
    llvm::Expected<Machine> machine = Machine::parse(text, "m.json");
    return machine ? "no error" : llvm::toString(machine.takeError());
  };
  CHECK(problem("{\"schema\": 1, \"overlays\": \"a3\"}") == "no error");
  CHECK(problem("{\"overlays\": \"a3\"}") == "m.json:1: missing key 'schema'");
  CHECK(problem("{\"schema\": 1,\n\"overlays\": \"a4\"}") ==
        "m.json:2: /overlays: unknown value 'a4'; did you mean 'a3'? (expected one of 'a3', 'a5')");
  CHECK(problem("{\"schema\": 1, \"overlays\": \"a3\",\n\"spaces\": []}") ==
        "m.json:2: /spaces: unknown key 'spaces'; expected one of 'schema', 'overlays', 'rules', 'instructions'");
  CHECK(problem("{\"schema\": 1, \"overlays\": \"a3\", \"rules\": [\n{\"id\": \"same-access-chain\", \"grade\": \"C\", "
                "\"use\": \"justify\", \"title\": \"t\", \"evidence\": \"e\", \"parameters\": {}}]}") ==
        "m.json:2: /rules/0/use: expected 'silence' for a rule of grade C");
}
