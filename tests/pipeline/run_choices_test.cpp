#include "pipeline/run_choices.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("run choices: the replay makes those of the optimiser, the timed run all but the trust", "[pipeline]") {
  RunChoices choices;
  choices.optimize.ordering = {{Trust::Library, true, true, false, true, true}};
  choices.arguments = {{"n", 1}};
  choices.costArguments = {{"n", 2}};
  replay::Options replayed = replayOptions(choices), timed = timingOptions(choices);
  CHECK(optionsText(replayed) == optionsText(choices.optimize.ordering));
  CHECK(replayed.arguments == choices.arguments);
  CHECK(replayed.budget.runs == replay::Budget().runs);
  ModelChoices opaque = choices.optimize.ordering;
  opaque.trust = Trust::Tile;
  CHECK(optionsText(timed) == optionsText(opaque));
  CHECK(timed.arguments == choices.costArguments);
}

TEST_CASE("run choices: a text is read for the model's architecture and instructions", "[pipeline]") {
  for (const char *arch : {"a3", "a5"}) {
    FrontendOptions frontend = frontendOptions(machineOf(arch));
    CHECK(frontend.architecture == arch);
    CHECK(frontend.instructions.size() == machineOf(arch).instructions().size());
    for (const std::string &name : machineOf(arch).instructions().names())
      CHECK(frontend.insideFlags(name) == machineOf(arch).insideFlags(name));
    CHECK(frontend.includeDirectory.empty());
    CHECK(frontend.argumentsApart);
    RunChoices mayAlias;
    mayAlias.optimize.ordering.argumentsMayAlias = true;
    CHECK_FALSE(frontendOptions(machineOf(arch), mayAlias).argumentsApart);
  }
}
