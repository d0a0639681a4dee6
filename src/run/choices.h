// What a run takes for granted and what it is asked to do, whoever starts it: the command line, a test, a fuzzer.
//
//   RunChoices + Machine --> the options of the frontend, of the replay, of the timed run
//
// This is the one place where these options are made from one another, so that every step of a run reads the same text
// under the same model. Tested by tests/run/run_test.cpp.
#pragma once

#include "base/allowance.h"
#include "base/read_files.h"
#include "frontend/frontend.h"
#include "optimize/optimizer.h"
#include "replay/options.h"

#include <llvm/Support/Error.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

/// Files appear as their texts.
struct RunChoices {
  std::string includeDirectory;          // of the real PTO headers; empty: the built-in prelude
  std::vector<std::string> includes;     // folders of the kernel's own headers
  std::vector<Definition> defines;       // macros of the kernel's own build
  std::shared_ptr<HeaderMemory> headers; // what files were found to lack in them; null: each reading finds all anew
  OptimizeOptions optimize;              // its ordering has the model's choices
  std::map<std::string, std::int64_t> arguments = {};     // of the replayed runs, by parameter
  std::map<std::string, std::int64_t> costArguments = {}; // of the run that is timed
  std::vector<Assumption> assumptions = {};               // of --assume
  unsigned effort = 3;                                    // of placing syncs anew, from 1
  std::size_t regionWork = 0;                             // of a region of what is placed anew (ResyncOptions)
  std::set<std::int64_t> reservedIds = {};                // that no added flag gets
  bool fromNothing = false;         // the syncs of the file are forgotten and placed anew (synthesis/synchronise.h)
  bool inputStands = false;         // with fromNothing: what a kernel has is a candidate all the same (ResyncOptions)
  bool bufferIds = false;           // with fromNothing: in place of flags, where that is no slower (ResyncOptions)
  std::string patterns = "default"; // the selection among the patterns, as Catalogue::select reads it
  std::vector<SourceText> patternTexts = {};                        // patterns beside the built-in ones
  std::optional<SourceText> machineText = {};                       // a machine model in the place of a built-in one
  std::optional<SourceText> durationsText = {};                     // durations over the built-in ones
  std::shared_ptr<ReadFiles> reads = std::make_shared<ReadFiles>(); // what the run has read so far
  Allowance::Bounds bounds = {};                                    // of each kernel
  Allowance allowance = {}; // of this run of one kernel: made of `bounds` as it begins
};

/// The options under which a kernel is read: the instructions and the architecture of the model, the macros of its
/// chips.
FrontendOptions frontendOptions(const Machine &machine, const RunChoices &choices = {});

/// The replay makes the same choices as the optimiser.
replay::Options replayOptions(const RunChoices &choices);

/// The timed run treats a call as one opaque access whatever is trusted, since the inside of a call is not timed apart.
replay::Options timingOptions(const RunChoices &choices);

/// Returns a function that reads other texts of the file `name`.
std::function<llvm::Expected<Module>(const std::string &text)> lifterOf(const std::string &name,
                                                                        const FrontendOptions &frontend);

} // namespace ptosync
