#include "machine/machine.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <functional>

using namespace ptosync;
using nlohmann::json;

namespace {

/// The smallest machine that says something about everything.
json sample() {
  return json::parse(R"({
    "schema": 1,
    "arch": "a3",
    "library": "some library",
    "pipes": ["PIPE_V"],
    "spaces": [{"name": "UB", "bytes": 1024, "tiles": ["Vec"]}, {"name": "GM", "bytes": 0, "tiles": []}],
    "barriers": [{"section": "vec", "pipes": ["PIPE_V", "PIPE_ALL"]}, {"section": "cube", "pipes": ["PIPE_M"]}],
    "flags": {"ids": 4},
    "rules": [
      {"id": "chain", "grade": "B", "use": "justify", "title": "t", "evidence": "e",
       "parameters": {"pipe": "PIPE_V", "minRepeats": 16, "instructions": ["TADD", "TSUB"]}},
      {"id": "contested", "grade": "C", "use": "silence", "title": "t", "evidence": "e", "parameters": {}},
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
  })");
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
  const MachineRule *chain = machine.rule("chain");
  REQUIRE(chain);
  CHECK(chain->use == RuleUse::Justify);
  CHECK(chain->grade == "B");
  CHECK(chain->text.at("pipe") == "PIPE_V");
  CHECK(chain->numbers.at("minRepeats") == 16);
  CHECK(chain->lists.at("instructions") == std::vector<std::string>{"TADD", "TSUB"});
  CHECK(machine.rule("contested")->use == RuleUse::Silence);
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

TEST_CASE("a machine file that is not JSON is an error that names it") {
  llvm::Expected<Machine> machine = Machine::parse("{\"schema\": 1,", "m.json");
  REQUIRE_FALSE(bool(machine));
  std::string message = llvm::toString(machine.takeError());
  CHECK(message.rfind("m.json: not JSON: ", 0) == 0);
}

TEST_CASE("a missing key is named by its pointer") {
  for (const char *key : {"schema", "arch", "library", "spaces", "barriers", "flags", "rules", "instructions"})
    CHECK(failure([&](json &m) { m.erase(key); }) == "m.json: /" + std::string(key) + ": expected this key to be present");
  CHECK(failure([](json &m) { m["flags"].erase("ids"); }) == "m.json: /flags/ids: expected this key to be present");
  CHECK(failure([](json &m) { form(m).erase("pipes"); }) ==
        "m.json: /instructions/TADD/forms/0/pipes: expected this key to be present");
  CHECK(failure([](json &m) { m["instructions"]["TADD"].erase("forms"); }) ==
        "m.json: /instructions/TADD/forms: expected this key to be present");
}

TEST_CASE("a value of the wrong type is named by its pointer and what was expected") {
  CHECK(failure([](json &m) { m = json::array(); }) == "m.json: /: expected an object");
  CHECK(failure([](json &m) { m["schema"] = 2; }) == "m.json: /schema: expected 1");
  CHECK(failure([](json &m) { m["schema"] = "1"; }) == "m.json: /schema: expected a whole number");
  CHECK(failure([](json &m) { m["arch"] = 3; }) == "m.json: /arch: expected a string");
  CHECK(failure([](json &m) { m["spaces"] = 3; }) == "m.json: /spaces: expected an array");
  CHECK(failure([](json &m) { m["flags"]["ids"] = 1.5; }) == "m.json: /flags/ids: expected a whole number");
  CHECK(failure([](json &m) { m["instructions"] = 3; }) == "m.json: /instructions: expected an object");
  CHECK(failure([](json &m) { m["spaces"][0]["bytes"] = "many"; }) == "m.json: /spaces/bytes: expected a whole number");
  CHECK(failure([](json &m) { m["spaces"][0]["tiles"] = json::array({1}); }) == "m.json: /spaces/tiles: expected strings");
  CHECK(failure([](json &m) { m["rules"][0]["title"] = 1; }) == "m.json: /rules/chain/title: expected a string");
  CHECK(failure([](json &m) { m["rules"][0]["parameters"] = 1; }) == "m.json: /rules/chain/parameters: expected an object");
  CHECK(failure([](json &m) { form(m)["operands"] = "dst"; }) ==
        "m.json: /instructions/TADD/forms/0/operands: expected an array");
  CHECK(failure([](json &m) { form(m)["hidden"] = true; }) ==
        "m.json: /instructions/TADD/forms/0/hidden: expected an array");
}

TEST_CASE("a pipe, role or flag that is none is named by its pointer") {
  CHECK(failure([](json &m) { m["barriers"][0]["pipes"][0] = "PIPE_X"; }) ==
        "m.json: /barriers: expected a pipe name such as \"PIPE_V\"");
  CHECK(failure([](json &m) { form(m)["pipes"][0] = 3; }) ==
        "m.json: /instructions/TADD/forms/0/pipes: expected a pipe name such as \"PIPE_V\"");
  CHECK(failure([](json &m) { form(m)["library"][1]["barrier"] = "V"; }) ==
        "m.json: /instructions/TADD/forms/0/library/barrier: expected a pipe name such as \"PIPE_V\"");
  CHECK(failure([](json &m) { form(m)["operands"][0]["role"] = "writes"; }) ==
        "m.json: /instructions/TADD/forms/0/role: expected an operand role");
  CHECK(failure([](json &m) { form(m)["flags"][0] = json::array({"PIPE_V", "PIPE_S"}); }) ==
        "m.json: /instructions/TADD/forms/0/flags: expected [source pipe, destination pipe, id]");
  CHECK(failure([](json &m) { form(m)["flags"][0][2] = -1; }) ==
        "m.json: /instructions/TADD/forms/0/flags: expected [source pipe, destination pipe, id]");
  CHECK(failure([](json &m) { form(m)["when"]["dst.location"] = 3; }) ==
        "m.json: /instructions/TADD/forms/0/when/dst.location: expected a string or an array of strings");
}

TEST_CASE("a contested rule never justifies a removal") {
  for (const char *grade : {"C", "D", "", "a"})
    CHECK(failure([&](json &m) { m["rules"][0]["grade"] = grade; }) ==
          "m.json: /rules/chain/use: expected \"silence\" for a rule of grade " + std::string(grade));
  for (const char *grade : {"A", "B"})
    CHECK(failure([&](json &m) { m["rules"][0]["grade"] = grade; }) == "no error");
}

// Without the schema these would pass as the weakest meaning; a wrong word must not go unnoticed.
TEST_CASE("a word for a use, fence or assignment that does not exist is refused") {
  CHECK(failure([](json &m) { m["rules"][0]["use"] = "justifies"; }) != "no error");
  CHECK(failure([](json &m) { form(m)["fence"] = "al"; }) != "no error");
  CHECK(failure([](json &m) { form(m)["assigns"] = "adress"; }) != "no error");
}
