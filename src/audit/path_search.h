// Shows that a finding is real: searches for a single path through the kernel on which it happens.
//
// The sections are what a branch depends on, the search itself, and the found path as notes for a reader.
#pragma once

#include "audit/audit_context.h"
#include "ordering/hazard.h"
#include "ordering/program.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

// Finds what a kernel's branches depend on, so that a path through them can be called possible.
//
//   terminator --values of both operands--> known on every path, counted by a loop, or free
//
// The ordering engine joins paths and therefore accuses paths that no run takes. A search over single paths needs to
// know which choices are its own: a condition of constants and loop counters is worked out; a condition on arguments
// or data is free, and one that stands in two places must come out the same in both.
// Tested by tests/audit/path_search_test.cpp.

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

// Searches for single paths through a kernel on which a flag goes wrong or a pair of instructions meets unordered.
//
//   breadth first over (step, flags, decisions, iterations[, one tracked instance]) from the kernel's start
//
// The ordering engine knows every path at once and says where something may be wrong; this search finds the shortest
// path that shows it, with the lines a reader needs, and says whether the path is certain: each decision on it
// follows from constants and counters, or is free of every other one. A path behind a fault of some flag says nothing
// more about that flag. Bounded: `complete()` is false where the search gave up, and then nothing follows from
// finding nothing. Tested by tests/audit/path_search_test.cpp.

/// A stop on a path: a statement that matters for what the path shows, or a branch that it takes.
struct PathStop {
  const Statement *statement = nullptr; // null: the branch at the end of `block`
  BlockId block = 0;
  bool taken = false; // branch: the condition held
};

struct FoundPath {
  std::vector<PathStop> stops;
  std::vector<BlockId> choices; // blocks where it decided freely, in order
  bool certain = false;
  bool doubtful = false; // of a pair: a flag that went wrong, an unknown call or another core may order it
  bool atEntry = false;  // of a pair: it ends in the first iteration of each loop that only the later one is in
};

enum class TokenFaultKind : std::uint8_t { UnfedWait, DoubleSet, LeftSet, LibraryClash };

struct TokenDefect {
  TokenFaultKind kind = TokenFaultKind::UnfedWait;
  std::uint32_t flag = 0;
  const Statement *statement = nullptr; // LeftSet: the last set
  StepId step = 0;
  std::uint32_t event = kNone; // LeftSet: kNone
  FoundPath path;
};

/// Something amiss with the brackets of a buffer id (ordering/program.h).
struct BracketDefect {
  BufferFault::Kind kind = BufferFault::Kind::Nested;
  std::int64_t id = 0;
  const Statement *statement = nullptr; // at which it shows; OpenAtEnd: the get
  const Statement *holder = nullptr;    // the get that holds the id; null of NotHeld
  FoundPath path;
};

class PathSearch {
public:
  PathSearch(const Program &program, const HazardModel &model);
  ~PathSearch();

  /// Returns the first faults of flags over all paths, one for each statement and kind.
  std::vector<TokenDefect> tokenDefects();

  /// The same of brackets of buffer ids.
  std::vector<BracketDefect> bracketDefects();

  /// Returns a path on which the pair is not ordered; empty if the search saw none. If `complete()` is false then,
  /// nothing follows from that.
  std::optional<FoundPath> unordered(const ConflictPair &pair);

  /// Returns false if the last search stopped at its bound.
  bool complete() const { return finished; }
  const PathDecisions &decisions() const { return conditions; }

private:
  struct State;
  struct Visit;
  struct Goal;
  bool enter(Visit &&visit, Goal &goal);
  void run(Goal &goal);
  bool runStep(std::size_t at, Goal &goal);
  bool apply(State &state, const Event &event, std::size_t at, std::uint32_t index, Goal &goal);
  void passCall(State &state, const Node &node) const;
  void applyBuffer(State &state, const Event &event, std::size_t at, Goal &goal);
  void followHolder(State &state, const Event &event, std::size_t at, Goal &goal);
  void foundBracket(BufferFault::Kind kind, std::int64_t id, const Statement *statement, const Statement *holder,
                    std::size_t at, Goal &goal);
  bool applyFlag(State &state, const Event &event, std::size_t at, std::uint32_t index, Goal &goal);
  void branch(std::size_t at, const State &state, Goal &goal);
  std::optional<State> follow(const State &state, BlockId from, const Edge &edge) const;
  std::string keyOf(const State &state) const;
  using Way = std::vector<std::size_t>; // visits from the start on
  Way wayTo(std::size_t at) const;
  bool endsAtEntry(const Way &way, const ConflictPair &pair) const;
  FoundPath pathAlong(const Way &way, const std::vector<const Statement *> &shown) const;
  void found(TokenFaultKind kind, std::uint32_t flag, std::size_t at, std::uint32_t index, Goal &goal);
  std::vector<const Statement *> statementsOf(std::uint32_t flag) const;

  const Program &program;
  const HazardModel &model;
  PathDecisions conditions;
  std::map<std::string, std::uint32_t> keyNumbers; // of conditions that recur
  std::vector<LoopId> keyScopes;                   // by key number
  std::map<std::int64_t, std::size_t> idNumbers;   // of buffer ids that are known
  std::vector<const Event *> gets;                 // with known ids, in order
  std::vector<Visit> visits;
  std::map<std::string, std::size_t> known;
  bool finished = true;
};

// A found path as notes a reader can follow: the branches it takes and the statements that matter on the way.
// Tested by tests/audit/path_search_test.cpp.

/// One note per stop; runs of the same branch taken the same way are one.
std::vector<FindingNote> describePath(const AuditContext &context, const Analysis &kernel, const FoundPath &path);

} // namespace ptosync
