// --machine, --pattern-file and --pto-include.
#include "tool/process.h"

#include <nlohmann/json.hpp>

#include <functional>

using namespace ptosync;
using namespace ptosync::test;
using nlohmann::json;

namespace {

const json &builtInMachine() {
  static const json machine = json::parse(readText(std::string(PTOSYNC_SOURCE_DIR) + "/src/machine/a3.json"));
  return machine;
}

json builtInPattern() {
  return json::parse(readText(std::string(PTOSYNC_SOURCE_DIR) + "/patterns/redundant-pipe-v.json"));
}

/// Runs the sample with a changed copy of the built-in machine file as m.json.
Run withMachine(const std::function<void(json &)> &change, const std::string &arguments = "") {
  Workshop workshop;
  json machine = builtInMachine();
  change(machine);
  workshop.write("m.json", machine.dump(1));
  workshop.write("k.cpp", sampleKernel());
  Run run = workshop.ptosync("opt k.cpp -o out.cpp --machine=m.json " + arguments);
  CHECK(workshop.listing() == (run.exitCode == 0 ? "k.cpp m.json out.cpp" : "k.cpp m.json"));
  return run;
}

Run withPattern(const std::string &text, const std::string &arguments = "opt k.cpp --dry-run") {
  Workshop workshop;
  workshop.write("p.json", text);
  workshop.write("k.cpp", sampleKernel());
  Run run = workshop.ptosync(arguments + " --pattern-file=p.json");
  CHECK(workshop.listing() == "k.cpp p.json");
  return run;
}

} // namespace

TEST_CASE("an unchanged copy of the machine file changes nothing") {
  Run run = withMachine([](json &) {});
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "4 barriers, 2 removed"));
}

TEST_CASE("a changed machine file changes the decisions and is named in the report") {
  Run run = withMachine([](json &m) {
    m["library"] = "my library";
    for (json &form : m["instructions"]["TADDS"]["forms"])
      form["fence"] = "all"; // nothing may move past a fence
  });
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "4 barriers, 0 removed"));
  CHECK(contains(run.out, "my library"));
}

TEST_CASE("a machine file that does not fit is refused with its name and the place") {
  Run run = withMachine([](json &m) { m["flags"]["ids"] = "eight"; });
  CHECK(run.exitCode == 2);
  CHECK(contains(run.err, ": /flags/ids: expected a whole number"));
  CHECK(contains(run.err, "m.json:"));
  CHECK(run.out == "");
}

TEST_CASE("a machine file that lets a contested rule justify is refused") {
  Run run = withMachine([](json &m) {
    for (json &rule : m["rules"])
      if (rule["grade"] == "C")
        rule["use"] = "justify";
  });
  CHECK(run.exitCode == 2);
  CHECK(contains(run.err, "m.json"));
}

TEST_CASE("a machine file of another architecture is refused") {
  Run run = withMachine([](json &) {}, "--arch=a5");
  CHECK(run.exitCode == 2);
  CHECK(contains(run.err, "m.json: /arch: is a3, expected a5"));
}

TEST_CASE("a machine file that is missing, a directory or not JSON") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  workshop.write("m.json", "{\"schema\": 1,");
  std::filesystem::create_directory(workshop.path("folder"));
  for (const auto &[name, cause] :
       {std::pair{"none.json", "No such file"}, {"folder", "is a directory"}, {"m.json", "m.json:1: malformed JSON"}}) {
    Run run = workshop.ptosync("opt k.cpp -o out.cpp --machine=" + std::string(name));
    CAPTURE(run.err);
    CHECK(run.exitCode == 2);
    CHECK(contains(run.err, name));
    CHECK(contains(run.err, cause));
  }
  CHECK(workshop.listing() == "folder k.cpp m.json");
}

TEST_CASE("a pattern of one's own is listed, chosen by name and removes") {
  json pattern = builtInPattern();
  pattern["id"] = "my-own";
  pattern.erase("aliases");
  Run listed = withPattern(pattern.dump(1), "patterns list");
  CHECK(listed.exitCode == 0);
  CHECK(contains(listed.out, "my-own "));
  Run chosen = withPattern(pattern.dump(1), "opt k.cpp --dry-run --patterns=my-own");
  CHECK(chosen.exitCode == 0);
  CHECK(contains(chosen.out, "4 barriers, 2 removed"));
  CHECK(contains(chosen.out, "my-own"));
}

TEST_CASE("a key that does not exist is refused with file, line, pointer and the nearest key") {
  Run run = withPattern("{\n  \"schema\": 1,\n  \"idd\": \"my-own\"\n}\n");
  CAPTURE(run.err);
  CHECK(run.exitCode == 2);
  CHECK(run.out == "");
  CHECK(contains(run.err, "p.json:3:"));
  CHECK(contains(run.err, "/idd"));
  CHECK(contains(run.err, "did you mean 'id'?"));
}

TEST_CASE("a pattern file that is missing, not JSON or a name already taken") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  Run missing = workshop.ptosync("opt k.cpp --dry-run --pattern-file=none.json");
  CHECK(missing.exitCode == 2);
  CHECK(contains(missing.err, "none.json: cannot be read: No such file"));
  Run broken = withPattern("{\n  \"schema\": 1,,\n}");
  CHECK(broken.exitCode == 2);
  CHECK(contains(broken.err, "p.json:2:"));
  Run taken = withPattern(builtInPattern().dump(1));
  CHECK(taken.exitCode == 2);
  CHECK(contains(taken.err, "redundant-pipe-v"));
  CHECK(contains(taken.err, "p.json"));
}

TEST_CASE("a directory of headers that does not exist is refused") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  Run run = workshop.ptosync("opt k.cpp --dry-run --pto-include=none");
  CHECK(run.exitCode == 2);
  CHECK(contains(run.err, "none"));
}

TEST_CASE("headers of the user's are used") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  std::filesystem::create_directories(workshop.path("headers/pto"));
  workshop.write("headers/pto/pto-inst.hpp", "#error these are mine\n");
  Run run = workshop.ptosync("opt k.cpp --dry-run --pto-include=headers");
  CHECK(run.exitCode == 3);
  CHECK(contains(run.err, "these are mine"));
}

TEST_CASE("a configuration that leads nowhere, or whose folders do, is an error") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  auto refused = [&](const std::string &message) {
    Run run = workshop.ptosync("opt k.cpp --dry-run");
    CAPTURE(run.err);
    CHECK(run.exitCode == 2);
    CHECK(contains(run.err, message));
  };
  std::filesystem::create_symlink("nowhere", workshop.path(".ptosync.json"));
  refused("/.ptosync.json: cannot be read: No such file or directory");
  std::filesystem::remove(workshop.path(".ptosync.json"));
  std::filesystem::create_directory(workshop.path(".ptosync.json"));
  refused("/.ptosync.json: is a directory; expected a JSON file");
  std::filesystem::remove(workshop.path(".ptosync.json"));
  workshop.write(".ptosync.json", "{\"include\": [\n  \".\",\n  \"zz\"]}\n");
  refused("/.ptosync.json:3: /include/1: zz: no such directory");
}
