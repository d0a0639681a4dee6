// The inputs that a kernel is run with.
//
//   corpus/zero_trip_loop: for (v26 = 0; v26 < v4; v26 += 1) { ... }, v4 an argument, ring depth 2
//
//   tried      shows                                             kept
//   v4 = 3     3 trips, the loop's test both ways, all blocks    yes
//   v4 = 0     0 trips                                           yes
//   v4 = 1     1 trip                                            yes
//   v4 = 2     2 trips                                           yes
//   v4 = 6     more trips than the ring is deep, and one         yes
//   others     nothing new                                       no
//
// Arguments decide how often loops run and which branches are taken. Candidates are small numbers and multiples of the
// kernel's own divisors and steps: first all arguments alike, then the places of a core, then one argument by itself.
// The order decides what is found within the budget:
//
//   1. all open arguments get one and the same number: ring depth + 1, 0, 1, 2, 2 ring depths + 2, then multiples of
//      the kernel's divisors and steps, those plus one, and the lengths up to one period of the branches; the inputs
//      that show most are the base
//   2. from the base: the first places of 2, ring depth + 2 and 65,535 cores, and places behind the work
//   3. from the base: each argument that decides something, alone, through the same numbers
//   4. if memory decides something: kinds of contents for each of the inputs kept so far
//
// What is assumed of arguments and of the core holds in every candidate: a number that is out of its bounds is taken
// from within them.
// A candidate whose run does not come to its end is dropped; if none comes to its end, the first one that was tried is
// compared as far as it goes.
// They are tried on the control flow alone, and a candidate is kept if it shows something new: a loop that runs 0, 1,
// 2, ring depth + 1 or more times, a branch outcome, a block. Branches that memory contents decide are tried with
// several contents. An address that arguments alone decide is any address (Inputs::open): the runs need not try their
// numbers. It proves nothing: what no candidate shows is sought by run_search.h, and told by the coverage. Tested by
// tests/replay/choose/run_choice_test.cpp.
#pragma once

#include "base/messages.h"
#include "replay/run/interpreter.h"

#include <llvm/Support/Error.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync::replay {

/// Returns the numbers of the arguments that the kernel's branches depend on, through assignments.
std::set<std::uint32_t> controlArguments(const Kernel &kernel);

/// Returns the numbers of the integer arguments that decide nothing but addresses: no branch, flag, choice, shape,
/// stride or valid region, and nothing that a loop carries on. Pointers are none.
std::set<std::uint32_t> placeArguments(Subject &subject);

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

/// Returns the kernel's arguments by position; those of a type that is not followed are missing.
std::vector<NamedArgument> argumentsOf(const Subject &subject);

/// The ways, blocks and trip counts that some runs have shown.
struct Shown {
  std::set<Way> ways;       // taken
  std::set<BlockId> blocks; // entered
  std::map<LoopId, std::set<std::uint64_t>> trips;
  void add(const Trace &trace);
};

/// Returns the inputs with numbers that keep to what is assumed (kernel/assumption.h), as near as it goes and without a
/// change of the arguments in `fixed`; empty if none are found.
std::optional<Inputs> asAssumed(const Kernel &kernel, Inputs inputs,
                                const std::map<std::uint32_t, std::int64_t> &fixed);

/// Returns at least one run, and at most options.budget.runs, in a fixed order. What they show is added to `shown`.
std::vector<Inputs> chooseRuns(Subject &subject, const Options &options, Shown *shown = nullptr);

/// Returns an ArgumentError if an argument of `options` is no integer argument of any of the kernels, or breaks what is
/// assumed of one.
llvm::Error checkArguments(const std::vector<const Subject *> &subjects, const Options &options);

} // namespace ptosync::replay
