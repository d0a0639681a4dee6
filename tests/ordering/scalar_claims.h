// Everything that the static engine says about a kernel's scalar code, held against runs.
//
//   Kernel --buildProgram--> claims: a description of each value at each place, how often loops run, where branches go
//                            and which turn but once, which tiles may share bytes
//   arguments --ConcreteRun--> values; each must be as it is described
//
// In a run each atom has the value that it must have: a counter that of its loop's iterations, an argument its own. Any
// other gets its value from the first description in which it is the only one without, and keeps it for as long as an
// iteration of its scope lasts. The run must be a path over the steps of the program, at each step the tiles must lie
// where its nodes say, and two tiles that share bytes must not be said to be apart at their distance.
// Only for kernels whose values C++ computes from arguments: memory is not followed.
// Tested by tests/ordering/scalar_claims_test.cpp: what is wrong is noticed.
#pragma once

#include "ordering/access.h"
#include "ordering/concrete_run.h"
#include "ordering/program.h"

#include <optional>
#include <string>
#include <vector>

namespace ptosync::test {

class ScalarClaims {
public:
  /// The program refers to its kernel, and must outlive the claims.
  explicit ScalarClaims(const Program &program);

  /// Runs the kernel with these arguments, by number and within their types, through at most `most` blocks. Empty: all
  /// claims hold, or the run does not end in time or does what C++ leaves undefined, and nothing is claimed of it. Else
  /// the first claim that does not hold, in words.
  std::string check(const std::vector<std::int64_t> &arguments, std::size_t most = 4096);
  /// Of the last run: the kernel came to its end by what C++ defines.
  bool ended() const { return finished; }
  /// Blocks that were run and checked, over all runs.
  std::size_t visits() const { return blocksRun; }

private:
  struct Claim {
    ExpressionId expression;
    ScalarValue value;
  };
  struct Known {
    std::uint64_t entry = 0; // of its scope
    std::int64_t iteration = 0;
    std::int64_t value = 0;
    bool set = false;
  };
  /// A tile that was touched.
  struct Touch {
    NodeId node;
    std::int64_t address;
    std::vector<std::uint64_t> entries;
    std::vector<std::int64_t> iteration;
  };

  /// A branch that is said to go one way, and then perhaps the other, from each entry of a loop on.
  struct Turning {
    LoopId loop;
    bool firstTests = false; // of the loop that it is the test of: where that is entered
    std::uint64_t entry = 0; // the last one seen, with its last answer and how often that has changed
    bool held = false;
    std::uint32_t changes = 0;
  };

  void collect();
  void collectTurnings();
  void claimTree(ExpressionId expression, std::vector<Claim> &here);
  void sizeAtoms();
  bool hasEnd(const std::vector<std::int64_t> &arguments, std::size_t most);
  std::string runBlock(BlockId block);
  std::string checkClaims(const std::vector<Claim> &here);
  std::string checkValue(const ScalarValue &value, std::int64_t actual);
  std::string checkAtom(AtomId id, std::int64_t value);
  std::optional<std::int64_t> known(AtomId id) const;
  std::optional<std::int64_t> known(const ScalarValue &value) const;
  std::string checkTrips(BlockId block, bool held) const;
  std::string checkTurnings(BlockId block, bool held);
  void enter(BlockId from, BlockId to);
  std::string follow(BlockId to);
  std::string checkTile(BlockId block, std::size_t index);
  bool liesThere(const Access &access, std::int64_t address, BlockId block);
  std::string checkPairs(const Touch &later) const;
  IterationDistance distanceOf(const Touch &earlier, const Touch &later) const;

  const Program &program;
  const Kernel &kernel;
  const ScalarAlgebra &scalars;
  AccessComparer comparer;
  std::vector<std::vector<std::vector<Claim>>> claims; // by block and statement, the terminator last
  std::vector<std::vector<Turning>> turnings;          // by block
  std::vector<LoopId> headed;                          // by block: the loop that it is the header of; kNone
  std::vector<std::size_t> argumentOf;                 // by atom: the number of an argument
  ConcreteRun run;
  std::vector<Known> atoms;            // by atom
  std::vector<std::uint64_t> entries;  // by loop: which run of it, from 1
  std::vector<std::int64_t> iteration; // by loop
  std::uint64_t entryCount = 0;
  std::vector<StepId> at, next; // steps that the run may be in
  bool behindTest = false;
  std::vector<Touch> touches; // the last few
  bool finished = false;
  std::size_t blocksRun = 0;
};

} // namespace ptosync::test
