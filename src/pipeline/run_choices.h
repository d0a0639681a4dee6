// What a run is asked to take for granted and to do, whoever starts it: the command line, a test, a fuzzer.
//
//   RunChoices + Machine --> the options of the frontend, of the replay, of the timed run
//
// The one place where these are made from one another, so that every step of a run reads the same text under the same
// model. Tested by tests/pipeline/run_choices_test.cpp.
#pragma once

#include "frontend/frontend.h"
#include "optimize/optimizer.h"
#include "replay/options.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace ptosync {

struct RunChoices {
  std::string includeDirectory;          // of the real PTO headers; empty: the built-in prelude
  std::vector<std::string> includes;     // folders of the kernel's own headers
  std::vector<Definition> defines;       // macros of the kernel's own build
  std::shared_ptr<HeaderMemory> headers; // what files were found to lack in them; null: each reading finds all anew
  OptimizeOptions optimize;              // its ordering has the model's choices
  std::map<std::string, std::int64_t> arguments = {};     // of the replayed runs, by parameter
  std::map<std::string, std::int64_t> costArguments = {}; // of the run that is timed
  unsigned effort = 3;                                    // of placing syncs anew, from 1
  std::optional<double> seconds = {};                     // after which no more is looked for; empty: work is counted
  std::set<std::int64_t> reservedIds = {};                // that no added flag gets
  bool inputStands = true; // false: what is placed anew may take longer than the kernel did, which is not right
};

/// The macros of each chip of the architecture.
std::vector<BuildMacros> buildsOf(const Machine &machine);

/// A kernel is read for the instructions and the architecture of the model.
FrontendOptions frontendOptions(const Machine &machine, const RunChoices &choices = {});

/// The replay makes the same choices as the optimiser.
replay::Options replayOptions(const RunChoices &choices);

/// A call is one opaque access here whatever is trusted: what the library does inside is not timed apart.
replay::Options timingOptions(const RunChoices &choices);

} // namespace ptosync
