// Runs a lifted kernel with concrete inputs and writes down what it issues.
//
//   Kernel + Inputs --> Trace
//
// Loops, branches and gotos are followed as they come. A loop whose last three periods issued the
// same instructions and syncs (places in GM aside), and moved every variable it carries by the
// same amount, and that for as many iterations as the deepest ring has entries, is skipped over as far as it is proved
// to go on like that (repetition_proof.h): all but the last periods are left out, the carried variables are moved
// along, and the skip is recorded. Then it runs until it repeats itself again.
// Tested by tests/replay/interpreter_test.cpp.
#pragma once

#include "replay/options.h"
#include "replay/relevance.h"
#include "replay/trace.h"

#include <memory>
#include <optional>

namespace ptosync::replay {

/// A kernel with what is worked out once for all its runs.
class Subject {
public:
  Subject(const Kernel &kernel, const Machine &machine, const Options &options);

  const Kernel &kernel;
  const Machine &machine;
  const LoopNest nest;
  const ScalarFacts facts;
  std::vector<std::int64_t> memoryPool; // what memory may hold: small numbers and the kernel's own
  std::uint64_t ringDepth = 2;          // largest rotation the kernel seems to use, at most 8
  WorkTable works;

  /// Computed at the first question.
  const std::vector<VariableId> &carried(LoopId loop);
  const std::vector<bool> &relevant(Matters matters);
  const Ways &ways();
  /// Null if nobody has asked yet.
  const Ways *knownWays() const { return allWays ? &*allWays : nullptr; }

private:
  std::optional<std::vector<std::vector<VariableId>>> carriedByLoop;
  std::map<Matters, std::vector<bool>> relevantFor;
  std::optional<Ways> allWays;
};

enum class Detail : std::uint8_t {
  Full,
  Scout, // control flow only: the trace has no work, and no events
};

enum class Skipping : std::uint8_t { Allowed, Forbidden };

struct RunRequest {
  Inputs inputs;
  Detail detail = Detail::Full;
  Skipping skipping = Skipping::Allowed;
  std::uint64_t periodsFirst = 3; // that are run before any is skipped, from 3
  // Iterations may be left out although places in global memory are not proved to move evenly: for estimates.
  bool estimate = false;
  bool lowIds = false;            // where it is open what an event id above the last one is, it is its low bits
  Tape *tape = nullptr;           // all of the run is written there
  const std::vector<Skip> *follow = nullptr; // skip exactly these, or end with Ending::OtherSkips
};

Trace interpret(Subject &subject, const RunRequest &request, const Budget &budget);

/// The value of an expression that is the same in every run and at every time; empty if it is not
/// a constant, possibly through variables that are assigned once.
class Constants {
public:
  explicit Constants(const Kernel &kernel);
  std::optional<std::int64_t> of(ExpressionId id) const;

private:
  const Kernel &kernel;
  std::vector<ExpressionId> definition; // kNone: not exactly one
};

} // namespace ptosync::replay
