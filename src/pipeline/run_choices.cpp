#include "pipeline/run_choices.h"

namespace ptosync {

FrontendOptions frontendOptions(const Machine &machine, const RunChoices &choices) {
  FrontendOptions frontend;
  frontend.includeDirectory = choices.includeDirectory;
  frontend.architecture = machine.arch();
  frontend.memory = choices.headers;
  frontend.argumentsApart = !choices.optimize.ordering.argumentsMayAlias && machine.rules().argumentsApart();
  for (std::string &name : machine.instructions().names())
    frontend.instructions.insert(std::move(name));
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
