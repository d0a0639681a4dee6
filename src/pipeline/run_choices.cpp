#include "pipeline/run_choices.h"

namespace ptosync {

FrontendOptions frontendOptions(const Machine &machine, const RunChoices &choices) {
  FrontendOptions frontend;
  frontend.includeDirectory = choices.includeDirectory;
  frontend.architecture = machine.arch();
  frontend.memory = choices.headers;
  for (const auto &[name, facts] : machine.instructions())
    frontend.instructions.insert(name);
  frontend.insideFlags = machine.insideFlags();
  return frontend;
}

replay::Options replayOptions(const RunChoices &choices) { return {choices.optimize.ordering, choices.arguments}; }

replay::Options timingOptions(const RunChoices &choices) {
  ModelChoices model = choices.optimize.ordering;
  model.trust = Trust::Tile;
  return {model, choices.costArguments};
}

} // namespace ptosync
