// Finds what a kernel's branches depend on, so that a path through them can be called possible.
//
//   terminator --values of both operands--> known on every path, counted by a loop, or free
//
// The ordering engine joins paths and therefore accuses paths that no run takes. A search over single paths needs to
// know which choices are its own: a condition of constants and loop counters is worked out; a condition on arguments
// or data is free, and one that stands in two places must come out the same in both.
// Tested by tests/audit/path_decisions_test.cpp.
#pragma once

#include "ordering/program.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

struct BranchFacts {
  bool branches = false; // two ways to go
  /// True if the branch asks whether left `op` right holds, where both are sums of constants, counters and tables. The
  /// iterations decide such a branch.
  bool counted = false;
  Operator op = Operator::Equal;
  ScalarValue left, right;
  bool negated = false;    // the true edge is taken when the comparison fails
  std::string key;         // not empty: the same condition has the same outcome wherever it stands...
  LoopId keyScope = kNone; // ...in one iteration of this loop
  std::set<AtomId> atoms;  // what it depends on, but for counters
  bool opaque = false;     // depends on something that is not seen
  LoopId leaves = kNone;   // a loop that one of the ways leaves
};

class PathDecisions {
public:
  explicit PathDecisions(const Program &program);

  const BranchFacts &at(BlockId block) const { return facts[block]; }
  /// Returns true if the loop's iterations decide something, so that a path has to count them.
  bool counts(LoopId loop) const { return counted[loop]; }

  /// How many iterations a path tells apart: kExact one by one, and from there on counts go round with the period
  /// kPeriod.
  static constexpr std::uint32_t kExact = 16, kPeriod = 16;
  static std::uint32_t next(std::uint32_t count) { return count + 1 < kExact + kPeriod ? count + 1 : kExact; }

  /// Returns the outcome of a counted condition when `counts` iterations of each loop have begun; empty if the counts
  /// are too high to tell. A long loop of known length may be left in the iterations that look like its last.
  std::optional<bool> outcome(BlockId block, const std::vector<std::uint32_t> &counts) const;

private:
  void countDefinitions();
  void findDecided();
  void readComparison(ExpressionId condition, BranchFacts &branch) const;
  void read(BlockId block);
  void setKey(const ScalarValue &condition, BlockId block, BranchFacts &branch) const;
  bool addAtoms(const ScalarValue &value, BranchFacts &branch) const;
  std::optional<int> signFarOut(const BranchFacts &branch, const std::vector<std::uint32_t> &counts) const;
  std::optional<std::int64_t> evaluate(const ScalarValue &value, const std::vector<std::uint32_t> &counts) const;

  const Program &program;
  std::vector<BranchFacts> facts;         // by block
  std::vector<bool> counted;              // by loop
  std::vector<bool> decided;              // by block: its branch follows from where in its loops it stands
  std::vector<std::uint32_t> definitions; // by variable: how many statements may change it
  struct Comparison {
    BranchFacts facts;
    BlockId block;
  };
  std::map<VariableId, Comparison> comparisons; // of variables that hold one comparison for good
};

} // namespace ptosync
