// Which inputs a kernel is run with.
//
// Arguments decide how often loops run and which branches are taken. Candidates (small numbers,
// and multiples of the kernel's own divisors and steps) are tried on the control flow alone; a
// candidate is kept if it shows something new: a loop running 0, 1, 2, ring depth + 1 or more
// times, a branch outcome, a block. Branches that memory contents decide are tried with several
// contents. What no candidate reaches is for the coverage report to say.
// Tested by tests/replay/run_choice_test.cpp.
#pragma once

#include "base/messages.h"
#include "replay/interpreter.h"

#include <llvm/Support/Error.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync::replay {

/// `Options::arguments` does not fit the kernels.
class ArgumentError : public TextError<ArgumentError> {
public:
  using TextError::TextError;
};

/// An argument that a user may set.
struct NamedArgument {
  std::string name;
  std::uint32_t number = 0;
  IntegerType type;
  bool pointer = false;
};

/// The kernel's arguments by position; those of a type that is not followed are missing.
std::vector<NamedArgument> argumentsOf(const Subject &subject);

/// What some runs have shown.
struct Shown {
  std::set<Way> ways; // taken
  std::set<BlockId> blocks; // entered
  std::map<LoopId, std::set<std::uint64_t>> trips;
  void add(const Trace &trace);
};

/// At least one; at most options.budget.runs, in a fixed order. `shown`: what they show is added there.
std::vector<Inputs> chooseRuns(Subject &subject, const Options &options, Shown *shown = nullptr);

/// An ArgumentError if an argument of `options` is no integer argument of any of the kernels.
llvm::Error checkArguments(const std::vector<const Subject *> &subjects, const Options &options);

} // namespace ptosync::replay
