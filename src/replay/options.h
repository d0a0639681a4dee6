// What the replay of two kernels is asked to do: the choices that complete the model, the arguments that the user
// fixed, and how much work it may spend.
//
// Plain data: tested through tests/replay/judge/conflict_test.cpp and tests/replay/choose/run_choice_test.cpp.
#pragma once

#include "base/allowance.h"
#include "machine/model_choices.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace ptosync::replay {

enum class Skipping : std::uint8_t { Allowed, Forbidden };

struct Budget {
  std::uint64_t instructions = 40000; // of one run; a longer run is compared up to here and said to be cut
  // A run that needs no more than this is compared as a whole: what a loop does in one iteration alone, far from its
  // first, is in it.
  std::uint64_t shortInstructions = 1000, shortStatements = 20000;
  std::uint64_t statements = 2000000;      // of one run, scalar code included: stops loops without instructions
  std::uint64_t scoutStatements = 400000;  // of all runs together that only look for telling arguments
  std::size_t runs = 16;                   // that are compared, for each kernel
  std::size_t findings = 50;               // that are listed of one run; of a kernel four times as many
  std::uint64_t searchStatements = 400000; // of all runs together that are to take ways that those have not taken
  std::size_t searchRuns = 24;             // of them that are compared, too
  Allowance allowance = {};                // past it a run ends where it is, and says nothing: base/allowance.h
};

struct Options : ModelChoices {
  std::map<std::string, std::int64_t> arguments = {}; // --arg, by the kernel's own parameter names
  // Lines of the first version that runs are to reach; no run is sought for anything else. Empty: runs are sought for
  // every way that the kernels may go.
  std::optional<std::set<std::uint32_t>> aims = {};
  Budget budget = {};
  /// Without them a lost order counts only where two instructions meet in memory, not where one is an opaque call.
  bool fences = true;
  /// Forbidden: every iteration of each run that is compared is run, as far as the budget goes. For tests: it takes
  /// long, and what it does not reach is not compared.
  Skipping skipping = Skipping::Allowed;
};

} // namespace ptosync::replay
