// check_templates INCLUDE CHIP MACHINE.json FORMS PROBES RECORDS: is every template constant of the library accounted
// for?
//
// For each instruction of the model and each constant that the library declares for it (library_templates.h): a probe
// ran with it, and the model's `templates` account for it; or FORMS lists it, one a line:
//
//   INSTRUCTION KIND[::VALUE] opaque REASON   the model must not account for it: such a call is an opaque fence
//   INSTRUCTION KIND[::VALUE] read REASON     the model accounts for it by what the code says, no probe runs it
//
// PROBES is what generate_probes printed, RECORDS names one file of records a line. Exit 1: one of them is neither run
// nor listed, the list is wrong, or the model accounts for what the library does not have.
#include "library_templates.h"
#include "record.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iostream>
#include <sstream>

namespace {

using Names = std::set<std::string>; // "INSTRUCTION KIND", "INSTRUCTION KIND::VALUE"

/// The probes that came to their end, with nothing in them that the stand-ins do not describe.
std::set<std::string> probesThatRan(const std::string &list) {
  std::set<std::string> ran;
  std::ifstream files(list);
  for (std::string file; std::getline(files, file);) {
    std::ifstream stream(file);
    for (const auto &[name, call] : probes::readRecord(stream))
      if (call.ended && call.unknown.empty() && call.refused.empty())
        ran.insert(name);
  }
  return ran;
}

/// "CollEngine::AIV" of "pto::comm::CollEngine::AIV".
std::string withoutScope(const std::string &constant) {
  const std::size_t last = constant.rfind("::"), scope = constant.rfind("::", last - 1);
  return last == 0 || scope == std::string::npos ? constant : constant.substr(scope + 2);
}

Names constantsThatRan(const std::string &file, const std::set<std::string> &ran) {
  Names names;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string group, name, instruction, constants, constant;
    words >> group >> name >> instruction >> constants;
    std::istringstream list(constants);
    while (ran.count(name) && constants != "-" && std::getline(list, constant, ','))
      names.insert(instruction + " " + (constant.find("::") == std::string::npos ? "number" : withoutScope(constant)));
  }
  return names;
}

struct Listed {
  std::string how;
  bool used = false;
};

class Check {
public:
  Check(const nlohmann::json &machine, const std::string &forms, Names ran) : machine(machine), ran(std::move(ran)) {
    std::ifstream stream(forms);
    for (std::string line; std::getline(stream, line);)
      if (!line.empty() && line[0] != '#') {
        std::istringstream words(line);
        std::string instruction, constant, how;
        words >> instruction >> constant >> how;
        listed[instruction + " " + constant].how = how;
      }
  }

  void instruction(const std::string &name, const std::set<std::string> &kinds,
                   const probes::LibraryTemplates &library) {
    Names templates;
    for (const auto &one : machine["instructions"][name].value("templates", nlohmann::json::array()))
      templates.insert(one.get<std::string>());
    for (const std::string &kind : kinds) {
      auto values = library.enumerators.find(kind);
      if (values == library.enumerators.end()) {
        constant(name, kind, kind, templates);
        continue;
      }
      for (const std::string &value : values->second)
        constant(name, kind, kind + "::" + value, templates);
    }
    for (const std::string &one : templates)
      if (const std::string kind = one.substr(0, one.find("::")); !kinds.count(kind) && !kinds.count("auto"))
        say("accounted for, and not in the library", name + " " + one);
  }

  bool finish() {
    for (const auto &[key, entry] : listed)
      if (!entry.used)
        say("listed, and the library has no such constant", key);
    std::cout << checked << " template constants, " << runs << " run, " << checked - runs << " listed\n";
    return !broken;
  }

private:
  void constant(const std::string &name, const std::string &kind, const std::string &value, const Names &templates) {
    ++checked;
    const std::string key = name + " " + value;
    const bool accounted = templates.count(kind) || templates.count(value), hasRun = ran.count(key) != 0;
    auto entry = listed.find(key);
    if (entry == listed.end())
      entry = listed.find(name + " " + kind);
    runs += hasRun;
    if (entry != listed.end()) {
      entry->second.used = true;
      if (hasRun)
        say("listed, and run", key);
      if (accounted != (entry->second.how == "read") && kind != "auto")
        say(accounted ? "listed as opaque, and accounted for" : "listed as read, and not accounted for", key);
      return;
    }
    if (!hasRun)
      say("neither run nor listed", key);
    else if (!accounted)
      say("run, and the model does not account for it", key);
  }

  void say(const std::string &what, const std::string &key) {
    std::cout << "template constant " << what << ": " << key << "\n";
    broken = true;
  }

  const nlohmann::json &machine;
  Names ran;
  std::map<std::string, Listed> listed;
  std::size_t checked = 0, runs = 0;
  bool broken = false;
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 7) {
    std::cerr << "usage: check_templates INCLUDE a2a3|a5 MACHINE.json FORMS PROBES RECORDS\n";
    return 2;
  }
  const nlohmann::json machine = nlohmann::json::parse(std::ifstream(argv[3]));
  Check check(machine, argv[4], constantsThatRan(argv[5], probesThatRan(argv[6])));
  const probes::LibraryTemplates library = probes::libraryTemplates(argv[1], argv[2]);
  for (const auto &[name, kinds] : library.kinds)
    if (machine["instructions"].contains(name))
      check.instruction(name, kinds, library);
  return check.finish() ? 0 : 1;
}
