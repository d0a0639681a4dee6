#include "pipeline/run_choices.h"

#include <algorithm>

namespace ptosync {

std::vector<BuildMacros> buildsOf(const Machine &machine) {
  std::size_t chips = 1;
  for (const MacroFact &fact : machine.macros())
    chips = std::max(chips, fact.values.size());
  std::vector<BuildMacros> builds(chips);
  for (const MacroFact &fact : machine.macros())
    for (std::size_t chip = 0; chip < chips && established(fact.grade); ++chip)
      builds[chip].push_back(
          {fact.name, fact.values[fact.values.size() == 1 ? 0 : chip], fact.section, fact.byLibrary});
  return builds;
}

FrontendOptions frontendOptions(const Machine &machine, const RunChoices &choices) {
  FrontendOptions frontend;
  frontend.includeDirectory = choices.includeDirectory;
  frontend.includes = choices.includes;
  frontend.defines = choices.defines;
  frontend.builds = buildsOf(machine);
  frontend.architecture = machine.arch();
  frontend.memory = choices.headers;
  frontend.argumentsApart = !choices.optimize.ordering.argumentsMayAlias && machine.rules().argumentsApart();
  for (std::string &name : machine.instructions().names()) {
    for (const InstructionForm &form : machine.instruction(name)->forms)
      if (form.assigns != Assigns::Nothing)
        frontend.placing.insert(name);
    frontend.instructions.insert(std::move(name));
  }
  frontend.insideFlags = [shared = std::make_shared<Machine>(machine)](const std::string &name) {
    return shared->insideFlags(name);
  };
  return frontend;
}

replay::Options replayOptions(const RunChoices &choices) { return {choices.optimize.ordering, choices.arguments}; }

replay::Options timingOptions(const RunChoices &choices) {
  ModelChoices model = choices.optimize.ordering;
  model.trust = Trust::Tile;
  return {model, choices.costArguments};
}

} // namespace ptosync
